//! Reading lanes that may be out of range: offsets are computed and tested lane by lane.
//!
//! Unsafe code: index columns are read, and elements gathered, through raw pointers after the tests.

use super::failure::{Failure, Problem};
use super::limits::Limits;
use super::load::{ArrayRef, dot};
use super::{Machine, coords};
use crate::code::{Bounds, Dim, LoadCode, Slot};
use crate::few::Few;
use crate::lanes::{self, Bounded, GatherFns};

/// An index of all lanes of a block, which several loads may share: the columns of an array of tuples have one
/// shape.
#[derive(Default)]
pub(super) struct Remembered {
    /// The run of the code that it is from.
    run: u64,
    /// The offset of every lane, unless it is the index itself.
    offsets: Vec<i64>,
    /// The column of the index, where that is the offset, and all lanes read.
    column: Option<Slot>,
    /// Whether it is inside the array.
    inside: Vec<bool>,
    /// Whether all are read.
    all_on: bool,
    /// Whether it is to be read, unless all are.
    on: Vec<bool>,
    /// Whether some lane would be read, were it inside.
    fails: bool,
}

/// For each load, the first one with the same index into an array of the same form.
fn shared_indices(loads: &[LoadCode], arrays: &[ArrayRef]) -> Vec<usize> {
    let form = |load: &LoadCode| {
        let array = &arrays[load.array as usize];
        (&array.extents, &array.strides)
    };
    let mut shared: Vec<usize> = Vec::with_capacity(loads.len());
    for (i, load) in loads.iter().enumerate() {
        let same = |&j: &usize| loads[j].index == load.index && form(&loads[j]) == form(load);
        let first = (load.index as usize..i).find(same);
        shared.push(first.unwrap_or(i));
    }
    shared
}

