//! Conditions that have one outcome inside an array and the other one at its border only.
//!
//! A stencil's loads are guarded by comparisons of coordinates: `0 ≤ i - 1`, `i + 1 < n`. In most blocks all of them hold,
//! which can be told from the ends of the block, without a look at its lanes.

use super::affine::{Analysis, Form};
use super::{Nest, Slot};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Op, ValueId};
use std::collections::BTreeMap;

/// A comparison of two affine numbers, one of which differs from lane to lane, or from row to row.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    pub value: ValueId,
    /// What it gives inside.
    pub outcome: bool,
}

/// What a difference of two numbers must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Below,
    NotAbove,
    Equal,
    Apart,
    NotBelow,
    Above,
}

/// `base + step · lane`; both are the same for all lanes, and the step is 0 if there is none.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub base: Slot,
    pub step: Option<Slot>,
}

/// A comparison whose outcome can be told from the coordinate of the lanes.
#[derive(Clone, Debug)]
pub(crate) struct Inside {
    /// The numbers that are compared.
    pub numbers: [Line; 2],
    /// What the first less the second one is inside.
    pub side: Side,
}

impl Side {
    /// What a comparison says of the difference where it has an outcome.
    pub(super) fn of(prim: Prim, outcome: bool) -> Option<Self> {
        let all = [
            (Prim::Lt, Self::Below, Self::NotBelow),
            (Prim::Le, Self::NotAbove, Self::Above),
            (Prim::Eq, Self::Equal, Self::Apart),
            (Prim::Ne, Self::Apart, Self::Equal),
            (Prim::Ge, Self::NotBelow, Self::Below),
            (Prim::Gt, Self::Above, Self::NotAbove),
        ];
        let (_, yes, no) = *all.iter().find(|(p, ..)| *p == prim)?;
        Some(if outcome { yes } else { no })
    }

    /// Whether all numbers from `low` to `high` are on this side of 0.
    pub fn holds(self, low: i64, high: i64) -> bool {
        match self {
            Self::Below => high < 0,
            Self::NotAbove => high <= 0,
            Self::Equal => low == 0 && high == 0,
            Self::Apart => low > 0 || high < 0,
            Self::NotBelow => low >= 0,
            Self::Above => low > 0,
        }
    }

    /// What it says of the difference with the other sign.
    pub fn mirrored(self) -> Self {
        match self {
            Self::Below => Self::Above,
            Self::NotAbove => Self::NotBelow,
            Self::Equal | Self::Apart => self,
            Self::NotBelow => Self::NotAbove,
            Self::Above => Self::Below,
        }
    }
}

/// The comparisons in the guards of loads that are to have one outcome, as all of them hold mostly; numbers are mostly
/// unequal. Only where lanes have one coordinate: then those inside are one stretch of a row.
pub(super) fn comparisons(body: &Body, nest: &Nest) -> Vec<Comparison> {
    if nest.lane.len() != 1 || !nest.seq.is_empty() {
        return vec![];
    }
    let analysis = Analysis::new(body, nest);
    let mut found = Found {
        body,
        analysis: &analysis,
        outcomes: BTreeMap::new(),
    };
    for (_, inst) in body.iter() {
        if let Some(guard) = inst.op.as_load().and_then(|load| load.guard) {
            found.assume(guard, true);
        }
    }
    let all = found.outcomes.into_iter();
    let all = all.map(|(value, outcome)| Comparison { value, outcome });
    all.collect()
}

impl Line {
    /// The line of a number, if it has one coordinate at the most.
    pub(super) fn of(form: &Form) -> Option<Self> {
        let step = match form.steps.as_slice() {
            [] => None,
            [(_, step)] => Some(step.0),
            [_, _, ..] => return None,
        };
        Some(Self {
            base: form.base.0,
            step,
        })
    }
}

struct Found<'a> {
    body: &'a Body,
    analysis: &'a Analysis<'a>,
    outcomes: BTreeMap<ValueId, bool>,
}

impl Found<'_> {
    /// Takes note of the comparisons that give a condition its outcome.
    fn assume(&mut self, cond: ValueId, outcome: bool) {
        let op = self.body.op(cond);
        let junction = if outcome { Prim::And } else { Prim::Or };
        if let Some(&operands) = op.operands_of::<2>(junction) {
            operands
                .into_iter()
                .for_each(|part| self.assume(part, outcome));
        } else if let Some(&[inner]) = op.operands_of(Prim::Not) {
            self.assume(inner, !outcome);
        } else if self.is_told_by_coordinates(cond) {
            let outcome = match op.as_prim() {
                Some((Prim::Eq, _)) => false,
                Some((Prim::Ne, _)) => true,
                Some(_) | None => outcome,
            };
            self.outcomes.entry(cond).or_insert(outcome);
        }
    }

    /// Whether a condition compares affine numbers, not the same ones for all lanes; or for equality, not the same ones for all rows:
    /// other comparisons with a row's coordinate may hold for half of the rows.
    fn is_told_by_coordinates(&self, cond: ValueId) -> bool {
        let Op::Prim(prim, operands) = self.body.op(cond) else {
            return false;
        };
        let form = |v: &ValueId| self.analysis.forms[v.index()].as_ref();
        let is_affine = |v: &ValueId| form(v).and_then(Line::of).is_some();
        let is_rare = matches!(prim, Prim::Eq | Prim::Ne) && self.analysis.deps[cond.index()] != 0;
        Side::of(*prim, true).is_some()
            && operands.iter().all(is_affine)
            && (is_rare || !self.analysis.is_scalar(cond))
    }
}
