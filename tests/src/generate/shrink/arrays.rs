//! Moves on array code.

use super::super::Case;
use super::Move;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::interp;
use cotangent_core::term::{AccBlock, AccLet, AccOp, ArrId, Fun, Labelled, States};
use cotangent_core::types::ArrayType;
use cotangent_core::types::ScalarType::I32;
use std::collections::HashMap;

pub(super) fn moves(case: &Case, moves: &mut Vec<Move>) {
    let results = case.program.body.results.len();
    if results > 1 {
        moves.extend((0..results).map(|i| -> Move { Box::new(move |c| only_result(c, i)) }));
        moves.extend((0..results).map(|i| -> Move { Box::new(move |c| without_result(c, i)) }));
    }
    let lets = case.program.body.lets.len();
    // From the middle outwards would be fewer steps; but cutting late lets removes most at once.
    moves.extend(
        (0..lets)
            .rev()
            .map(|i| -> Move { Box::new(move |c| cut(c, i)) }),
    );
    let inner = case.program.body.all_lets().count();
    moves.extend((0..inner).map(|i| -> Move { Box::new(move |c| branch(c, i, 0)) }));
    moves.extend((0..inner).map(|i| -> Move { Box::new(move |c| branch(c, i, 1)) }));
    moves.extend((0..inner).map(|i| -> Move { Box::new(move |c| no_trip(c, i)) }));
    moves.extend((0..inner).map(|i| -> Move { Box::new(move |c| one_trip(c, i)) }));
    moves.extend((0..inner).map(|i| -> Move { Box::new(move |c| stored(c, i)) }));
    moves.extend((0..inner).map(|i| -> Move { Box::new(move |c| filled(c, i)) }));
    moves.extend((0..inner).map(|i| -> Move { Box::new(move |c| forwarded(c, i)) }));
}

fn only_result(case: &Case, position: usize) -> Option<Case> {
    let mut smaller = case.clone();
    smaller.program.body.results = vec![case.program.body.results[position]];
    Some(smaller)
}

fn without_result(case: &Case, position: usize) -> Option<Case> {
    let mut smaller = case.clone();
    smaller.program.body.results.remove(position);
    Some(smaller)
}

/// Replaces what a let binds by parameters with the values that it has.
fn cut(case: &Case, position: usize) -> Option<Case> {
    let let_ = case.program.body.lets.get(position)?;
    let mut prefix = case.program.clone();
    prefix.body.lets.truncate(position + 1);
    prefix.body.results = let_.binds.iter().map(|b| b.name).collect();
    let values = interp::run(&prefix, &case.inputs).ok()?;
    let mut smaller = case.clone();
    smaller.program.body.lets.remove(position);
    smaller.program.params.extend(let_.binds.iter().cloned());
    smaller.inputs.extend(values);
    Some(smaller)
}

/// Edits the let of that number, counted through all blocks.
fn edit(
    case: &Case,
    number: usize,
    change: impl Fn(&mut AccBlock<Labelled>, usize) -> Option<()>,
) -> Option<Case> {
    let mut smaller = case.clone();
    let (mut passed, mut changed) = (0, None);
    smaller.program.body.each_block_mut(&mut |block| {
        let count = block.lets.len();
        if (passed..passed + count).contains(&number) && changed.is_none() {
            changed = Some(change(block, number - passed));
        }
        passed += count;
    });
    changed??;
    Some(smaller)
}

/// Puts one branch in the place of a conditional.
fn branch(case: &Case, number: usize, which: usize) -> Option<Case> {
    edit(case, number, |block, position| {
        let AccOp::Cond { then_, else_, .. } = &block.lets[position].op else {
            return None;
        };
        let chosen = if which == 0 { then_ } else { else_ }.clone();
        let names = block.lets[position].binds.iter().map(|b| b.name);
        let renamed: HashMap<_, _> = names.zip(chosen.results.iter().copied()).collect();
        block.lets.splice(position..=position, chosen.lets);
        rename(block, &renamed);
        Some(())
    })
}

