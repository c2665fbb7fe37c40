//! Which points read what is next to each other in memory.
//!
//! Invocations that run at the same time should: the device fetches neighbours at once. The last index of a load says
//! it, where it depends on one of two coordinates by arithmetic alone.

use cotangent_core::schedule::{Body, Op, ValueId};
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
    let needed = body.reachable(roots);
    let insts = body.insts.iter().zip(needed).filter(|(_, n)| *n);
    let votes = insts.filter_map(|(inst, _)| match &inst.op {
        Op::Load(load) => load.index.last(),
        Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) | Op::Prim(..) => None,
    });
    let depends = |v, axis: Option<usize>| axis.is_some_and(|axis| depends(body, v, axis as u32));
    let votes = votes.map(|&v| i32::from(depends(v, rows)) - i32::from(depends(v, within)));
    match votes.sum::<i32>().cmp(&0) {
        Ordering::Greater => Neighbours::Rows,
        Ordering::Less => Neighbours::Elements,
        Ordering::Equal => Neighbours::Unknown,
    }
}

/// Whether a value depends on a coordinate by arithmetic alone.
fn depends(body: &Body, value: ValueId, axis: u32) -> bool {
    let mut needed = vec![false; value.index() + 1];
    needed[value.index()] = true;
    for at in (0..=value.index()).rev() {
        if !needed[at] {
            continue;
        }
        match &body.insts[at].op {
            Op::Coord(coord) if *coord == axis => return true,
            Op::Prim(_, operands) => operands.iter().for_each(|v| needed[v.index()] = true),
            Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) | Op::Load(_) => {}
        }
    }
    false
}
