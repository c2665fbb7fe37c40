//! Where a sparse Jacobian is not zero, and which of its columns, or rows, can be made at once.

mod coloring;
mod compressed;
mod detect;
mod error;

pub use error::SparsityError;

use super::array::Array;
use super::shape::Ix1;
use crate::host::{HostArrayError, element_count, reserved};
use compressed::Compressed;

/// What has colors in a [`SparsityPattern`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Colored {
    /// The columns: two of one color have no row in common, so that one pass in forward mode makes all columns of a color.
    Columns,
    /// The rows: two of one color have no column in common, so that one pass in reverse mode makes all rows of a color.
    Rows,
}

/// Where the Jacobian of a function between vectors is not zero, in compressed rows (CSR) of elements or of blocks (BSR), with
/// colors for its columns or for its rows, whichever takes fewer.
///
/// For [`jacobian_sparse`](super::jacobian_sparse()) and [`hessian_sparse`](super::hessian_sparse()).
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // A tridiagonal matrix of four rows.
/// let (offsets, columns) = (vec![0, 2, 5, 8, 10], vec![0, 1, 0, 1, 2, 1, 2, 3, 2, 3]);
/// let pattern = SparsityPattern::new(4, offsets, columns)?;
/// assert_eq!((pattern.rows(), pattern.entries(), pattern.colors()), (4, 10, 3));
/// // One row that has all columns: each column has a color of its own, but all rows have the same.
/// let pattern = SparsityPattern::new(4, vec![0, 4], vec![0, 1, 2, 3])?;
/// assert_eq!((pattern.colored(), pattern.colors()), (Colored::Rows, 1));
/// # Ok::<(), SparsityError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SparsityPattern {
    rows: usize,
    columns: usize,
    /// The extents of a block.
    block: [usize; 2],
    /// The columns of blocks in each row of blocks.
    by_rows: Compressed,
    colored: Colored,
    colors: usize,
    /// For each column, or row, its color; a negative number if it has no entries.
    color_array: Array<Ix1, i32>,
    /// For each entry the color of its column and its row, or the other way round.
    places: Array<Ix1, (i32, i32)>,
}

impl SparsityPattern {
    /// The pattern with the given columns in each row: those of row i are `column_indices[row_offsets[i]..row_offsets[i + 1]]`, in
    /// any order. So there is one offset more than there are rows.
    ///
    /// Columns, or rows, are colored greedily, those that share rows with most others first (Curtis, Powell and Reid 1974). The number
    /// of colors of columns is at least that of the entries of the longest row; for bands it is the width of the band.
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
    /// Time: that of the sum of the squares of the rows' numbers of entries, or of the columns', mostly the lesser of both.
    pub fn new(
        columns: usize,
        row_offsets: Vec<usize>,
        column_indices: Vec<usize>,
    ) -> Result<Self, SparsityError> {
        Self::from_blocks([1, 1], columns, row_offsets, column_indices)
    }

