//! Operators on scalars: `+ - * / %`, bitwise ones, and their assigning forms.
//!
//! `x % y` is what the quotient towards zero leaves, of the sign of `x`. Of floats it is exact, and NaN where `y` is 0; its derivative is 1 in `x`
//! and minus that quotient in `y`, also where it jumps.
//!
//! The right operand is anything that lifts, so literals adapt. On the left a literal is `i32` or `f64`,
//! which Rust takes when nothing else is asked for, and adapts too. All other types are left out on the left:
//! with two candidates the literal in `(2.0 * x).sqrt()` would have no type yet when the method is looked
//! up. A host variable of these types goes on the right, or through [`constant`](super::constant).

use super::lift::{Lift, literal};
use super::scalar::{Bits, Exp, Float, Integral, Num};
use crate::prim::Prim;
use std::iter::{Product, Sum};
use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Rem,
    RemAssign, Shl, Shr, Sub, SubAssign,
};

macro_rules! binary {
    ($($class:ident: $trait:ident $method:ident = $prim:expr;)*) => {$(
        impl<T: $class, R: Lift<T>> $trait<R> for Exp<T> {
            type Output = Exp<T>;

            #[track_caller]
            fn $method(self, right: R) -> Exp<T> {
                self.prim($prim, &[right.lift().raw()])
            }
        }
    )*};
}

binary! {
    Num: Add add = Prim::Add;
    Num: Sub sub = Prim::Sub;
    Num: Mul mul = Prim::Mul;
    Num: Div div = T::DIV;
    Num: Rem rem = Prim::Rem;
    Bits: BitAnd bitand = T::AND;
    Bits: BitOr bitor = T::OR;
    Bits: BitXor bitxor = T::XOR;
    Integral: Shl shl = Prim::Shl;
    Integral: Shr shr = Prim::Shr;
}

macro_rules! assigning {
    ($($class:ident: $trait:ident $method:ident = $op:tt;)*) => {$(
        impl<T: $class, R: Lift<T>> $trait<R> for Exp<T> {
            #[track_caller]
            fn $method(&mut self, right: R) {
                *self = *self $op right;
            }
        }
    )*};
}

assigning! {
    Num: AddAssign add_assign = +;
    Num: SubAssign sub_assign = -;
    Num: MulAssign mul_assign = *;
    Num: DivAssign div_assign = /;
    Num: RemAssign rem_assign = %;
}

macro_rules! literal_left {
    ($($class:ident $ty:ty, $from:ident: $trait:ident $method:ident $op:tt;)*) => {$(
        impl<T: $class> $trait<Exp<T>> for $ty {
            type Output = Exp<T>;

            #[track_caller]
            fn $method(self, right: Exp<T>) -> Exp<T> {
                literal(T::$from(self)) $op right
            }
        }
    )*};
}

literal_left! {
    Float f64, from_f64: Add add +;
    Float f64, from_f64: Sub sub -;
    Float f64, from_f64: Mul mul *;
    Float f64, from_f64: Div div /;
    Num i32, from_i32: Add add +;
    Num i32, from_i32: Sub sub -;
    Num i32, from_i32: Mul mul *;
    Num i32, from_i32: Div div /;
    Float f64, from_f64: Rem rem %;
    Num i32, from_i32: Rem rem %;
}

impl<T: Num> Neg for Exp<T> {
    type Output = Exp<T>;

    #[track_caller]
    fn neg(self) -> Exp<T> {
        self.prim(Prim::Neg, &[])
    }
}

impl<T: Bits> Not for Exp<T> {
    type Output = Exp<T>;

    #[track_caller]
    fn not(self) -> Exp<T> {
        self.prim(T::NOT, &[])
    }
}

impl<T: Num> Sum for Exp<T> {
    /// The sum from left to right; zero of nothing. Through [`Iterator::sum`] the place of its nodes is
    /// in the standard library, which is of no consequence: they cannot fail.
    #[track_caller]
    fn sum<I: Iterator<Item = Exp<T>>>(terms: I) -> Exp<T> {
        terms
            .reduce(|a, b| a + b)
            .unwrap_or_else(|| literal(T::from_i32(0)))
    }
}

impl<T: Num> Product for Exp<T> {
    /// The product from left to right; one of nothing.
    #[track_caller]
    fn product<I: Iterator<Item = Exp<T>>>(factors: I) -> Exp<T> {
        factors
            .reduce(|a, b| a * b)
            .unwrap_or_else(|| literal(T::from_i32(1)))
    }
}
