//! Which inputs of a program have one shape.

use super::UseId;
use std::collections::BTreeMap;

/// A dimension of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParamAxis {
    /// The position of the parameter.
    pub param: u32,
    /// The dimension, from the outermost one.
    pub axis: u32,
}

/// The inputs that have the shape of an earlier one in every call, the columns of one array of tuples; and the extents of inputs that
/// are those of earlier ones.
///
/// Keys and values are positions in [`Program::params`](super::Program::params) and in
/// [`Program::uses`](super::Program::uses). Each column but the first is mapped to the first, which is
/// mapped to nothing. Engines turn down inputs of other shapes, so passes may rely on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Alike {
    /// Parameters that have the shape of another.
    pub params: BTreeMap<u32, u32>,
    /// Host arrays that have the shape of another.
    pub uses: BTreeMap<u32, u32>,
    /// Extents of parameters that are those of an earlier parameter, or of an earlier dimension of the same one. None is of a
    /// parameter that has the shape of another, and none that others are like is like another.
    pub extents: BTreeMap<ParamAxis, ParamAxis>,
}

impl Alike {
    /// The parameters of a program on arrays of so many columns each.
    pub fn of_columns(counts: impl IntoIterator<Item = usize>) -> Self {
        let mut params = BTreeMap::new();
        let mut first = 0;
        for count in counts {
            let next = first + count as u32;
            params.extend((first + 1..next).map(|column| (column, first)));
            first = next;
        }
        Self {
            params,
            uses: BTreeMap::new(),
            extents: BTreeMap::new(),
        }
    }

    /// Notes that two host arrays have one shape.
    pub fn unite_uses(&mut self, UseId(a): UseId, UseId(b): UseId) {
        let first = |u: u32| self.uses.get(&u).copied().unwrap_or(u);
        let (a, b) = (first(a), first(b));
        let (kept, gone) = (a.min(b), a.max(b));
        if kept != gone {
            let followers = self.uses.values_mut().filter(|f| **f == gone);
            followers.for_each(|f| *f = kept);
            self.uses.insert(gone, kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_shape_of_the_first() {
        let alike = Alike::of_columns([1, 3, 0, 2]);
        assert_eq!(alike.params, BTreeMap::from([(2, 1), (3, 1), (5, 4)]));
    }

    #[test]
    fn groups_of_host_arrays_merge() {
        let mut alike = Alike::default();
        for (a, b) in [(0, 1), (3, 2), (3, 1), (2, 0)] {
            alike.unite_uses(UseId(a), UseId(b));
        }
        assert_eq!(alike.uses, BTreeMap::from([(1, 0), (2, 0), (3, 0)]));
    }
}
