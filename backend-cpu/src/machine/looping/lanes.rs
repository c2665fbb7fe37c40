//! Lanes that make different numbers of trips.

use super::super::failure::{Failure, FailureCell};
use super::super::{Env, Machine};
use super::{RowsRef, States, begin, carry, replace};
use crate::code::{Capture, LoopCode, Slot};
use cotangent_core::types::ScalarType;

/// With fewer lanes than that, moving them together saves nothing.
const LEAST_MOVED: usize = 16;

/// So many lanes are looked at together for whether one of them is done.
const SOME: usize = 16;

/// The lanes that are still there.
struct Together {
    n: usize,
    /// The number that each had in the beginning.
    original: Vec<u32>,
    /// How many are at it.
    going: usize,
    /// The captures of these lanes, once they have moved.
    captures: Option<States>,
    /// For each of the rows, the lanes of the loop around whose they are, once lanes have moved.
    owners: Vec<Vec<u32>>,
    /// The first failure of lanes that were elsewhere since.
    failure: Option<Failure>,
    most: i64,
}

impl Machine<'_> {
    /// Makes trips until all lanes are done; gives the first failure.
    pub(super) fn lanes_apart(
        &mut self,
        of: &LoopCode,
        env: &Env,
        (states, rows): (&mut States, &[RowsRef]),
        (most, n): (i64, usize),
    ) -> Option<Failure> {
        let mut lanes = Together {
            n,
            original: (0..n as u32).collect(),
            going: n,
            captures: None,
            owners: vec![],
            failure: None,
            most,
        };
        let mut now = rows.to_vec();
        if most > 0 {
            let mut machine = self.for_trips(of, env, rows, n);
            for trip in 0..most {
                begin(&mut machine, of, states);
                machine.step(&[trip], lanes.n);
                carry(&machine, of, states, lanes.n);
                // A lane that does not make this trip replaces nothing.
                replace(&machine, of, &now, lanes.n);
                self.leave_done(of, (states, rows), &mut lanes, trip);
                let first = || lanes.first_going(states, of);
                if lanes.going == 0 || self.is_to_end(of, env, trip, first) {
                    break;
                }
                states.flip();
                if 2 * lanes.going <= lanes.n && lanes.n >= LEAST_MOVED {
                    lanes.gather(env.failure);
                    self.move_together(of, (states, rows), &mut lanes, &mut machine);
                    now = lanes.find_rows(of, rows);
                    // SAFETY: they are those of the lanes that are left, and change between trips alone.
                    unsafe { machine.set_rows(now.clone()) }
                }
            }
        }
        self.leave_rest(of, (states, rows), &lanes);
        lanes.gather(env.failure);
        lanes.failure
    }

    /// Leaves what those lanes carry that do not make this trip, and did make the one before.
    fn leave_done(
        &self,
        of: &LoopCode,
        (states, rows): (&mut States, &[RowsRef]),
        lanes: &mut Together,
        trip: i64,
    ) {
        let active = of.carried.len() - 1;
        let next = truths(states.next(active), lanes.n);
        let going = count(next);
        if going == lanes.going {
            return;
        }
        let before = truths(states.current(active), lanes.n);
        // Most lanes are as they were: some are compared at once.
        let some = before.chunks(SOME).zip(next.chunks(SOME)).enumerate();
        for (part, (before, next)) in some.filter(|(_, (before, next))| before != next) {
            let done = (0..next.len()).filter(|&lane| before[lane] && !next[lane]);
            let done = done.map(|lane| SOME * part + lane);
            for lane in done {
                self.leave(of, (states, rows), (lane, lanes.original[lane]), trip);
            }
        }
        lanes.going = going;
    }

    /// Leaves what those carry that have made all trips.
    fn leave_rest(
        &self,
        of: &LoopCode,
        (states, rows): (&mut States, &[RowsRef]),
        lanes: &Together,
    ) {
        if lanes.going == 0 {
            return;
        }
        let active = truths(states.current(of.carried.len() - 1), lanes.n);
        for lane in (0..lanes.n).filter(|&lane| active[lane]) {
            self.leave(of, (states, rows), (lane, lanes.original[lane]), lanes.most);
        }
    }

    /// Leaves what a lane carries, and its trips, where the code around looks for them.
    fn leave(
        &self,
        of: &LoopCode,
        (states, rows): (&mut States, &[RowsRef]),
        (lane, to): (usize, u32),
        trips: i64,
    ) {
        let leave = |ty: ScalarType, from: *mut u8, dst: Slot| {
            let (bytes, home) = (ty.bytes(), self.home[dst as usize]);
            // SAFETY: both are columns with such a lane, of elements of that size, and apart.
            unsafe {
                let (from, to) = (from.add(lane * bytes), home.add(to as usize * bytes));
                std::ptr::copy_nonoverlapping(from, to, bytes);
            }
        };
        for (i, carried) in of.carried.iter().enumerate() {
            leave(carried.ty, states.current(i), carried.dst);
        }
        for (held, rows) in of.rows.iter().zip(rows) {
            let entries = held.dst.iter().enumerate();
            entries.for_each(|(k, &dst)| leave(held.ty, rows.column(k), dst));
        }
        let made = self.home[of.dst as usize].cast::<i32>();
        // SAFETY: the trips are a column, as lanes differ in them.
        unsafe { *made.add(to as usize) = trips as i32 }
    }

    /// Moves the lanes that are still at it together.
    fn move_together(
        &self,
        of: &LoopCode,
        (states, rows): (&mut States, &[RowsRef]),
        lanes: &mut Together,
        machine: &mut Machine,
    ) {
        let going = truths(states.current(of.carried.len() - 1), lanes.n).to_vec();
        let kept: Vec<usize> = (0..lanes.n).filter(|&lane| going[lane]).collect();
        let columns = of.captures.iter().filter(|c| c.given.is_column);
        let columns: Vec<&Capture> = columns.collect();
        let have_moved = lanes.captures.is_some();
        let own = lanes
            .captures
            .get_or_insert_with(|| States::new(columns.len(), lanes.n));
        for (i, capture) in columns.into_iter().enumerate() {
            let to = own.current(i);
            let from = match have_moved {
                true => to.cast_const(),
                false => self.at[capture.given.slot as usize],
            };
            pick(&kept, capture.ty.bytes(), from, to);
            // SAFETY: the column has all lanes that are left, and is not written before they move again.
            unsafe { machine.set_argument(capture.arg, to) }
        }
        for (i, carried) in of.carried.iter().enumerate() {
            let column = states.current(i);
            pick(&kept, carried.ty.bytes(), column.cast_const(), column);
        }
        for (held, rows) in of.rows.iter().zip(rows) {
            for column in (0..held.begin.given().len()).map(|k| rows.column(k)) {
                pick(&kept, held.ty.bytes(), column.cast_const(), column);
            }
        }
        lanes.original = kept.iter().map(|&lane| lanes.original[lane]).collect();
        lanes.n = kept.len();
        machine.block(0, lanes.n);
    }
}

