//! How long arrays are in memory: from the step that first writes one to the last step that uses it.
//!
//! Backends give memory back by this plan, and explanations predict from it how much is held at a time. The
//! lists inside of steps ([`Step::scopes`]) are lists of their own that refer to each other by position, so that no
//! traversal recurses, however deep conditionals nest: list 0 is the program; the others follow as they are found,
//! list by list and step by step, `then_` before `else_`.
//!
//! Invariants: an array is in `locals` of the one list that makes it, and in `release` of at most one step,
//! which is in that list. Inputs, what the program results in, and what a step takes over from a list inside
//! are not released.

use super::{ArrayId, Body, Kernel, Schedule, Step, steps};
use std::collections::BTreeSet;
use std::ops::Range;

/// With more lists than that, memory is given back at the end of lists only, which takes less time to
/// plan.
const PLANNED_LISTS: usize = 4096;

/// The lists of steps of a schedule.
#[derive(Debug)]
pub struct Lifetimes<'a> {
    /// The lists, the program first.
    pub lists: Vec<List<'a>>,
}

/// A list of steps.
#[derive(Debug)]
pub struct List<'a> {
    /// The steps, in order.
    pub steps: Vec<Placed<'a>>,
    /// The arrays that are there when the list begins, and are the list's to give back; among the locals.
    pub given: Vec<ArrayId>,
    /// The arrays with memory of their own that come into being in this list, in order of their ids. The
    /// list gives back at its end what no step has released.
    pub locals: Vec<ArrayId>,
}

/// A step, and what happens around it.
#[derive(Debug)]
pub struct Placed<'a> {
    /// The step.
    pub step: &'a Step,
    /// The positions of the lists inside of it.
    pub lists: Range<usize>,
    /// The arrays with memory of their own that nobody uses after it.
    pub release: Vec<ArrayId>,
    /// Of a step in a branch, the same among the arrays of lists around: the conditional releases these when it ends.
    pub last_of: Vec<ArrayId>,
}

impl Placed<'_> {
    /// Of a loop, the arrays that nobody uses but as what is carried first: their memory becomes that of what is carried.
    pub fn given_up(&self, schedule: &Schedule) -> Vec<ArrayId> {
        let Some(repeat) = self.step.as_repeat() else {
            return vec![];
        };
        let inside = self.step.lists().into_iter().flat_map(steps::all);
        let read = inside.flat_map(Step::reads);
        let read = read.map(|array| schedule.owner(array));
        let read: Vec<_> = read.chain(repeat.arrays.iter().map(|c| c.next)).collect();
        let firsts = repeat.arrays.iter().map(|c| c.first);
        let is_last = |a: &ArrayId| self.release.contains(a) || self.last_of.contains(a);
        let given_up = firsts.filter(|a| is_last(a) && !read.contains(a));
        given_up.collect()
    }
}

impl Schedule {
    /// The array whose memory holds the elements of `array`.
    pub fn owner(&self, array: ArrayId) -> ArrayId {
        self.arrays[array.index()].layout.owner(array)
    }

    /// The arrays of kernels by themselves that nobody reads: of several results that are combined together, some may be needed for the
    /// others alone.
    pub fn unread(&self) -> BTreeSet<ArrayId> {
        let all = || steps::all(&self.steps);
        let made = all().filter_map(Step::as_kernel).flat_map(Kernel::outputs);
        let loaded = all().flat_map(Step::code).flat_map(Body::reads);
        let taken = all().flat_map(Step::takes);
        let read = loaded.chain(taken).chain(self.results.iter().copied());
        let read: BTreeSet<ArrayId> = read.map(|array| self.owner(array)).collect();
        let made = made.map(|output| output.array);
        made.filter(|&array| !read.contains(&self.owner(array)))
            .collect()
    }

