//! Names as numbers: what the two ways of naming have in common.
//!
//! A use is a number in both: a distance, or a label. A binder has a number where it is labelled. Code that
//! treats both forms alike (the checker, the printer, the conversions) is generic over [`Numbered`].

use super::scope::Scope;
use crate::term::{ArrId, ArrIx, DeBruijn, ExpId, ExpIx, Labelled, Naming};

/// A way of naming whose names are numbers. Implemented by both, and by nothing else.
pub trait Numbered: Naming {
    /// What the text of a use of a scalar variable begins with; the number follows.
    const EXP_PREFIX: &'static str;
    /// What the text of a use of an array variable begins with; the number follows.
    const ARR_PREFIX: &'static str;
    /// The number of a use of a scalar variable.
    fn exp(name: Self::Exp) -> u32;
    /// The number of a use of an array variable.
    fn arr(name: Self::Arr) -> u32;
    /// The use of a scalar variable with that number.
    fn exp_named(number: u32) -> Self::Exp;
    /// The use of an array variable with that number.
    fn arr_named(number: u32) -> Self::Arr;
    /// The label that a binding of a scalar carries, if any.
    fn exp_label(binder: Self::ExpBinder) -> Option<u32>;
    /// The label that a binding of an array carries, if any.
    fn arr_label(binder: Self::ArrBinder) -> Option<u32>;
    /// The binding of a scalar that carries that label, if any.
    fn bind_exp(label: u32) -> Self::ExpBinder;
    /// The binding of an array that carries that label, if any.
    fn bind_arr(label: u32) -> Self::ArrBinder;
    /// What is bound to the variable of the given number.
    fn find<T>(scope: &Scope<T>, number: u32) -> Option<&T>;
}

impl Numbered for DeBruijn {
    const EXP_PREFIX: &'static str = ExpIx::PREFIX;
    const ARR_PREFIX: &'static str = ArrIx::PREFIX;
    fn exp(name: ExpIx) -> u32 {
        name.0
    }
    fn arr(name: ArrIx) -> u32 {
        name.0
    }
    fn exp_named(number: u32) -> ExpIx {
        ExpIx(number)
    }
    fn arr_named(number: u32) -> ArrIx {
        ArrIx(number)
    }
    fn exp_label((): ()) -> Option<u32> {
        None
    }
    fn arr_label((): ()) -> Option<u32> {
        None
    }
    fn bind_exp(_: u32) {}
    fn bind_arr(_: u32) {}
    fn find<T>(scope: &Scope<T>, number: u32) -> Option<&T> {
        scope.at_index(number)
    }
}

impl Numbered for Labelled {
    const EXP_PREFIX: &'static str = ExpId::PREFIX;
    const ARR_PREFIX: &'static str = ArrId::PREFIX;
    fn exp(name: ExpId) -> u32 {
        name.0
    }
    fn arr(name: ArrId) -> u32 {
        name.0
    }
    fn exp_named(number: u32) -> ExpId {
        ExpId(number)
    }
    fn arr_named(number: u32) -> ArrId {
        ArrId(number)
    }
    fn exp_label(binder: ExpId) -> Option<u32> {
        Some(binder.0)
    }
    fn arr_label(binder: ArrId) -> Option<u32> {
        Some(binder.0)
    }
    fn bind_exp(label: u32) -> ExpId {
        ExpId(label)
    }
    fn bind_arr(label: u32) -> ArrId {
        ArrId(label)
    }
    fn find<T>(scope: &Scope<T>, number: u32) -> Option<&T> {
        scope.labelled(number)
    }
}
