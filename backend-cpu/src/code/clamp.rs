//! Clamped indices: affine ones that are not to go below a bound, nor above another, as stencils have them at the ends of
//! an array; or that are reflected there, or go on at the other end.
//!
//! Any nest of minima and maxima with numbers that are the same for all lanes is one clamp, `min(max(x, low), high)`.
//! So two numbers do at run time; the clamps of terms (`analysis/index_map/clamp.rs` in `cotangent_core`) are lists of bounds,
//! as the simplifier solves for the coordinates between each two of them. Inside of that nest a number x may first be reflected
//! where it is low, `max(x, sum − x)`, and then where it is high, `min(x, sum − x)`.

use super::Bounds;
use super::affine::{Analysis, Form};
use cotangent_core::algebra::ScalarCode;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::ValueId;
use cotangent_core::types::ScalarType;

/// A form within bounds. All but the form is the same for all lanes.
#[derive(Clone, Debug)]
pub(super) struct Clamp {
    pub form: Form,
    pub bounds: Bounds<ValueId>,
}

impl Clamp {
    fn at_ends(form: Form, sums: [Option<ValueId>; 2], ends: Option<[ValueId; 2]>) -> Self {
        let bounds = Bounds::Ends { sums, ends };
        Self { form, bounds }
    }
}

/// A form, and the two parts of [`Bounds::Ends`].
type Parts = (Form, [Option<ValueId>; 2], Option<[ValueId; 2]>);

impl Analysis<'_> {
    /// The clamp that a value is, if its operands are known and it has no affine form.
    pub(super) fn clamp(&mut self, v: ValueId) -> Option<Clamp> {
        let is_open = self.body.type_of(v) == ScalarType::I32 && self.forms[v.index()].is_none();
        let op = self.body.op(v).clone();
        if let (Some(&[test, around, form]), true) = (op.operands_of(Prim::Select), is_open) {
            return self.around(test, around, form);
        }
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
        let (form, sums, ends) = self.clamped(inner)?;
        let [low, high] = match ends {
            Some(ends) => ends,
            None => [i32::MIN, i32::MAX].map(|end| self.int(end)),
        };
        // Both bounds are bounded: maxima and minima distribute over each other, so that this is the same number, and
        // the order of the bounds stays.
        let ends = [low, high].map(|end| self.prim(bounded, &[end, bound]));
        Some(Clamp::at_ends(form, sums, Some(ends)))
    }

    /// A form where it is not negative, and elsewhere its sum with a number.
    fn around(&self, test: ValueId, around: ValueId, form: ValueId) -> Option<Clamp> {
        let is_zero = |v: ValueId| self.constant_of(v) == Some(Const::I32(0));
        let &[number, zero] = self.body.op(test).operands_of(Prim::Lt)?;
        let whole = match self.body.op(around).operands_of(Prim::Add)? {
            &[x, whole] if x == form => whole,
            &[whole, x] if x == form => whole,
            [..] => return None,
        };
        let is_negative = number == form && is_zero(zero);
        let is_around = is_negative && self.is_scalar(whole) && !self.is_scalar(form);
        let form = self.forms[form.index()].clone().filter(|_| is_around)?;
        let bounds = Bounds::Around(whole);
        Some(Clamp { form, bounds })
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
        let (form, sums, ends) = self.clamped(x)?;
        let sums = match (op == Prim::Max, sums, ends) {
            (true, [None, None], None) => [Some(sum), None],
            (false, [low, None], None) => [low, Some(sum)],
            (true | false, [_, _], None | Some(_)) => return None,
        };
        Some(Clamp::at_ends(form, sums, None))
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

    /// The parts of a value that is clamped or reflected, or has an affine form.
    fn clamped(&self, v: ValueId) -> Option<Parts> {
        match &self.clamps[v.index()] {
            Some(Clamp { form, bounds }) => match *bounds {
                Bounds::Ends { sums, ends } => Some((form.clone(), sums, ends)),
                Bounds::Around(_) => None,
            },
            None => Some((self.forms[v.index()].clone()?, [None, None], None)),
        }
    }
}
