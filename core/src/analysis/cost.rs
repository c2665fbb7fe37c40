//! How expensive scalar code is, in operations.
//!
//! A crude measure on purpose: it only decides whether code may be copied to where it is used.

use crate::term::{ExpBlock, ExpOp, Fun, Labelled};

/// What a loop counts for: as many as nobody wants to have again.
const LOOP: usize = 1 << 10;

/// The number of operations in the body, both branches of conditionals included; literals are free, and a loop is more
/// than code may have that is copied.
pub fn operations(fun: &Fun<Labelled>) -> usize {
    block_operations(&fun.body)
}

/// The same for a block.
pub fn block_operations(block: &ExpBlock<Labelled>) -> usize {
    let own = |op: &ExpOp<Labelled>| match op {
        ExpOp::Const(_) => 0,
        ExpOp::Prim(..)
        | ExpOp::Index { .. }
        | ExpOp::Extent { .. }
        | ExpOp::Cond { .. }
        | ExpOp::Derivative { .. }
        | ExpOp::WithPartials(_) => 1,
        ExpOp::Loop { .. } => LOOP,
    };
    block.all_lets().map(|l| own(&l.op)).sum()
}

/// Whether running the body can fail: it, or a block in it, indexes an array.
pub fn can_fail(block: &ExpBlock<Labelled>) -> bool {
    block.all_lets().any(|l| l.op.can_fail())
}

/// Whether a block has at most `limit` operations, literals included; takes time in proportion to `limit`.
pub fn is_within(block: &ExpBlock<Labelled>, limit: usize) -> bool {
    block.all_lets().nth(limit).is_none()
}

/// Whether a block has no blocks inside.
pub fn is_straight(block: &ExpBlock<Labelled>) -> bool {
    block.lets.iter().all(|l| l.op.blocks().is_empty())
}
