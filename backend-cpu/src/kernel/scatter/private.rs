//! Sums of integers by several threads: each adds up the updates that it computes in memory of its own, and these are added to the outputs
//! at the end. Integers wrap around, so that their sums do not depend on an order.
//!
//! Unsafe code: parts of arrays, each of which one task adds to.

use super::Scatter;
use super::updates::{Updates, combine_all};
use crate::kernel::share::share;
use crate::memory::{OutRef, Own};
use cotangent_core::backend::RunError;
use cotangent_core::integer_type;
use cotangent_core::term::Combine;
use cotangent_core::types::ScalarType;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// With fewer points for each element, memory for each thread is not worth its zeros.
const POINTS_PER_ELEMENT: i64 = 8;
/// The elements that a task adds up.
const BLOCK: i64 = 1 << 12;
/// The work of adding one up.
const WORK: usize = 4;

impl Scatter<'_> {
    /// Whether threads have sums of their own.
    pub(super) fn is_private(&self) -> bool {
        let is_any_order = |out: &OutRef| match out.ty() {
            integer_type!() => self.combine == Combine::Add,
            ScalarType::Bool | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => false,
        };
        let outputs = self.launch.outputs;
        let are_few = |out: &OutRef| out.len() <= self.points / POINTS_PER_ELEMENT;
        outputs.iter().all(|out| is_any_order(out) && are_few(out))
    }

    /// Combines all updates so.
    pub(super) fn privately(&self) -> Result<(), RunError> {
        let sums = Mutex::new(vec![]);
        share(self.launch.team, self.blocks.count, self.work, |claims| {
            let own = self.own_sums(claims);
            sums.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(own);
        });
        let sums = sums.into_inner().unwrap_or_else(PoisonError::into_inner);
        let sums: Vec<Vec<Own>> = sums.into_iter().collect::<Result<_, _>>()?;
        for (at, out) in self.launch.outputs.iter().enumerate() {
            let sums: Vec<OutRef> = sums.iter().map(|own| own[at].out).collect();
            self.add_up(out, &sums);
        }
        Ok(())
    }

    /// The passes of that.
    pub(super) fn count_private(&self) {
        let team = self.launch.team;
        team.begin(self.blocks.count, self.work);
        let outputs = self.launch.outputs.iter();
        outputs.for_each(|out| {
            team.begin(blocks(out), work_of(out));
        });
    }

    /// The sums of some blocks, for each output.
    fn own_sums(&self, claims: impl Iterator<Item = Range<i64>>) -> Result<Vec<Own>, RunError> {
        let outputs = self.launch.outputs.iter();
        let zeros = outputs.map(|out| Own::zeroed(out.ty(), out.len(), "the sums of a scatter"));
        let own: Vec<Own> = zeros.collect::<Result<_, _>>()?;
        let sums: Vec<OutRef> = own.iter().map(|own| own.out).collect();
        self.combine(&sums, claims)?;
        Ok(own)
    }

    /// Adds sums of threads to an output.
    fn add_up(&self, out: &OutRef, sums: &[OutRef]) {
        let elements: Vec<i64> = (0..BLOCK.min(out.len())).collect();
        share(self.launch.team, blocks(out), work_of(out), |claims| {
            for block in claims.flatten() {
                let first = block * BLOCK;
                let len = BLOCK.min(out.len() - first);
                let updates = Updates::All(&elements[..len as usize]);
                // SAFETY: the elements are inside of both, and only this task touches them.
                let part = |whole: &OutRef| unsafe { whole.part(first, len) };
                let add = |sums| combine_all(self.combine, &part(out), updates, &part(sums));
                sums.iter().for_each(add);
            }
        });
    }
}

/// How many tasks there are to add up sums.
fn blocks(out: &OutRef) -> i64 {
    (out.len() as u64).div_ceil(BLOCK as u64) as i64
}

/// The work of one.
fn work_of(out: &OutRef) -> usize {
    WORK * BLOCK.min(out.len().max(1)) as usize
}