    /// When each array is in memory.
    pub fn lifetimes(&self) -> Lifetimes<'_> {
        let mut lists = lists(&self.steps);
        let early = lists.len() <= PLANNED_LISTS;
        let taken = taken_over(&lists);
        let mut used_in: Vec<BTreeSet<ArrayId>> = vec![BTreeSet::new(); lists.len()];
        // Lists are visited after all that they refer to.
        for list in (0..lists.len()).rev() {
            let mut later: BTreeSet<ArrayId> = taken[list].iter().copied().collect();
            if list == 0 {
                later.extend(self.results.iter().map(|&a| self.owner(a)));
            }
            let List {
                steps,
                given,
                locals,
            } = &mut lists[list];
            let made = steps.iter().flat_map(|placed| placed.step.makes());
            let made = made.chain(given.iter().copied());
            let made: BTreeSet<_> = made.map(|array| self.owner(array)).collect();
            for placed in steps.iter_mut().rev().filter(|_| early) {
                let used = self.used_by(placed, &used_in);
                let last = used
                    .iter()
                    .filter(|a| !later.contains(a) && made.contains(a));
                placed.release = last.copied().collect();
                later.extend(used);
            }
            *locals = made.into_iter().collect();
            used_in[list] = later;
        }
        self.note_last(&mut lists, &taken, &used_in);
        Lifetimes { lists }
    }

    /// Finds the steps in branches that use something last which the conditional releases.
    fn note_last(
        &self,
        lists: &mut [List<'_>],
        taken: &[Vec<ArrayId>],
        used_in: &[BTreeSet<ArrayId>],
    ) {
        // Lists come after those that refer to them.
        for list in 0..lists.len() {
            let mut branches = vec![];
            for placed in &lists[list].steps {
                if let Step::If { .. } = placed.step {
                    let gone = [&placed.release[..], &placed.last_of].concat();
                    branches.extend(placed.lists.clone().map(|branch| (branch, gone.clone())));
                }
            }
            for (branch, mut left) in branches {
                left.retain(|a| used_in[branch].contains(a) && !taken[branch].contains(a));
                for placed in lists[branch].steps.iter_mut().rev() {
                    if left.is_empty() {
                        break;
                    }
                    let used = self.used_by(placed, used_in);
                    let last = left.extract_if(.., |array| used.contains(array));
                    placed.last_of = last.collect();
                }
            }
        }
    }

    /// The arrays with memory of their own that a step and what is inside of it use.
    fn used_by(&self, placed: &Placed<'_>, used_in: &[BTreeSet<ArrayId>]) -> BTreeSet<ArrayId> {
        let Placed { step, lists, .. } = placed;
        let own = step.reads().into_iter().chain(step.writes());
        let own = own.map(|array| self.owner(array));
        let inside = used_in[lists.clone()].iter().flatten().copied();
        own.chain(inside).collect()
    }
}

/// All lists, nothing released yet.
fn lists(steps: &[Step]) -> Vec<List<'_>> {
    let (mut lists, mut sources) = (vec![], vec![steps]);
    while let Some(&source) = sources.get(lists.len()) {
        let placed = source.iter().map(|step| placed(step, &mut sources));
        lists.push(List {
            steps: placed.collect(),
            given: vec![],
            locals: vec![],
        });
    }
    let given: Vec<_> = lists.iter().flat_map(|list| &list.steps).collect();
    let given: Vec<_> = given
        .into_iter()
        .flat_map(|placed| placed.lists.clone().zip(placed.step.scopes()))
        .map(|(list, scope)| (list, scope.given))
        .collect();
    for (list, given) in given {
        lists[list].given = given;
    }
    lists
}

/// A step; the lists inside of it are added to `sources`.
fn placed<'a>(step: &'a Step, sources: &mut Vec<&'a [Step]>) -> Placed<'a> {
    let first = sources.len();
    sources.extend(step.lists());
    Placed {
        step,
        lists: first..sources.len(),
        release: vec![],
        last_of: vec![],
    }
}

/// For each list, the arrays that the step around it takes over from it.
fn taken_over(lists: &[List<'_>]) -> Vec<Vec<ArrayId>> {
    let mut taken = vec![vec![]; lists.len()];
    for placed in lists.iter().flat_map(|list| &list.steps) {
        for (list, scope) in placed.lists.clone().zip(placed.step.scopes()) {
            taken[list].extend(scope.arrays.iter().map(|&(_, from)| from));
        }
    }
    taken
}
