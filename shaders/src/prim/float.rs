//! Floats: operators and exact built-in functions; everything else is in `math.rs`.

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
        (Trunc, _) => builtin("trunc"),
        (_, _) => math::function(prim, ty).map(|function| Expr::math(function, operands)),
    }
}
