//! Moves on scalar functions.

use super::super::Case;
use super::Move;
use crate::visit::{each_exp_block, each_fun};
use cotangent_core::constant::Const;
use cotangent_core::term::{ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled, Slot};
use cotangent_core::types::ScalarType;
use std::collections::{BTreeSet, HashMap, HashSet};

/// New names for variables.
type Renaming = HashMap<ExpId, ExpId>;

/// A change of the let at a position, given the types of all variables; says what is called otherwise now.
type Change = fn(&mut ExpBlock<Labelled>, usize, &HashMap<ExpId, ScalarType>) -> Option<Renaming>;

/// The changes, in the order in which they are tried.
const CHANGES: [Change; 5] = [one, then_branch, else_branch, forward, zero];

pub(super) fn moves(case: &Case, moves: &mut Vec<Move>) {
    let mut count = 0;
    each_fun(&mut case.program.body.clone(), &mut |fun| {
        each_exp_block(&mut fun.body, &mut |block| count += block.lets.len());
    });
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
    each_fun(&mut smaller.program.body, &mut |fun| {
        let types = types_in(fun);
        let mut target = None;
        each_exp_block(&mut fun.body, &mut |block| {
            // What a change brings in must not be counted: it is looked for once only.
            let count = block.lets.len();
            if target.is_none() && !changed && (passed..passed + count).contains(&number) {
                target = Some(change(block, number - passed, &types));
            }
            passed += count;
        });
        if let Some(Some(renamed)) = target {
            changed = true;
            rename(&mut fun.body, &renamed);
        }
    });
    changed.then_some(smaller)
}

fn types_in(fun: &Fun<Labelled>) -> HashMap<ExpId, ScalarType> {
    let mut fun = fun.clone();
    let mut types: HashMap<_, _> = fun.params.iter().map(|p| (p.name, p.ty)).collect();
    each_exp_block(&mut fun.body, &mut |block| {
        let binds = block.lets.iter().flat_map(|l| &l.binds);
        types.extend(binds.map(|b| (b.name, b.ty)));
    });
    types
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
        | ExpOp::Gradient { .. } => None,
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
        | ExpOp::Gradient { .. } => None,
    }
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

fn rename(block: &mut ExpBlock<Labelled>, names: &Renaming) {
    let new = |name: &mut ExpId| *name = names.get(name).copied().unwrap_or(*name);
    each_exp_block(block, &mut |block| {
        block.results.iter_mut().for_each(new);
        for let_ in &mut block.lets {
            let_.op.operands_mut().iter_mut().for_each(new);
        }
    });
}

/// Collects the variables that a block refers to.
pub(super) fn used_in(block: &ExpBlock<Labelled>, used: &mut HashSet<ExpId>) {
    used.extend(&block.results);
    for let_ in &block.lets {
        used.extend(let_.op.operands());
        let_.op
            .blocks()
            .iter()
            .for_each(|block| used_in(block, used));
    }
}

/// The slot that an operation names.
fn slot_mut(op: &mut ExpOp<Labelled>) -> Option<&mut Slot> {
    match op {
        ExpOp::Index { array, .. } | ExpOp::Extent { array, .. } => Some(array),
        ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Cond { .. } | ExpOp::Gradient { .. } => None,
    }
}

/// Replaces each slot by that at its place in a list.
pub(super) fn renumber(block: &mut ExpBlock<Labelled>, slots: &[u32]) {
    each_exp_block(block, &mut |block| {
        for slot in block.lets.iter_mut().filter_map(|l| slot_mut(&mut l.op)) {
            *slot = Slot(slots.get(slot.0 as usize).copied().unwrap_or(slot.0));
        }
    });
}

/// Removes captures that no operation names.
pub(super) fn drop_captures(fun: &mut Fun<Labelled>) {
    let mut used = BTreeSet::new();
    each_exp_block(&mut fun.body, &mut |block| {
        used.extend(
            block
                .lets
                .iter_mut()
                .filter_map(|l| slot_mut(&mut l.op).map(|s| s.0)),
        );
    });
    let old = std::mem::take(&mut fun.captures);
    let slots: Vec<_> = (0..old.len() as u32)
        .map(|slot| used.range(..slot).count() as u32)
        .collect();
    let kept = old
        .into_iter()
        .enumerate()
        .filter(|(slot, _)| used.contains(&(*slot as u32)));
    fun.captures = kept.map(|(_, capture)| capture).collect();
    renumber(&mut fun.body, &slots);
}
