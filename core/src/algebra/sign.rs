//! Rules for signs, of integers and of floats alike: what wraps does so with the opposite sign, and rounding is symmetric.

use super::ScalarCode;
use super::int::is_unsigned;
use crate::prim::Prim;

pub(super) fn neg<C: ScalarCode>(r: &mut C, x: C::Value) -> Option<C::Value> {
    let y = r.unary(x, Prim::Neg)?;
    r.fired("neg_neg", y)
}

pub(super) fn abs<C: ScalarCode>(r: &mut C, x: C::Value) -> Option<C::Value> {
    if is_unsigned(r, x) {
        return r.fired("abs_unsigned", x);
    }
    if r.unary(x, Prim::Abs).is_some() {
        return r.fired("abs_abs", x);
    }
    let y = r.unary(x, Prim::Neg)?;
    r.becomes("abs_neg", Prim::Abs, &[y])
}

pub(super) fn add<C: ScalarCode>(r: &mut C, x: C::Value, y: C::Value) -> Option<C::Value> {
    if let Some(y) = r.unary(y, Prim::Neg) {
        return r.becomes("add_neg", Prim::Sub, &[x, y]);
    }
    let x = r.unary(x, Prim::Neg)?;
    r.becomes("add_neg", Prim::Sub, &[y, x])
}

pub(super) fn sub<C: ScalarCode>(r: &mut C, x: C::Value, y: C::Value) -> Option<C::Value> {
    let y = r.unary(y, Prim::Neg)?;
    r.becomes("sub_neg", Prim::Add, &[x, y])
}

pub(super) fn mul<C: ScalarCode>(r: &mut C, x: C::Value, y: C::Value) -> Option<C::Value> {
    if r.is_small(y, 1) {
        return r.fired("mul_one", x);
    }
    if r.is_small(y, -1) {
        return r.becomes("mul_minus_one", Prim::Neg, &[x]);
    }
    let (x, y) = (r.unary(x, Prim::Neg)?, r.unary(y, Prim::Neg)?);
    r.becomes("mul_neg_neg", Prim::Mul, &[x, y])
}
