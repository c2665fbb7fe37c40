//! Which values of a body are computed, and in which order.

use super::Level;
use super::affine::{Analysis, Form};
use super::clamp::Clamp;
use super::pairs::Pairs;
use cotangent_core::schedule::{Load, ValueId};

/// The form of a load's index along one dimension, and the clamp around it if there is one, if the load is repeated and the index has
/// a form. Places of entries in rows are numbers or columns.
pub(super) fn dim_form<'a>(
    analysis: &'a Analysis,
    load: ValueId,
    index: ValueId,
) -> Option<(&'a Form, Option<&'a Clamp>)> {
    let of_rows = |load: &Load| load.array.is_of_rows();
    if analysis.body.op(load).as_load().is_some_and(of_rows) {
        return None;
    }
    let affine = analysis.forms[index.index()].as_ref();
    let clamp = analysis.clamps[index.index()].as_ref();
    let clamped = clamp.map(|clamp| (&clamp.form, Some(clamp)));
    let form = affine.map(|form| (form, None)).or(clamped);
    match analysis.nest.level(analysis.deps[load.index()]) {
        Level::Launch | Level::Row => None,
        Level::Kept | Level::Block | Level::StepScalar | Level::Step => form,
    }
}

/// The values that the computation of `v` reads, pairs aside.
pub(super) fn reads(analysis: &Analysis, v: ValueId) -> Vec<ValueId> {
    let op = analysis.body.op(v);
    let Some(load) = op.as_load() else {
        return op.operands();
    };
    let mut needed: Vec<ValueId> = load.guard.into_iter().collect();
    for &index in &load.index {
        match dim_form(analysis, v, index) {
            Some((form, clamp)) => {
                needed.extend(form.values());
                needed.extend(clamp.into_iter().flat_map(|clamp| clamp.bounds.numbers()));
            }
            None => needed.push(index),
        }
    }
    needed
}

/// The values that outputs, and what acts without being used, depend on.
pub(super) fn liveness(analysis: &Analysis, outputs: &[ValueId]) -> Vec<bool> {
    let mut live = vec![false; analysis.body.len()];
    let mut work: Vec<ValueId> = outputs.to_vec();
    work.extend(analysis.body.acting());
    while let Some(v) = work.pop() {
        if !live[v.index()] {
            live[v.index()] = true;
            work.extend(reads(analysis, v));
        }
    }
    live
}

/// Puts values in the order of their code.
pub(super) struct Order<'a> {
    analysis: &'a Analysis<'a>,
    pairs: &'a Pairs,
    is_done: Vec<bool>,
}

impl<'a> Order<'a> {
    /// Only `live` values have code, and no values that are computed within others.
    pub fn new(analysis: &'a Analysis<'a>, live: &[bool], pairs: &'a Pairs) -> Self {
        let is_done = |v: usize| !live[v] || pairs.is_inner(ValueId(v as u32));
        Self {
            analysis,
            pairs,
            is_done: (0..live.len()).map(is_done).collect(),
        }
    }

    /// The values that were not placed before, each of those asked for preceded by what it needs and nothing
    /// else, so that few columns live at a time.
    pub fn place(&mut self, wanted: impl Iterator<Item = ValueId>) -> Vec<ValueId> {
        let mut ordered = vec![];
        // Each value is on the stack twice at the most: to be expanded, and to be placed.
        let mut stack = vec![];
        for v in wanted {
            stack.push((self.pairs.leader(v), false));
            while let Some((v, is_expanded)) = stack.pop() {
                if self.is_done[v.index()] {
                    continue;
                }
                if is_expanded {
                    self.is_done[v.index()] = true;
                    ordered.push(v);
                    continue;
                }
                stack.push((v, true));
                let needed = self.pairs.reads(self.analysis, v).into_iter().rev();
                stack.extend(needed.map(|needed| (self.pairs.leader(needed), false)));
            }
        }
        ordered
    }
}
