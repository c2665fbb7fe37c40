//! Loops that combine: accumulation, folds of a column, and sums of products.
//!
//! They exist for the associative and commutative primitives; other operators run as bytecode. What has been combined
//! is a state, of another type than the values where these are narrow floats that are added ([`associative`](super::associative)).
//!
//! Note \[Groups of integers\]. Folds of a column go through it by groups of as many elements as there are lanes. With AVX-512 the compiler
//! takes a vector of elements of the same lane of several groups instead, each gathered from memory, where these are integers: 5 times
//! as long for `i32`, 2.5 times for `i64`. It does so for loops whose trips it can count, so that they are hidden from it ([`black_box`]).
//!
//! Unsafe code: raw pointers, as in the module above.

use super::associative::{Associative, Join, Load, Plain, Unload, WideSum};
use super::number::{boolean, f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64};
use super::running::Scan;
use super::segments::{Ranges, Segments};
use super::{LaneFn, Lanes, column, destination, instance};
use crate::isa::Isa;
use cotangent_core::prim::Prim;
use cotangent_core::types::ScalarType;
use std::hint::black_box;
use std::marker::PhantomData;

/// The type beside the module of its lane functions.
pub(super) type Half = cotangent_core::rounding::f16;
/// The same for `f32`.
pub(super) type Single = std::primitive::f32;

/// So many groups of [`FOLD_LANES`] elements are folded for each look at whether there are more.
const GROUPS: usize = 4;

/// The number of partial results that a fold of a column keeps, whatever the instruction set.
pub(crate) const FOLD_LANES: usize = 16;

/// The loops for one operator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoldFns {
    /// The type of states.
    pub state: ScalarType,
    /// Whether the operator takes a cycle and gives the same in any order.
    pub is_quick: bool,
    /// `dst[i] = a[i]`, made a state.
    pub load: LaneFn,
    /// `dst[i] = a[i]`, a state made a value.
    pub unload: LaneFn,
    /// `dst[i] = f(dst[i], a[i])`, of states and states.
    pub join: LaneFn,
    /// `dst[i] = f(dst[i], a[i])`, of states and values.
    pub accumulate: LaneFn,
    /// `dst[i % 16] = f(dst[i % 16], a[i])`, of states and values; `dst` has [`FOLD_LANES`] elements.
    pub fold: LaneFn,
    /// From the first lane: `carry = f(carry, a[i]); dst[i] = carry`, with the state `carry` at `b`, which is
    /// written; put in parentheses as [`running`](super::running) says.
    pub scan_left: LaneFn,
    /// The same with `dst[i] = f(before, carry)`, with the state `before` at `c`.
    pub scan_left_after: LaneFn,
    /// From the last lane: `carry = f(a[i], carry); dst[i] = carry`, with the state `carry` at `b`, which is
    /// written.
    pub scan_right: LaneFn,
    /// The same with `dst[i] = f(carry, before)`, with the state `before` at `c`.
    pub scan_right_after: LaneFn,
    /// `dst[s]` = the state that is the fold of segment `s` of `a`; `c` points to the length of segments, a
    /// `usize`.
    pub segments: LaneFn,
    /// `dst[s] = f(dst[s], …)`, of states, and of values of `a` in segments of different lengths, as [`Ranges`] says.
    pub ranges: LaneFn,
}

impl FoldFns {
    /// Folds a column of values of a type onto so many partial results, none at first. Gives how many there are then.
    ///
    /// # Safety
    /// `x` has `n` lanes, and there is room for [`FOLD_LANES`] states apart from it. A column that others follow has a multiple of as many
    /// lanes.
    pub unsafe fn fold_onto(
        &self,
        ty: ScalarType,
        (partial, width): (*mut u8, usize),
        n: usize,
        x: *const u8,
    ) -> usize {
        let first = match width {
            0 => n.min(FOLD_LANES),
            1.. => 0,
        };
        // SAFETY: the first lanes go to the partial results, for which there is room; the others exist behind them.
        unsafe {
            (self.load)(first, partial, x, x, x);
            let rest = x.add(first * ty.bytes());
            (self.fold)(n - first, partial, rest, rest, rest);
        }
        width.max(first)
    }

    /// Combines `width` ≥ 1 partial results to the first of them.
    ///
    /// # Safety
    /// There are as many states, at most [`FOLD_LANES`].
    pub unsafe fn join_all(&self, partial: *mut u8, mut width: usize) {
        while width > 1 {
            let half = width.next_power_of_two() / 2;
            // SAFETY: `half < width` lanes are there, and the halves do not overlap.
            unsafe {
                let upper = partial.add(half * self.state.bytes()).cast_const();
                (self.join)(width - half, partial, upper, upper, upper);
            }
            width = half;
        }
    }
}

