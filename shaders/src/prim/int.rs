//! Integers: wrapping, and defined for zero divisors and for any distance of shifts.

use super::{COMPARISONS, Expr, Form, Row, written};
use cotangent_core::prim::Prim;
use cotangent_core::types::ScalarType;

const FORMS: [Row; 13] = [
    (Prim::Ne, Form::Infix, "!="),
    (Prim::Add, Form::Infix, "+"),
    (Prim::Sub, Form::Infix, "-"),
    (Prim::Mul, Form::Infix, "*"),
    (Prim::BitAnd, Form::Infix, "&"),
    (Prim::BitOr, Form::Infix, "|"),
    (Prim::BitXor, Form::Infix, "^"),
    (Prim::Neg, Form::Prefix, "-"),
    (Prim::BitNot, Form::Prefix, "~"),
    (Prim::Abs, Form::Call, "abs"),
    (Prim::Signum, Form::Call, "sign"),
    (Prim::Max, Form::Call, "max"),
    (Prim::Min, Form::Call, "min"),
];

/// Functions of the library.
const LIBRARY: [(Prim, [&str; 3]); 4] = [
    (Prim::Quot, ["quot_i32", "quot_i64", "quot_u32"]),
    (Prim::Rem, ["rem_i32", "rem_i64", "rem_u32"]),
    (
        Prim::DivFloor,
        ["div_floor_i32", "div_floor_i64", "quot_u32"],
    ),
    (
        Prim::ModFloor,
        ["mod_floor_i32", "mod_floor_i64", "rem_u32"],
    ),
];

pub(super) fn expression(prim: Prim, ty: ScalarType, operands: &[String]) -> Option<Expr> {
    special(prim, ty, operands)
        .or_else(|| written(&COMPARISONS, prim, operands))
        .or_else(|| written(&FORMS, prim, operands))
}

/// What WGSL leaves open, or lacks for a type.
fn special(prim: Prim, ty: ScalarType, operands: &[String]) -> Option<Expr> {
    if let (ScalarType::U32, Prim::Neg, [x]) = (ty, prim, operands) {
        return Some(format!("(0u - {x})").into());
    }
    if let (ScalarType::U32, Prim::Signum, [x]) = (ty, prim, operands) {
        return Some(format!("min({x}, 1u)").into());
    }
    if let (Prim::Shl | Prim::Shr, [x, y]) = (prim, operands) {
        let symbol = if prim == Prim::Shl { "<<" } else { ">>" };
        let bits = of_type(["31i", "63li", "31u"], ty);
        return Some(format!("({x} {symbol} u32({y} & {bits}))").into());
    }
    let (_, names) = LIBRARY.iter().find(|(listed, _)| *listed == prim)?;
    Some(Expr::call(of_type(*names, ty), operands))
}

/// The one for `i32`, `i64` or `u32`.
fn of_type([narrow, wide, unsigned]: [&'static str; 3], ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::I64 => wide,
        ScalarType::U32 => unsigned,
        ScalarType::Bool
        | ScalarType::I32
        | ScalarType::F16
        | ScalarType::F32
        | ScalarType::F64 => narrow,
    }
}
