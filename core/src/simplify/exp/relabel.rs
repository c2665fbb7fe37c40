//! New labels in order of binding, so that code equal up to names becomes equal.

use crate::loc::Loc;
use crate::term::{ExpBind, ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled};
use std::collections::HashMap;

/// First of the labels that stand for variables bound inside an anonymous operation.
const ANONYMOUS: u32 = 1 << 31;

/// The operation with labels of its own for what it binds, and without locations: equal for operations
/// that do the same.
pub fn anonymous(op: &ExpOp<Labelled>) -> ExpOp<Labelled> {
    let mut relabel = Relabel::from(ANONYMOUS);
    relabel.forget_locations = true;
    let mut op = op.clone();
    relabel.op(&mut op);
    op
}

/// The function in the same way; its labels count from 0.
pub fn anonymous_fun(fun: &Fun<Labelled>) -> Fun<Labelled> {
    let mut relabel = Relabel::from(0);
    relabel.forget_locations = true;
    let mut fun = fun.clone();
    relabel.fun(&mut fun);
    fun
}

/// Gives out labels and replaces the old ones.
pub(super) struct Relabel {
    names: HashMap<ExpId, ExpId>,
    /// Old labels that stand for other old labels.
    pub(super) arguments: HashMap<ExpId, ExpId>,
    next: u32,
    forget_locations: bool,
}

impl Relabel {
    /// Labels from `first` on.
    pub(super) fn from(first: u32) -> Self {
        Self {
            names: HashMap::new(),
            arguments: HashMap::new(),
            next: first,
            forget_locations: false,
        }
    }

    pub(super) fn fun(&mut self, fun: &mut Fun<Labelled>) {
        let Fun {
            captures: _,
            params,
            body,
        } = fun;
        self.bind(params);
        self.block(body);
    }

    fn bind(&mut self, binds: &mut [ExpBind<Labelled>]) {
        for ExpBind { name, ty: _ } in binds {
            let new = ExpId(self.next);
            self.next += 1;
            self.names.insert(*name, new);
            *name = new;
        }
    }

    fn block(&mut self, block: &mut ExpBlock<Labelled>) {
        let ExpBlock { lets, results } = block;
        for ExpLet { binds, op, loc } in lets {
            self.op(op);
            self.bind(binds);
            if self.forget_locations {
                *loc = Loc::UNKNOWN;
            }
        }
        self.uses(results);
    }

    fn uses(&self, xs: &mut [ExpId]) {
        for x in xs {
            while let Some(&argument) = self.arguments.get(x) {
                *x = argument;
            }
            *x = self.names.get(x).copied().unwrap_or(*x);
        }
    }

    fn op(&mut self, op: &mut ExpOp<Labelled>) {
        self.uses(op.operands_mut());
        for inner in op.blocks_mut() {
            self.bind(inner.binds);
            self.block(inner.block);
        }
    }
}
