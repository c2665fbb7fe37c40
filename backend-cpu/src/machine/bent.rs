//! Columns that lie in an array but for some lanes at an end, where a bound bends their index: a stencil's neighbours.
//!
//! To copy such a column takes as long as to compute with it. So where functions of machine code are the only ones to read
//! it, it stays where it is, and each of them is called for the lanes at the ends, and for those between, with the array itself.
//! A few lanes at an end are called one by one, read where they lie; of more, copies are made.
//!
//! Unsafe code: machine code is called, and elements are copied through raw pointers.

use super::Machine;
use super::clamped::Run;
use crate::code::{Level, LoadCode, Slot};
use crate::lanes;
use crate::native::{Call, Functions};
use std::ops::Range;

/// Lanes are cut at multiples of that: whole vectors, and whole cache lines.
const VECTOR: usize = 16;

/// With fewer lanes between the ends, a column is copied.
const LEAST: usize = 4 * VECTOR;

/// The most columns that are left where they are: as many as a word has bits.
const MOST: usize = u64::BITS as usize;

/// So few lanes at an end are called one by one.
const ONE_BY_ONE: usize = 4;

/// A column that lies in its array where no bound bends it.
#[derive(Clone, Debug)]
pub(super) struct Bent {
    /// Its load.
    load: usize,
    /// The slot that the load writes.
    slot: Slot,
    /// The lanes that lie side by side in the array.
    between: Range<usize>,
    /// Where lane 0 would lie with them.
    at: *const u8,
    /// Where the others read.
    ends: Ends,
}

/// Where the lanes of a column read that do not lie side by side.
#[derive(Clone, Copy, Debug)]
enum Ends {
    /// As the run of the row has it.
    Run,
    /// In a row of the array, by a column of positions that is kept.
    Row(i64, Slot),
}

