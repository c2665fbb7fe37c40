//! The derivative of each primitive, as code: how the adjoint of a result becomes that of an operand.
//!
//! A zero adjoint passes nothing on, see [`guard`](super::guard). Where a primitive is not smooth:
//!
//! * `abs`: 0 at 0; `signum`, `floor`, `ceil`, `round`, `trunc`: 0 everywhere.
//! * `max`, `min`: all to the operand that is the result, of equals the first.
//! * `select`: all to the operand picked; the other gets 0, not `0 · ∞`.
//! * `sqrt`: ∞ at 0. `atan2`: NaN at the origin.
//! * `pow`: to x, y·xʸ⁻¹, and 0 where y = 0; to y, xʸ·ln x, and 0 where x = 0 and y ≥ 0.
//! * Conversions between floats convert the adjoint back; to or from another type they end it.
//!
//! The interpreter's dual numbers keep the same conventions. Results of transcendentals are reused, not
//! computed again.
//!
//! Note \[Reciprocals\]: where a partial derivative is a quotient, an adjoint is *multiplied* by the reciprocal of the divisor:
//! by `1/y` for both operands of `x/y`. So all adjoints that pass through a division, one per row of a
//! Jacobian, have one division in common, which the simplifier finds. The price is one more
//! rounding, and that the reciprocal of a divisor below 2⁻¹⁰²⁴ (in `f32` 2⁻¹²⁸), which is subnormal, overflows: the derivative is then ±∞ also where `adj / y` would be finite.
//! Divisors that are 0, infinite or NaN give what `adj / y` gives. `ln` stays a division by its operand, since
//! `p · ln p` has an ordinary derivative also for the least `p`; and so does `atan2`, whose x² + y² underflows
//! early.
//!
//! Note \[Half precision\]: on the way to a partial derivative, squares of ordinary numbers overflow in `f16`, and reciprocals of small
//! ones. So the adjoint of an `f16` through a primitive that is not linear is computed in `f32`, and rounded.

use super::guard::{Guard, unless_zero};
use cotangent_core::build::FunBuilder;
use cotangent_core::prim::Prim;
use cotangent_core::term::ExpId;
use cotangent_core::typed::{Code, Float, FloatRule, Value};
use cotangent_core::types::ScalarType;

/// From here on √(1 + x²) is x.
const LARGE: i32 = 1_000_000_000;

/// One application of a primitive: `result = op(operands)`, and the adjoint of the result.
#[derive(Debug)]
pub(crate) struct Application<'a> {
    pub op: Prim,
    pub operands: &'a [ExpId],
    pub result: ExpId,
    pub result_adj: ExpId,
    /// Whether the first operand receives an adjoint.
    pub first_is_active: bool,
    /// Where adjoints need guards.
    pub guard: Guard<'a>,
}

/// Whether `op` passes derivatives on: false where its partial derivative is 0 everywhere.
pub(crate) fn is_smooth(op: Prim) -> bool {
    use Prim::*;
    match op {
        Signum | Floor | Ceil | Round | Trunc => false,
        IsNan | IsInfinite | Not | BitNot | Quot | DivFloor | ModFloor => false,
        ToBits | FromBits => false,
        Eq | Ne | Lt | Le | Gt | Ge | And | Or | BitAnd | BitOr | BitXor | Shl | Shr => false,
        Convert(to) => to.is_float(),
        Neg | Abs | Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos | Atan
        | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh => true,
        Add | Sub | Mul | Div | Rem | Pow | Atan2 | Max | Min | MulAdd | Select => true,
    }
}

/// Pushes the adjoint that the operand at `position` receives; `None` where it receives none.
pub(crate) fn adjoint(b: &mut FunBuilder, app: &Application, position: usize) -> Option<ExpId> {
    let ty = b.type_of(app.operands[position]);
    if ty == ScalarType::F16 && Prim::is_curved(app.op) {
        return adjoint_in_f32(b, app, position);
    }
    if matches!(app.op, Prim::Convert(_)) {
        return Some(converted(b, app.result_adj, ty));
    }
    Code::write(b, ty, Adjoint { app, position })
}

