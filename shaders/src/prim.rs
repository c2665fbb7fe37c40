//! Primitives as expressions.
//!
//! Operands are names of values. What WGSL leaves open or defines otherwise than `Prim::eval` goes through functions of
//! the library.

mod convert;
mod float;
mod int;
mod logic;

use crate::math::Function;
use crate::types::{from_words, of_value};
use cotangent_core::integer_type;
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
    if let (Prim::Select, [cond, x, y]) = (prim, operands) {
        return Some(format!("select({y}, {x}, {cond})").into());
    }
    if let (Prim::Convert(to), [x]) = (prim, operands) {
        return Some(convert::expression(ty, to, x));
    }
    if let (Prim::ToBits | Prim::FromBits, [x]) = (prim, operands) {
        return Some(bits(ty, prim.result_type(&[ty])?, x).into());
    }
    match ty {
        ScalarType::Bool => logic::expression(prim, operands),
        integer_type!() => int::expression(prim, ty, operands),
        ScalarType::F16 => float::narrow(prim, operands),
        ScalarType::F32 | ScalarType::F64 => float::expression(prim, ty, operands),
    }
}

/// The bits of a value of one type as a value of another. (naga turns down `bitcast<u32>` of a `vec2<f16>`.)
fn bits(from: ScalarType, to: ScalarType, x: &str) -> String {
    match (from, to) {
        (_, ScalarType::F16) => from_words(to, &[x.to_owned()]),
        (ScalarType::F16, _) => format!("pack2x16float(vec2<f32>(f32({x}), 0.0))"),
        (ScalarType::Bool | integer_type!() | ScalarType::F32 | ScalarType::F64, _) => {
            format!("bitcast<{}>({x})", of_value(to))
        }
    }
}

/// How a primitive is written that WGSL has.
#[derive(Clone, Copy)]
enum Form {
    /// Between its operands.
    Infix,
    /// Before its operand.
    Prefix,
    /// As a function.
    Call,
}

/// A primitive as WGSL has it.
type Row = (Prim, Form, &'static str);

/// What is the same on all ordered types. Of floats, `!=` does not hold for a NaN: each type says what `Ne` is.
const COMPARISONS: [Row; 5] = [
    (Prim::Eq, Form::Infix, "=="),
    (Prim::Lt, Form::Infix, "<"),
    (Prim::Le, Form::Infix, "<="),
    (Prim::Gt, Form::Infix, ">"),
    (Prim::Ge, Form::Infix, ">="),
];

/// A primitive of a table; none where it is not in there.
fn written(table: &[Row], prim: Prim, operands: &[String]) -> Option<Expr> {
    let (_, form, symbol) = table.iter().find(|(listed, ..)| *listed == prim)?;
    let text = match form {
        Form::Infix => format!("({})", operands.join(&format!(" {symbol} "))),
        Form::Prefix => format!("({symbol}{})", operands.concat()),
        Form::Call => format!("{symbol}({})", operands.join(", ")),
    };
    Some(text.into())
}
