//! Operators on complex numbers, and on arrays of them.

use super::{Complex, ComplexE, ComplexOperand};
use crate::surface::acc::{Acc, Operand, each};
use crate::surface::elt::{E, Elt};
use crate::surface::functions::cond;
use crate::surface::scalar::{Exp, Float};
use crate::surface::session::Call;
use crate::surface::shape::Shape;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

macro_rules! operators {
    (@literal $literal:ty: $trait:ident $method:ident $op:tt $function:ident) => {
        impl<T: Float> $trait<ComplexE<T>> for $literal {
            type Output = ComplexE<T>;

            #[track_caller]
            fn $method(self, right: ComplexE<T>) -> ComplexE<T> {
                let left = ComplexOperand::<T>::complex(self);
                Call::here(stringify!($op)).throughout(|| $function(left, right))
            }
        }

        impl<Sh: Shape, T: Float> $trait<Acc<Sh, Complex<T>>> for $literal {
            type Output = Acc<Sh, Complex<T>>;

            #[track_caller]
            fn $method(self, right: Acc<Sh, Complex<T>>) -> Self::Output {
                let left = ComplexOperand::<T>::complex(self);
                each(Call::here(stringify!($op)), right, |z| $function(left, z))
            }
        }
    };
    ($($trait:ident $method:ident $assign:ident $assigned:ident $op:tt $function:ident;)*) => {$(
        impl<T: Float, R: ComplexOperand<T>> $trait<R> for ComplexE<T> {
            type Output = Self;

            #[track_caller]
            fn $method(self, right: R) -> Self {
                let right = right.complex();
                Call::here(stringify!($op)).throughout(|| $function(self, right))
            }
        }

        operators!(@literal f64: $trait $method $op $function);
        operators!(@literal i32: $trait $method $op $function);

        impl<T: Float, R: ComplexOperand<T>> $assign<R> for ComplexE<T> {
            #[track_caller]
            fn $assigned(&mut self, right: R) {
                *self = *self $op right;
            }
        }

        impl<Sh: Shape, T: Float, R: Operand<Sh, Complex<T>>> $trait<R> for Acc<Sh, Complex<T>> {
            type Output = Acc<R::Shape, Complex<T>>;

            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                right.beside(Call::here(stringify!($op)), self, |x, y| $function(x, y))
            }
        }
    )*};
}

macro_rules! scalars {
    ($($ty:ty)*) => {$(
        impl<Sh: Shape, T: Float> Operand<Sh, Complex<T>> for $ty {
            type Shape = Sh;

            #[track_caller]
            fn beside<U: Elt>(
                self,
                call: Call,
                array: Acc<Sh, Complex<T>>,
                f: impl FnOnce(ComplexE<T>, ComplexE<T>) -> E<U>,
            ) -> Acc<Sh, U> {
                let scalar = ComplexOperand::<T>::complex(self);
                each(call, array, |z| f(z, scalar))
            }
        }
    )*};
}

scalars!(Complex<T> ComplexE<T> Exp<T> f64 i32);

operators! {
    Add add AddAssign add_assign + sum;
    Sub sub SubAssign sub_assign - difference;
    Mul mul MulAssign mul_assign * product;
    Div div DivAssign div_assign / quotient;
}

fn sum<T: Float>(x: ComplexE<T>, y: ComplexE<T>) -> ComplexE<T> {
    ComplexE {
        re: x.re + y.re,
        im: x.im + y.im,
    }
}

fn difference<T: Float>(x: ComplexE<T>, y: ComplexE<T>) -> ComplexE<T> {
    ComplexE {
        re: x.re - y.re,
        im: x.im - y.im,
    }
}

fn product<T: Float>(x: ComplexE<T>, y: ComplexE<T>) -> ComplexE<T> {
    ComplexE {
        re: x.re * y.re - x.im * y.im,
        im: x.re * y.im + x.im * y.re,
    }
}

/// By the greater part of the divisor first (Smith 1962, algorithm 116), so that its square need not be a number of the type.
fn quotient<T: Float>(x: ComplexE<T>, y: ComplexE<T>) -> ComplexE<T> {
    let is_steep = y.im.abs().gt(y.re.abs());
    let either = |steep: Exp<T>, flat: Exp<T>| cond::<T>(is_steep, steep, flat);
    let (greater, lesser) = (either(y.im, y.re), either(y.re, y.im));
    let ratio = lesser / greater;
    let divisor = greater + lesser * ratio;
    ComplexE {
        re: either(x.re * ratio + x.im, x.re + x.im * ratio) / divisor,
        im: either(x.im * ratio - x.re, x.im - x.re * ratio) / divisor,
    }
}

impl<T: Float> Neg for ComplexE<T> {
    type Output = Self;

    #[track_caller]
    fn neg(self) -> Self {
        Self {
            re: -self.re,
            im: -self.im,
        }
    }
}

impl<T: Float> Sum for ComplexE<T> {
    /// The sum from left to right; zero of nothing.
    #[track_caller]
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        let zero = || 0.complex();
        terms.reduce(|x, y| x + y).unwrap_or_else(zero)
    }
}

impl<Sh: Shape, T: Float> Neg for Acc<Sh, Complex<T>> {
    type Output = Self;

    #[track_caller]
    fn neg(self) -> Self {
        each(Call::here("-"), self, |z| -z)
    }
}
