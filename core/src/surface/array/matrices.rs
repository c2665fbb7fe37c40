//! Arrays from and to the matrices and vectors of `nalgebra`, which lie column by column; the feature `nalgebra` has it.

use super::Array;
use crate::host::HostArrayError;
use crate::surface::elt::Elt;
use crate::surface::shape::{Ix1, Ix2};
use nalgebra::{DMatrix, DVector, Dim, Matrix, RawStorage, Scalar};

/// A copy, row by row.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let m = nalgebra::DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 3.0, 4.0]);
/// assert_eq!(Array::<Ix2, f64>::try_from(&m)?.to_vec(), [1.0, 2.0, 3.0, 4.0]);
/// # Ok::<(), cotangent_core::host::HostArrayError>(())
/// ```
impl<T: Elt + Scalar, R: Dim, C: Dim, S: RawStorage<T, R, C>> TryFrom<&Matrix<T, R, C, S>>
    for Array<Ix2, T>
{
    type Error = HostArrayError;

    fn try_from(matrix: &Matrix<T, R, C, S>) -> Result<Self, HostArrayError> {
        let rows = matrix.row_iter();
        let elements = rows.flat_map(|row| row.iter().cloned().collect::<Vec<_>>());
        let shape = vec![matrix.nrows(), matrix.ncols()];
        Self::of_elements(shape, elements.collect())
    }
}

/// A vector, without a copy where the elements are scalars.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let v = nalgebra::DVector::from_vec(vec![1.0, 2.0]);
/// assert_eq!(Array::<Ix1, f64>::try_from(v)?.to_vec(), [1.0, 2.0]);
/// # Ok::<(), cotangent_core::host::HostArrayError>(())
/// ```
impl<T: Elt + Scalar> TryFrom<DVector<T>> for Array<Ix1, T> {
    type Error = HostArrayError;

    fn try_from(vector: DVector<T>) -> Result<Self, HostArrayError> {
        Self::vector(vector.data.into())
    }
}

/// A copy, column by column.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let m = nalgebra::DMatrix::from(Array::<Ix2, f64>::from([[1.0, 2.0], [3.0, 4.0]]));
/// assert_eq!(m[(1, 0)], 3.0);
/// ```
impl<T: Elt + Scalar> From<Array<Ix2, T>> for DMatrix<T> {
    fn from(array: Array<Ix2, T>) -> Self {
        let (rows, columns) = match array.shape() {
            &[rows, columns] => (rows, columns),
            [..] => unreachable!("a matrix has two dimensions"),
        };
        Self::from_row_iterator(rows, columns, array)
    }
}

/// A vector, without a copy where [`Array::into_vec`] makes none.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let v = nalgebra::DVector::from(Array::<Ix1, f64>::from([1.0, 2.0]));
/// assert_eq!(v.norm_squared(), 5.0);
/// ```
impl<T: Elt + Scalar> From<Array<Ix1, T>> for DVector<T> {
    fn from(array: Array<Ix1, T>) -> Self {
        Self::from_vec(array.into_vec())
    }
}
