//! The operations of semirings, on elements and on vectors.
//!
//! The meaning is that of `Prim::eval`, bit for bit, but for which NaN it is: of a maximum or minimum a NaN wins,
//! and of equals the first; so what combines goes first, and the term second. Looking for NaNs takes a third of the
//! time. Where it is known that no term is one, the [`NeverNan`] operations do, whose *second* operand must not be
//! NaN; the first may be.
//!
//! Unsafe code: vectors, which need their instruction set.

use super::vector::{Element, Vector};
use std::marker::PhantomData;

/// An operation on two numbers.
pub(super) trait Operation {
    /// On single ones.
    fn one<T: Element>(x: T, y: T) -> T;
    /// On vectors.
    ///
    /// # Safety
    /// The instruction set of the vector is there.
    unsafe fn all<V: Vector>(x: V, y: V) -> V;
}

/// An operation that combines terms.
pub(super) trait Combine: Operation {
    /// What changes nothing as the first operand (but that −0 may become 0 in sums).
    fn neutral<T: Element>() -> T;
}

/// What makes terms and combines them.
pub(super) trait Algebra {
    /// How terms combine.
    type Plus: Combine;
    /// `total` combined with the term of two factors, the left one first.
    ///
    /// # Safety
    /// The instruction set of the vector is there.
    unsafe fn step<V: Vector>(total: V, left: V, right: V) -> V;
}

/// What is known of the second operand.
pub(super) trait Nans {
    /// Whether it may be NaN.
    const POSSIBLE: bool;
}

/// It may be NaN.
pub(super) struct MayBeNan;
/// It is not NaN.
pub(super) struct NeverNan;

impl Nans for MayBeNan {
    const POSSIBLE: bool = true;
}

impl Nans for NeverNan {
    const POSSIBLE: bool = false;
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident $(<$nans:ident>)? = $method:ident;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name $(<$nans>(PhantomData<$nans>))?;

        impl $(<$nans: Nans>)? Operation for $name $(<$nans>)? {
            #[inline(always)]
            fn one<T: Element>(x: T, y: T) -> T {
                x.$method(y)
            }
            #[inline(always)]
            unsafe fn all<V: Vector>(x: V, y: V) -> V {
                // SAFETY: the vector type is one of an instruction set that the caller of `all` has tested for.
                unsafe { x.$method $(::<$nans>)? (y) }
            }
        }
    )*};
}

operations! {
    /// The sum.
    Sum = add;
    /// The product.
    Product = mul;
    /// The minimum.
    Least<C> = least;
    /// The maximum.
    Greatest<C> = greatest;
}

impl Combine for Sum {
    #[inline(always)]
    fn neutral<T: Element>() -> T {
        T::ZERO
    }
}

impl<C: Nans> Combine for Least<C> {
    #[inline(always)]
    fn neutral<T: Element>() -> T {
        T::HIGHEST
    }
}

impl<C: Nans> Combine for Greatest<C> {
    #[inline(always)]
    fn neutral<T: Element>() -> T {
        T::LOWEST
    }
}

/// Sums of products, rounded once where there are instructions for it.
pub(super) struct Products;

impl Algebra for Products {
    type Plus = Sum;
    #[inline(always)]
    unsafe fn step<V: Vector>(total: V, left: V, right: V) -> V {
        // SAFETY: the vector type is one of an instruction set that the caller of `step` has tested for.
        unsafe { total.multiply_add(left, right) }
    }
}

/// One operation after the other.
pub(super) struct Of<P, T>(PhantomData<(P, T)>);

impl<P: Combine, T: Operation> Algebra for Of<P, T> {
    type Plus = P;
    #[inline(always)]
    unsafe fn step<V: Vector>(total: V, left: V, right: V) -> V {
        // SAFETY: both operations are on vectors of an instruction set that the caller of `step` has tested for.
        unsafe { P::all(total, T::all(left, right)) }
    }
}
