//! Conversions between all scalar types.
//!
//! Between `f16` and integers they go through `f32`, which has all numbers that `f16` has; an integer that `f32` has not
//! is infinite in `f16` in any case.

use super::Expr;
use crate::types::of_value;
use cotangent_core::types::ScalarType;

/// `x`, of type `from`, as a `to`.
pub(super) fn expression(from: ScalarType, to: ScalarType, x: &str) -> Expr {
    use ScalarType::*;
    let plain = || format!("{}({x})", of_value(to)).into();
    let operand = [x.to_owned()];
    match (from, to) {
        (Bool, Bool)
        | (I32, I32)
        | (I64, I64)
        | (U32, U32)
        | (F16, F16)
        | (F32, F32)
        | (F64, F64) => x.to_owned().into(),
        // Of a NaN, too, which is not zero.
        (I32 | I64 | U32 | F16 | F32 | F64, Bool) => {
            format!("(!({x} == {}()))", of_value(from)).into()
        }
        (Bool, I32 | I64 | U32 | F16 | F32 | F64) => {
            let ty = of_value(to);
            format!("select({ty}(), {ty}(1), {x})").into()
        }
        (F16, I32 | I64 | U32 | F64) => expression(F32, to, &format!("f32({x})")),
        (I32 | I64 | U32, F16) => format!("f16(f32({x}))").into(),
        (F64, F16) => Expr::call("f16_of_f64", &operand),
        (F32, I32) => Expr::call("i32_of_f32", &operand),
        (F64, I32) => Expr::call("i32_of_f64", &operand),
        (F32, I64) => Expr::call("i64_of_f32", &operand),
        (F64, I64) => Expr::call("i64_of_f64", &operand),
        (F32, U32) => Expr::call("u32_of_f32", &operand),
        (F64, U32) => Expr::call("u32_of_f64", &operand),
        // `i64` of a `u32` copies its highest bit.
        (U32, I64) => format!("bitcast<i64>(u64({x}))").into(),
        (I32, I64 | U32 | F32 | F64)
        | (I64, I32 | U32 | F32 | F64)
        | (U32, I32 | F32 | F64)
        | (F16, F32)
        | (F32, F16 | F64)
        | (F64, F32) => plain(),
    }
}
