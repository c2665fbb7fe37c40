//! Loops out of conditionals: `cond c {A; loop; B} else {E}` becomes `cond c {A} else {zeros}; loop; cond c {B} else {E}`,
//! whose loop makes no trips where `c` does not hold.

use crate::exp::{LoopsToLift, builder_beside};
use crate::rename::{ExpMap, renaming};
use cotangent_core::build::FunBuilder;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{ExpBind, ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled};
use std::collections::BTreeSet;

/// The same function, whose first loop to be lifted is in no branch if the let at `at` has it in one.
pub(super) fn unbranch(mut f: Fun<Labelled>, at: usize, loops: &LoopsToLift) -> Fun<Labelled> {
    let mut b = builder_beside(&f);
    unbranch_at(&mut b, &mut f.body, at, loops);
    f
}

/// Takes the first loop out of the conditional at `at`, if it is one; gives the position of the loop.
fn unbranch_at(
    b: &mut FunBuilder,
    block: &mut ExpBlock<Labelled>,
    at: usize,
    loops: &LoopsToLift,
) -> usize {
    let ExpLet { binds, op, loc } = block.lets[at].clone();
    let ExpOp::Cond { cond, then_, else_ } = op else {
        return at;
    };
    b.set_loc(loc);
    let is_then = loops.position(&then_).is_some();
    let (mut taken, other) = if is_then {
        (then_, else_)
    } else {
        (else_, then_)
    };
    let Some(inside) = loops.position(&taken) else {
        return at;
    };
    let inside = unbranch_at(b, &mut taken, inside, loops);
    let mut rest = taken.lets.split_off(inside);
    let mut loop_ = rest.remove(0);
    let branches = Branches { cond, is_then };
    let mut names = ExpMap::new();
    b.open();
    let mut needed = reads(&loop_);
    needed.extend(rest.iter().flat_map(reads));
    needed.extend(&taken.results);
    branches.before(b, (&taken.lets, &needed), &mut names);
    rename(&mut loop_, &names);
    branches.only_where_taken(b, &mut loop_);
    let mut lets = b.close(vec![]).lets;
    lets.push(loop_);
    let mut after = ExpBlock {
        lets: rest,
        results: taken.results,
    };
    after.rename(&renaming(&names));
    lets.push(ExpLet {
        binds,
        op: branches.cond(after, other),
        loc,
    });
    let position = at + lets.len() - 2;
    block.lets.splice(at..=at, lets);
    position
}

/// A conditional whose branch with a loop is the first one, or not.
struct Branches {
    cond: ExpId,
    is_then: bool,
}

impl Branches {
    fn cond(&self, taken: ExpBlock<Labelled>, other: ExpBlock<Labelled>) -> ExpOp<Labelled> {
        let cond = self.cond;
        let (then_, else_) = if self.is_then {
            (taken, other)
        } else {
            (other, taken)
        };
        ExpOp::Cond { cond, then_, else_ }
    }

    /// Pushes the conditional of the code before the loop, and notes what its results are called outside.
    fn before(
        &self,
        b: &mut FunBuilder,
        (lets, needed): (&[ExpLet<Labelled>], &BTreeSet<ExpId>),
        names: &mut ExpMap,
    ) {
        let bound = lets.iter().flat_map(|let_| &let_.binds);
        let exported: Vec<&ExpBind<Labelled>> =
            bound.filter(|bind| needed.contains(&bind.name)).collect();
        if exported.is_empty() {
            return;
        }
        let taken = ExpBlock {
            lets: lets.to_vec(),
            results: exported.iter().map(|bind| bind.name).collect(),
        };
        let zeros = |b: &mut FunBuilder| {
            let zeros = exported.iter().map(|bind| b.constant(Const::zero(bind.ty)));
            zeros.collect()
        };
        let other = b.block(zeros);
        let types: Vec<_> = exported.iter().map(|bind| bind.ty).collect();
        let outside = b.push(self.cond(taken, other), &types);
        names.extend(exported.iter().map(|bind| bind.name).zip(outside));
    }

    /// Makes a loop make no trips where the branch is not taken.
    fn only_where_taken(&self, b: &mut FunBuilder, loop_: &mut ExpLet<Labelled>) {
        if let ExpOp::Loop { args, .. } = &mut loop_.op {
            let none = b.constant(0);
            let (then_, else_) = if self.is_then {
                (args[0], none)
            } else {
                (none, args[0])
            };
            args[0] = b.prim(Prim::Select, &[self.cond, then_, else_]);
        }
    }
}

/// What a let reads, its blocks included.
fn reads(let_: &ExpLet<Labelled>) -> BTreeSet<ExpId> {
    let inside = let_.op.blocks().into_iter();
    let inside = inside.flat_map(|inner| inner.block.reads());
    let own = let_.op.operands().iter().copied();
    own.chain(inside).collect()
}

fn rename(let_: &mut ExpLet<Labelled>, names: &ExpMap) {
    let new = renaming(names);
    let operands = let_.op.operands_mut().iter_mut();
    operands.for_each(|x| *x = new(*x));
    for inner in let_.op.blocks_mut() {
        inner.block.rename(&new);
    }
}
