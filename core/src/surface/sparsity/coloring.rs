//! Colors for the columns of a sparse matrix, such that no two columns of one color have a row in common; or for its rows.
//!
//! Greedy, in the order of degrees in the graph whose edges join columns with a common row (A. R. Curtis, M. J. D. Powell and
//! J. K. Reid: *On the estimation of sparse Jacobian matrices*, 1974; the order is that of Welsh and Powell). The graph is not
//! made: the neighbours of a column are the columns of its rows. Equal degrees are taken in the order of columns, so that the
//! colors depend on nothing but the pattern. The rows of a matrix are the columns of its transpose.

use super::Colored;
use super::compressed::{Compressed, filled};
use crate::host::{HostArrayError, reserved};

/// What stands for the color of a column without entries.
pub(super) const NO_COLOR: i32 = -1;

/// Colors for the columns of a matrix of blocks of the given extents, or for its rows, whichever takes fewer; columns if that is the same.
///
/// What one kind takes is at least the longest line of the other kind, so that the second is not tried where it cannot win.
pub(super) fn fewest(
    by_rows: &Compressed,
    by_columns: &Compressed,
    [block_rows, block_columns]: [usize; 2],
) -> Result<(Colored, Vec<i32>), HostArrayError> {
    let bounds = [
        (by_rows.longest() * block_columns, Colored::Columns),
        (by_columns.longest() * block_rows, Colored::Rows),
    ];
    let (first, second) = match bounds[0] <= bounds[1] {
        true => (bounds[0], bounds[1]),
        false => (bounds[1], bounds[0]),
    };
    let found = |colored| -> Result<_, HostArrayError> {
        let colors = colors_of(colored, by_rows, by_columns)?;
        let extent = match colored {
            Colored::Columns => block_columns,
            Colored::Rows => block_rows,
        };
        Ok(((number(&colors) * extent, colored), colors))
    };
    let (count, colors) = found(first.1)?;
    if count <= second {
        return Ok((first.1, colors));
    }
    let (other_count, other) = found(second.1)?;
    Ok(match other_count < count {
        true => (second.1, other),
        false => (first.1, colors),
    })
}

/// Colors for all columns, or all rows.
pub(super) fn colors_of(
    colored: Colored,
    by_rows: &Compressed,
    by_columns: &Compressed,
) -> Result<Vec<i32>, HostArrayError> {
    match colored {
        Colored::Columns => colors(by_rows, by_columns),
        Colored::Rows => colors(by_columns, by_rows),
    }
}

/// How many colors there are.
pub(super) fn number(colors: &[i32]) -> usize {
    let most = colors.iter().max().copied().unwrap_or(NO_COLOR);
    usize::try_from(most + 1).unwrap_or(0)
}

/// The colors of the columns, from 0 without gaps; the pattern is valid.
fn colors(by_rows: &Compressed, by_columns: &Compressed) -> Result<Vec<i32>, HostArrayError> {
    let columns = by_columns.len();
    let mut colors = filled(columns, NO_COLOR)?;
    // For each color the last column with a neighbour of that color.
    let mut taken: Vec<Option<usize>> = filled(columns, None)?;
    for column in order(by_rows, by_columns)? {
        for neighbour in neighbours(by_rows, by_columns, column) {
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
