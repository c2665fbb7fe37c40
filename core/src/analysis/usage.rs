//! Which parameters of a function matter.

use crate::term::{ExpId, ExpLet, Fun, Labelled};
use std::collections::HashSet;

/// For each parameter, whether the body mentions it at all.
pub fn used_params(fun: &Fun<Labelled>) -> Vec<bool> {
    params_among(fun, &fun.body.reads().collect())
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
            needed.extend(op.reads());
        }
    }
    params_among(fun, &needed)
}

fn params_among(fun: &Fun<Labelled>, names: &HashSet<ExpId>) -> Vec<bool> {
    let params = fun.params.iter();
    params.map(|p| names.contains(&p.name)).collect()
}
