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

use super::guard::{Guard, guarded};
use cotangent_core::build::FunBuilder;
use cotangent_core::prim::Prim;
use cotangent_core::term::ExpId;
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
        IsNan | IsInfinite | Not | BitNot | Quot | Rem | DivFloor | ModFloor => false,
        Eq | Ne | Lt | Le | Gt | Ge | And | Or | BitAnd | BitOr | BitXor | Shl | Shr => false,
        Convert(to) => to.is_float(),
        Neg | Abs | Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos | Atan
        | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh => true,
        Add | Sub | Mul | Div | Pow | Atan2 | Max | Min | Select => true,
    }
}

/// Pushes the adjoint that the operand at `position` receives; `None` where it receives none.
pub(crate) fn adjoint(b: &mut FunBuilder, app: &Application, position: usize) -> Option<ExpId> {
    let ty = b.type_of(app.operands[position]);
    if ty == ScalarType::F16 && Prim::is_curved(app.op) {
        return adjoint_in_f32(b, app, position);
    }
    let guard = app.guard;
    let mut rule = Rule { b, ty, guard };
    match (position, app.operands) {
        (0, &[x]) => rule.unary(app, x),
        (0, &[x, y]) => rule.left(app, x, y),
        (1, &[x, y]) => rule.right(app, x, y),
        (1 | 2, &[condition, _, _]) => Some(rule.selected(condition, position, app.result_adj)),
        _ => None,
    }
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

/// Shorthands for pushing code on floats of one type.
struct Rule<'a> {
    b: &'a mut FunBuilder,
    ty: ScalarType,
    guard: Guard<'a>,
}

