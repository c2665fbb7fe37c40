//! Integers: wrapping, and defined for zero divisors and for any distance of shifts.
//!
//! Those of 8 and 16 bits are computed with as if they were of 32, and what may leave their range is wrapped. No result of
//! theirs leaves that of 32 bits.

use super::{COMPARISONS, Expr, Form, Row, written};
use crate::types::{is_packed, of_value, wrapped};
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

/// What may leave the range of its operands' type.
const WRAPPING: [Prim; 9] = [
    Prim::Add,
    Prim::Sub,
    Prim::Mul,
    Prim::Neg,
    Prim::Abs,
    Prim::BitNot,
    Prim::Shl,
    Prim::Quot,
    Prim::DivFloor,
];

pub(super) fn expression(prim: Prim, ty: ScalarType, operands: &[String]) -> Option<Expr> {
    let Expr { text, calls } = unwrapped(prim, ty, operands)?;
    let text = match is_packed(ty) && WRAPPING.contains(&prim) {
        true => wrapped(ty, &text),
        false => text,
    };
    Some(Expr { text, calls })
}

fn unwrapped(prim: Prim, ty: ScalarType, operands: &[String]) -> Option<Expr> {
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
        let suffix = of_type(["i", "li", "u", "lu"], ty);
        let bits = format!("{}{suffix}", 8 * ty.bytes() - 1);
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

/// The one for `i32`, `i64`, `u32` or `u64`, the type of the values.
fn of_type(texts: [&'static str; 4], ty: ScalarType) -> &'static str {
    texts[2 * usize::from(ty.is_unsigned()) + usize::from(ty.bytes() == 8)]
}
