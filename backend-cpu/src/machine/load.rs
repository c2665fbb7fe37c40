//! Reading arrays: bounds are tested here, for every access, proved or not.
//!
//! An access that is affine in lane and step is tested once per row, over the whole range of lanes and
//! steps, and then read directly; a contiguous one is not even copied. Everything else computes its
//! offsets, tests them lane by lane, and gathers. Lanes whose guard is off read nothing and give zero;
//! lanes whose index is out of range report it and give zero.
//!
//! Unsafe code: elements are read through raw pointers after the tests above.

use super::clamped::Run;
use super::runs::Counted;
use super::{Machine, coords, write_const};
use crate::code::{Dim, Instr, Level, LoadCode, Nest, Slot};
use crate::few::Few;
use crate::lanes::{self, Moving};
use cotangent_core::constant::Const;
use cotangent_core::schedule::drive::Ints;
use cotangent_core::types::ScalarType;
use smallvec::SmallVec;

/// An array that can be read for as long as the kernel runs.
#[derive(Clone, Debug)]
pub(crate) struct ArrayRef {
    /// The first element.
    pub data: *const u8,
    /// The type of the elements.
    pub ty: ScalarType,
    /// The extents.
    pub extents: Ints,
    /// The distance in memory of neighbours along each dimension, in elements.
    pub strides: Ints,
}

impl ArrayRef {
    /// The address of an element; valid only for an offset inside the array.
    pub(super) fn at(&self, offset: i64) -> *const u8 {
        self.data
            .wrapping_offset((offset as isize).wrapping_mul(self.ty.bytes() as isize))
    }
}

// SAFETY: nothing writes to an array while a kernel that reads it runs.
unsafe impl Send for ArrayRef {}
// SAFETY: nothing writes to an array while a kernel that reads it runs, so several threads may read it.
unsafe impl Sync for ArrayRef {}

/// The offsets along the lanes' coordinates or the steps', which are few: machines are made as often as small kernels run.
type Steps = SmallVec<[i64; 2]>;

/// How a load reads in the current row (or step).
#[derive(Clone, Debug, Default)]
pub(super) struct Access {
    /// Whether every lane, at every step, is known to be in range; the rest is meaningful only then.
    pub(super) direct: bool,
    /// The offset where lane and step are 0.
    pub(super) base: i64,
    /// The distance of neighbouring lanes; `None` where it is not constant.
    pub(super) stride: Option<i64>,
    /// The offset per coordinate of the lane.
    pub(super) lane_steps: Steps,
    /// The offset per coordinate of the step.
    seq_steps: Steps,
    /// Where a row reads that is one run, if it is not direct.
    pub(super) row: Option<Run>,
    /// The same for all rows, less what the dimensions add that travel.
    pub(super) fixed: Option<Run>,
    /// Of an index that is kept: the lanes of which it was found that it counts up, but for the first and the last.
    pub(super) counted: Option<Counted>,
}

impl Access {
    /// Nothing is known.
    pub fn forget(&mut self) {
        self.direct = false;
        self.row = None;
        self.fixed = None;
        self.counted = None;
    }

    /// What is direct, from offset 0 on, without steps, until something else is found.
    fn begin(&mut self, nest: &Nest) {
        self.direct = true;
        self.row = None;
        self.base = 0;
        self.lane_steps.clear();
        self.lane_steps.resize(nest.lane.len(), 0);
        self.seq_steps.clear();
        self.seq_steps.resize(nest.seq.len(), 0);
    }

    /// The offset per coordinate, which is one of the lane or of the step.
    fn step(&mut self, nest: &Nest, c: usize) -> &mut i64 {
        match nest.lane.contains(&c) {
            true => &mut self.lane_steps[c - nest.lane.start],
            false => &mut self.seq_steps[c - nest.seq.start],
        }
    }
}