impl Together {
    /// The rows of the lanes as they are now: a loop's own have moved with them, those of the loop around have not.
    fn find_rows(&mut self, of: &LoopCode, rows: &[RowsRef]) -> Vec<RowsRef> {
        let original = &self.original;
        let owners = rows.iter().map(|rows| rows.owners_of(original));
        self.owners = owners.collect();
        let all = of.rows.iter().zip(rows).zip(&self.owners);
        let found = all.map(|((held, rows), owners)| match held.begin.around() {
            // SAFETY: each lane has an owner among those that it began with; they stay until lanes move again.
            Some(_) => unsafe { rows.of_owners(owners) },
            None => *rows,
        });
        found.collect()
    }

    /// The number in the beginning of the first lane that makes the trip.
    fn first_going(&self, states: &mut States, of: &LoopCode) -> usize {
        let active = truths(states.next(of.carried.len() - 1), self.n);
        let first = active.iter().position(|&going| going);
        first.map_or(0, |lane| self.original[lane] as usize)
    }

    /// Takes note of the first failure since the lanes have moved.
    fn gather(&mut self, cell: &FailureCell) {
        let Some(found) = cell.take() else {
            return;
        };
        let (lane, trip) = (found.point / self.most, found.point % self.most);
        let lane = i64::from(self.original[lane as usize]);
        let point = lane * self.most + trip;
        let is_first = self.failure.as_ref().is_none_or(|f| point < f.point);
        if is_first {
            self.failure = Some(Failure { point, ..found });
        }
    }
}

/// Moves the elements of some lanes, in order, to the front; in place, or to another column.
fn pick(kept: &[usize], bytes: usize, from: *const u8, to: *mut u8) {
    for (new, &old) in kept.iter().enumerate() {
        // SAFETY: both columns have these lanes. An element moves to the front, over one that has moved already, so
        // none is read after it was written over.
        unsafe { std::ptr::copy(from.add(old * bytes), to.add(new * bytes), bytes) }
    }
}

fn truths<'a>(column: *mut u8, n: usize) -> &'a [bool] {
    // SAFETY: it is a column of `n` truth values, which nobody writes while it is looked at.
    unsafe { std::slice::from_raw_parts(column.cast(), n) }
}

/// How many of some conditions hold.
fn count(column: &[bool]) -> usize {
    let in_bytes = |part: &[bool]| part.iter().fold(0u8, |sum, &x| sum + u8::from(x));
    let parts = column.chunks(128);
    parts.map(|part| usize::from(in_bytes(part))).sum()
}
