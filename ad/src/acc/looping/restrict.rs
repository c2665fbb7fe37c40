//! Code of which some results alone are wanted: loops in it carry what these depend on.

use super::settle::trim_by;
use cotangent_core::term::{AccBlock, AccLet, AccOp, ArrBind, ArrId, Labelled};
use std::collections::HashSet;

/// Removes what the results of a block do not need, columns of loops too. What may fail goes with the rest: other code has done it.
pub(super) fn restrict(block: &mut AccBlock<Labelled>) {
    trim_by(block, &mut restrict_columns);
}

fn restrict_columns(let_: &mut AccLet<Labelled>, used: &HashSet<ArrId>) {
    let AccOp::Loop {
        test, step, args, ..
    } = &mut let_.op
    else {
        return;
    };
    let mut live: Vec<bool> = let_.binds.iter().map(|b| used.contains(&b.name)).collect();
    live[0] = true;
    if let Some(test) = test {
        grow(&mut live, &test.params, &test.body);
    }
    loop {
        let mut body = step.body.clone();
        keep(&mut body.results, &live[1..]);
        restrict(&mut body);
        if !grow(&mut live, &step.params, &body) {
            step.body = body;
            break;
        }
    }
    keep(&mut let_.binds, &live);
    keep(&mut step.params, &live);
    keep(args, &live[1..]);
    if let Some(test) = test {
        keep(&mut test.params, &live);
    }
}

/// Adds the parameters that a block reads. Whether there are new ones.
fn grow(live: &mut [bool], params: &[ArrBind<Labelled>], block: &AccBlock<Labelled>) -> bool {
    let free = block.free();
    let mut grown = false;
    for (live, param) in live.iter_mut().zip(params) {
        grown |= !*live && free.contains(&param.name);
        *live |= free.contains(&param.name);
    }
    grown
}

fn keep<T>(items: &mut Vec<T>, which: &[bool]) {
    let mut which = which.iter();
    items.retain(|_| which.next() != Some(&false));
}