/// Note \[Half precision\].
fn adjoint_in_f32(b: &mut FunBuilder, app: &Application, position: usize) -> Option<ExpId> {
    let mut wide = |x: ExpId| b.prim(Prim::Convert(ScalarType::F32), &[x]);
    let operands: Vec<_> = app.operands.iter().map(|&x| wide(x)).collect();
    let wide = Application {
        op: app.op,
        operands: &operands,
        result: wide(app.result),
        result_adj: wide(app.result_adj),
        first_is_active: app.first_is_active,
        guard: app.guard,
    };
    let adj = adjoint(b, &wide, position)?;
    Some(b.prim(Prim::Convert(ScalarType::F16), &[adj]))
}

/// Through a conversion from floats of type `ty`, the one primitive between two types of floats.
fn converted(b: &mut FunBuilder, adj: ExpId, ty: ScalarType) -> ExpId {
    match b.type_of(adj) == ty {
        true => adj,
        false => b.prim(Prim::Convert(ty), &[adj]),
    }
}

/// The adjoint of the operand at `position`.
struct Adjoint<'a> {
    app: &'a Application<'a>,
    position: usize,
}

impl FloatRule for Adjoint<'_> {
    fn write<T: Float>(self, code: &Code) -> Option<ExpId> {
        let Self { app, position } = self;
        let rule = Rule {
            app,
            z: code.value::<T>(app.result)?,
            adj: code.value(app.result_adj)?,
        };
        let adjoint = match (position, app.operands) {
            (0, &[x]) => rule.unary(code.value(x)?),
            (0, &[x, y]) => rule.left(code.value(x)?, code.value(y)?),
            (1, &[x, y]) => rule.right(code.value(x)?, code.value(y)?),
            (0, &[_, y, _]) if app.op == Prim::MulAdd => Some(rule.times_factor(code.value(y)?)),
            (1, &[x, _, _]) if app.op == Prim::MulAdd => Some(rule.times_factor(code.value(x)?)),
            (2, &[_, _, _]) if app.op == Prim::MulAdd => Some(rule.adj),
            (1 | 2, &[condition, _, _]) => Some(rule.selected(code.value(condition)?, position)),
            _ => None,
        };
        adjoint.map(Value::id)
    }
}

/// A primitive whose result `z` is of the type of its operands, with the adjoint of that. Rules make literals first.
#[derive(Clone, Copy)]
struct Rule<'c, T> {
    app: &'c Application<'c>,
    z: Value<'c, T>,
    adj: Value<'c, T>,
}

impl<'c, T: Float> Rule<'c, T> {
    fn unary(self, x: Value<'c, T>) -> Option<Value<'c, T>> {
        use Prim::*;
        let Self { app, z, adj } = self;
        let partial = match app.op {
            Neg => return Some(-adj),
            Abs => return Some(self.abs(x)),
            Exp => z,
            ExpM1 => x.exp(),
            Sin => x.cos(),
            Cos => -x.sin(),
            Tan => one_plus_square(z),
            Sinh => x.cosh(),
            Cosh => x.sinh(),
            Tanh => one_minus_square(z),
            Ln => return Some(self.unless_zero(adj / x)),
            Sqrt => half_over(z),
            Ln1p | Asin | Acos | Atan | Asinh | Acosh | Atanh => {
                reciprocal(inverse_partial(app.op, x)?)
            }
            Convert(_) | ToBits | FromBits | Signum | Floor | Ceil | Round | Trunc | IsNan
            | IsInfinite | Not | BitNot => return None,
            Add | Sub | Mul | Div | Quot | Rem | DivFloor | ModFloor | Pow | Atan2 | Max | Min
            | Eq | Ne | Lt | Le | Gt | Ge | And | Or | BitAnd | BitOr | BitXor | Shl | Shr
            | MulAdd | Select => return None,
        };
        Some(self.times(partial))
    }

    /// To the first of two operands.
    fn left(self, x: Value<'c, T>, y: Value<'c, T>) -> Option<Value<'c, T>> {
        use Prim::*;
        let Self { app, z: _, adj } = self;
        Some(match app.op {
            Add | Sub | Rem => adj,
            Mul => self.times_factor(y),
            Div => self.by_dividend(y),
            Pow => self.power_in_base(x, y),
            Atan2 => self.times(y / squared_radius(x, y)),
            Max | Min => {
                let first = first_wins(app.op, x, y);
                first.select(adj, adj.small(0))
            }
            other => return none(other),
        })
    }

