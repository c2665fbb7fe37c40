//! Integers: wrapping, and defined for zero divisors and for any distance of shifts.

use super::{Expr, comparison, infix};
use cotangent_core::prim::Prim;
use cotangent_core::types::ScalarType;

pub(super) fn expression(prim: Prim, ty: ScalarType, operands: &[String]) -> Option<Expr> {
    use Prim::*;
    if let Some(symbol) = comparison(prim) {
        return infix(symbol, operands);
    }
    let named = |[narrow, wide, unsigned]: [&'static str; 3]| {
        let name = match ty {
            ScalarType::I64 => wide,
            ScalarType::U32 => unsigned,
            ScalarType::Bool
            | ScalarType::I32
            | ScalarType::F16
            | ScalarType::F32
            | ScalarType::F64 => narrow,
        };
        Some(Expr::call(name, operands))
    };
    match prim {
        Ne => infix("!=", operands),
        Add => infix("+", operands),
        Sub => infix("-", operands),
        Mul => infix("*", operands),
        BitAnd => infix("&", operands),
        BitOr => infix("|", operands),
        BitXor => infix("^", operands),
        // WGSL negates no unsigned number, and finds no sign of one.
        Neg if ty == ScalarType::U32 => prefix("0u - ", operands),
        Signum if ty == ScalarType::U32 => Some(format!("min({}, 1u)", operands.first()?).into()),
        Neg => prefix("-", operands),
        BitNot => prefix("~", operands),
        Abs => builtin("abs", operands),
        Signum => builtin("sign", operands),
        Max => builtin("max", operands),
        Min => builtin("min", operands),
        Quot => named(["quot_i32", "quot_i64", "quot_u32"]),
        Rem => named(["rem_i32", "rem_i64", "rem_u32"]),
        DivFloor => named(["div_floor_i32", "div_floor_i64", "quot_u32"]),
        ModFloor => named(["mod_floor_i32", "mod_floor_i64", "rem_u32"]),
        Shl => shift("<<", ty, operands),
        Shr => shift(">>", ty, operands),
        Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh
        | Tanh | Asinh | Acosh | Atanh | Floor | Ceil | Round | Trunc | IsNan | IsInfinite
        | Not | Convert(_) | Div | Pow | Atan2 | Eq | Lt | Le | Gt | Ge | And | Or | Select => None,
    }
}

fn prefix(symbol: &str, operands: &[String]) -> Option<Expr> {
    let [x] = operands else { return None };
    Some(format!("({symbol}{x})").into())
}

fn builtin(name: &str, operands: &[String]) -> Option<Expr> {
    Some(format!("{name}({})", operands.join(", ")).into())
}

fn shift(symbol: &str, ty: ScalarType, operands: &[String]) -> Option<Expr> {
    let [x, y] = operands else { return None };
    let bits = match ty {
        ScalarType::I64 => "63li",
        ScalarType::U32 => "31u",
        ScalarType::Bool
        | ScalarType::I32
        | ScalarType::F16
        | ScalarType::F32
        | ScalarType::F64 => "31i",
    };
    Some(format!("({x} {symbol} u32({y} & {bits}))").into())
}
