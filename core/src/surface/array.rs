//! Typed arrays in host memory: what programs are run on.

mod forms;
mod iter;
#[cfg(feature = "nalgebra")]
mod matrices;
#[cfg(feature = "ndarray")]
mod ndarrays;
#[cfg(feature = "serde")]
mod serial;
mod show;

#[cfg(feature = "ndarray")]
pub use ndarrays::Dimensions;

use super::elt::{Elt, out_of_memory, scalar_types};
use super::shape::{Dims, Ix1, Shape, Single, Z};
use crate::host::{Column, HostArray, HostArrayError, element_count, reserved};
use crate::types::ArrayType;
use std::fmt;
use std::marker::PhantomData;

/// An array in host memory, one column per scalar of `T`. Cheap to clone: columns are shared.
///
/// Invariant: the columns are of the types of `T`'s scalars and all of one shape, of `Sh`'s rank.
pub struct Array<Sh, T> {
    columns: Vec<HostArray>,
    ty: PhantomData<fn() -> (Sh, T)>,
}

impl<Sh: Shape, T: Elt> Array<Sh, T> {
    /// An array of elements in row-major order.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![(1, 0.5), (2, 1.5), (3, 2.5), (4, 3.5)])?;
    /// assert_eq!(m.get([1, 0]), Some((3, 2.5)));
    /// # Ok::<(), cotangent_core::host::HostArrayError>(())
    /// ```
    ///
    /// # Errors
    /// Where the extents do not match the number of elements or are too large, or there is no memory for the columns.
    pub fn from_vec<const N: usize>(
        shape: [usize; N],
        values: Vec<T>,
    ) -> Result<Self, HostArrayError>
    where
        [usize; N]: Dims<Sh>,
    {
        Self::of_elements(shape.to_vec(), values)
    }

    /// The same, where the shape has as many extents as there are dimensions.
    fn of_elements(shape: Vec<usize>, values: Vec<T>) -> Result<Self, HostArrayError> {
        debug_assert_eq!(shape.len(), Sh::RANK);
        if element_count(&shape)? != values.len() {
            return Err(HostArrayError::Length {
                shape,
                len: values.len(),
            });
        }
        let mut columns = vec![];
        T::to_columns(values, &mut columns)?;
        let columns = columns.into_iter();
        let columns: Result<Vec<_>, _> = columns
            .map(|column| HostArray::new(shape.clone(), column))
            .collect();
        Ok(Self::new(columns?))
    }

    /// An array with `f(i)` at each index i.
    ///
    /// # Errors
    /// Where the extents are too large, or there is no memory for the elements; `f` is not called then.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let m = Array::<Ix2, i32>::from_fn([2, 3], |[i, j]| (10 * i + j) as i32)?;
    /// assert_eq!(m.to_vec(), [0, 1, 2, 10, 11, 12]);
    /// # Ok::<(), cotangent_core::host::HostArrayError>(())
    /// ```
    pub fn from_fn<const N: usize>(
        shape: [usize; N],
        mut f: impl FnMut([usize; N]) -> T,
    ) -> Result<Self, HostArrayError>
    where
        [usize; N]: Dims<Sh>,
    {
        let len = element_count(&shape)?;
        let mut values = reserved(len)?;
        values.extend((0..len).map(|linear| f(unravel(shape, linear))));
        Self::from_vec(shape, values)
    }

    fn new(columns: Vec<HostArray>) -> Self {
        Self {
            columns,
            ty: PhantomData,
        }
    }

    /// An array of the given columns; `None` where they are not of this type.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let points = Array::vector(vec![(1, 0.5), (2, 1.5)])?;
    /// let columns = points.clone().into_columns();
    /// assert_eq!(Array::<Ix1, (i32, f64)>::from_columns(columns.clone()), Some(points));
    /// assert_eq!(Array::<Ix1, (f64, i32)>::from_columns(columns), None);
    /// # Ok::<(), cotangent_core::host::HostArrayError>(())
    /// ```
    pub fn from_columns(columns: Vec<HostArray>) -> Option<Self> {
        let types = scalar_types::<T>().into_iter();
        let fits = types
            .map(|elem| ArrayType::new(elem, Sh::RANK))
            .eq(columns.iter().map(HostArray::array_type));
        let is_one_shape = columns.windows(2).all(|w| w[0].shape() == w[1].shape());
        (fits && is_one_shape).then(|| Self::new(columns))
    }

