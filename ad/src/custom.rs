//! Takes derivatives by decree away, when all derivatives have been taken: what is left are the values.

use crate::rename::{ArrMap, ExpMap, renaming};
use cotangent_core::term::{
    AccBlock, AccLet, AccOp, ExpBlock, ExpId, ExpLet, ExpOp, Labelled, States,
};

/// The program without rules, partial derivatives, and what is said of the states of loops.
pub(crate) fn remove(body: &mut AccBlock<Labelled>) {
    let mut values = ArrMap::new();
    body.each_block_mut(&mut |block| {
        block.lets.iter_mut().for_each(forget_states);
        block.lets.retain(|let_| kept(let_, &mut values));
    });
    if !values.is_empty() {
        let last = |mut array| {
            while let Some(&value) = values.get(&array) {
                array = value;
            }
            array
        };
        body.rename(&last);
    }
    body.each_fun_mut(&mut |fun| {
        let mut values = ExpMap::new();
        scalars(&mut fun.body, &mut values);
    });
}

/// Only derivatives go back through the trips of a loop.
fn forget_states(let_: &mut AccLet<Labelled>) {
    if let AccOp::Loop { states, .. } = &mut let_.op
        && *states != States::Closed
    {
        *states = States::Stored;
    }
}

/// Whether a let stays; if not, its results are values that are bound already.
fn kept(let_: &AccLet<Labelled>, values: &mut ArrMap) -> bool {
    let AccOp::Custom { args, .. } = &let_.op else {
        return true;
    };
    let names = let_.binds.iter().map(|bind| bind.name);
    values.extend(names.zip(args.iter().copied()));
    false
}

/// Whether a value is marked as a product with a tangent, by forward mode, and has no partial derivatives by decree.
fn is_product(args: &[ExpId]) -> bool {
    args.len() == 2
}

/// The same for scalar code: `values` are what took the place of what is bound around it.
fn scalars(block: &mut ExpBlock<Labelled>, values: &mut ExpMap) {
    for mut let_ in std::mem::take(&mut block.lets) {
        let operands = let_.op.operands_mut().iter_mut();
        operands.for_each(|x| *x = renaming(values)(*x));
        let inside = let_.op.blocks_mut().into_iter();
        inside.for_each(|inner| scalars(inner.block, values));
        if let ExpLet {
            binds,
            op: ExpOp::WithPartials(args),
            loc: _,
        } = &let_
            && !is_product(args)
        {
            let names = binds.iter().map(|bind| bind.name);
            values.extend(names.zip(args.iter().copied()));
        } else {
            block.lets.push(let_);
        }
    }
    for result in &mut block.results {
        *result = renaming(values)(*result);
    }
}
