//! Lists of indices in one vector: the rows of a sparse matrix, or its columns.

use super::SparsityError;
use crate::host::{HostArrayError, reserved};

/// Lists of indices, one after the other. List i has the positions `offsets[i]..offsets[i + 1]`.
#[derive(Clone, Debug)]
pub(super) struct Compressed {
    pub(super) offsets: Vec<usize>,
    pub(super) indices: Vec<usize>,
}

impl Compressed {
    /// List number `i`; the offsets are in order.
    pub(super) fn of(&self, i: usize) -> &[usize] {
        &self.indices[self.offsets[i]..self.offsets[i + 1]]
    }

    /// How many lists there are.
    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Checks that offsets start at 0, do not decrease, and end at the number of indices.
    pub(super) fn check_offsets(&self) -> Result<(), SparsityError> {
        let (first, last) = (self.offsets[0], self.offsets[self.len()]);
        if first != 0 {
            return Err(SparsityError::FirstOffset { found: first });
        }
        for (row, ends) in self.offsets.windows(2).enumerate() {
            let (start, end) = (ends[0], ends[1]);
            if end < start {
                return Err(SparsityError::Decreasing { row, start, end });
            }
        }
        let entries = self.indices.len();
        match last == entries {
            true => Ok(()),
            false => Err(SparsityError::Entries { last, entries }),
        }
    }

    /// The number of indices of the longest list.
    pub(super) fn longest(&self) -> usize {
        let lengths = self.offsets.windows(2).map(|ends| ends[1] - ends[0]);
        lengths.max().unwrap_or(0)
    }

    /// For each index, all less than `columns`, the lists that it is in.
    pub(super) fn transposed(&self, columns: usize) -> Result<Self, HostArrayError> {
        let mut offsets = filled(columns + 1, 0)?;
        for &column in &self.indices {
            offsets[column + 1] += 1;
        }
        for column in 0..columns {
            offsets[column + 1] += offsets[column];
        }
        let mut next: Vec<usize> = reserved(columns)?;
        next.extend_from_slice(&offsets[..columns]);
        let mut indices = filled(self.indices.len(), 0)?;
        for row in 0..self.len() {
            for &column in self.of(row) {
                indices[next[column]] = row;
                next[column] += 1;
            }
        }
        Ok(Self { offsets, indices })
    }

    /// Checks that the indices are less than `columns`, and that none comes twice in a list. The offsets are right.
    pub(super) fn check_indices(&self, columns: usize) -> Result<(), SparsityError> {
        let mut last_row = filled(columns, None)?;
        for row in 0..self.len() {
            for &column in self.of(row) {
                match last_row.get_mut(column) {
                    None => {
                        return Err(SparsityError::Column {
                            row,
                            column,
                            columns,
                        });
                    }
                    Some(last) if *last == Some(row) => {
                        return Err(SparsityError::Duplicate { row, column });
                    }
                    Some(last) => *last = Some(row),
                }
            }
        }
        Ok(())
    }
}

/// A vector of equal values.
pub(super) fn filled<T: Clone>(len: usize, value: T) -> Result<Vec<T>, HostArrayError> {
    let mut values = reserved(len)?;
    values.resize(len, value);
    Ok(values)
}
