//! Loops of updates that a trip of the dual makes once more.
//!
//! The dual of such a loop starts from the array that the loop makes; or the dual of the trip needs something else that the loop makes
//! of the array. So the trip goes from the state after it to the one before it, makes the step again as far as to the last such loop,
//! and undoes that ([`Descent`]). Where the dual of the loop has done so, what it gives back is the array before the loop. In between
//! the array has one state at a time: without that, each trip would need a copy of it.
//!
//! The dual of a loop that makes all of the array new goes through the array before it, and does not carry it.

use super::{Back, Change, Undo};
use crate::acc::looping::restrict::restrict;
use crate::acc::looping::stacks::Stacks;
use crate::acc::looping::{Counted, NUMBER, Trip};
use crate::acc::reverse::Reverse;
use crate::rename::{ArrMap, renaming};
use cotangent_core::build::Arr;
use cotangent_core::term::{AccBlock, AccLet, AccOp, ArrId, Fun, Labelled};
use std::collections::HashSet;

/// What a trip of the dual makes once more.
#[derive(Default)]
pub(in crate::acc::looping) struct Again {
    /// All arrays that it makes, if it is given what loops make of which the dual has no need of the array.
    arrays: HashSet<ArrId>,
    /// What loops of one trip at most read, which may go through all of it.
    gone_through: HashSet<ArrId>,
}

