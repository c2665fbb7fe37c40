//! What a task of a scan keeps from one block to the next, and how it scans a block.
//!
//! Unsafe code: columns are raw pointers to registers, scratch memory or arrays; each function states what must hold of them.

use super::flagged::FlaggedRun;
use super::runs::Runs;
use super::{Before, Scan};
use crate::few::Few;
use crate::kernel::combine::{Bank, Column, Combiner, broadcast};
use crate::lanes::{self, FoldFns, ProgressMemory};
use crate::machine::{Env, read_const};
use cotangent_core::constant::Const;
use cotangent_core::term::Direction;
use cotangent_core::types::ScalarType;

/// The state of one task.
pub(super) struct Running<'a> {
    pub(super) scan: &'a Scan<'a>,
    combiner: Combiner<'a>,
    /// What precedes the next block, one lane per component.
    pub(super) carry: Bank,
    pub(super) has_carry: bool,
    /// The state that chunks which are scanned by themselves are combined with, if there is one.
    outer: Bank,
    has_outer: bool,
    /// The same in all lanes.
    broadcast: Bank,
    pub(super) banks: [Bank; 2],
    pub(super) runs: Runs<'a>,
    /// Of an operator that starts again.
    pub(super) flagged: FlaggedRun,
}

impl<'a> Running<'a> {
    pub fn new(scan: &'a Scan<'a>, env: &'a Env<'a>) -> Self {
        let k = scan.outputs.len();
        Self {
            scan,
            combiner: Combiner::new(scan.operator, env, scan.lanes),
            carry: Bank::new(k, 1),
            has_carry: false,
            outer: Bank::new(k, 1),
            has_outer: false,
            broadcast: Bank::new(k, scan.lanes),
            banks: [Bank::new(k, scan.lanes), Bank::new(k, scan.lanes)],
            runs: Runs::new(scan.operator, scan.direction, env),
            flagged: (0..k).map(|_| ProgressMemory::default()).collect(),
        }
    }

    /// Begins a chunk of a length.
    pub fn begin(&mut self, length: i64) {
        match self.scan.flagged {
            Some(flagged) => self.begin_flagged(flagged),
            None => self.runs.begin(length),
        }
    }

    /// Begins a chunk after what precedes it.
    pub fn start_after(&mut self, before: &Before) {
        let (carry, outer) = match *before {
            Before::Previous => return,
            Before::AllApart => return self.start(None),
            Before::Nothing => (None, None),
            Before::States(states) => (Some(states), None),
            Before::Apart(states) => (None, Some(states)),
        };
        self.start(carry);
        self.has_outer = outer.is_some();
        let columns = self.outer.columns().into_iter();
        for (column, &value) in columns.zip(outer.unwrap_or_default()) {
            broadcast(column, value, 1);
        }
    }

    /// What the next chunk is combined with, if it is to be with all before it: so much more than the last one was.
    pub fn go_on(&mut self) {
        if let Some(flagged) = self.scan.flagged {
            return self.end_flagged(flagged);
        }
        // Where chunks go on from one to the next, the carry has it.
        let is_combined = self.has_carry && self.scan.combines_chunks();
        let Some(fns) = self.scan.operator.fns.filter(|_| is_combined) else {
            return;
        };
        let (outer, carry) = (self.outer.columns()[0], self.carry.columns()[0]);
        let carry = carry.cast_const();
        // SAFETY: both banks have a lane of a state, and are apart.
        unsafe {
            match self.has_outer {
                true => (fns.join)(1, outer, carry, carry, carry),
                false => lanes::copy(fns.state, 1, carry, outer),
            }
        }
        self.has_outer = true;
    }

    /// Goes on after what has been combined so far, if anything was.
    pub fn start(&mut self, carry: Option<&[Const]>) {
        self.has_carry = carry.is_some();
        for (column, &value) in self
            .carry
            .columns()
            .into_iter()
            .zip(carry.unwrap_or_default())
        {
            broadcast(column, value, 1);
        }
        if self.scan.operator.is_quick() {
            return;
        }
        for (column, &value) in
            (self.broadcast.columns().into_iter()).zip(carry.unwrap_or_default())
        {
            broadcast(column, value, self.scan.lanes);
        }
    }

    /// The values that precede what comes next; none at the start.
    pub fn carry(&mut self) -> Few<Const> {
        if !self.has_carry {
            return Few::new();
        }
        let states = &self.scan.operator.states;
        let columns = self.carry.columns().into_iter().zip(states);
        columns
            // SAFETY: the carry has one lane of each type.
            .map(|(at, &ty)| unsafe { read_const(at, ty) })
            .collect()
    }

