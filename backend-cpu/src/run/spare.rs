//! Small arrays that a run has given up, for those that it makes next: a trip of a loop finds what the one before it had.
//!
//! The allocator would take longer than a kernel of few points. Larger arrays come back by way of the pool, which other runs
//! take them from, too.

use crate::memory::{KEEP_FROM, Placement, is_alone};
use cotangent_core::host::Column;
use cotangent_core::types::ScalarType;

/// The most arrays of a size.
const MOST: usize = 64;

/// Arrays that nobody uses at the moment.
#[derive(Debug, Default)]
pub(super) struct Spare {
    /// Those of each size, which are few.
    sizes: Vec<OfSize>,
}

#[derive(Debug)]
struct OfSize {
    ty: ScalarType,
    len: usize,
    columns: Vec<Column>,
}

impl Clone for Spare {
    /// None: arrays have one owner here.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Spare {
    /// Memory for `len` elements, with unspecified contents, if there is some.
    pub fn take(&mut self, ty: ScalarType, len: usize, placement: Placement) -> Option<Column> {
        match placement {
            Placement::Aligned => self.of_size(ty, len)?.columns.pop(),
            Placement::Whole => None,
        }
    }

    /// Keeps an array, unless others use it or the pool does better.
    pub fn give(&mut self, mut column: Column) {
        let (ty, len) = (column.scalar_type(), column.len());
        let is_small = len > 0 && len * ty.bytes() < KEEP_FROM;
        if !is_small || !is_alone(&mut column) || !Placement::Aligned.is_of(&column) {
            return;
        }
        match self.of_size(ty, len) {
            Some(same) if same.columns.len() < MOST => same.columns.push(column),
            Some(_) => {}
            None => self.sizes.push(OfSize {
                ty,
                len,
                columns: vec![column],
            }),
        }
    }

    fn of_size(&mut self, ty: ScalarType, len: usize) -> Option<&mut OfSize> {
        let mut sizes = self.sizes.iter_mut();
        sizes.find(|of| (of.len, of.ty) == (len, ty))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Pool, data};
    use std::sync::Arc;

    fn column(pool: &Arc<Pool>, len: usize) -> Column {
        pool.take(ScalarType::F64, len, Placement::Aligned).unwrap()
    }

    #[test]
    fn an_array_of_the_same_size_has_the_memory_of_one_that_was_given_up() {
        let (pool, mut spare) = (Arc::default(), Spare::default());
        let (short, long) = (column(&pool, 3), column(&pool, 5));
        let at = data(&short);
        spare.give(short);
        spare.give(long);
        let mut take = |ty, placement| spare.take(ty, 3, placement);
        assert!(take(ScalarType::I64, Placement::Aligned).is_none());
        assert!(take(ScalarType::F64, Placement::Whole).is_none());
        let again = take(ScalarType::F64, Placement::Aligned).unwrap();
        assert_eq!((data(&again), again.len()), (at, 3));
        assert!(take(ScalarType::F64, Placement::Aligned).is_none());
    }

    #[test]
    fn arrays_that_others_use_are_left_to_them() {
        let (pool, mut spare) = (Arc::default(), Spare::default());
        let used = column(&pool, 3);
        spare.give(used.clone());
        assert!(spare.take(ScalarType::F64, 3, Placement::Aligned).is_none());
        spare.give(used);
        assert!(spare.clone().sizes.is_empty());
        assert!(spare.take(ScalarType::F64, 3, Placement::Aligned).is_some());
    }

    #[test]
    fn large_arrays_go_home_and_of_small_ones_some_are_kept() {
        let (pool, mut spare) = (Arc::default(), Spare::default());
        let (len, none) = (KEEP_FROM / 8, column(&pool, 0));
        spare.give(column(&pool, len));
        spare.give(none);
        assert!(spare.sizes.is_empty());
        assert_eq!(pool.count(), 1);
        let columns: Vec<_> = (0..=MOST).map(|_| column(&pool, 2)).collect();
        columns.into_iter().for_each(|column| spare.give(column));
        assert_eq!(spare.sizes[0].columns.len(), MOST);
    }
}
