//! Loads whose lanes lie side by side but for the first and the last: a stencil's whose index is a remainder, `(i + 1) mod n`.
//!
//! The index is a column, as it is neither affine nor known to be so within bounds (`clamped.rs`); that most of it counts up by one is seen by looking, which takes less than
//! computing and testing offsets lane by lane. Of an index that is kept from row to row, it is seen once.
//!
//! Unsafe code: elements are copied through raw pointers after the tests.

use super::Machine;
use super::load::ArrayRef;
use crate::code::{Dim, LoadCode, Slot};

/// With fewer lanes than that, looking saves nothing.
const LEAST_LANES: usize = 16;

/// Lanes of a row, and how often what is kept had been forgotten when they were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    forgotten: u64,
    start: i64,
    n: usize,
}

impl Machine<'_> {
    /// Reads the lanes of a load, all of which are on, if those between the first and the last lie side by side, and all are
    /// in range. Whether it did.
    pub(super) fn load_run(&mut self, i: usize, n: usize) -> bool {
        let load = &self.code.loads[i];
        let array = &self.env.arrays[load.array as usize];
        let Some((row, positions)) = self.row_of(load, array, n) else {
            return false;
        };
        let index = self.index_column(positions, n);
        let last = n - 1;
        let inner = array.extents[array.extents.len() - 1];
        let is_inside = |&i: &i32| (0..inner).contains(&i64::from(i));
        let ends = [index[0], index[1], index[last - 1], index[last]];
        let lanes = Counted {
            forgotten: self.kept.forgotten,
            start: self.start,
            n,
        };
        let is_known = self.access[i].counted == Some(lanes);
        if !ends.iter().all(is_inside) || !(is_known || counts_up(&index[1..last])) {
            return false;
        }
        if self.plan.kept.contains(&positions) {
            self.access[i].counted = Some(lanes);
            if self.leave_counting((i, load), row, positions, n) {
                return true;
            }
        }
        let (array, index) = (
            &self.env.arrays[load.array as usize],
            self.index_column(positions, n),
        );
        let bytes = array.ty.bytes();
        let from = |lane: usize| array.at(row + i64::from(index[lane]));
        let to = |lane: usize| self.home[load.dst as usize].wrapping_add(lane * bytes);
        // SAFETY: the row is one of the array's, and the indices at both ends and all between are in it; the home of a
        // column has room for `n` lanes, and is no array.
        unsafe {
            std::ptr::copy_nonoverlapping(from(1), to(1), (n - 2) * bytes);
            for lane in [0, last] {
                std::ptr::copy_nonoverlapping(from(lane), to(lane), bytes);
            }
        }
        true
    }

    /// Where the one row begins that all lanes read from, and the column of positions in it.
    fn row_of(&self, load: &LoadCode, array: &ArrayRef, n: usize) -> Option<(i64, Slot)> {
        let (Dim::Column(slot), outer) = load.dims.split_last()? else {
            return None;
        };
        let (&stride, strides) = array.strides.split_last()?;
        if n < LEAST_LANES || stride != 1 {
            return None;
        }
        let mut row = 0;
        for ((dim, &extent), &stride) in outer.iter().zip(&array.extents).zip(strides) {
            let position = self.same_for_all(dim)?;
            if !(0..extent).contains(&position) {
                return None;
            }
            row += position * stride;
        }
        Some((row, *slot))
    }

    /// An index along one dimension, if it is the same for all lanes.
    fn same_for_all(&self, dim: &Dim) -> Option<i64> {
        match dim {
            Dim::Column(_) => None,
            Dim::Affine { base, steps, clamp } => {
                let (first, along) = self.affine(*base, steps);
                let limits = self.limits(clamp.as_ref());
                let is_same = along.iter().all(|&step| step == 0);
                is_same.then(|| i64::from(limits.keep(first as i32)))
            }
        }
    }
}

/// Whether each number is one more than the one before.
fn counts_up(index: &[i32]) -> bool {
    let first = index[0];
    // Most columns that do not are found out by their second number; without a way out, the loop is vectorised.
    index[1] == first.wrapping_add(1)
        && (index.iter().enumerate()).fold(true, |all, (k, &i)| {
            all & (i == first.wrapping_add(k as i32))
        })
}
