//! Which results of contractions are read: what all loads of an array have in common.

use super::facts::{Fact, facts, position};
use super::is_contraction;
use cotangent_core::schedule::{
    ArrayId, Body, Bound, Layout, Load, Schedule, Step, Structure, steps,
};
use std::collections::{BTreeMap, BTreeSet};

/// Adds what is needed to the structures of all contractions, which are in the order of their kernels.
pub(super) fn add(schedule: &Schedule, structures: &mut [Structure]) {
    let contractions = schedule
        .kernels()
        .into_iter()
        .filter(|k| is_contraction(&k.kind));
    let outputs: Vec<ArrayId> = contractions.map(|k| k.outputs()[0].array).collect();
    let wholes = wholes(&schedule.steps);
    let seen = |array: &ArrayId| -> ArrayId { *wholes.get(array).unwrap_or(array) };
    let mut readers = Readers::new(schedule, outputs.iter().map(seen).collect());
    steps::all(&schedule.steps).for_each(|step| readers.step(step));
    for (structure, output) in structures.iter_mut().zip(&outputs) {
        structure.needed = readers.bounds(&seen(output));
    }
}

/// For each array that a strip adds up over its chunks, that of the sums.
fn wholes(steps: &[Step]) -> BTreeMap<ArrayId, ArrayId> {
    let strips = steps::all(steps).filter_map(Step::as_strip);
    let parts = strips.flat_map(|strip| strip.totals.iter().flat_map(|total| &total.arrays));
    parts.map(|part| (part.part, part.whole)).collect()
}

/// What the loads of some arrays have in common.
struct Readers<'a> {
    schedule: &'a Schedule,
    /// The arrays asked about of which all elements may be read, in ways that are not looked at.
    open: BTreeSet<ArrayId>,
    /// For each array asked about, the bounds that hold at all loads so far; none if there was no load.
    common: BTreeMap<ArrayId, Option<Vec<Bound>>>,
}

impl<'a> Readers<'a> {
    fn new(schedule: &'a Schedule, arrays: BTreeSet<ArrayId>) -> Self {
        let views = schedule.arrays.iter().filter_map(|decl| match decl.layout {
            Layout::Own => None,
            Layout::View {
                of,
                offset: _,
                stride: _,
            } => Some(of),
        });
        let mut open: BTreeSet<_> = views.chain(schedule.results.iter().copied()).collect();
        let is_view = |array: &&ArrayId| schedule.owner(**array) != **array;
        open.extend(arrays.iter().filter(is_view));
        Self {
            schedule,
            open,
            common: arrays.into_iter().map(|array| (array, None)).collect(),
        }
    }

    fn step(&mut self, step: &Step) {
        self.open.extend(step.takes());
        step.code().for_each(|body| self.body(body));
    }

    fn body(&mut self, body: &Body) {
        for (body, load) in body.loads() {
            let rank = self.schedule.arrays[load.array.index()].extents.len() as u32;
            if let Some(common) = self.common.get_mut(&load.array) {
                let here = bounds(body, load, rank);
                *common = Some(match common.take() {
                    None => here,
                    Some(before) => weaker(&before, &here),
                });
            }
        }
    }

    /// The bounds of what is read of an array. An array that nobody reads has none: it should not be there.
    fn bounds(&self, array: &ArrayId) -> Vec<Bound> {
        match self.common.get(array) {
            Some(Some(bounds)) if !self.open.contains(array) => bounds.clone(),
            Some(_) | None => vec![],
        }
    }
}

/// The bounds of the indices of a load, by dimension.
fn bounds(body: &Body, load: &Load, rank: u32) -> Vec<Bound> {
    let known = load.guard.and_then(|guard| facts(body, guard, true));
    let known = known.unwrap_or_default();
    let pairs = (0..rank).flat_map(|above| (0..rank).map(move |below| (above, below)));
    let bound = |(above, below)| {
        let least = least(body, load, &known, (above, below))?;
        Some(Bound::new(above, below, least))
    };
    let apart = pairs.filter(|(above, below)| above != below);
    apart.filter_map(bound).collect()
}

/// By how much one index is above another, at least.
fn least(body: &Body, load: &Load, known: &[Fact], (above, below): (u32, u32)) -> Option<i64> {
    let at = |dim: u32| position(body, load.index[dim as usize]);
    let (above, below) = (at(above), at(below));
    if above.plus != below.plus {
        return None;
    }
    if above.atom == below.atom {
        return Some(0);
    }
    // Both wrap around together or not at all, so the difference is that of the atoms where they do not.
    let is_plain = above.plus == 0;
    let mut known = known.iter().filter(|_| is_plain);
    let fact = known.find(|fact| (fact.above, fact.below) == (above.atom, below.atom))?;
    Some(fact.least)
}

/// What holds if either does.
fn weaker(x: &[Bound], y: &[Bound]) -> Vec<Bound> {
    let in_both = |bound: &Bound| {
        let other = y.iter().find(|other| other.axes() == bound.axes())?;
        let least = bound.least.min(other.least);
        Some(Bound { least, ..*bound })
    };
    x.iter().filter_map(in_both).collect()
}
