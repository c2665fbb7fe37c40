//! Which parameters of a function matter, and which of the arrays that it captures.

use crate::term::{ArrId, ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled, Slot};
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
    let slots = ops.into_iter().flat_map(slots);
    slots.map(|slot| fun.captures[slot.0 as usize]).collect()
}

/// For each result, whether it depends on parameters or captured arrays other than those that `is_known` holds for, a list of
/// parameters and a test of arrays. A result of a conditional depends on those of its branches at the same position; other operations
/// with blocks count as depending on all that they mention, for all of their results.
pub fn depending_results(
    fun: &Fun<Labelled>,
    (known, is_known): (&[bool], impl Fn(ArrId) -> bool),
) -> Vec<bool> {
    let params = fun.params.iter().zip(known);
    let params = params.filter(|(_, known)| !**known);
    let mut depending = Depending {
        names: params.map(|(p, _)| p.name).collect(),
        is_known: |slot: Slot| is_known(fun.captures[slot.0 as usize]),
    };
    depending.block(&fun.body)
}

/// What depends on more than is known.
struct Depending<F> {
    names: HashSet<ExpId>,
    is_known: F,
}

impl<F: Fn(Slot) -> bool> Depending<F> {
    fn block(&mut self, block: &ExpBlock<Labelled>) -> Vec<bool> {
        for ExpLet { binds, op, loc: _ } in &block.lets {
            let results = self.op(op, binds.len());
            let depending = binds.iter().zip(results).filter(|(_, depends)| *depends);
            self.names.extend(depending.map(|(b, _)| b.name));
        }
        let results = block.results.iter();
        results.map(|x| self.names.contains(x)).collect()
    }

    /// For each result of an operation, whether it does.
    fn op(&mut self, op: &ExpOp<Labelled>, count: usize) -> Vec<bool> {
        let ExpOp::Cond { cond, then_, else_ } = op else {
            let reads = op.reads().any(|x| self.names.contains(&x));
            return vec![reads || !slots(op).into_iter().all(&self.is_known); count];
        };
        let (cond, then_) = (self.names.contains(cond), self.block(then_));
        let both = then_.into_iter().zip(self.block(else_));
        both.map(|(then_, else_)| cond || then_ || else_).collect()
    }
}

/// What an operation reads or measures, its blocks included.
fn slots(op: &ExpOp<Labelled>) -> Vec<Slot> {
    let blocks = op.blocks();
    let slots = blocks.iter().flat_map(|inner| inner.block.slots());
    slots.chain(op.slot()).collect()
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
