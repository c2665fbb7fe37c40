//! What steps of a schedule read and write.

use cotangent_core::constant::Const;
use cotangent_core::schedule::{
    ArrayId, Body, Layout, Output, Schedule, Step, SymbolId, ValueId, steps,
};
use std::collections::BTreeSet;
use std::collections::HashSet;

/// What a step, with all that it contains, uses and makes.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    pub reads: BTreeSet<ArrayId>,
    pub writes: BTreeSet<ArrayId>,
    /// The symbols it needs, those that say where elements of the arrays are included.
    pub uses: BTreeSet<SymbolId>,
    pub defines: BTreeSet<SymbolId>,
}

impl Touched {
    /// By one step, whose arrays are those of the schedule.
    pub fn by(schedule: &Schedule, step: &Step) -> Self {
        let mut touched = Self::default();
        for step in steps::all(std::slice::from_ref(step)) {
            touched.reads.extend(step.reads());
            touched.writes.extend(step.writes());
            touched.uses.extend(step.uses());
            touched.defines.extend(step.defines());
        }
        let arrays = touched.reads.iter().chain(&touched.writes);
        let placed = arrays.flat_map(|&array| symbols_of(schedule, array));
        touched.uses.extend(placed);
        touched
    }
}

/// The symbols that say where the elements of an array are: its memory is asked for by who writes to it first, be that a part.
fn symbols_of(schedule: &Schedule, array: ArrayId) -> Vec<SymbolId> {
    let decl = &schedule.arrays[array.index()];
    let mut symbols = decl.extents.clone();
    if let Layout::View { of, offset, .. } = decl.layout {
        symbols.extend(offset.symbol);
        symbols.extend(&schedule.arrays[of.index()].extents);
    }
    symbols
}

/// A dimension whose extent is a constant below this is short: there is little to spare along it.
const MIN_EXTENT: i32 = 16;

/// The symbols that are known to be short extents.
pub(crate) fn short_extents(all: &[Step]) -> HashSet<SymbolId> {
    let is_short = |constant: &Const| constant.as_i32().is_some_and(|n| n < MIN_EXTENT);
    let short = constants(all).filter(|(_, constant)| is_short(constant));
    short.map(|(symbol, _)| symbol).collect()
}

/// The symbols that are constants, and what they are.
pub(crate) fn constants(all: &[Step]) -> impl Iterator<Item = (SymbolId, Const)> {
    let scalars = steps::all(all).filter_map(Step::as_scalars);
    scalars.flat_map(|(body, defines)| {
        let constant = |&(symbol, value): &(SymbolId, ValueId)| {
            let constant = body.op(value).as_const()?;
            Some((symbol, constant))
        };
        defines.iter().filter_map(constant)
    })
}

/// Drops the instructions that no output needs.
pub(crate) fn prune(body: &mut Body, outputs: &mut [Output]) {
    body.prune(outputs.iter_mut().map(|output| &mut output.value));
}