struct Accumulate<O>(PhantomData<O>);

impl<O: Associative> Lanes for Accumulate<O> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, _: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn`; what is combined was written before.
        let (acc, x) = unsafe { (destination::<O::S>(dst, n), column::<O::X>(a, n)) };
        for (acc, &x) in acc.iter_mut().zip(x) {
            *acc = O::join(*acc, O::state(x));
        }
    }
}

/// Folds a column; of `INTEGER`s some groups of lanes at once, see Note \[Groups of integers\].
struct Fold<O, const INTEGER: bool>(PhantomData<O>);

impl<O: Associative, const INTEGER: bool> Lanes for Fold<O, INTEGER> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, _: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn`, with the destination's length that `FoldFns` states.
        let (acc, x) = unsafe {
            let acc = &mut *dst.cast::<[O::S; FOLD_LANES]>();
            (acc, column::<O::X>(a, n))
        };
        let mut sums = *acc;
        let mut rest = x;
        if INTEGER {
            let (parts, remainder) = x.as_chunks::<{ FOLD_LANES * GROUPS }>();
            let mut at = 0;
            while at < black_box(parts.len()) {
                let Some(part) = parts.get(at) else { break };
                fold_groups::<O>(&mut sums, part);
                at += 1;
            }
            rest = remainder;
        }
        fold_groups::<O>(&mut sums, rest);
        *acc = sums;
    }
}

/// Combines each lane with those elements of a column that are its own.
#[inline(always)]
fn fold_groups<O: Associative>(sums: &mut [O::S; FOLD_LANES], x: &[O::X]) {
    let mut groups = x.chunks_exact(FOLD_LANES);
    for group in &mut groups {
        for (sum, &x) in sums.iter_mut().zip(group) {
            *sum = O::join(*sum, O::state(x));
        }
    }
    for (sum, &x) in sums.iter_mut().zip(groups.remainder()) {
        *sum = O::join(*sum, O::state(x));
    }
}

fn fns<O: Associative, const INTEGER: bool>(isa: Isa, state: ScalarType) -> FoldFns {
    FoldFns {
        state,
        is_quick: O::IS_QUICK,
        load: instance::<Load<O>>(isa),
        unload: instance::<Unload<O>>(isa),
        join: instance::<Join<O>>(isa),
        accumulate: instance::<Accumulate<O>>(isa),
        fold: instance::<Fold<O, INTEGER>>(isa),
        scan_left: instance::<Scan<O, true, false>>(isa),
        scan_left_after: instance::<Scan<O, true, true>>(isa),
        scan_right: instance::<Scan<O, false, false>>(isa),
        scan_right_after: instance::<Scan<O, false, true>>(isa),
        segments: instance::<Segments<O>>(isa),
        ranges: instance::<Ranges<O>>(isa),
    }
}

/// The loops for a primitive as an operator, if it has any.
pub(crate) fn fold_fns(isa: Isa, prim: Prim, ty: ScalarType) -> Option<FoldFns> {
    macro_rules! number {
        ($m:ident, $integer:literal, $add:ty, $state:expr) => {
            if prim == Prim::Add {
                Some(fns::<$add, $integer>(isa, $state))
            } else if prim == Prim::Mul {
                Some(fns::<Plain<$m::Mul>, $integer>(isa, ty))
            } else if prim == Prim::Max {
                Some(fns::<Plain<$m::Max>, $integer>(isa, ty))
            } else if prim == Prim::Min {
                Some(fns::<Plain<$m::Min>, $integer>(isa, ty))
            } else {
                None
            }
        };
        ($m:ident, $integer:literal) => {
            number!($m, $integer, Plain<$m::Add, $integer>, ty)
        };
    }
    match ty {
        ScalarType::F64 => number!(f64, false),
        ScalarType::F16 => number!(f16, false, WideSum<Half>, ScalarType::F64),
        ScalarType::F32 => number!(f32, false, WideSum<Single>, ScalarType::F64),
        ScalarType::I8 => number!(i8, true),
        ScalarType::I16 => number!(i16, true),
        ScalarType::I32 => number!(i32, true),
        ScalarType::I64 => number!(i64, true),
        ScalarType::U8 => number!(u8, true),
        ScalarType::U16 => number!(u16, true),
        ScalarType::U32 => number!(u32, true),
        ScalarType::U64 => number!(u64, true),
        ScalarType::Bool if prim == Prim::And => {
            Some(fns::<Plain<boolean::And, true>, false>(isa, ty))
        }
        ScalarType::Bool if prim == Prim::Or => {
            Some(fns::<Plain<boolean::Or, true>, false>(isa, ty))
        }
        ScalarType::Bool => None,
    }
}
