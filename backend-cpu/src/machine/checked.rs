//! Reading lanes that may be out of range: offsets are computed and tested lane by lane.
//!
//! Unsafe code: index columns are read, and elements gathered, through raw pointers after the tests.

use super::failure::Failure;
use super::load::{ArrayRef, dot};
use super::{Machine, coords};
use crate::code::{Dim, LoadCode, Slot};
use crate::lanes::{self, IndexFns};

/// The most indices that are remembered within a block.
const MAX_REMEMBERED: usize = 4;

/// An index of all lanes of a block, which several loads may share: the columns of an array of tuples have one
/// shape.
#[derive(Default)]
pub(super) struct Remembered {
    /// The columns of the index.
    columns: Vec<Slot>,
    guard: Option<Slot>,
    extents: Vec<i64>,
    strides: Vec<i64>,
    /// The offset of every lane.
    offsets: Vec<i64>,
    /// Whether it is inside the array.
    inside: Vec<bool>,
    /// Whether it is to be read, unless all are.
    on: Option<Vec<bool>>,
}

impl Remembered {
    fn is_for(&self, load: &LoadCode, array: &ArrayRef) -> bool {
        let same = |(dim, column): (&Dim, &Slot)| match dim {
            Dim::Column(slot) => slot == column,
            Dim::Affine { base: _, steps: _ } => false,
        };
        self.columns.len() == load.dims.len()
            && load.dims.iter().zip(&self.columns).all(same)
            && (self.guard, &self.extents, &self.strides)
                == (load.guard, &array.extents, &array.strides)
    }
}

