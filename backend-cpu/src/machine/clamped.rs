//! Reading neighbouring lanes at an index that is affine, or clamped, a stencil's at the ends of its array: the lanes of
//! a run along the last coordinate fall into three pieces, before, between and behind the bounds, each of which is affine;
//! but those that are reflected are read one by one.
//!
//! The lanes may be a stretch of the block: where a guard keeps a load inside its array, those that are on mostly follow
//! each other. A block that no bound touches is not even copied. Where a row is one run, as mostly, it is looked at once.
//!
//! Unsafe code: elements are copied through raw pointers after the tests.

use super::limits::Limits;
use super::load::{ArrayRef, dot};
use super::{Machine, coords};
use crate::code::{Dim, LoadCode, Pattern};
use crate::few::Few;
use crate::lanes;
use cotangent_core::types::ScalarType;
use std::cmp::Ordering;
use std::ops::Range;

/// An index along one dimension, in the current row and step.
struct Line {
    /// The index at the lane where the lane's coordinates are 0.
    first: i64,
    /// What each of the lane's coordinates adds.
    along: Few<i64>,
    limits: Limits,
    extent: i64,
    /// The distance of neighbours in memory.
    stride: i64,
}

/// Where the lanes of a run read: at `base`, and `step` further with each lane.
#[derive(Clone, Debug)]
pub(super) struct Run {
    base: i64,
    step: i64,
    /// The lanes that are in range.
    inside: Range<i64>,
    /// The index that a bound touches, and the distance of neighbours along its dimension.
    bent: Option<(Index, i64)>,
}

/// The index of a lane: `first + step · lane`, within limits.
#[derive(Clone, Copy, Debug)]
struct Index {
    first: i64,
    step: i64,
    limits: Limits,
}

