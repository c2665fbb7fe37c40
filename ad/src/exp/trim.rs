//! Removes what the results of a function do not need.
//!
//! Unlike the simplifier this drops indexing that might fail: derived code only repeats indexing that the
//! primal code has done before, and there it did not fail.

use cotangent_core::term::{ExpBind, ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled};
use std::collections::HashSet;

/// The same function without dead code and unused captures; parameters stay.
pub(crate) fn trim(mut fun: Fun<Labelled>) -> Fun<Labelled> {
    let mut live = HashSet::new();
    trim_block(&mut fun.body, &mut live);
    fun.clean_captures();
    fun
}

/// Whether a trimmed function uses the parameter `x`.
pub(crate) fn uses_param(fun: &Fun<Labelled>, x: ExpId) -> bool {
    fun.body.reads().any(|y| y == x)
}

fn trim_block(block: &mut ExpBlock<Labelled>, live: &mut HashSet<ExpId>) {
    live.extend(&block.results);
    let mut kept = vec![];
    for mut let_ in std::mem::take(&mut block.lets).into_iter().rev() {
        if let_.binds.iter().any(|b| live.contains(&b.name)) {
            trim_let(&mut let_, live);
            kept.push(let_);
        }
    }
    kept.reverse();
    block.lets = kept;
}

fn trim_let(let_: &mut ExpLet<Labelled>, live: &mut HashSet<ExpId>) {
    match &mut let_.op {
        ExpOp::Cond {
            cond: _,
            then_,
            else_,
        } => {
            let keep: Vec<bool> = let_.binds.iter().map(|b| live.contains(&b.name)).collect();
            retain(&mut let_.binds, &keep);
            for branch in [then_, else_] {
                retain(&mut branch.results, &keep);
                trim_block(branch, live);
            }
        }
        ExpOp::Derivative { body, .. } => trim_block(body, live),
        ExpOp::Loop {
            test,
            step,
            args: _,
        } => {
            let closures = test.iter_mut().chain([step]);
            closures.for_each(|closure| trim_block(&mut closure.body, live));
        }
        ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Index { .. } | ExpOp::Extent { .. } => {}
        ExpOp::WithPartials(_) => {}
    }
    live.extend(let_.op.operands());
}

fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut flags = keep.iter();
    items.retain(|_| flags.next().copied().unwrap_or(true));
}

/// The parameters of `fun` that it uses, as positions; the others are removed from it, except that the one
/// at `always` stays.
pub(crate) fn drop_unused_params(fun: &mut Fun<Labelled>, always: Option<usize>) -> Vec<usize> {
    let used =
        |(at, p): &(usize, &ExpBind<Labelled>)| Some(*at) == always || uses_param(fun, p.name);
    let kept: Vec<usize> = fun
        .params
        .iter()
        .enumerate()
        .filter(used)
        .map(|(at, _)| at)
        .collect();
    fun.params = kept.iter().map(|&at| fun.params[at].clone()).collect();
    kept
}
