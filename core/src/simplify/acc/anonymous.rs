//! Operations without names and locations, so that those that do the same are equal.

use crate::loc::Loc;
use crate::simplify::exp::{anonymous_fun, by_need};
use crate::term::{AccOp, ArrBind, ArrId, Labelled};
use std::collections::HashMap;

/// The operation without locations, and with labels of its own for what its blocks bind: equal for operations that do the same. The code
/// of its functions is in the order that the results need it in, as constants may have been shared with code around.
pub(super) fn anonymous(op: &AccOp<Labelled>) -> AccOp<Labelled> {
    let (mut op, mut names) = (op.clone(), HashMap::new());
    forget(&mut op, &mut names);
    for inner in op.blocks_mut() {
        let new = |name| names.get(&name).copied().unwrap_or(name);
        inner.block.rename(&new);
    }
    op
}

fn forget(op: &mut AccOp<Labelled>, names: &mut HashMap<ArrId, ArrId>) {
    for fun in op.funs_mut() {
        *fun = anonymous_fun(&by_need(fun));
    }
    for inner in op.blocks_mut() {
        label(inner.binds, names);
        for let_ in &mut inner.block.lets {
            label(&mut let_.binds, names);
            let_.loc = Loc::default();
            forget(&mut let_.op, names);
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
