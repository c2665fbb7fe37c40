//! Conversions between all scalar types.
//!
//! Between `f16` and integers they go through `f32`, which has all numbers that `f16` has; an integer that `f32` has not
//! is infinite in `f16` in any case. To integers of 8 and 16 bits they go through those of 32 that hold them: integers wrap,
//! and floats stop at the ends of the range.

use super::Expr;
use crate::types::{is_packed, of_value, wrapped};
use cotangent_core::integer_type;
use cotangent_core::types::ScalarType;

/// `x`, of type `from`, as a `to`.
pub(super) fn expression(from: ScalarType, to: ScalarType, x: &str) -> Expr {
    use ScalarType::*;
    let plain = || format!("{}({x})", of_value(to)).into();
    let operand = [x.to_owned()];
    match (from, to) {
        (from, to) if from == to => x.to_owned().into(),
        // Of a NaN, too, which is not zero.
        (integer_type!() | F16 | F32 | F64, Bool) => {
            format!("(!({x} == {}()))", of_value(from)).into()
        }
        (Bool, _) => {
            let ty = of_value(to);
            format!("select({ty}(), {ty}(1), {x})").into()
        }
        (F16 | F32 | F64, I8 | I16 | U8 | U16) => saturating(from, to, x),
        (_, I8 | I16 | U8 | U16) => {
            let Expr { text, calls } = expression(from, value_type(to), x);
            let text = wrapped(to, &text);
            Expr { text, calls }
        }
        (I8 | I16 | U8 | U16, _) => expression(value_type(from), to, x),
        (F16, F32) => plain(),
        (F16, _) => expression(F32, to, &format!("f32({x})")),
        (integer_type!(), F16) => format!("f16(f32({x}))").into(),
        (F64, F16) => Expr::call("f16_of_f64", &operand),
        (F32, I32) => Expr::call("i32_of_f32", &operand),
        (F64, I32) => Expr::call("i32_of_f64", &operand),
        (F32, I64) => Expr::call("i64_of_f32", &operand),
        (F64, I64) => Expr::call("i64_of_f64", &operand),
        (F32, U32) => Expr::call("u32_of_f32", &operand),
        (F64, U32) => Expr::call("u32_of_f64", &operand),
        (F32, U64) => Expr::call("u64_of_f32", &operand),
        (F64, U64) => Expr::call("u64_of_f64", &operand),
        // `i64` of a `u32` copies its highest bit.
        (U32, I64) => format!("bitcast<i64>(u64({x}))").into(),
        (U64, I64) => format!("bitcast<i64>({x})").into(),
        (I64, U64) => format!("bitcast<u64>({x})").into(),
        (I32, U64) => format!("bitcast<u64>(i64({x}))").into(),
        (U64, I32 | U32) => format!("{}(bitcast<i64>({x}))", of_value(to)).into(),
        (integer_type!() | F32 | F64, integer_type!() | F32 | F64) | (F32, F16) => plain(),
    }
}

/// A float as an integer of fewer than 32 bits: the nearest of its range to what it is of 32 bits.
fn saturating(from: ScalarType, to: ScalarType, x: &str) -> Expr {
    let Expr { text, calls } = expression(from, value_type(to), x);
    let bits = 8 * to.bytes();
    let text = match to.is_unsigned() {
        true => format!("min({text}, {}u)", (1 << bits) - 1),
        false => {
            let half = 1 << (bits - 1);
            format!("clamp({text}, -{half}i, {}i)", half - 1)
        }
    };
    Expr { text, calls }
}

/// The type that values of a type are computed with as.
fn value_type(ty: ScalarType) -> ScalarType {
    match (is_packed(ty), ty.is_unsigned()) {
        (true, true) => ScalarType::U32,
        (true, false) => ScalarType::I32,
        (false, _) => ty,
    }
}
