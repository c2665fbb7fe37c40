//! Running loops.
//!
//! The values carried are columns, twice: a trip reads one set and leaves what is carried on in the other; where an
//! operation makes it, the operation writes it there.
//!
//! Where lanes make different numbers of trips, a lane that is done leaves what it carries where the code around looks for
//! it. What it goes on computing is not used. When half of the lanes are done, the others move together, so that
//! the work is at most twice that of the lanes that need it.
//!
//! Unsafe code: columns are raw memory, of as many elements as there are lanes.

mod lanes;

use super::entries::{RowsMemory, RowsRef};
use super::failure::{Failure, Problem};
use super::{Env, Machine, Scratch, read_const};
use crate::code::{Carried, Given, LoopCode};
use crate::lanes::{LaneFn, copy};
use cotangent_core::types::ScalarType;

/// After so many trips a loop asks whether the run was cancelled.
const ASKED_EVERY: i64 = 1024;

/// Columns for what is carried: what is read, and room for what comes next.
struct States {
    memory: Scratch,
    /// The bytes of a column.
    bytes: usize,
    count: usize,
    /// Which half is read.
    half: usize,
}

impl States {
    fn new(count: usize, lanes: usize) -> Self {
        let bytes = (lanes * 8).next_multiple_of(64);
        Self {
            memory: Scratch::take(2 * count * bytes),
            bytes,
            count,
            half: 0,
        }
    }

    fn column(&mut self, i: usize, half: usize) -> *mut u8 {
        let base = self.memory.as_mut_ptr();
        // SAFETY: the memory has room for two columns a value carried.
        unsafe { base.add((half * self.count + i) * self.bytes) }
    }

    fn current(&mut self, i: usize) -> *mut u8 {
        self.column(i, self.half)
    }

    fn next(&mut self, i: usize) -> *mut u8 {
        self.column(i, 1 - self.half)
    }

    fn flip(&mut self) {
        self.half = 1 - self.half;
    }
}

