//! Conditionals and gradients.
//!
//! Note \[Speculation\]. A conditional of little, total code becomes selections: both branches run, which
//! vector code does anyway. Before AD this must not change derivatives: where a branch not taken holds
//! `sqrt x`, a selection would add 0 · ∞ to the adjoint of x, and a conditional adds nothing. Therefore a
//! float is only computed by what has bounded partial derivatives whatever its operands; see
//! [`is_speculable`].

use super::Rewriter;
use super::relabel::anonymous;
use crate::algebra::{ScalarCode, consequences};
use crate::analysis::cost;
use crate::prim::{Effort, Prim};
use crate::term::{ExpBind, ExpBlock, ExpId, ExpLet, ExpOp, Labelled, Mode};
use crate::types::ScalarType;
use std::collections::HashMap;

/// Conditionals of at most this many operations, the selections included, become selections; so do all
/// whose branches only name variables and literals.
pub const MAX_SELECT_OPERATIONS: usize = 6;

/// Operations with blocks are compared with one another up to this size.
pub const MAX_COMPARED_OPERATIONS: usize = 64;

/// How deep conjunctions are followed for what is known in a branch.
const MAX_ASSUMPTION_DEPTH: usize = 8;

type Block = ExpBlock<Labelled>;

impl Rewriter<'_> {
    /// The results of a conditional.
    pub(super) fn cond(
        &mut self,
        cond: ExpId,
        mut then_: Block,
        mut else_: Block,
        binds: &[ExpBind<Labelled>],
    ) -> Vec<ExpId> {
        let mut cond = self.name(cond);
        if let Some(positive) = self.unary(cond, Prim::Not) {
            self.counts.fire("cond_not");
            cond = positive;
            std::mem::swap(&mut then_, &mut else_);
        }
        self.cond_on(cond, then_, else_, binds)
    }

    /// The results of a conditional on a new label.
    pub(super) fn cond_on(
        &mut self,
        cond: ExpId,
        then_: Block,
        else_: Block,
        binds: &[ExpBind<Labelled>],
    ) -> Vec<ExpId> {
        if let Some(outcome) = self.constant_of(cond) {
            self.counts.fire("cond_constant");
            let taken = if outcome.is_zero() { else_ } else { then_ };
            self.lets(taken.lets);
            return self.list(&taken.results);
        }
        let (loc, outside) = (self.loc, self.values.len() as u32);
        let then_ = self.assuming(cond, true, then_);
        let else_ = self.assuming(cond, false, else_);
        self.loc = loc;
        match self.speculate(cond, &then_, &else_) {
            Some(results) => results,
            None => self.push_cond(cond, then_, else_, binds, outside),
        }
    }

    /// Pushes a conditional for those columns that differ in the branches.
    fn push_cond(
        &mut self,
        cond: ExpId,
        mut then_: Block,
        mut else_: Block,
        binds: &[ExpBind<Labelled>],
        outside: u32,
    ) -> Vec<ExpId> {
        let columns: Vec<_> = then_
            .results
            .drain(..)
            .zip(else_.results.drain(..))
            .collect();
        let mut results = vec![];
        for &(t, e) in &columns {
            results.push(self.common(t, e, outside));
        }
        let open = |k: &usize| results[*k].is_none();
        let open: Vec<usize> = (0..columns.len()).filter(open).collect();
        then_.results = open.iter().map(|&k| columns[k].0).collect();
        else_.results = open.iter().map(|&k| columns[k].1).collect();
        let types: Vec<_> = open.iter().map(|&k| binds[k].ty).collect();
        let mut computed = vec![];
        if !open.is_empty() {
            computed = self.emit_blocks(ExpOp::Cond { cond, then_, else_ }, &types);
        }
        let mut computed = computed.into_iter();
        let or_next = |known: Option<ExpId>| known.or_else(|| computed.next());
        results.into_iter().filter_map(or_next).collect()
    }

    /// What both branches give, if it can be had outside: labels below `outside`, and constants.
    fn common(&mut self, t: ExpId, e: ExpId, outside: u32) -> Option<ExpId> {
        if t == e && t.0 < outside {
            return self.fired("cond_same", t);
        }
        let literal = |x| self.op_of(x).and_then(ExpOp::as_const);
        let (then_, else_) = (literal(t)?, literal(e)?);
        let common = (then_ == else_).then(|| self.constant(then_))?;
        self.fired("cond_same", common)
    }

    /// Reads a branch, in which `cond` is known.
    fn assuming(&mut self, cond: ExpId, outcome: bool, block: Block) -> Block {
        let mut assumed = vec![];
        self.assume(cond, outcome, MAX_ASSUMPTION_DEPTH, &mut assumed);
        let block = self.nested(block);
        for x in assumed {
            self.known.remove(&x);
        }
        block
    }

    fn assume(&mut self, x: ExpId, outcome: bool, depth: usize, assumed: &mut Vec<ExpId>) {
        if self.known.contains_key(&x) || depth == 0 {
            return;
        }
        self.known.insert(x, outcome);
        assumed.push(x);
        let known = self.prim_of(x).map(|(op, operands)| {
            let known = consequences(op, operands, outcome);
            known.collect::<Vec<_>>()
        });
        for (y, outcome) in known.into_iter().flatten() {
            self.assume(y, outcome, depth - 1, assumed);
        }
    }

    /// Reads a block in a scope of its own.
    fn nested(&mut self, block: Block) -> Block {
        self.scoped(|r| {
            r.lets(block.lets);
            r.list(&block.results)
        })
    }

    /// A block of what is written by `read`, in a scope of its own.
    pub(super) fn scoped(&mut self, read: impl FnOnce(&mut Self) -> Vec<ExpId>) -> Block {
        let marks = (self.available.enter(), self.available_blocks.enter());
        let outer = std::mem::take(&mut self.lets);
        let results = read(self);
        let lets = std::mem::replace(&mut self.lets, outer);
        self.available.leave(marks.0);
        self.available_blocks.leave(marks.1);
        ExpBlock { lets, results }
    }

    /// The results by selections, if the branches are little and total. Note \[Speculation\].
    fn speculate(&mut self, cond: ExpId, then_: &Block, else_: &Block) -> Option<Vec<ExpId>> {
        let selections = then_.results.len();
        let code = self.speculable(then_)? + self.speculable(else_)?;
        if code > 0 && code + selections > MAX_SELECT_OPERATIONS {
            return None;
        }
        self.counts.fire("cond_to_select");
        let (then_, else_) = (self.hoist(then_), self.hoist(else_));
        let columns = then_.into_iter().zip(else_);
        Some(
            columns
                .map(|(t, e)| self.prim(Prim::Select, &[cond, t, e]))
                .collect(),
        )
    }

    /// The number of operations of a block, if all may run unguarded.
    fn speculable(&self, block: &Block) -> Option<usize> {
        let mut operations = 0;
        for ExpLet { binds, op, loc: _ } in &block.lets {
            operations += match op {
                ExpOp::Const(_) => 0,
                ExpOp::Extent { .. } => 1,
                ExpOp::Prim(op, _) if is_speculable(*op, binds[0].ty) => 1,
                ExpOp::Prim(..)
                | ExpOp::Index { .. }
                | ExpOp::Cond { .. }
                | ExpOp::Derivative { .. }
                | ExpOp::WithPartials(_)
                | ExpOp::Loop { .. } => return None,
            };
            if operations > MAX_SELECT_OPERATIONS {
                return None;
            }
        }
        Some(operations)
    }

    /// Pushes the code of a speculable block here and gives its results.
    fn hoist(&mut self, block: &Block) -> Vec<ExpId> {
        let mut moved: HashMap<ExpId, ExpId> = HashMap::new();
        for ExpLet { binds, op, loc: _ } in &block.lets {
            let mut op = op.clone();
            for x in op.operands_mut() {
                *x = moved.get(x).copied().unwrap_or(*x);
            }
            let value = match op {
                ExpOp::Prim(op, operands) => self.prim(op, &operands),
                ExpOp::Const(_)
                | ExpOp::Extent { .. }
                | ExpOp::Index { .. }
                | ExpOp::Cond { .. }
                | ExpOp::Derivative { .. }
                | ExpOp::WithPartials(_)
                | ExpOp::Loop { .. } => self.emit(op, binds[0].ty),
            };
            moved.insert(binds[0].name, value);
        }
        let name = |x: &ExpId| moved.get(x).copied().unwrap_or(*x);
        block.results.iter().map(name).collect()
    }

    /// The results of a derivative. Parameters are variables of their own: never taken for the arguments.
    pub(super) fn derivative(
        &mut self,
        mode: Mode,
        params: &[ExpBind<Labelled>],
        body: Block,
        args: &[ExpId],
        binds: &[ExpBind<Labelled>],
    ) -> Vec<ExpId> {
        let args = self.list(args);
        let params = params.iter().map(|p| self.bind(p)).collect();
        let loc = self.loc;
        let body = self.nested(body);
        self.loc = loc;
        let types: Vec<_> = binds.iter().map(|b| b.ty).collect();
        let op = ExpOp::Derivative {
            mode,
            params,
            body,
            args,
        };
        self.emit_blocks(op, &types)
    }

    /// The values of an operation with blocks: known already, or pushed.
    pub(super) fn emit_blocks(&mut self, op: ExpOp<Labelled>, types: &[ScalarType]) -> Vec<ExpId> {
        let mut blocks = op.blocks().into_iter();
        let small = blocks.all(|inner| cost::is_within(inner.block, MAX_COMPARED_OPERATIONS));
        let key = small.then(|| anonymous(&op));
        if let Some(known) = key.as_ref().and_then(|key| self.available_blocks.get(key)) {
            self.counts.fire("cse");
            return known.clone();
        }
        let binds: Vec<_> = types.iter().map(|&ty| self.fresh(ty, None)).collect();
        let names: Vec<_> = binds.iter().map(|b| b.name).collect();
        if let Some(key) = key {
            self.available_blocks.insert(key, names.clone());
        }
        self.push(binds, op);
        names
    }
}

/// Whether an operation is cheap, and if its result is a float, has bounded partial derivatives.
///
/// Note \[Speculation\] says why; that every primitive is total goes without saying.
fn is_speculable(op: Prim, result: ScalarType) -> bool {
    match op.effort() {
        Effort::Move | Effort::Conversion => true,
        Effort::Simple => op != Prim::Mul || !result.is_float(),
        Effort::Division | Effort::Elementary | Effort::Composed => false,
    }
}