    /// The pattern of rows with the given columns, in any order.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let pattern = SparsityPattern::from_rows(3, &[vec![0], vec![2, 1]])?;
    /// assert_eq!(pattern.row_offsets()?.to_vec(), [0, 1, 3]);
    /// # Ok::<(), SparsityError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn from_rows(columns: usize, rows: &[Vec<usize>]) -> Result<Self, SparsityError> {
        let mut offsets = reserved(rows.len().saturating_add(1))?;
        let mut indices = reserved(rows.iter().map(Vec::len).sum())?;
        offsets.push(0);
        for row in rows {
            indices.extend_from_slice(row);
            offsets.push(indices.len());
        }
        Self::new(columns, offsets, indices)
    }

    /// The pattern of dense blocks of the given extents, rows before columns: as [`new`](Self::new), of rows and columns of blocks.
    /// The entries of a block follow each other, in row-major order.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // Two residuals of two elements each: of the first and the third parameter, and of the second, of three elements each.
    /// let pattern = SparsityPattern::from_blocks([2, 3], 3, vec![0, 2, 3], vec![0, 2, 1])?;
    /// assert_eq!((pattern.rows(), pattern.columns(), pattern.entries()), (4, 9, 18));
    /// // All rows of a block take a color each, and those of the other residual the same ones.
    /// assert_eq!((pattern.colored(), pattern.colors()), (Colored::Rows, 2));
    /// let second = pattern.coordinates().skip(6).take(4).collect::<Vec<_>>();
    /// assert_eq!(second, [(0, 6), (0, 7), (0, 8), (1, 6)]);
    /// # Ok::<(), SparsityError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`new`](Self::new), and where an extent of blocks is 0.
    pub fn from_blocks(
        block: [usize; 2],
        columns: usize,
        row_offsets: Vec<usize>,
        column_indices: Vec<usize>,
    ) -> Result<Self, SparsityError> {
        let rows = row_offsets.len().checked_sub(1);
        let rows = rows.ok_or(SparsityError::NoOffsets)?;
        let [block_rows, block_columns] = block;
        if block.contains(&0) {
            return Err(SparsityError::EmptyBlock {
                rows: block_rows,
                columns: block_columns,
            });
        }
        element_count(&[rows.saturating_mul(block_rows)])?;
        element_count(&[columns.saturating_mul(block_columns)])?;
        let by_rows = Compressed {
            offsets: row_offsets,
            indices: column_indices,
        };
        by_rows.check_offsets()?;
        by_rows.check_indices(columns)?;
        let by_columns = by_rows.transposed(columns)?;
        let (colored, colors) = coloring::fewest(&by_rows, &by_columns, block)?;
        Self::with_colors(block, [rows, columns], by_rows, (colored, &colors))
    }

    /// The same pattern with colors for its columns, or for its rows.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let row = SparsityPattern::new(4, vec![0, 4], vec![0, 1, 2, 3])?;
    /// assert_eq!(row.colored_by(Colored::Columns)?.colors(), 4);
    /// # Ok::<(), SparsityError>(())
    /// ```
    ///
    /// # Errors
    /// Where there is no memory for it.
    ///
    /// Time: that of the sum of the squares of the rows' numbers of entries for columns, of the columns' for rows.
    pub fn colored_by(&self, colored: Colored) -> Result<Self, SparsityError> {
        let [block_rows, block_columns] = self.block;
        let extents = [self.rows / block_rows, self.columns / block_columns];
        let by_columns = self.by_rows.transposed(extents[1])?;
        let colors = coloring::colors_of(colored, &self.by_rows, &by_columns)?;
        Self::with_colors(
            self.block,
            extents,
            self.by_rows.clone(),
            (colored, &colors),
        )
    }

    /// The pattern of so many rows and columns of blocks, of which one or the other have the given colors.
    fn with_colors(
        block: [usize; 2],
        extents: [usize; 2],
        by_rows: Compressed,
        (colored, colors): (Colored, &[i32]),
    ) -> Result<Self, SparsityError> {
        let [rows, columns] = [0, 1].map(|axis| extents[axis] * block[axis]);
        let width = match colored {
            Colored::Columns => block[1],
            Colored::Rows => block[0],
        };
        let entries = element_count(&[by_rows.indices.len(), block[0], block[1]])?;
        element_count(&[entries])?;
        let mut color_array = reserved(colors.len() * width)?;
        for &color in colors {
            let own = (0..width as i32).map(|i| {
                if color < 0 {
                    color
                } else {
                    color * width as i32 + i
                }
            });
            color_array.extend(own);
        }
        let mut places = reserved(entries)?;
        places.extend(
            coordinates(&by_rows, block).map(|(row, column)| match colored {
                Colored::Columns => (color_array[column], row as i32),
                Colored::Rows => (color_array[row], column as i32),
            }),
        );
        Ok(Self {
            rows,
            columns,
            block,
            by_rows,
            colored,
            colors: coloring::number(colors) * width,
            color_array: Array::vector(color_array)?,
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

    /// The row and the column of each entry, in the order of the values of the sparse Jacobian.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let pattern = SparsityPattern::new(3, vec![0, 1, 3], vec![0, 2, 1])?;
    /// assert_eq!(pattern.coordinates().collect::<Vec<_>>(), [(0, 0), (1, 2), (1, 1)]);
    /// # Ok::<(), SparsityError>(())
    /// ```
    pub fn coordinates(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        coordinates(&self.by_rows, self.block)
    }

    /// The extents of a block, rows before columns; both are 1 unless the pattern is one of blocks.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// assert_eq!(SparsityPattern::new(3, vec![0, 1], vec![2])?.block_shape(), [1, 1]);
    /// # Ok::<(), SparsityError>(())
    /// ```
    pub fn block_shape(&self) -> [usize; 2] {
        self.block
    }

    /// Where each row starts among the entries, or each row of blocks among the blocks, and at the end how many there are: with
    /// [`column_indices`](Self::column_indices) and the values of a sparse Jacobian, that is CSR, or BSR for blocks.
    ///
    /// A sparse Jacobian times a vector:
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let pattern = SparsityPattern::new(3, vec![0, 1, 3], vec![0, 2, 1])?;
    /// let (offsets, columns) = (pattern.row_offsets()?, pattern.column_indices()?);
    /// let product = |values: Acc<Ix1, f64>, v: Acc<Ix1, f64>| {
    ///     let (offsets, columns) = (use_(&offsets), use_(&columns));
    ///     generate(ix![offsets.size() - 1], |ix![i]| {
    ///         let (start, end) = (offsets.at(ix![i]), offsets.at(ix![i + 1]));
    ///         iterate(end - start, |k, sum| {
    ///             let entry = ix![start + k];
    ///             sum + values.at(entry) * v.at(ix![columns.at(entry)])
    ///         }, 0.0)
    ///     })
    /// };
    /// let [values, v] = [[2.0, 3.0, 4.0], [1.0, 10.0, 100.0]].map(|v| Array::vector(v.to_vec()));
    /// assert_eq!(interpret(product, (values?, v?))?.to_vec(), [2.0, 340.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where there is no memory for them.
    pub fn row_offsets(&self) -> Result<Array<Ix1, i32>, HostArrayError> {
        integers(&self.by_rows.offsets)
    }

    /// The column of each entry, or the column of blocks of each block; as [`row_offsets`](Self::row_offsets).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let pattern = SparsityPattern::from_blocks([1, 2], 3, vec![0, 1, 3], vec![0, 2, 1])?;
    /// assert_eq!(pattern.row_offsets()?.to_vec(), [0, 1, 3]);
    /// assert_eq!(pattern.column_indices()?.to_vec(), [0, 2, 1]);
    /// # Ok::<(), SparsityError>(())
    /// ```
    ///
    /// # Errors
    /// Where there is no memory for them.
    pub fn column_indices(&self) -> Result<Array<Ix1, i32>, HostArrayError> {
        integers(&self.by_rows.indices)
    }

    /// Whether columns or rows have colors: whether Jacobians are made in forward or in reverse mode.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // A diagonal; a row is as good as a column then, and forward mode takes less time.
    /// let pattern = SparsityPattern::new(3, vec![0, 1, 2, 3], vec![0, 1, 2])?;
    /// assert_eq!(pattern.colored(), Colored::Columns);
    /// # Ok::<(), SparsityError>(())
    /// ```
    pub fn colored(&self) -> Colored {
        self.colored
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

    /// The color of a column, from 0, or that of a row where [rows have colors](Self::colored); `None` if it has no entries, or is not there.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let pattern = SparsityPattern::new(3, vec![0, 2, 3], vec![0, 2, 2])?;
    /// assert_eq!(pattern.colored(), Colored::Columns);
    /// assert_ne!(pattern.color_of(0), pattern.color_of(2));
    /// assert_eq!(pattern.color_of(1), None);
    /// # Ok::<(), SparsityError>(())
    /// ```
    pub fn color_of(&self, line: usize) -> Option<usize> {
        usize::try_from(self.color_array.get([line])?).ok()
    }

    /// For each column, or row, its color; a negative number where it has no entries.
    pub(super) fn color_array(&self) -> &Array<Ix1, i32> {
        &self.color_array
    }

    /// For each entry the color of its column and its row, or the other way round.
    pub(super) fn places(&self) -> &Array<Ix1, (i32, i32)> {
        &self.places
    }
}

/// The row and the column of each element of each block.
fn coordinates(
    by_rows: &Compressed,
    [height, width]: [usize; 2],
) -> impl Iterator<Item = (usize, usize)> + '_ {
    let blocks = (0..by_rows.len()).flat_map(|row| by_rows.of(row).iter().map(move |&j| (row, j)));
    blocks.flat_map(move |(row, column)| {
        let of_row = move |i| (0..width).map(move |j| (height * row + i, width * column + j));
        (0..height).flat_map(of_row)
    })
}

/// Numbers that fit in an `i32`, as an array.
fn integers(numbers: &[usize]) -> Result<Array<Ix1, i32>, HostArrayError> {
    let mut integers = reserved(numbers.len())?;
    integers.extend(numbers.iter().map(|&i| i as i32));
    Array::vector(integers)
}
