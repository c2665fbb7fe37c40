//! Clamped indices: affine ones that are not to go below a bound, nor above another, as stencils have them at the ends of
//! an array; or that are reflected there.
//!
//! Any nest of minima and maxima with numbers that are the same for all lanes is one clamp, `min(max(x, low), high)`.
//! So two numbers do at run time; the clamps of terms (`analysis/index_map/clamp.rs` in `cotangent_core`) are lists of bounds,
//! as the simplifier solves for the coordinates between each two of them. Inside of that nest a number x may first be reflected
//! where it is low, `max(x, sum − x)`, and then where it is high, `min(x, sum − x)`.

use super::affine::{Analysis, Form};
use cotangent_core::algebra::ScalarCode;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::ValueId;
use cotangent_core::types::ScalarType;

/// `min(max(form, low), high)`, where `low` is at most `high`, of a form that may be reflected. All else is the same for all lanes.
#[derive(Clone, Debug)]
pub(super) struct Clamp {
    pub form: Form,
    /// What is reflected where it is low adds up to the first with its reflection, what is reflected where it is high to the second.
    pub sums: [Option<ValueId>; 2],
    /// The bounds.
    pub ends: Option<[ValueId; 2]>,
}

impl Clamp {
    /// All but the form.
    pub fn values(&self) -> impl Iterator<Item = ValueId> {
        let ends = self.ends.into_iter().flatten();
        self.sums.into_iter().flatten().chain(ends)
    }
}

impl Analysis<'_> {
    /// The clamp that a value is, if its operands are known and it has no affine form.
    pub(super) fn clamp(&mut self, v: ValueId) -> Option<Clamp> {
        let is_open = self.body.type_of(v) == ScalarType::I32 && self.forms[v.index()].is_none();
        let op = self.body.op(v).clone();
        let (bounded, x, y) = match (op.operands_of(Prim::Max), op.operands_of(Prim::Min)) {
            (Some(&[x, y]), _) if is_open => (Prim::Max, x, y),
            (_, Some(&[x, y])) if is_open => (Prim::Min, x, y),
            (None | Some(_), None | Some(_)) => return None,
        };
        match (self.is_scalar(x), self.is_scalar(y)) {
            (false, true) => self.between(bounded, x, y),
            (true, false) => self.between(bounded, y, x),
            (false, false) => self.reflected(bounded, x, y),
            (true, true) => None,
        }
    }

    fn between(&mut self, bounded: Prim, inner: ValueId, bound: ValueId) -> Option<Clamp> {
        let mut clamp = self.clamped(inner)?;
        let [low, high] = match clamp.ends {
            Some(ends) => ends,
            None => [i32::MIN, i32::MAX].map(|end| self.int(end)),
        };
        // Both bounds are bounded: maxima and minima distribute over each other, so that this is the same number, and
        // the order of the bounds stays.
        clamp.ends = Some([low, high].map(|end| self.prim(bounded, &[end, bound])));
        Some(clamp)
    }

    /// The greater or the less of two numbers, if they add up to the same for all lanes.
    fn reflected(&mut self, op: Prim, x: ValueId, y: ValueId) -> Option<Clamp> {
        let (x, sum) = match self.sum_of_forms(x, y) {
            Some(sum) if self.counts_up(y) => (y, sum),
            Some(sum) => (x, sum),
            None => {
                let other = self.sum_less(y, x).map(|sum| (x, sum));
                other.or_else(|| self.sum_less(x, y).map(|sum| (y, sum)))?
            }
        };
        let mut clamp = self.clamped(x)?;
        clamp.sums = match (op == Prim::Max, clamp.sums, clamp.ends) {
            (true, [None, None], None) => [Some(sum), None],
            (false, [low, None], None) => [low, Some(sum)],
            (true | false, [_, _], None | Some(_)) => return None,
        };
        Some(clamp)
    }

    /// The sum of two values of affine forms, if it is the same for all lanes and steps.
    fn sum_of_forms(&mut self, x: ValueId, y: ValueId) -> Option<ValueId> {
        let form = |v: ValueId| self.forms[v.index()].clone();
        let (x, y) = (form(x)?, form(y)?);
        let sum = self.sum(&x, &y);
        let is_zero = |step: ValueId| self.constant_of(step) == Some(Const::I32(0));
        let is_same = sum.steps.iter().all(|(_, step)| is_zero(*step));
        is_same.then_some(sum.base)
    }

    /// What `x` was subtracted from, if that gave `difference` and is the same for all lanes.
    fn sum_less(&self, difference: ValueId, x: ValueId) -> Option<ValueId> {
        let operands = self.body.op(difference).operands_of(Prim::Sub)?;
        match operands {
            &[sum, own] if own == x && self.is_scalar(sum) => Some(sum),
            [..] => None,
        }
    }

    /// Whether a value of an affine form is seen to grow by one from lane to lane.
    fn counts_up(&self, v: ValueId) -> bool {
        let is_one = |step: ValueId| self.constant_of(step) == Some(Const::I32(1));
        let form = self.forms[v.index()].as_ref();
        let last = form.and_then(|form| form.steps.iter().max());
        last.is_some_and(|(_, step)| is_one(*step))
    }

    /// A value as a clamp, which may have no bounds.
    fn clamped(&self, v: ValueId) -> Option<Clamp> {
        let known = self.clamps[v.index()].clone();
        let alone = |form| Clamp {
            form,
            sums: [None, None],
            ends: None,
        };
        known.or_else(|| self.forms[v.index()].clone().map(alone))
    }
}