impl Machine<'_> {
    /// Tests every lane, and reads those that are on and in range.
    pub(super) fn load_checked(&mut self, load: &LoadCode, n: usize) {
        let array = &self.env.arrays[load.array as usize];
        let known = self.remembered.iter().position(|r| r.is_for(load, array));
        let at = known.unwrap_or_else(|| self.remember(load, n));
        let Remembered {
            offsets,
            inside,
            on,
            ..
        } = &self.remembered[at];
        if on.is_some() {
            self.report_outside(load, inside, self.mask(load, n));
        }
        let (data, to) = (array.data, self.home[load.dst as usize]);
        // SAFETY: the lanes that are on are inside the array; the home of a column has room for all.
        unsafe { lanes::gather(load.ty, on.as_deref(), data, offsets, to) };
    }

    /// Forgets all indices: the columns that they come from are about to change.
    pub(super) fn forget_indices(&mut self) {
        self.spare.append(&mut self.remembered);
    }

    /// Computes the index of a load; gives where it is kept.
    fn remember(&mut self, load: &LoadCode, n: usize) -> usize {
        let array = &self.env.arrays[load.array as usize];
        let column = |dim: &Dim| match dim {
            Dim::Column(slot) => Some(*slot),
            Dim::Affine { base: _, steps: _ } => None,
        };
        let mut index = self.spare.pop().unwrap_or_default();
        index.columns.clear();
        index.columns.extend(load.dims.iter().map_while(column));
        index.guard = load.guard;
        index.extents.clone_from(&array.extents);
        index.strides.clone_from(&array.strides);
        index.offsets.clear();
        index.offsets.resize(n, 0);
        index.inside.clear();
        index.inside.resize(n, true);
        index.on = None;
        self.index_lanes(load, &mut index.offsets, &mut index.inside);
        let mask = self.mask(load, n);
        if mask.is_some() || !lanes::all(&index.inside) {
            let is_on = |(lane, inside): (usize, &bool)| *inside && mask.is_none_or(|m| m[lane]);
            index.on = Some(index.inside.iter().enumerate().map(is_on).collect());
        }
        if self.remembered.len() == MAX_REMEMBERED {
            let oldest = self.remembered.remove(0);
            self.spare.push(oldest);
        }
        self.remembered.push(index);
        self.remembered.len() - 1
    }

    /// Computes the offset of every lane, and whether it is inside the array.
    fn index_lanes(&self, load: &LoadCode, offsets: &mut [i64], inside: &mut [bool]) {
        let array = &self.env.arrays[load.array as usize];
        let n = offsets.len();
        for (dim, (&extent, &stride)) in
            (load.dims.iter()).zip(array.extents.iter().zip(&array.strides))
        {
            match dim {
                Dim::Column(slot) => {
                    let at = self.at[*slot as usize].cast::<i32>();
                    // SAFETY: an index that is a column has `n` values of type `i32`.
                    let index = unsafe { std::slice::from_raw_parts(at, n) };
                    self.add_column(offsets, inside, index, extent, stride);
                }
                Dim::Affine { base, steps } => {
                    let (first, steps) = self.affine(*base, steps);
                    let extents = &self.env.extents[self.code.nest.lane.clone()];
                    let last = steps.last().copied().unwrap_or(0) as i32;
                    coords::for_runs(extents, self.start, n, |at, before, len| {
                        let first = first.wrapping_add(dot(at, &steps)) as i32;
                        let index =
                            (0..len as i32).map(|i| first.wrapping_add(last.wrapping_mul(i)));
                        let run = before..before + len;
                        let (offsets, inside) = (&mut offsets[run.clone()], &mut inside[run]);
                        add_index(offsets, inside, index, extent, stride);
                    });
                }
            }
        }
    }

    /// Adds one dimension, whose index is a column, to the offsets and to what is known of their being inside.
    fn add_column(
        &self,
        offsets: &mut [i64],
        inside: &mut [bool],
        index: &[i32],
        extent: i64,
        stride: i64,
    ) {
        let IndexFns { offset, test } = self.code.index;
        let (n, unused) = (index.len(), std::ptr::null());
        let (index, extent) = (index.as_ptr().cast(), unsigned(extent));
        // SAFETY: all have `n` elements of the types that the loops are for.
        unsafe {
            offset(
                n,
                offsets.as_mut_ptr().cast(),
                index,
                (&raw const stride).cast(),
                unused,
            );
            test(
                n,
                inside.as_mut_ptr().cast(),
                index,
                (&raw const extent).cast(),
                unused,
            );
        }
    }

    /// Base and factors along the lane, at the current step.
    fn affine(&self, base: Slot, steps: &[(u32, Slot)]) -> (i64, Vec<i64>) {
        let lane = self.code.nest.lane.clone();
        let (mut first, mut along) = (self.int(base), vec![0; lane.len()]);
        for &(c, step) in steps {
            let (c, step) = (c as usize, self.int(step));
            if lane.contains(&c) {
                along[c - lane.start] = step;
            } else {
                first = first.wrapping_add(step.wrapping_mul(self.coords[c]));
            }
        }
        (first, along)
    }

    /// An index along one dimension, for the lane of the given coordinates; for a scalar load, of none.
    pub(super) fn dim_at(&self, dim: &Dim, lane: &[i64]) -> i64 {
        match dim {
            Dim::Column(slot) => self.int(*slot),
            Dim::Affine { base, steps } => {
                let (first, along) = self.affine(*base, steps);
                i64::from(first.wrapping_add(dot(lane, &along)) as i32)
            }
        }
    }

    #[cold]
    fn report_lane(&self, load: &LoadCode, lane: usize) {
        let nest = &self.code.nest;
        let mut at = vec![0; nest.lane.len()];
        let extents = &self.env.extents[nest.lane.clone()];
        coords::unrank(self.start + lane as i64, extents, &mut at);
        let index = load.dims.iter().map(|dim| match dim {
            // SAFETY: an index that is a column has a value for each lane.
            Dim::Column(slot) => unsafe {
                i64::from(*self.at[*slot as usize].cast::<i32>().add(lane))
            },
            Dim::Affine { base: _, steps: _ } => self.dim_at(dim, &at),
        });
        self.fail(load, lane, index.collect());
    }

    fn report_outside(&self, load: &LoadCode, inside: &[bool], mask: Option<&[bool]>) {
        let failed = |lane: &usize| !inside[*lane] && mask.is_none_or(|on| on[*lane]);
        if let Some(lane) = (0..inside.len()).find(failed) {
            self.report_lane(load, lane);
        }
    }

    #[cold]
    pub(super) fn fail(&self, load: &LoadCode, lane: usize, index: Vec<i64>) {
        self.env.failure.offer(Failure {
            point: self.point(lane),
            order: load.order,
            site: load.site,
            index,
            extents: self.env.arrays[load.array as usize].extents.clone(),
        });
    }

    /// The position of a lane of the block in the index space.
    pub(crate) fn point(&self, lane: usize) -> i64 {
        let range = self.code.nest.lane.clone();
        let mut at = self.coords.clone();
        let extents = &self.env.extents[range.clone()];
        coords::unrank(self.start + lane as i64, extents, &mut at[range]);
        coords::rank(&at, self.env.extents)
    }
}

/// An extent, which is at most `i32::MAX`: one unsigned comparison of an index with it tests both ends.
fn unsigned(extent: i64) -> u32 {
    extent.max(0) as u32
}

/// Adds one dimension to the offsets and to what is known of their being inside.
#[inline(always)]
fn add_index(
    offsets: &mut [i64],
    inside: &mut [bool],
    index: impl Iterator<Item = i32>,
    extent: i64,
    stride: i64,
) {
    let extent = unsigned(extent);
    for ((offset, inside), index) in offsets.iter_mut().zip(inside).zip(index) {
        *inside &= (index as u32) < extent;
        *offset = offset.wrapping_add(i64::from(index).wrapping_mul(stride));
    }
}
