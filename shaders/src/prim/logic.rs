//! Truth values.

use super::{Expr, infix};
use cotangent_core::prim::Prim;

pub(super) fn expression(prim: Prim, operands: &[String]) -> Option<Expr> {
    use Prim::*;
    match prim {
        Not => operands.first().map(|x| format!("(!{x})").into()),
        And => infix("&", operands),
        Or => infix("|", operands),
        Eq => infix("==", operands),
        Ne => infix("!=", operands),
        Neg | Abs | Signum | Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos
        | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Floor | Ceil | Round | Trunc
        | IsNan | IsInfinite | BitNot | Convert(_) | Add | Sub | Mul | Div | Quot | Rem
        | DivFloor | ModFloor | Pow | Atan2 | Max | Min | Lt | Le | Gt | Ge | BitAnd | BitOr
        | BitXor | Shl | Shr | Select => None,
    }
}
