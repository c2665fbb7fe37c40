//! Folds: over steps, with a column of accumulators, or over lanes, block by block; `segments.rs` has folds of
//! many short rows.
//!
//! Which of the two, and where the work is cut into parts whose results are combined in the end, depends
//! on the extents and the program alone. Elements keep their order, except that the primitives that are
//! commutative (`+`, `·`, `max`, `min`, `and`, `or`) go into 16 virtual lanes.

use super::choice::Chosen;
use super::folder::TREE_LANES;
use super::parts::{Accumulators, Folders, OperatorParts};
use super::share::share;
use super::space::{Blocks, Place, lanes_now, work};
use super::{KernelCode, Launch, bug};
use crate::few::Few;
use crate::lanes::{ProductFns, product_fns};
use crate::machine::coords::{advance, product, unrank};
use crate::machine::{Env, Machine, write_const};
use crate::memory::{OutRef, Own};
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use std::ops::Range;

/// The lanes folded as one unit.
const CHUNK: i64 = 8192;
/// Folds with at least as many results are not cut into parts: there is enough to share out.
const MANY_RESULTS: i64 = 256;
/// Folds of at most as many values to one result are not cut either.
const SMALL_FOLD: i64 = 4 * CHUNK;
/// The most results of all parts together, where a fold over steps is cut.
const PARTIAL_RESULTS: i64 = 16384;
/// The fewest steps of a part.
const PART_STEPS: i64 = 64;

/// The sizes of a fold.
pub(super) struct Sizes<'a> {
    /// All extents, those of the results first.
    pub extents: &'a [i64],
    /// The number of dimensions of the results.
    pub rank: usize,
    /// The number of results.
    pub outer: i64,
    /// The number of values combined to each.
    pub inner: i64,
}

impl KernelCode {
    /// Runs a fold over the given extents, of which the first `rank` remain.
    pub(super) fn fold(
        &self,
        launch: &Launch,
        extents: &[i64],
        rank: usize,
        init: Option<&[Const]>,
    ) -> Result<(), RunError> {
        let operator = self.folded.as_ref();
        let operator = operator.ok_or_else(|| bug("a fold has no operator"))?;
        let too_large = || bug("an index space has too many points");
        let sizes = Sizes {
            extents,
            rank,
            outer: product(&extents[..rank]).ok_or_else(too_large)?,
            inner: product(&extents[rank..]).ok_or_else(too_large)?,
        };
        if sizes.outer == 0 {
            return Ok(());
        }
        if sizes.inner == 0 {
            return fill(launch, sizes.outer, init);
        }
        let chosen = self.choose(launch, extents)?;
        let scalar = chosen.code.scalar_output;
        let product = match self.factors {
            Some(_) => product_fns(self.target.isa, operator.types[0], scalar),
            None => None,
        };
        let terms = self.terms(&chosen.code.nest);
        let fold = Fold {
            launch,
            operator,
            product,
            products: terms.map_or(vec![], |terms| operator.products(self.target.isa, terms)),
            chosen: &chosen,
            sizes: &sizes,
            init,
        };
        if chosen.code.has_steps() {
            fold.over_steps()
        } else if chosen.code.nest.lane.start < rank {
            fold.over_segments()
        } else {
            fold.over_lanes()
        }
    }
}

/// The results of folding nothing.
fn fill(launch: &Launch, count: i64, init: Option<&[Const]>) -> Result<(), RunError> {
    let init = init.ok_or_else(|| bug("a fold of nothing without initial value was not caught"))?;
    launch.team.passes.alone();
    for (out, &value) in launch.outputs.iter().zip(init) {
        for position in 0..count {
            // SAFETY: the output has `count` elements, and only this thread works.
            unsafe { out.set(position, value) }
        }
    }
    Ok(())
}

/// Where the results of parts go: to memory of their own, as states, or, of a single part, to the outputs.
struct Parts {
    count: i64,
    refs: Vec<OutRef>,
    _memory: Vec<Own>,
}

impl Parts {
    fn new(
        launch: &Launch,
        operator: &OperatorParts,
        count: i64,
        results: i64,
    ) -> Result<Self, RunError> {
        let (mut refs, mut memory) = (vec![], vec![]);
        if count == 1 {
            refs = launch.outputs.to_vec();
        } else {
            let len = count.saturating_mul(results);
            for &ty in &operator.states {
                let own = Own::zeroed(ty, len, "the results of a fold's parts")?;
                refs.push(own.out);
                memory.push(own);
            }
        }
        Ok(Self {
            count,
            refs,
            _memory: memory,
        })
    }