impl Machine<'_> {
    /// Leaves the column of a load where it is, if it may be and that pays. Whether it does.
    pub(super) fn leave_bent(&mut self, i: usize, load: &LoadCode, run: &Run, n: usize) -> bool {
        let between = run.between(n);
        between.is_some_and(|between| self.leave_in_array(i, load, between, Ends::Run))
    }

    /// The same where lanes read at a column of `positions` in a row, which is kept, and counts up between the first and the last
    /// one of `n`.
    pub(super) fn leave_counting(
        &mut self,
        (i, load): (usize, &LoadCode),
        row: i64,
        positions: Slot,
        n: usize,
    ) -> bool {
        let second = i64::from(self.index_column(positions, n)[1]);
        let between = (row + second - 1, 1..n - 1);
        self.leave_in_array(i, load, between, Ends::Row(row, positions))
    }

    fn leave_in_array(
        &mut self,
        i: usize,
        load: &LoadCode,
        (base, between): (i64, Range<usize>),
        ends: Ends,
    ) -> bool {
        let may_be = self.plan.only_called[load.dst as usize] && load.level == Level::Block;
        if !may_be || self.bent.len() == MOST || between.len() < LEAST {
            return false;
        }
        let at = self.env.arrays[load.array as usize].at(base);
        self.at[load.dst as usize] = at;
        self.bent.push(Bent {
            load: i,
            slot: load.dst,
            between,
            at,
            ends,
        });
        true
    }

    /// Where a lane of such a column reads.
    fn offset_of(&self, bent: &Bent, lane: usize) -> Option<i64> {
        match bent.ends {
            Ends::Run => {
                let row = self.access[bent.load].row.as_ref();
                row.map(|row| row.offset(self.start + lane as i64))
            }
            Ends::Row(row, positions) => {
                let position = self.index_column(positions, lane + 1)[lane];
                Some(row + i64::from(position))
            }
        }
    }

    /// Runs machine code for `n` lanes.
    pub(super) fn call(&mut self, call: &Call, n: usize) {
        let Some(functions) = self.functions else {
            return;
        };
        // What is asked for ahead is spread over the instructions that stood here.
        (1..call.instrs).for_each(|_| self.ahead.ask());
        if self.bent.is_empty() {
            return self.call_for(functions, call, 0..n);
        }
        let bent = std::mem::take(&mut self.bent);
        self.call_around(functions, call, ReadBy::new(call, &bent), n);
        self.bent = bent;
    }

    /// The same for the lanes at the ends of columns, and for those between.
    fn call_around(&mut self, functions: &Functions, call: &Call, read: ReadBy, n: usize) {
        let between = between(read, n);
        for lanes in [0..between.start, between.end..n] {
            if lanes.len() <= ONE_BY_ONE {
                lanes.for_each(|lane| self.call_for_one(functions, call, read, lane));
            } else {
                read.for_each(|bent| self.straighten(bent, &lanes));
                self.call_for(functions, call, lanes);
            }
        }
        read.for_each(|bent| self.at[bent.slot as usize] = bent.at);
        if !between.is_empty() {
            self.call_for(functions, call, between);
        }
    }

    /// The same for one lane, which is read where it lies.
    fn call_for_one(&mut self, functions: &Functions, call: &Call, read: ReadBy, lane: usize) {
        for bent in read {
            let array = &self.env.arrays[self.code.loads[bent.load].array as usize];
            if let Some(offset) = self.offset_of(bent, lane) {
                let before = lane * array.ty.bytes();
                self.at[bent.slot as usize] = array.at(offset).wrapping_sub(before);
            }
        }
        self.call_for(functions, call, lane..lane + 1);
    }

    /// Lets some lanes of a column be read: from the array, or copied if they do not lie side by side there.
    fn straighten(&mut self, bent: &Bent, lanes: &Range<usize>) {
        let Bent { slot, between, .. } = bent;
        if between.start <= lanes.start && lanes.end <= between.end {
            self.at[*slot as usize] = bent.at;
            return;
        }
        let load = &self.code.loads[bent.load];
        let array = &self.env.arrays[load.array as usize];
        let home = self.home[*slot as usize];
        for lane in lanes.clone() {
            if let Some(offset) = self.offset_of(bent, lane) {
                let to = home.wrapping_add(lane * load.ty.bytes());
                // SAFETY: all elements of the lanes are inside the array; the home of a column has room for all lanes, is no array, and
                // is left alone until the last that reads the column.
                unsafe { lanes::copy(load.ty, 1, array.at(offset), to) }
            }
        }
        self.at[*slot as usize] = home.cast_const();
    }

    fn call_for(&mut self, functions: &Functions, call: &Call, lanes: Range<usize>) {
        // SAFETY: the entry is one of the plan's, which these functions were made with, for the instruction set that the
        // machine was found to have; they live as long as the code. Operands hold these lanes, or one element where they are
        // single, of the types that the code was checked for; what is written has registers of its own.
        unsafe {
            let function = functions.get(call.entry);
            let (read, written) = (self.at.as_ptr(), self.home.as_ptr());
            function(lanes.end, read, written, self.scalars, lanes.start);
        }
    }
}

/// Those of some columns that a function reads: they are gone through several times for each block.
#[derive(Clone, Copy)]
struct ReadBy<'b> {
    bent: &'b [Bent],
    /// A bit for each that is read, and not passed yet.
    is_read: u64,
}

impl<'b> ReadBy<'b> {
    fn new(call: &Call, bent: &'b [Bent]) -> Self {
        let is_read = |bent: &Bent| u64::from(call.reads.contains(&bent.slot));
        let bits = bent.iter().zip(0..);
        Self {
            bent,
            is_read: bits.fold(0, |bits, (bent, k)| bits | is_read(bent) << k),
        }
    }
}

impl<'b> Iterator for ReadBy<'b> {
    type Item = &'b Bent;

    fn next(&mut self) -> Option<&'b Bent> {
        let bent = self.bent.get(self.is_read.trailing_zeros() as usize)?;
        self.is_read &= self.is_read - 1;
        Some(bent)
    }
}

/// The lanes of `n` that lie side by side in all of some columns; where there are few, none, at the end. If more are left over
/// at an end than are called one by one, they are cut at whole vectors.
fn between(read: ReadBy, n: usize) -> Range<usize> {
    let common = read.fold(0..n, |common, bent| {
        common.start.max(bent.between.start)..common.end.min(bent.between.end)
    });
    let start = match common.start {
        ..=ONE_BY_ONE => common.start,
        start => start.next_multiple_of(VECTOR),
    };
    let end = match n.saturating_sub(common.end) {
        ..=ONE_BY_ONE => common.end,
        _ => common.end / VECTOR * VECTOR,
    };
    if start < end { start..end } else { n..n }
}