    /// To the second of two operands.
    fn right(self, x: Value<'c, T>, y: Value<'c, T>) -> Option<Value<'c, T>> {
        use Prim::*;
        let Self { app, z: _, adj } = self;
        Some(match app.op {
            Add => adj,
            Sub => -adj,
            Mul => self.times_factor(x),
            Div => self.by_divisor(y),
            Rem => self.times(-((x - self.z) / y).round()),
            Pow => self.power_in_exponent(x, y),
            Atan2 => self.times(-(x / squared_radius(x, y))),
            Max | Min => {
                let first = first_wins(app.op, x, y);
                first.select(adj.small(0), adj)
            }
            other => return none(other),
        })
    }

    /// `adj · partial derivative`, guarded if the primitive asks for it.
    fn times(self, partial: Value<'c, T>) -> Value<'c, T> {
        self.unless_zero(self.adj * partial)
    }

    /// `product`, which the adjoint is a factor of; 0 where that is 0, if the primitive asks for it.
    fn unless_zero(self, product: Value<'c, T>) -> Value<'c, T> {
        let Guard { form, .. } = self.app.guard;
        match self.app.guard.is_needed(self.app.op) {
            true => unless_zero(form, self.adj, product),
            false => product,
        }
    }

    /// `adj · factor`, where `factor` is the other operand of a product.
    fn times_factor(self, factor: Value<'c, T>) -> Value<'c, T> {
        let product = self.adj * factor;
        match self.app.guard.is_needed_by_factor(factor.id()) {
            true => unless_zero(self.app.guard.form, self.adj, product),
            false => product,
        }
    }

    /// adj / y.
    fn by_dividend(self, y: Value<'c, T>) -> Value<'c, T> {
        let partial = reciprocal(y);
        match self.app.guard.singular.is_finite_divisor(y.id()) {
            true => self.adj * partial,
            false => self.times(partial),
        }
    }

    /// −adj · (x / y) / y, of which x has adj / y as its adjoint. If that is not needed, rather the partial derivative is
    /// what adjoints have in common.
    fn by_divisor(self, y: Value<'c, T>) -> Value<'c, T> {
        let inverse = reciprocal(y);
        match self.app.first_is_active {
            true => self.unless_zero((self.adj * inverse) * -self.z),
            false => self.times(-(self.z * inverse)),
        }
    }

    fn selected(self, condition: Value<'c, bool>, position: usize) -> Value<'c, T> {
        let zero = self.adj.small(0);
        match position == 1 {
            true => condition.select(self.adj, zero),
            false => condition.select(zero, self.adj),
        }
    }

    fn abs(self, x: Value<'c, T>) -> Value<'c, T> {
        let (sign, zero) = (x.signum(), x.small(0));
        let signed = self.times(sign);
        x.eq(zero).select(zero, signed)
    }

    fn power_in_base(self, x: Value<'c, T>, y: Value<'c, T>) -> Value<'c, T> {
        let (zero, one) = (x.small(0), x.small(1));
        let product = self.times(y * x.pow(y - one));
        // 0 · 0⁻¹. Elsewhere it is 0 by itself, and has a derivative by y.
        y.eq(zero).and(product.is_nan()).select(zero, product)
    }

    fn power_in_exponent(self, x: Value<'c, T>, y: Value<'c, T>) -> Value<'c, T> {
        let zero = x.small(0);
        let product = self.times(self.z * x.ln());
        let flat = x.eq(zero).and(y.ge(zero));
        flat.select(zero, product)
    }
}

/// One over the partial derivative of a primitive whose partial derivative is a quotient; never small but where it is zero.
fn inverse_partial<T: Float>(op: Prim, x: Value<'_, T>) -> Option<Value<'_, T>> {
    use Prim::*;
    Some(match op {
        Ln1p => x.small(1) + x,
        Asin => semicircle(x),
        Acos => -semicircle(x),
        Atan => one_plus_square(x),
        Asinh => hypotenuse(x),
        Acosh => hyperbola(x),
        Atanh => one_minus_square(x),
        other => return none(other),
    })
}

/// x² + y².
fn squared_radius<'c, T: Float>(x: Value<'c, T>, y: Value<'c, T>) -> Value<'c, T> {
    x * x + y * y
}

/// 1 + x².
fn one_plus_square<T: Float>(x: Value<'_, T>) -> Value<'_, T> {
    x.small(1) + x * x
}

/// 1 − x², by factors: precise near ±1.
fn one_minus_square<T: Float>(x: Value<'_, T>) -> Value<'_, T> {
    let one = x.small(1);
    (one - x) * (one + x)
}

/// √(1 − x²), NaN outside its domain.
fn semicircle<T: Float>(x: Value<'_, T>) -> Value<'_, T> {
    let one = x.small(1);
    product_of_roots(one - x, one + x)
}

/// √(1 + x²), also where x² overflows: there it is |x|.
fn hypotenuse<T: Float>(x: Value<'_, T>) -> Value<'_, T> {
    let large = x.small(LARGE);
    // Not the least of |x|, whose derivative at 0 is none: that of the square is.
    let near = x.min(large).max(-large);
    one_plus_square(near).sqrt().max(x.abs())
}

/// √(x² − 1), NaN for x < 1.
fn hyperbola<T: Float>(x: Value<'_, T>) -> Value<'_, T> {
    let one = x.small(1);
    product_of_roots(x - one, x + one)
}

fn product_of_roots<'c, T: Float>(x: Value<'c, T>, y: Value<'c, T>) -> Value<'c, T> {
    x.sqrt() * y.sqrt()
}

/// 1 / x.
fn reciprocal<T: Float>(x: Value<'_, T>) -> Value<'_, T> {
    x.small(1) / x
}

/// 0.5 · (1 / x), which has the division in common with quotients by x.
fn half_over<T: Float>(x: Value<'_, T>) -> Value<'_, T> {
    reciprocal(x.small(2)) * reciprocal(x)
}

/// Whether `max` or `min` of `x` and `y` gives `x`: see [`Prim::Max`] for NaN and equals.
fn first_wins<'c, T: Float>(op: Prim, x: Value<'c, T>, y: Value<'c, T>) -> Value<'c, bool> {
    let wins = if op == Prim::Max { x.ge(y) } else { x.le(y) };
    wins.or(x.is_nan())
}

/// The same for variables whose type is known when the program is; what is not of floats has no derivative, and the checker
/// would find the result to be no `bool`.
pub(crate) fn picks_first(b: &mut FunBuilder, op: Prim, x: ExpId, y: ExpId) -> ExpId {
    struct FirstWins(Prim, ExpId, ExpId);
    impl FloatRule for FirstWins {
        fn write<T: Float>(self, code: &Code) -> Option<ExpId> {
            let Self(op, x, y) = self;
            Some(first_wins(op, code.value::<T>(x)?, code.value(y)?).id())
        }
    }
    Code::write(b, b.type_of(x), FirstWins(op, x, y)).unwrap_or(x)
}

/// `_op` has no partial derivative in this operand: it is discrete, or takes another number of operands.
fn none<T>(_op: Prim) -> Option<T> {
    None
}
