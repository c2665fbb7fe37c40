//! Moves on scalar functions.

use super::super::Case;
use super::Move;
use cotangent_core::constant::Const;
use cotangent_core::term::{ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled};
use cotangent_core::types::ScalarType;
use std::collections::HashMap;

/// New names for variables.
type Renaming = HashMap<ExpId, ExpId>;

/// A change of the let at a position, given the types of all variables; says what is called otherwise now.
type Change = fn(&mut ExpBlock<Labelled>, usize, &HashMap<ExpId, ScalarType>) -> Option<Renaming>;

/// The changes, in the order in which they are tried.
const CHANGES: [Change; 7] = [
    one,
    then_branch,
    else_branch,
    no_trip,
    untested,
    forward,
    zero,
];

pub(super) fn moves(case: &Case, moves: &mut Vec<Move>) {
    let mut count = 0;
    for let_ in case.program.body.all_lets() {
        let funs = let_.op.funs().into_iter();
        count += funs.map(|fun| fun.body.all_lets().count()).sum::<usize>();
    }
    for change in CHANGES {
        moves.extend(
            (0..count)
                .rev()
                .map(|i| -> Move { Box::new(move |c| edit(c, i, change)) }),
        );
    }
}

/// Edits the scalar let of that number, counted through all functions.
fn edit(case: &Case, number: usize, change: Change) -> Option<Case> {
    let mut smaller = case.clone();
    let (mut passed, mut changed) = (0, false);
    smaller.program.body.each_fun_mut(&mut |fun| {
        let types = types_in(fun);
        let mut target = None;
        fun.body.each_block_mut(&mut |block| {
            // What a change brings in must not be counted: it is looked for once only.
            let count = block.lets.len();
            if target.is_none() && !changed && (passed..passed + count).contains(&number) {
                target = Some(change(block, number - passed, &types));
            }
            passed += count;
        });
        if let Some(Some(renamed)) = target {
            changed = true;
            fun.body.rename(&|x| renamed.get(&x).copied().unwrap_or(x));
        }
    });
    changed.then_some(smaller)
}

fn types_in(fun: &Fun<Labelled>) -> HashMap<ExpId, ScalarType> {
    let bound = fun.params.iter().chain(fun.body.bindings());
    bound.map(|b| (b.name, b.ty)).collect()
}

/// Replaces an operation by literals 1.
fn one(
    block: &mut ExpBlock<Labelled>,
    position: usize,
    _: &HashMap<ExpId, ScalarType>,
) -> Option<Renaming> {
    literal(block, position, 1)
}

/// Replaces an operation by literals 0.
fn zero(
    block: &mut ExpBlock<Labelled>,
    position: usize,
    _: &HashMap<ExpId, ScalarType>,
) -> Option<Renaming> {
    literal(block, position, 0)
}

fn literal(block: &mut ExpBlock<Labelled>, position: usize, value: i32) -> Option<Renaming> {
    let ExpLet { binds, op, loc } = block.lets[position].clone();
    let simple = |c: Const| c.is_zero() || (c.is_one() && value != 0);
    if matches!(&op, ExpOp::Const(c) if simple(*c)) {
        return None;
    }
    let lets = binds.into_iter().map(|bind| ExpLet {
        op: ExpOp::Const(Const::small(bind.ty, value)),
        binds: vec![bind],
        loc,
    });
    block.lets.splice(position..=position, lets);
    Some(Renaming::new())
}

fn then_branch(
    block: &mut ExpBlock<Labelled>,
    position: usize,
    _: &HashMap<ExpId, ScalarType>,
) -> Option<Renaming> {
    match block.lets[position].op.clone() {
        ExpOp::Cond { then_, .. } => Some(splice(block, position, then_)),
        ExpOp::Const(_)
        | ExpOp::Prim(..)
        | ExpOp::Index { .. }
        | ExpOp::Extent { .. }
        | ExpOp::Derivative { .. }
        | ExpOp::WithPartials(_)
        | ExpOp::Loop { .. } => None,
    }
}

fn else_branch(
    block: &mut ExpBlock<Labelled>,
    position: usize,
    _: &HashMap<ExpId, ScalarType>,
) -> Option<Renaming> {
    match block.lets[position].op.clone() {
        ExpOp::Cond { else_, .. } => Some(splice(block, position, else_)),
        ExpOp::Const(_)
        | ExpOp::Prim(..)
        | ExpOp::Index { .. }
        | ExpOp::Extent { .. }
        | ExpOp::Derivative { .. }
        | ExpOp::WithPartials(_)
        | ExpOp::Loop { .. } => None,
    }
}

/// The state that a loop begins with.
fn no_trip(
    block: &mut ExpBlock<Labelled>,
    position: usize,
    _: &HashMap<ExpId, ScalarType>,
) -> Option<Renaming> {
    match block.lets[position].op.clone() {
        ExpOp::Loop { args, .. } => {
            let names = block.lets[position].binds.iter().map(|b| b.name);
            let renamed = names.zip(args).collect();
            block.lets.remove(position);
            Some(renamed)
        }
        ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Index { .. } => None,
        ExpOp::Extent { .. }
        | ExpOp::Cond { .. }
        | ExpOp::Derivative { .. }
        | ExpOp::WithPartials(_) => None,
    }
}

/// A loop of one trip without a test.
fn untested(
    block: &mut ExpBlock<Labelled>,
    position: usize,
    _: &HashMap<ExpId, ScalarType>,
) -> Option<Renaming> {
    let trips = block.lets[..position].iter().rev().find(|l| is_one(l))?;
    let one = trips.binds[0].name;
    match &mut block.lets[position].op {
        ExpOp::Loop { test, args, .. } if test.is_some() || args[0] != one => {
            *test = None;
            args[0] = one;
            Some(Renaming::new())
        }
        ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Index { .. } | ExpOp::Loop { .. } => None,
        ExpOp::Extent { .. }
        | ExpOp::Cond { .. }
        | ExpOp::Derivative { .. }
        | ExpOp::WithPartials(_) => None,
    }
}

fn is_one(let_: &ExpLet<Labelled>) -> bool {
    let_.op.as_const() == Some(Const::I32(1))
}

/// Puts a block in the place of the let that holds it.
fn splice(block: &mut ExpBlock<Labelled>, position: usize, chosen: ExpBlock<Labelled>) -> Renaming {
    let names = block.lets[position].binds.iter().map(|b| b.name);
    let renamed = names.zip(chosen.results).collect();
    block.lets.splice(position..=position, chosen.lets);
    renamed
}

/// Puts an operand of the same type in the place of a result.
fn forward(
    block: &mut ExpBlock<Labelled>,
    position: usize,
    types: &HashMap<ExpId, ScalarType>,
) -> Option<Renaming> {
    let ExpLet { binds, op, loc: _ } = &block.lets[position];
    let [bind] = binds.as_slice() else {
        return None;
    };
    let operand = op
        .operands()
        .iter()
        .find(|x| types.get(x) == Some(&bind.ty))?;
    let renamed = Renaming::from([(bind.name, *operand)]);
    block.lets.remove(position);
    Some(renamed)
}
