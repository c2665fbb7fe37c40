//! Rules that a selection of zero asks for: a product with a tangent that is zero there is zero there.
//!
//! They are the conditional rules of paper 004, "Efficient Differentiable Programming in a Functional Array-Processing Language",
//! section 5.1, figure 8d, as far as they make programs smaller: f(if c then x else y) as if c then f(x) else f(y) where f(y) is known.
//! A product of zero and anything is zero for tangents alone (`unit_product`), which forward mode marks; other numbers may be
//! multiplied by an infinity.

use super::Rewriter;
use crate::algebra::ScalarCode;
use crate::constant::Const;
use crate::prim::Prim;
use crate::simplify::tangents::marked;
use crate::term::{ExpBlock, ExpId, ExpOp, Labelled, Slot};
use crate::types::ScalarType;

impl Rewriter<'_> {
    /// A value with partial derivatives by decree, or a product with a tangent.
    pub(super) fn with_partials(&mut self, args: Vec<ExpId>, ty: ScalarType) -> ExpId {
        let op = ExpOp::WithPartials(args);
        let simple = marked(&op).and_then(|(product, t)| self.tangent_product(product, t));
        simple.unwrap_or_else(|| self.emit(op, ty))
    }

    /// A product with the tangent `t`, if that is zero, or zero by a selection.
    fn tangent_product(&mut self, product: ExpId, t: ExpId) -> Option<ExpId> {
        if product == t
            || self
                .op_of(product)
                .is_some_and(|op| op.as_const().is_some())
        {
            return self.fired("unit_product", product);
        }
        if let Some(factor) = self.constant_of(t) {
            let result = if factor.is_zero() { t } else { product };
            return self.fired("unit_product", result);
        }
        let factor = self.other_factor(product, t)?;
        if let Some(negated) = self.unary(t, Prim::Neg) {
            self.counts.fire("unit_product");
            let product = self.tangent_times(negated, factor);
            return Some(self.prim(Prim::Neg, &[product]));
        }
        let Some((c, inside, zero)) = self.selected(t) else {
            return self.conditional_product(t, factor);
        };
        self.counts.fire("unit_product");
        let there = self.tangent_times(inside, factor);
        Some(self.prim(Prim::Select, &[c, there, zero]))
    }

    /// The same for a tangent that is zero by a conditional.
    fn conditional_product(&mut self, t: ExpId, factor: ExpId) -> Option<ExpId> {
        let (cond, mut then_, zero) = self.nonzero_where(t)?;
        self.counts.fire("unit_product");
        let inside = std::mem::take(&mut then_.results)[0];
        // The code of the branch is written already, and read once more as it is.
        let slots = (0..self.captures.len() as u32).map(Slot).collect();
        let slots = std::mem::replace(&mut self.slots, slots);
        let names = std::mem::take(&mut self.names);
        let then_ = self.scoped(|r| {
            r.lets(then_.lets);
            let inside = r.name(inside);
            vec![r.tangent_times(inside, factor)]
        });
        (self.slots, self.names) = (slots, names);
        let else_ = self.scoped(|r| vec![r.constant(zero)]);
        let ty = self.type_of(t);
        let op = ExpOp::Cond { cond, then_, else_ };
        self.emit_blocks(op, &[ty]).first().copied()
    }

    /// The condition without which a value is zero, the code for where it holds, of one result, and the zero.
    fn nonzero_where(&self, x: ExpId) -> Option<(ExpId, ExpBlock<Labelled>, Const)> {
        let mut lets = self.lets.iter().rev();
        let (let_, column) = lets.find_map(|let_| {
            let column = let_.binds.iter().position(|bind| bind.name == x);
            column.map(|column| (let_, column))
        })?;
        let ExpOp::Cond { cond, then_, else_ } = &let_.op else {
            return None;
        };
        let zero = self.constant_of(else_.results[column])?;
        let mut then_ = then_.clone();
        then_.results = vec![then_.results[column]];
        zero.is_zero().then_some((*cond, then_, zero))
    }

    /// A product with a tangent, marked as such.
    fn tangent_times(&mut self, t: ExpId, factor: ExpId) -> ExpId {
        let product = self.prim(Prim::Mul, &[t, factor]);
        self.with_partials(vec![product, t], self.type_of(t))
    }

    /// The factor of a product beside `t`.
    fn other_factor(&self, product: ExpId, t: ExpId) -> Option<ExpId> {
        let (x, y) = self.binary(product, Prim::Mul)?;
        match (x == t, y == t) {
            (true, _) => Some(y),
            (false, true) => Some(x),
            (false, false) => None,
        }
    }

    /// The parts of a selection that gives zero where its condition does not hold.
    fn selected(&self, x: ExpId) -> Option<(ExpId, ExpId, ExpId)> {
        let [c, then_, else_] = self.operands_of(x, Prim::Select)?;
        self.is_zero(else_).then_some((c, then_, else_))
    }

    fn is_zero(&self, x: ExpId) -> bool {
        self.constant_of(x).is_some_and(Const::is_zero)
    }
}

