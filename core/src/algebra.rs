//! Exact simplification of primitives, while scalar code is built: of terms by the simplifier, of schedules by fusion
//! and by backends.
//!
//! Every rule gives the same value bit for bit, up to the sign and payload of NaNs, which the language does not fix:
//! integers wrap, and floats keep their signed zeros and infinities. So `x + 0.0` stays, while `x + (−0.0)` and
//! `x − 0.0` are `x`; and `x * 0.0`, `x − x`, `x / x` and `0.0 / x` stay, which a NaN or an infinity may be behind. But for
//! the negation of a condition, no rule makes more operations than it takes away, though what it looks at be used elsewhere.
//! A rule looks one operation deep; what it makes is simplified again.
//!
//! What holds for one sort of code alone is not here. Of terms, the simplifier also takes zeros away that are not quite
//! neutral (`simplify/exp/float.rs`), and asks what a selection is inside of another (`simplify/exp/tangent.rs`), which
//! may repeat operations. What is known of integers besides literals, [`ScalarCode`] answers, as only fusion knows.

mod convert;
mod float;
mod inequality;
mod int;
mod logic;
mod sign;
#[cfg(test)]
mod tests;

pub(crate) use float::is_negative_zero;
pub use inequality::Inequality;

use crate::constant::Const;
use crate::prim::Prim;
use crate::types::ScalarType;

/// Scalar code that is being built, as far as the rules are concerned.
pub trait ScalarCode: Sized {
    /// The name of a value.
    type Value: Copy + Ord;

    /// The type of a value.
    fn type_of(&self, x: Self::Value) -> ScalarType;

    /// The literal that a value is, or is known to be where code is being written.
    fn constant_of(&self, x: Self::Value) -> Option<Const>;

    /// The primitive that makes a value, and its operands.
    fn prim_of(&self, x: Self::Value) -> Option<(Prim, &[Self::Value])>;

    /// A literal.
    fn constant(&mut self, value: Const) -> Self::Value;

    /// The value of a primitive, simplified.
    fn prim(&mut self, op: Prim, operands: &[Self::Value]) -> Self::Value;

