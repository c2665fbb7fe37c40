//! A loop of one trip, or none, that makes all of an array of the state new.
//!
//! The primal keeps the array before it, a row for each time that the trip is made.

use super::nest::thread;
use super::update::row;
use super::{Back, Level, Scopes};
use crate::acc::looping::stacks::{next_row, zero_rows};
use crate::acc::reverse::Reverse;
use cotangent_core::analysis::shape::Size;
use cotangent_core::build::Arr;
use cotangent_core::term::{AccClosure, AccLet, ArrId, Combine, Labelled};
use cotangent_core::types::ArrayType;

/// An array that a trip makes as a whole.
pub(super) struct Whole {
    pub result: ArrId,
    /// The array before the trip.
    pub before: Arr,
    sizes: Vec<Size>,
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
        let ty = ArrayType::new(before.ty.elem, before.ty.rank + 1);
        Some(Self {
            result,
            before: before.clone(),
            sizes,
            stack: reverse.b.fresh(ty),
        })
    }

    /// Makes the primal write a row.
    pub(super) fn write(&self, reverse: &mut Reverse, level: &Level, let_: &mut AccLet<Labelled>) {
        let elem = self.before.ty.elem;
        let rows = zero_rows(reverse, level.rows, (&[elem], &self.sizes));
        thread(
            reverse,
            (let_, level.path),
            (&rows, std::slice::from_ref(&self.stack)),
            &mut |reverse, step, stack| {
                reverse.b.open();
                let target = next_row((level.row, 0), self.sizes.len());
                let old = std::slice::from_ref(&self.before);
                let next = reverse.b.permute(Combine::Overwrite, stack, target, old);
                step.body.lets.extend(reverse.b.close(&[]).lets);
                next
            },
        );
    }

    /// Pushes the array as it was.
    pub(super) fn undo(&self, reverse: &mut Reverse, back: &Back) -> Arr {
        row(reverse, back, &self.stack)
    }
}
