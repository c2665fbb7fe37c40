//! The partial derivatives of the primitives.
//!
//! Where a primitive is not smooth:
//!
//! * `abs`: 0 at 0; `signum`, `floor`, `ceil`, `round`, `trunc`: 0 everywhere.
//! * `max`, `min`: all to the operand that is the result, of equals the first. So a fold by `max` depends
//!   on its first extremal element.
//! * `select`: all to the operand picked; the other contributes nothing, not even `0 · ∞`.
//! * `sqrt`: ∞ at 0. `atan2`: NaN at the origin.
//! * `pow`: by x, y·xʸ⁻¹, and 0 where y = 0; by y, xʸ·ln x, and 0 where x = 0 and y ≥ 0.
//! * Conversions between floats convert the tangent; to or from another type they end it.
//!
//! Elsewhere a partial derivative is what its formula gives, also where the primitive itself is NaN. Those of `x / y` are
//! `1 / y` and `−(x / y) · (1 / y)`, and so infinite for subnormal `y` whose reciprocal overflows.
//! Partial derivatives of primitives of `f16` that are not linear are computed, and multiplied by, in `f32`: squares of ordinary numbers
//! overflow in `f16`.

use super::value::{Value, apply};
use crate::constant::Const;
use crate::integer_const;
use crate::prim::Prim;
use crate::rounding::f16;
use crate::types::ScalarType;

/// From here on √(1 + x²) is x.
const LARGE: i32 = 1_000_000_000;

/// What a primitive does to the tangent of one operand.
#[derive(Debug)]
pub(super) enum Partial {
    /// Ends it.
    Zero,
    /// Passes it on.
    One,
    /// Applies a linear primitive.
    Through(Prim),
    /// Multiplies it.
    Times(Value),
    /// Divides it.
    Over(Value),
    /// Does something to it in `f32`, and rounds that to `f16`.
    InF32(Box<Partial>),
}

impl Partial {
    /// The partial derivative of `op` in its operand at `position`, where `operands` gives `result`.
    pub(super) fn of(
        op: Prim,
        position: usize,
        operands: &[Value],
        result: &Value,
    ) -> Option<Self> {
        let is_half = operands.first()?.scalar_type() == ScalarType::F16;
        if is_half && op.is_curved() {
            let operands: Option<Vec<_>> = operands.iter().map(wide).collect();
            let partial = Self::of(op, position, &operands?, &wide(result)?)?;
            return Some(Self::InF32(Box::new(partial)));
        }
        match (position, operands) {
            (0, [x]) => unary(op, x, result),
            (0, [x, y]) => left(op, x, y, result),
            (1, [x, y]) => right(op, x, y, result),
            (0, [_, y, _]) if op == Prim::MulAdd => Some(Partial::Times(y.clone())),
            (1, [x, _, _]) if op == Prim::MulAdd => Some(Partial::Times(x.clone())),
            (2, [_, _, _]) if op == Prim::MulAdd => Some(Partial::One),
            (1 | 2, [condition, _, _]) => Some(selected(op, condition, position)),
            _ => None,
        }
    }
}

/// Whether the partial derivative of `op` in its operand at `position` may be other than zero, if not for these operands, then for
/// others. Of a selection, the operand that is picked counts.
pub(super) fn passes_on(op: Prim, position: usize, operands: &[Const]) -> bool {
    match op {
        Prim::Signum | Prim::Floor | Prim::Ceil | Prim::Round | Prim::Trunc => false,
        Prim::Select => match operands.first() {
            Some(condition) => position == picked(*condition),
            None => false,
        },
        Prim::IsNan | Prim::IsInfinite | Prim::Not | Prim::BitNot => false,
        Prim::ToBits | Prim::FromBits => false,
        Prim::Quot | Prim::DivFloor | Prim::ModFloor => false,
        Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => false,
        Prim::And | Prim::Or | Prim::BitAnd | Prim::BitOr | Prim::BitXor => false,
        Prim::Shl | Prim::Shr => false,
        Prim::Neg | Prim::Abs | Prim::Sqrt | Prim::Exp | Prim::ExpM1 | Prim::Ln | Prim::Ln1p => {
            true
        }
        Prim::Sin | Prim::Cos | Prim::Tan | Prim::Asin | Prim::Acos | Prim::Atan => true,
        Prim::Sinh | Prim::Cosh | Prim::Tanh | Prim::Asinh | Prim::Acosh | Prim::Atanh => true,
        Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Rem => true,
        Prim::Pow | Prim::Atan2 => true,
        Prim::Max | Prim::Min | Prim::MulAdd | Prim::Convert(_) => true,
    }
}