    /// Counts a rule that is applied.
    fn fire(&mut self, _rule: &'static str) {}

    /// Whether `x < y`, two integers, is known.
    fn is_less(&mut self, _x: Self::Value, _y: Self::Value) -> bool {
        false
    }

    /// Whether `x ≤ y`, two integers, is known.
    fn is_at_most(&mut self, x: Self::Value, y: Self::Value) -> bool {
        x == y || int::is_least(self, x) || int::is_greatest(self, y)
    }

    /// Whether `0 ≤ x < y`, two integers, is known.
    fn is_within(&mut self, _x: Self::Value, _y: Self::Value) -> bool {
        false
    }

    /// Whether `y`, a `bool`, is known to hold wherever `x` does.
    fn implies(&self, x: Self::Value, y: Self::Value) -> bool {
        x == y
    }

    /// Whether arithmetic on a value and a literal costs nothing, as it is done beforehand.
    fn is_free(&mut self, x: Self::Value) -> bool {
        self.constant_of(x).is_some()
    }

    /// Rules of this code alone for `Select(c, x, y)`: they come before those that make junctions of selections, which
    /// hide what is selected.
    fn own_selection(
        &mut self,
        _c: Self::Value,
        _x: Self::Value,
        _y: Self::Value,
    ) -> Option<Self::Value> {
        None
    }

    // What rules ask, and how they answer.

    /// Whether `x` is this literal.
    fn is_constant(&self, x: Self::Value, value: Const) -> bool {
        self.constant_of(x) == Some(value)
    }

    /// Whether `x` is the small integer `value`, in its own type; of the zeros, the positive one.
    fn is_small(&self, x: Self::Value, value: i32) -> bool {
        self.is_constant(x, Const::small(self.type_of(x), value))
    }

    /// The operands of `x`, if it is `op` of so many.
    fn operands_of<const N: usize>(&self, x: Self::Value, op: Prim) -> Option<[Self::Value; N]> {
        let (own, operands) = self.prim_of(x)?;
        operands.try_into().ok().filter(|_| own == op)
    }

    /// `y` if `x` is `op(y)`.
    fn unary(&self, x: Self::Value, op: Prim) -> Option<Self::Value> {
        self.operands_of(x, op).map(|[y]| y)
    }

    /// `(y, z)` if `x` is `op(y, z)`.
    fn binary(&self, x: Self::Value, op: Prim) -> Option<(Self::Value, Self::Value)> {
        self.operands_of(x, op).map(|[y, z]| (y, z))
    }

    /// What a rule replaces its operation by, if that is there.
    fn fired(&mut self, rule: &'static str, result: Self::Value) -> Option<Self::Value> {
        self.fire(rule);
        Some(result)
    }

    /// What a rule replaces its operation by, if that is another primitive.
    fn becomes(
        &mut self,
        rule: &'static str,
        op: Prim,
        operands: &[Self::Value],
    ) -> Option<Self::Value> {
        self.fire(rule);
        Some(self.prim(op, operands))
    }

    /// What a rule replaces its operation by, if that is a literal.
    fn becomes_constant(
        &mut self,
        rule: &'static str,
        value: impl Into<Const>,
    ) -> Option<Self::Value> {
        self.fire(rule);
        Some(self.constant(value.into()))
    }

    /// What a rule replaces its operation by, if that is a small integer of type `ty`.
    fn becomes_small(
        &mut self,
        rule: &'static str,
        ty: ScalarType,
        value: i32,
    ) -> Option<Self::Value> {
        self.becomes_constant(rule, Const::small(ty, value))
    }
}

/// A value that is there already or simpler than `op` on `operands`, which are [in order](in_order).
pub fn simplify<C: ScalarCode>(code: &mut C, op: Prim, operands: &[C::Value]) -> Option<C::Value> {
    fold(code, op, operands).or_else(|| rules(code, op, operands))
}

/// The operands, constants of commutative operations last, where the rules look for them.
pub fn in_order<C: ScalarCode>(code: &C, op: Prim, operands: &[C::Value]) -> Vec<C::Value> {
    let mut operands = operands.to_vec();
    if op.is_commutative() {
        operands.sort_by_key(|&x| (code.constant_of(x).is_some(), x));
    }
    operands
}

/// The type of `op` on `operands`. Code is checked, so they fit; the guess is never used.
pub fn result_type<C: ScalarCode>(code: &C, op: Prim, operands: &[C::Value]) -> ScalarType {
    let types: Vec<_> = operands.iter().map(|&x| code.type_of(x)).collect();
    let guess = types.last().copied().unwrap_or(ScalarType::I32);
    op.result_type(&types).unwrap_or(guess)
}

/// The value of `op` on literals.
pub fn fold<C: ScalarCode>(code: &mut C, op: Prim, operands: &[C::Value]) -> Option<C::Value> {
    let constants = operands.iter().map(|&x| code.constant_of(x));
    let value = op.eval(&constants.collect::<Option<Vec<_>>>()?)?;
    code.becomes_constant("constant_fold", value)
}

/// What the rules make of `op` on operands of which not all are literals.
pub fn rules<C: ScalarCode>(code: &mut C, op: Prim, operands: &[C::Value]) -> Option<C::Value> {
    if operands.len() != op.arity() {
        return None;
    }
    use Prim::*;
    let (x, y) = (*operands.first()?, *operands.last()?);
    let is_float = code.type_of(y).is_float();
    match op {
        Convert(to) => convert::rules(code, to, x),
        Not => logic::not(code, x),
        And | Or => logic::junction(code, x, y, op == Or),
        Eq | Ne | Lt | Le | Gt | Ge => logic::compare(code, op, x, y),
        Select => logic::select(code, x, *operands.get(1)?, y),
        Abs => sign::abs(code, x),
        Neg if is_float => sign::neg(code, x),
        Add if is_float => float::add(code, x, y),
        Sub if is_float => float::sub(code, x, y),
        Mul if is_float => float::mul(code, x, y),
        Max | Min if is_float => float::extremum(code, x, y),
        Div => float::div(code, x, y),
        Floor | Ceil | Round | Trunc => float::round(code, x),
        Neg => int::neg(code, x),
        Add => int::add(code, x, y),
        Sub => int::sub(code, x, y),
        Mul => int::mul(code, x, y),
        Max | Min => int::extremum(code, op, x, y),
        Quot | DivFloor => int::quotient(code, x, y),
        Rem if is_float => None,
        Rem | ModFloor => int::remainder(code, x, y),
        BitNot => int::bit_not(code, x),
        BitAnd | BitOr | BitXor => int::bitwise(code, op, x, y),
        Shl | Shr => int::shift(code, x, y),
        // To go back to the float would make what has no derivative have one.
        ToBits | FromBits => None,
        Signum | Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos | Atan | Sinh
        | Cosh | Tanh | Asinh | Acosh | Atanh | IsNan | IsInfinite | Pow | Atan2 | MulAdd => None,
    }
}

/// What follows directly from the outcome of a truth value that a primitive makes, about its operands.
pub fn consequences<V: Copy>(
    op: Prim,
    operands: &[V],
    outcome: bool,
) -> impl Iterator<Item = (V, bool)> {
    let is_not = op == Prim::Not;
    let joins = op == if outcome { Prim::And } else { Prim::Or };
    let known = (is_not || joins).then_some(operands).into_iter().flatten();
    known.map(move |&x| (x, outcome != is_not))
}
