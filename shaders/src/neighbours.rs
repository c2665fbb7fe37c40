//! Which points read what is next to each other in memory.
//!
//! Invocations that run at the same time should: the device fetches neighbours at once. The last index of a load says
//! it, where it depends on one of two coordinates by arithmetic alone.

use cotangent_core::schedule::{Body, Load, Op, ValueId};
use std::cmp::Ordering;

/// What is next to what in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// Elements of neighbouring rows.
    Rows,
    /// Neighbours in a row.
    Elements,
    /// Nothing is known.
    Unknown,
}

/// What is next to what, by most of the loads that `roots` need: along the axis of rows, or along that within a row.
pub(crate) fn of(
    body: &Body,
    roots: &[ValueId],
    rows: Option<usize>,
    within: Option<usize>,
) -> Neighbours {
    let depends = |v, axis: Option<usize>| axis.is_some_and(|axis| depends(body, v, axis as u32));
    let votes = loads(body, roots).filter_map(|load| load.index.last());
    let votes = votes.map(|&v| i32::from(depends(v, rows)) - i32::from(depends(v, within)));
    match votes.sum::<i32>().cmp(&0) {
        Ordering::Greater => Neighbours::Rows,
        Ordering::Less => Neighbours::Elements,
        Ordering::Equal => Neighbours::Unknown,
    }
}

/// The axis along which most of the loads that `roots` need read what is next to each other, of those that jump along the
/// last of `rank` axes; none if no load does.
pub(crate) fn across(body: &Body, roots: &[ValueId], rank: usize) -> Option<usize> {
    let last = rank.checked_sub(1)?;
    let along = |v: &ValueId, axis: usize| depends(body, *v, axis as u32);
    let indices = loads(body, roots).filter_map(|load| load.index.split_last());
    let jumps = indices
        .filter(|(inner, outer)| !along(inner, last) && outer.iter().any(|v| along(v, last)));
    let inner: Vec<_> = jumps.map(|(inner, _)| inner).collect();
    let votes = |&axis: &usize| inner.iter().filter(|v| along(v, axis)).count();
    (0..last).max_by_key(votes).filter(|axis| votes(axis) > 0)
}

/// The loads that `roots` need.
fn loads<'a>(body: &'a Body, roots: &[ValueId]) -> impl Iterator<Item = &'a Load> {
    let needed = body.needed(roots);
    needed.filter_map(|(_, inst)| inst.op.as_load())
}

/// Whether a value depends on a coordinate by arithmetic alone.
fn depends(body: &Body, value: ValueId, axis: u32) -> bool {
    let mut needed = vec![false; value.index() + 1];
    needed[value.index()] = true;
    for at in (0..=value.index()).rev() {
        if !needed[at] {
            continue;
        }
        match body.op(ValueId(at as u32)) {
            Op::Coord(coord) if *coord == axis => return true,
            Op::Prim(_, operands) => operands.iter().for_each(|v| needed[v.index()] = true),
            Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) => {}
            Op::Load(_) | Op::Loop(_) | Op::Out(..) => {}
        }
    }
    false
}

#[cfg(test)]
mod tests;
