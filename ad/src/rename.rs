//! Replacing variables by others.
//!
//! Labels are unique, so no binder can capture a name. Two captured arrays may become one; their slots are
//! then merged, since a capture list has no duplicates.

use cotangent_core::term::{
    AccBlock, AccLet, AccOp, ArrId, ExpBlock, ExpId, ExpOp, Fun, Labelled, Slot,
};
use std::collections::HashMap;

/// What each array is replaced by.
pub(crate) type ArrMap = HashMap<ArrId, ArrId>;

/// What each scalar is replaced by.
pub(crate) type ExpMap = HashMap<ExpId, ExpId>;

/// Replaces arrays in `lets` and the blocks inside.
pub(crate) fn arrays_in_lets(lets: &mut [AccLet<Labelled>], map: &ArrMap) {
    for let_ in lets {
        arrays_in_op(&mut let_.op, map);
        for block in let_.op.blocks_mut() {
            arrays_in_block(block, map);
        }
    }
}

/// Replaces arrays in a block and those inside.
pub(crate) fn arrays_in_block(block: &mut AccBlock<Labelled>, map: &ArrMap) {
    arrays_in_lets(&mut block.lets, map);
    for result in &mut block.results {
        replace(result, map);
    }
}

/// Replaces arrays in the arguments and captures of an operation; not in its blocks.
pub(crate) fn arrays_in_op(op: &mut AccOp<Labelled>, map: &ArrMap) {
    if map.is_empty() {
        return;
    }
    for argument in op.arguments_mut() {
        replace(argument, map);
    }
    for fun in op.funs_mut() {
        captures(fun, map);
    }
}

fn replace<T: Copy + Eq + std::hash::Hash>(name: &mut T, map: &HashMap<T, T>) {
    if let Some(&new) = map.get(name) {
        *name = new;
    }
}

fn captures(fun: &mut Fun<Labelled>, map: &ArrMap) {
    let (mut merged, mut slots) = (vec![], vec![]);
    for mut array in fun.captures.drain(..) {
        replace(&mut array, map);
        let known = merged.iter().position(|&a| a == array);
        slots.push(Slot(known.unwrap_or(merged.len()) as u32));
        if known.is_none() {
            merged.push(array);
        }
    }
    let moved = merged.len() < slots.len();
    fun.captures = merged;
    if moved {
        slots_in_block(&mut fun.body, &|slot| slots[slot.0 as usize]);
    }
}

/// Replaces the slots in a block and those inside.
pub(crate) fn slots_in_block(block: &mut ExpBlock<Labelled>, new: &dyn Fn(Slot) -> Slot) {
    for let_ in &mut block.lets {
        match &mut let_.op {
            ExpOp::Index { array, index: _ } | ExpOp::Extent { array, axis: _ } => {
                *array = new(*array);
            }
            ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Cond { .. } | ExpOp::Gradient { .. } => {}
        }
        for block in let_.op.blocks_mut() {
            slots_in_block(block, new);
        }
    }
}

/// Replaces scalars in a block and those inside.
pub(crate) fn scalars_in_block(block: &mut ExpBlock<Labelled>, map: &ExpMap) {
    if map.is_empty() {
        return;
    }
    for let_ in &mut block.lets {
        scalars_in_op(&mut let_.op, map);
        for block in let_.op.blocks_mut() {
            scalars_in_block(block, map);
        }
    }
    for result in &mut block.results {
        replace(result, map);
    }
}

/// Replaces the operands of an operation; not those inside its blocks.
pub(crate) fn scalars_in_op(op: &mut ExpOp<Labelled>, map: &ExpMap) {
    for operand in op.operands_mut() {
        replace(operand, map);
    }
}
