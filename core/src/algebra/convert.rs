//! Rules for conversions.

use super::ScalarCode;
use crate::integer_type;
use crate::prim::Prim;
use crate::rounding::f16;
use crate::types::ScalarType;

pub(super) fn rules<C: ScalarCode>(r: &mut C, to: ScalarType, x: C::Value) -> Option<C::Value> {
    let from = r.type_of(x);
    if from == to {
        return r.fired("convert_identity", x);
    }
    let Some((Prim::Convert(_), &[original])) = r.prim_of(x) else {
        return None;
    };
    let (first, middle) = (r.type_of(original), from);
    if is_lossless(first, middle) && !saturates(first, middle, to) {
        return r.becomes("convert_convert", Prim::Convert(to), &[original]);
    }
    None
}

/// Whether going through `middle` saturates, where integers would wrap if they were converted at once.
fn saturates(first: ScalarType, middle: ScalarType, to: ScalarType) -> bool {
    let is_wrapping = first.is_integer() && to.is_integer() && !is_lossless(first, to);
    middle.is_float() && is_wrapping
}

/// Whether every value of type `from` has its own value in `to`, so that going on from there is like going
/// on from the original.
fn is_lossless(from: ScalarType, to: ScalarType) -> bool {
    if from == to {
        return true;
    }
    let (narrower, digits) = (from.bytes() < to.bytes(), 8 * from.bytes() as u32);
    match (from, to) {
        (ScalarType::Bool, _) => true,
        (integer_type!(), integer_type!()) => match (from.is_unsigned(), to.is_unsigned()) {
            (true, _) | (false, false) => narrower,
            (false, true) => false,
        },
        (integer_type!(), ScalarType::F16) => digits <= f16::MANTISSA_DIGITS,
        (integer_type!(), ScalarType::F32) => digits <= f32::MANTISSA_DIGITS,
        (integer_type!(), ScalarType::F64) => digits <= f64::MANTISSA_DIGITS,
        (ScalarType::F16 | ScalarType::F32, ScalarType::F32 | ScalarType::F64) => narrower,
        (_, ScalarType::Bool) | (ScalarType::F16 | ScalarType::F32 | ScalarType::F64, _) => false,
    }
}
