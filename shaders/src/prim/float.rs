//! Floats: operators and exact built-in functions; everything else is in `math.rs`.
//!
//! On `f16`, only what devices have to round rightly is done as it is. The rest is computed in `f32` and rounded, so that a
//! quotient or a square root may be the next but nearest number where `f32` ones are not exact.

use super::{COMPARISONS, Expr, Form, Row, written};
use crate::math;
use cotangent_core::integer_type;
use cotangent_core::prim::Prim;
use cotangent_core::types::ScalarType;

const FORMS: [Row; 11] = [
    (Prim::Neg, Form::Prefix, "-"),
    (Prim::Add, Form::Infix, "+"),
    (Prim::Sub, Form::Infix, "-"),
    (Prim::Mul, Form::Infix, "*"),
    (Prim::Div, Form::Infix, "/"),
    (Prim::Abs, Form::Call, "abs"),
    (Prim::Sqrt, Form::Call, "sqrt"),
    (Prim::Floor, Form::Call, "floor"),
    (Prim::Ceil, Form::Call, "ceil"),
    (Prim::Trunc, Form::Call, "trunc"),
    // Drivers may round twice.
    (Prim::MulAdd, Form::Call, "fma"),
];
/// What devices have to round rightly on `f16`, and comparisons.
const EXACT_IN_F16: [Prim; 14] = [
    Prim::Eq,
    Prim::Ne,
    Prim::Lt,
    Prim::Le,
    Prim::Gt,
    Prim::Ge,
    Prim::Neg,
    Prim::Abs,
    Prim::Add,
    Prim::Sub,
    Prim::Mul,
    Prim::Floor,
    Prim::Ceil,
    Prim::Trunc,
];

pub(super) fn expression(prim: Prim, ty: ScalarType, operands: &[String]) -> Option<Expr> {
    special(prim, ty, operands)
        .or_else(|| written(&COMPARISONS, prim, operands))
        .or_else(|| written(&FORMS, prim, operands))
        .or_else(|| math::function(prim, ty).map(|function| Expr::math(function, operands)))
}

/// What WGSL means otherwise, or drivers get wrong.
fn special(prim: Prim, ty: ScalarType, operands: &[String]) -> Option<Expr> {
    if let (Prim::Ne, [x, y]) = (prim, operands) {
        // `!=` of a NaN and itself does not hold.
        return Some(format!("(!({x} == {y}))").into());
    }
    if let (Prim::Trunc, ScalarType::F64, [x]) = (prim, ty, operands) {
        // Mesa 22.3.6 gives back some beyond 2³¹ as they are, by its built-in function of this name alone.
        return Some(format!("select(ceil({x}), floor({x}), {x} >= 0.0lf)").into());
    }
    None
}

/// On `f16`.
pub(super) fn narrow(prim: Prim, operands: &[String]) -> Option<Expr> {
    if EXACT_IN_F16.contains(&prim) {
        return expression(prim, ScalarType::F16, operands);
    }
    let Expr { text, calls } = in_f32(prim, operands)?;
    let text = match prim.result_type(&vec![ScalarType::F16; operands.len()])? {
        ScalarType::Bool => text,
        ScalarType::F16 => format!("f16({text})"),
        integer_type!() | ScalarType::F32 | ScalarType::F64 => {
            return None;
        }
    };
    Some(Expr { text, calls })
}

fn in_f32(prim: Prim, operands: &[String]) -> Option<Expr> {
    let wide: Vec<_> = operands.iter().map(|x| format!("f32({x})")).collect();
    expression(prim, ScalarType::F32, &wide)
}
