//! How much memory a program takes: what it keeps besides inputs and results, and how much at a time.
//!
//! Arrays live as [`Schedule::lifetimes`] says. An array that a conditional defines is the memory that its
//! branch made; where it takes over an array from outside of the branch, that counts as a copy. What a loop carries is
//! the memory of what it begins with, if nobody else uses that. Where it is
//! not known which branch runs, the one that takes more counts. Results that are parts of other arrays are
//! copied out at the end. What is inside of a strip counts once, for one thread, where it is known.

use crate::amount::Amount;
use crate::extents::Extents;
use cotangent_core::schedule::lifetimes::{Lifetimes, List, Placed};
use cotangent_core::schedule::{ArrayId, Layout, Offset, Schedule};
use std::collections::{BTreeMap, BTreeSet};

/// What is in memory besides the inputs.
pub(crate) struct Memory {
    /// The arrays that are neither inputs nor results.
    pub temporaries: Vec<ArrayId>,
    /// The most that is alive at a time, inputs aside.
    pub peak: Amount,
    /// The most that a thread needs inside of a strip; none where that depends on what is not known.
    pub per_thread: Option<Amount>,
}

pub(crate) fn plan(schedule: &Schedule, extents: &Extents<'_>) -> Memory {
    let lifetimes = schedule.lifetimes();
    let mut walk = Walk {
        schedule,
        extents,
        lifetimes: &lifetimes,
    };
    let outcome = walk.all();
    let copies = walk.copies();
    Memory {
        temporaries: temporaries(schedule, &lifetimes),
        peak: Amount::most(&[outcome.peak, outcome.after.plus(&copies)]),
        per_thread: walk.per_thread(),
    }
}

/// The arrays with memory of their own that the program makes and does not result in.
fn temporaries(schedule: &Schedule, lifetimes: &Lifetimes<'_>) -> Vec<ArrayId> {
    let taken_over = taken_over(lifetimes);
    let mut results: BTreeSet<_> = schedule
        .results
        .iter()
        .map(|&r| schedule.owner(r))
        .collect();
    // Outer conditionals come first, as their lists have smaller numbers.
    for (from, merged) in &taken_over {
        if results.contains(merged) {
            results.insert(*from);
        }
    }
    let made: BTreeSet<_> = lifetimes
        .lists
        .iter()
        .flat_map(|l| l.locals.clone())
        .collect();
    let moved: BTreeSet<_> = taken_over.into_iter().map(|(from, _)| from).collect();
    made.into_iter()
        .filter(|a| !results.contains(a) && !moved.contains(a))
        .collect()
}

/// The arrays that steps take over from the lists inside that made them, and as what.
fn taken_over(lifetimes: &Lifetimes<'_>) -> Vec<(ArrayId, ArrayId)> {
    let mut pairs = vec![];
    for placed in lifetimes.lists.iter().flat_map(|list| &list.steps) {
        let inside = &lifetimes.lists[placed.lists.clone()];
        for (list, scope) in inside.iter().zip(placed.step.scopes()) {
            let arrays = scope.arrays.into_iter();
            let made_there = arrays.filter(|(_, from)| list.locals.contains(from));
            pairs.extend(made_there.map(|(defined, from)| (from, defined)));
        }
    }
    pairs
}

struct Walk<'a> {
    schedule: &'a Schedule,
    extents: &'a Extents<'a>,
    lifetimes: &'a Lifetimes<'a>,
}

/// What a list of steps takes: the most that it holds at a time, and what is left at its end.
#[derive(Clone, Default)]
struct Outcome {
    peak: Amount,
    after: Amount,
}

impl Walk<'_> {
    /// The whole program. Branches are visited before the lists they belong to, as they have larger numbers.
    fn all(&mut self) -> Outcome {
        let mut done: BTreeMap<usize, Outcome> = BTreeMap::new();
        for (number, list) in self.lifetimes.lists.iter().enumerate().rev() {
            let outcome = self.list(list, &done);
            done.insert(number, outcome);
        }
        done.remove(&0).unwrap_or_default()
    }

    fn list(&self, list: &List<'_>, done: &BTreeMap<usize, Outcome>) -> Outcome {
        let given = list.given.iter().map(|&array| self.schedule.owner(array));
        let (mut alive, mut peaks) = (BTreeSet::from_iter(given), vec![]);
        for placed in &list.steps {
            for first in placed.given_up(self.schedule) {
                alive.remove(&first);
            }
            if !placed.lists.is_empty() {
                peaks.push(self.size(&alive).plus(&self.inside(placed, done)));
            }
            let made = placed.step.makes();
            if !made.is_empty() {
                alive.extend(made.into_iter().map(|array| self.schedule.owner(array)));
                let strip = placed.step.as_strip();
                let inside = strip.and_then(|strip| self.extents.inside(strip));
                let inside = Amount::constant(inside.unwrap_or(0).into());
                peaks.push(self.size(&alive).plus(&inside));
            }
            placed.release.iter().for_each(|a| {
                alive.remove(a);
            });
        }
        Outcome {
            peak: Amount::most(&peaks),
            after: self.size(&alive),
        }
    }

    /// The most that a thread needs inside of a strip.
    fn per_thread(&self) -> Option<Amount> {
        let steps = self.lifetimes.lists.iter().flat_map(|list| &list.steps);
        let strips = steps.filter_map(|placed| placed.step.as_strip());
        let mut inside = strips.map(|strip| self.extents.inside(strip));
        let most = inside.try_fold(0, |most, bytes| bytes.map(|bytes| bytes.max(most)));
        most.map(|bytes| Amount::constant(bytes.into()))
    }

    /// The most that a list inside of a step holds, of those that may run, with what the step gives to others of them: the
    /// test of a loop runs while what is carried is there.
    fn inside(&self, placed: &Placed<'_>, done: &BTreeMap<usize, Outcome>) -> Amount {
        let scopes = placed.step.scopes();
        let given = scopes.iter().flat_map(|scope| scope.given.iter().copied());
        let given = BTreeSet::from_iter(given);
        let lists = placed.lists.clone().zip(&scopes);
        let may_run = lists.filter(|(_, scope)| match scope.condition {
            Some((symbol, runs_if)) => self.extents.truth(symbol) != Some(!runs_if),
            None => true,
        });
        let peaks = may_run.filter_map(|(list, scope)| {
            let others = given.iter().filter(|array| !scope.given.contains(array));
            let peak = &done.get(&list)?.peak;
            Some(peak.plus(&self.size(&others.copied().collect())))
        });
        Amount::most(&peaks.collect::<Vec<_>>())
    }

    fn size(&self, arrays: &BTreeSet<ArrayId>) -> Amount {
        let sizes = arrays.iter().map(|&a| self.extents.bytes(a));
        sizes.fold(Amount::default(), |sum, size| sum.plus(&size))
    }

    /// The results that are parts of other arrays.
    fn copies(&self) -> Amount {
        let results = self.schedule.results.iter();
        let views = results.filter(|r| match self.schedule.arrays[r.index()].layout {
            Layout::Own => false,
            Layout::View {
                of: _,
                offset,
                stride,
            } => (offset, stride) != (Offset::default(), 1),
        });
        let sizes = views.map(|&r| self.extents.bytes(r));
        sizes.fold(Amount::default(), |sum, size| sum.plus(&size))
    }
}
