//! Rules for integers: exact modulo the width, and for zero divisors.

use super::{ScalarCode, sign};
use crate::constant::Const;
use crate::prim::Prim;

/// Whether there are no negative numbers of the type of `x`: its −1 is then the greatest one.
pub(super) fn is_unsigned<C: ScalarCode>(r: &C, x: C::Value) -> bool {
    r.type_of(x).is_unsigned()
}

pub(super) fn add<C: ScalarCode>(r: &mut C, x: C::Value, y: C::Value) -> Option<C::Value> {
    if r.is_small(y, 0) {
        return r.fired("int_add_zero", x);
    }
    if let Some(simple) = sign::add(r, x, y) {
        return Some(simple);
    }
    if let Some(z) = difference_from(r, x, y).or_else(|| difference_from(r, y, x)) {
        return r.fired("int_cancel", z);
    }
    let collected = from_constant(r, x, y).or_else(|| from_constant(r, y, x));
    collected.or_else(|| reassociate(r, Prim::Add, x, y))
}

/// `z` if `x` is `z - y`.
fn difference_from<C: ScalarCode>(r: &C, x: C::Value, y: C::Value) -> Option<C::Value> {
    let (z, subtracted) = r.binary(x, Prim::Sub)?;
    (subtracted == y).then_some(z)
}

/// `(a - b) + c` becomes `(a + c) - b` for a constant `c`, where that sum is free.
fn from_constant<C: ScalarCode>(r: &mut C, x: C::Value, c: C::Value) -> Option<C::Value> {
    let (a, b) = r.binary(x, Prim::Sub)?;
    if r.constant_of(c).is_none() || !r.is_free(a) {
        return None;
    }
    let sum = r.prim(Prim::Add, &[a, c]);
    r.becomes("int_reassociate", Prim::Sub, &[sum, b])
}

pub(super) fn sub<C: ScalarCode>(r: &mut C, x: C::Value, y: C::Value) -> Option<C::Value> {
    if x == y {
        return r.becomes_small("int_sub_same", r.type_of(x), 0);
    }
    if r.is_small(x, 0) {
        return r.becomes("int_zero_sub", Prim::Neg, &[y]);
    }
    if let Some(simple) = sign::sub(r, x, y) {
        return Some(simple);
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

pub(super) fn mul<C: ScalarCode>(r: &mut C, x: C::Value, y: C::Value) -> Option<C::Value> {
    if r.is_small(y, 0) {
        return r.fired("int_mul_zero", y);
    }
    let simple = sign::mul(r, x, y);
    simple.or_else(|| reassociate(r, Prim::Mul, x, y))
}

/// `(z ∘ c) ∘ d` becomes `z ∘ (c ∘ d)` for constants `c`, `d`.
fn reassociate<C: ScalarCode>(r: &mut C, op: Prim, x: C::Value, y: C::Value) -> Option<C::Value> {
    let d = r.constant_of(y)?;
    let (z, c) = r.binary(x, op)?;
    let c = r.constant_of(c)?;
    let both = r.constant(op.eval(&[c, d])?);
    r.becomes("int_reassociate", op, &[z, both])
}

pub(super) fn quotient<C: ScalarCode>(r: &mut C, x: C::Value, y: C::Value) -> Option<C::Value> {
    if r.is_small(x, 0) || r.is_small(y, 1) {
        return r.fired("int_quotient_trivial", x);
    }
    if r.is_small(y, 0) {
        return r.fired("int_quotient_trivial", y);
    }
    if r.is_small(y, -1) && !is_unsigned(r, y) {
        return r.becomes("int_quotient_trivial", Prim::Neg, &[x]);
    }
    let ty = r.type_of(x);
    r.is_within(x, y)
        .then(|| r.becomes_small("int_quotient_trivial", ty, 0))?
}

pub(super) fn remainder<C: ScalarCode>(r: &mut C, x: C::Value, y: C::Value) -> Option<C::Value> {
    if r.is_small(x, 0) || r.is_small(y, 0) {
        return r.fired("int_remainder_trivial", x);
    }
    if x == y || r.is_small(y, 1) || (r.is_small(y, -1) && !is_unsigned(r, y)) {
        return r.becomes_small("int_remainder_trivial", r.type_of(x), 0);
    }
    r.is_within(x, y)
        .then(|| r.fired("int_remainder_trivial", x))?
}

pub(super) fn extremum<C: ScalarCode>(
    r: &mut C,
    op: Prim,
    x: C::Value,
    y: C::Value,
) -> Option<C::Value> {
    if x == y {
        return r.fired("max_same", x);
    }
    let (first, second) = if op == Prim::Min { (x, y) } else { (y, x) };
    if r.is_at_most(first, second) {
        return r.fired("max_known", x);
    }
    if r.is_at_most(second, first) {
        return r.fired("max_known", y);
    }
    // max(max(a, b), a) and its mirror images: of integers, the order of operands does not matter.
    let contains = |outer: C::Value, z| {
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

pub(super) fn bitwise<C: ScalarCode>(
    r: &mut C,
    op: Prim,
    x: C::Value,
    y: C::Value,
) -> Option<C::Value> {
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

pub(super) fn shift<C: ScalarCode>(r: &mut C, x: C::Value, y: C::Value) -> Option<C::Value> {
    let width = 8 * r.type_of(x).bytes() as i32;
    if r.is_small(y, 0) || r.is_small(y, width) || r.is_small(x, 0) {
        return r.fired("shift_trivial", x);
    }
    None
}

pub(super) fn neg<C: ScalarCode>(r: &mut C, x: C::Value) -> Option<C::Value> {
    if let Some(simple) = sign::neg(r, x) {
        return Some(simple);
    }
    let (y, z) = r.binary(x, Prim::Sub)?;
    r.becomes("int_neg_sub", Prim::Sub, &[z, y])
}

pub(super) fn bit_not<C: ScalarCode>(r: &mut C, x: C::Value) -> Option<C::Value> {
    let y = r.unary(x, Prim::BitNot)?;
    r.fired("bit_not_bit_not", y)
}

/// Whether `x` is the least number of its type, a literal.
pub(super) fn is_least<C: ScalarCode>(r: &C, x: C::Value) -> bool {
    match r.constant_of(x) {
        Some(Const::I8(c)) => c == i8::MIN,
        Some(Const::I16(c)) => c == i16::MIN,
        Some(Const::I32(c)) => c == i32::MIN,
        Some(Const::I64(c)) => c == i64::MIN,
        Some(Const::U8(c)) => c == u8::MIN,
        Some(Const::U16(c)) => c == u16::MIN,
        Some(Const::U32(c)) => c == u32::MIN,
        Some(Const::U64(c)) => c == u64::MIN,
        Some(Const::Bool(_) | Const::F16(_) | Const::F32(_) | Const::F64(_)) | None => false,
    }
}

/// Whether `x` is the greatest number of its type, a literal.
pub(super) fn is_greatest<C: ScalarCode>(r: &C, x: C::Value) -> bool {
    match r.constant_of(x) {
        Some(Const::I8(c)) => c == i8::MAX,
        Some(Const::I16(c)) => c == i16::MAX,
        Some(Const::I32(c)) => c == i32::MAX,
        Some(Const::I64(c)) => c == i64::MAX,
        Some(Const::U8(c)) => c == u8::MAX,
        Some(Const::U16(c)) => c == u16::MAX,
        Some(Const::U32(c)) => c == u32::MAX,
        Some(Const::U64(c)) => c == u64::MAX,
        Some(Const::Bool(_) | Const::F16(_) | Const::F32(_) | Const::F64(_)) | None => false,
    }
}
