//! Blocks of a scan that are combined together, by operators that are no primitives.
//!
//! Such an operator runs as a program on whole columns, so the fewer of them the better: a block by itself takes one for each power of
//! two below its lanes. Blocks of long chunks are kept, transposed, until there are enough: each lane scans a run of [`SIDE`]
//! neighbours, then the ends of lanes are scanned, and then each lane combines its elements with what precedes it. That is two columns
//! of operations and a little more for each column of elements.
//!
//! A scan from the right is the mirror image: runs go from the last element to the first, and lanes fill up from the last on.

use super::LANES;
use super::running::Running;
use crate::few::Few;
use crate::kernel::combine::{Bank, OperatorCode};
use crate::kernel::folder::{FEW_BLOCKS, STEP};
use crate::lanes::{self, SIDE};
use cotangent_core::term::Direction;

/// Blocks that are not combined yet.
pub(super) struct Runs {
    /// For each component, one column of lanes more than a run has elements: results go to where operands are not needed any
    /// more, one column before or behind them.
    kept: Bank,
    /// What precedes each lane.
    before: Bank,
    /// Whether the current chunk has many blocks.
    is_long: bool,
    /// The number of blocks.
    blocks: usize,
    /// The place of the first result of the first of them.
    position: i64,
}

impl Runs {
    /// None yet.
    pub fn new(operator: &OperatorCode) -> Self {
        let k = operator.types.len();
        let [lanes, step] = match operator.fns {
            Some(_) => [0, 0],
            None => [LANES, STEP],
        };
        Self {
            kept: Bank::new(k, (SIDE + 1) * step),
            before: Bank::new(k, lanes),
            is_long: false,
            blocks: 0,
            position: 0,
        }
    }

    /// Begins a chunk of a length.
    pub fn begin(&mut self, length: i64) {
        self.is_long = length >= FEW_BLOCKS * LANES as i64;
    }
}

