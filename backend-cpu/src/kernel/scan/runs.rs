//! Blocks of a scan that are combined together, by operators that are no primitives.
//!
//! Such an operator runs as a program on whole columns, so the fewer of them the better: a block by itself takes one for each power of
//! two below its lanes. Blocks of long chunks are kept, transposed, until there are enough: each lane scans a run of [`SIDE`]
//! neighbours, then the ends of lanes are scanned, and then each lane combines its elements with what precedes it. That is two columns
//! of operations and a little more for each column of elements.
//!
//! A scan from the right is the mirror image: runs go from the last element to the first, and lanes fill up from the last on.

use super::LANES;
use super::running::{Running, at_lane};
use crate::few::Few;
use crate::kernel::combine::{Bank, OperatorCode};
use crate::kernel::folder::{FEW_BLOCKS, STEP};
use crate::lanes::{self, SIDE};
use cotangent_core::term::Direction;

/// Blocks that are not combined yet.
pub(super) struct Runs {
    /// For each component, one column of lanes more than a run has elements: results go to where operands are not needed any
    /// more, one column before or behind them.
    _kept: Bank,
    /// These columns, in the direction of the scan.
    steps: Vec<Few<*mut u8>>,
    /// For each block, the first elements of its lanes; one column further are the second ones.
    squares: Vec<Few<*mut u8>>,
    /// What precedes each lane.
    before: Bank,
    /// Whether the current chunk has many blocks.
    is_long: bool,
    /// The number of blocks.
    blocks: usize,
    /// The place of the first result of the first of them, if results are stored.
    position: Option<i64>,
}

