//! Associative operators, and the numbers that they combine in.
//!
//! Sums of `f16` and `f32` are in `f64`, and rounded when all is combined: the *state* of such a sum is an `f64`,
//! whatever the values are. All other operators combine values as they are.
//!
//! Unsafe code: raw pointers, as in the module above.

use super::{Binary, Lanes, column, destination};
use cotangent_core::rounding::{f16, f16_of_f64, f32_of_f16};
use std::marker::PhantomData;

/// An operator on states.
pub(super) trait Associative {
    /// What is combined.
    type X: Copy;
    /// What has been combined so far.
    type S: Copy;
    /// Whether it takes a cycle and gives the same in any order, as sums of integers do: then one state after the other is
    /// combined as quickly as several side by side.
    const IS_QUICK: bool = false;
    /// The state that one value is.
    fn state(x: Self::X) -> Self::S;
    /// Two states combined.
    fn join(s: Self::S, t: Self::S) -> Self::S;
    /// The value that a state stands for.
    fn value(s: Self::S) -> Self::X;
}

/// A primitive that combines values as they are, and is quick or not.
pub(super) struct Plain<O, const QUICK: bool = false>(PhantomData<O>);

impl<O: Binary<R = <O as Binary>::X>, const QUICK: bool> Associative for Plain<O, QUICK> {
    type X = O::X;
    type S = O::X;
    const IS_QUICK: bool = QUICK;

    #[inline(always)]
    fn state(x: O::X) -> O::X {
        x
    }

    #[inline(always)]
    fn join(s: O::X, t: O::X) -> O::X {
        O::apply(s, t)
    }

    #[inline(always)]
    fn value(s: O::X) -> O::X {
        s
    }
}

/// A float whose sums are computed in `f64`.
pub(crate) trait Narrow: Copy {
    /// It as `f64`, exactly.
    fn widened(self) -> f64;
    /// The nearest to a sum.
    fn rounded(sum: f64) -> Self;
}

impl Narrow for f32 {
    #[inline(always)]
    fn widened(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn rounded(sum: f64) -> Self {
        sum as f32
    }
}

impl Narrow for f16 {
    #[inline(always)]
    fn widened(self) -> f64 {
        f64::from(f32_of_f16(self))
    }

    #[inline(always)]
    fn rounded(sum: f64) -> Self {
        f16_of_f64(sum)
    }
}

/// The sum of narrow floats.
pub(super) struct WideSum<T>(PhantomData<T>);

impl<T: Narrow> Associative for WideSum<T> {
    type X = T;
    type S = f64;

    #[inline(always)]
    fn state(x: T) -> f64 {
        x.widened()
    }

    #[inline(always)]
    fn join(s: f64, t: f64) -> f64 {
        s + t
    }

    #[inline(always)]
    fn value(s: f64) -> T {
        T::rounded(s)
    }
}

/// `dst = the states of a`.
pub(super) struct Load<O>(PhantomData<O>);

impl<O: Associative> Lanes for Load<O> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, _: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn` gives `n` lanes of the operands' types behind each pointer.
        let (out, x) = unsafe { (destination::<O::S>(dst, n), column::<O::X>(a, n)) };
        for (out, &x) in out.iter_mut().zip(x) {
            *out = O::state(x);
        }
    }
}

/// `dst = the values of a`, a column of states.
pub(super) struct Unload<O>(PhantomData<O>);

impl<O: Associative> Lanes for Unload<O> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, _: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn` gives `n` lanes of the operands' types behind each pointer.
        let (out, s) = unsafe { (destination::<O::X>(dst, n), column::<O::S>(a, n)) };
        for (out, &s) in out.iter_mut().zip(s) {
            *out = O::value(s);
        }
    }
}

/// `dst = dst ∘ a`, both columns of states.
pub(super) struct Join<O>(PhantomData<O>);

impl<O: Associative> Lanes for Join<O> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, _: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn`; what is combined was written before.
        let (acc, s) = unsafe { (destination::<O::S>(dst, n), column::<O::S>(a, n)) };
        for (acc, &s) in acc.iter_mut().zip(s) {
            *acc = O::join(*acc, s);
        }
    }
}
