//! Rules for integers: exact modulo the width, and for zero divisors.

use super::Rewriter;
use crate::prim::Prim;
use crate::term::ExpId;
use crate::types::ScalarType;

pub(super) fn rules(r: &mut Rewriter<'_>, op: Prim, operands: &[ExpId]) -> Option<ExpId> {
    use Prim::*;
    let (x, y) = (*operands.first()?, *operands.last()?);
    match op {
        Add => add(r, x, y),
        Sub => sub(r, x, y),
        Mul => mul(r, x, y),
        Quot | DivFloor => quotient(r, x, y),
        Rem | ModFloor => remainder(r, x, y),
        Max | Min => extremum(r, op, x, y),
        BitAnd | BitOr | BitXor => bitwise(r, op, x, y),
        Shl | Shr => shift(r, x, y),
        Neg => neg(r, x),
        BitNot => r
            .unary(x, BitNot)
            .and_then(|y| r.fired("bit_not_bit_not", y)),
        Abs if is_unsigned(r, x) => r.fired("abs_unsigned", x),
        Abs => r
            .unary(x, Neg)
            .and_then(|y| r.becomes("abs_neg", Abs, &[y])),
        Signum | Convert(_) | Eq | Ne | Lt | Le | Gt | Ge | Select => None,
        Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh
        | Tanh | Asinh | Acosh | Atanh | Floor | Ceil | Round | Trunc | IsNan | IsInfinite
        | Not | Div | Pow | Atan2 | And | Or => None,
    }
}

/// Whether there are no negative numbers of the type of `x`: its −1 is then the greatest one.
fn is_unsigned(r: &Rewriter<'_>, x: ExpId) -> bool {
    match r.type_of(x) {
        ScalarType::U32 => true,
        ScalarType::Bool
        | ScalarType::I32
        | ScalarType::I64
        | ScalarType::F16
        | ScalarType::F32
        | ScalarType::F64 => false,
    }
}

fn add(r: &mut Rewriter<'_>, x: ExpId, y: ExpId) -> Option<ExpId> {
    if r.is_small(y, 0) {
        return r.fired("int_add_zero", x);
    }
    if let Some(y) = r.unary(y, Prim::Neg) {
        return r.becomes("add_neg", Prim::Sub, &[x, y]);
    }
    if let Some(x) = r.unary(x, Prim::Neg) {
        return r.becomes("add_neg", Prim::Sub, &[y, x]);
    }
    if let Some(z) = difference_from(r, x, y).or_else(|| difference_from(r, y, x)) {
        return r.fired("int_cancel", z);
    }
    reassociate(r, Prim::Add, x, y)
}

/// `z` if `x` is `z - y`.
fn difference_from(r: &Rewriter<'_>, x: ExpId, y: ExpId) -> Option<ExpId> {
    let (z, subtracted) = r.binary(x, Prim::Sub)?;
    (subtracted == y).then_some(z)
}

fn sub(r: &mut Rewriter<'_>, x: ExpId, y: ExpId) -> Option<ExpId> {
    if x == y {
        return r.becomes_small("int_sub_same", r.type_of(x), 0);
    }
    if r.is_small(x, 0) {
        return r.becomes("int_zero_sub", Prim::Neg, &[y]);
    }
    if let Some(y) = r.unary(y, Prim::Neg) {
        return r.becomes("sub_neg", Prim::Add, &[x, y]);
    }
    if let Some(c) = r.constant_of(y).and_then(|c| Prim::Neg.eval(&[c])) {
        // Sums with constants have one form, so that they can be collected.
        let c = r.constant(c);
        return r.becomes("int_sub_constant", Prim::Add, &[x, c]);
    }
    let (a, b) = r.binary(x, Prim::Add)?;
    if a == y {
        return r.fired("int_cancel", b);
    }
    (b == y).then(|| r.fired("int_cancel", a)).flatten()
}