impl Machine<'_> {
    /// Tests every lane, and reads those that are on and in range.
    pub(super) fn load_checked(&mut self, i: usize, mask: Option<&[bool]>, n: usize) {
        if mask.is_none() && self.load_run(i, n) {
            return;
        }
        let load = &self.code.loads[i];
        if self.read_tested(load, mask, n) {
            return;
        }
        self.prepare_to_remember();
        let shared = self.shared[i];
        if self.remembered[shared].run != self.runs {
            self.remember(load, mask, shared, n);
        }
        let Remembered {
            offsets,
            column,
            inside,
            all_on,
            on,
            fails,
            run: _,
        } = &self.remembered[shared];
        let (data, to) = (
            self.env.arrays[load.array as usize].data,
            self.home[load.dst as usize],
        );
        let (GatherFns { narrow, wide, .. }, unused) = (load.gather, std::ptr::null());
        // SAFETY: the lanes that are on are inside the array; the home of a column has room for all; an index is taken for
        // offsets only where `remember` found that it is one.
        unsafe {
            match (all_on, column) {
                (false, _) => {
                    if *fails {
                        self.report_outside(load, inside, mask);
                    }
                    lanes::masked_gather(load.gather, on, data, offsets, to);
                }
                (true, Some(index)) => narrow(n, to, self.at[*index as usize], data, unused),
                (true, None) => wide(n, to, offsets.as_ptr().cast(), data, unused),
            }
        }
    }

    /// Reads the elements of an array of one dimension at a column of indices, testing them on the way. Whether it did, and
    /// all that are on are inside.
    fn read_tested(&self, load: &LoadCode, mask: Option<&[bool]>, n: usize) -> bool {
        let array = &self.env.arrays[load.array as usize];
        let (Some(read), [Dim::Column(slot)], [extent], [1]) = (
            load.gather.tested,
            load.dims.as_slice(),
            array.extents.as_slice(),
            array.strides.as_slice(),
        ) else {
            return false;
        };
        let bounded = Bounded {
            from: array.data,
            extent: unsigned(*extent),
        };
        let on = mask.map_or(std::ptr::null(), <[bool]>::as_ptr);
        let (to, index) = (self.home[load.dst as usize], self.index_column(*slot, n));
        // SAFETY: the index and the mask have `n` lanes, the home of a column has room for them; the array has the extent.
        unsafe { read(n, to, bounded, index.as_ptr(), on) }
    }

    /// Makes room for indices, unless there is some: few machines compute one lane by lane.
    fn prepare_to_remember(&mut self) {
        if self.shared.is_empty() {
            self.shared = shared_indices(&self.code.loads, &self.env.arrays);
            self.remembered
                .resize_with(self.code.loads.len(), Default::default);
            self.remembered.iter_mut().for_each(|index| index.run = 0);
        }
    }

    /// Computes the index of a load.
    fn remember(&mut self, load: &LoadCode, mask: Option<&[bool]>, at: usize, n: usize) {
        let array = &self.env.arrays[load.array as usize];
        let mut index = std::mem::take(&mut self.remembered[at]);
        index.run = self.runs;
        index.inside.clear();
        index.inside.resize(n, true);
        index.offsets.clear();
        index.column = match (load.dims.as_slice(), array.strides.as_slice()) {
            ([Dim::Column(slot)], [1]) => Some(*slot),
            ([Dim::Column(_) | Dim::Affine { .. }], [_]) => None,
            ([] | [_, _, ..], _) | (_, [] | [_, _, ..]) => None,
        };
        if let Some(slot) = index.column {
            self.test_column(slot, &mut index.inside, array.extents[0]);
        } else {
            index.offsets.resize(n, 0);
            self.index_lanes(load, &mut index.offsets, &mut index.inside);
        }
        let are_inside = lanes::all(&index.inside);
        index.all_on = mask.is_none() && are_inside;
        index.fails = false;
        if !index.all_on {
            index.on.clone_from(&index.inside);
            index.fails = mask.map_or(!are_inside, |mask| restrict(&mut index.on, mask));
            if let Some(slot) = index.column.take() {
                let column = self.index_column(slot, n).iter();
                index.offsets.extend(column.map(|&i| i64::from(i)));
            }
        }
        self.remembered[at] = index;
    }

    /// An index that is a column.
    pub(super) fn index_column(&self, slot: Slot, n: usize) -> &[i32] {
        let at = self.at[slot as usize].cast::<i32>();
        // SAFETY: an index that is a column has `n` values of type `i32`.
        unsafe { std::slice::from_raw_parts(at, n) }
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
                    self.add_column(offsets, self.index_column(*slot, n), stride);
                    self.test_column(*slot, inside, extent);
                }
                Dim::Affine { base, steps, clamp } => {
                    let (first, steps) = self.affine(*base, steps);
                    let limits = self.limits(clamp.as_ref());
                    let extents = &self.env.extents[self.code.nest.lane.clone()];
                    let last = steps.last().copied().unwrap_or(0) as i32;
                    coords::for_runs(extents, self.start, n, |at, before, len| {
                        let first = first.wrapping_add(dot(at, &steps)) as i32;
                        let index =
                            (0..len as i32).map(|i| first.wrapping_add(last.wrapping_mul(i)));
                        let index = index.map(|index| limits.keep(index));
                        let run = before..before + len;
                        let (offsets, inside) = (&mut offsets[run.clone()], &mut inside[run]);
                        add_index(offsets, inside, index, extent, stride);
                    });
                }
            }
        }
    }

    /// Adds one dimension, whose index is a column, to the offsets.
    fn add_column(&self, offsets: &mut [i64], index: &[i32], stride: i64) {
        let (n, to, unused) = (index.len(), offsets.as_mut_ptr().cast(), std::ptr::null());
        let stride = (&raw const stride).cast();
        // SAFETY: all have `n` elements of the types that the loop is for.
        unsafe { (self.code.index.offset)(n, to, index.as_ptr().cast(), stride, unused) }
    }

    /// Adds one dimension, whose index is a column, to what is known of lanes being inside.
    fn test_column(&self, slot: Slot, inside: &mut [bool], extent: i64) {
        let (n, to, unused) = (inside.len(), inside.as_mut_ptr().cast(), std::ptr::null());
        let (index, extent) = (self.at[slot as usize], unsigned(extent));
        // SAFETY: all have `n` elements of the types that the loop is for.
        unsafe { (self.code.index.test)(n, to, index, (&raw const extent).cast(), unused) }
    }

    /// Base and factors along the lane, at the current step.
    pub(super) fn affine(&self, base: Slot, steps: &[(u32, Slot)]) -> (i64, Few<i64>) {
        let lane = self.code.nest.lane.clone();
        let (mut first, mut along) = (self.int(base), Few::from_elem(0, lane.len()));
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

    /// The bounds of an index.
    pub(super) fn limits(&self, clamp: Option<&Bounds<Slot>>) -> Limits {
        let clamp = clamp.map(|clamp| clamp.map(|slot| self.int(slot) as i32));
        clamp.map_or(Limits::NONE, Limits::new)
    }

    /// An index along one dimension, for the lane of the given coordinates; for a scalar load, of none.
    pub(super) fn dim_at(&self, dim: &Dim, lane: &[i64]) -> i64 {
        match dim {
            Dim::Column(slot) => self.int(*slot),
            Dim::Affine { base, steps, clamp } => {
                let of_lane = &self.code.nest.lane;
                let index = steps.iter().fold(self.int(*base), |index, &(c, step)| {
                    let c = c as usize;
                    let at = match of_lane.contains(&c) {
                        true => lane.get(c - of_lane.start).copied().unwrap_or(0),
                        false => self.coords[c],
                    };
                    index.wrapping_add(self.int(step).wrapping_mul(at))
                });
                i64::from(self.limits(clamp.as_ref()).keep(index as i32))
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
            Dim::Affine { .. } => self.dim_at(dim, &at),
        });
        self.fail(load, lane, index.collect());
    }

    #[cold]
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
            problem: Problem::OutOfRange {
                site: load.site,
                index,
                extents: self.env.arrays[load.array as usize].extents.to_vec(),
            },
            trips: vec![],
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

/// Turns off the lanes that the mask has off. Returns whether the mask has others on.
fn restrict(lanes: &mut [bool], mask: &[bool]) -> bool {
    let mut others = false;
    for (lane, &on) in lanes.iter_mut().zip(mask) {
        others |= on & !*lane;
        *lane &= on;
    }
    others
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