impl Machine<'_> {
    /// Runs a loop for `n` lanes.
    pub(super) fn looping(&mut self, which: usize, n: usize) {
        let code = self.code;
        let of = &code.loops[which];
        let most = self.most_trips(of, n);
        let failure = self.env.failure.inside();
        let extents = [n as i64, most, 1];
        let arrays = of
            .arrays
            .iter()
            .map(|&a| self.env.arrays[a as usize].clone());
        let env = Env {
            symbols: self.env.symbols,
            arrays: arrays.collect(),
            extents: &extents,
            failure: &failure,
        };
        let mut states = self.initial(of, n);
        let mut own = self.initial_rows(of, n);
        let rows = of.rows.iter().zip(&mut own);
        let rows: Vec<RowsRef> = rows
            .map(|(rows, own)| match rows.begin.around() {
                Some(number) => self.rows[number],
                None => own.view(),
            })
            .collect();
        let first = match of.differs {
            true => self.lanes_apart(of, &env, (&mut states, &rows), (most, n)),
            false => self.lanes_alike(of, &env, (&mut states, &rows), (most, n)),
        };
        if let Some(failure) = first {
            self.pass_on(of, failure, most);
        }
    }

    /// The largest number of trips of a lane, if no test ends the loop.
    fn most_trips(&self, of: &LoopCode, n: usize) -> i64 {
        let lanes = if of.trips.is_column { n } else { 1 };
        let column = self.at[of.trips.slot as usize].cast::<i32>();
        // SAFETY: the trips are an `i32`, or a column of one a lane.
        let trips = unsafe { std::slice::from_raw_parts(column, lanes) };
        trips
            .iter()
            .copied()
            .max()
            .map_or(0, |most| most.max(0).into())
    }

    fn initial(&self, of: &LoopCode, n: usize) -> States {
        let mut states = States::new(of.carried.len(), n);
        for (i, carried) in of.carried.iter().enumerate() {
            let to = states.current(i);
            // SAFETY: a column of the state has room for `n` elements, and is nobody else's.
            unsafe { self.begin_with(carried.init, (carried.ty, carried.fill), to, n) }
        }
        states
    }

    /// The rows that a loop has for itself; of those of the loop around it has none.
    fn initial_rows(&self, of: &LoopCode, n: usize) -> Vec<RowsMemory> {
        let rows = of.rows.iter().map(|rows| {
            let given = rows.begin.given();
            let mut memory = RowsMemory::new(rows.ty, given.len(), n);
            for (k, &init) in given.iter().enumerate() {
                let to = memory.view().column(k);
                // SAFETY: the column of an entry has room for `n` elements, and is nobody else's.
                unsafe { self.begin_with(init, (rows.ty, rows.fill), to, n) }
            }
            memory
        });
        rows.collect()
    }

    /// Fills a column with what something is at first.
    ///
    /// # Safety
    /// There is room for `n` elements, in no column that the code around has.
    unsafe fn begin_with(
        &self,
        init: Given,
        (ty, fill): (ScalarType, LaneFn),
        to: *mut u8,
        n: usize,
    ) {
        let from = self.at[init.slot as usize];
        match init.is_column {
            // SAFETY: both are columns of `n` elements of the type, and apart.
            true => unsafe { copy(ty, n, from, to) },
            // SAFETY: a column has room for `n` elements, all of them the one scalar.
            false => unsafe { fill(n, to, from, from, from) },
        }
    }

    /// A machine for the trips of a loop, with what they are given.
    fn for_trips<'l>(
        &self,
        of: &'l LoopCode,
        env: &'l Env<'l>,
        rows: &[RowsRef],
        n: usize,
    ) -> Machine<'l> {
        let mut machine = Machine::new(&of.code, env, n);
        // SAFETY: the rows have `n` lanes, and change between trips alone.
        unsafe { machine.set_rows(rows.to_vec()) }
        for capture in &of.captures {
            let from = self.at[capture.given.slot as usize];
            // SAFETY: what the loop is given are scalars, or columns of `n` elements, that nobody changes meanwhile.
            unsafe { machine.set_argument(capture.arg, from) }
        }
        machine.row(&[0]);
        machine.block(0, n);
        machine
    }

    /// Makes the trips of lanes that all make the same number.
    fn lanes_alike(
        &mut self,
        of: &LoopCode,
        env: &Env,
        (states, rows): (&mut States, &[RowsRef]),
        (most, n): (i64, usize),
    ) -> Option<Failure> {
        let mut made = 0;
        // What is the same in all trips is computed if there is one, as it may fail.
        if most > 0 {
            let mut machine = self.for_trips(of, env, rows, n);
            while made < most && make(&mut machine, of, states, (made, n)) {
                replace(&machine, of, rows, n);
                if self.is_to_end(of, env, made, || 0) {
                    break;
                }
                states.flip();
                made += 1;
            }
        }
        for (i, carried) in of.carried.iter().enumerate() {
            let to = self.home[carried.dst as usize];
            // SAFETY: both are columns of `n` elements of the type, and apart.
            unsafe { copy(carried.ty, n, states.current(i), to) }
        }
        for (held, rows) in of.rows.iter().zip(rows) {
            for (k, &dst) in held.dst.iter().enumerate() {
                let to = self.home[dst as usize];
                // SAFETY: both are columns of `n` elements of the type, and apart.
                unsafe { copy(held.ty, n, rows.column(k), to) }
            }
        }
        let to = self.home[of.dst as usize];
        let is_column = self.plan.registers[of.dst as usize].is_some();
        for lane in 0..if is_column { n } else { 1 } {
            // SAFETY: a register has room for `n` elements, and a scalar's home for one.
            unsafe { *to.cast::<i32>().add(lane) = made as i32 }
        }
        env.failure.take()
    }

    /// Whether the loop is left with the trip that some lanes have just made, be it that the run was cancelled, be it that
    /// a test wants more trips than there may be: a failure of the lane that is given.
    fn is_to_end(&self, of: &LoopCode, env: &Env, trip: i64, lane: impl FnOnce() -> usize) -> bool {
        let limit = env.failure.max_trips().filter(|_| of.has_test);
        if let Some(max_trips) = limit.filter(|&limit| trip >= limit.into()) {
            self.offer(Failure {
                point: self.point(lane()),
                order: of.order,
                problem: Problem::TooManyTrips(max_trips),
                trips: vec![],
            });
            return true;
        }
        trip % ASKED_EVERY == 0 && env.failure.is_cancelled()
    }

    /// Reports the failure of the first lane that failed, in its first trip.
    #[cold]
    fn pass_on(&self, of: &LoopCode, failure: Failure, trips: i64) {
        let trips = trips.max(1);
        let (lane, trip) = (failure.point / trips, failure.point % trips);
        self.offer(Failure {
            point: self.point(lane as usize),
            order: of.order,
            trips: [&[trip], &failure.trips[..]].concat(),
            ..failure
        });
    }
}