fn mul(r: &mut Rewriter<'_>, x: ExpId, y: ExpId) -> Option<ExpId> {
    if r.is_small(y, 0) {
        return r.fired("int_mul_zero", y);
    }
    if r.is_small(y, 1) {
        return r.fired("mul_one", x);
    }
    if r.is_small(y, -1) {
        return r.becomes("mul_minus_one", Prim::Neg, &[x]);
    }
    if let (Some(x), Some(y)) = (r.unary(x, Prim::Neg), r.unary(y, Prim::Neg)) {
        return r.becomes("mul_neg_neg", Prim::Mul, &[x, y]);
    }
    reassociate(r, Prim::Mul, x, y)
}

/// `(z ∘ c) ∘ d` becomes `z ∘ (c ∘ d)` for constants `c`, `d`.
fn reassociate(r: &mut Rewriter<'_>, op: Prim, x: ExpId, y: ExpId) -> Option<ExpId> {
    let d = r.constant_of(y)?;
    let (z, c) = r.binary(x, op)?;
    let c = r.constant_of(c)?;
    let both = r.constant(op.eval(&[c, d])?);
    r.becomes("int_reassociate", op, &[z, both])
}

fn quotient(r: &mut Rewriter<'_>, x: ExpId, y: ExpId) -> Option<ExpId> {
    if r.is_small(x, 0) || r.is_small(y, 1) {
        return r.fired("int_quotient_trivial", x);
    }
    if r.is_small(y, 0) {
        return r.fired("int_quotient_trivial", y);
    }
    if r.is_small(y, -1) && !is_unsigned(r, y) {
        return r.becomes("int_quotient_trivial", Prim::Neg, &[x]);
    }
    None
}

fn remainder(r: &mut Rewriter<'_>, x: ExpId, y: ExpId) -> Option<ExpId> {
    if r.is_small(x, 0) || r.is_small(y, 0) {
        return r.fired("int_remainder_trivial", x);
    }
    if x == y || r.is_small(y, 1) || (r.is_small(y, -1) && !is_unsigned(r, y)) {
        return r.becomes_small("int_remainder_trivial", r.type_of(x), 0);
    }
    None
}

fn extremum(r: &mut Rewriter<'_>, op: Prim, x: ExpId, y: ExpId) -> Option<ExpId> {
    if x == y {
        return r.fired("max_same", x);
    }
    // max(max(a, b), a) and its mirror images: of integers, the order of operands does not matter.
    let contains = |outer: ExpId, z| {
        let inner = r.binary(outer, op);
        inner.is_some_and(|(a, b)| a == z || b == z)
    };
    if contains(x, y) {
        return r.fired("max_max", x);
    }
    if contains(y, x) {
        return r.fired("max_max", y);
    }
    None
}

fn bitwise(r: &mut Rewriter<'_>, op: Prim, x: ExpId, y: ExpId) -> Option<ExpId> {
    let ty = r.type_of(x);
    let (zero, ones) = (r.is_small(y, 0), r.is_small(y, -1));
    if op == Prim::BitXor {
        if ones {
            return r.becomes("bit_constant", Prim::BitNot, &[x]);
        }
        if x == y {
            return r.becomes_small("bit_same", ty, 0);
        }
    } else if x == y {
        return r.fired("bit_same", x);
    }
    // One of 0 and -1 decides alone; the other changes nothing, and 0 neither for exclusive or.
    let decides = if op == Prim::BitAnd { zero } else { ones };
    if zero || ones {
        return r.fired("bit_constant", if decides { y } else { x });
    }
    reassociate(r, op, x, y)
}

fn shift(r: &mut Rewriter<'_>, x: ExpId, y: ExpId) -> Option<ExpId> {
    let width = match r.type_of(x) {
        ScalarType::I64 => 64,
        ScalarType::Bool
        | ScalarType::I32
        | ScalarType::U32
        | ScalarType::F16
        | ScalarType::F32
        | ScalarType::F64 => 32,
    };
    if r.is_small(y, 0) || r.is_small(y, width) || r.is_small(x, 0) {
        return r.fired("shift_trivial", x);
    }
    None
}

fn neg(r: &mut Rewriter<'_>, x: ExpId) -> Option<ExpId> {
    if let Some(y) = r.unary(x, Prim::Neg) {
        return r.fired("neg_neg", y);
    }
    let (y, z) = r.binary(x, Prim::Sub)?;
    r.becomes("int_neg_sub", Prim::Sub, &[z, y])
}
