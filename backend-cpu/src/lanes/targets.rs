//! Loops over the targets of a scatter: positions in row-major order, and negative ones where there is no target.
//!
//! Unsafe code: raw pointers, as in the module above.

use super::{LaneFn, Lanes, column, destination, instance};
use crate::isa::Isa;

/// What an index that is out of range adds: so much that the sum is negative, whatever the other dimensions add, and that of all
/// dimensions no less than the least number.
const OUTSIDE: i64 = -(1 << 58);

/// A dimension of the array that is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetDim {
    /// The number of elements.
    pub extent: u32,
    /// The distance of neighbours.
    pub stride: i64,
}

/// What was found of the targets of some lanes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    /// Whether a lane has no target.
    pub some_are_off: bool,
    /// Whether a lane that has one is out of range.
    pub some_fail: bool,
}

/// The loops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetFns {
    /// `dst[i] += a[i] · stride`, of `i64` and `i32`, with the [`TargetDim`] at `b`.
    pub along: LaneFn,
    /// `dst[i]` becomes negative where `a[i]`, a `bool`, is off; the [`Sent`] at `b` is written.
    pub guard: LaneFn,
    /// Whether all `a[i]`, of `i32`, are inside of the [`TargetDim`] at `c` and all `b[i]`, of `bool`, are on: a `bool` at `dst`.
    pub inside: LaneFn,
}

/// The loops for an instruction set.
pub(crate) fn target_fns(isa: Isa) -> TargetFns {
    TargetFns {
        along: instance::<Along>(isa),
        guard: instance::<Guard>(isa),
        inside: instance::<Inside>(isa),
    }
}

struct Along;

impl Lanes for Along {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn`; the targets were written before.
        let (out, index, TargetDim { extent, stride }) = unsafe {
            (
                destination::<i64>(dst, n),
                column::<u32>(a, n),
                *b.cast::<TargetDim>(),
            )
        };
        for (out, &index) in out.iter_mut().zip(index) {
            let offset = i64::from(index).wrapping_mul(stride);
            *out += if index < extent { offset } else { OUTSIDE };
        }
    }
}

struct Guard;

impl Lanes for Guard {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn`; the targets were written before.
        let (out, on, sent) = unsafe {
            (
                destination::<i64>(dst, n),
                column::<bool>(a, n),
                &mut *b.cast_mut().cast::<Sent>(),
            )
        };
        let (mut off, mut fail) = (false, false);
        for (out, &on) in out.iter_mut().zip(on) {
            fail |= on & (*out < 0);
            *out = if on { *out } else { OUTSIDE };
            off |= *out < 0;
        }
        *sent = Sent {
            some_are_off: off,
            some_fail: fail,
        };
    }
}

struct Inside;

impl Lanes for Inside {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, c: *const u8) {
        // SAFETY: the contract of `LaneFn`; there is room for one result.
        let (all, index, on, TargetDim { extent, .. }) = unsafe {
            (
                &mut *dst.cast::<bool>(),
                column::<u32>(a, n),
                column::<bool>(b, n),
                *c.cast::<TargetDim>(),
            )
        };
        *all = index
            .iter()
            .zip(on)
            .fold(true, |all, (&index, &on)| all & on & (index < extent));
    }
}
