//! Exact simplification of primitives, while code is built.
//!
//! Every rule gives the same value bit for bit (payloads of NaNs aside) for all operands: integers wrap, and
//! floats keep their signed zeros. So `x + 0.0` stays, while `x + (−0.0)` and `x − 0.0` are `x`. A rule looks
//! one operation deep; what it makes is simplified again.

use crate::code::{CodeId, Codes};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::rounding::f16_of_f64;
use cotangent_core::schedule::ValueId;
use cotangent_core::types::ScalarType;

impl Codes {
    /// A value that is there already or simpler than `op` on `operands`, constants of commutative
    /// operations being last.
    pub(crate) fn simplify(
        &mut self,
        c: CodeId,
        op: Prim,
        operands: &[ValueId],
    ) -> Option<ValueId> {
        let constants: Option<Vec<_>> = operands.iter().map(|&v| self.as_const(c, v)).collect();
        if let Some(value) = constants.and_then(|constants| op.eval(&constants)) {
            return Some(self.constant(c, value));
        }
        self.by_rules(c, op, operands)
    }

    /// The rules of each primitive; those that come first are asked first.
    fn by_rules(&mut self, c: CodeId, op: Prim, operands: &[ValueId]) -> Option<ValueId> {
        use Prim::*;
        let (x, y) = (*operands.first()?, *operands.last()?);
        let ty = self.type_of(c, x);
        let is_integer = |value| ty.is_integer() && self.is_small(c, y, value);
        // Whether the last operand is a literal integer of that value.
        let (zero, one) = (is_integer(0), is_integer(1));
        match op {
            Neg | BitNot => self.operands_of(c, x, op).map(|[inner]| inner),
            Not => self.simplify_not(c, x),
            Convert(to) => (ty == to).then_some(x),
            Abs | Floor | Ceil | Round | Trunc => self.operands_of::<1>(c, x, op).map(|_| x),
            And | Or => self.simplify_junction(c, op == And, x, y),
            Add | Sub | BitOr | BitXor | Shl | Shr if zero => Some(x),
            Mul | BitAnd if zero => Some(y),
            Mul | Quot | DivFloor if one => Some(x),
            Rem | ModFloor if one => Some(self.zero_like(c, x)),
            Quot | DivFloor | Rem | ModFloor if self.is_small(c, x, 0) => Some(x),
            Quot | DivFloor => self.is_rest(c, x, y).then(|| self.zero_like(c, x)),
            Rem | ModFloor => self.is_rest(c, x, y).then_some(x),
            Add if ty.is_float() => self.simplify_float_sum(c, x, y),
            Sub if ty.is_float() => self.simplify_float_difference(c, x, y),
            Max | Min if ty.is_float() => (x == y).then_some(x),
            Add => self.simplify_sum(c, x, y),
            Sub => self.simplify_difference(c, x, y),
            Mul | Div => self.simplify_scaling(c, x, y),
            Max | Min => self.simplify_extremum(c, op == Min, x, y),
            Eq if ty == ScalarType::Bool => self.simplify_equivalence(c, x, y),
            Eq | Ne | Lt | Le | Gt | Ge if !ty.is_integer() => None,
            Eq => self.are_equal(c, x, y).map(|it| self.constant(c, it)),
            Ne => self.are_equal(c, x, y).map(|it| self.constant(c, !it)),
            Lt => self.is_less(c, x, y).map(|it| self.constant(c, it)),
            Gt => self.is_less(c, y, x).map(|it| self.constant(c, it)),
            Le => self.is_no_more(c, x, y).map(|it| self.constant(c, it)),
            Ge => self.is_no_more(c, y, x).map(|it| self.constant(c, it)),
            Select => self.simplify_select(c, x, *operands.get(1)?, y),
            Signum | Sqrt | Exp | ExpM1 | Ln | Ln1p | Sin | Cos | Tan | Asin | Acos | Atan
            | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | IsNan | IsInfinite | Pow | Atan2
            | BitAnd | BitOr | BitXor | Shl | Shr => None,
        }
    }

    /// The operands of `v`, if it is made by `op`.
    fn operands_of<const N: usize>(&self, c: CodeId, v: ValueId, op: Prim) -> Option<[ValueId; N]> {
        self.op(c, v).operands_of(op).copied()
    }

    fn is_small(&self, c: CodeId, v: ValueId, value: i32) -> bool {
        self.as_const(c, v) == Some(Const::small(self.type_of(c, v), value))
    }

    fn zero_like(&mut self, c: CodeId, x: ValueId) -> ValueId {
        let zero = Const::zero(self.type_of(c, x));
        self.constant(c, zero)
    }

