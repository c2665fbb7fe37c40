//! Comparisons of two numbers by size, whichever way round they are written.

use crate::prim::Prim;

/// `small < large` where it is strict, and `small ≤ large` otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inequality<V> {
    /// The number that is less.
    pub small: V,
    /// The number that is more.
    pub large: V,
    /// Whether they may not be equal.
    pub is_strict: bool,
}

/// The primitives, whether their greater operand is the first one, and whether they are strict.
const FORMS: [(Prim, bool, bool); 4] = [
    (Prim::Lt, false, true),
    (Prim::Le, false, false),
    (Prim::Gt, true, true),
    (Prim::Ge, true, false),
];

impl<V: Copy> Inequality<V> {
    /// What a primitive says of its operands where its value is true, if it is such a comparison.
    pub fn of((op, operands): (Prim, &[V])) -> Option<Self> {
        let mut forms = FORMS.into_iter();
        let (_, is_swapped, is_strict) = forms.find(|(comparison, _, _)| *comparison == op)?;
        let &[x, y] = operands else {
            return None;
        };
        let (small, large) = if is_swapped { (y, x) } else { (x, y) };
        Some(Self {
            small,
            large,
            is_strict,
        })
    }

    /// What it says of integers where its value is false.
    pub fn negated(self) -> Self {
        Self {
            small: self.large,
            large: self.small,
            is_strict: !self.is_strict,
        }
    }
}
