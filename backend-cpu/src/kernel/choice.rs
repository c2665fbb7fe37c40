//! Which coordinates become lanes: the candidates of a kernel, and their costs for given extents.
//!
//! The unit of cost is one instruction on one lane.

use super::segments;
use super::space::lanes_for;
use super::{KernelCode, Launch, Variant, bug};
use crate::code::{Code, Instr, Level, LoadCode, Nest, Pattern};
use crate::machine::coords::product;
use crate::machine::{ArrayRef, Env};
use cotangent_core::backend::RunError;
use cotangent_core::schedule::{Kernel, KernelKind};
use std::ops::Range;

/// Starting one instruction on a block.
const START: f64 = 25.0;
/// Starting a row: coordinates, scalar code, tests of bounds.
const ROW: f64 = 100.0;
/// Folding the partial results of one row.
const FOLD_ROW: f64 = 150.0;
/// Folding a row among others.
const FOLD_SEGMENT: f64 = 25.0;
/// Reading at a small, constant stride.
const NEAR: f64 = 3.0;
/// Reading at an index that is clamped: most are affine, and some of their blocks are copied.
const CLAMPED: f64 = 3.0;
/// Reading at a large stride, or at offsets that are computed first.
const FAR: f64 = 8.0;
/// Computing the coordinate of a lane that stands for several.
const COORD: f64 = 3.0;

/// The nests that a kernel can run in, each a choice of lanes. Where its operator has loops of its own, a fold
/// can go through several rows at once.
pub(super) fn nests(kernel: &Kernel, has_loops: bool) -> Vec<Nest> {
    let outer = kernel.space.len();
    let nest = |coords, lane, seq| Nest {
        coords,
        lane,
        seq,
        moving: 0,
        args: vec![],
    };
    let suffixes = |from: usize, to: usize| (from..to.max(from + 1)).rev().map(move |s| s..to);
    match &kernel.kind {
        KernelKind::Map { .. } => suffixes(0, outer)
            .map(|lane| nest(outer, lane.clone(), 0..0).with_moving(0..lane.start))
            .collect(),
        KernelKind::Scatter { .. } => suffixes(0, outer)
            .map(|lane| nest(outer, lane, 0..0))
            .collect(),
        KernelKind::Reduce { inner, .. } | KernelKind::Contract { inner, .. } => {
            let all = outer + inner.len();
            let over_outer =
                suffixes(0, outer).chain((0..outer.saturating_sub(1)).map(|c| c..c + 1));
            let over_outer = over_outer.map(|lane| nest(all, lane, outer..all));
            let over_outer = over_outer.filter(|_| outer > 0 && all > outer);
            let over_inner = suffixes(outer, all).map(|lane| nest(all, lane, 0..0));
            let over_both = (0..outer).map(|c| nest(all, c..all, 0..0));
            let over_both = over_both.filter(|_| has_loops && all > outer);
            over_outer.chain(over_inner).chain(over_both).collect()
        }
        KernelKind::Scan { .. } | KernelKind::Segments { .. } | KernelKind::Sort { .. } => {
            vec![nest(outer + 1, outer..outer + 1, 0..0)]
        }
    }
}

/// A variant of the code, bound to the arrays of a launch.
pub(super) struct Chosen<'a> {
    pub code: &'a Code,
    pub arrays: Vec<ArrayRef>,
}

impl<'a> Chosen<'a> {
    /// The code and the environment of its machines.
    pub fn split(self, launch: &Launch<'a>, extents: &'a [i64]) -> (&'a Code, Env<'a>) {
        let env = Env {
            symbols: launch.symbols,
            arrays: self.arrays,
            extents,
            failure: launch.failure,
        };
        (self.code, env)
    }
}

impl KernelCode {
    /// The cheapest variant for the given extents.
    pub(super) fn choose<'a>(
        &'a self,
        launch: &Launch<'a>,
        extents: &[i64],
    ) -> Result<Chosen<'a>, RunError> {
        if let [only] = self.variants.as_slice() {
            return self.bind(only, launch);
        }
        let mut best: Option<(f64, Chosen<'a>)> = None;
        let outer = self.kernel.space.len();
        let inner = product(&extents[outer..]).unwrap_or(i64::MAX);
        for variant in &self.variants {
            let lane = &variant.nest.lane;
            let is_segments = lane.start < outer && lane.end > outer;
            if is_segments && !segments::fit(inner, self.folded.as_ref(), || self.code(variant))? {
                continue;
            }
            let chosen = self.bind(variant, launch)?;
            let cost = cost(&chosen, extents, is_segments.then_some(inner));
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, chosen));
            }
        }
        best.map(|(_, chosen)| chosen)
            .ok_or_else(|| bug("a kernel has no variant"))
    }

    pub(super) fn bind<'a>(
        &'a self,
        variant: &'a Variant,
        launch: &Launch<'a>,
    ) -> Result<Chosen<'a>, RunError> {
        let code = self.code(variant)?;
        let mut arrays = Vec::with_capacity(code.arrays.len());
        for &array in &code.arrays {
            arrays.push((launch.read)(array)?);
        }
        Ok(Chosen { code, arrays })
    }
}

