//! Rules for floats.
//!
//! Exact for every operand, signed zeros and infinities included, up to the sign and payload of NaNs, which
//! the language does not fix. The deviations, each of a name of its own:
//!
//! * `add_zero`: `x + 0.0` and `x - (-0.0)` become `x`, though −0.0 + 0.0 is 0.0. Sums of adjoints would
//!   otherwise be full of zeros.
//! * `pow_integer`, `pow_minus_one`: `x` to a power of 2 or 3 becomes multiplications, `x` to −1 a division.
//!   Both are within two units in the last place of what `pow` gives, but not always the same.
//!
//! Not here, as they are wrong for NaN or infinities: `x * 0.0`, `x - x`, `x / x`, `0.0 / x`. AD avoids such
//! code by never making it.

use super::Rewriter;
use super::tangent::combine_selected;
use crate::constant::Const;
use crate::prim::Prim;
use crate::rounding::f16;
use crate::term::{ExpId, ExpOp};

pub(super) fn rules(r: &mut Rewriter<'_>, op: Prim, operands: &[ExpId]) -> Option<ExpId> {
    use Prim::*;
    let (x, y) = (*operands.first()?, *operands.last()?);
    match op {
        Add => add(r, x, y).or_else(|| combine_selected(r, op, operands)),
        Sub => sub(r, x, y).or_else(|| combine_selected(r, op, operands)),
        Mul => mul(r, x, y),
        Div => div(r, x, y),
        Pow => pow(r, x, y),
        Max | Min => (x == y).then(|| r.fired("max_same", x))?,
        Neg => r.unary(x, Neg).and_then(|y| r.fired("neg_neg", y)),
        Abs => abs(r, x),
        Floor | Ceil | Round | Trunc => is_integral(r, x).then(|| r.fired("round_integral", x))?,
        Signum | Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos | Atan | Sinh
        | Cosh | Tanh | Asinh | Acosh | Atanh | Atan2 | IsNan | IsInfinite | Convert(_) | Eq
        | Ne | Lt | Le | Gt | Ge | Select => None,
        Not | BitNot | Quot | Rem | DivFloor | ModFloor | And | Or | BitAnd | BitOr | BitXor
        | Shl | Shr => None,
    }
}

fn add(r: &mut Rewriter<'_>, x: ExpId, y: ExpId) -> Option<ExpId> {
    if is_negative_zero(r, y) {
        return r.fired("add_negative_zero", x);
    }
    if r.is_small(y, 0) {
        return r.fired("add_zero", x);
    }
    if let Some(y) = r.unary(y, Prim::Neg) {
        return r.becomes("add_neg", Prim::Sub, &[x, y]);
    }
    let x = r.unary(x, Prim::Neg)?;
    r.becomes("add_neg", Prim::Sub, &[y, x])
}

fn sub(r: &mut Rewriter<'_>, x: ExpId, y: ExpId) -> Option<ExpId> {
    if r.is_small(y, 0) {
        return r.fired("sub_zero", x);
    }
    if is_negative_zero(r, y) {
        return r.fired("add_zero", x);
    }
    if is_negative_zero(r, x) {
        return r.becomes("negative_zero_sub", Prim::Neg, &[y]);
    }
    let y = r.unary(y, Prim::Neg)?;
    r.becomes("sub_neg", Prim::Add, &[x, y])
}

fn mul(r: &mut Rewriter<'_>, x: ExpId, y: ExpId) -> Option<ExpId> {
    if r.is_small(y, 1) {
        return r.fired("mul_one", x);
    }
    if r.is_small(y, -1) {
        return r.becomes("mul_minus_one", Prim::Neg, &[x]);
    }
    let x = r.unary(x, Prim::Neg)?;
    if let Some(y) = r.unary(y, Prim::Neg) {
        return r.becomes("mul_neg_neg", Prim::Mul, &[x, y]);
    }
    let factor = r.constant_of(y)?;
    let factor = r.constant(Prim::Neg.eval(&[factor])?);
    r.becomes("mul_neg_constant", Prim::Mul, &[x, factor])
}

fn div(r: &mut Rewriter<'_>, x: ExpId, y: ExpId) -> Option<ExpId> {
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

fn pow(r: &mut Rewriter<'_>, x: ExpId, y: ExpId) -> Option<ExpId> {
    let ty = r.type_of(x);
    if r.is_small(y, 0) || is_negative_zero(r, y) {
        return r.becomes_small("pow_zero", ty, 1);
    }
    if r.is_small(y, 1) {
        return r.fired("pow_one", x);
    }
    if r.is_small(y, -1) {
        let one = r.constant(Const::small(ty, 1));
        return r.becomes("pow_minus_one", Prim::Div, &[one, x]);
    }
    if r.is_small(y, 2) {
        return r.becomes("pow_integer", Prim::Mul, &[x, x]);
    }
    if r.is_small(y, 3) {
        let square = r.prim(Prim::Mul, &[x, x]);
        return r.becomes("pow_integer", Prim::Mul, &[square, x]);
    }
    None
}

fn abs(r: &mut Rewriter<'_>, x: ExpId) -> Option<ExpId> {
    if r.unary(x, Prim::Abs).is_some() {
        return r.fired("abs_abs", x);
    }
    let y = r.unary(x, Prim::Neg)?;
    r.becomes("abs_neg", Prim::Abs, &[y])
}

fn is_negative_zero(r: &Rewriter<'_>, x: ExpId) -> bool {
    match r.constant_of(x) {
        Some(c @ (Const::F16(_) | Const::F32(_) | Const::F64(_))) => c.is_zero() && c.bits() != 0,
        Some(Const::Bool(_) | Const::I32(_) | Const::I64(_) | Const::U32(_)) | None => false,
    }
}

/// Whether `x` was rounded to an integer, or is one.
fn is_integral(r: &Rewriter<'_>, x: ExpId) -> bool {
    match r.op_of(x) {
        Some(ExpOp::Prim(Prim::Floor | Prim::Ceil | Prim::Round | Prim::Trunc, _)) => true,
        Some(ExpOp::Prim(Prim::Convert(_), from)) => !r.type_of(from[0]).is_float(),
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
        Const::Bool(_) | Const::I32(_) | Const::I64(_) | Const::U32(_) => None,
    }
}
