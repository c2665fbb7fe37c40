//! Loops of updates that a trip of the dual makes once more.
//!
//! The dual of such a loop starts from the array that the loop makes; or the dual of the trip needs something else that the loop makes
//! of the array. So the trip goes from the state after it to the one before it, makes the step again as far as to the last such loop,
//! and undoes that ([`Descent`]). Where the dual of the loop has done so, what it gives back is the array before the loop. In between
//! the array has one state at a time: without that, each trip would need a copy of it.
//!
//! The dual of a loop that makes all of the array new goes through the array before it, and does not carry it.

use super::nest::Part;
use super::ways::{Way, Ways};
use super::{Back, Change, Undo};
use crate::acc::looping::restrict::restrict;
use crate::acc::looping::stacks::Stacks;
use crate::acc::looping::{Counted, NUMBER, Trip};
use crate::acc::reverse::Reverse;
use crate::rename::{ArrMap, renaming};
use cotangent_core::build::Arr;
use cotangent_core::term::{AccBlock, AccLet, AccOp, ArrId, Fun, Labelled};
use std::collections::{BTreeSet, HashSet};

/// What a trip of the dual makes once more.
#[derive(Default)]
pub(in crate::acc::looping) struct Again {
    /// All arrays that it makes, if it is given those that the way back passes.
    arrays: HashSet<ArrId>,
    /// What loops of one trip at most read, which may go through all of it.
    gone_through: HashSet<ArrId>,
}

/// The ways back of arrays through a trip that has made loops once more. At each of its stops an array waits until earlier states are
/// needed.
struct Descents<'a> {
    ways: Ways<'a>,
    trip: &'a Trip,
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
        let undone: Vec<_> = self.undone(counted).flatten().collect();
        let mut descents = Descents::of((&undone, again), (trip, counted));
        for let_ in lets {
            descents.before(reverse, &let_, names);
            let binds = let_.binds.clone();
            push_renamed(reverse, let_, names);
            let binds = binds.iter().map(|bind| bind.name);
            binds.for_each(|array| descents.after(reverse, array, names));
        }
        descents.end(reverse, names);
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

impl Again {
    /// Pushes the code by which a trip of the dual makes the state before it of the one after it. Says which arrays of the step it has
    /// then, besides: the dual need not make these once more.
    pub(in crate::acc::looping) fn undo<'a>(
        &self,
        reverse: &mut Reverse,
        (trip, counted): (&Trip, &Counted),
        undone: impl Iterator<Item = (&'a Undo, &'a Arr)>,
    ) -> ArrMap {
        let undone: Vec<_> = undone.collect();
        let (all, after): (Vec<&Undo>, Vec<&Arr>) = undone.into_iter().unzip();
        let stops = self.stops(trip, &all);
        let mut names = ArrMap::new();
        let mut note = |at: usize, state: usize, array: &Arr| {
            let undo: &Undo = all[at];
            let made_again = stops[at].last().copied().unwrap_or(0);
            if state == 0 {
                names.insert(trip.before[undo.start].name, array.name);
            } else if state > made_again {
                let made = undo.state(trip, state);
                names.extend(made.map(|made| (made, array.name)));
            }
        };
        let ways = all.iter().zip(after);
        let ways = ways.map(|(undo, after)| Way::whole(undo, after.clone()));
        let (ways, back) = (ways.collect(), Back::of(trip, counted));
        Ways { ways, back }.start(reverse, &mut note);
        names
    }

    /// By column: the states at which the way back through a trip has to stop, in order. That after a loop which makes several columns of
    /// each other is one for all of them, if any has to stop there or before.
    fn stops(&self, trip: &Trip, undone: &[&Undo]) -> Vec<Vec<usize>> {
        let own = undone.iter().map(|undo| self.own_stops(trip, undo));
        let mut stops: Vec<Vec<usize>> = own.collect();
        while let Some((at, state)) = shared_stop(undone, &stops) {
            stops[at].push(state);
            stops[at].sort_unstable();
        }
        stops
    }

    /// The states of a column that other code needs.
    fn own_stops(&self, trip: &Trip, undo: &Undo) -> Vec<usize> {
        let is_stop = |state: &usize| {
            let change = &undo.changes[state - 1];
            let array = trip.names.get(&change.result());
            array.is_some_and(|array| {
                let is_again = change.part().is_some() && self.arrays.contains(array);
                is_again || self.gone_through.contains(array)
            })
        };
        (1..=undo.changes.len()).filter(is_stop).collect()
    }
}

/// A column, and a state of it at which it does not stop yet, but has to for another one.
fn shared_stop(undone: &[&Undo], stops: &[Vec<usize>]) -> Option<(usize, usize)> {
    let others = undone.iter().zip(stops);
    let needs = |part: &Part| {
        let mut others = others.clone();
        others.any(|(other, stops)| {
            let state = other.state_after(part);
            stops.last() >= state.as_ref() && state.is_some()
        })
    };
    let missing = |at: usize| {
        let states = 1..=undone[at].changes.len();
        let mut missing = states.filter(|state| !stops[at].contains(state));
        missing.find(|state| {
            let part = undone[at].changes[state - 1].part();
            part.is_some_and(|part| part.nest.columns.len() > 1 && needs(part))
        })
    };
    (0..undone.len()).find_map(|at| Some((at, missing(at)?)))
}