/// A sum or a difference of selections by one condition, each of a literal where that does not hold, is one selection.
pub(super) fn combine_selected(
    r: &mut Rewriter<'_>,
    op: Prim,
    operands: &[ExpId],
) -> Option<ExpId> {
    if !matches!(op, Prim::Add | Prim::Sub) || !r.type_of(*operands.first()?).is_float() {
        return None;
    }
    let parts = operands.iter().map(|&x| {
        let [c, then_, else_] = r.operands_of(x, Prim::Select)?;
        Some((c, then_, r.constant_of(else_)?))
    });
    let parts: Vec<_> = parts.collect::<Option<_>>()?;
    let c = parts.first()?.0;
    if parts.iter().any(|part| part.0 != c) {
        return None;
    }
    let literals: Vec<Const> = parts.iter().map(|part| part.2).collect();
    let else_ = r.constant(op.eval(&literals)?);
    let inside: Vec<ExpId> = parts.iter().map(|part| part.1).collect();
    let then_ = r.prim(op, &inside);
    r.becomes("combine_selected", Prim::Select, &[c, then_, else_])
}

/// What a selection is by what is inside: for terms alone, as that repeats an operation that is used elsewhere, and fusion knows of
/// each use whether it is under the condition (`fusion/src/refine/context.rs`).
pub(super) fn selection(r: &mut Rewriter<'_>, c: ExpId, (x, y): (ExpId, ExpId)) -> Option<ExpId> {
    let zero = select_unequal(r, c, (x, y)).or_else(|| guarded_selection(r, c, (x, y)));
    if zero.is_some() {
        return zero;
    }
    if let Some(then_) = under(r, (c, true), x) {
        return r.becomes("select_inside", Prim::Select, &[c, then_, y]);
    }
    let else_ = under(r, (c, false), y)?;
    r.becomes("select_inside", Prim::Select, &[c, x, else_])
}

/// Of what is zero where integers differ, the condition is that they are equal.
fn select_unequal(r: &mut Rewriter<'_>, c: ExpId, (x, y): (ExpId, ExpId)) -> Option<ExpId> {
    let (a, b) = r.binary(c, Prim::Ne)?;
    if !r.is_zero(x) || r.is_zero(y) || r.type_of(a) != ScalarType::I32 {
        return None;
    }
    let equal = r.prim(Prim::Eq, &[a, b]);
    r.becomes("select_unequal", Prim::Select, &[equal, y, x])
}

/// What is zero where a selection of zero is zero, as guards of derivatives are, is zero where the selection does not select.
fn guarded_selection(r: &mut Rewriter<'_>, guard: ExpId, (x, y): (ExpId, ExpId)) -> Option<ExpId> {
    let (t, zero) = r.binary(guard, Prim::Eq)?;
    if !r.is_zero(x) || !r.is_zero(zero) {
        return None;
    }
    let (c, inside, _) = r.selected(t)?;
    let there = under(r, (c, true), y)?;
    let nothing = r.prim(Prim::Eq, &[inside, zero]);
    let there = r.prim(Prim::Select, &[nothing, x, there]);
    r.becomes("guarded_selection", Prim::Select, &[c, there, x])
}

/// What a primitive is where a condition turns out one way, if it has a selection by that condition among its operands.
fn under(r: &mut Rewriter<'_>, (c, holds): (ExpId, bool), x: ExpId) -> Option<ExpId> {
    let (op, operands) = r.prim_of(x)?;
    let mut operands = operands.to_vec();
    let mut found = false;
    for operand in &mut operands {
        if let Some([inner, then_, else_]) = r.operands_of(*operand, Prim::Select)
            && inner == c
        {
            *operand = if holds { then_ } else { else_ };
            found = true;
        }
    }
    found.then(|| r.prim(op, &operands))
}
