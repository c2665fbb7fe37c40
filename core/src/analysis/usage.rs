//! Which parameters of a function matter.

use crate::term::{ExpBlock, ExpId, ExpLet, Fun, Labelled};
use std::collections::HashSet;

/// For each parameter, whether the body mentions it at all.
pub fn used_params(fun: &Fun<Labelled>) -> Vec<bool> {
    let mut mentioned = HashSet::new();
    mentions(&fun.body, &mut mentioned);
    fun.params
        .iter()
        .map(|p| mentioned.contains(&p.name))
        .collect()
}

/// For each parameter, whether one of the results at the given positions depends on it. Operations with
/// blocks count as depending on all that they mention, for all of their results.
pub fn params_of_results(fun: &Fun<Labelled>, results: &[bool]) -> Vec<bool> {
    let chosen = fun.body.results.iter().zip(results);
    let mut needed: HashSet<ExpId> = chosen
        .filter(|(_, chosen)| **chosen)
        .map(|(&x, _)| x)
        .collect();
    for ExpLet { binds, op, loc: _ } in fun.body.lets.iter().rev() {
        if binds.iter().any(|b| needed.contains(&b.name)) {
            needed.extend(op.operands());
            op.blocks()
                .into_iter()
                .for_each(|b| mentions(b, &mut needed));
        }
    }
    fun.params
        .iter()
        .map(|p| needed.contains(&p.name))
        .collect()
}

fn mentions(block: &ExpBlock<Labelled>, mentioned: &mut HashSet<ExpId>) {
    for ExpLet { op, .. } in &block.lets {
        mentioned.extend(op.operands());
        op.blocks().into_iter().for_each(|b| mentions(b, mentioned));
    }
    mentioned.extend(&block.results);
}