    /// Combines the results of parts, if there are several.
    fn finish(
        &self,
        launch: &Launch,
        operator: &OperatorParts,
        results: i64,
        init: Option<&[Const]>,
    ) {
        if self.count == 1 {
            return;
        }
        let lanes = 256;
        let extents = [self.count, results];
        let env = operator.env(launch.symbols, &extents, launch.failure);
        let blocks = (results as u64).div_ceil(lanes) as i64;
        let work = lanes as usize * self.count as usize;
        share(launch.team, blocks, work, |claims| {
            let mut acc = Accumulators::new(operator, &env, lanes as usize);
            for block in claims.flatten() {
                let start = block * lanes as i64;
                let n = (results - start).min(lanes as i64) as usize;
                acc.start(init, n);
                for part in 0..self.count {
                    let at = part * results + start;
                    let column = |r: &OutRef| r.direct(at, 1).map(|p| p.cast_const());
                    let columns: Few<_> = self.refs.iter().filter_map(column).collect();
                    // SAFETY: the parts are finished, and the columns have `n` elements.
                    unsafe { acc.join(n, &columns) }
                }
                acc.store(launch.outputs, start, 1, n);
            }
        });
    }
}

/// Stores columns at positions that the calling task owns.
pub(super) fn store(outputs: &[OutRef], columns: &[*mut u8], position: i64, lane: i64, n: usize) {
    for (out, &column) in outputs.iter().zip(columns) {
        // SAFETY: the positions are those of the task's block, below the output's length; columns have `n`
        // elements.
        unsafe { out.store(column, position, lane, n) }
    }
}

/// A fold about to run.
pub(super) struct Fold<'a> {
    pub launch: &'a Launch<'a>,
    pub operator: &'a OperatorParts,
    /// The loops for products, where the code gives two factors in place of the value.
    pub product: Option<ProductFns>,
    /// The same for each of several results, if the code gives factors for some.
    pub products: Vec<Option<ProductFns>>,
    pub chosen: &'a Chosen<'a>,
    pub sizes: &'a Sizes<'a>,
    pub init: Option<&'a [Const]>,
}

/// How a fold over steps is cut: the steps of a part, and the number of parts, none of which is empty.
fn step_parts(outer: i64, inner: i64) -> (i64, i64) {
    let ceil = |a: i64, b: i64| (a as u64).div_ceil(b as u64) as i64;
    let most = (PARTIAL_RESULTS / outer).min(inner / PART_STEPS).max(1);
    let part_len = ceil(inner, most);
    (part_len, ceil(inner, part_len))
}

/// What a task that goes through steps works with.
struct Stepper<'a> {
    fold: &'a Fold<'a>,
    acc: Accumulators<'a>,
    step: Vec<i64>,
    values: Vec<*const u8>,
}

impl Fold<'_> {
    pub(super) fn env(&self) -> Env<'_> {
        Env {
            symbols: self.launch.symbols,
            arrays: self.chosen.arrays.clone(),
            extents: self.sizes.extents,
            failure: self.launch.failure,
        }
    }

    pub(super) fn operator_env(&self) -> Env<'_> {
        let Launch {
            symbols, failure, ..
        } = *self.launch;
        self.operator.env(symbols, self.sizes.extents, failure)
    }

    /// Fetches the columns of the outputs.
    fn columns(&self, machine: &Machine, columns: &mut Vec<*const u8>) {
        columns.clear();
        columns.extend((0..self.chosen.code.outputs.len()).map(|i| machine.output(i)));
    }

    /// Lanes are results; each goes through all values.
    fn over_steps(&self) -> Result<(), RunError> {
        let (code, sizes, operator) = (self.chosen.code, self.sizes, self.operator);
        let env = self.env();
        let extra = 3 * self.launch.outputs.len() + operator.registers();
        let blocks = Blocks::new(&code.nest, sizes.extents, lanes_now(code, extra))
            .ok_or_else(|| bug("an index space has too many points"))?;
        let (part_len, count) = step_parts(sizes.outer, sizes.inner);
        let parts = Parts::new(self.launch, operator, count, sizes.outer)?;
        let place = Place::new(&code.nest, sizes.extents, sizes.rank);
        let operator_env = self.operator_env();
        let per_step = work(code) * blocks.lanes.min(blocks.row_len as usize);
        let items = blocks.count * parts.count;
        let work = per_step.saturating_mul(part_len as usize);
        share(self.launch.team, items, work, |claims| {
            let mut machine = Machine::new(code, &env, blocks.lanes);
            let mut stepper = Stepper::new(self, &operator_env, blocks.lanes);
            for (part, range) in claims.flat_map(|claim| within_parts(claim, blocks.count)) {
                let steps = part * part_len..((part + 1) * part_len).min(sizes.inner);
                let init = self.init.filter(|_| parts.count == 1);
                blocks.visit(&mut machine, range, |machine, row, start, n| {
                    machine.block(start, n);
                    let position = part * sizes.outer + place.position(row, start);
                    let own = parts
                        .refs
                        .first()
                        .and_then(|to| to.direct(position, place.lane));
                    if stepper.at_once(machine, init, own.map(|own| (own, n))) {
                        return;
                    }
                    stepper.acc.start(init, n);
                    stepper.go(machine, steps.clone(), n);
                    stepper.acc.store(&parts.refs, position, place.lane, n);
                });
            }
        });
        parts.finish(self.launch, operator, sizes.outer, self.init);
        Ok(())
    }
}