impl Undo {
    /// The state after a loop that has made the given column.
    fn state_after(&self, part: &Part) -> Option<usize> {
        let mut parts = self.changes.iter().map(Change::part);
        let at = parts.position(|own| own.is_some_and(|own| own.is_beside(part)));
        at.map(|at| at + 1)
    }

    /// The arrays made in a trip that it passes on its way back, and that the dual of no loop starts from.
    fn at_hand(&self, reverse: &Reverse, trip: &Trip) -> Vec<ArrId> {
        let changes = self.changes.iter();
        let passed = changes.filter(|change| change.returned(reverse, trip).is_none());
        let made = passed.filter_map(|change| trip.names.get(&change.result()));
        made.copied().collect()
    }
}

impl<'a> Descents<'a> {
    fn of((undone, again): (&[&'a Undo], &Again), (trip, counted): (&'a Trip, &Counted)) -> Self {
        let ways = undone.iter().zip(again.stops(trip, undone));
        let ways = ways.map(|(undo, stops)| Way {
            undo,
            stops,
            place: None,
        });
        Self {
            ways: Ways {
                ways: ways.collect(),
                back: Back::of(trip, counted),
            },
            trip,
            made: HashSet::new(),
        }
    }

    /// What a state of a column is called in the trip.
    fn name(&self, at: usize, state: usize) -> Option<ArrId> {
        self.ways.ways[at].undo.state(self.trip, state)
    }

    /// Goes on before code that reads earlier states, where it needs not wait for the dual of a loop.
    fn before(&mut self, reverse: &mut Reverse, let_: &AccLet<Labelled>, names: &mut ArrMap) {
        let read = let_.op.free();
        for at in 0..self.ways.ways.len() {
            while self.is_due(at, &read) && self.leave(reverse, at, names) {}
        }
    }

    /// Whether some arrays are earlier states than that where a column is.
    fn is_due(&self, at: usize, read: &BTreeSet<ArrId>) -> bool {
        let Some(state) = self.ways.ways[at].state() else {
            return false;
        };
        let mut earlier = (0..state).filter_map(|state| self.name(at, state));
        self.is_there(at) && earlier.any(|array| read.contains(&array))
    }

    /// Whether the array is there where a column is.
    fn is_there(&self, at: usize) -> bool {
        let way = &self.ways.ways[at];
        let stop = way.stops.last().and_then(|&stop| self.name(at, stop));
        way.place.is_some() || stop.is_some_and(|array| self.made.contains(&array))
    }

    /// Notes that an array has been made. The dual of a loop may have given it back.
    fn after(&mut self, reverse: &mut Reverse, array: ArrId, names: &mut ArrMap) {
        self.made.insert(array);
        for at in 0..self.ways.ways.len() {
            let way = &mut self.ways.ways[at];
            if way.is_at_stop()
                && let Some(stop) = way.stops.last()
                && let Some(returned) = way.undo.changes[stop - 1].returned(reverse, self.trip)
                && returned.name == array
            {
                let place = (stop - 1, returned.clone());
                way.stops.pop();
                self.arrive(reverse, vec![(at, place)], names);
            }
        }
    }

    /// Leaves the stops that are left.
    fn end(&mut self, reverse: &mut Reverse, names: &mut ArrMap) {
        for at in 0..self.ways.ways.len() {
            while self.leave(reverse, at, names) {}
        }
    }

    /// Lets a column go on from its last stop, or one that it waits for. Does nothing, and says so, if there is none, or the dual of a loop
    /// goes on from there.
    fn leave(&mut self, reverse: &mut Reverse, at: usize, names: &mut ArrMap) -> bool {
        if let Some(other) = self.ways.awaited(at) {
            return self.leave(reverse, other, names);
        }
        let group = self.ways.group(at).unwrap_or_default();
        let is_made = group.len() == 1 || group.iter().all(|&at| self.is_there(at));
        if group.is_empty() || !is_made {
            return false;
        }
        let places: Option<Vec<_>> = group
            .iter()
            .map(|&at| self.stop(reverse, at, names))
            .collect();
        let Some(places) = places else { return false };
        for &at in &group {
            self.ways.ways[at].stops.pop();
        }
        self.arrive(reverse, group.into_iter().zip(places).collect(), names);
        true
    }

    /// Where a column is if that is a stop which the dual of no loop goes on from.
    fn stop(&self, reverse: &Reverse, at: usize, names: &ArrMap) -> Option<(usize, Arr)> {
        let way = &self.ways.ways[at];
        let state = way.state().filter(|_| way.is_at_stop())?;
        let is_returned = way.next()?.returned(reverse, self.trip).is_some();
        let array = reverse.array(self.name(at, state)?).ok()?;
        let array = Arr::new(renaming(names)(array.name), array.ty);
        (!is_returned).then_some((state, array))
    }

    /// Columns come to states that are there, and go on. Says in `names` what is where.
    fn arrive(
        &mut self,
        reverse: &mut Reverse,
        places: Vec<(usize, (usize, Arr))>,
        names: &mut ArrMap,
    ) {
        let trip = self.trip;
        let undone: Vec<&Undo> = self.ways.ways.iter().map(|way| way.undo).collect();
        let mut note = |at: usize, state: usize, array: &Arr| {
            let name = undone[at].state(trip, state);
            names.extend(name.map(|name| (name, array.name)));
        };
        for (at, place) in places {
            self.ways.arrive(at, place, &mut note);
        }
        self.ways.go_on(reverse, &mut note);
    }
}
