//! What a [`Check`] demands, and what a shape must be: the same for every engine.

use super::drive::Ints;
use super::{Check, SymbolId};
use crate::backend::{RunError, Site};

impl Check {
    /// Tests the condition on the extents that `extent` gives for symbols.
    ///
    /// # Errors
    /// Where it does not hold: at `site`, of the kind that the variant stands for.
    pub fn verify(&self, site: Site, extent: &dyn Fn(SymbolId) -> i64) -> Result<(), RunError> {
        let all = |symbols: &[SymbolId]| symbols.iter().map(|&s| extent(s)).collect::<Ints>();
        match self {
            Self::Shape { extents } => len_of_shape(&all(extents), site).map(drop),
            Self::SameSize { from, to } => {
                let (from, to) = (all(from), all(to));
                if to.iter().all(|&e| e >= 0) && size(&from) == size(&to) {
                    return Ok(());
                }
                let from = from.iter().map(|&e| e as usize).collect();
                let to = to.into_vec();
                Err(RunError::SizeMismatch { site, from, to })
            }
            Self::SameShape { found, expected } => {
                let (found, expected) = (all(found), all(expected));
                len_of_shape(&expected, site)?;
                if found == expected {
                    return Ok(());
                }
                let found = found.iter().map(|&e| e as usize).collect();
                let expected = expected.into_vec();
                Err(RunError::ShapeMismatch {
                    site,
                    expected,
                    found,
                })
            }
            Self::InRange { index, extent: end } => {
                let (index, end) = (extent(*index), extent(*end));
                if (0..end).contains(&index) {
                    return Ok(());
                }
                Err(RunError::IndexOutOfRange {
                    site,
                    index: vec![index],
                    extents: vec![end as usize],
                    trips: vec![],
                })
            }
            Self::NotEmpty { outer, inner } => {
                let holds = all(outer).contains(&0) || !all(inner).contains(&0);
                holds.then_some(()).ok_or(RunError::EmptyReduction { site })
            }
        }
    }
}

/// The number of elements of an array of that shape.
///
/// # Errors
/// Where an extent is negative or the number overflows.
pub fn len_of_shape(shape: &[i64], site: Site) -> Result<usize, RunError> {
    let valid = shape.iter().all(|&e| e >= 0);
    let len = size(shape)
        .filter(|_| valid)
        .and_then(|n| usize::try_from(n).ok());
    len.ok_or_else(|| RunError::BadShape {
        site,
        shape: shape.to_vec(),
    })
}

/// The product of extents; 0 where one is, however large the others are; `None` where it overflows.
pub fn size(shape: &[i64]) -> Option<i64> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1i64, |n, &e| n.checked_mul(e))
}
