//! The Jacobian of bundle adjustment in compressed sparse rows.
//!
//! Rows 2i and 2i + 1 are observation i's two residuals: 11 columns of its camera, 3 of its point, 1 of its
//! weight. Row 2p + i is its weight error, with one column.

use super::{BaInput, CAMERA, LOCAL};
use crate::host::norm;

/// A sparse Jacobian of shape 3p × (11n + 3m + p).
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    /// The number of columns.
    pub columns: usize,
    /// Where each row begins in `cols` and the values; one entry more than rows.
    pub rows: Vec<i32>,
    /// The column of each value.
    pub cols: Vec<i32>,
    /// The values, in order of their rows: those of the residuals' rows \[p, 2, 15], then those of the weight
    /// errors' \[p].
    pub values: Vec<f64>,
}

impl Csr {
    /// The number of rows.
    pub fn row_count(&self) -> usize {
        self.rows.len().saturating_sub(1)
    }

    /// The Frobenius norm.
    pub fn norm(&self) -> f64 {
        norm(self.values.iter().copied())
    }
}

/// The number of columns.
pub fn column_count(input: &BaInput) -> usize {
    let (n, m, p) = input.sizes();
    CAMERA * n + 3 * m + p
}

/// The row starts for `p` observations.
pub fn row_starts(p: usize) -> impl Iterator<Item = i32> {
    let residuals = (0..=2 * p).map(|row| (row * LOCAL) as i32);
    let weights = (1..=p).map(move |row| (2 * p * LOCAL + row) as i32);
    residuals.chain(weights)
}

/// The columns of the values.
pub fn columns(input: &BaInput) -> impl Iterator<Item = i32> {
    let (n, m, p) = input.sizes();
    let (cameras, weights) = ((CAMERA * n) as i32, (CAMERA * n + 3 * m) as i32);
    let residual = move |(i, &(camera, point)): (usize, &(i32, i32))| {
        let camera = (0..CAMERA as i32).map(move |j| CAMERA as i32 * camera + j);
        let point = (0..3).map(move |j| cameras + 3 * point + j);
        let row = camera.chain(point).chain([weights + i as i32]);
        row.clone().chain(row)
    };
    let last = (0..p).map(move |i| weights + i as i32);
    let observations = input.observations.iter().enumerate();
    observations.flat_map(residual).chain(last)
}
