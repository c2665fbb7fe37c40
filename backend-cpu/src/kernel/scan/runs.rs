//! Blocks of a scan that are combined together, by operators that are no primitives.
//!
//! Such an operator runs as a program on whole columns, so the fewer of them the better: a block by itself takes one for each power of
//! two below its lanes. Blocks of long chunks are kept, transposed, until there are enough: each lane scans a run of [`SIDE`]
//! neighbours, of which it keeps what they are combined to; then these are scanned, and then each lane scans its run again, after what
//! precedes it. That is two columns of operations and a little more for each column of elements, most of them in sequences.
//!
//! A scan from the right is the mirror image: runs go from the last element to the first, and so do lanes. Blocks that are kept come in
//! the order of memory all the same, which the processor's prefetcher expects.

use super::LANES;
use super::running::{Running, at_lane};
use crate::few::Few;
use crate::kernel::combine::{Bank, OperatorCode};
use crate::kernel::folder::{FEW_BLOCKS, STEP};
use crate::kernel::sequence::{Keep, Sequence, read_of};
use crate::lanes::{self, SIDE};
use crate::machine::{Env, LINE, hint};
use cotangent_core::term::Direction;
use cotangent_core::types::ScalarType;

/// Blocks that are not combined yet.
pub(super) struct Runs<'a> {
    kept: Steps,
    /// What their elements are combined with all before them.
    results: Steps,
    /// What the runs of lanes are combined to.
    ends: [Bank; 2],
    /// What precedes each lane.
    before: Bank,
    /// What runs are combined to, at once.
    last: Sequence<'a>,
    /// All that comes of them.
    all: Sequence<'a>,
    /// Whether the current chunk has many blocks.
    is_long: bool,
    /// The number of blocks.
    blocks: usize,
    /// The place of their first result, if results are stored.
    position: Option<i64>,
}

/// Memory for [`SIDE`] columns of each component.
struct Steps {
    _bank: Bank,
    /// The columns, in the direction of the scan.
    columns: Vec<Few<*mut u8>>,
    /// For each block, the first elements of its lanes; [`STEP`] further are the second ones.
    squares: Vec<Few<*mut u8>>,
}

impl Steps {
    fn new(types: &[ScalarType], direction: Direction, step: usize) -> Self {
        let mut bank = Bank::new(types.len(), SIDE * step);
        let columns = bank.columns();
        let from = |lane: usize| at_lane(&columns, types, lane);
        let in_order = |i: usize| match direction {
            Direction::Left => i,
            Direction::Right => SIDE - 1 - i,
        };
        Self {
            columns: (0..SIDE).map(|i| from(in_order(i) * step)).collect(),
            squares: (0..SIDE).map(|i| from(i * SIDE)).collect(),
            _bank: bank,
        }
    }
}

