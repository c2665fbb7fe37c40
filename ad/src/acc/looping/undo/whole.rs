//! A loop of one trip, or none, that makes all of an array of the state new.
//!
//! The primal keeps the array before it, a row for each time that the trip is made.

use super::rows::{Rows, row};
use super::{Back, Level, Scopes};
use crate::acc::looping::Counted;
use crate::acc::reverse::Reverse;
use cotangent_core::build::Arr;
use cotangent_core::term::{AccClosure, AccLet, ArrId, Labelled};

/// An array that a trip makes as a whole.
pub(super) struct Whole {
    pub result: ArrId,
    /// The array before the trip.
    pub before: Arr,
    rows: Rows,
    /// What the array was, a row for each trip.
    stack: Arr,
}

impl Whole {
    /// What a step makes of a column, if that keeps its shape, and the shape is known before all loops.
    pub(super) fn of(
        reverse: &mut Reverse,
        (around, step): (&Scopes, &AccClosure<Labelled>),
        column: usize,
    ) -> Option<Self> {
        let &(outermost, _) = around.first()?;
        let (before, result) = (&step.params[column + 1], step.body.results[column]);
        let sizes = reverse.shapes.sizes_outside(outermost, before.name)?;
        if !reverse.shapes.same(before.name, result) {
            return None;
        }
        let rows = Rows::Alike(sizes);
        Some(Self {
            result,
            before: before.clone(),
            stack: reverse.b.fresh(rows.stack(before.ty.elem)),
            rows,
        })
    }

    /// Makes the primal write a row.
    pub(super) fn write(
        &self,
        reverse: &mut Reverse,
        (counted, level): (&Counted, &Level),
        let_: &mut AccLet<Labelled>,
    ) {
        let stack = std::slice::from_ref(&self.stack);
        let at_the_end = |step: &AccClosure<Labelled>| step.body.lets.len();
        let before = |_: &mut Reverse| vec![self.before.clone()];
        let old = (&at_the_end as _, &before as _);
        self.rows
            .write(reverse, (counted, level), (let_, stack), old);
    }

    /// Pushes the array as it was.
    pub(super) fn undo(&self, reverse: &mut Reverse, back: &Back) -> Arr {
        row(reverse, back, &self.stack)
    }
}
