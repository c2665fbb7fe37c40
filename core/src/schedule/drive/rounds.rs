//! Loops of steps: see [`Repeat`](crate::schedule::Repeat).

use super::plan::{Ready, Rounds};
use super::{Driver, Engine, Frame, Role};
use crate::backend::{LoopProgress, RunError, Trace};
use crate::constant::Const;
use crate::schedule::{ArrayId, SymbolId};

impl<'p, E: Engine> Driver<'p, E> {
    /// An error of the current step, with the trips that it happened in.
    pub(super) fn placed(&self, error: RunError) -> RunError {
        let trips = self.trips().rev();
        trips.fold(error, |error, (_, trip)| error.in_trip(trip.into()))
    }

    /// The loops of the program that are under way, outermost first, and their trips.
    fn trips(&self) -> impl DoubleEndedIterator<Item = (&'p Rounds, i32)> {
        let around = self.frames.iter().zip(self.frames.iter().skip(1));
        around.filter_map(|(around, inside)| {
            let rounds = self.rounds_at(around)?;
            rounds.site.and(Some((rounds, inside.trip()?)))
        })
    }

    /// Begins a loop.
    pub(super) fn begin(&mut self, rounds: &Rounds) -> Result<(), RunError> {
        let symbols = rounds.symbols.iter().map(|c| (c.inside, c.first));
        self.assign(symbols);
        for carried in &rounds.arrays {
            let first = self.memory(carried.first);
            self.engine.put(carried.inside, first);
        }
        for &array in &rounds.given_up {
            self.engine.release(array);
        }
        match self.engine.all_trips(rounds.made)? {
            Some(trips) => {
                self.end_loop(rounds, trips);
                Ok(())
            }
            None => self.next_trip(rounds, 0),
        }
    }

    /// Begins a trip with its test, or ends the loop.
    fn next_trip(&mut self, rounds: &Rounds, trip: i32) -> Result<(), RunError> {
        if i64::from(trip) >= self.engine.store().int(rounds.most) {
            self.end_loop(rounds, trip);
            return Ok(());
        }
        self.set(rounds.number, trip);
        match rounds.test {
            Some((test, _)) => self.frames.push(Frame::as_(test, Role::Test(trip))),
            None => self.begin_trip(rounds, trip)?,
        }
        Ok(())
    }

    fn begin_trip(&mut self, rounds: &Rounds, trip: i32) -> Result<(), RunError> {
        self.frames.push(Frame::as_(rounds.body, Role::Trip(trip)));
        match self.engine.control().listens() {
            true => self.tell(rounds, trip),
            false => Ok(()),
        }
    }

    /// Tells of the loops around, and of what is carried.
    fn tell(&mut self, rounds: &Rounds, trip: i32) -> Result<(), RunError> {
        let control = self.engine.control().clone();
        let loops = self.loops();
        control.tell_progress(&loops);
        if rounds.site.is_some() && control.traces(trip) {
            let state = rounds.arrays.iter();
            let state = state.map(|carried| self.engine.host_array(carried.inside));
            let state = state.collect::<Result<_, _>>()?;
            control.tell_trace(&Trace { loops, state });
        }
        Ok(())
    }

    /// The loops that are under way, outermost first.
    fn loops(&self) -> Vec<LoopProgress> {
        let loops = self.trips().filter_map(|(rounds, trip)| {
            let store = self.engine.store();
            Some(LoopProgress {
                site: store.site(rounds.site?),
                trip,
                most: i32::try_from(store.int(rounds.most)).unwrap_or(i32::MAX),
                has_test: rounds.test.is_some(),
            })
        });
        loops.collect()
    }

    /// Makes the trip whose test has run, or ends the loop.
    pub(super) fn end_test(&mut self, list: usize, trip: i32) -> Result<(), RunError> {
        let Some(rounds) = self.rounds() else {
            return Ok(());
        };
        let holds = rounds
            .test
            .map(|(_, holds)| self.engine.store().symbol(holds));
        self.release_all(&self.plan.lists[list].locals);
        if holds != Some(Const::Bool(true)) {
            self.end_loop(rounds, trip);
            return Ok(());
        }
        match self.engine.control().max_trips() {
            Some(max_trips) if trip >= max_trips => Err(self.placed(RunError::TooManyTrips {
                site: rounds.site.map(|site| self.engine.store().site(site)),
                max_trips,
                trips: vec![],
            })),
            Some(_) | None => self.begin_trip(rounds, trip),
        }
    }

    /// Carries over what a trip has made, all at once, and goes on.
    pub(super) fn end_trip(&mut self, list: usize, trip: i32) -> Result<(), RunError> {
        let Some(rounds) = self.rounds() else {
            return Ok(());
        };
        let next: Vec<_> = rounds.arrays.iter().map(|c| self.memory(c.next)).collect();
        self.assign(rounds.symbols.iter().map(|c| c.round()));
        self.release_all(&self.plan.lists[list].locals);
        for (carried, memory) in rounds.arrays.iter().zip(next) {
            self.engine.put(carried.inside, memory);
        }
        self.next_trip(rounds, trip + 1)
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
        self.rounds_at(self.frames.last()?)
    }

    /// The loop that is the current step of a list.
    fn rounds_at(&self, &Frame { list, at, role: _ }: &Frame) -> Option<&'p Rounds> {
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
