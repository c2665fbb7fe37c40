//! Reading lanes that may be out of range: offsets are computed and tested lane by lane.
//!
//! Unsafe code: index columns are read, and elements gathered, through raw pointers after the tests.

use super::failure::Failure;
use super::load::dot;
use super::{Machine, coords};
use crate::code::{Dim, LoadCode, Slot};
use crate::lanes;

impl Machine<'_> {
    /// Tests every lane, and reads those that are on and in range.
    pub(super) fn load_checked(&mut self, load: &LoadCode, n: usize) {
        let mask = self.mask(load, n);
        let (mut offsets, mut inside) = (
            std::mem::take(&mut self.offsets),
            std::mem::take(&mut self.in_range),
        );
        offsets.clear();
        offsets.resize(n, 0);
        inside.clear();
        inside.resize(n, true);
        self.index_lanes(load, &mut offsets, &mut inside);
        self.report_outside(load, &inside, mask);
        let all_inside = inside.iter().all(|&b| b);
        if let Some(on) = mask {
            inside.iter_mut().zip(on).for_each(|(b, &on)| *b &= on);
        }
        let on = (mask.is_some() || !all_inside).then_some(inside.as_slice());
        let data = self.env.arrays[load.array as usize].data;
        // SAFETY: the lanes that are on are inside the array; the home of a column has room for all.
        unsafe { lanes::gather(load.ty, on, data, &offsets, self.home[load.dst as usize]) };
        (self.offsets, self.in_range) = (offsets, inside);
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
                    add_index(offsets, inside, index.iter().copied(), extent, stride);
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

/// Adds one dimension to the offsets and to what is known of their being inside.
#[inline(always)]
fn add_index(
    offsets: &mut [i64],
    inside: &mut [bool],
    index: impl Iterator<Item = i32>,
    extent: i64,
    stride: i64,
) {
    // An extent is at most `i32::MAX`, so that one unsigned comparison tests both ends.
    let extent = extent.max(0) as u32;
    for ((offset, inside), index) in offsets.iter_mut().zip(inside).zip(index) {
        *inside &= (index as u32) < extent;
        *offset = offset.wrapping_add(i64::from(index).wrapping_mul(stride));
    }
}