/// Items of parts of `count` items each: the ranges within the parts that they are in.
fn within_parts(items: Range<i64>, count: i64) -> impl Iterator<Item = (i64, Range<i64>)> {
    let within = move |part: i64| {
        let first = (part * count).max(items.start) - part * count;
        let last = ((part + 1) * count).min(items.end) - part * count;
        (part, first..last)
    };
    (items.start / count..=(items.end - 1) / count).map(within)
}

impl<'a> Stepper<'a> {
    fn new(fold: &'a Fold<'a>, env: &'a Env<'a>, lanes: usize) -> Self {
        Self {
            fold,
            acc: Accumulators::new(fold.operator, env, lanes),
            step: vec![0; fold.sizes.extents.len() - fold.sizes.rank],
            values: vec![],
        }
    }

    /// Takes the machine's block through a range of steps.
    fn go(&mut self, machine: &mut Machine, steps: Range<i64>, n: usize) {
        let inner = &self.fold.sizes.extents[self.fold.sizes.rank..];
        unrank(steps.start, inner, &mut self.step);
        let (mut done, mut moving) = (steps.start, true);
        while done < steps.end {
            if moving {
                let contracted = self.contract(machine, steps.end - done, n);
                (done, moving) = (done + contracted, contracted > 0);
                continue;
            }
            machine.step(&self.step, n);
            self.fold.columns(machine, &mut self.values);
            // SAFETY: the outputs' columns have `n` lanes.
            unsafe {
                match (&self.fold.product, self.values.as_slice()) {
                    (Some(fns), &[a, b]) => self.acc.push_product(fns, n, [a, b]),
                    (Some(_) | None, values) => self.acc.push(n, values),
                }
            }
            advance(&mut self.step, inner);
            done += 1;
        }
    }

    /// Where factors just move through memory at all steps, sums up where the results are to be, which are so many. Whether it did: it is for
    /// sums whose states are values, after an initial value, in a machine that is at its first step.
    fn at_once(
        &self,
        machine: &Machine,
        init: Option<&[Const]>,
        results: Option<(*mut u8, usize)>,
    ) -> bool {
        let Fold {
            operator,
            product,
            sizes,
            ..
        } = self.fold;
        let (Some(fns), Some(&[init]), Some((to, n))) = (product, init, results) else {
            return false;
        };
        let is_plain = operator.states == operator.types;
        if !is_plain || sizes.extents.last() != Some(&sizes.inner) {
            return false;
        }
        let moving = machine.moving();
        let Some(&[a, b]) = moving.as_deref() else {
            return false;
        };
        let mut start = 0u64;
        let start = (&raw mut start).cast::<u8>();
        // SAFETY: a number has room in 8 bytes. The factors are in range for all lanes and steps, and the results are this task's.
        unsafe {
            write_const(start, init);
            (fns.contract)(n, to, start, sizes.inner as usize, [a, b]);
        }
        true
    }

    /// Where factors just move through memory, sums up along the last coordinate of the step; returns the
    /// number of steps done.
    fn contract(&mut self, machine: &mut Machine, steps: i64, n: usize) -> i64 {
        let inner = &self.fold.sizes.extents[self.fold.sizes.rank..];
        let (Some(fns), Some(&last)) = (&self.fold.product, inner.last()) else {
            return 0;
        };
        machine.set_step(&self.step);
        let moving = machine.moving();
        let Some([a, b]) = moving.as_deref() else {
            return 0;
        };
        let at = inner.len() - 1;
        let steps = steps.min(last - self.step[at]);
        // SAFETY: the factors are in range for all lanes and steps.
        unsafe { self.acc.push_steps(fns, n, steps, [*a, *b]) }
        self.step[at] += steps - 1;
        advance(&mut self.step, inner);
        steps
    }
}

/// How the values of one result are cut: into units, folded block by block, and parts of several units.
struct Units {
    /// Rows of lanes per result.
    rows: i64,
    /// Units per row.
    per_row: i64,
    /// Units per result.
    count: i64,
    /// Units per part.
    per_part: i64,
}

