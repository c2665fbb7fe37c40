//! Blocks of an index space.

use crate::code::{Code, Nest};
use crate::machine::Machine;
use crate::machine::coords::{advance, product, strides, unrank};
use std::ops::Range;

/// The memory that a block's columns should take at most: a part of the first cache.
const FIRST_CACHE: usize = 32 << 10;
/// The same, a part of the second cache, where in the first there is room for too few lanes to be worth starting
/// so many instructions.
const SECOND_CACHE: usize = 256 << 10;
/// So few.
const FEW_LANES: usize = 128;
/// The fewest lanes of a block.
const MIN_LANES: usize = 64;
/// The most lanes of a block.
const MAX_LANES: usize = 1024;

/// The number of lanes for code that shares the cache with `extra` more columns: the same in all runs.
pub(crate) fn lanes_for(code: &Code, extra: usize) -> usize {
    lanes_that_fit(code.plan.register_count + code.arrays.len() + extra)
}

/// The same for code of which no result depends on how many these are: more, as columns that functions keep in registers, and
/// those that are read where they lie in an array, take no room in the cache.
pub(super) fn lanes_now(code: &Code, extra: usize) -> usize {
    let filled = code.ready().filled + code.arrays.len() + extra;
    lanes_that_fit(filled).max(lanes_for(code, extra))
}

fn lanes_that_fit(columns: usize) -> usize {
    let columns = columns.max(1);
    let lane_bytes = columns * 8;
    let fitting = match FIRST_CACHE / lane_bytes {
        ..=FEW_LANES => SECOND_CACHE / lane_bytes,
        lanes => lanes,
    };
    // A power of two, so that virtual lanes of folds start anew with every block.
    let power = if fitting == 0 {
        1
    } else {
        1 << fitting.ilog2()
    };
    power.clamp(MIN_LANES, MAX_LANES)
}

/// The work per lane and step.
pub(crate) fn work(code: &Code) -> usize {
    use crate::code::Level;
    let inside: usize = code.loops.iter().map(|of| TRIPS * work(&of.code)).sum();
    1 + code.segment(Level::Block).len() + code.segment(Level::Step).len() + inside
}

/// How many trips a loop is taken to make.
const TRIPS: usize = 64;

/// Into how many blocks the points of a map are cut at least whose code has loops, so that threads can share them.
const BLOCKS_WITH_LOOPS: i64 = 16;

/// With fewer lanes than that, a trip takes longer for each.
const LEAST_LANES: usize = 256;

/// The lanes of a block of a map: fewer where the code has loops and there are few points.
pub(super) fn lanes_to_share(code: &Code, extents: &[i64]) -> usize {
    let lanes = lanes_now(code, 0);
    if code.loops.is_empty() {
        return lanes;
    }
    let points = product(extents).unwrap_or(i64::MAX);
    let fair = usize::try_from(points / BLOCKS_WITH_LOOPS).unwrap_or(lanes);
    lanes.min(fair.max(LEAST_LANES))
}

/// The rows and lanes of an index space, cut into blocks.
#[derive(Debug)]
pub(crate) struct Blocks {
    /// The extents of the rows' coordinates.
    pub rows: Vec<i64>,
    /// The number of lanes of a row.
    pub row_len: i64,
    /// The number of lanes of a block.
    pub lanes: usize,
    /// The number of blocks of a row.
    pub per_row: i64,
    /// The number of all blocks.
    pub count: i64,
    /// Whether a block is visited in all rows before the next one.
    across: bool,
}

impl Blocks {
    /// Cuts a space; `None` where it has too many points to count.
    pub fn new(nest: &Nest, extents: &[i64], lanes: usize) -> Option<Self> {
        let rows: Vec<i64> = nest.rows().map(|c| extents[c]).collect();
        let row_len = product(&extents[nest.lane.clone()])?;
        let per_row = (row_len as u64).div_ceil(lanes as u64) as i64;
        Some(Self {
            count: product(&rows)?.checked_mul(per_row)?,
            rows,
            row_len,
            lanes,
            per_row,
            across: false,
        })
    }

    /// Visits a block in all rows before the next one, if the code keeps something from row to row.
    pub fn for_code(self, code: &Code) -> Self {
        Self {
            across: code.keeps(),
            ..self
        }
    }

    /// Moves the machine through ranges of blocks: `visit` is called with the row's coordinates, the block's first lane and
    /// its number of lanes, and computes the block.
    pub fn visit_all<'m>(
        &self,
        machine: &mut Machine<'m>,
        ranges: impl Iterator<Item = Range<i64>>,
        mut visit: impl FnMut(&mut Machine<'m>, &[i64], i64, usize),
    ) {
        for range in ranges {
            self.visit(machine, range, &mut visit);
        }
    }

    /// Moves the machine through a range of blocks.
    pub fn visit<'m>(
        &self,
        machine: &mut Machine<'m>,
        range: Range<i64>,
        mut visit: impl FnMut(&mut Machine<'m>, &[i64], i64, usize),
    ) {
        if range.is_empty() {
            return;
        }
        if self.across {
            return self.visit_across(machine, range, visit);
        }
        let mut row = vec![0; self.rows.len()];
        unrank(range.start / self.per_row, &self.rows, &mut row);
        let mut block = range.start % self.per_row;
        machine.row(&row);
        for at in range.clone() {
            let start = block * self.lanes as i64;
            let n = (self.row_len - start).min(self.lanes as i64) as usize;
            if machine.is_cancelled() {
                return;
            }
            visit(machine, &row, start, n);
            block += 1;
            if block == self.per_row && at + 1 < range.end {
                block = 0;
                advance(&mut row, &self.rows);
                machine.row(&row);
            }
        }
    }
}

impl Blocks {
    /// The same in the other order.
    fn visit_across<'m>(
        &self,
        machine: &mut Machine<'m>,
        range: Range<i64>,
        mut visit: impl FnMut(&mut Machine<'m>, &[i64], i64, usize),
    ) {
        let rows = self.count / self.per_row;
        let mut row = vec![0; self.rows.len()];
        unrank(range.start % rows, &self.rows, &mut row);
        for at in range {
            let start = at / rows * self.lanes as i64;
            let n = (self.row_len - start).min(self.lanes as i64) as usize;
            if machine.is_cancelled() {
                return;
            }
            machine.row(&row);
            visit(machine, &row, start, n);
            advance(&mut row, &self.rows);
        }
    }
}

/// Where the points of a block are stored.
#[derive(Debug)]
pub(crate) struct Place {
    rows: Vec<i64>,
    /// The distance of neighbouring lanes.
    pub lane: i64,
}

impl Place {
    /// For arrays over the first `rank` coordinates.
    pub fn new(nest: &Nest, extents: &[i64], rank: usize) -> Self {
        let strides = strides(&extents[..rank]);
        Self {
            rows: nest
                .rows()
                .filter(|&c| c < rank)
                .map(|c| strides[c])
                .collect(),
            lane: nest.lane.clone().last().map_or(1, |c| strides[c]),
        }
    }

    /// The position of a lane.
    pub fn position(&self, row: &[i64], start: i64) -> i64 {
        let row: i64 = row.iter().zip(&self.rows).map(|(c, s)| c * s).sum();
        row + start * self.lane
    }
}
