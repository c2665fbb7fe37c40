//! Moves on extents and elements of inputs and host arrays.

use super::super::Case;
use super::Move;
use super::arrays::selected;
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::integer_const;
use cotangent_core::prim::Prim;
use cotangent_core::types::ScalarType;
use std::collections::BTreeSet;

/// Smaller extents.
pub(super) fn moves(case: &Case, moves: &mut Vec<Move>) {
    let extents: BTreeSet<usize> = case
        .inputs
        .iter()
        .chain(&case.program.uses)
        .flat_map(|a| a.shape().iter().copied())
        .collect();
    for &extent in extents.iter().rev() {
        for smaller in [1, extent / 2, extent.saturating_sub(1)] {
            if smaller < extent {
                moves.push(Box::new(move |c| {
                    everywhere(c, |a| resized(a, None, extent, smaller))
                }));
                for position in 0..case.inputs.len() {
                    moves.push(Box::new(move |c| {
                        at(c, position, |a| resized(a, None, extent, smaller))
                    }));
                    moves.push(Box::new(move |c| {
                        at(c, position, |a| resized(a, Some(0), extent, smaller))
                    }));
                }
            }
        }
    }
}

/// Simpler elements.
pub(super) fn late_moves(case: &Case, moves: &mut Vec<Move>) {
    for value in [0, 1] {
        for position in 0..case.inputs.len() {
            moves.push(Box::new(move |c| at(c, position, |a| all(a, value))));
        }
    }
    for (position, input) in case.inputs.iter().enumerate() {
        for element in 0..input.column().len().min(40) {
            moves.push(Box::new(move |c| at(c, position, |a| simpler(a, element))));
        }
    }
}

fn everywhere(case: &Case, change: impl Fn(&HostArray) -> Option<HostArray>) -> Option<Case> {
    let mut smaller = case.clone();
    for array in smaller.inputs.iter_mut().chain(&mut smaller.program.uses) {
        if let Some(changed) = change(array) {
            *array = changed;
        }
    }
    Some(smaller)
}

fn at(
    case: &Case,
    position: usize,
    change: impl Fn(&HostArray) -> Option<HostArray>,
) -> Option<Case> {
    let mut smaller = case.clone();
    smaller.inputs[position] = change(&case.inputs[position])?;
    Some(smaller)
}

/// The first elements along the dimensions of the given extent (or along one of them).
fn resized(
    array: &HostArray,
    axis: Option<usize>,
    extent: usize,
    smaller: usize,
) -> Option<HostArray> {
    let old = array.shape();
    let shrinks = |i: usize| old[i] == extent && axis.is_none_or(|axis| axis == i);
    let shape: Vec<_> = (0..old.len())
        .map(|i| if shrinks(i) { smaller } else { old[i] })
        .collect();
    if shape == old {
        return None;
    }
    let positions = (0..array.column().len()).filter(|&i| inside(i, old, &shape));
    selected(array, shape.clone(), positions)
}

/// Whether the element at a linear position is within smaller extents.
fn inside(mut position: usize, old: &[usize], new: &[usize]) -> bool {
    old.iter().zip(new).rev().all(|(&old, &new)| {
        let coordinate = position % old;
        position /= old;
        coordinate < new
    })
}

/// The array with one value everywhere, where that is simpler: never from zeros to ones.
fn all(array: &HostArray, value: i32) -> Option<HostArray> {
    let (len, ty) = (array.column().len(), array.array_type().elem);
    let mut elements = (0..len).filter_map(|i| array.column().get(i));
    let simpler = |c: Const| !(c.is_zero() || (c.is_one() && value != 0));
    elements.any(simpler).then_some(())?;
    let column = Column::from_consts(ty, vec![Const::small(ty, value); len])?;
    HostArray::new(array.shape().to_vec(), column).ok()
}

/// The array with a simpler value at one place.
fn simpler(array: &HostArray, element: usize) -> Option<HostArray> {
    let old = array.column().get(element)?;
    let new = simple(old).filter(|new| *new != old)?;
    let elements = (0..array.column().len()).filter_map(|i| array.column().get(i));
    let elements = elements
        .enumerate()
        .map(|(i, e)| if i == element { new } else { e });
    let column = Column::from_consts(array.array_type().elem, elements)?;
    HostArray::new(array.shape().to_vec(), column).ok()
}

/// Zero for small integers and wholes, else something with fewer digits.
fn simple(value: Const) -> Option<Const> {
    match value {
        Const::Bool(_) => Some(Const::Bool(false)),
        integer_const!() => {
            let half = value.as_integer().unwrap_or(0) / 2;
            Some(Const::integer(value.scalar_type(), half))
        }
        Const::F16(x) => {
            simple(Const::F32(x.into())).and_then(|x| Prim::Convert(ScalarType::F16).eval(&[x]))
        }
        Const::F32(x) => x
            .is_finite()
            .then(|| Const::F32(if x.fract() == 0.0 { 0.0 } else { x.trunc() })),
        Const::F64(x) => x
            .is_finite()
            .then(|| Const::F64(if x.fract() == 0.0 { 0.0 } else { x.trunc() })),
    }
}
