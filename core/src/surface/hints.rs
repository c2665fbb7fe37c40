//! What the compiler says where operators of Rust are used on handles that do not have them.
//!
//! Without these, `a == b` on expressions would be "binary operation `==` cannot be applied", with no way out. Each `impl` here has a
//! condition that nothing satisfies, so that it makes nothing compile; what it makes is the condition's message.
//! The conditions are on `(R,)` rather than on `R`, as the compiler tells only of the operator where a condition is on
//! the type whose operator it is; and each holds for two types that nobody can name, as the compiler would otherwise know
//! already before it has seen the right side that there is no such operator, and say just that.

use super::scalar::Exp;
use std::cmp::Ordering;

/// Stands for no type that a program has.
pub enum Nothing<const N: u8> {}

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

for_nothing!(ByEquality, ByOrder);

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
