//! Folds of segments: what their bounds are.

use super::drive::out_of_range;
use super::{ArrayId, Body, KernelKind, Load, Op, ValueId};
use crate::backend::{RunError, Site};
use crate::constant::Const;
use crate::prim::Prim;
use std::ops::Range;

/// The positions of a segment with these bounds, in a row of `n` elements; none where it goes on beyond them.
pub fn segment([start, end]: [i32; 2], n: i64) -> Option<Range<i32>> {
    let fits = start <= end && i64::from(end) <= n;
    (start == end || fits).then_some(start..end)
}

/// The error of such a segment, at a point of the kernel's space.
pub fn too_long(
    site: Site,
    (point, space): (&[i32], &[i64]),
    [_, end]: [i32; 2],
    n: i64,
) -> RunError {
    let (mut index, mut extents) = (point.to_vec(), space.to_vec());
    if let (Some(last), Some(inner)) = (index.last_mut(), extents.last_mut()) {
        (*last, *inner) = (end.wrapping_sub(1), n);
    }
    out_of_range(site, &index, &extents)
}

impl KernelKind {
    /// The vector of starts, given the number of dimensions of the space; none for kernels that fold no segments.
    pub fn starts(&self, rank: usize) -> Option<ArrayId> {
        let Self::Segments { body, bounds, .. } = self else {
            return None;
        };
        starts(body, *bounds, u32::try_from(rank.checked_sub(1)?).ok()?)
    }
}

/// The vector of which two bounds are the elements at a coordinate and at the next, if there is one.
fn starts(body: &Body, bounds: [ValueId; 2], segment: u32) -> Option<ArrayId> {
    let [(start, at), (end, next)] = [element(body, bounds[0])?, element(body, bounds[1])?];
    let is_coord = |v: ValueId| *body.op(v) == Op::Coord(segment);
    let is_one = |v: ValueId| *body.op(v) == Op::Const(Const::I32(1));
    let is_next = match body.op(next) {
        Op::Prim(Prim::Add, operands) => match operands[..] {
            [x, y] => (is_coord(x) && is_one(y)) || (is_one(x) && is_coord(y)),
            [..] => false,
        },
        Op::Prim(..) | Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) => false,
        Op::Load(_) | Op::Loop(_) | Op::Out(..) => false,
    };
    (start == end && is_coord(at) && is_next).then_some(start)
}

/// The vector and the position that a value is read from, whatever holds.
fn element(body: &Body, value: ValueId) -> Option<(ArrayId, ValueId)> {
    let Load {
        array,
        index,
        guard: None,
        site: _,
    } = body.get(value)?.op.as_load()?
    else {
        return None;
    };
    let &[at] = &index[..] else { return None };
    Some((*array, at))
}
