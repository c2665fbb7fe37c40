//! Elements that add up and multiply: numbers and complex numbers.

use super::acc::Acc;
use super::complex::{Complex, ComplexE};
use super::elt::{E, Elt};
use super::lift::literal_at;
use super::scalar::{Exp, Float, Num};
use super::session::Call;
use super::shape::{HasInner, Shape};
use crate::prim::Prim;

/// Elements that add up and multiply, so that there are sums, products and matrices of them: those of [`Num`], and complex numbers.
#[diagnostic::on_unimplemented(
    message = "arithmetic is not defined on `{Self}`",
    label = "the number types are i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 and `Complex`",
    note = "convert with `.to::<T>()`; tuples and arrays are computed on part by part"
)]
pub trait Ring: Elt {
    /// A small number.
    #[doc(hidden)]
    fn small(call: Call, value: i32) -> E<Self>;

    /// A product of two.
    #[doc(hidden)]
    fn times(call: Call, x: E<Self>, y: E<Self>) -> E<Self>;

    /// The sums along the inner dimension.
    #[doc(hidden)]
    #[track_caller]
    fn sum_of<Sh: Shape + HasInner>(call: Call, array: Acc<Sh, Self>) -> Acc<Sh::Outer, Self>;

    /// The products along the inner dimension.
    #[doc(hidden)]
    #[track_caller]
    fn product_of<Sh: Shape + HasInner>(call: Call, array: Acc<Sh, Self>) -> Acc<Sh::Outer, Self>;

    /// The sums along the inner dimension of products of what is in the same places.
    #[doc(hidden)]
    #[track_caller]
    fn inner_product<Sh: Shape + HasInner>(
        call: Call,
        x: Acc<Sh, Self>,
        y: Acc<Sh, Self>,
    ) -> Acc<Sh::Outer, Self>;
}

impl<T: Num> Ring for T {
    fn small(call: Call, value: i32) -> Exp<T> {
        literal_at(call, T::from_i32(value))
    }

    fn times(call: Call, x: Exp<T>, y: Exp<T>) -> Exp<T> {
        call.throughout(|| x * y)
    }

    fn sum_of<Sh: Shape + HasInner>(call: Call, array: Acc<Sh, T>) -> Acc<Sh::Outer, T> {
        array.reduce(call, Prim::Add, Some(T::from_i32(0)))
    }

    fn product_of<Sh: Shape + HasInner>(call: Call, array: Acc<Sh, T>) -> Acc<Sh::Outer, T> {
        array.reduce(call, Prim::Mul, Some(T::from_i32(1)))
    }

    #[track_caller]
    fn inner_product<Sh: Shape + HasInner>(
        call: Call,
        x: Acc<Sh, T>,
        y: Acc<Sh, T>,
    ) -> Acc<Sh::Outer, T> {
        let times = move |x: Exp<T>, y: Exp<T>| T::times(call, x, y);
        x.zip_with(y, times).sum()
    }
}

/// By parts: sums of these are as exact as those of real numbers, and products of matrices are four of real ones.
impl<T: Float> Ring for Complex<T> {
    fn small(call: Call, value: i32) -> ComplexE<T> {
        ComplexE {
            re: T::small(call, value),
            im: T::small(call, 0),
        }
    }

    fn times(call: Call, x: ComplexE<T>, y: ComplexE<T>) -> ComplexE<T> {
        call.throughout(|| x * y)
    }

    #[track_caller]
    fn sum_of<Sh: Shape + HasInner>(call: Call, array: Acc<Sh, Self>) -> Acc<Sh::Outer, Self> {
        of_parts(call, array.re().sum(), array.im().sum())
    }

    #[track_caller]
    fn product_of<Sh: Shape + HasInner>(call: Call, array: Acc<Sh, Self>) -> Acc<Sh::Outer, Self> {
        array.fold(Self::small(call, 1), move |x, y| Self::times(call, x, y))
    }

    #[track_caller]
    fn inner_product<Sh: Shape + HasInner>(
        call: Call,
        x: Acc<Sh, Self>,
        y: Acc<Sh, Self>,
    ) -> Acc<Sh::Outer, Self> {
        let times = |x, y| T::inner_product(call, x, y);
        let (a, b, c, d) = (x.re(), x.im(), y.re(), y.im());
        of_parts(call, times(a, c) - times(b, d), times(a, d) + times(b, c))
    }
}

#[track_caller]
fn of_parts<Sh: Shape, T: Float>(
    call: Call,
    re: Acc<Sh, T>,
    im: Acc<Sh, T>,
) -> Acc<Sh, Complex<T>> {
    re.zip_with(im, move |re: Exp<T>, im: Exp<T>| {
        call.throughout(|| ComplexE { re, im })
    })
}