/// Makes a trip: what is carried on is in the other half. Whether it is made at all.
fn make(
    machine: &mut Machine,
    of: &LoopCode,
    states: &mut States,
    (trip, n): (i64, usize),
) -> bool {
    begin(machine, of, states);
    machine.step(&[trip], n);
    if of.is_tested && !is_true(machine.output(0)) {
        return false;
    }
    carry(machine, of, states, n);
    true
}

/// The output that becomes a value carried. Where lanes differ, whether one goes on is the first output and carried last.
fn output_of(of: &LoopCode, i: usize) -> usize {
    match (of.differs, i + 1 == of.carried.len()) {
        (true, true) => 0,
        (true, false) | (false, true | false) => i + usize::from(of.is_tested),
    }
}

/// Says where a trip finds what is carried, and where it leaves what it can.
fn begin(machine: &mut Machine, of: &LoopCode, states: &mut States) {
    for (i, carried) in of.carried.iter().enumerate() {
        // SAFETY: the column has as many elements as there are lanes, and is not written in this trip.
        unsafe { machine.set_argument(carried.arg, states.current(i)) }
        let output = output_of(of, i);
        if of.is_written[output] {
            // SAFETY: the other half has room for the column, and the trip reads nothing there.
            unsafe { machine.redirect(output, states.next(i)) }
        }
    }
}

/// Moves to the other half what a trip has left elsewhere.
fn carry(machine: &Machine, of: &LoopCode, states: &mut States, n: usize) {
    for (i, Carried { ty, .. }) in of.carried.iter().enumerate() {
        let output = output_of(of, i);
        if !of.is_written[output] {
            let (from, to) = (machine.output(output), states.next(i));
            // SAFETY: both are columns of `n` elements of the type; what is written is no column that the trip read.
            unsafe { copy(*ty, n, from, to) }
        }
    }
}

/// Replaces the entries of rows that a trip has new values for.
fn replace(machine: &Machine, of: &LoopCode, rows: &[RowsRef], n: usize) {
    for (held, rows) in of.rows.iter().zip(rows) {
        for update in &held.updates {
            let place = machine.output(update.place).cast::<i32>();
            let values = machine.output(update.value);
            match update.place_is_column {
                // SAFETY: places and values are columns of `n` elements.
                true => unsafe { rows.replace(n, |lane| *place.add(lane), values) },
                // SAFETY: the place is a number, and the values are a column of `n` elements; entries that are
                // outputs are copies.
                false => unsafe { rows.replace_alike(n, *place, values) },
            }
        }
    }
}

fn is_true(at: *const u8) -> bool {
    // SAFETY: the output is a column of truth values, of one lane at least.
    let value = unsafe { read_const(at, ScalarType::Bool) };
    value.as_bool().unwrap_or(false)
}
