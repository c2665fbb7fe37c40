//! What may be given where an expression is wanted.
//!
//! [`IntoExp`] is for closures' *results*: the value fixes the element type. [`Lift`] is for *arguments*:
//! the element type is known, and literals adapt to it. The two are apart because a literal such as `2.0`
//! is of type `f64` as a result, and of any float type as an argument.

use super::elt::{E, Elt};
use super::node_exp;
use super::scalar::{Exp, Float, Num, Scalar};
use super::session::Call;
use crate::rounding::f16;

/// A value that stands for an expression, whose element type it fixes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an expression",
    label = "a closure's result is an `Exp`, a literal, or an array, `#[derive(Elt)]` mirror or tuple (of up to sixteen) of such"
)]
pub trait IntoExp {
    /// The element type.
    type Elt: Elt;

    /// The expression.
    fn into_exp(self) -> E<Self::Elt>;
}

/// A value that can be used as an expression of element type `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as an expression of `{T}`",
    label = "expected an expression of `{T}`",
    note = "an expression is converted by `.to::<T>()`, a number of the host by `as`, a struct of the host by `constant`",
    note = "an element of an array is read by `.at(ix![i])`, that of an array without dimensions by `.the()`"
)]
pub trait Lift<T: Elt> {
    /// The expression.
    fn lift(self) -> E<T>;
}

/// A literal.
#[track_caller]
pub(crate) fn literal<T: Scalar>(value: T) -> Exp<T> {
    literal_at(Call::here("constant"), value)
}

/// The same for a given place.
pub(crate) fn literal_at<T: Scalar>(call: Call, value: T) -> Exp<T> {
    Exp::from_raw(node_exp::constant(call, value.into()))
}

impl<T: Scalar> IntoExp for Exp<T> {
    type Elt = T;

    fn into_exp(self) -> Exp<T> {
        self
    }
}

impl<T: Scalar> Lift<T> for Exp<T> {
    fn lift(self) -> Exp<T> {
        self
    }
}

macro_rules! literal_results {
    ($($ty:ty),*) => {$(
        impl IntoExp for $ty {
            type Elt = $ty;

            #[track_caller]
            fn into_exp(self) -> Exp<$ty> {
                literal(self)
            }
        }
    )*};
}

literal_results!(bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64);

macro_rules! literal_arguments {
    ($($ty:ty),*) => {$(
        impl Lift<$ty> for $ty {
            #[track_caller]
            fn lift(self) -> Exp<$ty> {
                literal(self)
            }
        }
    )*};
}

literal_arguments!(bool, i8, i16, i64, u8, u16, u32, u64, f16, f32);

impl<T: Num> Lift<T> for i32 {
    #[track_caller]
    fn lift(self) -> Exp<T> {
        literal(T::from_i32(self))
    }
}

/// A number of the host as an extent or an index. One that exceeds an `i32` is an error of the program.
impl Lift<i32> for usize {
    #[track_caller]
    fn lift(self) -> Exp<i32> {
        Exp::from_raw(node_exp::position(Call::here("usize"), self))
    }
}

impl<T: Float> Lift<T> for f64 {
    #[track_caller]
    fn lift(self) -> Exp<T> {
        literal(T::from_f64(self))
    }
}

/// Tuples of so many expressions, and of less.
macro_rules! tuples {
    () => {};
    ($first:ident $first_x:ident $first_v:ident $(, $t:ident $x:ident $v:ident)*) => {
        tuple!($first $first_x $first_v $(, $t $x $v)*);
        tuples!($($t $x $v),*);
    };
}

macro_rules! tuple {
    ($($t:ident $x:ident $v:ident),+) => {
        impl<$($x: IntoExp),+> IntoExp for ($($x,)+) {
            type Elt = ($($x::Elt,)+);

            #[track_caller]
            fn into_exp(self) -> E<Self::Elt> {
                let ($($v,)+) = self;
                ($($v.into_exp(),)+)
            }
        }

        impl<$($t: Elt, $x: Lift<$t>),+> Lift<($($t,)+)> for ($($x,)+) {
            #[track_caller]
            fn lift(self) -> E<($($t,)+)> {
                let ($($v,)+) = self;
                ($($v.lift(),)+)
            }
        }
    };
}

tuples!(
    A X0 a, B X1 b, C X2 c, D X3 d, F X4 f, G X5 g, H X6 h, I X7 i,
    J X8 j, K X9 k, L X10 l, M X11 m, N X12 n, O X13 o, P X14 p, Q X15 q
);

impl<X: IntoExp, const N: usize> IntoExp for [X; N] {
    type Elt = [X::Elt; N];

    #[track_caller]
    fn into_exp(self) -> E<Self::Elt> {
        self.map(|part| part.into_exp())
    }
}

impl<T: Elt, X: Lift<T>, const N: usize> Lift<[T; N]> for [X; N] {
    #[track_caller]
    fn lift(self) -> E<[T; N]> {
        self.map(|part| part.lift())
    }
}
