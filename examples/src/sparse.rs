//! Sparse matrices by rows.

use crate::error::Result;
use cotangent::Error;
use cotangent::prelude::*;

/// A sparse matrix in a program: where rows start (and the last one ends), and the column and the value of each entry.
pub type Rows = (Acc<Ix1, i32>, Acc<Ix1, i32>, Acc<Ix1, f64>);

/// A sparse matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    /// Where rows start, and where the last one ends.
    pub starts: Vec<i32>,
    /// The column of each entry.
    pub columns: Vec<i32>,
    /// The value of each entry.
    pub values: Vec<f64>,
}

/// The product with a vector: one `iterate` over the entries of each row.
pub fn times((starts, columns, values): Rows, x: Acc<Ix1, f64>) -> Acc<Ix1, f64> {
    generate(ix![starts.size() - 1], |ix![row]| {
        let (first, end) = (starts.at(ix![row]), starts.at(ix![row + 1]));
        let add = |k: Exp<i32>, sum: Exp<f64>| {
            let entry = first + k;
            sum + values.at(ix![entry]) * x.at(ix![columns.at(ix![entry])])
        };
        iterate(end - first, add, constant(0.0))
    })
}

/// The host's side of [`Rows`].
pub type HostRows = (Array<Ix1, i32>, Array<Ix1, i32>, Array<Ix1, f64>);

impl Sparse {
    /// A matrix without rows.
    pub fn new() -> Self {
        Self {
            starts: vec![0],
            columns: vec![],
            values: vec![],
        }
    }

    /// Appends a row.
    ///
    /// # Errors
    /// Where there are more entries than an `i32` counts.
    pub fn push_row(&mut self, entries: impl IntoIterator<Item = (i32, f64)>) -> Result<()> {
        let (columns, values): (Vec<i32>, Vec<f64>) = entries.into_iter().unzip();
        self.columns.extend(columns);
        self.values.extend(values);
        self.starts.push(crate::error::size(
            "the number of entries",
            self.columns.len(),
        )?);
        Ok(())
    }

    /// The matrix as input of a program.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn to_host(&self) -> Result<HostRows> {
        let starts = Array::vector(self.starts.clone()).map_err(Error::from)?;
        let columns = Array::vector(self.columns.clone()).map_err(Error::from)?;
        Ok((
            starts,
            columns,
            Array::vector(self.values.clone()).map_err(Error::from)?,
        ))
    }

    /// The product with a vector, in plain Rust.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        let row = |bounds: &[i32]| {
            let entries = bounds[0] as usize..bounds[1] as usize;
            let columns = self.columns[entries.clone()].iter();
            let terms = columns.zip(&self.values[entries]);
            terms.fold(0.0, |sum, (&column, value)| {
                sum + value * x[column as usize]
            })
        };
        self.starts.windows(2).map(row).collect()
    }
}

impl Default for Sparse {
    fn default() -> Self {
        Self::new()
    }
}