impl Units {
    fn new(sizes: &Sizes, row_len: i64) -> Self {
        let per_row = (row_len as u64).div_ceil(CHUNK as u64) as i64;
        let rows = sizes.inner / row_len;
        let count = rows * per_row;
        let per_part = if sizes.outer >= MANY_RESULTS || sizes.inner <= SMALL_FOLD {
            count
        } else {
            (CHUNK / row_len).clamp(1, count)
        };
        Self {
            rows,
            per_row,
            count,
            per_part,
        }
    }

    fn parts(&self) -> i64 {
        (self.count as u64).div_ceil(self.per_part as u64) as i64
    }
}

impl Fold<'_> {
    /// Lanes are values; blocks are folded to one.
    fn over_lanes(&self) -> Result<(), RunError> {
        let (code, sizes, operator) = (self.chosen.code, self.sizes, self.operator);
        let env = self.env();
        let lanes = match operator.has_only_loops() {
            true => lanes_now(code, 1),
            false => TREE_LANES,
        };
        let row_len = product(&sizes.extents[code.nest.lane.clone()]).unwrap_or(1);
        let units = Units::new(sizes, row_len);
        let parts = Parts::new(self.launch, operator, units.parts(), sizes.outer)?;
        let rows: Vec<i64> = code.nest.rows().map(|c| sizes.extents[c]).collect();
        let operator_env = self.operator_env();
        let work = work(code).saturating_mul((units.per_part * row_len.min(CHUNK)) as usize);
        let items = sizes.outer * parts.count;
        share(self.launch.team, items, work, |claims| {
            let mut task = LaneTask {
                fold: self,
                machine: Machine::new(code, &env, lanes),
                folders: Folders::new(operator, &operator_env, lanes),
                lanes,
                values: vec![],
                row: vec![0; rows.len()],
                rows: &rows,
                at: None,
            };
            for item in claims.flatten() {
                let (result, part) = (item / parts.count, item % parts.count);
                let first = part * units.per_part;
                task.folders.start();
                for unit in first..(first + units.per_part).min(units.count) {
                    task.go_to(result * units.rows + unit / units.per_row);
                    let start = unit % units.per_row * CHUNK;
                    task.unit(start..(start + CHUNK).min(row_len));
                }
                let init = self.init.filter(|_| parts.count == 1);
                let position = part * sizes.outer + result;
                task.folders.store(init, &parts.refs, position);
            }
        });
        parts.finish(self.launch, operator, sizes.outer, self.init);
        Ok(())
    }
}

/// What a task that folds lanes works with.
struct LaneTask<'a> {
    fold: &'a Fold<'a>,
    machine: Machine<'a>,
    folders: Folders<'a>,
    lanes: usize,
    values: Vec<*const u8>,
    /// The extents of the rows' coordinates.
    rows: &'a [i64],
    /// The coordinates of the current row, and its position.
    row: Vec<i64>,
    at: Option<i64>,
}

impl LaneTask<'_> {
    /// Moves to a row, given by its position.
    fn go_to(&mut self, at: i64) {
        if self.at == Some(at) {
            return;
        }
        match self.at {
            Some(before) if before + 1 == at => advance(&mut self.row, self.rows),
            Some(_) | None => unrank(at, self.rows, &mut self.row),
        }
        self.at = Some(at);
        self.machine.row(&self.row);
    }

    /// Folds the lanes of a unit, block by block.
    fn unit(&mut self, range: Range<i64>) {
        let ty = self.fold.operator.types[0];
        self.folders.begin_unit(range.end - range.start);
        for start in range.clone().step_by(self.lanes) {
            let n = (range.end - start).min(self.lanes as i64) as usize;
            self.machine.block(start, n);
            self.fold.columns(&self.machine, &mut self.values);
            // SAFETY: the outputs' columns have `n` lanes; `lanes` is a multiple of 16.
            unsafe {
                match (&self.fold.product, self.values.as_slice()) {
                    (Some(fns), &[a, b]) => self.folders.product_block(fns, ty, n, [a, b]),
                    (Some(_) | None, values) => {
                        self.folders.block(&self.fold.products, n, values);
                    }
                }
            }
        }
        self.folders.end_unit();
    }
}

#[cfg(test)]
mod tests {
    use super::step_parts;

    #[test]
    fn no_part_of_a_fold_is_empty() {
        for outer in [1, 7, 25, 64, 400] {
            for inner in (1..20_000).step_by(61) {
                let (len, count) = step_parts(outer, inner);
                assert!(
                    (count - 1) * len < inner && inner <= count * len,
                    "{outer} {inner}"
                );
            }
        }
    }
}