impl Running<'_> {
    /// Takes the next block: a whole one of a long chunk is kept, until its lanes are many.
    ///
    /// # Safety
    /// As for `block`.
    pub(super) unsafe fn next_block(
        &mut self,
        values: &[*const u8],
        n: usize,
        position: Option<i64>,
    ) {
        // SAFETY: the columns have `n` lanes, and the positions are this task's.
        unsafe {
            match position {
                Some(position) if self.runs.is_long && n == LANES => self.keep(values, position),
                Some(_) | None => {
                    self.scan_kept();
                    self.tree_block(values, n, position);
                }
            }
        }
    }

    /// Ends a chunk.
    pub fn end(&mut self) {
        // SAFETY: blocks that are kept were this task's to write.
        unsafe { self.scan_kept() }
    }

    /// # Safety
    /// The columns have [`LANES`] lanes, and this task owns as many positions from `position` on, until it has scanned what is kept.
    unsafe fn keep(&mut self, values: &[*const u8], position: i64) {
        if self.runs.blocks == 0 {
            self.runs.position = position;
        }
        let squares = self.squares(self.runs.blocks);
        for ((&from, &to), &ty) in values.iter().zip(&squares).zip(&self.scan.operator.types) {
            // SAFETY: the column is a square of elements, and there is room for as many, lane by lane.
            unsafe { lanes::transpose((self.scan.operator.isa, ty), (from, SIDE), (to, STEP)) }
        }
        self.runs.blocks += 1;
        if self.runs.blocks == SIDE {
            // SAFETY: the positions are this task's still.
            unsafe { self.scan_kept() }
        }
    }

    /// Scans what is kept, and stores the results.
    ///
    /// # Safety
    /// This task owns the positions of what is kept.
    unsafe fn scan_kept(&mut self) {
        let n = self.runs.blocks * SIDE;
        if n == 0 {
            return;
        }
        let had_carry = self.has_carry;
        // SAFETY: for each of the lanes, a run is kept; and the positions are this task's.
        unsafe {
            self.scan_runs(n);
            let results = self.scan_ends(n);
            self.keep_last(&results, n);
            self.join_before(n, had_carry);
            self.store_kept();
        }
        self.runs.blocks = 0;
    }

    /// Every lane scans its run.
    ///
    /// # Safety
    /// There are `n` lanes.
    unsafe fn scan_runs(&mut self, n: usize) {
        let [first, to] = [1, 0].map(|i| self.kept(i, n));
        for ((&from, &to), &ty) in first.iter().zip(&to).zip(&self.scan.operator.types) {
            // SAFETY: each column has room for all lanes.
            unsafe { lanes::copy(ty, n, from, to) }
        }
        for step in 1..SIDE {
            let [earlier, out, later] = [step - 1, step, step + 1].map(|i| self.kept(i, n));
            // SAFETY: three columns of `n` lanes for each component.
            unsafe { self.join(n, &earlier, &later, &out) }
        }
    }

    /// Scans the ends of lanes, after the carry, and keeps for each lane what precedes it. Where nothing does, the first lane has nothing
    /// that means anything.
    ///
    /// # Safety
    /// The runs of `n` lanes are scanned.
    unsafe fn scan_ends(&mut self, n: usize) -> Few<*mut u8> {
        let (before, carry) = (self.runs.before.columns(), self.carry.columns());
        let ends = self.kept(SIDE - 1, n);
        let (from, to, first) = match self.scan.direction {
            Direction::Left => (0, 1, 0),
            Direction::Right => (1, 0, n - 1),
        };
        let (to, first) = (self.at_lane(&before, to), self.at_lane(&before, first));
        // SAFETY: all columns have `n` lanes, of which one is the carry's.
        unsafe {
            for (i, &ty) in self.scan.operator.types.iter().enumerate() {
                lanes::copy(ty, usize::from(self.has_carry), carry[i], first[i]);
            }
            let results = self.scan_lanes(&ends, n);
            let from = self.at_lane(&results, from);
            for (i, &ty) in self.scan.operator.types.iter().enumerate() {
                lanes::copy(ty, n - 1, from[i], to[i]);
            }
            results
        }
    }

    /// Every lane combines its elements with what precedes it, if anything does: the results are one column further then.
    ///
    /// # Safety
    /// The runs of `n` lanes are scanned, and what precedes them is known.
    unsafe fn join_before(&mut self, n: usize, had_carry: bool) {
        let alone = usize::from(!had_carry);
        let (joined, first) = match self.scan.direction {
            Direction::Left => (alone, 0),
            Direction::Right => (0, n - 1),
        };
        let before = self.runs.before.columns();
        let before = self.at_lane(&before, joined);
        for step in (0..SIDE).rev() {
            let [from, to] = [step, step + 1].map(|i| self.kept(i, n));
            let [earlier_end, end] = [&from, &to].map(|columns| self.at_lane(columns, first));
            let [from, to] = [&from, &to].map(|columns| self.at_lane(columns, joined));
            // SAFETY: the columns have `n` lanes, and are different ones.
            unsafe {
                self.join(n - alone, &before, &from, &to);
                for (i, &ty) in self.scan.operator.types.iter().enumerate() {
                    lanes::copy(ty, alone, earlier_end[i], end[i]);
                }
            }
        }
    }

    /// Stores the results.
    ///
    /// # Safety
    /// This task owns the positions of what is kept.
    unsafe fn store_kept(&mut self) {
        let step = match self.scan.direction {
            Direction::Left => LANES as i64,
            Direction::Right => -(LANES as i64),
        };
        let columns = self.banks[0].columns();
        for block in 0..self.runs.blocks {
            let (squares, position) = (
                self.squares(block),
                self.runs.position + step * block as i64,
            );
            for (i, out) in self.scan.outputs.iter().enumerate() {
                // SAFETY: a square of elements is in the lanes of the block, the bank has room for it, and the positions are
                // this task's.
                unsafe {
                    let (isa, ty) = (self.scan.operator.isa, out.ty());
                    lanes::transpose((isa, ty), (squares[i], STEP), (columns[i], SIDE));
                    out.store(columns[i], position, 1, LANES);
                }
            }
        }
    }

    /// The columns of `n` lanes that are `i`-th in the direction of the scan.
    fn kept(&mut self, i: usize, n: usize) -> Few<*mut u8> {
        let kept = self.runs.kept.columns();
        let lane = match self.scan.direction {
            Direction::Left => i * STEP,
            Direction::Right => (SIDE - i) * STEP + LANES - n,
        };
        self.at_lane(&kept, lane)
    }

    /// The first elements of the lanes of the block that came `i`-th; one column further are the second ones.
    fn squares(&mut self, i: usize) -> Few<*mut u8> {
        let kept = self.runs.kept.columns();
        let lane = match self.scan.direction {
            Direction::Left => STEP + i * SIDE,
            Direction::Right => LANES - (i + 1) * SIDE,
        };
        self.at_lane(&kept, lane)
    }
}
