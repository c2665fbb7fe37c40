//! Loops that combine: accumulation, folds of a column, running folds, and sums of products.
//!
//! They exist for the associative and commutative primitives; other operators run as bytecode.
//!
//! Unsafe code: raw pointers, as in the module above.

use super::number::{boolean, f16, f32, f64, i32, i64, u32};
use super::segments::Segments;
use super::{Binary, LaneFn, Lanes, column, destination, instance};
use crate::isa::Isa;
use cotangent_core::prim::Prim;
use cotangent_core::types::ScalarType;
use std::marker::PhantomData;

/// The number of partial results that a fold of a column keeps, whatever the instruction set.
pub(crate) const FOLD_LANES: usize = 16;

/// The loops for one operator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoldFns {
    /// `dst[i] = f(dst[i], a[i])`.
    pub accumulate: LaneFn,
    /// `dst[i % 16] = f(dst[i % 16], a[i])`; `dst` has [`FOLD_LANES`] elements.
    pub fold: LaneFn,
    /// From the first lane: `carry = f(carry, a[i]); dst[i] = carry`, with `carry` at `b`, which is written.
    pub scan_left: LaneFn,
    /// From the last lane: `carry = f(a[i], carry); dst[i] = carry`, with `carry` at `b`, which is written.
    pub scan_right: LaneFn,
    /// `dst[s]` = the fold of segment `s` of `a`; `c` points to the length of segments, a `usize`.
    pub segments: LaneFn,
}

struct Accumulate<O>(PhantomData<O>);

impl<O: Binary<R = <O as Binary>::X>> Lanes for Accumulate<O> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, _: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn`; what is combined was written before.
        let (acc, x) = unsafe { (destination::<O::X>(dst, n), column::<O::X>(a, n)) };
        for (acc, &x) in acc.iter_mut().zip(x) {
            *acc = O::apply(*acc, x);
        }
    }
}

struct Fold<O>(PhantomData<O>);

impl<O: Binary<R = <O as Binary>::X>> Lanes for Fold<O> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, _: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn`, with the destination's length that `FoldFns` states.
        let (acc, x) = unsafe {
            let acc = &mut *dst.cast::<[O::X; FOLD_LANES]>();
            (acc, column::<O::X>(a, n))
        };
        let mut sums = *acc;
        let mut groups = x.chunks_exact(FOLD_LANES);
        for group in &mut groups {
            for (sum, &x) in sums.iter_mut().zip(group) {
                *sum = O::apply(*sum, x);
            }
        }
        for (sum, &x) in sums.iter_mut().zip(groups.remainder()) {
            *sum = O::apply(*sum, x);
        }
        *acc = sums;
    }
}

struct Scan<O, const LEFT: bool>(PhantomData<O>);

impl<O: Binary<R = <O as Binary>::X>, const LEFT: bool> Lanes for Scan<O, LEFT> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn`; `FoldFns` states that the carry is written.
        let (out, x, carry) = unsafe {
            (
                destination::<O::X>(dst, n),
                column::<O::X>(a, n),
                &mut *b.cast_mut().cast::<O::X>(),
            )
        };
        let mut sum = *carry;
        for i in 0..n {
            let i = if LEFT { i } else { n - 1 - i };
            sum = if LEFT {
                O::apply(sum, x[i])
            } else {
                O::apply(x[i], sum)
            };
            out[i] = sum;
        }
        *carry = sum;
    }
}

fn fns<O: Binary<R = <O as Binary>::X>>(isa: Isa) -> FoldFns {
    FoldFns {
        accumulate: instance::<Accumulate<O>>(isa),
        fold: instance::<Fold<O>>(isa),
        scan_left: instance::<Scan<O, true>>(isa),
        scan_right: instance::<Scan<O, false>>(isa),
        segments: instance::<Segments<O>>(isa),
    }
}

/// The loops for a primitive as an operator, if it has any.
pub(crate) fn fold_fns(isa: Isa, prim: Prim, ty: ScalarType) -> Option<FoldFns> {
    macro_rules! number {
        ($m:ident) => {
            match prim {
                Prim::Add => return Some(fns::<$m::Add>(isa)),
                Prim::Mul => return Some(fns::<$m::Mul>(isa)),
                Prim::Max => return Some(fns::<$m::Max>(isa)),
                Prim::Min => return Some(fns::<$m::Min>(isa)),
                _other => None,
            }
        };
    }
    match ty {
        ScalarType::F64 => number!(f64),
        ScalarType::F16 => number!(f16),
        ScalarType::F32 => number!(f32),
        ScalarType::I64 => number!(i64),
        ScalarType::I32 => number!(i32),
        ScalarType::U32 => number!(u32),
        ScalarType::Bool if prim == Prim::And => Some(fns::<boolean::And>(isa)),
        ScalarType::Bool if prim == Prim::Or => Some(fns::<boolean::Or>(isa)),
        ScalarType::Bool => None,
    }
}
