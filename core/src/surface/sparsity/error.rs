//! What is wrong with compressed rows.

use crate::host::HostArrayError;

/// Why compressed rows are no [`SparsityPattern`](super::SparsityPattern).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SparsityError {
    /// There are no offsets.
    #[error(
        "there are no row offsets: a pattern of n rows has n + 1 of them, the first of which is 0"
    )]
    NoOffsets,
    /// The first offset is not 0.
    #[error("the first row offset is {found}, and must be 0")]
    FirstOffset {
        /// The offset given.
        found: usize,
    },
    /// An offset is less than the one before it.
    #[error(
        "row {row} ends at entry {end}, before its start, {start}: row offsets must not decrease"
    )]
    Decreasing {
        /// The row.
        row: usize,
        /// Its offset.
        start: usize,
        /// That of the row after it.
        end: usize,
    },
    /// The last offset is not the number of column indices.
    #[error("the last row offset is {last}, but there are {entries} column indices")]
    Entries {
        /// The last offset.
        last: usize,
        /// The number of column indices.
        entries: usize,
    },
    /// A column index exceeds the columns.
    #[error(
        "row {row} has an entry in column {column}, but there are {columns} columns, counted from 0"
    )]
    Column {
        /// The row.
        row: usize,
        /// The column given.
        column: usize,
        /// How many columns there are.
        columns: usize,
    },
    /// A row has two entries in one column.
    #[error("row {row} has more than one entry in column {column}")]
    Duplicate {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
    },
    /// Blocks have no elements.
    #[error("blocks of {rows} by {columns} elements have none: both extents must be at least 1")]
    EmptyBlock {
        /// The rows of a block.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// The pattern is too large, or there is no memory for it.
    #[error(transparent)]
    Array(#[from] HostArrayError),
}
