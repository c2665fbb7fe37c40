//! Loads of boxes: lanes that are affine in several coordinates are read plane by plane, without a list of
//! offsets.
//!
//! Unsafe code: raw pointers; each function states what must hold.

use super::rows::{MAX_ROW, max_row, rows_fn};
use super::{by_width, fill};
use crate::isa::Isa;
use crate::machine::coords::{Plane, for_planes};
use cotangent_core::types::ScalarType;

/// The fewest rows that are worth transposing.
const LEAST_ROWS: usize = 8;

/// How elements of a plane lie in memory, in elements.
#[derive(Clone, Copy)]
struct Steps {
    row: isize,
    lane: isize,
}

/// Reads `n` lanes from number `start` on. Lanes count through a box of the given extents; an element is as
/// many elements from `from` as the coordinates times the steps.
///
/// # Safety
/// Those elements of type `ty` are valid for reading, `to` for writing `n`, and they do not overlap; and the
/// machine has the instruction set.
pub(crate) unsafe fn load_runs(
    (isa, ty): (Isa, ScalarType),
    (extents, steps): (&[i64], &[i64]),
    (start, n): (i64, usize),
    from: *const u8,
    to: *mut u8,
) {
    let last = |n: usize| steps.len().checked_sub(n).map_or(0, |d| steps[d] as isize);
    let plane_steps = Steps {
        row: last(2),
        lane: last(1),
    };
    for_planes(extents, start, n, |plane| {
        let products = plane.at.iter().zip(steps).map(|(x, step)| x * step);
        let offset = products.sum::<i64>() as isize * ty.bytes() as isize;
        let from = from.wrapping_offset(offset);
        // SAFETY: a plane has lanes of the `n` only, whose elements can be read; `to` has a place for each of them
        // from `plane.before` on.
        unsafe {
            let to = to.add(plane.before * ty.bytes());
            load_plane((isa, ty), &plane, plane_steps, from, to);
        }
    });
}

/// # Safety
/// As for `load_runs`.
unsafe fn load_plane(
    (isa, ty): (Isa, ScalarType),
    plane: &Plane,
    steps: Steps,
    from: *const u8,
    to: *mut u8,
) {
    // SAFETY: the three ways of reading a plane ask for the same: its elements at those steps, and a place for each
    // in `to`.
    unsafe {
        // Rows of equal lanes are quicker filled.
        if steps.row == 1
            && steps.lane != 0
            && plane.rows >= LEAST_ROWS
            && transpose((isa, ty), plane, steps, from, to)
        {
            return;
        }
        if steps.lane == 0 {
            return fill_plane((isa, ty), plane, steps, from, to);
        }
        by_width!(ty, T => copy_plane::<T>(plane, steps, from.cast(), to.cast()));
    }
}

/// Reads a plane each row of which is one element.
///
/// # Safety
/// As for `load_runs`.
unsafe fn fill_plane(
    (isa, ty): (Isa, ScalarType),
    plane: &Plane,
    steps: Steps,
    from: *const u8,
    to: *mut u8,
) {
    let (fill, unused) = (fill(isa, ty), std::ptr::null());
    for row in 0..plane.rows {
        // SAFETY: the row's one element is where `from` is after `row` steps, and its lanes are places `row ·
        // plane.lanes` and following of the plane.
        unsafe {
            let to = to.add(row * plane.lanes * ty.bytes());
            let from = from.offset(row as isize * steps.row * ty.bytes() as isize);
            fill(plane.lanes, to, from, unused, unused);
        }
    }
}

/// Reads a plane whose rows are neighbours in memory; false, without reading, where the type has no way to.
///
/// # Safety
/// As for `load_runs`.
unsafe fn transpose(
    (isa, ty): (Isa, ScalarType),
    plane: &Plane,
    steps: Steps,
    from: *const u8,
    to: *mut u8,
) -> bool {
    let Some(rows) = rows_fn(isa, ty) else {
        return false;
    };
    let bytes = ty.bytes() as isize;
    let width = max_row(ty);
    for first in (0..plane.lanes).step_by(width) {
        let lane = |j: usize| from.wrapping_offset((first + j) as isize * steps.lane * bytes);
        let columns: [*const u8; MAX_ROW] = std::array::from_fn(lane);
        let count = width.min(plane.lanes - first);
        // SAFETY: the first `count` columns have an element for each row of the plane, and `to` has its lanes from
        // `first` on.
        unsafe {
            let to = to.add(first * ty.bytes());
            rows(plane.rows, &columns, count, to, plane.lanes as isize);
        }
    }
    true
}

/// # Safety
/// As for `load_runs`.
unsafe fn copy_plane<T: Copy>(plane: &Plane, steps: Steps, from: *const T, to: *mut T) {
    for row in 0..plane.rows {
        // SAFETY: the row begins `row` steps after the plane, and its lanes are places `row · plane.lanes` and
        // following.
        unsafe {
            let to = to.add(row * plane.lanes);
            copy_run(
                plane.lanes,
                from.offset(row as isize * steps.row),
                steps.lane,
                to,
            );
        }
    }
}

/// # Safety
/// As for `load_runs`.
#[inline(always)]
unsafe fn copy_run<T: Copy>(n: usize, from: *const T, step: isize, to: *mut T) {
    // SAFETY: there are `n` elements at distance `step` to read, and `n` places side by side.
    unsafe {
        match step {
            1 => std::ptr::copy_nonoverlapping(from, to, n),
            _ => (0..n).for_each(|i| *to.add(i) = *from.offset(i as isize * step)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::coords::{product, unrank};

    fn loaded(isa: Isa, extents: [i64; 3], steps: [i64; 3], (start, n): (i64, usize)) {
        let offset = |lane: i64| -> i64 {
            let mut at = [0; 3];
            unrank(lane, &extents, &mut at);
            at.iter().zip(steps).map(|(x, step)| x * step).sum()
        };
        let lanes = start..start + n as i64;
        let memory: Vec<f64> = (0..2000).map(f64::from).collect();
        let expected: Vec<f64> = lanes.map(|lane| 500.0 + offset(lane) as f64).collect();
        let mut found = vec![-1.0; n];
        // SAFETY: offsets are within ±500 of the element that is the origin.
        unsafe {
            let from = memory.as_ptr().add(500).cast();
            let what = (isa, ScalarType::F64);
            let to = found.as_mut_ptr().cast();
            load_runs(what, (&extents, &steps), (start, n), from, to);
        }
        assert_eq!(found, expected, "{isa:?} {extents:?} {steps:?} {start} {n}");
    }

    /// Of the shapes the first alone, in Miri.
    #[test]
    fn boxes_are_read_lane_by_lane() {
        let shapes = [[3, 4, 5], [2, 9, 11], [1, 20, 3], [4, 1, 7], [2, 17, 8]];
        let shapes = &shapes[..if cfg!(miri) { 1 } else { shapes.len() }];
        let steps = [
            [60, 1, 7],
            [33, 11, 1],
            [0, 1, 20],
            [5, 0, 3],
            [-7, 1, -2],
            [9, 2, 0],
            [7, 1, 0],
        ];
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            for (extents, steps) in shapes
                .iter()
                .flat_map(|e| steps.iter().map(move |s| (*e, *s)))
            {
                let all = product(&extents).unwrap() as usize;
                for start in [0, 1, 6, all / 2] {
                    for n in [0, 1, (all - start) / 2, all - start] {
                        loaded(isa, extents, steps, (start as i64, n));
                    }
                }
            }
        }
    }
}