fn unary(op: Prim, x: &Value, result: &Value) -> Option<Partial> {
    use Partial::{One, Over, Through, Times, Zero};
    let one = Value::Plain(Const::small(x.scalar_type(), 1));
    Some(match op {
        Prim::Neg => Through(Prim::Neg),
        Prim::Abs => abs(x),
        Prim::Sqrt => Over(add(result, result)?),
        Prim::Exp => Times(result.clone()),
        Prim::ExpM1 => Times(of(Prim::Exp, x)?),
        Prim::Ln => Over(x.clone()),
        Prim::Ln1p => Over(add(&one, x)?),
        Prim::Sin => Times(of(Prim::Cos, x)?),
        Prim::Cos => Times(neg(&of(Prim::Sin, x)?)?),
        Prim::Tan => Times(add(&one, &mul(result, result)?)?),
        Prim::Asin => Over(semicircle(&one, x)?),
        Prim::Acos => Over(neg(&semicircle(&one, x)?)?),
        Prim::Atan => Over(add(&one, &mul(x, x)?)?),
        Prim::Sinh => Times(of(Prim::Cosh, x)?),
        Prim::Cosh => Times(of(Prim::Sinh, x)?),
        Prim::Tanh => Times(one_minus_square(&one, result)?),
        Prim::Asinh => Over(hypotenuse(&one, x)?),
        Prim::Acosh => Over(hyperbola(&one, x)?),
        Prim::Atanh => Over(one_minus_square(&one, x)?),
        Prim::Convert(to) if to == x.scalar_type() => One,
        Prim::Convert(to) if to.is_float() => Through(Prim::Convert(to)),
        Prim::Convert(_) => Zero,
        Prim::Signum | Prim::Floor | Prim::Ceil | Prim::Round | Prim::Trunc => Zero,
        Prim::IsNan | Prim::IsInfinite | Prim::Not | Prim::BitNot => Zero,
        Prim::ToBits | Prim::FromBits => Zero,
        other => return not_so_many(other),
    })
}

/// In the first of two operands.
fn left(op: Prim, x: &Value, y: &Value, result: &Value) -> Option<Partial> {
    use Partial::{One, Times, Zero};
    Some(match op {
        Prim::Add | Prim::Sub => One,
        Prim::Rem if result.scalar_type().is_float() => One,
        Prim::Mul => Times(y.clone()),
        Prim::Div => Times(reciprocal(y)?),
        Prim::Pow => return power_in_base(x, y),
        Prim::Atan2 => Times(div(y, &squared_radius(x, y)?)?),
        Prim::Max | Prim::Min if picks_first(op, x, y)? => One,
        Prim::Max | Prim::Min => Zero,
        other => return discrete(other, result),
    })
}

/// In the second of two operands.
fn right(op: Prim, x: &Value, y: &Value, result: &Value) -> Option<Partial> {
    use Partial::{One, Through, Times, Zero};
    Some(match op {
        Prim::Add => One,
        Prim::Sub => Through(Prim::Neg),
        Prim::Rem if result.scalar_type().is_float() => Times(neg(&times_taken(x, y, result)?)?),
        Prim::Mul => Times(x.clone()),
        Prim::Div => Times(neg(&mul(result, &reciprocal(y)?)?)?),
        Prim::Pow => return power_in_exponent(x, y, result),
        Prim::Atan2 => Times(neg(&div(x, &squared_radius(x, y)?)?)?),
        Prim::Max | Prim::Min if picks_first(op, x, y)? => Zero,
        Prim::Max | Prim::Min => One,
        other => return discrete(other, result),
    })
}

/// How often a remainder's divisor has been taken away: the quotient is an integer up to rounding.
fn times_taken(x: &Value, y: &Value, result: &Value) -> Option<Value> {
    of(Prim::Round, &div(&add(x, &neg(result)?)?, y)?)
}

/// Comparisons: no derivative. There is no other primitive of two floats.
fn discrete(op: Prim, result: &Value) -> Option<Partial> {
    if result.scalar_type().is_float() {
        return not_so_many(op);
    }
    Some(Partial::Zero)
}

/// `_op` does not take that many floats: the operands do not fit.
fn not_so_many(_op: Prim) -> Option<Partial> {
    None
}

fn selected(op: Prim, condition: &Value, position: usize) -> Partial {
    if op == Prim::Select && position == picked(condition.constant()) {
        Partial::One
    } else {
        Partial::Zero
    }
}

/// The position of the operand that a selection picks.
fn picked(condition: Const) -> usize {
    if condition.is_zero() { 2 } else { 1 }
}

