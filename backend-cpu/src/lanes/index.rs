//! Loops over indices: coordinates, and of those that are not known in advance, offsets and tests of bounds.
//!
//! Unsafe code: raw pointers, as in the module above.

use super::{LaneFn, Lanes, column, destination, instance};
use crate::isa::Isa;
use std::ops::Range;

/// So many truth values are looked at together.
const PART: usize = 64;

/// The loops that one dimension of an index needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexFns {
    /// `dst[i] += a[i] · b`, of `i64`, `i32` and one `i64`.
    pub offset: LaneFn,
    /// `dst[i] &= a[i] < b`, of `bool`, unsigned `a` and one `u32`.
    pub test: LaneFn,
    /// `dst[i] = a + i`, of `i32` and one `i32`.
    pub count: LaneFn,
}

/// The loops for an instruction set.
pub(crate) fn index_fns(isa: Isa) -> IndexFns {
    IndexFns {
        offset: instance::<Offset>(isa),
        test: instance::<Test>(isa),
        count: instance::<Count>(isa),
    }
}

/// Whether all are true.
pub(crate) fn all(column: &[bool]) -> bool {
    // Without a way out of the loop it is vectorised.
    column.iter().fold(true, |all, &x| all & x)
}

/// The lanes that are on, if they follow each other; none of them is such a range, too.
pub(crate) fn stretch(on: &[bool]) -> Option<Range<usize>> {
    if all(on) {
        return Some(0..on.len());
    }
    let is_on = |part: &[bool]| any(part);
    let Some(part) = on.chunks(PART).position(is_on) else {
        return Some(0..0);
    };
    let first = part * PART;
    let first = first + on[first..].iter().position(|&on| on)?;
    let behind = on.rchunks(PART).position(is_on)? * PART;
    let last = on[..on.len() - behind].iter().rposition(|&on| on)?;
    all(&on[first..=last]).then_some(first..last + 1)
}

/// Whether one is true.
pub(crate) fn any(column: &[bool]) -> bool {
    column.iter().fold(false, |any, &x| any | x)
}

struct Offset;

impl Lanes for Offset {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn`; the offsets were written before.
        let (out, index, stride) = unsafe {
            (
                destination::<i64>(dst, n),
                column::<i32>(a, n),
                *b.cast::<i64>(),
            )
        };
        for (out, &index) in out.iter_mut().zip(index) {
            *out = out.wrapping_add(i64::from(index).wrapping_mul(stride));
        }
    }
}

struct Test;

impl Lanes for Test {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn`; the truth values were written before.
        let (out, index, extent) = unsafe {
            (
                destination::<bool>(dst, n),
                column::<u32>(a, n),
                *b.cast::<u32>(),
            )
        };
        for (out, &index) in out.iter_mut().zip(index) {
            *out &= index < extent;
        }
    }
}

struct Count;

impl Lanes for Count {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, _: *const u8, _: *const u8) {
        // SAFETY: the caller has room for `n` elements at `dst`, and one element at `a`.
        let (out, first) = unsafe { (destination::<i32>(dst, n), *a.cast::<i32>()) };
        for (i, out) in (0i32..).zip(out) {
            *out = first.wrapping_add(i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_is_all_that_is_on() {
        for n in [1, 7, 64, 65, 200] {
            for (first, len) in
                (0..n).flat_map(|first| (0..=n - first).map(move |len| (first, len)))
            {
                let mut on = vec![false; n];
                on[first..first + len].fill(true);
                let expected = if len == 0 { 0..0 } else { first..first + len };
                assert_eq!(stretch(&on), Some(expected));
                if len > 2 {
                    on[first + len / 2] = false;
                    assert_eq!(stretch(&on), None, "a gap");
                }
            }
        }
    }
}
