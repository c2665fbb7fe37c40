//! Exact simplification of primitives, while code is built.
//!
//! Every rule gives the same value bit for bit (payloads of NaNs aside) for all operands: integers wrap, and
//! floats keep their signed zeros. So `x + 0.0` stays, while `x + (−0.0)` and `x − 0.0` are `x`. A rule looks
//! one operation deep; what it makes is simplified again.

use crate::code::{CodeId, Codes};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::rounding::f16_of_f64;
use cotangent_core::schedule::{Op, ValueId};
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
        match *operands {
            [x] => self.simplify_unary(c, op, x),
            [x, y] => self.simplify_binary(c, op, x, y),
            [cond, x, y] => self.simplify_select(c, cond, x, y),
            [..] => None,
        }
    }

    /// The operands of `v`, if it is made by `op`.
    fn operands_of<const N: usize>(&self, c: CodeId, v: ValueId, op: Prim) -> Option<[ValueId; N]> {
        let (found, operands) = self.op(c, v).as_prim()?;
        operands.try_into().ok().filter(|_| found == op)
    }

    fn is_small(&self, c: CodeId, v: ValueId, value: i32) -> bool {
        self.as_const(c, v) == Some(Const::small(self.type_of(c, v), value))
    }

    fn truth(&mut self, c: CodeId, value: bool) -> Option<ValueId> {
        Some(self.constant(c, value))
    }

    fn simplify_unary(&mut self, c: CodeId, op: Prim, x: ValueId) -> Option<ValueId> {
        match op {
            Prim::Neg | Prim::Not | Prim::BitNot => self
                .operands_of(c, x, op)
                .map(|[inner]| inner)
                .or_else(|| self.simplify_not(c, op, x)),
            Prim::Convert(to) => (self.type_of(c, x) == to).then_some(x),
            Prim::Abs | Prim::Floor | Prim::Ceil | Prim::Round | Prim::Trunc => {
                self.operands_of::<1>(c, x, op).map(|_| x)
            }
            _other => None,
        }
    }

    /// The negation of a comparison of integers; of floats both may fail.
    fn simplify_not(&mut self, c: CodeId, op: Prim, x: ValueId) -> Option<ValueId> {
        let Op::Prim(test, operands) = self.op(c, x) else {
            return None;
        };
        let opposite = opposite(*test)?;
        let operands = operands.clone();
        let total = self.type_of(c, operands[0]).is_integer();
        (op == Prim::Not && total).then(|| self.prim(c, opposite, &operands))
    }

    fn simplify_binary(&mut self, c: CodeId, op: Prim, x: ValueId, y: ValueId) -> Option<ValueId> {
        match self.type_of(c, x) {
            ScalarType::Bool => self.simplify_bool(c, op, x, y),
            ScalarType::I32 | ScalarType::I64 | ScalarType::U32 => {
                self.simplify_integer(c, op, x, y)
            }
            ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => self.simplify_float(c, op, x, y),
        }
    }

    fn simplify_bool(&mut self, c: CodeId, op: Prim, x: ValueId, y: ValueId) -> Option<ValueId> {
        let literal = self.as_const(c, y).and_then(Const::as_bool);
        let opposed = self.operands_of(c, x, Prim::Not) == Some([y])
            || self.operands_of(c, y, Prim::Not) == Some([x]);
        match (op, literal) {
            (Prim::And, Some(true)) | (Prim::Or, Some(false)) | (Prim::Eq, Some(true)) => Some(x),
            (Prim::And, Some(false)) | (Prim::Or, Some(true)) => Some(y),
            (Prim::Eq, Some(false)) => Some(self.prim(c, Prim::Not, &[x])),
            (Prim::And, None) if opposed => self.truth(c, false),
            (Prim::Or, None) if opposed => self.truth(c, true),
            (Prim::And, None) if self.implies(c, x, y) => Some(x),
            (Prim::And, None) if self.implies(c, y, x) => Some(y),
            (Prim::Or, None) if x == y => Some(x),
            _other => None,
        }
    }

    fn simplify_integer(&mut self, c: CodeId, op: Prim, x: ValueId, y: ValueId) -> Option<ValueId> {
        let (zero, one) = (self.is_small(c, y, 0), self.is_small(c, y, 1));
        match op {
            Prim::Add | Prim::Sub | Prim::BitOr | Prim::BitXor | Prim::Shl | Prim::Shr if zero => {
                Some(x)
            }
            Prim::Mul | Prim::BitAnd if zero => Some(y),
            Prim::Mul | Prim::Quot | Prim::DivFloor if one => Some(x),
            Prim::Rem | Prim::ModFloor if one => {
                let zero = Const::zero(self.type_of(c, x));
                Some(self.constant(c, zero))
            }
            Prim::Quot | Prim::DivFloor | Prim::Rem | Prim::ModFloor => {
                self.simplify_division(c, op, x, y)
            }
            Prim::Add => self.simplify_sum(c, x, y),
            Prim::Sub => self.simplify_difference(c, x, y),
            Prim::Min | Prim::Max => self.simplify_extremum(c, op, x, y),
            Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => {
                let decided = self.compare(c, op, x, y)?;
                self.truth(c, decided)
            }
            _other => None,
        }
    }

    /// `x / y` and `x % y` where `x = 0` or `0 ≤ x < y`.
    fn simplify_division(
        &mut self,
        c: CodeId,
        op: Prim,
        x: ValueId,
        y: ValueId,
    ) -> Option<ValueId> {
        if self.is_small(c, x, 0) {
            return Some(x);
        }
        let is_below = self.compare(c, Prim::Lt, x, y) == Some(true);
        if self.range(c, x).low < 0 || !is_below {
            return None;
        }
        match op {
            Prim::Quot | Prim::DivFloor => {
                let zero = Const::zero(self.type_of(c, x));
                Some(self.constant(c, zero))
            }
            _remainder => Some(x),
        }
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
            let zero = Const::zero(self.type_of(c, x));
            return Some(self.constant(c, zero));
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
        op: Prim,
        x: ValueId,
        y: ValueId,
    ) -> Option<ValueId> {
        let x_least = self.compare(c, Prim::Le, x, y) == Some(true);
        let y_least = self.compare(c, Prim::Le, y, x) == Some(true);
        match (op == Prim::Min, x_least, y_least) {
            (true, true, _) | (false, _, true) => Some(x),
            (true, _, true) | (false, true, _) => Some(y),
            (_, false, false) => None,
        }
    }

    /// The outcome of a comparison of integers, where it is known.
    fn compare(&mut self, c: CodeId, op: Prim, x: ValueId, y: ValueId) -> Option<bool> {
        let (a, b) = (self.range(c, x), self.range(c, y));
        let less = |me: &mut Self, x, y: ValueId, a: i64, b: i64| {
            a < b
                || me
                    .as_host(c, y)
                    .is_some_and(|extent| me.is_below(c, x, extent))
        };
        let at_most = |me: &mut Self, x: ValueId, y: ValueId, a: i64, b: i64| {
            let known = (me.as_host(c, x), me.as_host(c, y));
            let by_minimum = matches!(known, (Some(x), Some(y)) if me.is_at_most(x, y));
            x == y || a <= b || by_minimum
        };
        let negated = |outcome: Option<bool>| outcome.map(|o| !o);
        match op {
            Prim::Lt if less(self, x, y, a.high, b.low) => Some(true),
            Prim::Lt if at_most(self, y, x, b.high, a.low) => Some(false),
            Prim::Le if at_most(self, x, y, a.high, b.low) => Some(true),
            Prim::Le if less(self, y, x, b.high, a.low) => Some(false),
            Prim::Gt => self.compare(c, Prim::Lt, y, x),
            Prim::Ge => self.compare(c, Prim::Le, y, x),
            Prim::Eq if x == y => Some(true),
            Prim::Eq if less(self, x, y, a.high, b.low) || less(self, y, x, b.high, a.low) => {
                Some(false)
            }
            Prim::Ne => negated(self.compare(c, Prim::Eq, x, y)),
            _other => None,
        }
    }

    fn simplify_float(&mut self, c: CodeId, op: Prim, x: ValueId, y: ValueId) -> Option<ValueId> {
        let is = |value: f64| match self.as_const(c, y) {
            Some(Const::F64(literal)) => literal.to_bits() == value.to_bits(),
            Some(Const::F16(literal)) => literal.to_bits() == f16_of_f64(value).to_bits(),
            Some(Const::F32(literal)) => literal.to_bits() == (value as f32).to_bits(),
            Some(Const::Bool(_) | Const::I32(_) | Const::I64(_) | Const::U32(_)) | None => false,
        };
        match op {
            Prim::Add if is(-0.0) => Some(x),
            Prim::Sub if is(0.0) => Some(x),
            Prim::Mul | Prim::Div if is(1.0) => Some(x),
            Prim::Mul | Prim::Div if is(-1.0) => Some(self.prim(c, Prim::Neg, &[x])),
            Prim::Max | Prim::Min if x == y => Some(x),
            Prim::Add => {
                let negated = |v| self.operands_of::<1>(c, v, Prim::Neg);
                match (negated(x), negated(y)) {
                    (_, Some([y])) => Some(self.prim(c, Prim::Sub, &[x, y])),
                    (Some([x]), None) => Some(self.prim(c, Prim::Sub, &[y, x])),
                    (None, None) => None,
                }
            }
            Prim::Sub => {
                let [y] = self.operands_of(c, y, Prim::Neg)?;
                Some(self.prim(c, Prim::Add, &[x, y]))
            }
            _other => None,
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

/// The comparison that fails where `test` holds, and of operands that are no NaNs holds where `test` fails.
pub(crate) fn opposite(test: Prim) -> Option<Prim> {
    match test {
        Prim::Eq => Some(Prim::Ne),
        Prim::Ne => Some(Prim::Eq),
        Prim::Lt => Some(Prim::Ge),
        Prim::Ge => Some(Prim::Lt),
        Prim::Gt => Some(Prim::Le),
        Prim::Le => Some(Prim::Gt),
        _other => None,
    }
}
