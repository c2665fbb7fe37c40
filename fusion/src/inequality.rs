//! Comparisons of two numbers by size, whichever way round they are written.

use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Op, ValueId};

/// `small < large` where it is strict, and `small ≤ large` otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inequality {
    pub small: ValueId,
    pub large: ValueId,
    pub is_strict: bool,
}

impl Inequality {
    /// What an operation says where its value is true, if it is such a comparison.
    pub(crate) fn of(op: &Op) -> Option<Self> {
        let forms = [
            (Prim::Lt, false, true),
            (Prim::Le, false, false),
            (Prim::Gt, true, true),
            (Prim::Ge, true, false),
        ];
        forms.into_iter().find_map(|(prim, is_swapped, is_strict)| {
            let &[x, y] = op.operands_of(prim)?;
            let (small, large) = if is_swapped { (y, x) } else { (x, y) };
            Some(Self {
                small,
                large,
                is_strict,
            })
        })
    }

    /// What it says of integers where its value is false.
    pub(crate) fn negated(self) -> Self {
        Self {
            small: self.large,
            large: self.small,
            is_strict: !self.is_strict,
        }
    }
}