/// The way back of an array through a trip that has made loops once more. The states of the array are numbered: 0 is that before all
/// changes, 1 that after the first one.
struct Descent<'a> {
    undo: &'a Undo,
    trip: &'a Trip,
    back: Back<'a>,
    /// The states that other code needs, in order: at each, the last one first, the array waits until earlier ones are needed.
    stops: Vec<usize>,
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
        let lets = trip.body.lets.iter();
        let loops = lets.filter_map(|let_| Some((let_, trips_of(let_)?)));
        let loops: Vec<_> = loops.collect();
        if loops.is_empty() {
            return Again::default();
        }
        let arrays = self.made_again(reverse, (trip, counted));
        let loops = loops.into_iter();
        let few = loops.filter(|(let_, trips)| trips.is_at_most(1) && is_bound(let_, &arrays));
        Again {
            gone_through: few.flat_map(|(let_, _)| let_.op.free()).collect(),
            arrays,
        }
    }

    /// All arrays that a trip of the dual makes.
    fn made_again(
        &self,
        reverse: &mut Reverse,
        (trip, counted): (&Trip, &Counted),
    ) -> HashSet<ArrId> {
        let undone = self.undone(counted).flatten();
        let at_hand = undone.flat_map(|undo| undo.at_hand(reverse, trip));
        let at_hand: HashSet<ArrId> = at_hand.collect();
        let mut body = trip.body.clone();
        let none = reverse.b.fresh(NUMBER).name;
        body.rename(&|array| match at_hand.contains(&array) {
            true => none,
            false => array,
        });
        restrict(&mut body);
        body.bindings().map(|bind| bind.name).collect()
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

/// How many trips an operation makes, if it is a loop.
const fn trips_of(let_: &AccLet<Labelled>) -> Option<&Fun<Labelled>> {
    let AccOp::Loop { trips, .. } = &let_.op else {
        return None;
    };
    Some(trips)
}

fn is_bound(let_: &AccLet<Labelled>, arrays: &HashSet<ArrId>) -> bool {
    let_.binds.iter().any(|bind| arrays.contains(&bind.name))
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
    /// What loops have made of which the dual has no need of the array. One that makes all of the array new costs as much as to keep that.
    fn at_hand(&self, reverse: &Reverse, trip: &Trip) -> Vec<ArrId> {
        let loops = self.changes.iter().filter(|change| match change {
            Change::Update(_) | Change::Whole(_) => false,
            Change::Loop(nest) => !nest.is_whole() && change.returned(reverse, trip).is_none(),
        });
        let made = loops.filter_map(|change| trip.names.get(&change.result()));
        made.copied().collect()
    }

    /// The states at which the way back through a trip has to wait.
    fn stops(&self, trip: &Trip, again: &Again) -> Vec<usize> {
        let is_stop = |state: &usize| {
            let change = &self.changes[state - 1];
            let array = trip.names.get(&change.result());
            array.is_some_and(|array| {
                let is_again = matches!(change, Change::Loop(_)) && again.arrays.contains(array);
                is_again || again.gone_through.contains(array)
            })
        };
        (1..=self.changes.len()).filter(is_stop).collect()
    }

    /// How many of the changes a trip of the dual makes again.
    pub(super) fn made_again(&self, trip: &Trip, again: &Again) -> usize {
        self.stops(trip, again).pop().unwrap_or(0)
    }
}

impl<'a> Descent<'a> {
    fn of((undo, again): (&'a Undo, &Again), (trip, counted): (&'a Trip, &Counted)) -> Self {
        Self {
            undo,
            trip,
            back: Back::of(trip, counted),
            stops: undo.stops(trip, again),
            made: HashSet::new(),
        }
    }

    /// What a state is called in the trip.
    fn name(&self, state: usize) -> Option<ArrId> {
        let array = match state.checked_sub(1) {
            None => self.undo.changes[0].default(),
            Some(last) => self.undo.changes[last].result(),
        };
        self.trip.names.get(&array).copied()
    }

    /// Goes on before code that reads earlier states, where it needs not wait for the dual of a loop.
    fn before(&mut self, reverse: &mut Reverse, let_: &AccLet<Labelled>, names: &mut ArrMap) {
        while let Some(&stop) = self.stops.last() {
            let read = let_.op.free();
            let is_made = self
                .name(stop)
                .is_some_and(|array| self.made.contains(&array));
            let mut earlier = (0..stop).filter_map(|state| self.name(state));
            let is_due = is_made && earlier.any(|array| read.contains(&array));
            if !is_due || !self.leave(reverse, names) {
                return;
            }
        }
    }

    /// Notes that an array has been made. The dual of a loop may have given it back.
    fn after(&mut self, reverse: &mut Reverse, array: ArrId, names: &mut ArrMap) {
        self.made.insert(array);
        if let Some(&stop) = self.stops.last()
            && let Some(returned) = self.undo.changes[stop - 1].returned(reverse, self.trip)
            && returned.name == array
        {
            let returned = returned.clone();
            self.stops.pop();
            self.go_on(reverse, (returned, stop - 1), names);
        }
    }

    /// Leaves the stops that are left.
    fn end(&mut self, reverse: &mut Reverse, names: &mut ArrMap) {
        while self.leave(reverse, names) {}
    }

    /// Goes on from the last stop. Does nothing, and says so, if there is none, or the dual of a loop goes on from there.
    fn leave(&mut self, reverse: &mut Reverse, names: &mut ArrMap) -> bool {
        let Some(&stop) = self.stops.last() else {
            return false;
        };
        let change = &self.undo.changes[stop - 1];
        let array = self.name(stop).and_then(|array| reverse.array(array).ok());
        let (None, Some(array)) = (change.returned(reverse, self.trip), array) else {
            return false;
        };
        self.stops.pop();
        let array = Arr::new(renaming(names)(array.name), array.ty);
        let before = change.undo(reverse, &self.back, array);
        self.go_on(reverse, (before, stop - 1), names);
        true
    }

    /// Goes on from a state that is there to the next stop. Says in `names` what is where.
    fn go_on(
        &self,
        reverse: &mut Reverse,
        (mut array, mut state): (Arr, usize),
        names: &mut ArrMap,
    ) {
        loop {
            names.extend(self.name(state).map(|name| (name, array.name)));
            if state == 0 || self.stops.last() == Some(&state) {
                return;
            }
            state -= 1;
            array = self.undo.changes[state].undo(reverse, &self.back, array);
        }
    }
}