/// The sign of `x`; NaN stays NaN.
fn abs(x: &Value) -> Partial {
    match x.constant() {
        c if c.is_zero() => Partial::Zero,
        Const::F16(x) if x < f16::ZERO => Partial::Through(Prim::Neg),
        Const::F32(x) if x < 0.0 => Partial::Through(Prim::Neg),
        Const::F64(x) if x < 0.0 => Partial::Through(Prim::Neg),
        Const::F16(x) if x.is_nan() => Partial::Times(Value::Plain(Const::F16(x))),
        Const::F32(x) if x.is_nan() => Partial::Times(Value::Plain(Const::F32(x))),
        Const::F64(x) if x.is_nan() => Partial::Times(Value::Plain(Const::F64(x))),
        Const::Bool(_) | integer_const!() | Const::F16(_) | Const::F32(_) | Const::F64(_) => {
            Partial::One
        }
    }
}

/// Whether `max` or `min` gives its first operand; see [`Prim::Max`].
fn picks_first(op: Prim, x: &Value, y: &Value) -> Option<bool> {
    let (x, y) = (x.constant(), y.constant());
    let test = if op == Prim::Max { Prim::Ge } else { Prim::Le };
    let holds = test.eval(&[x, y])? == Const::Bool(true);
    Some(holds || Prim::IsNan.eval(&[x])? == Const::Bool(true))
}

/// y·xʸ⁻¹. At y = 0 this is 0, also where xʸ⁻¹ is not finite; unless an outer gradient wants to know how it
/// changes with y, and it does so smoothly.
fn power_in_base(x: &Value, y: &Value) -> Option<Partial> {
    let certain = matches!(y, Value::Plain(_)) || x.constant().is_zero();
    if y.constant().is_zero() && certain {
        return Some(Partial::Zero);
    }
    let one = Value::Plain(Const::small(y.scalar_type(), 1));
    let lower = apply(Prim::Pow, &[x.clone(), sub(y, &one)?])?;
    Some(Partial::Times(mul(y, &lower)?))
}

/// xʸ·ln x, with its limit 0 where x = 0 and y > 0; the same at y = 0.
fn power_in_exponent(x: &Value, y: &Value, result: &Value) -> Option<Partial> {
    let zero = Const::zero(y.scalar_type());
    let reachable = Prim::Ge.eval(&[y.constant(), zero])? == Const::Bool(true);
    if x.constant().is_zero() && reachable {
        return Some(Partial::Zero);
    }
    Some(Partial::Times(mul(result, &of(Prim::Ln, x)?)?))
}

/// 1 / x.
fn reciprocal(x: &Value) -> Option<Value> {
    let one = Value::Plain(Const::small(x.scalar_type(), 1));
    div(&one, x)
}

/// x² + y².
fn squared_radius(x: &Value, y: &Value) -> Option<Value> {
    add(&mul(x, x)?, &mul(y, y)?)
}

/// 1 − x², by factors: precise near ±1.
fn one_minus_square(one: &Value, x: &Value) -> Option<Value> {
    mul(&sub(one, x)?, &add(one, x)?)
}

/// √(1 − x²), NaN outside its domain.
fn semicircle(one: &Value, x: &Value) -> Option<Value> {
    let (below, above) = (sub(one, x)?, add(one, x)?);
    mul(&of(Prim::Sqrt, &below)?, &of(Prim::Sqrt, &above)?)
}

/// √(1 + x²), also where x² overflows: there it is |x|.
fn hypotenuse(one: &Value, x: &Value) -> Option<Value> {
    let large = Value::Plain(Const::small(x.scalar_type(), LARGE));
    // Not the least of |x|, whose derivative at 0 is none: that of the square is.
    let near = apply(Prim::Min, &[x.clone(), large.clone()])?;
    let near = apply(Prim::Max, &[near, of(Prim::Neg, &large)?])?;
    let root = of(Prim::Sqrt, &add(one, &mul(&near, &near)?)?)?;
    apply(Prim::Max, &[root, of(Prim::Abs, x)?])
}

/// √(x² − 1), NaN for x < 1.
fn hyperbola(one: &Value, x: &Value) -> Option<Value> {
    let (below, above) = (sub(x, one)?, add(x, one)?);
    mul(&of(Prim::Sqrt, &below)?, &of(Prim::Sqrt, &above)?)
}

fn wide(x: &Value) -> Option<Value> {
    of(Prim::Convert(ScalarType::F32), x)
}

fn of(op: Prim, x: &Value) -> Option<Value> {
    apply(op, std::slice::from_ref(x))
}

fn neg(x: &Value) -> Option<Value> {
    of(Prim::Neg, x)
}

fn add(x: &Value, y: &Value) -> Option<Value> {
    apply(Prim::Add, &[x.clone(), y.clone()])
}

fn sub(x: &Value, y: &Value) -> Option<Value> {
    apply(Prim::Sub, &[x.clone(), y.clone()])
}

fn mul(x: &Value, y: &Value) -> Option<Value> {
    apply(Prim::Mul, &[x.clone(), y.clone()])
}

fn div(x: &Value, y: &Value) -> Option<Value> {
    apply(Prim::Div, &[x.clone(), y.clone()])
}