impl Machine<'_> {
    pub(super) fn int(&self, slot: Slot) -> i64 {
        int(&self.at, slot)
    }

    /// Prepares the loads whose index is known in advance for the whole row; those that only blocks read which are not inside wait for
    /// the first of these.
    pub(super) fn set_up_rows(&mut self) {
        self.set_up_where(false);
        self.is_outside_set_up = false;
    }

    /// Prepares those that wait.
    pub(super) fn set_up_outside(&mut self) {
        if !std::mem::replace(&mut self.is_outside_set_up, true) {
            self.set_up_where(true);
        }
    }

    fn set_up_where(&mut self, outside_only: bool) {
        let (code, plan) = (self.code, self.plan);
        for (i, load) in code.loads.iter().enumerate() {
            let is_for_rows = load.setup <= Level::Row && load.level > Level::Row;
            if is_for_rows && plan.outside_only[i] == outside_only {
                self.set_up(i, load);
            }
        }
    }

    fn set_up(&mut self, i: usize, load: &LoadCode) {
        if self.travel(i, load) {
            return;
        }
        self.set_up_direct(i, load);
        if !self.access[i].direct {
            self.access[i].row = self.row_run(load);
        }
    }

    /// Finds out whether all lanes are in range at all steps, and where they are.
    fn set_up_direct(&mut self, i: usize, load: &LoadCode) {
        let nest = &self.code.nest;
        let int = |slot| int(&self.at, slot);
        let access = &mut self.access[i];
        access.begin(nest);
        let array = &self.env.arrays[load.array as usize];
        for (d, dim) in load.dims.iter().enumerate() {
            let Dim::Affine {
                base,
                steps,
                clamp: None,
            } = dim
            else {
                access.direct = false;
                return;
            };
            let stride = array.strides[d];
            let (mut low, mut high) = (int(*base), int(*base));
            access.base = access.base.wrapping_add(low.wrapping_mul(stride));
            for &(c, step) in steps {
                let (c, step) = (c as usize, int(step));
                *access.step(nest, c) += step.wrapping_mul(stride);
                let reach = step.saturating_mul((self.env.extents[c] - 1).max(0));
                low = low.saturating_add(reach.min(0));
                high = high.saturating_add(reach.max(0));
            }
            access.direct &= low >= 0 && high < array.extents[d];
        }
        access.stride = lane_stride(&self.env.extents[nest.lane.clone()], &access.lane_steps);
    }

    /// Reads one element for all lanes.
    pub(super) fn fetch(&mut self, i: usize) {
        let load = &self.code.loads[i];
        let dst = self.home[load.dst as usize];
        let on = load.guard.is_none_or(|guard| self.is_on(guard));
        if on && self.access[i].direct {
            let array = &self.env.arrays[load.array as usize];
            let from = array.at(self.direct_offset(i));
            // SAFETY: every step is known to be in range; a scalar's home has room for any element.
            return unsafe { lanes::copy(load.ty, 1, from, dst) };
        }
        let index: Few<i64> = load.dims.iter().map(|dim| self.dim_at(dim, &[])).collect();
        let array = &self.env.arrays[load.array as usize];
        if on && is_inside(&index, &array.extents) {
            let offset = dot(&index, &array.strides);
            // SAFETY: the index is inside the array, and a scalar's home has room for any element.
            unsafe { lanes::copy(load.ty, 1, array.at(offset), dst) }
        } else {
            // SAFETY: a scalar's home has room for any element.
            unsafe { write_const(dst, Const::zero(load.ty)) }
            if on && !load.is_tested_apart {
                self.fail(load, 0, index.to_vec());
            }
        }
    }

    /// Reports a load for all lanes if it is on and its index out of range.
    pub(super) fn test(&self, i: usize) {
        let load = &self.code.loads[i];
        if load.guard.is_none_or(|guard| self.is_on(guard)) {
            let index: Few<i64> = load.dims.iter().map(|dim| self.dim_at(dim, &[])).collect();
            if !is_inside(&index, &self.env.arrays[load.array as usize].extents) {
                self.fail(load, 0, index.to_vec());
            }
        }
    }

    fn is_on(&self, guard: Slot) -> bool {
        // SAFETY: a guard is a `bool` with a value by now.
        unsafe { *self.at[guard as usize].cast::<bool>() }
    }

    /// The guard's column, if it is one.
    fn mask(&self, load: &LoadCode, n: usize) -> Option<&'static [bool]> {
        let guard = load.guard.filter(|_| load.guard_is_column)?;
        // SAFETY: the column has `n` values, and it is not written before this load is done.
        Some(unsafe { std::slice::from_raw_parts(self.at[guard as usize].cast::<bool>(), n) })
    }

    /// Reads an element for each of `n` lanes.
    pub(super) fn load(&mut self, i: usize, n: usize) {
        let code = self.code;
        let load = &code.loads[i];
        let dst = load.dst as usize;
        if let Some(base) = self.side_by_side(i, load) {
            let array = &self.env.arrays[load.array as usize];
            self.at[dst] = array.at(base + self.start);
            return;
        }
        self.at[dst] = self.home[dst];
        if let Some(guard) = load.guard
            && !load.guard_is_column
            && !self.is_on(guard)
        {
            // SAFETY: the home of a column has room for `n` elements of the type; zero bits are a zero.
            return unsafe { std::ptr::write_bytes(self.home[dst], 0, n * load.ty.bytes()) };
        }
        if load.setup == Level::StepScalar {
            self.set_up(i, load);
        }
        let mask = self.mask(load, n);
        match mask.map_or(Some(0..n), lanes::stretch) {
            Some(on) if on.is_empty() => {
                // SAFETY: the home of a column has room for `n` elements of the type, and zero bits are a zero of every
                // type.
                unsafe { std::ptr::write_bytes(self.home[dst], 0, n * load.ty.bytes()) }
            }
            Some(on) if self.access[i].direct && on.len() == n => {
                self.load_direct(i, load, None, n);
            }
            Some(on) if self.load_stretch(i, on.clone(), n) => {}
            Some(on) => self.load_checked(i, mask.filter(|_| on.len() < n), n),
            None if self.access[i].direct => self.load_direct(i, load, mask, n),
            None => self.load_checked(i, mask, n),
        }
    }

    /// Where the first lane of the row reads, if all are on, known to be in range, and side by side, whatever the step: as
    /// most loads of maps.
    fn side_by_side(&self, i: usize, load: &LoadCode) -> Option<i64> {
        let access = &self.access[i];
        let is_known = access.direct && load.guard.is_none() && load.setup != Level::StepScalar;
        (is_known && access.stride == Some(1) && access.seq_steps.is_empty()).then_some(access.base)
    }

    /// The offset of a direct access at the current step, without the lane's part.
    fn direct_offset(&self, i: usize) -> i64 {
        let access = &self.access[i];
        access.base + dot(&self.coords[self.code.nest.seq.clone()], &access.seq_steps)
    }

    /// Where the first lane of a direct access reads at the current step, and the distance of the others, if it is the same for
    /// all.
    pub(super) fn direct(&self, i: usize) -> Option<(i64, i64)> {
        let access = &self.access[i];
        let stride = access.stride.filter(|_| access.direct)?;
        Some((self.direct_offset(i), stride))
    }

    /// The outputs as they move along the last coordinate of the step, from the current step on; `None`
    /// unless each is just read, from contiguous lanes that are known to be in range, or stays the same.
    pub fn moving(&self) -> Option<Few<Moving>> {
        let code = self.code;
        let scalars = self.plan.segments[Level::StepScalar as usize].iter();
        let all = scalars.chain(&self.plan.segments[Level::Step as usize]);
        let mut read = Few::new();
        for instr in all {
            let (Instr::Fetch(i) | Instr::Load(i)) = instr else {
                return None;
            };
            let (load, access) = (&code.loads[*i as usize], &self.access[*i as usize]);
            let contiguous = load.level == Level::StepScalar || access.stride == Some(1);
            if load.guard.is_some() || !access.direct || !contiguous {
                return None;
            }
            read.push(*i as usize);
        }
        let output = |&slot: &Slot| match read.iter().find(|&&i| code.loads[i].dst == slot) {
            None => Moving {
                at: self.at[slot as usize],
                step: 0,
            },
            Some(&i) => self.moving_load(i),
        };
        Some(code.outputs.iter().map(output).collect())
    }

    fn moving_load(&self, i: usize) -> Moving {
        let (load, access) = (&self.code.loads[i], &self.access[i]);
        let lane = match load.level {
            Level::Step => self.start,
            Level::Launch | Level::Row | Level::Kept | Level::Block | Level::StepScalar => 0,
        };
        let array = &self.env.arrays[load.array as usize];
        let step = access.seq_steps.last().copied().unwrap_or(0);
        Moving {
            at: array.at(self.direct_offset(i) + lane),
            step: step as isize * load.ty.bytes() as isize,
        }
    }

    /// Reads lanes that are known to be in range.
    fn load_direct(&mut self, i: usize, load: &LoadCode, mask: Option<&[bool]>, n: usize) {
        let access = &self.access[i];
        let array = &self.env.arrays[load.array as usize];
        let base = self.direct_offset(i);
        let dst = load.dst as usize;
        let extents = &self.env.extents[self.code.nest.lane.clone()];
        if access.stride.is_none() && mask.is_none() {
            let lanes = (extents, access.lane_steps.as_slice());
            let from = array.at(base);
            // SAFETY: the elements of all lanes are inside the array; a register overlaps no array.
            return unsafe {
                let what = (self.code.target.isa, load.ty);
                lanes::load_runs(what, lanes, (self.start, n), from, self.home[dst]);
            };
        }
        let Some(stride) = access.stride else {
            let (steps, start) = (Few::from_slice(&access.lane_steps), self.start);
            self.box_offsets(base, &steps, start, n);
            // Without a mask, the lanes were read as runs above.
            let on = mask.unwrap_or_default();
            // SAFETY: all offsets are inside the array.
            return unsafe {
                lanes::masked_gather(load.gather, on, array.data, &self.offsets, self.home[dst]);
            };
        };
        let from = array.at(base + self.start * stride);
        match mask {
            // SAFETY: the elements of all lanes are inside the array, on or off; a register overlaps no array.
            Some(on) => unsafe {
                lanes::masked_copy(load.ty, on, from, stride as isize, self.home[dst]);
            },
            None if stride == 1 => self.at[dst] = from,
            // SAFETY: the elements of all lanes are inside the array; a register overlaps no array.
            None => unsafe {
                lanes::strided_load(load.ty, n, from, stride as isize, self.home[dst]);
            },
        }
    }

    /// The offsets of lanes that are affine, but not in their row-major position.
    fn box_offsets(&mut self, base: i64, steps: &[i64], start: i64, n: usize) {
        let extents = &self.env.extents[self.code.nest.lane.clone()];
        self.offsets.resize(n, 0);
        let offsets = &mut self.offsets;
        let last = steps.last().copied().unwrap_or(0);
        coords::for_runs(extents, start, n, |at, before, len| {
            let first = base + dot(at, steps);
            for (i, offset) in offsets[before..before + len].iter_mut().enumerate() {
                *offset = first + last * i as i64;
            }
        });
    }
}