impl Machine<'_> {
    /// Reads the lanes `on` of a load, of `n`, and gives zero in the others, if its index is affine, maybe between bounds;
    /// all of them are in range; and bounds touch one dimension of each run. Whether it did.
    pub(super) fn load_stretch(&mut self, i: usize, on: Range<usize>, n: usize) -> bool {
        let load = &self.code.loads[i];
        if load.pattern == Pattern::Indexed {
            return false;
        }
        let array = &self.env.arrays[load.array as usize];
        let (to, start) = (self.home[load.dst as usize], self.start + on.start as i64);
        let first = to.wrapping_add(on.start * load.ty.bytes());
        if let Some(run) = self.direct_run(i, start, on.len()) {
            // SAFETY: all lanes of a direct access are inside the array; the home of a column has room for all lanes, and is no
            // array.
            unsafe { run.copy(array, on.len(), first) }
        } else if let Some(row) = &self.access[i].row {
            let Some(run) = row.from(start, on.len()) else {
                return false;
            };
            if let Some(base) = run.direct().filter(|_| on.len() == n) {
                self.at[load.dst as usize] = array.at(base);
                return true;
            }
            if on.len() == n && self.leave_bent(i, load, &run, n) {
                return true;
            }
            // SAFETY: all elements of the run are inside the array; the home of a column has room for all lanes, and is no
            // array.
            unsafe { run.copy(array, on.len(), first) }
        } else if !self.copy_runs(load, start, on.len(), first) {
            return false;
        }
        // SAFETY: the home of a column has room for `n` lanes, and zero bits are a zero of every type.
        unsafe { zero_around(load.ty, on, n, to) }
        true
    }

    /// Where `len` lanes from `start` on read, if the access is direct and its lanes lie at one distance.
    fn direct_run(&self, i: usize, start: i64, len: usize) -> Option<Run> {
        let (base, step) = self.direct(i)?;
        Some(Run {
            base: base + step * start,
            step,
            ..Run::of(len as i64)
        })
    }

    /// Copies the elements of the lanes from `start` on, run by run. Whether all are in range, and it did.
    fn copy_runs(&self, load: &LoadCode, start: i64, len: usize, to: *mut u8) -> bool {
        let array = &self.env.arrays[load.array as usize];
        let Some(lines) = self.lines(load, array) else {
            return false;
        };
        let extents = &self.env.extents[self.code.nest.lane.clone()];
        let mut is_read = true;
        coords::for_runs(extents, start, len, |at, before, len| {
            match is_read.then(|| run(&lines, at, len)).flatten() {
                None => is_read = false,
                // SAFETY: all elements of the run were found to be inside the array; the home of a column has room for all
                // lanes, and is no array.
                Some(run) => unsafe { run.copy(array, len, to.add(before * array.ty.bytes())) },
            }
        });
        is_read
    }

    /// Where the lanes of the whole row read, if it is one run, and all whose index is clamped are in range.
    pub(super) fn row_run(&self, load: &LoadCode) -> Option<Run> {
        self.code
            .nest
            .travels()
            .then(|| self.run_along(load, |_| true))?
    }

    /// The same along some dimensions, in a nest of one coordinate of lanes and no steps.
    pub(super) fn run_along(&self, load: &LoadCode, counts: impl Fn(usize) -> bool) -> Option<Run> {
        if load.pattern == Pattern::Indexed {
            return None;
        }
        let nest = &self.code.nest;
        let len = self.env.extents[nest.lane.start];
        let array = &self.env.arrays[load.array as usize];
        let mut run = Run::of(len);
        for (d, dim) in load.dims.iter().enumerate().filter(|(d, _)| counts(*d)) {
            let Dim::Affine { base, steps, clamp } = dim else {
                return None;
            };
            let step = steps.iter().map(|&(_, step)| self.int(step)).sum::<i64>();
            let index = Index {
                first: self.int(*base),
                step: i64::from(step as i32),
                limits: self.limits(clamp.as_ref()),
            };
            run.add(index, len, (array.extents[d], array.strides[d]))?;
        }
        Some(run)
    }

    /// The index of a load in the current row and step, unless some of it is a column.
    fn lines(&self, load: &LoadCode, array: &ArrayRef) -> Option<Few<Line>> {
        let dims = load.dims.iter().enumerate();
        let line = |(d, dim): (usize, &Dim)| match dim {
            Dim::Column(_) => None,
            Dim::Affine { base, steps, clamp } => {
                let (first, along) = self.affine(*base, steps);
                Some(Line {
                    first,
                    along,
                    limits: self.limits(clamp.as_ref()),
                    extent: array.extents[d],
                    stride: array.strides[d],
                })
            }
        };
        dims.map(line).collect()
    }
}

/// Where the `len` lanes from the coordinates `at` on read. `None` if one is out of range, or bounds touch several dimensions.
fn run(lines: &[Line], at: &[i64], len: usize) -> Option<Run> {
    let mut run = Run::of(len as i64);
    for line in lines {
        let index = Index {
            first: i64::from(line.first.wrapping_add(dot(at, &line.along)) as i32),
            step: line.along.last().copied().unwrap_or(0),
            limits: line.limits,
        };
        run.add(index, len as i64, (line.extent, line.stride))?;
    }
    run.from(0, len)
}

/// Sets the lanes around a stretch of them to zero.
///
/// # Safety
/// There is room for `n` elements at `to`.
unsafe fn zero_around(ty: ScalarType, stretch: Range<usize>, n: usize, to: *mut u8) {
    for lanes in [0..stretch.start, stretch.end..n] {
        let to = to.wrapping_add(lanes.start * ty.bytes());
        // SAFETY: these lanes are some of the `n`; zero bits are a zero of every type.
        unsafe { std::ptr::write_bytes(to, 0, lanes.len() * ty.bytes()) }
    }
}

impl Index {
    fn at(&self, lane: i64) -> i64 {
        self.limits.keep_small(self.number(lane))
    }

    /// The same before it is kept within limits.
    fn number(&self, lane: i64) -> i64 {
        self.first + self.step * lane
    }

    /// Whether no limit concerns the lanes.
    fn is_straight(&self, len: i64) -> bool {
        let is_same = |lane: i64| self.at(lane) == self.number(lane);
        is_same(0) && is_same(len - 1)
    }