/// Puts the state that a loop begins with in the place of the last one.
fn no_trip(case: &Case, number: usize) -> Option<Case> {
    edit(case, number, |block, position| {
        let AccLet { binds, op, loc } = block.lets[position].clone();
        let AccOp::Loop { args, .. } = op else {
            return None;
        };
        let (trips, state) = binds.split_first()?;
        let names = state.iter().map(|b| b.name).zip(args);
        let renamed: HashMap<_, _> = names.collect();
        block.lets[position] = AccLet {
            op: ones(trips.ty),
            binds: vec![trips.clone()],
            loc,
        };
        rename(block, &renamed);
        Some(())
    })
}

/// Has a loop make one trip, or none as its test says.
fn one_trip(case: &Case, number: usize) -> Option<Case> {
    edit(case, number, |block, position| {
        let AccOp::Loop { trips, .. } = &mut block.lets[position].op else {
            return None;
        };
        // What is no more than that already may be 0, which is simpler.
        let most = trips.body.lets.first().and_then(|let_| let_.op.as_const());
        let changes = most.is_none_or(|most| most != Const::I32(0) && most != Const::I32(1));
        *trips = Fun::constants(&[Const::I32(1)]);
        changes.then_some(())
    })
}

/// Has the derivative of a loop store its states.
fn stored(case: &Case, number: usize) -> Option<Case> {
    edit(case, number, |block, position| {
        let AccOp::Loop { states, .. } = &mut block.lets[position].op else {
            return None;
        };
        let changes = *states != States::Stored;
        *states = States::Stored;
        changes.then_some(())
    })
}

/// Replaces an operation by arrays of ones.
fn filled(case: &Case, number: usize) -> Option<Case> {
    edit(case, number, |block, position| {
        let AccLet { binds, op, loc } = block.lets[position].clone();
        if is_filling(&op) || binds.is_empty() {
            return None;
        }
        let lets = binds.into_iter().map(|bind| AccLet {
            op: ones(bind.ty),
            binds: vec![bind],
            loc,
        });
        block.lets.splice(position..=position, lets);
        Some(())
    })
}

fn is_filling(op: &AccOp<Labelled>) -> bool {
    matches!(op, AccOp::Generate { shape, f } if shape.captures.is_empty() && f.body.lets.len() == 1)
}

/// An array of a single 1.
fn ones(ty: ArrayType) -> AccOp<Labelled> {
    let mut f = FunBuilder::new();
    f.params(&vec![I32; ty.rank]);
    let one = f.constant(Const::small(ty.elem, 1));
    AccOp::Generate {
        shape: Fun::constants(&vec![Const::I32(1); ty.rank]),
        f: f.finish(vec![one]),
    }
}

/// Puts an argument of the same type in the place of a result.
fn forwarded(case: &Case, number: usize) -> Option<Case> {
    let types = types(case);
    edit(case, number, |block, position| {
        let AccLet { binds, op, .. } = &block.lets[position];
        let [bind] = binds.as_slice() else {
            return None;
        };
        let argument = op
            .arguments()
            .into_iter()
            .find(|a| types.get(a) == Some(&bind.ty))?;
        let renamed = HashMap::from([(bind.name, argument)]);
        block.lets.remove(position);
        rename(block, &renamed);
        Some(())
    })
}

fn types(case: &Case) -> HashMap<ArrId, ArrayType> {
    let bound = case
        .program
        .params
        .iter()
        .chain(case.program.body.bindings());
    bound.map(|b: &Arr| (b.name, b.ty)).collect()
}

/// Replaces uses of arrays.
fn rename(block: &mut AccBlock<Labelled>, names: &HashMap<ArrId, ArrId>) {
    block.rename(&|array| names.get(&array).copied().unwrap_or(array));
}

/// An array of that shape with the elements at the positions given.
pub(super) fn selected(
    array: &HostArray,
    shape: Vec<usize>,
    positions: impl Iterator<Item = usize>,
) -> Option<HostArray> {
    let elements: Option<Vec<_>> = positions.map(|i| array.column().get(i)).collect();
    let column = Column::from_consts(array.array_type().elem, elements?)?;
    HostArray::new(shape, column).ok()
}