    /// One array per scalar of `T`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let points = Array::vector(vec![(1, 0.5), (2, 1.5)])?;
    /// let [numbers, weights] = points.columns() else { unreachable!() };
    /// assert_eq!(numbers.column(), &vec![1, 2].into());
    /// assert_eq!(weights.column(), &vec![0.5, 1.5].into());
    /// # Ok::<(), cotangent_core::host::HostArrayError>(())
    /// ```
    pub fn columns(&self) -> &[HostArray] {
        &self.columns
    }

    /// The columns, by value.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let points = Array::vector(vec![(1, 0.5), (2, 1.5)])?;
    /// assert_eq!(points.into_columns()[1].column(), &vec![0.5, 1.5].into());
    /// # Ok::<(), cotangent_core::host::HostArrayError>(())
    /// ```
    pub fn into_columns(self) -> Vec<HostArray> {
        self.columns
    }

    /// The extents, outermost first.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let m = Array::<Ix2, _>::from_vec([2, 3], vec![0.0; 6])?;
    /// assert_eq!(m.shape(), [2, 3]);
    /// # Ok::<(), cotangent_core::host::HostArrayError>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        self.columns.first().map_or(&[], HostArray::shape)
    }

    /// The number of elements.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let m = Array::<Ix2, _>::from_vec([2, 3], vec![0.0; 6])?;
    /// assert_eq!(m.len(), 6);
    /// # Ok::<(), cotangent_core::host::HostArrayError>(())
    /// ```
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, |array| array.column().len())
    }

    /// Whether there are no elements.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let m = Array::<Ix2, f64>::from_vec([2, 0], vec![])?;
    /// assert!(m.is_empty());
    /// # Ok::<(), cotangent_core::host::HostArrayError>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements in row-major order. Where memory is missing the process ends, as for any vector; see
    /// [`try_to_vec`](Self::try_to_vec).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let points = Array::vector(vec![(1, 0.5), (2, 1.5)])?;
    /// assert_eq!(points.to_vec(), [(1, 0.5), (2, 1.5)]);
    /// # Ok::<(), cotangent_core::host::HostArrayError>(())
    /// ```
    pub fn to_vec(&self) -> Vec<T> {
        self.try_to_vec().unwrap_or_else(out_of_memory)
    }

    /// The elements in row-major order.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let v = Array::vector(vec![(1, 0.5), (2, 1.5)])?;
    /// assert_eq!(v.try_to_vec()?, [(1, 0.5), (2, 1.5)]);
    /// # Ok::<(), cotangent_core::host::HostArrayError>(())
    /// ```
    ///
    /// # Errors
    /// Where there is no memory for them.
    pub fn try_to_vec(&self) -> Result<Vec<T>, HostArrayError> {
        let mut columns = self.columns.iter().map(|array| array.column().clone());
        T::from_columns(&mut columns)
    }

    /// The elements in row-major order, without a copy where this is the only handle to a scalar column. Where memory
    /// is missing the process ends, as for any vector; see [`try_into_vec`](Self::try_into_vec).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let x = Array::vector(vec![1.0, 2.0])?;
    /// assert_eq!(x.into_vec(), [1.0, 2.0]);
    /// # Ok::<(), cotangent_core::host::HostArrayError>(())
    /// ```
    pub fn into_vec(self) -> Vec<T> {
        self.try_into_vec().unwrap_or_else(out_of_memory)
    }

    /// The elements in row-major order, without a copy where this is the only handle to a scalar column.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// assert_eq!(Array::vector(vec![1.0, 2.0])?.try_into_vec()?, [1.0, 2.0]);
    /// # Ok::<(), cotangent_core::host::HostArrayError>(())
    /// ```
    ///
    /// # Errors
    /// Where there is no memory for them.
    pub fn try_into_vec(self) -> Result<Vec<T>, HostArrayError> {
        let mut columns = self.columns.into_iter().map(HostArray::into_column);
        T::from_columns(&mut columns)
    }

    /// The element at an index, or `None` out of range.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(m.get([1, 0]), Some(3.0));
    /// assert_eq!(m.get([2, 0]), None);
    /// # Ok::<(), cotangent_core::host::HostArrayError>(())
    /// ```
    pub fn get<const N: usize>(&self, index: [usize; N]) -> Option<T>
    where
        [usize; N]: Dims<Sh>,
    {
        let linear = ravel(self.shape(), &index)?;
        let one = |array: &HostArray| {
            let value = array.column().get(linear)?;
            Column::from_consts(value.scalar_type(), [value])
        };
        let columns: Option<Vec<_>> = self.columns.iter().map(one).collect();
        T::from_columns(&mut columns?.into_iter()).ok()?.pop()
    }

    /// The only element of an array without dimensions, which is what a sum over all elements gives.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let x = Array::vector(vec![1.5, 2.5])?;
    /// let total = interpret(|x: Acc<Ix1, f64>| x.sum(), x)?;
    /// assert_eq!(total.item(), 4.0);
    /// # Ok::<(), InterpretError>(())
    /// ```
    pub fn item(&self) -> T
    where
        Sh: Single,
    {
        match self.to_vec().pop() {
            Some(value) => value,
            None => unreachable!("an array without dimensions has one element"),
        }
    }
}