    /// What is negated twice, and the negation of a comparison of integers; of floats both may fail.
    fn simplify_not(&mut self, c: CodeId, x: ValueId) -> Option<ValueId> {
        if let Some([inner]) = self.operands_of(c, x, Prim::Not) {
            return Some(inner);
        }
        let (test, operands) = self.op(c, x).as_prim()?;
        let (opposite, operands) = (test.negated()?, operands.to_vec());
        let total = self.type_of(c, operands[0]).is_integer();
        total.then(|| self.prim(c, opposite, &operands))
    }

    /// `x and y`, or `x or y`.
    fn simplify_junction(
        &mut self,
        c: CodeId,
        is_and: bool,
        x: ValueId,
        y: ValueId,
    ) -> Option<ValueId> {
        let opposed = self.operands_of(c, x, Prim::Not) == Some([y])
            || self.operands_of(c, y, Prim::Not) == Some([x]);
        match self.as_const(c, y).and_then(Const::as_bool) {
            Some(literal) => Some(if literal == is_and { x } else { y }),
            None if opposed => Some(self.constant(c, !is_and)),
            None if is_and && self.implies(c, x, y) => Some(x),
            None if is_and && self.implies(c, y, x) => Some(y),
            None => (!is_and && x == y).then_some(x),
        }
    }

    /// Whether two truth values are equal, of which one is a literal.
    fn simplify_equivalence(&mut self, c: CodeId, x: ValueId, y: ValueId) -> Option<ValueId> {
        match self.as_const(c, y)?.as_bool()? {
            true => Some(x),
            false => Some(self.prim(c, Prim::Not, &[x])),
        }
    }

    /// Whether it is known that `0 ≤ x < y`.
    fn is_rest(&mut self, c: CodeId, x: ValueId, y: ValueId) -> bool {
        self.is_less(c, x, y) == Some(true) && self.range(c, x).low >= 0
    }

    /// Gathers constants: (x + a) + b, (a − x) + b; and (x − y) + y = x.
    fn simplify_sum(&mut self, c: CodeId, x: ValueId, y: ValueId) -> Option<ValueId> {
        for (x, y) in [(x, y), (y, x)] {
            if let Some([a, b]) = self.operands_of(c, x, Prim::Sub) {
                if b == y {
                    return Some(a);
                }
                if self.as_const(c, y).is_some() && self.as_host(c, a).is_some() {
                    let a = self.prim(c, Prim::Add, &[a, y]);
                    return Some(self.prim(c, Prim::Sub, &[a, b]));
                }
            }
            if let Some([z]) = self.operands_of(c, y, Prim::Neg) {
                return Some(self.prim(c, Prim::Sub, &[x, z]));
            }
        }
        let [x, a] = self.operands_of(c, x, Prim::Add)?;
        (self.as_const(c, a).is_some() && self.as_const(c, y).is_some()).then(|| {
            let a = self.prim(c, Prim::Add, &[a, y]);
            self.prim(c, Prim::Add, &[x, a])
        })
    }

    /// x − x = 0, (x + y) − y = x, and x − a = x + (−a) for a literal.
    fn simplify_difference(&mut self, c: CodeId, x: ValueId, y: ValueId) -> Option<ValueId> {
        if x == y {
            return Some(self.zero_like(c, x));
        }
        match self.operands_of(c, x, Prim::Add) {
            Some([a, b]) if a == y => return Some(b),
            Some([a, b]) if b == y => return Some(a),
            Some(_) | None => {}
        }
        if self.as_const(c, y).is_some() {
            let negative = self.prim(c, Prim::Neg, &[y]);
            return Some(self.prim(c, Prim::Add, &[x, negative]));
        }
        let [z] = self.operands_of(c, y, Prim::Neg)?;
        Some(self.prim(c, Prim::Add, &[x, z]))
    }

    fn simplify_extremum(
        &mut self,
        c: CodeId,
        is_min: bool,
        x: ValueId,
        y: ValueId,
    ) -> Option<ValueId> {
        let x_least = self.is_no_more(c, x, y) == Some(true);
        let y_least = self.is_no_more(c, y, x) == Some(true);
        match (is_min, x_least, y_least) {
            (true, true, _) | (false, _, true) => Some(x),
            (true, _, true) | (false, true, _) => Some(y),
            (_, false, false) => None,
        }
    }

    /// Whether two integers are equal, where that is known.
    fn are_equal(&mut self, c: CodeId, x: ValueId, y: ValueId) -> Option<bool> {
        if x == y {
            return Some(true);
        }
        let differ = self.is_surely_less(c, x, y) || self.is_surely_less(c, y, x);
        differ.then_some(false)
    }

