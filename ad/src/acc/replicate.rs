//! `replicate`: an element's adjoint is the sum over all its copies.

use super::reverse::{Node, Reverse};
use crate::error::AdError;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::term::{ArrId, Axis};
use cotangent_core::types::ScalarType;

impl Reverse<'_> {
    /// The dual of `replicate`: the replicated dimensions are moved innermost, merged and summed over.
    pub(super) fn replicate(
        &mut self,
        node: &Node,
        axes: &[Axis],
        arg: ArrId,
    ) -> Result<(), AdError> {
        let d = node.adjoint()?;
        let is_kept = |&at: &usize| axes[at] == Axis::All;
        let (kept, replicated): (Vec<usize>, Vec<usize>) = (0..axes.len()).partition(is_kept);
        let arg_adj = if replicated.is_empty() {
            d
        } else {
            let rank = kept.len();
            let moved = self.transpose(&d, &[kept, replicated].concat());
            let merged = self.flatten(&moved, rank);
            self.sum_inner(&merged)
        };
        self.contribute(arg, arg_adj);
        Ok(())
    }

    /// The array whose dimension k is dimension `order[k]` of `array`.
    fn transpose(&mut self, array: &Arr, order: &[usize]) -> Arr {
        if order.iter().enumerate().all(|(k, &o)| k == o) {
            return array.clone();
        }
        let mut shape = FunBuilder::new();
        let extents = order.iter().map(|&o| shape.extent(array.name, o)).collect();
        let mut f = FunBuilder::new();
        let index = f.params(&vec![ScalarType::I32; order.len()]);
        let mut source = index.clone();
        for (&i, &o) in index.iter().zip(order) {
            source[o] = i;
        }
        self.b
            .backpermute(shape.finish(extents), f.finish(source), array)
    }
}