impl<T: Elt> Array<Ix1, T> {
    /// A vector.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let x = Array::vector(vec![1.0, 2.0, 3.0])?;
    /// assert_eq!(x.shape(), [3]);
    /// # Ok::<(), cotangent_core::host::HostArrayError>(())
    /// ```
    ///
    /// # Errors
    /// Where there are too many elements.
    pub fn vector(values: Vec<T>) -> Result<Self, HostArrayError> {
        Self::from_vec([values.len()], values)
    }
}

impl<T: Elt> Array<Z, T> {
    /// A single value, as an array without dimensions.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// assert_eq!(Array::scalar(2.5).item(), 2.5);
    /// ```
    pub fn scalar(value: T) -> Self {
        let mut columns = vec![];
        T::to_columns(vec![value], &mut columns).unwrap_or_else(out_of_memory);
        let array = |column| HostArray::new(vec![], column).ok();
        Self::new(columns.into_iter().filter_map(array).collect())
    }
}

fn unravel<const N: usize>(shape: [usize; N], mut linear: usize) -> [usize; N] {
    let mut index = [0; N];
    for axis in (0..N).rev() {
        index[axis] = linear % shape[axis];
        linear /= shape[axis];
    }
    index
}

fn ravel(shape: &[usize], index: &[usize]) -> Option<usize> {
    let mut dims = shape.iter().zip(index);
    dims.try_fold(0usize, |linear, (&extent, &i)| {
        let inside = i < extent;
        inside.then(|| linear.checked_mul(extent)?.checked_add(i))?
    })
}

impl<Sh, T> Clone for Array<Sh, T> {
    fn clone(&self) -> Self {
        Self {
            columns: self.columns.clone(),
            ty: PhantomData,
        }
    }
}

impl<Sh, T> PartialEq for Array<Sh, T> {
    /// Equal extents and equal elements, as `==` on the scalars has it: a NaN equals nothing.
    fn eq(&self, other: &Self) -> bool {
        self.columns == other.columns
    }
}

impl<Sh: Shape, T: Elt + fmt::Debug> fmt::Debug for Array<Sh, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array{:?} ", self.shape())?;
        f.debug_list().entries(self.to_vec()).finish()
    }
}
