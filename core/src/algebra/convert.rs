//! Rules for conversions.

use super::ScalarCode;
use crate::prim::Prim;
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
    let other_sign = matches!(
        (first, to),
        (ScalarType::I32, ScalarType::U32) | (ScalarType::U32, ScalarType::I32)
    );
    middle.is_float() && other_sign
}

/// Whether every value of type `from` has its own value in `to`, so that going on from there is like going
/// on from the original.
fn is_lossless(from: ScalarType, to: ScalarType) -> bool {
    match from {
        ScalarType::Bool => true,
        ScalarType::I32 | ScalarType::U32 => {
            matches!(to, ScalarType::I64 | ScalarType::F64)
        }
        ScalarType::F16 => matches!(to, ScalarType::F32 | ScalarType::F64),
        ScalarType::F32 => to == ScalarType::F64,
        ScalarType::I64 | ScalarType::F64 => from == to,
    }
}
