//! How long arrays are in memory: from the step that first writes one to the last step that uses it.
//!
//! Backends give memory back by this plan, and explanations predict from it how much is held at a time. The
//! branches of conditionals are lists of their own that refer to each other by position, so that no traversal
//! recurses, however deep conditionals nest: list 0 is the program; the others follow as they are found, list
//! by list and step by step, `then_` before `else_`.
//!
//! Invariants: an array is in `locals` of the one list that makes it, and in `release` of at most one step,
//! which is in that list. Inputs, what the program results in, and what a conditional takes over from its
//! branch are not released.

use super::{ArrayId, Body, Kernel, Schedule, Step};
use std::collections::BTreeSet;

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
    /// The arrays with memory of their own that come into being in this list, in order of their ids. The
    /// list gives back at its end what no step has released.
    pub locals: Vec<ArrayId>,
}

/// A step, and what happens around it.
#[derive(Debug)]
pub struct Placed<'a> {
    /// The step.
    pub step: &'a Step,
    /// The lists of its branches, if it is a conditional.
    pub branches: Option<(usize, usize)>,
    /// The arrays with memory of their own that nobody uses after it.
    pub release: Vec<ArrayId>,
}

impl Schedule {
    /// The array whose memory holds the elements of `array`.
    pub fn owner(&self, array: ArrayId) -> ArrayId {
        self.arrays[array.index()].layout.owner(array)
    }

    /// When each array is in memory.
    pub fn lifetimes(&self) -> Lifetimes<'_> {
        let mut lists = lists(&self.steps);
        let early = lists.len() <= PLANNED_LISTS;
        let merged = merged(&lists);
        let mut used_in: Vec<BTreeSet<ArrayId>> = vec![BTreeSet::new(); lists.len()];
        // Lists are visited after all that they refer to.
        for list in (0..lists.len()).rev() {
            let mut later: BTreeSet<ArrayId> = merged[list].iter().copied().collect();
            if list == 0 {
                later.extend(self.results.iter().map(|&a| self.owner(a)));
            }
            let List { steps, locals } = &mut lists[list];
            let made = steps.iter().flat_map(|placed| self.made_by(placed.step));
            let made: BTreeSet<_> = made.collect();
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
        Lifetimes { lists }
    }

    /// The arrays with memory of their own that a step may bring into being.
    fn made_by(&self, step: &Step) -> Vec<ArrayId> {
        match step {
            Step::Scalars { .. } | Step::Check(..) => vec![],
            Step::Kernel(kernel) if kernel.writes_in_place() => vec![],
            Step::Kernel(kernel) => {
                let outputs = kernel.outputs().iter();
                outputs.map(|o| self.owner(o.array)).collect()
            }
            Step::If { arrays, .. } => arrays.iter().map(|&(made, _, _)| made).collect(),
            Step::Strip(strip) => strip.wholes().map(|array| self.owner(array)).collect(),
        }
    }

    fn used_by(&self, placed: &Placed<'_>, used_in: &[BTreeSet<ArrayId>]) -> BTreeSet<ArrayId> {
        match placed.step {
            Step::Check(..) => BTreeSet::new(),
            Step::Scalars { body, defines: _ } => self.loaded(body).collect(),
            Step::Kernel(kernel) => {
                let outputs = kernel.outputs().iter().map(|o| self.owner(o.array));
                self.loaded(kernel.body()).chain(outputs).collect()
            }
            Step::If {
                cond: _,
                then_: _,
                else_: _,
                symbols: _,
                arrays,
            } => {
                let made = arrays.iter().map(|&(made, _, _)| made);
                let branches = placed.branches.into_iter().flat_map(|(t, e)| [t, e]);
                let inside = branches.flat_map(|list| used_in[list].iter().copied());
                made.chain(inside).collect()
            }
            Step::Strip(strip) => {
                let inside: BTreeSet<_> = strip.made_inside().collect();
                let bodies = strip.kernels.iter().map(Kernel::body);
                let loaded = bodies.flat_map(|body| self.loaded(body));
                let wholes = strip.wholes().map(|array| self.owner(array));
                let outside = loaded.filter(|array| !inside.contains(array));
                outside.chain(wholes).collect()
            }
        }
    }

    fn loaded<'a>(&'a self, body: &'a Body) -> impl Iterator<Item = ArrayId> + 'a {
        body.reads().map(|array| self.owner(array))
    }
}

/// All lists, nothing released yet.
fn lists(steps: &[Step]) -> Vec<List<'_>> {
    let (mut lists, mut sources) = (vec![], vec![steps]);
    while let Some(&source) = sources.get(lists.len()) {
        let place = |step| Placed {
            step,
            branches: branches(step, &mut sources),
            release: vec![],
        };
        lists.push(List {
            steps: source.iter().map(place).collect(),
            locals: vec![],
        });
    }
    lists
}

/// The numbers of a step's branches, which are added to `sources`.
fn branches<'a>(step: &'a Step, sources: &mut Vec<&'a [Step]>) -> Option<(usize, usize)> {
    match step {
        Step::Scalars { .. } | Step::Check(..) | Step::Kernel(_) | Step::Strip(_) => None,
        Step::If { then_, else_, .. } => {
            sources.extend([then_.as_slice(), else_.as_slice()]);
            Some((sources.len() - 2, sources.len() - 1))
        }
    }
}

/// For each list, the arrays that the conditional around it takes over from it.
fn merged(lists: &[List<'_>]) -> Vec<Vec<ArrayId>> {
    let mut merged = vec![vec![]; lists.len()];
    for placed in lists.iter().flat_map(|list| &list.steps) {
        if let (Step::If { arrays, .. }, Some((then_, else_))) = (placed.step, placed.branches) {
            merged[then_].extend(arrays.iter().map(|&(_, from, _)| from));
            merged[else_].extend(arrays.iter().map(|&(_, _, from)| from));
        }
    }
    merged
}
