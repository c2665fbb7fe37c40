//! Folds of many short rows: lanes go through several rows, and each row is folded where it lies.
//!
//! A row by itself would fill few lanes, and starting its instructions would take longer than running them.

use super::bug;
use super::combine::broadcast;
use super::fold::{Fold, store};
use super::space::{Blocks, Place, lanes_for, share, work};
use crate::code::Nest;
use crate::machine::{Machine, Scratch};
use cotangent_core::backend::RunError;

/// The longest rows: several fit into a block of lanes.
pub(super) const MAX_SEGMENT: i64 = 256;

impl Fold<'_> {
    /// Lanes are the values of several results, which follow each other.
    pub(super) fn over_segments(&self) -> Result<(), RunError> {
        let (code, sizes) = (self.chosen.code, self.sizes);
        let fns = self
            .operator
            .fns
            .ok_or_else(|| bug("an operator has no loops"))?;
        let env = self.env();
        let inner = sizes.inner as usize;
        let rows = (lanes_for(code, 1) / inner).max(1);
        let blocks = Blocks::new(&code.nest, sizes.extents, rows * inner)
            .ok_or_else(|| bug("an index space has too many points"))?;
        let results = Nest {
            moving: 0,
            coords: sizes.rank,
            lane: code.nest.lane.start..sizes.rank,
            seq: 0..0,
        };
        let place = Place::new(&results, sizes.extents, sizes.rank);
        let bytes = self.operator.types[0].bytes();
        let work = work(code) * blocks.lanes.min(blocks.row_len as usize);
        share(self.launch.team, blocks.count, work, |range| {
            let mut machine = Machine::new(code, &env, blocks.lanes);
            let mut memory = Scratch::take(2 * rows * bytes);
            let totals = memory.as_mut_ptr();
            let started = totals.wrapping_add(rows * bytes);
            let len: *const usize = &inner;
            let len = len.cast::<u8>();
            blocks.visit(&mut machine, range, |machine, row, start, n| {
                machine.block(start, n);
                let a = machine.output(0);
                let results = n / inner;
                // SAFETY: the columns have `n` lanes, whole rows of `inner`; there is room for all results.
                unsafe {
                    match &self.product {
                        Some(fns) => (fns.segments)(n, totals, a, machine.output(1), len),
                        None => (fns.segments)(n, totals, a, a, len),
                    }
                }
                let mut from = totals;
                if let Some(&[init]) = self.init {
                    broadcast(started, init, results);
                    // SAFETY: both columns have `results` elements, and are apart.
                    unsafe { (fns.accumulate)(results, started, totals, totals, totals) }
                    from = started;
                }
                let position = place.position(row, start / inner as i64);
                store(self.launch.outputs, &[from], position, 1, results);
            });
        });
        Ok(())
    }
}
