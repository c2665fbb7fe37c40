//! Index maps that only rearrange coordinates.

use super::IndexMap;
use crate::analysis::shape::Shapes;
use crate::term::{Fun, Labelled};

impl IndexMap {
    /// Reads a function that gives an index, of whose arrays nothing is known.
    ///
    /// ```
    /// use cotangent_core::analysis::index_map::IndexMap;
    /// use cotangent_core::{build::FunBuilder, types::ScalarType};
    /// let mut b = FunBuilder::new();
    /// let ij = b.params(&[ScalarType::I32; 2]);
    /// let transpose = b.finish(vec![ij[1], ij[0]]);
    /// assert_eq!(IndexMap::alone(&transpose).as_permutation(2), Some(vec![1, 0]));
    /// ```
    pub fn alone(index: &Fun<Labelled>) -> Self {
        Self::everywhere(index, &Shapes::default())
    }

    /// If it permutes the coordinates of an index of `rank`: for each one of the target, which of the source it is.
    pub fn as_permutation(&self, rank: usize) -> Option<Vec<usize>> {
        let mut seen = vec![false; rank];
        let own = self.coordinates.iter().map(|coordinate| {
            let param = coordinate.as_ref()?.as_param()?;
            let again = std::mem::replace(seen.get_mut(param)?, true);
            (!again).then_some(param)
        });
        let own: Option<Vec<_>> = own.collect();
        own.filter(|own| own.len() == rank)
    }

    /// Whether it is the identity on indices of `rank` coordinates.
    pub fn is_identity(&self, rank: usize) -> bool {
        let own = self.as_permutation(rank);
        own.is_some_and(|own| own.into_iter().eq(0..rank))
    }

    /// Whether no two sources have one target: each of `rank` coordinates is one of the target's, but for a sign and what
    /// is the same for all.
    pub fn is_injective(&self, rank: usize) -> bool {
        let known = || self.coordinates.iter().flatten();
        (0..rank).all(|axis| known().any(|coordinate| coordinate.follows(axis)))
    }
}
