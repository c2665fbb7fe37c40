//! Moves: adjoints go back to where elements came from.

use super::reverse::{Node, Reverse};
use crate::error::AdError;
use cotangent_core::term::{ArrId, Fun, Labelled, Move};

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
            Move::Replicate { axes, extents: _ } => self.replicate(node, axes, arg),
            Move::Slice { axes, indices } => self.slice(node, axes, indices, arg),
            Move::Backpermute { shape: _, f } => self.backpermute(node, f, arg),
        }
    }
}
