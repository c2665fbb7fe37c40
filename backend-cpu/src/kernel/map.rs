//! Maps: every block is computed on its own and stored, in place where memory allows it.

use super::border::Border;
use super::share::share;
use super::space::{Blocks, Place, lanes_to_share, work};
use super::{KernelCode, Launch, bug};
use crate::machine::Machine;
use crate::memory::OutRef;
use cotangent_core::backend::RunError;

impl KernelCode {
    /// Runs a map over the given extents.
    pub(super) fn map(&self, launch: &Launch, extents: &[i64]) -> Result<(), RunError> {
        let (code, env) = self.choose(launch, extents)?.split(launch, extents);
        let blocks = Blocks::new(&code.nest, extents, lanes_to_share(code, extents))
            .ok_or_else(|| bug("an index space has too many points"))?
            .for_code(code);
        let place = Place::new(&code.nest, extents, extents.len());
        let work = work(code) * blocks.lanes.min(blocks.row_len.max(1) as usize);
        let across = self.across(launch, extents, code)?;
        share(launch.team, blocks.count, work, |claims| {
            let mut machine = Machine::new(code, &env, blocks.lanes);
            let mut border = across.as_ref().map(|across| Border::new(across, launch));
            blocks.visit_all(&mut machine, claims, |machine, row, start, n| {
                for (start, n) in machine.stretches(start, n) {
                    if !(border.as_mut()).is_some_and(|border| border.take(row, start, n)) {
                        compute(machine, (launch.outputs, &place), row, start, n);
                    }
                }
            });
            if let Some(border) = &mut border {
                border.finish();
            }
        });
        Ok(())
    }
}

/// Computes `n` lanes of the machine's row, whose coordinates are given, from lane `start` on, and stores them.
pub(super) fn compute(
    machine: &mut Machine,
    (outputs, place): (&[OutRef], &Place),
    row: &[i64],
    start: i64,
    n: usize,
) {
    let position = place.position(row, start);
    for (i, out) in outputs.iter().enumerate() {
        // SAFETY: the output has room for the block, which no other task computes, and is read by nobody while the kernel
        // runs.
        unsafe { machine.store_to(i, *out, position, place.lane) }
    }
    machine.block(start, n);
}
