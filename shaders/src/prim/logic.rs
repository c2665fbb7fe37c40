//! Truth values.

use super::{Expr, infix};
use cotangent_core::prim::Prim;

pub(super) fn expression(prim: Prim, operands: &[String]) -> Option<Expr> {
    use Prim::*;
    match (prim, operands) {
        (Not, [x]) => Some(format!("(!{x})").into()),
        (And, _) => infix("&", operands),
        (Or, _) => infix("|", operands),
        (Eq, _) => infix("==", operands),
        (Ne, _) => infix("!=", operands),
        (_, _) => None,
    }
}