    /// The same index, counted so that more of the lanes are as they are counted, where it goes around.
    fn turned(self, len: usize) -> Self {
        let (by, limits) = match self.limits {
            Limits::Ends { .. } => return self,
            Limits::Around(whole) => (whole, Limits::Anew(whole)),
            Limits::Anew(whole) => (-whole, Limits::Around(whole)),
        };
        let first = self.first + i64::from(by);
        let turned = Self {
            first,
            limits,
            ..self
        };
        let straight = |index: &Self| {
            let (before, behind) = index.bends(len);
            behind - before
        };
        match straight(&turned) > straight(&self) {
            true => turned,
            false => self,
        }
    }

    /// The lanes whose index is below an extent, and not below 0, if there are no bounds. (Where the index is as small as
    /// that, it did not wrap.)
    fn inside(&self, extent: i64) -> Range<i64> {
        let &Self { first, step, .. } = self;
        // The first lane where an index that grows by `step` is not below `x`.
        let reaches = |x: i64, first: i64, step: i64| (x - first + step - 1).div_euclid(step);
        match step.cmp(&0) {
            Ordering::Equal if (0..extent).contains(&first) => i64::MIN..i64::MAX,
            Ordering::Equal => 0..0,
            Ordering::Greater => reaches(0, first, step)..reaches(extent, first, step),
            Ordering::Less => reaches(1 - extent, -first, -step)..reaches(1, -first, -step),
        }
    }
}

impl Run {
    /// So many lanes that read one element.
    fn of(len: i64) -> Self {
        Self {
            base: 0,
            step: 0,
            inside: 0..len,
            bent: None,
        }
    }

    /// Adds an index along a dimension of the given extent and stride, for `len` lanes.
    fn add(&mut self, index: Index, len: i64, (extent, stride): (i64, i64)) -> Option<()> {
        if !index.limits.are_any() {
            let inside = index.inside(extent);
            self.inside = self.inside.start.max(inside.start)..self.inside.end.min(inside.end);
            self.base += index.first * stride;
            self.step += index.step * stride;
            return Some(());
        }
        // In wrapping arithmetic, the index would begin anew.
        let end = i64::from(i32::try_from(index.number(len - 1)).ok()?);
        let numbers = [index.first, end];
        if !index.limits.are_inside(numbers, extent) || !index.limits.are_same_for(numbers) {
            return None;
        }
        let index = index.turned(len as usize);
        let is_level = index.limits.are_level() || index.step == 0;
        if index.is_straight(len) {
            self.base += index.first * stride;
            self.step += index.step * stride;
        } else if is_level && index.at(0) == index.at(len - 1) {
            self.base += index.at(0) * stride;
        } else if self.bent.replace((index, stride)).is_some() {
            return None;
        }
        Some(())
    }

    /// The same for `n` lanes from one of them on, if they are in range.
    pub(super) fn from(&self, start: i64, n: usize) -> Option<Self> {
        if start < self.inside.start || start + n as i64 > self.inside.end {
            return None;
        }
        let mut run = Self {
            base: self.base + self.step * start,
            step: self.step,
            inside: 0..n as i64,
            bent: None,
        };
        if let Some((index, stride)) = &self.bent {
            let first = index.number(start);
            let index = Index { first, ..*index }.turned(n);
            if index.is_straight(n as i64) {
                run.base += index.first * stride;
                run.step += index.step * stride;
            } else {
                run.bent = Some((index, *stride));
            }
        }
        Some(run)
    }

    /// Where the first lane reads, if no bound bends the run there.
    pub(super) fn base(&self) -> i64 {
        self.base
    }

    /// Lets it begin elsewhere.
    pub(super) fn move_to(&mut self, base: i64) {
        self.base = base;
    }

    /// The distance of neighbouring lanes (1 where there is one lane), if all `len` of a row are in range and no bound bends it.
    pub(super) fn step_of_all(&self, len: i64) -> Option<i64> {
        let has_all = self.inside.start <= 0 && len <= self.inside.end;
        let step = if len <= 1 { 1 } else { self.step };
        (has_all && self.bent.is_none()).then_some(step)
    }

    /// Where the elements begin, if they lie side by side.
    fn direct(&self) -> Option<i64> {
        (self.step == 1 && self.bent.is_none()).then_some(self.base)
    }

