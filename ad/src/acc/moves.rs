//! Moves: adjoints go back to where elements came from.

use super::reverse::{Node, Reverse};
use crate::error::AdError;
use cotangent_core::build::FunBuilder;
use cotangent_core::prim::Prim;
use cotangent_core::term::{ArrId, Axis, Fun, Labelled, Move};

impl Reverse<'_> {
    /// The dual of a move.
    pub(super) fn moved(
        &mut self,
        node: &Node,
        how: &Move<Fun<Labelled>>,
        arg: ArrId,
    ) -> Result<(), AdError> {
        match how {
            Move::Reshape { shape: _ } => self.reshape(node, arg),
            Move::Expect { shape: _ } | Move::Stored => {
                let adjoint = node.adjoint()?.clone();
                self.contribute(arg, adjoint);
                Ok(())
            }
            Move::Replicate { axes, extents: _ } => self.replicate(node, axes, arg),
            Move::Slice { axes, indices } => self.slice(node, axes, indices, arg),
            Move::Backpermute { shape: _, f } => self.backpermute(node, f, arg),
            Move::Roll { axes, amounts } => self.roll(node, axes, amounts, arg),
        }
    }

    /// The dual of `roll`: back by the same amounts. They are taken modulo the extents first, as not every `i32` has a
    /// negative.
    fn roll(
        &mut self,
        node: &Node,
        axes: &[Axis],
        amounts: &Fun<Labelled>,
        arg: ArrId,
    ) -> Result<(), AdError> {
        let mut b = FunBuilder::new();
        let amounts = b.inline(amounts, &[]);
        let rolled = axes.iter().enumerate();
        let rolled = rolled.filter(|(_, axis)| **axis == Axis::Fixed);
        let mut back = vec![];
        for (amount, (axis, _)) in amounts.into_iter().zip(rolled) {
            let extent = b.extent(arg, axis);
            let least = b.prim(Prim::ModFloor, &[amount, extent]);
            back.push(b.prim(Prim::Neg, &[least]));
        }
        let how = Move::Roll {
            axes: axes.to_vec(),
            amounts: b.finish(back),
        };
        let arg_adj = self.b.moved(how, &node.adjoint()?);
        self.contribute(arg, arg_adj);
        Ok(())
    }
}