impl Runs {
    /// None yet.
    pub fn new(operator: &OperatorCode, direction: Direction) -> Self {
        let k = operator.types.len();
        let [lanes, step] = match operator.fns {
            Some(_) => [0, 0],
            None => [LANES, STEP],
        };
        let mut kept = Bank::new(k, (SIDE + 1) * step);
        let columns = kept.columns();
        let from = |lane: usize| at_lane(&columns, &operator.types, lane);
        let (steps, squares) = match direction {
            Direction::Left => (
                (0..=SIDE).map(|i| from(i * step)).collect(),
                (0..SIDE).map(|i| from(step + i * SIDE)).collect(),
            ),
            Direction::Right => (
                (0..=SIDE).map(|i| from((SIDE - i) * step)).collect(),
                (0..SIDE).map(|i| from((SIDE - 1 - i) * SIDE)).collect(),
            ),
        };
        Self {
            _kept: kept,
            steps,
            squares,
            before: Bank::new(k, lanes),
            is_long: false,
            blocks: 0,
            position: None,
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
            match self.runs.is_long && n == LANES {
                true => self.keep(values, position),
                false => {
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
    unsafe fn keep(&mut self, values: &[*const u8], position: Option<i64>) {
        if self.runs.blocks == 0 {
            self.runs.position = position;
        }
        let squares = &self.runs.squares[self.runs.blocks];
        for ((&from, &to), &ty) in values.iter().zip(squares).zip(&self.scan.operator.types) {
            // SAFETY: the column is a square of elements, and there is room for as many, lane by lane.
            unsafe { lanes::transpose((self.scan.operator.isa, ty), (from, SIDE), (to, STEP)) }
        }
        self.runs.blocks += 1;
        if self.runs.blocks == SIDE {
            // SAFETY: the positions are this task's still.
            unsafe { self.scan_kept() }
        }
    }

    /// Scans what is kept, and stores the results if they have a place.
    ///
    /// # Safety
    /// This task owns the positions of what is kept.
    unsafe fn scan_kept(&mut self) {
        let n = self.runs.blocks * SIDE;
        if n == 0 {
            return;
        }
        let had_carry = self.has_carry;
        let steps = match (n, self.scan.direction) {
            (LANES, _) | (_, Direction::Left) => std::mem::take(&mut self.runs.steps),
            (_, Direction::Right) => {
                let steps = self.runs.steps.iter();
                steps.map(|step| self.at_lane(step, LANES - n)).collect()
            }
        };
        // SAFETY: for each of the lanes, a run is kept; and the positions are this task's.
        unsafe {
            self.scan_runs(&steps, n);
            let results = self.scan_ends(&steps[SIDE - 1], n);
            self.keep_last(&results, n);
            if let Some(position) = self.runs.position {
                self.join_before(&steps, n, had_carry);
                self.store_kept(position);
            }
        }
        if self.runs.steps.is_empty() {
            self.runs.steps = steps;
        }
        self.runs.blocks = 0;
    }

    /// Every lane scans its run.
    ///
    /// # Safety
    /// There are `n` lanes in each of the columns.
    unsafe fn scan_runs(&mut self, steps: &[Few<*mut u8>], n: usize) {
        for ((&from, &to), &ty) in steps[1]
            .iter()
            .zip(&steps[0])
            .zip(&self.scan.operator.types)
        {
            // SAFETY: each column has room for all lanes.
            unsafe { lanes::copy(ty, n, from, to) }
        }
        for i in 1..SIDE {
            // SAFETY: three columns of `n` lanes for each component.
            unsafe { self.join(n, &steps[i - 1], &steps[i + 1], &steps[i]) }
        }
    }

    /// Scans the ends of lanes, after the carry, and keeps for each lane what precedes it. Where nothing does, the first lane has nothing
    /// that means anything.
    ///
    /// # Safety
    /// There are `n` lanes.
    unsafe fn scan_ends(&mut self, ends: &[*mut u8], n: usize) -> Few<*mut u8> {
        let (before, carry) = (self.runs.before.columns(), self.carry.columns());
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
            let results = self.scan_lanes(ends, n);
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
    unsafe fn join_before(&mut self, steps: &[Few<*mut u8>], n: usize, had_carry: bool) {
        let before = self.runs.before.columns();
        for i in (0..SIDE).rev() {
            let (from, to) = (&steps[i], &steps[i + 1]);
            // SAFETY: the columns have `n` lanes, and are different ones.
            unsafe {
                match had_carry {
                    true => self.join(n, &before, from, to),
                    false => self.join_all_but_first(n, &before, from, to),
                }
            }
        }
    }

    /// Combines lanes with what precedes them; the first one is alone.
    ///
    /// # Safety
    /// The columns have `n` lanes, and are different ones.
    unsafe fn join_all_but_first(
        &mut self,
        n: usize,
        before: &[*mut u8],
        from: &[*mut u8],
        to: &[*mut u8],
    ) {
        let (joined, first) = match self.scan.direction {
            Direction::Left => (1, 0),
            Direction::Right => (0, n - 1),
        };
        let [before, others, out] = [before, from, to].map(|c| self.at_lane(c, joined));
        let [from, to] = [from, to].map(|columns| self.at_lane(columns, first));
        // SAFETY: the columns have `n` lanes, and are different ones.
        unsafe {
            self.join(n - 1, &before, &others, &out);
            for (i, &ty) in self.scan.operator.types.iter().enumerate() {
                lanes::copy(ty, 1, from[i], to[i]);
            }
        }
    }

    /// Stores the results.
    ///
    /// # Safety
    /// This task owns the positions of what is kept.
    unsafe fn store_kept(&mut self, first: i64) {
        let step = match self.scan.direction {
            Direction::Left => LANES as i64,
            Direction::Right => -(LANES as i64),
        };
        let columns = self.banks[0].columns();
        let isa = self.scan.operator.isa;
        for (block, squares) in self.runs.squares[..self.runs.blocks].iter().enumerate() {
            let position = first + step * block as i64;
            for ((out, &from), &between) in self.scan.outputs.iter().zip(squares).zip(&columns) {
                let direct = out.direct(position, 1);
                // SAFETY: a square of elements is in the lanes of the block, the bank has room for it, and the positions are
                // this task's.
                unsafe {
                    let to = (direct.unwrap_or(between), SIDE);
                    lanes::transpose((isa, out.ty()), (from, STEP), to);
                    if direct.is_none() {
                        out.store(between, position, 1, LANES);
                    }
                }
            }
        }
    }
}
