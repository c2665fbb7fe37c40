//! Arrays of scalars as Rust has them: nested literals, slices, elements by index.

use super::{Array, ravel};
use crate::surface::elt::{Elt, out_of_memory};
use crate::surface::scalar::Scalar;
use crate::surface::shape::{Dims, Ix1, Ix2, Ix3, Shape};
use std::ops::Index;

impl<Sh: Shape, T: Scalar> Array<Sh, T> {
    /// The elements in row-major order, where they are.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let m = Array::<Ix2, f64>::from([[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(m.as_slice().iter().sum::<f64>(), 10.0);
    /// ```
    pub fn as_slice(&self) -> &[T] {
        let column = self.columns.first().map(|array| array.column());
        column.and_then(T::of_column).unwrap_or(&[])
    }
}

/// The element at an index. `Array::get` is for what may be out of range, and for elements that are no scalars.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let m = Array::<Ix2, f64>::from([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(m[[1, 0]], 3.0);
/// ```
///
/// # Panics
/// Where the index is out of range, as for slices.
impl<Sh: Shape, T: Scalar, const N: usize> Index<[usize; N]> for Array<Sh, T>
where
    [usize; N]: Dims<Sh>,
{
    type Output = T;

    #[track_caller]
    fn index(&self, index: [usize; N]) -> &T {
        let (shape, linear) = (self.shape(), ravel(self.shape(), &index));
        assert!(
            linear.is_some(),
            "the index {index:?} is out of range of an array of shape {shape:?}"
        );
        &self.as_slice()[linear.unwrap_or(0)]
    }
}

/// An array of elements that are there already: extents that Rust's own arrays have are not too large.
fn literal<Sh: Shape, T: Elt, const N: usize>(shape: [usize; N], values: Vec<T>) -> Array<Sh, T>
where
    [usize; N]: Dims<Sh>,
{
    Array::from_vec(shape, values).unwrap_or_else(out_of_memory)
}

/// A vector. Where memory is missing the process ends, as for any vector.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let v = Array::<Ix1, i32>::from([1, 2, 3]);
/// assert_eq!(interpret(|v: Acc<Ix1, i32>| v.sum(), v)?.item(), 6);
/// # Ok::<(), InterpretError>(())
/// ```
impl<T: Elt, const A: usize> From<[T; A]> for Array<Ix1, T> {
    fn from(values: [T; A]) -> Self {
        literal([A], values.into())
    }
}

/// A matrix, by its rows.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let m = Array::<Ix2, f64>::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(m.shape(), [2, 3]);
/// ```
impl<T: Elt, const A: usize, const B: usize> From<[[T; B]; A]> for Array<Ix2, T> {
    fn from(rows: [[T; B]; A]) -> Self {
        literal([A, B], rows.into_iter().flatten().collect())
    }
}

/// An array of three dimensions, by its matrices.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let a = Array::<Ix3, i32>::from([[[1, 2]], [[3, 4]], [[5, 6]]]);
/// assert_eq!(a.shape(), [3, 1, 2]);
/// ```
impl<T: Elt, const A: usize, const B: usize, const C: usize> From<[[[T; C]; B]; A]>
    for Array<Ix3, T>
{
    fn from(matrices: [[[T; C]; B]; A]) -> Self {
        let rows = matrices.into_iter().flatten();
        literal([A, B, C], rows.flatten().collect())
    }
}