    /// Whether `x < y`, two integers, where that is known.
    fn is_less(&mut self, c: CodeId, x: ValueId, y: ValueId) -> Option<bool> {
        if self.is_surely_less(c, x, y) {
            return Some(true);
        }
        self.is_surely_no_more(c, y, x).then_some(false)
    }

    /// Whether `x ≤ y`, two integers, where that is known.
    fn is_no_more(&mut self, c: CodeId, x: ValueId, y: ValueId) -> Option<bool> {
        if self.is_surely_no_more(c, x, y) {
            return Some(true);
        }
        self.is_surely_less(c, y, x).then_some(false)
    }

    fn is_surely_less(&mut self, c: CodeId, x: ValueId, y: ValueId) -> bool {
        self.range(c, x).high < self.range(c, y).low
            || self
                .as_host(c, y)
                .is_some_and(|extent| self.is_below(c, x, extent))
    }

    fn is_surely_no_more(&mut self, c: CodeId, x: ValueId, y: ValueId) -> bool {
        let known = (self.as_host(c, x), self.as_host(c, y));
        let by_minimum = matches!(known, (Some(x), Some(y)) if self.is_at_most(x, y));
        x == y || self.range(c, x).high <= self.range(c, y).low || by_minimum
    }

    fn simplify_float_sum(&mut self, c: CodeId, x: ValueId, y: ValueId) -> Option<ValueId> {
        if self.is_float(c, y, -0.0) {
            return Some(x);
        }
        let negated = |v| self.operands_of::<1>(c, v, Prim::Neg);
        match (negated(x), negated(y)) {
            (_, Some([y])) => Some(self.prim(c, Prim::Sub, &[x, y])),
            (Some([x]), None) => Some(self.prim(c, Prim::Sub, &[y, x])),
            (None, None) => None,
        }
    }

    fn simplify_float_difference(&mut self, c: CodeId, x: ValueId, y: ValueId) -> Option<ValueId> {
        if self.is_float(c, y, 0.0) {
            return Some(x);
        }
        let [y] = self.operands_of(c, y, Prim::Neg)?;
        Some(self.prim(c, Prim::Add, &[x, y]))
    }

    /// A float times or by 1 or −1.
    fn simplify_scaling(&mut self, c: CodeId, x: ValueId, y: ValueId) -> Option<ValueId> {
        if self.is_float(c, y, 1.0) {
            return Some(x);
        }
        let is_negation = self.is_float(c, y, -1.0);
        is_negation.then(|| self.prim(c, Prim::Neg, &[x]))
    }

    /// Whether `v` is a literal float of that value, bit for bit.
    fn is_float(&self, c: CodeId, v: ValueId, value: f64) -> bool {
        match self.as_const(c, v) {
            Some(Const::F64(literal)) => literal.to_bits() == value.to_bits(),
            Some(Const::F16(literal)) => literal.to_bits() == f16_of_f64(value).to_bits(),
            Some(Const::F32(literal)) => literal.to_bits() == (value as f32).to_bits(),
            Some(Const::Bool(_) | Const::I32(_) | Const::I64(_) | Const::U32(_)) | None => false,
        }
    }

    fn simplify_select(
        &mut self,
        c: CodeId,
        cond: ValueId,
        x: ValueId,
        y: ValueId,
    ) -> Option<ValueId> {
        if x == y {
            return Some(x);
        }
        if let Some(Const::Bool(holds)) = self.as_const(c, cond) {
            return Some(if holds { x } else { y });
        }
        if let Some([cond]) = self.operands_of(c, cond, Prim::Not) {
            return Some(self.prim(c, Prim::Select, &[cond, y, x]));
        }
        let literal = |v| {
            self.as_const(c, v)
                .filter(|v| v.scalar_type() == ScalarType::Bool)
        };
        match (literal(x), literal(y)) {
            (Some(Const::Bool(true)), _) => Some(self.prim(c, Prim::Or, &[cond, y])),
            (_, Some(Const::Bool(false))) => Some(self.prim(c, Prim::And, &[cond, x])),
            (Some(_), _) => {
                let not = self.prim(c, Prim::Not, &[cond]);
                Some(self.prim(c, Prim::And, &[not, y]))
            }
            (None, Some(_)) => {
                let not = self.prim(c, Prim::Not, &[cond]);
                Some(self.prim(c, Prim::Or, &[not, x]))
            }
            (None, None) => None,
        }
    }
}
