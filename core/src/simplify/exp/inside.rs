//! Which indices are seen to be in range: coordinates of a space of the array's extents, literals, and what a
//! condition says.

use super::Rewriter;
use crate::algebra::ScalarCode;
use crate::analysis::fails::is_at_most;
use crate::analysis::shape::{Shapes, Size, SizeNode};
use crate::constant::Const;
use crate::prim::Prim;
use crate::term::{ArrId, ExpId, ExpOp};

impl Rewriter<'_> {
    /// Whether `index` is one of `array`, wherever the code being read runs.
    pub(super) fn is_inside(&self, array: ArrId, index: &[ExpId]) -> bool {
        let sizes = self.facts.sizes(array);
        sizes.is_some_and(|(shapes, sizes)| {
            sizes.len() == index.len()
                && (index.iter().zip(sizes)).all(|(&x, &size)| self.is_below(x, size, shapes))
        })
    }

    fn is_below(&self, x: ExpId, size: Size, shapes: &Shapes) -> bool {
        if let Some(Const::I32(i)) = self.constant_of(x) {
            let SizeNode::Const(extent) = shapes.node(size) else {
                return false;
            };
            return extent.as_i32().is_some_and(|e| (0..e).contains(&i));
        }
        // A coordinate is never negative.
        match self.space.get(&x) {
            Some(&Some(own)) if is_at_most(own, size, shapes) => true,
            Some(_) => self.is_known_below(x, size, shapes),
            None => self
                .number(x)
                .is_some_and(|trips| is_at_most(trips, size, shapes)),
        }
    }

    /// The number of trips, where a value is the number of a trip.
    fn number(&self, x: ExpId) -> Option<Size> {
        match self.op_of(x)? {
            ExpOp::Index { array, index } if index.is_empty() => {
                let array = self.captures[array.0 as usize];
                self.facts.bound(array).map(|(_, trips)| trips)
            }
            ExpOp::Index { .. }
            | ExpOp::Const(_)
            | ExpOp::Prim(..)
            | ExpOp::Extent { .. }
            | ExpOp::Cond { .. }
            | ExpOp::Derivative { .. }
            | ExpOp::WithPartials(_)
            | ExpOp::Loop { .. } => None,
        }
    }

    /// Whether a condition of the branch being read says that `x` is below the extent.
    fn is_known_below(&self, x: ExpId, size: Size, shapes: &Shapes) -> bool {
        self.known.iter().any(|(&condition, &holds)| {
            let (less, greater) = match holds {
                true => (Prim::Lt, Prim::Gt),
                false => (Prim::Ge, Prim::Le),
            };
            let bound = |(a, b): (ExpId, ExpId)| (a == x).then_some(b);
            let below = self.binary(condition, less).and_then(bound);
            let above = self.binary(condition, greater);
            let bound = below.or_else(|| above.and_then(|(a, b)| bound((b, a))));
            bound.is_some_and(|y| self.is_size(y, size, shapes))
        })
    }

    /// Whether a variable is that extent.
    fn is_size(&self, y: ExpId, size: Size, shapes: &Shapes) -> bool {
        let op = self.op_of(y);
        match shapes.node(size) {
            SizeNode::Const(extent) => matches!(op, Some(ExpOp::Const(c)) if c == extent),
            SizeNode::Extent { array, axis } => matches!(
                op,
                Some(ExpOp::Extent { array: slot, axis: along })
                    if self.captures[slot.0 as usize] == *array && along == axis
            ),
            SizeNode::Prim(..) => false,
        }
    }
}
