//! Where a sparse Jacobian is not zero, and which of its columns can be made at once.

mod coloring;

use super::array::Array;
use super::shape::Ix1;
use crate::host::{HostArrayError, element_count, reserved};
use coloring::colored;

/// Where the Jacobian of a function between vectors is not zero, in compressed rows (CSR), with its columns colored: two
/// columns of one color have no row in common, so that one pass in forward mode makes all columns of a color.
///
/// For [`jacobian_sparse`](super::jacobian_sparse()).
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // A tridiagonal matrix of four rows.
/// let (offsets, columns) = (vec![0, 2, 5, 8, 10], vec![0, 1, 0, 1, 2, 1, 2, 3, 2, 3]);
/// let pattern = SparsityPattern::new(4, offsets, columns)?;
/// assert_eq!((pattern.rows(), pattern.entries(), pattern.colors()), (4, 10, 3));
/// # Ok::<(), SparsityError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SparsityPattern {
    rows: usize,
    columns: usize,
    colors: usize,
    /// For each column its color; a negative number if it has no entries.
    color_array: Array<Ix1, i32>,
    /// For each entry the color of its column, and its row.
    places: Array<Ix1, (i32, i32)>,
}

/// Why compressed rows are no [`SparsityPattern`].
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
    /// The pattern is too large, or there is no memory for it.
    #[error(transparent)]
    Array(#[from] HostArrayError),
}

impl SparsityPattern {
    /// The pattern with the given columns in each row: those of row i are `column_indices[row_offsets[i]..row_offsets[i + 1]]`, in
    /// any order. So there is one offset more than there are rows.
    ///
    /// Columns are colored greedily, those that share rows with most others first (Curtis, Powell and Reid 1974). The number of
    /// colors is at least that of the entries of the longest row; for bands it is the width of the band.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let twice = SparsityPattern::new(3, vec![0, 1, 3], vec![0, 2, 2]).unwrap_err();
    /// assert_eq!(twice.to_string(), "row 1 has more than one entry in column 2");
    /// ```
    ///
    /// # Errors
    /// Where offsets do not start at 0, decrease, or do not end at the number of indices; where an index is not less than
    /// `columns`, or comes twice in a row; and where there is no memory for the pattern, or its extents exceed an `i32`.
    ///
    /// Time: that of the sum of the squares of the rows' numbers of entries.
    pub fn new(
        columns: usize,
        row_offsets: Vec<usize>,
        column_indices: Vec<usize>,
    ) -> Result<Self, SparsityError> {
        let rows = row_offsets.len().checked_sub(1);
        let rows = rows.ok_or(SparsityError::NoOffsets)?;
        element_count(&[rows])?;
        element_count(&[columns])?;
        let by_rows = Compressed {
            offsets: row_offsets,
            indices: column_indices,
        };
        by_rows.check_offsets()?;
        by_rows.check_indices(columns)?;
        let color_of = colored(&by_rows, columns)?;
        let colors = color_of.iter().max().map_or(0, |&most| most + 1);
        let mut places = reserved(by_rows.indices.len())?;
        for row in 0..rows {
            let entries = by_rows.of(row).iter();
            places.extend(entries.map(|&column| (color_of[column], row as i32)));
        }
        Ok(Self {
            rows,
            columns,
            colors: usize::try_from(colors).unwrap_or(0),
            color_array: Array::vector(color_of)?,
            places: Array::vector(places)?,
        })
    }

    /// The number of rows: of elements of the function's result.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// assert_eq!(SparsityPattern::new(3, vec![0, 1, 3], vec![0, 1, 2])?.rows(), 2);
    /// # Ok::<(), SparsityError>(())
    /// ```
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns: of elements of the function's input.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// assert_eq!(SparsityPattern::new(3, vec![0, 1, 3], vec![0, 1, 2])?.columns(), 3);
    /// # Ok::<(), SparsityError>(())
    /// ```
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of entries: of values of the sparse Jacobian.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// assert_eq!(SparsityPattern::new(3, vec![0, 1, 3], vec![0, 1, 2])?.entries(), 3);
    /// # Ok::<(), SparsityError>(())
    /// ```
    pub fn entries(&self) -> usize {
        self.places.len()
    }

    /// The number of colors: of passes that a Jacobian takes.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // A diagonal, however long, has one.
    /// assert_eq!(SparsityPattern::new(3, vec![0, 1, 2, 3], vec![0, 1, 2])?.colors(), 1);
    /// # Ok::<(), SparsityError>(())
    /// ```
    pub fn colors(&self) -> usize {
        self.colors
    }

    /// The color of a column, from 0; `None` if it has no entries, or is not there.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let pattern = SparsityPattern::new(3, vec![0, 2], vec![0, 2])?;
    /// assert_ne!(pattern.color_of(0), pattern.color_of(2));
    /// assert_eq!(pattern.color_of(1), None);
    /// # Ok::<(), SparsityError>(())
    /// ```
    pub fn color_of(&self, column: usize) -> Option<usize> {
        usize::try_from(self.color_array.get([column])?).ok()
    }

    /// For each column its color; a negative number where it has no entries.
    pub(super) fn color_array(&self) -> &Array<Ix1, i32> {
        &self.color_array
    }

    /// For each entry the color of its column, and its row.
    pub(super) fn places(&self) -> &Array<Ix1, (i32, i32)> {
        &self.places
    }
}

/// Lists of indices, one after the other. List i has the positions `offsets[i]..offsets[i + 1]`.
struct Compressed {
    offsets: Vec<usize>,
    indices: Vec<usize>,
}

impl Compressed {
    /// List number `i`; the offsets are in order.
    fn of(&self, i: usize) -> &[usize] {
        &self.indices[self.offsets[i]..self.offsets[i + 1]]
    }

    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    fn check_offsets(&self) -> Result<(), SparsityError> {
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

    /// Checks that the indices are less than `columns`, and that none comes twice in a list. The offsets are right.
    fn check_indices(&self, columns: usize) -> Result<(), SparsityError> {
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
fn filled<T: Clone>(len: usize, value: T) -> Result<Vec<T>, HostArrayError> {
    let mut values = reserved(len)?;
    values.resize(len, value);
    Ok(values)
}
