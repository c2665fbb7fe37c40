//! What updates overwrite, as the primal keeps it.
//!
//! Where an update writes as many elements in each trip, what it overwrites is a row of a stack. Where it does not, what all trips
//! overwrite lies one after the other, each trip's elements in order of their indices; how many there are is counted before the loop, and
//! for each trip are kept its extents and where its elements end: they begin where those of the trip before it end.

use super::nest::{count, number, start_of, thread};
use super::{Back, Level};
use crate::acc::layout::position;
use crate::acc::looping::stacks::{next_row, zero_rows};
use crate::acc::looping::{Counted, element};
use crate::acc::reverse::Reverse;
use cotangent_core::analysis::shape::Size;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccClosure, AccLet, Axis, Combine, ExpId, Fun, Labelled};
use cotangent_core::types::{ArrayType, ScalarType};

/// Where the elements of a trip are.
pub(super) enum Rows {
    /// In a row of these extents.
    Alike(Vec<Size>),
    /// Behind those of the trips before it.
    Apart {
        /// An array of the step that has the extents.
        like: Arr,
        /// Where the elements of each trip end.
        ends: Arr,
        /// The extents of each trip.
        extents: Vec<Arr>,
    },
}

impl Rows {
    /// Those of as many elements as an array of the step has.
    pub(super) fn apart(reverse: &mut Reverse, like: Arr) -> Self {
        let numbers = ArrayType::new(ScalarType::I32, 1);
        Self::Apart {
            ends: reverse.b.fresh(numbers),
            extents: (0..like.ty.rank)
                .map(|_| reverse.b.fresh(numbers))
                .collect(),
            like,
        }
    }

    /// The type of a stack.
    pub(super) fn stack(&self, elem: ScalarType) -> ArrayType {
        let rank = match self {
            Self::Alike(sizes) => sizes.len() + 1,
            Self::Apart { .. } => 1,
        };
        ArrayType::new(elem, rank)
    }

    /// The shape of what is written in a trip.
    pub(super) fn shape(&self, reverse: &Reverse) -> Fun<Labelled> {
        match self {
            Self::Alike(sizes) => reverse.shapes.emit_fun(sizes),
            Self::Apart { like, .. } => Fun::shape_of(like),
        }
    }

    /// Makes the primal write stacks in the step where `before` says, of what `overwritten` makes there.
    pub(super) fn write(
        &self,
        reverse: &mut Reverse,
        (counted, level): (&Counted, &Level),
        (let_, stacks): (&mut AccLet<Labelled>, &[Arr]),
        (before, overwritten): Overwritten,
    ) {
        let elems: Vec<_> = stacks.iter().map(|stack| stack.ty.elem).collect();
        let (first, last) = match self {
            Self::Alike(sizes) => {
                let rows = zero_rows(reverse, level.rows, (&elems, sizes));
                (rows, stacks.to_vec())
            }
            Self::Apart {
                like,
                ends,
                extents,
            } => {
                let size = |b: &mut FunBuilder| size_of(b, like);
                let total = count(reverse, (counted, level.path), &size);
                let mut first = zero_rows(reverse, &element(&total), (&elems, &[]));
                let numbers = vec![ScalarType::I32; 1 + extents.len()];
                first.extend(zero_rows(reverse, level.rows, (&numbers, &[])));
                let last = [stacks, std::slice::from_ref(ends), extents].concat();
                (first, last)
            }
        };
        thread(
            reverse,
            (let_, level.path),
            (&first, &last),
            &mut |reverse, step, params| {
                let at = before(step);
                reverse.b.open();
                let old = overwritten(reverse);
                let next = self.push_rows(reverse, level, (params, &old));
                let written = reverse.b.close(&next);
                step.body.lets.splice(at..at, written.lets);
                next
            },
        );
    }

