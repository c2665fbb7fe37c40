//! Columns of what only some elements have.

use super::{Column, HostArrayError, reserved};
use crate::with_column;

impl Column {
    /// One element for each of `there`: where that holds, the next of this column, elsewhere 0.
    ///
    /// # Errors
    /// Where memory is missing.
    pub fn spread(self, there: &[bool]) -> Result<Self, HostArrayError> {
        if there.iter().all(|there| *there) {
            return Ok(self);
        }
        with_column!(&self, v => spread(v, there).map(Self::from))
    }

    /// The elements where `there` holds.
    ///
    /// # Errors
    /// Where memory is missing.
    pub fn compacted(self, there: &[bool]) -> Result<Self, HostArrayError> {
        if there.iter().all(|there| *there) {
            return Ok(self);
        }
        with_column!(&self, v => compacted(v, there).map(Self::from))
    }
}

fn spread<T: Copy + Default>(values: &[T], there: &[bool]) -> Result<Vec<T>, HostArrayError> {
    let mut values = values.iter().copied();
    let mut all = reserved(there.len())?;
    let next = |there: &bool| there.then(|| values.next()).flatten().unwrap_or_default();
    all.extend(there.iter().map(next));
    Ok(all)
}

fn compacted<T: Copy>(values: &[T], there: &[bool]) -> Result<Vec<T>, HostArrayError> {
    let mut some = reserved(there.iter().filter(|there| **there).count())?;
    let pairs = values.iter().zip(there);
    some.extend(pairs.filter_map(|(value, there)| there.then_some(*value)));
    Ok(some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spread_is_what_was_compacted() {
        let there = [false, true, true, false, true];
        let spread = Column::from(vec![1.5, 2.5, 3.5]).spread(&there).unwrap();
        assert_eq!(spread, Column::from(vec![0.0, 1.5, 2.5, 0.0, 3.5]));
        let compacted = spread.compacted(&there).unwrap();
        assert_eq!(compacted, Column::from(vec![1.5, 2.5, 3.5]));
    }

    #[test]
    fn all_or_none_may_be_there() {
        let column = Column::from(vec![7, 8]);
        assert_eq!(column.clone().spread(&[true, true]).unwrap(), column);
        let none = column.clone().compacted(&[false, false]).unwrap();
        assert!(none.is_empty());
        assert_eq!(none.spread(&[false]).unwrap(), Column::from(vec![0]));
        assert_eq!(column.clone().compacted(&[true, true]).unwrap(), column);
    }
}
