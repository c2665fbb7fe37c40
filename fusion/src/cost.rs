//! The cost model: when computing an element again is cheaper than keeping it.
//!
//! Costs count operations, in units of one addition of a vector lane; a transcendental is some twenty of
//! them (measured: `exp`, `ln` and `sin` take 0.9–1.5 ns per f64 where an addition in cache takes 0.05), a load
//! from cache about four. The cost of an element of a delayed array includes that of the elements it is made
//! of, so costs grow along a chain, and no chain of cheap steps becomes expensive unnoticed.
//!
//! An array is delayed (never in memory, computed where it is read)
//! * if an element costs at most [`CHEAP`], whoever reads it and how often;
//! * or if one operation reads it, and each element at most once, so that nothing is computed twice, and
//!   the element costs at most [`MAX_INLINED`]; several results of one operation, each read once by an
//!   operation of its own, are computed apart if what they share costs at most as much as keeping them ([`of_keeping`]), and what they are made of is kept
//!   in their place if they are cheap then;
//!
//! but never if that would nest more than [`MAX_DEPTH`] delayed arrays.
//!
//! Two reductions over one index space are one kernel (`horizontal.rs`) if they load the same element of an array
//! somewhere inside, so that one pass over memory does instead of two; if the kernel then has at most
//! [`MAX_COMBINED`] results, each of which occupies accumulators; and if backends have loops of their own for
//! the operators of both ([`has_loops`]) or of neither, since the others run some ten times as long and
//! would keep the first from going through many short rows at once. Two scatters that send to the same places are one kernel
//! if it then sends to at most [`MAX_SENT`] arrays, and so are maps that read nothing.

use crate::slice;
use cotangent_core::prim::{Effort, Prim};
use cotangent_core::schedule::Operator;
use cotangent_core::term::{ArrId, ExpBlock, ExpLet, ExpOp, Fun, Labelled};

/// The cost up to which an element is computed wherever it is read: two loads and a few operations.
pub(crate) const CHEAP: u64 = 12;

/// The cost up to which code is inlined at all: beyond, a kernel gains nothing from growing further.
pub(crate) const MAX_INLINED: u64 = 1 << 16;

/// The number of delayed arrays that may be nested in each other: inlining recurses so deep.
pub(crate) const MAX_DEPTH: usize = 256;

/// The number of instructions up to which independent maps over one space share a kernel.
pub(crate) const MAX_SHARED_INSTS: usize = 1 << 14;

/// The number of results up to which reductions over one space share a kernel.
pub(crate) const MAX_COMBINED: usize = 12;

/// The number of arrays up to which scatters, and maps that read nothing, share a kernel: enough for matrices of 4×4, whose updates then are computed at
/// once, and few enough for the memory that these occupy until they are combined.
pub(crate) const MAX_SENT: usize = 16;

/// How many trips a loop is taken to make. Nobody knows, but none is computed twice; and since a program may say how many,
/// more would keep short code from being inlined.
const TRIPS: u64 = 64;

/// The cost of a load.
pub(crate) const LOAD: u64 = 4;

/// The cost up to which results of one operation are computed apart rather than kept: keeping takes a store and a load for each.
pub(crate) fn of_keeping(results: usize) -> u64 {
    CHEAP.max(2 * LOAD * results as u64)
}

/// The cost of one coordinate by division.
pub(crate) const DIVIDED_COORDINATE: u64 = 8;

/// Whether an operator combines each component by a primitive alone: backends have loops for those.
pub(crate) fn has_loops(operator: &Operator) -> bool {
    let parts = operator.parts();
    parts.iter().all(|part| part.operator.as_prim().is_some())
}

/// The cost of a primitive.
fn prim(op: Prim) -> u64 {
    match op.effort() {
        Effort::Move | Effort::Conversion | Effort::Simple => 1,
        Effort::Division => 4,
        Effort::Elementary => 20,
        Effort::Composed => 30,
    }
}

/// The cost of computing some results of `fun`, given what an element of each captured array costs.
pub(crate) fn fun(fun: &Fun<Labelled>, results: &[usize], element: &impl Fn(ArrId) -> u64) -> u64 {
    let needed = slice::needed(fun, results);
    let lets = fun.body.lets.iter();
    lets.filter(|let_| slice::is_needed(let_, &needed))
        .map(|let_| of_let(fun, let_, element))
        .fold(0, u64::saturating_add)
}

/// The cost of computing some results of a map, given what an element of each array costs.
pub(crate) fn map(
    (f, args): (&Fun<Labelled>, &[ArrId]),
    results: &[usize],
    element: &impl Fn(ArrId) -> u64,
) -> u64 {
    let needed = slice::needed(f, results);
    let args = f.params.iter().zip(args);
    let args = args.filter(|(p, _)| needed.contains(&p.name));
    args.map(|(_, &a)| element(a))
        .fold(fun(f, results, element), u64::saturating_add)
}

fn of_let(fun: &Fun<Labelled>, let_: &ExpLet<Labelled>, element: &impl Fn(ArrId) -> u64) -> u64 {
    match &let_.op {
        ExpOp::Const(_) | ExpOp::Extent { .. } => 0,
        ExpOp::Prim(op, _) => prim(*op),
        ExpOp::Index { array, index: _ } => element(fun.captures[array.0 as usize]),
        // Both branches are computed; the selects come on top.
        ExpOp::Cond {
            cond: _,
            then_,
            else_,
        } => (let_.binds.len() as u64)
            .saturating_add(of_block(fun, then_, element))
            .saturating_add(of_block(fun, else_, element)),
        ExpOp::Derivative { body, .. } => of_block(fun, body, element),
        ExpOp::WithPartials(_) => 0,
        ExpOp::Loop {
            test,
            step,
            args: _,
        } => {
            let closures = test.iter().chain([step]);
            let costs = closures.map(|closure| of_block(fun, &closure.body, element));
            costs.fold(1, u64::saturating_add).saturating_mul(TRIPS)
        }
    }
}

fn of_block(
    fun: &Fun<Labelled>,
    block: &ExpBlock<Labelled>,
    element: &impl Fn(ArrId) -> u64,
) -> u64 {
    block
        .lets
        .iter()
        .map(|let_| of_let(fun, let_, element))
        .fold(0, u64::saturating_add)
}