    /// Pushes the code that writes what a trip overwrites.
    fn push_rows(
        &self,
        reverse: &mut Reverse,
        level: &Level,
        (params, old): (&[Arr], &[Arr]),
    ) -> Vec<Arr> {
        let (stacks, numbers) = params.split_at(old.len());
        match self {
            Self::Alike(sizes) => {
                let target = next_row((level.row, 0), sizes.len());
                reverse.b.permute(Combine::Overwrite, stacks, target, old)
            }
            Self::Apart { like, .. } => {
                let ends = &numbers[0];
                let start = number(reverse, |b| start_of(b, ends, level.row));
                let extent = |axis| move |b: &mut FunBuilder| b.extent(like.name, axis);
                let extents: Vec<Arr> = (0..like.ty.rank)
                    .map(|axis| number(reverse, extent(axis)))
                    .collect();
                let end = number(reverse, |b| {
                    let (start, size) = (b.index(&start, &[]), size_of(b, like));
                    b.prim(Prim::Add, &[start, size])
                });
                let target = flat_target((&start, &extents), like.ty.rank);
                let mut next = reverse.b.permute(Combine::Overwrite, stacks, target, old);
                let made = [&[end][..], &extents].concat();
                let row = next_row((level.row, 0), 0);
                next.extend(reverse.b.permute(Combine::Overwrite, numbers, row, &made));
                next
            }
        }
    }

    /// Pushes what a trip has kept.
    pub(super) fn read(&self, reverse: &mut Reverse, back: &Back, stacks: &[Arr]) -> Vec<Arr> {
        match self {
            Self::Alike(_) => stacks
                .iter()
                .map(|stack| row(reverse, back, stack))
                .collect(),
            Self::Apart { ends, extents, .. } => {
                let start = number(reverse, |b| start_of(b, ends, back.row));
                let of_trip = |kept: &Arr| {
                    number(reverse, |b| {
                        let trip = b.index(back.row, &[]);
                        b.index(kept, &[trip])
                    })
                };
                let extents: Vec<Arr> = extents.iter().map(of_trip).collect();
                let mut b = FunBuilder::new();
                let shape = extents.iter().map(|extent| b.index(extent, &[])).collect();
                let shape = b.finish(shape);
                let mut b = FunBuilder::new();
                let index = b.params(&vec![ScalarType::I32; extents.len()]);
                let place = flat(&mut b, (&start, &extents), &index);
                let old = stacks
                    .iter()
                    .map(|stack| b.index(stack, &[place]))
                    .collect();
                reverse.b.generate(shape, b.finish(old))
            }
        }
    }
}

/// Where a step overwrites something, and what makes arrays of that.
pub(super) type Overwritten<'a> = (
    &'a dyn Fn(&AccClosure<Labelled>) -> usize,
    &'a dyn Fn(&mut Reverse) -> Vec<Arr>,
);

/// Pushes a row of a stack.
pub(super) fn row(reverse: &mut Reverse, back: &Back, stack: &Arr) -> Arr {
    let mut axes = vec![Axis::All; stack.ty.rank];
    axes[0] = Axis::Fixed;
    let mut b = FunBuilder::new();
    let at = b.index(back.row, &[]);
    let indices = b.finish(vec![at]);
    reverse.b.slice(axes, indices, stack)
}

/// How many elements an array has.
fn size_of(b: &mut FunBuilder, array: &Arr) -> ExpId {
    b.inline(&Fun::merged(array, 0), &[])[0]
}

/// Where an element of an index lies, in order from a start.
fn flat(b: &mut FunBuilder, (start, extents): (&Arr, &[Arr]), index: &[ExpId]) -> ExpId {
    let extents: Vec<ExpId> = extents.iter().map(|extent| b.index(extent, &[])).collect();
    let place = position(b, &extents, index);
    let start = b.index(start, &[]);
    b.prim(Prim::Add, &[start, place])
}

fn flat_target(from: (&Arr, &[Arr]), rank: usize) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let index = b.params(&vec![ScalarType::I32; rank]);
    let sent = b.constant(true);
    let place = flat(&mut b, from, &index);
    b.finish(vec![sent, place])
}
