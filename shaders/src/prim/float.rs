//! Floats: operators and exact built-in functions; everything else is in `math.rs`.
//!
//! On `f16`, only what devices have to round rightly is done as it is. The rest is computed in `f32` and rounded, so that a
//! quotient or a square root may be the next but nearest number where `f32` ones are not exact.

use super::{Expr, comparison, infix};
use crate::math;
use cotangent_core::prim::Prim;
use cotangent_core::types::ScalarType;

pub(super) fn expression(prim: Prim, ty: ScalarType, operands: &[String]) -> Option<Expr> {
    use Prim::*;
    if let Some(symbol) = comparison(prim) {
        return infix(symbol, operands);
    }
    let builtin = |name: &str| Some(format!("{name}({})", operands.join(", ")).into());
    match (prim, operands) {
        // `!=` of a NaN and itself does not hold.
        (Ne, [x, y]) => Some(format!("(!({x} == {y}))").into()),
        (Neg, [x]) => Some(format!("(-{x})").into()),
        (Add, _) => infix("+", operands),
        (Sub, _) => infix("-", operands),
        (Mul, _) => infix("*", operands),
        (Div, _) => infix("/", operands),
        (Abs, _) => builtin("abs"),
        (Sqrt, _) => builtin("sqrt"),
        (Floor, _) => builtin("floor"),
        (Ceil, _) => builtin("ceil"),
        // Mesa 22.3.6 gives back some `f64` beyond 2³¹ as they are, by its built-in function of this name alone.
        (Trunc, [x]) if ty == ScalarType::F64 => {
            Some(format!("select(ceil({x}), floor({x}), {x} >= 0.0lf)").into())
        }
        (Trunc, _) => builtin("trunc"),
        (_, _) => math::function(prim, ty).map(|function| Expr::math(function, operands)),
    }
}

/// On `f16`.
pub(super) fn narrow(prim: Prim, operands: &[String]) -> Option<Expr> {
    use Prim::*;
    match prim {
        Eq | Ne | Lt | Le | Gt | Ge | Neg | Abs | Add | Sub | Mul | Floor | Ceil | Trunc => {
            expression(prim, ScalarType::F16, operands)
        }
        IsNan | IsInfinite => in_f32(prim, operands),
        Signum | Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos | Atan | Sinh
        | Cosh | Tanh | Asinh | Acosh | Atanh | Round | Div | Pow | Atan2 | Max | Min => {
            let Expr { text, calls } = in_f32(prim, operands)?;
            let text = format!("f16({text})");
            Some(Expr { text, calls })
        }
        Not | BitNot | Convert(_) | Quot | Rem | DivFloor | ModFloor | And | Or | BitAnd
        | BitOr | BitXor | Shl | Shr | Select => None,
    }
}

fn in_f32(prim: Prim, operands: &[String]) -> Option<Expr> {
    let wide: Vec<_> = operands.iter().map(|x| format!("f32({x})")).collect();
    expression(prim, ScalarType::F32, &wide)
}