/// The cost of one point.
fn cost(chosen: &Chosen, extents: &[i64], segment: Option<i64>) -> f64 {
    let code = chosen.code;
    let count = |range: Range<usize>| product(&extents[range]).unwrap_or(i64::MAX).max(1) as f64;
    let row_len = count(code.nest.lane.clone());
    let block = row_len.min(lanes_for(code, 2) as f64);
    let steps = count(code.nest.seq.clone());
    let start = START / block;
    let rows: f64 = code.nest.rows().map(|c| extents[c].max(1) as f64).product();
    let row = match code.keeps() {
        true => ROW / block,
        false => ROW / (row_len * steps),
    };
    let per_kept: f64 = instructions(code, Level::Kept, start);
    let per_block: f64 = instructions(code, Level::Block, start);
    let per_step: f64 = instructions(code, Level::Step, start);
    let loads: f64 = usual_loads(code)
        .map(|load| {
            let cost = pattern_cost(chosen, load.pattern, load.array, extents);
            let cost = cost + guard_cost(load, code);
            match load.level {
                Level::Launch | Level::Row => 0.0,
                Level::Kept => cost / rows,
                Level::Block => cost / steps,
                Level::StepScalar => start,
                Level::Step => cost,
            }
        })
        .sum();
    // A fold over lanes pays for every row; one over steps accumulates columns.
    let fold = match (code.has_steps(), segment) {
        (true, _) => 1.0 + start,
        (false, Some(len)) => FOLD_SEGMENT / len as f64,
        (false, None) => FOLD_ROW / row_len,
    };
    per_kept / rows + per_block / steps + per_step + loads + row + fold
}

/// The loads of a block that takes the simpler way at a fork.
fn usual_loads(code: &Code) -> impl Iterator<Item = &LoadCode> {
    let levels = [Level::Kept, Level::Block, Level::StepScalar, Level::Step];
    let instrs = levels.into_iter().flat_map(|level| code.usual(level));
    instrs.filter_map(|instr| match instr {
        Instr::Fetch(load) | Instr::Load(load) => Some(&code.loads[*load as usize]),
        Instr::Op { .. } | Instr::Chain { .. } | Instr::Twin { .. } | Instr::Loop(_) => None,
        Instr::Native(_) | Instr::Entry(_) => None,
        Instr::Store { .. } | Instr::StoreRow(_) | Instr::Coord { .. } => None,
        Instr::Fork { .. } | Instr::Inside { .. } | Instr::Test(_) => None,
    })
}

/// What it costs that only some lanes read: they follow each other mostly, if they have one coordinate.
fn guard_cost(load: &LoadCode, code: &Code) -> f64 {
    match (load.guard_is_column, code.nest.lane.len()) {
        (false, _) => 0.0,
        (true, 1) => NEAR,
        (true, _) => FAR,
    }
}

/// The trips that a loop is taken to make.
const TRIPS: f64 = 32.0;

fn instructions(code: &Code, level: Level, start: f64) -> f64 {
    let flat = code.nest.lane.len() > 1;
    let cost = |instr: &Instr| match instr {
        Instr::Op { .. } | Instr::Chain { .. } | Instr::Twin { .. } => 1.0 + start,
        Instr::Coord { .. } if flat => COORD + start,
        Instr::Coord { .. } | Instr::Entry(_) => 1.0 + start,
        Instr::Loop(which) => {
            let trip = &code.loops[*which as usize].code;
            let trip = instructions(trip, Level::StepScalar, start)
                + instructions(trip, Level::Step, start);
            TRIPS * trip
        }
        Instr::Native(_)
        | Instr::Fetch(_)
        | Instr::Load(_)
        | Instr::Store { .. }
        | Instr::StoreRow(_)
        | Instr::Test(_)
        | Instr::Inside { .. }
        | Instr::Fork { .. } => start,
    };
    code.usual(level).map(cost).sum()
}

fn pattern_cost(chosen: &Chosen, pattern: Pattern, array: u32, extents: &[i64]) -> f64 {
    let array = &chosen.arrays[array as usize];
    let lane = &chosen.code.nest.lane;
    match pattern {
        Pattern::Aligned => {
            let inner = lane.clone().rev().zip(array.extents.iter().rev());
            let inner = inner.take(lane.len().saturating_sub(1));
            let contiguous = inner.into_iter().all(|(c, &e)| extents[c] == e);
            let dense = array.strides.last().is_none_or(|&s| s == 1);
            match (contiguous, dense) {
                (true, true) => 1.0,
                (true, false) => NEAR,
                (false, _) => FAR,
            }
        }
        Pattern::Near => NEAR,
        Pattern::Clamped => CLAMPED,
        Pattern::Far | Pattern::Indexed => FAR,
    }
}
