//! Rules for floats.

use super::{ScalarCode, sign};
use crate::constant::Const;
use crate::integer_const;
use crate::prim::Prim;
use crate::rounding::f16;

pub(super) fn add<C: ScalarCode>(r: &mut C, x: C::Value, y: C::Value) -> Option<C::Value> {
    if is_negative_zero(r, y) {
        return r.fired("add_negative_zero", x);
    }
    sign::add(r, x, y)
}

pub(super) fn sub<C: ScalarCode>(r: &mut C, x: C::Value, y: C::Value) -> Option<C::Value> {
    if r.is_small(y, 0) {
        return r.fired("sub_zero", x);
    }
    if is_negative_zero(r, x) {
        return r.becomes("negative_zero_sub", Prim::Neg, &[y]);
    }
    sign::sub(r, x, y)
}

pub(super) fn mul<C: ScalarCode>(r: &mut C, x: C::Value, y: C::Value) -> Option<C::Value> {
    if let Some(simple) = sign::mul(r, x, y) {
        return Some(simple);
    }
    let x = r.unary(x, Prim::Neg)?;
    let factor = r.constant_of(y)?;
    let factor = r.constant(Prim::Neg.eval(&[factor])?);
    r.becomes("mul_neg_constant", Prim::Mul, &[x, factor])
}

pub(super) fn div<C: ScalarCode>(r: &mut C, x: C::Value, y: C::Value) -> Option<C::Value> {
    if r.is_small(y, 1) {
        return r.fired("div_one", x);
    }
    if r.is_small(y, -1) {
        return r.becomes("div_minus_one", Prim::Neg, &[x]);
    }
    if let Some(inverse) = r.constant_of(y).and_then(exact_inverse) {
        let inverse = r.constant(inverse);
        return r.becomes("div_power_of_two", Prim::Mul, &[x, inverse]);
    }
    let (x, y) = (r.unary(x, Prim::Neg)?, r.unary(y, Prim::Neg)?);
    r.becomes("div_neg_neg", Prim::Div, &[x, y])
}

pub(super) fn extremum<C: ScalarCode>(r: &mut C, x: C::Value, y: C::Value) -> Option<C::Value> {
    (x == y).then(|| r.fired("max_same", x))?
}

/// Rounding of what is integral.
pub(super) fn round<C: ScalarCode>(r: &mut C, x: C::Value) -> Option<C::Value> {
    is_integral(r, x).then(|| r.fired("round_integral", x))?
}

/// Whether `x` is the zero that changes nothing where it is added.
pub(crate) fn is_negative_zero<C: ScalarCode>(r: &C, x: C::Value) -> bool {
    let zero = r.constant_of(x).filter(|c| c.is_zero());
    zero.is_some_and(|c| c.scalar_type().is_float() && c.bits() != 0)
}

/// Whether `x` was rounded to an integer, or is one.
fn is_integral<C: ScalarCode>(r: &C, x: C::Value) -> bool {
    match r.prim_of(x) {
        Some((Prim::Floor | Prim::Ceil | Prim::Round | Prim::Trunc, _)) => true,
        Some((Prim::Convert(_), &[from])) => !r.type_of(from).is_float(),
        Some(_) | None => false,
    }
}

/// 1/c, where multiplying by it is the same as dividing by `c`: for powers of two whose inverse is normal.
fn exact_inverse(c: Const) -> Option<Const> {
    match c {
        Const::F16(c) => {
            let inverse = f16::ONE / c;
            let exact = c.to_bits() << 6 == 0 && c.is_normal() && inverse.is_normal();
            exact.then_some(Const::F16(inverse))
        }
        Const::F32(c) => {
            let inverse = c.recip();
            let exact = c.to_bits() << 9 == 0 && c.is_normal() && inverse.is_normal();
            exact.then_some(Const::F32(inverse))
        }
        Const::F64(c) => {
            let inverse = c.recip();
            let exact = c.to_bits() << 12 == 0 && c.is_normal() && inverse.is_normal();
            exact.then_some(Const::F64(inverse))
        }
        Const::Bool(_) | integer_const!() => None,
    }
}
