//! Arrays from and to vectors, slices and iterators.

use super::Array;
use crate::host::HostArrayError;
use crate::surface::elt::{Elt, out_of_memory};
use crate::surface::shape::{Ix1, Shape};
use std::vec;

impl<T: Elt> Array<Ix1, T> {
    /// A vector of what an iterator gives.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let squares = Array::try_from_iter((0..4).map(|i| f64::from(i * i)))?;
    /// assert_eq!(squares.to_vec(), [0.0, 1.0, 4.0, 9.0]);
    /// # Ok::<(), cotangent_core::host::HostArrayError>(())
    /// ```
    ///
    /// # Errors
    /// Where there are more elements than 2³¹ − 1, or there is no memory for their columns.
    pub fn try_from_iter(values: impl IntoIterator<Item = T>) -> Result<Self, HostArrayError> {
        Self::vector(values.into_iter().collect())
    }
}

/// A vector of what an iterator gives: `collect`. Where there are more than 2³¹ − 1 elements, or memory is missing, the process ends as for any
/// vector; [`Array::try_from_iter`] says so instead.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let squares: Array<Ix1, i32> = (0..4).map(|i| i * i).collect();
/// assert_eq!(squares.to_vec(), [0, 1, 4, 9]);
/// ```
impl<T: Elt> FromIterator<T> for Array<Ix1, T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self::try_from_iter(values).unwrap_or_else(out_of_memory)
    }
}

/// A vector, without a copy where the elements are scalars.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let v: Array<Ix1, f64> = vec![1.0, 2.0].try_into()?;
/// assert_eq!(v.shape(), [2]);
/// # Ok::<(), cotangent_core::host::HostArrayError>(())
/// ```
impl<T: Elt> TryFrom<Vec<T>> for Array<Ix1, T> {
    type Error = HostArrayError;

    fn try_from(values: Vec<T>) -> Result<Self, HostArrayError> {
        Self::vector(values)
    }
}

/// A vector of copies.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let all = [1.0, 2.0, 3.0];
/// let v = Array::try_from(&all[1..])?;
/// assert_eq!(v.to_vec(), [2.0, 3.0]);
/// # Ok::<(), cotangent_core::host::HostArrayError>(())
/// ```
impl<T: Elt> TryFrom<&[T]> for Array<Ix1, T> {
    type Error = HostArrayError;

    fn try_from(values: &[T]) -> Result<Self, HostArrayError> {
        Self::vector(values.to_vec())
    }
}

/// The elements, as [`Array::into_vec`] gives them.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// assert_eq!(Vec::from(Array::<Ix1, i32>::from([1, 2])), [1, 2]);
/// ```
impl<T: Elt> From<Array<Ix1, T>> for Vec<T> {
    fn from(array: Array<Ix1, T>) -> Self {
        array.into_vec()
    }
}

/// The elements in row-major order, by value.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let m = Array::<Ix2, f64>::from([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(m.into_iter().sum::<f64>(), 10.0);
/// ```
impl<Sh: Shape, T: Elt> IntoIterator for Array<Sh, T> {
    type Item = T;
    type IntoIter = vec::IntoIter<T>;

    fn into_iter(self) -> vec::IntoIter<T> {
        self.into_vec().into_iter()
    }
}

/// Copies of the elements in row-major order. [`Array::as_slice`] lends elements that are scalars.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let points = Array::<Ix1, (i32, f64)>::from([(1, 0.5), (2, 1.5)]);
/// let mut total = 0.0;
/// for (n, x) in &points {
///     total += f64::from(n) * x;
/// }
/// assert_eq!(total, 3.5);
/// ```
impl<Sh: Shape, T: Elt> IntoIterator for &Array<Sh, T> {
    type Item = T;
    type IntoIter = vec::IntoIter<T>;

    fn into_iter(self) -> vec::IntoIter<T> {
        self.to_vec().into_iter()
    }
}
