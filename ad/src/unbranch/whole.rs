//! Branches that make an array as a whole beside branches that update it.
//!
//! `acond(c, v.map(f), v.set(i, x))` makes all of `v` new now and then. What the first branch does becomes a loop of one trip, which
//! leaves its conditional as any loop of updates does. So the way back keeps all of the array for the trips that take the first branch,
//! and for the others what they overwrite.
//!
//! Arrays that change places in a branch, `acond(c, (b, a), (a, b))`, do so in such a loop, too: that is undone, and none of them kept.

use super::chain;
use cotangent_core::analysis::shape::Shapes;
use cotangent_core::build::{AccBuilder, Arr};
use cotangent_core::term::{AccBlock, AccClosure, AccLet, AccOp, ArrId, Fun, Labelled, States};
use cotangent_core::types::{ArrayType, ScalarType};
use std::collections::{HashMap, HashSet};

/// An array that a branch makes as a whole.
struct New {
    /// The result of the branch.
    column: usize,
    /// What the other branch updates.
    from: Arr,
}

/// A conditional in which what branches make as a whole is the work of a loop of one trip, where the other branch updates it.
pub(super) fn with_loops(
    b: &mut AccBuilder,
    shapes: &mut Shapes,
    (let_, carried): (&AccLet<Labelled>, &HashSet<ArrId>),
) -> Option<AccLet<Labelled>> {
    let AccOp::Cond { cond, then_, else_ } = &let_.op else {
        return None;
    };
    b.set_loc(let_.loc);
    let (mut then_, mut else_) = (then_.clone(), else_.clone());
    let columns = (&let_.binds[..], carried);
    let in_then = as_loop(b, shapes, (&mut then_, &else_), columns);
    let in_else = as_loop(b, shapes, (&mut else_, &then_), columns);
    let (binds, cond) = (let_.binds.clone(), cond.clone());
    let op = AccOp::Cond { cond, then_, else_ };
    let loc = let_.loc;
    (in_then || in_else).then_some(AccLet { binds, op, loc })
}

/// Does so with one branch. Whether there is anything to be done.
fn as_loop(
    b: &mut AccBuilder,
    shapes: &mut Shapes,
    (own, other): (&mut AccBlock<Labelled>, &AccBlock<Labelled>),
    (binds, carried): (&[Arr], &HashSet<ArrId>),
) -> bool {
    let columns = binds.iter().enumerate();
    let new = columns.filter_map(|(column, bind)| {
        let (from, updates) = chain(other, other.results[column])?;
        let result = own.results[column];
        let is_updated = chain(own, result).is_some_and(|(start, _)| start == from);
        let is_whole = !is_updated && bind.ty.rank > 0 && shapes.same(result, from);
        let is_due = !updates.is_empty() || goes_round((own, other), column);
        let from = Arr::new(from, bind.ty);
        (is_whole && carried.contains(&from.name) && is_due).then_some(New { column, from })
    });
    let new: Vec<New> = new.collect();
    let from: HashSet<ArrId> = new.iter().map(|array| array.from.name).collect();
    if new.is_empty() || from.len() < new.len() {
        return false;
    }
    let cone = needed_by(own, new.iter().map(|array| own.results[array.column]));
    let made = one_trip(b, (own, &cone), &new);
    for (array, made) in new.iter().zip(&made.binds[1..]) {
        own.results[array.column] = made.name;
    }
    own.lets.push(made);
    let others = others(own, &cone);
    own.lets
        .retain(|let_| !is_bound(let_, &cone) || is_bound(let_, &others));
    own.lets.iter().for_each(|let_| shapes.let_(let_));
    true
}

/// Whether a branch makes a column of one that it makes of another, and so on, of the column: of what the other branch starts from.
fn goes_round((own, other): (&AccBlock<Labelled>, &AccBlock<Labelled>), column: usize) -> bool {
    let starts = |branch: &AccBlock<Labelled>, column: usize| {
        chain(branch, branch.results[column]).map(|(start, _)| start)
    };
    let columns = 0..own.results.len();
    let next = |&column: &usize| {
        let start = starts(own, column)?;
        columns
            .clone()
            .find(|&column| starts(other, column) == Some(start))
    };
    let way = std::iter::successors(next(&column), next);
    way.take(own.results.len()).any(|at| at == column)
}

/// The loop of one trip that makes arrays as a branch does.
fn one_trip(
    b: &mut AccBuilder,
    (own, cone): (&AccBlock<Labelled>, &HashSet<ArrId>),
    new: &[New],
) -> AccLet<Labelled> {
    let number = ArrayType::new(ScalarType::I32, 0);
    let mut names = HashMap::new();
    let mut params = vec![b.fresh(number)];
    let mut binds = vec![b.fresh(number)];
    for array in new {
        let before = b.fresh(array.from.ty);
        names.insert(array.from.name, before.name);
        params.push(before);
        binds.push(b.fresh(array.from.ty));
    }
    let lets = own.lets.iter().filter(|let_| is_bound(let_, cone));
    let body = AccBlock {
        lets: lets.cloned().collect(),
        results: new.iter().map(|array| own.results[array.column]).collect(),
    };
    let body = b.copied(&body, &mut names);
    let op = AccOp::Loop {
        trips: Fun::constants(&[1.into()]),
        test: None,
        step: AccClosure { params, body },
        states: States::Stored,
        args: new.iter().map(|array| array.from.name).collect(),
    };
    let loc = b.loc();
    AccLet { binds, op, loc }
}

/// The arrays that some results of a block depend on, and these.
fn needed_by(block: &AccBlock<Labelled>, results: impl Iterator<Item = ArrId>) -> HashSet<ArrId> {
    let mut needed: HashSet<ArrId> = results.collect();
    for let_ in block.lets.iter().rev() {
        if is_bound(let_, &needed) {
            needed.extend(let_.op.free());
        }
    }
    needed
}

/// What the results of a block and its code outside of a cone depend on.
fn others(block: &AccBlock<Labelled>, cone: &HashSet<ArrId>) -> HashSet<ArrId> {
    let outside = block.lets.iter().filter(|let_| !is_bound(let_, cone));
    let read = outside.flat_map(|let_| let_.op.free());
    needed_by(block, block.results.iter().copied().chain(read))
}

fn is_bound(let_: &AccLet<Labelled>, arrays: &HashSet<ArrId>) -> bool {
    let_.binds.iter().any(|bind| arrays.contains(&bind.name))
}