    /// The lanes of `n` that lie side by side, and where the first of all would lie with them, if a bound bends the run.
    pub(super) fn between(&self, n: usize) -> Option<(i64, Range<usize>)> {
        let (index, stride) = self.bent.as_ref()?;
        let (before, behind) = index.bends(n);
        let is_straight = self.step + index.step * stride == 1;
        is_straight.then(|| (self.base + index.first * stride, before..behind))
    }

    /// Where a lane reads.
    pub(super) fn offset(&self, lane: i64) -> i64 {
        let bent = self.bent.as_ref();
        let bent = bent.map_or(0, |(index, stride)| index.at(lane) * stride);
        self.base + self.step * lane + bent
    }

    /// Copies the elements of the run.
    ///
    /// # Safety
    /// All are in the array, and `to` has room for them, outside of the array.
    pub(super) unsafe fn copy(&self, array: &ArrayRef, len: usize, to: *mut u8) {
        let piece = |lanes: Range<usize>, base: i64, step: i64| {
            if lanes.is_empty() {
                return;
            }
            let from = array.at(base + step * lanes.start as i64);
            let to = to.wrapping_add(lanes.start * array.ty.bytes());
            // SAFETY: the caller's; the lanes of a piece are some of the run's.
            unsafe {
                match step {
                    1 => lanes::copy(array.ty, lanes.len(), from, to),
                    _ => lanes::strided_load(array.ty, lanes.len(), from, step as isize, to),
                }
            }
        };
        let Some((index, stride)) = &self.bent else {
            return piece(0..len, self.base, self.step);
        };
        let (before, behind) = index.bends(len);
        let end = |lane: usize| self.base + index.at(lane as i64) * stride;
        let (base, step) = (index.first * stride, index.step * stride);
        let beyond = |lanes: Range<usize>| {
            if index.limits.are_level() {
                piece(lanes.clone(), end(lanes.start), self.step);
            } else if index.limits.are_moved() {
                let before = step * lanes.start as i64;
                piece(lanes.clone(), end(lanes.start) - before, self.step + step);
            } else {
                lanes.for_each(|lane| piece(lane..lane + 1, end(lane), self.step));
            }
        };
        beyond(0..before);
        piece(before..behind, self.base + base, self.step + step);
        beyond(behind..len);
    }
}

impl Index {
    /// The first lane between the bounds, and the first behind them.
    fn bends(&self, len: usize) -> (usize, usize) {
        let [low, high] = self.limits.straight();
        let (to_start, to_end, step) = match self.step > 0 {
            true => (low - self.first, high - self.first, self.step),
            false => (self.first - high, self.first - low, -self.step),
        };
        // A step of 0 has both ends at one place, and bends nowhere.
        let lane = |lane: i64| lane.clamp(0, len as i64) as usize;
        let (first, last) = match step {
            // No division, which would take longer than all the rest.
            ..=1 => (to_start, to_end),
            _ => (
                (to_start + step - 1).div_euclid(step),
                to_end.div_euclid(step),
            ),
        };
        let before = lane(first);
        (before, lane(last + 1).max(before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bends_are_where_bounds_begin_and_end_to_hold() {
        for (first, step, low, high) in (-9..9).flat_map(|first| {
            let steps = [-3, -2, -1, 1, 2, 5];
            steps.into_iter().flat_map(move |step| {
                (-6..6).flat_map(move |low| (low..7).map(move |high| (first, step, low, high)))
            })
        }) {
            let len = 12;
            let limits = Limits::Ends {
                sums: [None; 2],
                ends: [low, high],
            };
            let (first, step) = (i64::from(first), i64::from(step));
            let index = Index {
                first,
                step,
                limits,
            };
            let is_between = |lane: usize| {
                limits.keep_small(first + step * lane as i64) == first + step * lane as i64
            };
            let (before, behind) = index.bends(len);
            for lane in 0..len {
                assert_eq!(
                    (before..behind).contains(&lane),
                    is_between(lane),
                    "{first} + {step} · {lane}, from {low} to {high}"
                );
            }
        }
    }
}