impl Rule<'_> {
    fn unary(&mut self, app: &Application, x: ExpId) -> Option<ExpId> {
        use Prim::*;
        let (op, y, y_adj) = (app.op, app.result, app.result_adj);
        let partial = match op {
            Neg => return Some(self.one(Neg, y_adj)),
            Abs => return Some(self.abs(x, y_adj)),
            Convert(_) if self.b.type_of(y) == self.ty => return Some(y_adj),
            Convert(_) => return Some(self.one(Convert(self.ty), y_adj)),
            Exp => y,
            ExpM1 => self.one(Exp, x),
            Sin => self.one(Cos, x),
            Cos => self.minus(Sin, x),
            Tan => self.one_plus_square(y),
            Sinh => self.one(Cosh, x),
            Cosh => self.one(Sinh, x),
            Tanh => self.one_minus_square(y),
            Ln => {
                let quotient = self.two(Div, y_adj, x);
                return Some(self.unless_zero(op, y_adj, quotient));
            }
            Sqrt => self.half_over(y),
            Ln1p | Asin | Acos | Atan | Asinh | Acosh | Atanh => {
                let divisor = self.inverse_partial(op, x)?;
                self.reciprocal(divisor)
            }
            Signum | Floor | Ceil | Round | Trunc | IsNan | IsInfinite | Not | BitNot => {
                return None;
            }
            Add | Sub | Mul | Div | Quot | Rem | DivFloor | ModFloor | Pow | Atan2 | Max | Min
            | Eq | Ne | Lt | Le | Gt | Ge | And | Or | BitAnd | BitOr | BitXor | Shl | Shr
            | Select => return None,
        };
        Some(self.times(op, y_adj, partial))
    }

    /// `adj · partial derivative`, guarded if `op` asks for it.
    fn times(&mut self, op: Prim, adj: ExpId, partial: ExpId) -> ExpId {
        let product = self.two(Prim::Mul, adj, partial);
        self.unless_zero(op, adj, product)
    }

    /// `product`, which `adj` is a factor of; 0 where that is 0, if `op` asks for it.
    fn unless_zero(&mut self, op: Prim, adj: ExpId, product: ExpId) -> ExpId {
        if self.guard.is_needed(op) {
            guarded(self.b, self.guard.form, adj, product)
        } else {
            product
        }
    }

    /// `adj · factor`, where `factor` is the other operand of a product.
    fn times_factor(&mut self, adj: ExpId, factor: ExpId) -> ExpId {
        let product = self.two(Prim::Mul, adj, factor);
        if self.guard.is_needed_by_factor(factor) {
            guarded(self.b, self.guard.form, adj, product)
        } else {
            product
        }
    }

    /// One over the partial derivative of a primitive whose partial derivative is a quotient; never small but where it is zero.
    fn inverse_partial(&mut self, op: Prim, x: ExpId) -> Option<ExpId> {
        use Prim::*;
        Some(match op {
            Ln1p => {
                let one = self.small(1);
                self.two(Add, one, x)
            }
            Asin => self.semicircle(x),
            Acos => {
                let root = self.semicircle(x);
                self.one(Neg, root)
            }
            Atan => self.one_plus_square(x),
            Asinh => self.hypotenuse(x),
            Acosh => self.hyperbola(x),
            Atanh => self.one_minus_square(x),
            other => return none(other),
        })
    }

    /// To the first of two operands.
    fn left(&mut self, app: &Application, x: ExpId, y: ExpId) -> Option<ExpId> {
        use Prim::*;
        let (op, adj) = (app.op, app.result_adj);
        Some(match op {
            Add | Sub => adj,
            Mul => self.times_factor(adj, y),
            Div => self.by_dividend(adj, y),
            Pow => self.power_in_base(x, y, adj),
            Atan2 => {
                let partial = self.over_squared_radius(y, x, y);
                self.times(op, adj, partial)
            }
            Max | Min => {
                let first = self.picks_first(op, x, y);
                let zero = self.small(0);
                self.b.prim(Select, &[first, adj, zero])
            }
            other => return none(other),
        })
    }

    /// To the second of two operands.
    fn right(&mut self, app: &Application, x: ExpId, y: ExpId) -> Option<ExpId> {
        use Prim::*;
        let (z, adj) = (app.result, app.result_adj);
        Some(match app.op {
            Add => adj,
            Sub => self.one(Neg, adj),
            Mul => self.times_factor(adj, x),
            Div => self.by_divisor(app, y),
            Pow => self.power_in_exponent(x, y, z, adj),
            Atan2 => {
                let quotient = self.over_squared_radius(x, x, y);
                let partial = self.one(Neg, quotient);
                self.times(app.op, adj, partial)
            }
            Max | Min => {
                let first = self.picks_first(app.op, x, y);
                let zero = self.small(0);
                self.b.prim(Select, &[first, zero, adj])
            }
            other => return none(other),
        })
    }

    /// adj / y.
    fn by_dividend(&mut self, adj: ExpId, y: ExpId) -> ExpId {
        let partial = self.reciprocal(y);
        if self.guard.singular.is_finite_divisor(y) {
            return self.two(Prim::Mul, adj, partial);
        }
        self.times(Prim::Div, adj, partial)
    }

    /// −adj · (x / y) / y, of which x has adj / y as its adjoint. If that is not needed, rather the partial derivative is
    /// what adjoints have in common.
    fn by_divisor(&mut self, app: &Application, y: ExpId) -> ExpId {
        let inverse = self.reciprocal(y);
        if app.first_is_active {
            let (x_adj, factor) = (
                self.two(Prim::Mul, app.result_adj, inverse),
                self.one(Prim::Neg, app.result),
            );
            let product = self.two(Prim::Mul, x_adj, factor);
            return self.unless_zero(Prim::Div, app.result_adj, product);
        }
        let quotient = self.two(Prim::Mul, app.result, inverse);
        let partial = self.one(Prim::Neg, quotient);
        self.times(Prim::Div, app.result_adj, partial)
    }

    fn selected(&mut self, condition: ExpId, position: usize, adj: ExpId) -> ExpId {
        let zero = self.small(0);
        let operands = if position == 1 {
            [condition, adj, zero]
        } else {
            [condition, zero, adj]
        };
        self.b.prim(Prim::Select, &operands)
    }

    fn abs(&mut self, x: ExpId, adj: ExpId) -> ExpId {
        let (sign, zero) = (self.one(Prim::Signum, x), self.small(0));
        let signed = self.times(Prim::Abs, adj, sign);
        let flat = self.two(Prim::Eq, x, zero);
        self.b.prim(Prim::Select, &[flat, zero, signed])
    }

    /// Whether `max` or `min` gives its first operand; see [`Prim::Max`].
    fn picks_first(&mut self, op: Prim, x: ExpId, y: ExpId) -> ExpId {
        picks_first(self.b, op, x, y)
    }

    fn power_in_base(&mut self, x: ExpId, y: ExpId, adj: ExpId) -> ExpId {
        let (zero, one) = (self.small(0), self.small(1));
        let lower = self.two(Prim::Sub, y, one);
        let power = self.two(Prim::Pow, x, lower);
        let partial = self.two(Prim::Mul, y, power);
        let product = self.times(Prim::Pow, adj, partial);
        let flat = self.two(Prim::Eq, y, zero);
        self.b.prim(Prim::Select, &[flat, zero, product])
    }

    fn power_in_exponent(&mut self, x: ExpId, y: ExpId, z: ExpId, adj: ExpId) -> ExpId {
        let (zero, ln) = (self.small(0), self.one(Prim::Ln, x));
        let partial = self.two(Prim::Mul, z, ln);
        let product = self.times(Prim::Pow, adj, partial);
        let (at_zero, growing) = (self.two(Prim::Eq, x, zero), self.two(Prim::Ge, y, zero));
        let flat = self.two(Prim::And, at_zero, growing);
        self.b.prim(Prim::Select, &[flat, zero, product])
    }

    /// a / (x² + y²).
    fn over_squared_radius(&mut self, a: ExpId, x: ExpId, y: ExpId) -> ExpId {
        let (xx, yy) = (self.two(Prim::Mul, x, x), self.two(Prim::Mul, y, y));
        let radius = self.two(Prim::Add, xx, yy);
        self.two(Prim::Div, a, radius)
    }

    /// 1 + x².
    fn one_plus_square(&mut self, x: ExpId) -> ExpId {
        let (one, square) = (self.small(1), self.two(Prim::Mul, x, x));
        self.two(Prim::Add, one, square)
    }

    /// 1 − x², by factors: precise near ±1.
    fn one_minus_square(&mut self, x: ExpId) -> ExpId {
        let one = self.small(1);
        let (below, above) = (self.two(Prim::Sub, one, x), self.two(Prim::Add, one, x));
        self.two(Prim::Mul, below, above)
    }

    /// √(1 − x²), NaN outside its domain.
    fn semicircle(&mut self, x: ExpId) -> ExpId {
        let one = self.small(1);
        let (below, above) = (self.two(Prim::Sub, one, x), self.two(Prim::Add, one, x));
        self.product_of_roots(below, above)
    }

    /// √(1 + x²), also where x² overflows: there it is |x|.
    fn hypotenuse(&mut self, x: ExpId) -> ExpId {
        let (size, large) = (self.one(Prim::Abs, x), self.small(LARGE));
        let near = self.two(Prim::Min, size, large);
        let square = self.one_plus_square(near);
        let root = self.one(Prim::Sqrt, square);
        self.two(Prim::Max, root, size)
    }

    /// √(x² − 1), NaN for x < 1.
    fn hyperbola(&mut self, x: ExpId) -> ExpId {
        let one = self.small(1);
        let (below, above) = (self.two(Prim::Sub, x, one), self.two(Prim::Add, x, one));
        self.product_of_roots(below, above)
    }

    fn product_of_roots(&mut self, x: ExpId, y: ExpId) -> ExpId {
        let (x, y) = (self.one(Prim::Sqrt, x), self.one(Prim::Sqrt, y));
        self.two(Prim::Mul, x, y)
    }

    /// 1 / x.
    fn reciprocal(&mut self, x: ExpId) -> ExpId {
        let one = self.small(1);
        self.two(Prim::Div, one, x)
    }

    /// 0.5 · (1 / x), which has the division in common with quotients by x.
    fn half_over(&mut self, x: ExpId) -> ExpId {
        let two = self.small(2);
        let (half, inverse) = (self.reciprocal(two), self.reciprocal(x));
        self.two(Prim::Mul, half, inverse)
    }

    fn small(&mut self, value: i32) -> ExpId {
        self.b.small(self.ty, value)
    }

    fn one(&mut self, op: Prim, x: ExpId) -> ExpId {
        self.b.prim(op, &[x])
    }

    fn minus(&mut self, op: Prim, x: ExpId) -> ExpId {
        let y = self.one(op, x);
        self.one(Prim::Neg, y)
    }

    fn two(&mut self, op: Prim, x: ExpId, y: ExpId) -> ExpId {
        self.b.prim(op, &[x, y])
    }
}

/// Pushes whether `max` or `min` of `x` and `y` gives `x`: see [`Prim::Max`] for NaN and equals.
pub(crate) fn picks_first(b: &mut FunBuilder, op: Prim, x: ExpId, y: ExpId) -> ExpId {
    let test = if op == Prim::Max { Prim::Ge } else { Prim::Le };
    let wins = b.prim(test, &[x, y]);
    let nan = b.prim(Prim::IsNan, &[x]);
    b.prim(Prim::Or, &[wins, nan])
}

/// `_op` has no partial derivative in this operand: it is discrete, or takes another number of operands.
fn none(_op: Prim) -> Option<ExpId> {
    None
}
