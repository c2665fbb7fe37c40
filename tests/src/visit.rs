//! Walks through all blocks and functions of a program, outermost first.

use cotangent_core::term::{AccBlock, AccOp, ExpBlock, Fun, Labelled};

/// Visits a block of array code and all in it.
pub(crate) fn each_block(
    block: &mut AccBlock<Labelled>,
    visit: &mut impl FnMut(&mut AccBlock<Labelled>),
) {
    visit(block);
    for let_ in &mut block.lets {
        let_.op
            .blocks_mut()
            .into_iter()
            .for_each(|inner| each_block(inner, visit));
    }
}

/// Visits every scalar function in a block.
pub(crate) fn each_fun(block: &mut AccBlock<Labelled>, visit: &mut impl FnMut(&mut Fun<Labelled>)) {
    each_block(block, &mut |b| {
        let ops = b.lets.iter_mut().map(|l| &mut l.op);
        ops.flat_map(AccOp::funs_mut).for_each(&mut *visit);
    });
}

/// Visits a block of scalar code and all in it.
pub(crate) fn each_exp_block(
    block: &mut ExpBlock<Labelled>,
    visit: &mut impl FnMut(&mut ExpBlock<Labelled>),
) {
    visit(block);
    for let_ in &mut block.lets {
        let_.op
            .blocks_mut()
            .into_iter()
            .for_each(|inner| each_exp_block(inner, visit));
    }
}
