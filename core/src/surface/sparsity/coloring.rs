//! Colors for the columns of a sparse matrix, such that no two columns of one color have a row in common.
//!
//! Greedy, in the order of degrees in the graph whose edges join columns with a common row (A. R. Curtis, M. J. D. Powell and
//! J. K. Reid: *On the estimation of sparse Jacobian matrices*, 1974; the order is that of Welsh and Powell). The graph is not
//! made: the neighbours of a column are the columns of its rows. Equal degrees are taken in the order of columns, so that the
//! colors depend on nothing but the pattern.

use super::{Compressed, filled};
use crate::host::{HostArrayError, reserved};

/// What stands for the color of a column without entries.
pub(super) const NO_COLOR: i32 = -1;

/// The colors of the columns, from 0 without gaps; the pattern is valid.
pub(super) fn colored(by_rows: &Compressed, columns: usize) -> Result<Vec<i32>, HostArrayError> {
    let by_columns = transposed(by_rows, columns)?;
    let mut colors = filled(columns, NO_COLOR)?;
    // For each color the last column with a neighbour of that color.
    let mut taken: Vec<Option<usize>> = filled(columns, None)?;
    for column in order(by_rows, &by_columns)? {
        for neighbour in neighbours(by_rows, &by_columns, column) {
            if let Ok(color) = usize::try_from(colors[neighbour]) {
                taken[color] = Some(column);
            }
        }
        let free = taken.iter().position(|&by| by != Some(column));
        colors[column] = free.map_or(NO_COLOR, |free| free as i32);
    }
    Ok(colors)
}

/// The columns with entries, those with most neighbours first.
fn order(by_rows: &Compressed, by_columns: &Compressed) -> Result<Vec<usize>, HostArrayError> {
    let columns = by_columns.len();
    let mut degrees = filled(columns, 0_usize)?;
    let mut seen_by = filled(columns, None)?;
    for (column, degree) in degrees.iter_mut().enumerate() {
        for neighbour in neighbours(by_rows, by_columns, column) {
            if seen_by[neighbour] != Some(column) {
                seen_by[neighbour] = Some(column);
                *degree += 1;
            }
        }
    }
    let mut order = reserved(columns)?;
    order.extend((0..columns).filter(|&column| !by_columns.of(column).is_empty()));
    order.sort_by_key(|&column| std::cmp::Reverse(degrees[column]));
    Ok(order)
}

/// The columns that have a row in common with a column, itself among them; some more than once.
fn neighbours<'a>(
    by_rows: &'a Compressed,
    by_columns: &'a Compressed,
    column: usize,
) -> impl Iterator<Item = usize> + 'a {
    let rows = by_columns.of(column).iter();
    rows.flat_map(|&row| by_rows.of(row).iter().copied())
}

/// The rows of each column.
fn transposed(by_rows: &Compressed, columns: usize) -> Result<Compressed, HostArrayError> {
    let mut offsets = filled(columns + 1, 0)?;
    for &column in &by_rows.indices {
        offsets[column + 1] += 1;
    }
    for column in 0..columns {
        offsets[column + 1] += offsets[column];
    }
    let mut next: Vec<usize> = reserved(columns)?;
    next.extend_from_slice(&offsets[..columns]);
    let mut indices = filled(by_rows.indices.len(), 0)?;
    for row in 0..by_rows.len() {
        for &column in by_rows.of(row) {
            indices[next[column]] = row;
            next[column] += 1;
        }
    }
    Ok(Compressed { offsets, indices })
}
