//! Arrays from and to those of `ndarray`; the feature `ndarray` has it.

use super::Array;
use crate::host::HostArrayError;
use crate::surface::elt::Elt;
use crate::surface::scalar::Scalar;
use crate::surface::shape::{Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, Shape, Z};
use ndarray::{ArrayView, Dimension, IxDyn, OwnedRepr};

/// Shapes with a counterpart in `ndarray`: those of up to six dimensions.
pub trait Dimensions: Shape {
    /// The counterpart.
    type Dim: Dimension;
}

macro_rules! dimensions {
    ($($shape:ty: $dim:ident,)*) => {$(
        impl Dimensions for $shape {
            type Dim = ndarray::$dim;
        }
    )*};
}

dimensions! {
    Z: Ix0,
    Ix1: Ix1,
    Ix2: Ix2,
    Ix3: Ix3,
    Ix4: Ix4,
    Ix5: Ix5,
    Ix6: Ix6,
}

impl<Sh: Dimensions, T: Scalar> Array<Sh, T> {
    /// The array as one of `ndarray`, without a copy; the feature `ndarray` has it.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let m = Array::<Ix2, f64>::from([[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(m.view().column(1).sum(), 6.0);
    /// ```
    pub fn view(&self) -> ArrayView<'_, T, Sh::Dim> {
        let view = ArrayView::from_shape(IxDyn(self.shape()), self.as_slice());
        let view = view.and_then(ArrayView::into_dimensionality);
        view.unwrap_or_else(|_| unreachable!("as many elements as the shape has, of its rank"))
    }
}

/// An array of `ndarray`, without a copy where its elements are scalars that lie in row-major order with nothing in between.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let m = ndarray::array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// let transposed = Array::<Ix2, f64>::try_from(m.reversed_axes())?;
/// assert_eq!(transposed.to_vec(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// # Ok::<(), cotangent_core::host::HostArrayError>(())
/// ```
impl<Sh: Dimensions, T: Elt> TryFrom<ndarray::Array<T, Sh::Dim>> for Array<Sh, T> {
    type Error = HostArrayError;

    fn try_from(array: ndarray::Array<T, Sh::Dim>) -> Result<Self, HostArrayError> {
        let shape = array.shape().to_vec();
        if !array.is_standard_layout() {
            return Self::of_elements(shape, array.iter().cloned().collect());
        }
        let len = array.len();
        let (mut values, start) = array.into_raw_vec_and_offset();
        values.truncate(start.unwrap_or(0) + len);
        values.drain(..start.unwrap_or(0));
        Self::of_elements(shape, values)
    }
}

/// A copy of what `ndarray` shows.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let m = ndarray::array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// let every_other = Array::<Ix2, f64>::try_from(m.slice(ndarray::s![.., ..;2]))?;
/// assert_eq!(every_other.to_vec(), [1.0, 3.0, 4.0, 6.0]);
/// # Ok::<(), cotangent_core::host::HostArrayError>(())
/// ```
impl<Sh: Dimensions, T: Elt> TryFrom<ArrayView<'_, T, Sh::Dim>> for Array<Sh, T> {
    type Error = HostArrayError;

    fn try_from(view: ArrayView<'_, T, Sh::Dim>) -> Result<Self, HostArrayError> {
        Self::of_elements(view.shape().to_vec(), view.iter().cloned().collect())
    }
}

/// An array of `ndarray`, without a copy where [`Array::into_vec`] makes none.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let m = ndarray::Array2::from(Array::<Ix2, f64>::from([[1.0, 2.0], [3.0, 4.0]]));
/// assert_eq!(m[[1, 0]], 3.0);
/// ```
impl<Sh: Dimensions, T: Elt> From<Array<Sh, T>> for ndarray::ArrayBase<OwnedRepr<T>, Sh::Dim> {
    fn from(array: Array<Sh, T>) -> Self {
        let shape = IxDyn(array.shape());
        let made = ndarray::Array::from_shape_vec(shape, array.into_vec());
        let made = made.and_then(ndarray::Array::into_dimensionality);
        made.unwrap_or_else(|_| unreachable!("as many elements as the shape has, of its rank"))
    }
}
