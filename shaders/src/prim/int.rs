//! Integers: wrapping, and defined for zero divisors and for any distance of shifts.

use super::{COMPARISONS, Expr, Form, Row, written};
use crate::types::of_value;
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

/// Functions of the library, for `i32`, `i64`, `u32` and `u64`.
const LIBRARY: [(Prim, [&str; 4]); 4] = [
    (Prim::Quot, ["quot_i32", "quot_i64", "quot_u32", "quot_u64"]),
    (Prim::Rem, ["rem_i32", "rem_i64", "rem_u32", "rem_u64"]),
    (
        Prim::DivFloor,
        ["div_floor_i32", "div_floor_i64", "quot_u32", "quot_u64"],
    ),
    (
        Prim::ModFloor,
        ["mod_floor_i32", "mod_floor_i64", "rem_u32", "rem_u64"],
    ),
];

pub(super) fn expression(prim: Prim, ty: ScalarType, operands: &[String]) -> Option<Expr> {
    special(prim, ty, operands)
        .or_else(|| written(&COMPARISONS, prim, operands))
        .or_else(|| written(&FORMS, prim, operands))
}

/// What WGSL leaves open, or lacks for a type.
fn special(prim: Prim, ty: ScalarType, operands: &[String]) -> Option<Expr> {
    if let Some(expression) = unsigned(prim, ty, operands) {
        return Some(expression);
    }
    if let (Prim::Shl | Prim::Shr, [x, y]) = (prim, operands) {
        let symbol = if prim == Prim::Shl { "<<" } else { ">>" };
        let bits = of_type(["31i", "63li", "31u", "63lu"], ty);
        return Some(format!("({x} {symbol} u32({y} & {bits}))").into());
    }
    let (_, names) = LIBRARY.iter().find(|(listed, _)| *listed == prim)?;
    Some(Expr::call(of_type(*names, ty), operands))
}

/// What is another function of integers without a sign.
fn unsigned(prim: Prim, ty: ScalarType, operands: &[String]) -> Option<Expr> {
    let [x] = operands else { return None };
    let name = of_value(ty);
    let forms = [
        (Prim::Neg, format!("({name}() - {x})")),
        (Prim::Signum, format!("min({x}, {name}(1))")),
        (Prim::Abs, x.clone()),
    ];
    let mut forms = forms.into_iter().filter(|_| ty.is_unsigned());
    let (_, text) = forms.find(|(listed, _)| *listed == prim)?;
    Some(text.into())
}

/// The one for `i32`, `i64`, `u32` or `u64`.
fn of_type(texts: [&'static str; 4], ty: ScalarType) -> &'static str {
    texts[2 * usize::from(ty.is_unsigned()) + usize::from(ty.bytes() == 8)]
}
