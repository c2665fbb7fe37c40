//! Which parameters of a function matter, and which of the arrays that it captures.

use crate::term::{ArrId, ExpId, ExpLet, ExpOp, Fun, Labelled, Slot};
use std::collections::HashSet;

/// For each parameter, whether the body mentions it at all.
pub fn used_params(fun: &Fun<Labelled>) -> Vec<bool> {
    params_among(fun, &fun.body.reads().collect())
}

/// For each parameter, whether one of the results at the given positions depends on it. Operations with
/// blocks count as depending on all that they mention, for all of their results.
pub fn params_of_results(fun: &Fun<Labelled>, results: &[bool]) -> Vec<bool> {
    params_among(fun, &needed(fun, results).0)
}

/// The captured arrays that results at the given positions depend on, in the same sense.
pub fn captures_of_results(fun: &Fun<Labelled>, results: &[bool]) -> Vec<ArrId> {
    let (_, ops) = needed(fun, results);
    let inside = |op: &ExpOp<Labelled>| -> Vec<Slot> {
        let blocks = op.blocks();
        let slots = blocks.iter().flat_map(|inner| inner.block.slots());
        slots.chain(op.slot()).collect()
    };
    let slots = ops.into_iter().flat_map(inside);
    slots.map(|slot| fun.captures[slot.0 as usize]).collect()
}

/// The values that results at the given positions depend on, and the operations that compute them.
fn needed<'a>(
    fun: &'a Fun<Labelled>,
    results: &[bool],
) -> (HashSet<ExpId>, Vec<&'a ExpOp<Labelled>>) {
    let chosen = fun.body.results.iter().zip(results);
    let chosen = chosen.filter(|(_, chosen)| **chosen);
    let mut needed: HashSet<ExpId> = chosen.map(|(&x, _)| x).collect();
    let mut ops = vec![];
    for ExpLet { binds, op, loc: _ } in fun.body.lets.iter().rev() {
        if binds.iter().any(|b| needed.contains(&b.name)) {
            needed.extend(op.reads());
            ops.push(op);
        }
    }
    (needed, ops)
}

fn params_among(fun: &Fun<Labelled>, names: &HashSet<ExpId>) -> Vec<bool> {
    let params = fun.params.iter();
    params.map(|p| names.contains(&p.name)).collect()
}
