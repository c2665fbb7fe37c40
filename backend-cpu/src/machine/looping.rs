//! Running loops.
//!
//! The values carried are columns, twice: a trip reads one set and leaves what is carried on in the other.
//!
//! Unsafe code: columns are raw memory, of as many elements as there are lanes.

use super::failure::{Failure, FailureCell};
use super::{Env, Machine, Scratch, read_const};
use crate::code::{Carried, LoopCode};
use crate::lanes;
use cotangent_core::types::ScalarType;

/// The values carried: what is read, and room for what comes next.
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
}

impl Machine<'_> {
    /// Runs a loop for `n` lanes.
    pub(super) fn looping(&mut self, which: usize, n: usize) {
        let code = self.code;
        let of = &code.loops[which];
        let trips = self.most_trips(of, n);
        let failure = FailureCell::default();
        let extents = [n as i64, trips, 1];
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
        let made = self.trips(of, &env, &mut states, (trips, n));
        self.leave(of, &mut states, (made, n));
        if let Some(failure) = failure.into_inner() {
            self.pass_on(of, failure, trips);
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
            let (from, to) = (self.at[carried.init.slot as usize], states.current(i));
            match carried.init.is_column {
                // SAFETY: both are columns of `n` elements of the type, and apart.
                true => unsafe { lanes::copy(carried.ty, n, from, to) },
                // SAFETY: a column has room for `n` elements, all of them the one scalar.
                false => unsafe { (carried.fill)(n, to, from, from, from) },
            }
        }
        states
    }

    /// Makes the trips; gives their number, where all lanes make the same.
    fn trips(&self, of: &LoopCode, env: &Env, states: &mut States, (most, n): (i64, usize)) -> i32 {
        // What is the same in all trips is computed if there is one, as it may fail.
        if most <= 0 {
            return 0;
        }
        let mut machine = Machine::new(&of.code, env, n);
        for &(arg, slot) in &of.captures {
            // SAFETY: what the loop is given are scalars, or columns of `n` elements, that nobody changes meanwhile.
            unsafe { machine.set_argument(arg, self.at[slot as usize]) }
        }
        machine.row(&[0]);
        machine.block(0, n);
        for trip in 0..most {
            for (i, carried) in of.carried.iter().enumerate() {
                // SAFETY: the column has `n` elements, and is not written before the trip is made.
                unsafe { machine.set_argument(carried.arg, states.current(i)) }
            }
            machine.step(&[trip], n);
            if of.is_tested && !is_true(machine.output(0)) {
                return trip as i32;
            }
            carry(of, &machine, states, n);
            if of.differs && !goes_on(of, states, n) {
                break;
            }
        }
        most as i32
    }

    /// Leaves what was carried last, and the trips, where the code around looks for them.
    fn leave(&mut self, of: &LoopCode, states: &mut States, (made, n): (i32, usize)) {
        for (i, carried) in of.carried.iter().enumerate() {
            let to = self.home[carried.dst as usize];
            // SAFETY: both are columns of `n` elements of the type, and apart.
            unsafe { lanes::copy(carried.ty, n, states.current(i), to) }
        }
        let to = self.home[of.dst as usize];
        if of.differs {
            let counts = states.current(of.carried.len() - 1);
            // SAFETY: both are columns of `n` elements of the type, and apart.
            return unsafe { lanes::copy(ScalarType::I32, n, counts, to) };
        }
        let is_column = self.code.registers[of.dst as usize].is_some();
        for lane in 0..if is_column { n } else { 1 } {
            // SAFETY: a register has room for `n` elements, and a scalar's home for one.
            unsafe { *to.cast::<i32>().add(lane) = made }
        }
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

fn is_true(at: *const u8) -> bool {
    // SAFETY: the output is a column of truth values, of one lane at least.
    let value = unsafe { read_const(at, ScalarType::Bool) };
    value.as_bool().unwrap_or(false)
}

/// What a trip computed becomes what the next one reads.
fn carry(of: &LoopCode, machine: &Machine, states: &mut States, n: usize) {
    let first = usize::from(of.is_tested);
    for (i, Carried { ty, .. }) in of.carried.iter().enumerate() {
        let (from, to) = (machine.output(first + i), states.next(i));
        // SAFETY: both are columns of `n` elements of the type; what is written is no column that the trip read.
        unsafe { lanes::copy(*ty, n, from, to) }
    }
    states.half = 1 - states.half;
}

/// Whether some lane goes on.
fn goes_on(of: &LoopCode, states: &mut States, n: usize) -> bool {
    let active = states.current(of.carried.len() - 2);
    // SAFETY: it is a column of `n` truth values.
    lanes::any(unsafe { std::slice::from_raw_parts(active.cast::<bool>(), n) })
}