    /// Combines the carry with values that come next.
    pub fn add(&mut self, values: &[Const]) {
        let first = self.banks[0].columns();
        for (&column, &value) in first.iter().zip(values) {
            broadcast(column, value, 1);
        }
        let out = self.banks[1].columns();
        let result = if self.has_carry {
            let carry = self.carry.columns();
            // SAFETY: all columns have one lane and are apart.
            unsafe { self.join(1, &carry, &first, &out) };
            out
        } else {
            first
        };
        let types = self.scan.operator.types.iter();
        let carry: Few<_> = (result.iter().zip(types))
            // SAFETY: the result has one lane of each type.
            .map(|(&at, &ty)| unsafe { read_const(at, ty) })
            .collect();
        self.start(Some(&carry));
    }

    /// `out = earlier ∘ later` in the direction of the scan.
    ///
    /// # Safety
    /// The columns have `n` lanes, and `out` is apart from the operands.
    pub(super) unsafe fn join(
        &mut self,
        n: usize,
        earlier: &[*mut u8],
        later: &[*mut u8],
        out: &[*mut u8],
    ) {
        let (left, right) = match self.scan.direction {
            Direction::Left => (earlier, later),
            Direction::Right => (later, earlier),
        };
        // SAFETY: all operands have `n` lanes, whichever of them is on the left, and `out` overlaps neither.
        unsafe { self.combiner.apply(n, left, right, out) }
    }

    /// Scans the next block and stores it, if a position is given.
    ///
    /// # Safety
    /// There is a column per component, of `n` lanes, and this task owns the positions from `position` on.
    pub unsafe fn block(&mut self, values: &[*const u8], n: usize, position: Option<i64>) {
        // SAFETY: there are as many columns as components, of `n` lanes each, and the positions from `position` on,
        // if there is one, are this task's.
        unsafe {
            if let Some(flagged) = self.scan.flagged {
                return self.flagged_block(flagged, values, n, position);
            }
            match (self.scan.operator.fns, values) {
                (Some(_), [x]) => self.prim_block(*x, n, position),
                (Some(_) | None, _) => self.next_block(values, n, position),
            }
        }
    }

    /// # Safety
    /// As for `block`.
    unsafe fn prim_block(&mut self, x: *const u8, n: usize, position: Option<i64>) {
        let Some(fns) = self.scan.operator.fns else {
            return;
        };
        if fns.is_quick && position.is_none() {
            // SAFETY: `block` gives a column of `n` lanes for its one component.
            return unsafe { self.fold_block(&fns, x, n) };
        }
        let bytes = self.scan.operator.types[0].bytes();
        let left = self.scan.direction == Direction::Left;
        let own = self.banks[0].columns()[0];
        let direct = position.and_then(|position| self.scan.outputs[0].direct(position, 1));
        let out = direct.unwrap_or(own);
        let first = usize::from(!self.has_carry);
        // SAFETY: `x` has `n` lanes, and `out` room for as many, which are a bank's or this task's; the banks of states are apart from both.
        unsafe {
            if first == 1 {
                let end = if left { 0 } else { (n - 1) * bytes };
                self.first_lane(&fns, x.wrapping_add(end), out.wrapping_add(end));
            }
            let from = if left { first * bytes } else { 0 };
            let run = match (left, self.has_outer) {
                (true, false) => fns.scan_left,
                (true, true) => fns.scan_left_after,
                (false, false) => fns.scan_right,
                (false, true) => fns.scan_right_after,
            };
            let (carry, outer) = (self.carry.columns()[0], self.outer.columns()[0]);
            let (to, from) = (out.wrapping_add(from), x.wrapping_add(from));
            run(n - first, to, from, carry, outer);
            self.has_carry = true;
            if let (Some(position), None) = (position, direct) {
                self.scan.outputs[0].store(out, position, 1, n);
            }
        }
    }

    /// Combines a block with the carry, in any order, where no result of it is wanted but that of the last lane.
    ///
    /// # Safety
    /// `x` has `n` ≥ 1 lanes.
    unsafe fn fold_block(&mut self, fns: &FoldFns, x: *const u8, n: usize) {
        let (partial, carry) = (self.banks[0].columns()[0], self.carry.columns()[0]);
        let ty = self.scan.operator.types[0];
        // SAFETY: the banks have room for 16 lanes, and are apart from each other and from `x`.
        unsafe {
            let width = fns.fold_onto(ty, (partial, 0), n, x);
            fns.join_all(partial, width);
            let sum = partial.cast_const();
            match self.has_carry {
                true => (fns.join)(1, carry, sum, sum, sum),
                false => lanes::copy(fns.state, 1, sum, carry),
            }
        }
        self.has_carry = true;
    }

    /// The first lane of a chunk, with which the carry begins.
    ///
    /// # Safety
    /// There are a value at `x` and room for one at `out`.
    unsafe fn first_lane(&mut self, fns: &FoldFns, x: *const u8, out: *mut u8) {
        let ty = self.scan.operator.types[0];
        let (carry, outer) = (self.carry.columns()[0], self.outer.columns()[0]);
        let joined = self.banks[1].columns()[0];
        // SAFETY: the banks have room for a lane of a state each, and are apart; the value and its place are the caller's.
        unsafe {
            (fns.load)(1, carry, x, x, x);
            if !self.has_outer {
                return lanes::copy(ty, 1, x, out);
            }
            lanes::copy(fns.state, 1, outer, joined);
            let (carry, joined) = (carry.cast_const(), joined);
            (fns.join)(1, joined, carry, carry, carry);
            (fns.unload)(1, out, joined, joined, joined);
        }
    }

