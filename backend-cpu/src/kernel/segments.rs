//! Folds of many short rows: lanes go through several rows, and each row is folded where it lies.
//!
//! A row by itself would fill few lanes, and starting its instructions would take longer than running them.
//! Components whose operator has no loops of its own go through all rows of a block at once, one element of
//! each at a time.
//!
//! Unsafe code: columns are raw pointers to registers and scratch memory.

use super::bug;
use super::combine::{Bank, broadcast};
use super::fold::{Fold, store};
use super::parts::{Accumulators, OperatorParts};
use super::share::share;
use super::space::{Blocks, Place, lanes_for, work};
use crate::code::{Code, Nest};
use crate::few::Few;
use crate::lanes::{self, FoldFns};
use crate::machine::{Env, Machine};
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;

/// Rows that are always short enough: several fit into a block of lanes.
const SHORT: usize = 256;

/// The lanes of a block of code that reads all it folds where that lies: they take no room in a cache.
const LANES_IN_PLACE: usize = 8192;

/// The lanes of a block: the same in all runs, whether the code has become machine code or not, for they decide which rows are folded so.
pub(super) fn lanes(code: &Code) -> usize {
    match code.plan.filled {
        0 => LANES_IN_PLACE,
        _ => lanes_for(code, 1),
    }
}

/// Whether a fold may go through several rows of that length at once: long ones have to fit into a block, and to be folded by loops.
/// Other operators take an element of each row at a time, and so need many rows. The code is asked for where it matters.
pub(super) fn fit<'a, E>(
    row: i64,
    operator: Option<&OperatorParts>,
    code: impl FnOnce() -> Result<&'a Code, E>,
) -> Result<bool, E> {
    if row <= SHORT as i64 {
        return Ok(true);
    }
    let is_looped = operator.is_some_and(OperatorParts::has_only_loops);
    Ok(is_looped && row <= LANES_IN_PLACE as i64 && row <= lanes(code()?) as i64)
}

impl Fold<'_> {
    /// Lanes are the values of several results, which follow each other.
    pub(super) fn over_segments(&self) -> Result<(), RunError> {
        let (code, sizes) = (self.chosen.code, self.sizes);
        let env = self.env();
        let inner = sizes.inner as usize;
        let rows = (lanes(code) / inner).max(1);
        let blocks = Blocks::new(&code.nest, sizes.extents, rows * inner)
            .ok_or_else(|| bug("an index space has too many points"))?;
        let results = Nest {
            moving: 0,
            coords: sizes.rank,
            lane: code.nest.lane.start..sizes.rank,
            seq: 0..0,
            args: vec![],
        };
        let place = Place::new(&results, sizes.extents, sizes.rank);
        let operator_env = self.operator_env();
        let work = work(code) * blocks.lanes.min(blocks.row_len as usize);
        share(self.launch.team, blocks.count, work, |claims| {
            let mut machine = Machine::new(code, &env, blocks.lanes);
            let mut segments = Segments::new(self, &operator_env, rows);
            blocks.visit_all(&mut machine, claims, |machine, row, start, n| {
                machine.block(start, n);
                let position = place.position(row, start / inner as i64);
                segments.with_loops(machine, n, position);
                segments.without_loops(machine, n, position);
            });
        });
        Ok(())
    }
}

/// What a task that folds segments works with.
struct Segments<'a> {
    fold: &'a Fold<'a>,
    loops: Vec<(usize, FoldFns)>,
    others: Accumulators<'a>,
    /// The results of loops without and with initial value, as states, and as values.
    totals: Bank,
    /// One element of each row, for each component.
    elements: Bank,
}

impl<'a> Segments<'a> {
    /// For blocks of up to `rows` rows.
    fn new(fold: &'a Fold<'a>, env: &'a Env<'a>, rows: usize) -> Self {
        let operator = fold.operator;
        let slow = usize::from(!operator.has_only_loops());
        Self {
            fold,
            loops: operator.loops(),
            others: Accumulators::without_loops(operator, env, rows),
            totals: Bank::new(3, rows),
            elements: Bank::new(operator.types.len(), rows * slow),
        }
    }

    /// Folds the rows of a block, of `n` lanes, where their operator has loops.
    fn with_loops(&mut self, machine: &Machine, n: usize, position: i64) {
        let Fold {
            launch,
            product,
            sizes,
            init,
            ..
        } = self.fold;
        let length = sizes.inner as usize;
        let results = n / length;
        let len = std::ptr::from_ref(&length).cast::<u8>();
        let columns = self.totals.columns();
        let [totals, started, values] = [columns[0], columns[1], columns[2]];
        for &(component, fns) in &self.loops {
            let a = machine.output(component);
            // SAFETY: the columns have `n` lanes, whole rows; there is room for all results.
            unsafe {
                match product {
                    Some(fns) => (fns.segments)(n, totals, a, machine.output(1), len),
                    None => (fns.segments)(n, totals, a, a, len),
                }
            }
            let mut from = totals;
            if let Some(init) = init {
                let ty = fns.state;
                let init = Prim::Convert(ty).eval(&[init[component]]);
                broadcast(started, init.unwrap_or(Const::zero(ty)), results);
                // SAFETY: both columns have `results` elements, and are apart.
                unsafe { (fns.join)(results, started, totals, totals, totals) }
                from = started;
            }
            if launch.outputs[component].ty() != fns.state {
                // SAFETY: both columns have `results` elements, and are apart.
                unsafe { (fns.unload)(results, values, from, from, from) }
                from = values;
            }
            let output = &launch.outputs[component..=component];
            store(output, &[from], position, 1, results);
        }
    }

    /// The same for the other components.
    fn without_loops(&mut self, machine: &Machine, n: usize, position: i64) {
        let components: Few<_> = self.others.components().collect();
        if components.is_empty() {
            return;
        }
        let length = self.fold.sizes.inner as usize;
        let (results, columns) = (n / length, self.elements.columns());
        self.others.start(self.fold.init, results);
        for step in 0..length {
            for &component in &components {
                let ty = self.fold.operator.types[component];
                let from = machine.output(component).wrapping_add(step * ty.bytes());
                // SAFETY: the column has whole rows of that length; there is room for all results.
                unsafe {
                    lanes::strided_load(ty, results, from, length as isize, columns[component]);
                }
            }
            // SAFETY: the columns have an element of each row.
            unsafe { self.others.push(results, &columns) }
        }
        self.others
            .store(self.fold.launch.outputs, position, 1, results);
    }
}
