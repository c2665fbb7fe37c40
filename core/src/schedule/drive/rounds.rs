//! Loops of steps: see [`Repeat`](crate::schedule::Repeat).

use super::plan::{Ready, Rounds};
use super::{Driver, Engine, Frame, Role};
use crate::backend::RunError;
use crate::constant::Const;
use crate::schedule::{ArrayId, SymbolId};

impl<'p, E: Engine> Driver<'p, E> {
    /// An error of the current step, with the trips that it happened in.
    pub(super) fn placed(&self, error: RunError) -> RunError {
        let trips = self.frames.iter().rev().filter_map(Frame::trip);
        trips.fold(error, |error, trip| error.in_trip(trip.into()))
    }

    /// Begins a loop.
    pub(super) fn begin(&mut self, rounds: &Rounds) {
        let symbols = rounds.symbols.iter().map(|c| (c.inside, c.first));
        self.assign(symbols);
        for carried in &rounds.arrays {
            let first = self.memory(carried.first);
            self.engine.put(carried.inside, first);
        }
        for &array in &rounds.given_up {
            self.engine.release(array);
        }
        self.next_trip(rounds, 0);
    }

    /// Begins a trip with its test, or ends the loop.
    fn next_trip(&mut self, rounds: &Rounds, trip: i32) {
        if i64::from(trip) >= self.engine.store().int(rounds.most) {
            return self.end_loop(rounds, trip);
        }
        self.set(rounds.number, trip);
        match rounds.test {
            Some((test, _)) => self.frames.push(Frame::as_(test, Role::Test(trip))),
            None => self.frames.push(Frame::as_(rounds.body, Role::Trip(trip))),
        }
    }

    /// Makes the trip whose test has run, or ends the loop.
    pub(super) fn end_test(&mut self, list: usize, trip: i32) {
        let Some(rounds) = self.rounds() else {
            return;
        };
        let holds = rounds
            .test
            .map(|(_, holds)| self.engine.store().symbol(holds));
        self.release_all(&self.plan.lists[list].locals);
        match holds == Some(Const::Bool(true)) {
            true => self.frames.push(Frame::as_(rounds.body, Role::Trip(trip))),
            false => self.end_loop(rounds, trip),
        }
    }

    /// Carries over what a trip has made, all at once, and goes on.
    pub(super) fn end_trip(&mut self, list: usize, trip: i32) {
        let Some(rounds) = self.rounds() else {
            return;
        };
        let next: Vec<_> = rounds.arrays.iter().map(|c| self.memory(c.next)).collect();
        self.assign(rounds.symbols.iter().map(|c| c.round()));
        self.release_all(&self.plan.lists[list].locals);
        for (carried, memory) in rounds.arrays.iter().zip(next) {
            self.engine.put(carried.inside, memory);
        }
        self.next_trip(rounds, trip + 1);
    }

    fn end_loop(&mut self, rounds: &Rounds, trips: i32) {
        self.set(rounds.made, trips);
        self.assign(rounds.symbols.iter().map(|c| (c.last, c.inside)));
        for carried in &rounds.arrays {
            let last = self.memory(carried.inside);
            self.engine.put(carried.last, last);
            self.engine.release(carried.inside);
        }
        self.end_step();
    }

    /// The loop that is the current step.
    fn rounds(&self) -> Option<&'p Rounds> {
        let &Frame { list, at, role: _ } = self.frames.last()?;
        match &self.plan.lists[list].steps.get(at)?.ready {
            Ready::Repeat(rounds) => Some(rounds),
            Ready::Scalars { .. } | Ready::Check(..) | Ready::If { .. } => None,
            Ready::Kernel(_) | Ready::Strip(_) => None,
        }
    }

    fn release_all(&mut self, arrays: &[ArrayId]) {
        arrays.iter().for_each(|&array| self.engine.release(array));
    }

    /// Makes symbols what others are, all at once. They are extents, which the host knows.
    fn assign(&mut self, pairs: impl Iterator<Item = (SymbolId, SymbolId)>) {
        let store = self.engine.store();
        let values: Vec<_> = pairs.map(|(to, from)| (to, store.symbol(from))).collect();
        for (symbol, value) in values {
            self.engine.store_mut().symbols[symbol.index()] = value;
        }
    }

    fn set(&mut self, symbol: SymbolId, value: i32) {
        self.engine.store_mut().symbols[symbol.index()] = Const::I32(value);
    }
}
