//! Operations without names and locations, so that those that do the same are equal.

use crate::loc::Loc;
use crate::simplify::exp::{anonymous_fun, by_need};
use crate::term::{AccOp, ArrBind, ArrId, Labelled};
use std::collections::HashMap;

/// So many results of a function, or fewer, are made in one order in all that compute the same.
const FEW_RESULTS: usize = 4;

/// The operation without locations, and with labels of its own for what its blocks bind: equal for operations that do the same.
/// Its functions are simplified, so their labels are in order already; where they have many results, their operations may not be.
pub(super) fn anonymous(op: &AccOp<Labelled>) -> AccOp<Labelled> {
    let (mut op, mut names) = (op.clone(), HashMap::new());
    for fun in op.funs_mut() {
        *fun = match fun.body.results.len() <= FEW_RESULTS {
            true => anonymous_fun(fun),
            false => anonymous_fun(&by_need(fun)),
        };
    }
    forget_inside(&mut op, &mut names);
    for inner in op.blocks_mut() {
        let new = |name| names.get(&name).copied().unwrap_or(name);
        inner.block.rename(&new);
    }
    op
}

/// The same for what is in the blocks of an operation. They may share constants with code around, which come in another order then.
fn forget_inside(op: &mut AccOp<Labelled>, names: &mut HashMap<ArrId, ArrId>) {
    for inner in op.blocks_mut() {
        label(inner.binds, names);
        for let_ in &mut inner.block.lets {
            label(&mut let_.binds, names);
            let_.loc = Loc::default();
            for fun in let_.op.funs_mut() {
                *fun = anonymous_fun(&by_need(fun));
            }
            forget_inside(&mut let_.op, names);
        }
    }
}

/// Labels from the last one down: those of the program count from 0.
fn label(binds: &mut [ArrBind<Labelled>], names: &mut HashMap<ArrId, ArrId>) {
    for bind in binds {
        let label = ArrId(u32::MAX - names.len() as u32);
        names.insert(bind.name, label);
        bind.name = label;
    }
}
