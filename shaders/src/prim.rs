//! Primitives as expressions.
//!
//! Operands are names of values. What WGSL leaves open or defines otherwise than `Prim::eval` goes through functions of
//! the library.

mod convert;
mod float;
mod int;
mod logic;

use crate::math::Function;
use cotangent_core::prim::Prim;
use cotangent_core::types::ScalarType;

/// An expression, and the function that it calls.
pub(crate) struct Expr {
    pub text: String,
    pub calls: Option<Called>,
}

/// A function that shaders carry along.
#[derive(Clone, Copy)]
pub(crate) enum Called {
    /// Of `library.rs`, by its name.
    Library(&'static str),
    /// Of `math.rs`.
    Math(&'static Function),
}

impl From<String> for Expr {
    fn from(text: String) -> Self {
        Self { text, calls: None }
    }
}

impl Expr {
    /// A call of a function of the library.
    fn call(name: &'static str, operands: &[String]) -> Self {
        Self {
            text: format!("{name}({})", operands.join(", ")),
            calls: Some(Called::Library(name)),
        }
    }

    /// A call of a function on floats.
    fn math(function: &'static Function, operands: &[String]) -> Self {
        Self {
            text: format!("{}({})", function.name, operands.join(", ")),
            calls: Some(Called::Math(function)),
        }
    }
}

/// A primitive on operands of the given type (of a `Select`, that of what is selected). None where there is no text
/// for it.
pub(crate) fn expression(prim: Prim, ty: ScalarType, operands: &[String]) -> Option<Expr> {
    match (prim, operands) {
        (Prim::Select, [cond, x, y]) => Some(format!("select({y}, {x}, {cond})").into()),
        (Prim::Convert(to), [x]) => Some(convert::expression(ty, to, x)),
        (_, _) => match ty {
            ScalarType::Bool => logic::expression(prim, operands),
            ScalarType::I32 | ScalarType::I64 | ScalarType::U32 => {
                int::expression(prim, ty, operands)
            }
            ScalarType::F16 => float::narrow(prim, operands),
            ScalarType::F32 | ScalarType::F64 => float::expression(prim, ty, operands),
        },
    }
}

/// A comparison that is the same on all ordered types.
fn comparison(prim: Prim) -> Option<&'static str> {
    use Prim::*;
    match prim {
        Eq => Some("=="),
        Lt => Some("<"),
        Le => Some("<="),
        Gt => Some(">"),
        Ge => Some(">="),
        // Of floats, `!=` does not hold for a NaN: each type says what it means.
        Ne => None,
        Neg | Abs | Signum | Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos
        | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Floor | Ceil | Round | Trunc
        | IsNan | IsInfinite | Not | BitNot | Convert(_) | Add | Sub | Mul | Div | Quot | Rem
        | DivFloor | ModFloor | Pow | Atan2 | Max | Min | And | Or | BitAnd | BitOr | BitXor
        | Shl | Shr | Select => None,
    }
}

/// `left symbol right`.
fn infix(symbol: &str, operands: &[String]) -> Option<Expr> {
    match operands {
        [x, y] => Some(format!("({x} {symbol} {y})").into()),
        _other => None,
    }
}
