//! Loops of updates that a trip of the dual makes once more.
//!
//! The dual of such a loop starts from the array that the loop makes; or the dual of the trip needs something else that the loop makes
//! of the array. So the trip goes from the state after it to the one before it, makes the step again as far as to the last such loop,
//! and undoes that ([`Descent`]). Where the dual of the loop has done so, what it gives back is the array before the loop. In between
//! the array has one state at a time: without that, each trip would need a copy of it.

use super::{Back, Change, Undo};
use crate::acc::looping::restrict::restrict;
use crate::acc::looping::stacks::Stacks;
use crate::acc::looping::{Counted, NUMBER, Trip};
use crate::acc::reverse::Reverse;
use crate::rename::{ArrMap, renaming};
use cotangent_core::build::Arr;
use cotangent_core::term::{AccBlock, AccLet, ArrId, Labelled};
use std::collections::HashSet;

/// What a trip of the dual makes once more.
pub(in crate::acc::looping) struct Again {
    /// All arrays that it makes, if it is given what loops make of which the dual has no need of the array.
    pub(super) arrays: HashSet<ArrId>,
}

/// The way back of an array through a trip that has made loops once more.
struct Descent<'a> {
    undo: &'a Undo,
    again: &'a Again,
    trip: &'a Trip,
    back: Back<'a>,
    /// The loops among the changes that have been made once more and not been undone again, in order.
    pending: Vec<usize>,
    /// The arrays that the trip has made.
    made: HashSet<ArrId>,
}

impl Stacks {
    /// What a trip of the dual makes once more.
    pub(in crate::acc::looping) fn again(
        &self,
        reverse: &mut Reverse,
        (trip, counted): (&Trip, &Counted),
    ) -> Again {
        let undone = self.undone(counted).flatten();
        let at_hand: HashSet<_> = undone
            .flat_map(|undo| undo.at_hand(reverse, trip))
            .collect();
        let mut body = trip.body.clone();
        let none = reverse.b.fresh(NUMBER).name;
        body.rename(&|array| {
            if at_hand.contains(&array) {
                none
            } else {
                array
            }
        });
        restrict(&mut body);
        Again {
            arrays: body.bindings().map(|bind| bind.name).collect(),
        }
    }

    /// Pushes the code of a trip of the dual, in which `names` says what takes the place of other arrays.
    pub(in crate::acc::looping) fn push_trip(
        &self,
        reverse: &mut Reverse,
        (trip, counted): (&mut Trip, &Counted),
        (again, names): (&Again, &mut ArrMap),
    ) {
        let lets = std::mem::take(&mut trip.body.lets);
        let trip = &*trip;
        let undone = self.undone(counted).flatten();
        let mut descents: Vec<_> = undone
            .map(|undo| Descent::of((undo, again), (trip, counted)))
            .collect();
        for let_ in lets {
            for descent in &mut descents {
                descent.before(reverse, &let_, names);
            }
            let binds = let_.binds.clone();
            push_renamed(reverse, let_, names);
            for descent in &mut descents {
                let binds = binds.iter().map(|bind| bind.name);
                binds.for_each(|array| descent.after(reverse, array, names));
            }
        }
        for descent in &mut descents {
            descent.end(reverse, names);
        }
    }
}

fn push_renamed(reverse: &mut Reverse, let_: AccLet<Labelled>, names: &ArrMap) {
    let lets = vec![let_];
    let results = vec![];
    let mut block = AccBlock { lets, results };
    block.rename(&renaming(names));
    block
        .lets
        .into_iter()
        .for_each(|let_| reverse.b.push_let(let_));
}

impl Undo {
    /// What loops have made of which the dual has no need of the array.
    fn at_hand(&self, reverse: &Reverse, trip: &Trip) -> Vec<ArrId> {
        let loops = self.changes.iter().filter(|change| match change {
            Change::Update(_) => false,
            Change::Loop(_) => change.returned(reverse, trip).is_none(),
        });
        let made = loops.filter_map(|change| trip.names.get(&change.result()));
        made.copied().collect()
    }
}

impl<'a> Descent<'a> {
    fn of((undo, again): (&'a Undo, &'a Again), (trip, counted): (&'a Trip, &Counted)) -> Self {
        let changes = undo.changes.iter().enumerate();
        let loops = changes.filter(|(_, change)| change.is_again(trip, again));
        Self {
            undo,
            again,
            trip,
            back: Back::of(trip, counted),
            pending: loops.map(|(at, _)| at).collect(),
            made: HashSet::new(),
        }
    }

    /// Undoes a loop whose dual does not before code that reads what the array was before it.
    fn before(&mut self, reverse: &mut Reverse, let_: &AccLet<Labelled>, names: &mut ArrMap) {
        let read = let_.op.free();
        while let Some(&at) = self.pending.last() {
            let original = |array: ArrId| self.trip.names.get(&array);
            let result = original(self.undo.changes[at].result());
            let earlier = self.undo.changes[..=at].iter().map(Change::default);
            let mut earlier = earlier.filter_map(original);
            let is_made = result.is_some_and(|array| self.made.contains(array));
            if !is_made || !earlier.any(|array| read.contains(array)) {
                return;
            }
            if !self.undo_last(reverse, names) {
                return;
            }
        }
    }

    /// Notes that an array has been made. The dual of a loop may have given it back.
    fn after(&mut self, reverse: &mut Reverse, array: ArrId, names: &mut ArrMap) {
        self.made.insert(array);
        let Some(&at) = self.pending.last() else {
            return;
        };
        let returned = self.undo.changes[at].returned(reverse, self.trip);
        if returned.is_some_and(|returned| returned.name == array) {
            self.go_on(reverse, array, names);
        }
    }

    /// Undoes the loops that are left.
    fn end(&mut self, reverse: &mut Reverse, names: &mut ArrMap) {
        while self.undo_last(reverse, names) {}
    }

    /// Undoes the last loop that has been made once more. Does nothing, and says so, if there is none, or the dual of the loop does that.
    fn undo_last(&mut self, reverse: &mut Reverse, names: &mut ArrMap) -> bool {
        let Some(&at) = self.pending.last() else {
            return false;
        };
        let change = &self.undo.changes[at];
        let made = self.trip.names.get(&change.result()).copied();
        let made = made.and_then(|made| reverse.array(made).ok());
        let (None, Some(made)) = (change.returned(reverse, self.trip), made) else {
            return false;
        };
        let made = Arr::new(renaming(names)(made.name), made.ty);
        let restored = change.undo(reverse, &self.back, made);
        self.go_on(reverse, restored.name, names);
        true
    }

    /// Goes on from the array as it was before the last loop that had been made once more: undoes the changes in front of that, as far as
    /// to another such loop. Says in `names` what is where.
    fn go_on(&mut self, reverse: &mut Reverse, restored: ArrId, names: &mut ArrMap) {
        let Some(at) = self.pending.pop() else {
            return;
        };
        let changes = &self.undo.changes;
        let Some(&original) = self.trip.names.get(&changes[at].default()) else {
            return;
        };
        let Ok(original) = reverse.array(original) else {
            return;
        };
        let mut state = Arr::new(restored, original.ty);
        names.insert(original.name, restored);
        for change in changes[..at].iter().rev() {
            if change.is_again(self.trip, self.again) {
                return;
            }
            state = change.undo(reverse, &self.back, state);
            let before = self.trip.names.get(&change.default()).copied();
            names.extend(before.map(|before| (before, state.name)));
        }
    }
}
