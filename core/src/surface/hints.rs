//! What the compiler says where operators of Rust are used on handles that do not have them.
//!
//! Without these, `a + b` on arrays would be "cannot add `Acc<..>` to `Acc<..>`", with no way out. Each `impl` here has a
//! condition that nothing satisfies, so that it makes nothing compile; what it makes is the condition's message.
//! The conditions are on `(R,)` rather than on `R`, as the compiler tells only of the operator where a condition is on
//! the type whose operator it is; and each holds for two types that nobody can name, as the compiler would otherwise know
//! already before it has seen the right side that there is no such operator, and say just that.

use super::acc::Acc;
use super::scalar::Exp;
use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Sub, SubAssign};

/// Stands for no type that a program has.
pub enum Nothing<const N: u8> {}

/// What an operator on arrays would take.
#[diagnostic::on_unimplemented(
    message = "arrays have no operators: write `a.zip_with(b, |x, y| x + y)` for `a + b`, and `a.map(|x| 2.0 * x)` for `2.0 * a`",
    label = "operators work on the elements, which are expressions",
    note = "inside of a closure on elements, an element of another array is `a.at(ix![i])`, that of an array without dimensions `a.the()`"
)]
pub trait ByElement {}

/// What `==` would take.
#[diagnostic::on_unimplemented(
    message = "`==` and `!=` do not compare expressions: use `.eq_(..)` and `.ne_(..)`",
    label = "these give an `Exp<bool>`, for `cond` and `.and(..)`; Rust's operators can only give a `bool`"
)]
pub trait ByEquality {}

/// What `<` would take.
#[diagnostic::on_unimplemented(
    message = "`<`, `<=`, `>` and `>=` do not compare expressions: use `.gt(0.0)`, `.lt(..)`, `.ge(..)`, `.le(..)`",
    label = "these give an `Exp<bool>`, for `cond` and `.and(..)`; Rust's operators can only give a `bool`"
)]
pub trait ByOrder: ByEquality {}

macro_rules! for_nothing {
    ($($class:ident),*) => {$(
        #[diagnostic::do_not_recommend]
        impl $class for (Nothing<0>,) {}
        #[diagnostic::do_not_recommend]
        impl $class for (Nothing<1>,) {}
    )*};
}

for_nothing!(ByElement, ByEquality, ByOrder);

impl<T, R> PartialEq<R> for Exp<T>
where
    (R,): ByEquality,
{
    fn eq(&self, _: &R) -> bool {
        false
    }
}

impl<T, R> PartialOrd<R> for Exp<T>
where
    (R,): ByOrder,
{
    fn partial_cmp(&self, _: &R) -> Option<Ordering> {
        None
    }
}

macro_rules! on_arrays {
    ($($trait:ident $method:ident, $assigning:ident $assign:ident;)*) => {$(
        impl<Sh, T, R> $trait<R> for Acc<Sh, T>
        where
            (R,): ByElement,
        {
            type Output = Self;

            fn $method(self, _: R) -> Self {
                self
            }
        }

        impl<Sh, T, R> $assigning<R> for Acc<Sh, T>
        where
            (R,): ByElement,
        {
            fn $assign(&mut self, _: R) {}
        }

        on_arrays!(literal f64: $trait $method);
        on_arrays!(literal i32: $trait $method);
    )*};
    (literal $ty:ty: $trait:ident $method:ident) => {
        impl<Sh, T> $trait<Acc<Sh, T>> for $ty
        where
            (Acc<Sh, T>,): ByElement,
        {
            type Output = Acc<Sh, T>;

            fn $method(self, array: Acc<Sh, T>) -> Acc<Sh, T> {
                array
            }
        }
    };
}

on_arrays! {
    Add add, AddAssign add_assign;
    Sub sub, SubAssign sub_assign;
    Mul mul, MulAssign mul_assign;
    Div div, DivAssign div_assign;
}
