//! Which part of a scalar function some of its results need, and what that part reads.

use cotangent_core::term::{ArrId, ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled, Runs};
use std::collections::{HashMap, HashSet};

/// The variables that the given results of `fun` depend on, parameters included.
///
/// Those bound inside of conditionals are not listed: a conditional that is needed is needed as a whole.
pub(crate) fn needed(fun: &Fun<Labelled>, results: &[usize]) -> HashSet<ExpId> {
    let mut needed: HashSet<_> = results.iter().map(|&r| fun.body.results[r]).collect();
    for let_ in fun.body.lets.iter().rev() {
        if is_needed(let_, &needed) {
            needed.extend(let_.op.reads());
        }
    }
    needed
}

/// Whether one of the variables bound is among `needed`.
pub(crate) fn is_needed(let_: &ExpLet<Labelled>, needed: &HashSet<ExpId>) -> bool {
    let_.binds.iter().any(|b| needed.contains(&b.name))
}

/// The lets that the given results need, those inside of conditionals included.
fn needed_lets<'a>(
    fun: &'a Fun<Labelled>,
    results: &[usize],
) -> impl Iterator<Item = &'a ExpLet<Labelled>> {
    let needed = needed(fun, results);
    let lets = fun.body.lets.iter();
    lets.filter(move |let_| is_needed(let_, &needed))
        .flat_map(|let_| {
            let blocks = let_.op.blocks().into_iter();
            let inside = blocks.flat_map(|inner| inner.block.all_lets());
            std::iter::once(let_).chain(inside)
        })
}

/// What those read that are in loops.
fn in_loops<'a>(
    fun: &'a Fun<Labelled>,
    results: &[usize],
) -> impl Iterator<Item = &'a ExpLet<Labelled>> {
    let blocks = needed_lets(fun, results).flat_map(|let_| let_.op.blocks());
    let repeated = blocks.filter(|inner| inner.runs == Runs::Repeatedly);
    repeated.flat_map(|inner| inner.block.all_lets())
}

/// What a function does with the arrays it captures.
#[derive(Default)]
pub(crate) struct Reads<'a> {
    /// Each array with the indices at which it is read.
    pub elements: Vec<(ArrId, &'a [ExpId])>,
    /// The arrays that are read in loops: at the same index again and again, for all that is known.
    pub repeated: Vec<ArrId>,
    /// The arrays whose extents are asked for.
    pub extents: Vec<ArrId>,
}

/// What the given results of `fun` need of its captures.
pub(crate) fn reads<'a>(fun: &'a Fun<Labelled>, results: &[usize]) -> Reads<'a> {
    let mut reads = Reads::default();
    for let_ in needed_lets(fun, results) {
        match &let_.op {
            ExpOp::Index { array, index } => {
                reads.elements.push((fun.captures[array.0 as usize], index))
            }
            ExpOp::Extent { array, axis: _ } => reads.extents.push(fun.captures[array.0 as usize]),
            ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Cond { .. } => {}
            ExpOp::Derivative { .. } | ExpOp::WithPartials(_) | ExpOp::Loop { .. } => {}
        }
    }
    let array = |op: &ExpOp<Labelled>| match op {
        ExpOp::Index { array, index: _ } => Some(fun.captures[array.0 as usize]),
        ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Extent { .. } => None,
        ExpOp::Cond { .. }
        | ExpOp::Derivative { .. }
        | ExpOp::WithPartials(_)
        | ExpOp::Loop { .. } => None,
    };
    let repeated = in_loops(fun, results).filter_map(|let_| array(&let_.op));
    reads.repeated.extend(repeated);
    reads
}

/// The positions of all results.
pub(crate) fn all_results(fun: &Fun<Labelled>) -> Vec<usize> {
    (0..fun.body.results.len()).collect()
}

/// The operation that each variable bound at the top of `block` is a result of.
pub(crate) fn definitions(block: &ExpBlock<Labelled>) -> HashMap<ExpId, &ExpOp<Labelled>> {
    let bound = |let_: &'_ ExpLet<Labelled>| let_.binds.iter().map(|b| b.name).collect::<Vec<_>>();
    block
        .lets
        .iter()
        .flat_map(|let_| bound(let_).into_iter().map(move |name| (name, &let_.op)))
        .collect()
}
