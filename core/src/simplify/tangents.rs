//! Products with tangents, which forward mode marks as such ([`ExpOp::WithPartials`] of two): when no rule has a use for the mark any
//! more, they are products like any other.

use super::counts::RuleCounts;
use crate::term::{AccBlock, AccOp, ExpBlock, ExpId, ExpOp, Labelled, Program};
use std::collections::HashMap;

/// Takes all marks away, unless something is left to differentiate; whether there were any.
pub(super) fn settle(program: &mut Program<Labelled>, counts: &mut RuleCounts) -> bool {
    if has_derivative(&program.body) {
        return false;
    }
    let before = counts.total();
    program.body.each_fun_mut(&mut |fun| {
        scalars(&mut fun.body, &mut HashMap::new(), counts);
    });
    counts.total() > before
}

fn has_derivative(block: &AccBlock<Labelled>) -> bool {
    let mut lets = block.all_lets();
    lets.any(|let_| matches!(let_.op, AccOp::Derivative { .. }))
}

/// The same for a block; `products` are those that took the place of marked ones around it.
fn scalars(
    block: &mut ExpBlock<Labelled>,
    products: &mut HashMap<ExpId, ExpId>,
    counts: &mut RuleCounts,
) {
    for mut let_ in std::mem::take(&mut block.lets) {
        for operand in let_.op.operands_mut() {
            *operand = products.get(operand).copied().unwrap_or(*operand);
        }
        for inner in let_.op.blocks_mut() {
            scalars(inner.block, products, counts);
        }
        if let Some((product, _)) = marked(&let_.op) {
            counts.fire("tangent_product");
            products.insert(let_.binds[0].name, product);
        } else {
            block.lets.push(let_);
        }
    }
    for result in &mut block.results {
        *result = products.get(result).copied().unwrap_or(*result);
    }
}

/// The product and its tangent, if an operation marks one.
pub(super) fn marked(op: &ExpOp<Labelled>) -> Option<(ExpId, ExpId)> {
    match op {
        ExpOp::WithPartials(args) => match args[..] {
            [product, tangent] => Some((product, tangent)),
            [..] => None,
        },
        ExpOp::Const(_)
        | ExpOp::Prim(..)
        | ExpOp::Index { .. }
        | ExpOp::Extent { .. }
        | ExpOp::Cond { .. }
        | ExpOp::Derivative { .. }
        | ExpOp::Loop { .. } => None,
    }
}