/// An index among the slots of a machine.
fn int(slots: &[*const u8], slot: Slot) -> i64 {
    // SAFETY: indices are `i32` scalars, with a value by now.
    unsafe { i64::from(*slots[slot as usize].cast::<i32>()) }
}

/// The distance of neighbouring lanes, if the steps along the lane's coordinates agree with counting
/// through them in row-major order.
fn lane_stride(extents: &[i64], steps: &[i64]) -> Option<i64> {
    let mut found: Option<(i64, i64)> = None;
    for (&step, &extent) in steps.iter().zip(extents).rev() {
        match found {
            _ if extent <= 1 => {}
            None => found = Some((step, step.wrapping_mul(extent))),
            Some((stride, next)) if step == next => {
                found = Some((stride, next.wrapping_mul(extent)));
            }
            Some(_) => return None,
        }
    }
    Some(found.map_or(1, |(stride, _)| stride))
}

fn is_inside(index: &[i64], extents: &[i64]) -> bool {
    index.iter().zip(extents).all(|(i, e)| (0..*e).contains(i))
}

pub(super) fn dot(x: &[i64], y: &[i64]) -> i64 {
    let product = |(x, y): (&i64, &i64)| x.wrapping_mul(*y);
    x.iter().zip(y).map(product).fold(0, i64::wrapping_add)
}