    /// Scans a block by itself and stores it, if a position is given.
    ///
    /// # Safety
    /// As for `block`.
    pub(super) unsafe fn tree_block(
        &mut self,
        values: &[*const u8],
        n: usize,
        position: Option<i64>,
    ) {
        // SAFETY: the values have `n` lanes, as have the results, and the positions from `position` on are this task's.
        unsafe {
            let results = self.scan_lanes(values, n);
            self.keep_last(&results, n);
            let read = self.scan.operator.read.iter();
            let all = self.scan.outputs.iter().zip(&results).zip(read);
            for ((out, &column), _) in all.filter(|(_, is_read)| **is_read) {
                if let Some(position) = position {
                    out.store(column, position, 1, n);
                }
            }
        }
    }

    /// Combines every lane with those at distance 1, 2, 4 … before it, then all with the carry.
    ///
    /// # Safety
    /// There is a column per component, of `n` lanes, at most [`LANES`](super::LANES), apart from the banks. The results are in these.
    pub(super) unsafe fn scan_lanes<P: Into<Column> + Copy>(
        &mut self,
        values: &[P],
        n: usize,
    ) -> Few<*mut u8> {
        let types = &self.scan.operator.types;
        let (mut now, mut next) = (self.banks[0].columns(), self.banks[1].columns());
        let left = self.scan.direction == Direction::Left;
        // SAFETY: the values have `n` lanes, the banks at least as many; `now` and `next` are different banks, and
        // every distance is below `n`.
        unsafe {
            for (i, &ty) in types.iter().enumerate() {
                lanes::copy(ty, n, values[i].into().0, now[i]);
            }
            let mut distance = 1;
            while distance < n {
                let (m, far) = (n - distance, self.at_lane(&now, distance));
                let (kept, combined) = if left { (0, distance) } else { (m, 0) };
                let (earlier, later) = if left { (&now, &far) } else { (&far, &now) };
                let out = self.at_lane(&next, combined);
                self.join(m, earlier, later, &out);
                let (from, to) = (self.at_lane(&now, kept), self.at_lane(&next, kept));
                for (i, &ty) in types.iter().enumerate() {
                    lanes::copy(ty, distance, from[i], to[i]);
                }
                std::mem::swap(&mut now, &mut next);
                distance *= 2;
            }
            if self.has_carry {
                let carry = self.broadcast.columns();
                self.join(n, &carry, &now, &next);
                std::mem::swap(&mut now, &mut next);
            }
        }
        now
    }

    /// Goes on after the last of `n` results.
    ///
    /// # Safety
    /// There is a column per component, of `n` lanes.
    pub(super) unsafe fn keep_last(&mut self, results: &[*mut u8], n: usize) {
        let last = match self.scan.direction {
            Direction::Left => n - 1,
            Direction::Right => 0,
        };
        let last = self.at_lane(results, last);
        let types = self.scan.operator.types.iter();
        // SAFETY: there is a lane of that type in each column.
        let carry = last
            .iter()
            .zip(types)
            .map(|(&p, &ty)| unsafe { read_const(p, ty) });
        let carry: Few<_> = carry.collect();
        self.start(Some(&carry));
    }

    /// Columns from a lane on.
    pub(super) fn at_lane(&self, columns: &[*mut u8], lane: usize) -> Few<*mut u8> {
        at_lane(columns, &self.scan.operator.types, lane)
    }

    /// Combines the carry with results that are stored already.
    ///
    /// # Safety
    /// This task owns the `n` positions from `position` on.
    pub unsafe fn add_carry(&mut self, position: i64, n: usize) {
        let (values, out) = (self.banks[0].columns(), self.banks[1].columns());
        let carry = self.broadcast.columns();
        // SAFETY: values and out are different banks of at least `n` lanes; the positions from `position` on are
        // this task's, and written already.
        unsafe {
            for (from, &to) in self.scan.outputs.iter().zip(&values) {
                from.load(position, to, n);
            }
            self.join(n, &carry, &values, &out);
            for (to, &from) in self.scan.outputs.iter().zip(&out) {
                to.store(from, position, 1, n);
            }
        }
    }
}

/// Columns of the given types from a lane on.
pub(super) fn at_lane(columns: &[*mut u8], types: &[ScalarType], lane: usize) -> Few<*mut u8> {
    let columns = columns.iter().zip(types);
    let from_lane = columns.map(|(p, ty)| p.wrapping_add(lane * ty.bytes()));
    from_lane.collect()
}
