//! Factors `x + x` where `x` is a product with a small power of two: derivatives of squares are full of them.
//!
//! `0.5·a + 0.5·a` is `a`, and `0.25·a + 0.25·a` is `0.5·a`: scaling by a power of two rounds nothing, unless a
//! number falls below the normal ones, which contractions are free to take for zeros. The power in the result
//! is at most 1, so that nothing overflows which did not before.

use cotangent_core::constant::Const;
use cotangent_core::integer_const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Op, ValueId};

/// How deep in a product the power may be.
const MAX_DEPTH: usize = 4;

/// The factor without the sum, if it is one of a product with itself.
pub(super) fn without_sum(body: &mut Body, factor: ValueId) -> ValueId {
    let addend = super::addend_of_double(body.op(factor));
    let product = addend.and_then(|x| doubled(body, x, MAX_DEPTH));
    product.unwrap_or(factor)
}

/// Twice a value of which one factor is a small power of two.
fn doubled(body: &mut Body, v: ValueId, depth: usize) -> Option<ValueId> {
    let depth = depth.checked_sub(1)?;
    if let Some(value) = body.op(v).as_const() {
        let twice = Op::Const(doubled_power(value)?);
        return Some(body.push(twice, body.type_of(v)));
    }
    if let Some(&[x]) = body.op(v).operands_of(Prim::Neg) {
        let x = doubled(body, x, depth)?;
        return Some(super::prim(body, Prim::Neg, vec![x]));
    }
    let &[x, y] = body.op(v).operands_of(Prim::Mul)?;
    match doubled(body, y, depth) {
        Some(y) => Some(product(body, x, y)),
        None => doubled(body, x, depth).map(|x| product(body, y, x)),
    }
}

/// A product with what may have become 1 or −1.
fn product(body: &mut Body, x: ValueId, y: ValueId) -> ValueId {
    match body.op(y).as_const() {
        Some(Const::F64(1.0) | Const::F32(1.0)) => x,
        Some(Const::F64(-1.0) | Const::F32(-1.0)) => super::prim(body, Prim::Neg, vec![x]),
        Some(_) | None => super::prim(body, Prim::Mul, vec![x, y]),
    }
}

/// Twice a power of two that is at most a half, of either sign.
fn doubled_power(value: Const) -> Option<Const> {
    let is_power = |bits: u64, mantissa: u32| bits & ((1 << mantissa) - 1) == 0;
    match value {
        Const::F64(x) => {
            let is_small = x.is_normal() && x.abs() <= 0.5 && is_power(x.to_bits(), 52);
            is_small.then_some(Const::F64(x + x))
        }
        Const::F32(x) => {
            let is_small = x.is_normal() && x.abs() <= 0.5 && is_power(x.to_bits().into(), 23);
            is_small.then_some(Const::F32(x + x))
        }
        // Contractions of `f16` keep numbers below the normal ones.
        Const::F16(_) => None,
        Const::Bool(_) | integer_const!() => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotangent_core::types::ScalarType::F64;

    #[test]
    fn small_powers_of_two_are_doubled() {
        assert_eq!(doubled_power(Const::F64(-0.5)), Some(Const::F64(-1.0)));
        assert_eq!(doubled_power(Const::F64(0.125)), Some(Const::F64(0.25)));
        assert_eq!(doubled_power(Const::F32(0.5)), Some(Const::F32(1.0)));
        for kept in [0.0, 0.75, 1.0, 2.0, f64::NAN, 5e-324] {
            assert_eq!(doubled_power(Const::F64(kept)), None);
        }
    }

    #[test]
    fn a_half_is_found_within_the_product() {
        let mut body = Body::default();
        let x = body.push(Op::Arg(0), F64);
        let y = body.push(Op::Arg(1), F64);
        let half = body.push(Op::Const(Const::F64(-0.5)), F64);
        let scaled = super::super::prim(&mut body, Prim::Mul, vec![y, half]);
        let product = super::super::prim(&mut body, Prim::Mul, vec![x, scaled]);
        let sum = super::super::prim(&mut body, Prim::Add, vec![product, product]);
        let shorter = without_sum(&mut body, sum);
        let Some(&[left, right]) = body.op(shorter).operands_of(Prim::Mul) else {
            panic!("{body:?}");
        };
        assert_eq!(left, x);
        assert_eq!(body.op(right).operands_of(Prim::Neg), Some(&[y]));
        assert_eq!(without_sum(&mut body, product), product);
    }
}