impl<'a> Runs<'a> {
    /// None yet.
    pub fn new(operator: &'a OperatorCode, direction: Direction, env: &'a Env<'a>) -> Self {
        let (k, types) = (operator.types.len(), &operator.types);
        let [lanes, step] = match operator.fns {
            Some(_) => [0, 0],
            None => [LANES, STEP],
        };
        let sequence = |keep| Sequence::new(operator, (direction, keep), env, lanes);
        Self {
            kept: Steps::new(types, direction, step),
            results: Steps::new(types, direction, step),
            ends: [Bank::new(k, lanes), Bank::new(k, lanes)],
            before: Bank::new(k, lanes),
            last: sequence(Keep::Last),
            all: sequence(Keep::All),
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
    /// How many whole blocks are combined together.
    pub fn blocks_of_piece(&self) -> usize {
        match self.scan.operator.fns.is_none() && self.runs.is_long {
            true => SIDE,
            false => 1,
        }
    }

    /// Begins such a piece, whose blocks come in the order of memory, with the place of its first result, if results are stored.
    pub fn begin_piece(&mut self, position: Option<i64>) {
        self.runs.position = position;
    }

    /// Takes the next block of a piece: a whole one of a long chunk is kept.
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
                false => self.tree_block(values, n, position),
            }
        }
    }

    /// Ends a piece.
    pub fn end_piece(&mut self) {
        // SAFETY: blocks that are kept were this task's to write.
        unsafe { self.scan_kept() }
    }

    /// # Safety
    /// The columns have [`LANES`] lanes, and this task owns as many positions from `position` on, until it has scanned what is kept.
    unsafe fn keep(&mut self, values: &[*const u8], position: Option<i64>) {
        let squares = &self.runs.kept.squares[self.runs.blocks];
        for ((&from, &to), &ty) in values.iter().zip(squares).zip(&self.scan.operator.types) {
            // SAFETY: the column is a square of elements, and there is room for as many, lane by lane.
            unsafe { lanes::transpose((self.scan.operator.isa, ty), (from, SIDE), (to, STEP)) }
        }
        self.runs.blocks += 1;
        if let Some(position) = position {
            self.look_ahead(position);
        }
    }

    /// Asks for the memory of a block's results, which are stored later, all of what is kept at once.
    fn look_ahead(&self, position: i64) {
        for out in read_of(&self.scan.operator.read, self.scan.outputs) {
            let bytes = LANES * out.ty().bytes();
            if let Some(to) = out.direct(position, 1) {
                (0..bytes)
                    .step_by(LINE)
                    .for_each(|line| hint(to.wrapping_add(line)));
            }
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
        // SAFETY: for each of the lanes, a run is kept; and the positions are this task's.
        unsafe {
            let ends = self.combine_runs(n);
            let results = self.scan_ends(&ends, n);
            self.keep_last(&results, n);
            if let Some(position) = self.runs.position {
                self.scan_runs(n, had_carry);
                self.store_kept(position);
            }
        }
        self.runs.blocks = 0;
    }

    /// Every lane combines its run.
    ///
    /// # Safety
    /// There are `n` lanes of what is kept.
    unsafe fn combine_runs(&mut self, n: usize) -> Few<*mut u8> {
        let steps = std::mem::take(&mut self.runs.kept.columns);
        let ends = self.runs.ends.each_mut().map(Bank::columns);
        // SAFETY: the steps have `n` lanes, and the ends are apart from them and from each other.
        let ends = unsafe { self.combine_steps(n, &steps, ends) };
        self.runs.kept.columns = steps;
        ends
    }

    /// # Safety
    /// The steps have `n` lanes, and there is room for as many ends, apart from them and from each other.
    unsafe fn combine_steps(
        &mut self,
        n: usize,
        steps: &[Few<*mut u8>],
        mut ends: [Few<*mut u8>; 2],
    ) -> Few<*mut u8> {
        // SAFETY: the columns have `n` lanes, and the ends are apart from them and from each other.
        unsafe {
            if self.runs.last.run(n, steps, ends[0].iter().copied()) {
                let [ends, _] = ends;
                return ends;
            }
            for ((&from, &to), &ty) in steps[0].iter().zip(&ends[0]).zip(&self.scan.operator.types)
            {
                lanes::copy(ty, n, from, to);
            }
            for step in &steps[1..] {
                self.join(n, &ends[0], step, &ends[1]);
                ends.swap(0, 1);
            }
        }
        let [ends, _] = ends;
        ends
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

    /// Every lane scans its run, after what precedes it, if anything does.
    ///
    /// # Safety
    /// There are `n` lanes of what is kept, and what precedes them is known.
    unsafe fn scan_runs(&mut self, n: usize, had_carry: bool) {
        let steps = std::mem::take(&mut self.runs.kept.columns);
        let results = std::mem::take(&mut self.runs.results.columns);
        // SAFETY: the columns have `n` lanes, and are different ones.
        unsafe { self.scan_steps(n, (&steps, &results), had_carry) }
        self.runs.kept.columns = steps;
        self.runs.results.columns = results;
    }

    /// # Safety
    /// As for `scan_runs`: in the columns of steps and results.
    unsafe fn scan_steps(
        &mut self,
        n: usize,
        (steps, results): (&[Few<*mut u8>], &[Few<*mut u8>]),
        had_carry: bool,
    ) {
        let before = self.runs.before.columns();
        // SAFETY: the columns have `n` lanes, and are different ones.
        unsafe {
            match had_carry {
                true => self.join(n, &before, &steps[0], &results[0]),
                false => self.join_all_but_first(n, &before, &steps[0], &results[0]),
            }
            let columns = results[..1].iter().chain(&steps[1..]);
            let read = &self.scan.operator.read;
            let out = results[1..].iter().flat_map(|step| read_of(read, step));
            let out = out.copied();
            if self.runs.all.run(n, columns, out) {
                return;
            }
            for i in 1..SIDE {
                self.join(n, &results[i - 1], &steps[i], &results[i]);
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
        let columns = self.banks[0].columns();
        let isa = self.scan.operator.isa;
        let squares = self.runs.results.squares[..self.runs.blocks].iter();
        for (squares, position) in squares.zip((first..).step_by(LANES)) {
            let all = self.scan.outputs.iter().zip(squares).zip(&columns);
            let read = self.scan.operator.read.iter();
            for (((out, &from), &between), _) in all.zip(read).filter(|(_, is_read)| **is_read) {
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
