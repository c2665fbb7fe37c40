//! Arrays of the interpreter, and how operations make them.
//!
//! Invariants: the elements of an [`Array`] are as many as the product of its extents; an extent fits in an
//! `i32`. Only [`Results`] makes shapes from numbers that a program computed, and it checks them.

use super::bug;
use super::value::Value;
use crate::backend::{RunError, Site};
use crate::constant::Const;
use crate::host::{Column, HostArray, HostArrayError, reserved};
use crate::term::{ArrBind, Labelled};
use crate::types::{ArrayType, ScalarType};
use std::rc::Rc;

/// The most elements one array may have: 4 GiB of [`Value`]s. A program that asks for more wants another
/// engine, and should hear so before hours have gone by.
const MAX_ELEMENTS: usize = 1 << 28;

/// An array; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Array {
    elem: ScalarType,
    shape: Vec<usize>,
    elements: Rc<Vec<Value>>,
}

impl Array {
    /// A number as an array of rank 0.
    pub(super) fn number(x: i32) -> Self {
        Self {
            elem: ScalarType::I32,
            shape: vec![],
            elements: Rc::new(vec![Value::Plain(Const::I32(x))]),
        }
    }

    /// The array as the host gave it.
    pub(super) fn from_host(host: &HostArray) -> Result<Self, RunError> {
        let column = host.column();
        let constants = (0..column.len()).filter_map(|i| column.get(i));
        let elements = constants.map(|x| Ok(Value::Plain(x)));
        Ok(Self {
            elem: column.scalar_type(),
            shape: host.shape().to_vec(),
            elements: Rc::new(gathered(column.len(), "an input", elements)?),
        })
    }

    /// The array as the host gets it, without derivatives.
    pub(super) fn to_host(&self) -> Result<HostArray, RunError> {
        let constants = self.elements.iter().map(Value::constant);
        let column =
            Column::try_from_consts(self.elem, constants).map_err(|error| match error {
                HostArrayError::OutOfMemory { bytes } => RunError::OutOfHostMemory {
                    what: "a result",
                    bytes,
                },
                HostArrayError::Columns
                | HostArrayError::Length { .. }
                | HostArrayError::TooLarge { .. } => {
                    bug(format!("an element of an array of {} is not", self.elem))
                }
            })?;
        HostArray::new(self.shape.clone(), column).map_err(|error| bug(error.to_string()))
    }

    /// The type.
    pub(super) fn array_type(&self) -> ArrayType {
        ArrayType::new(self.elem, self.shape.len())
    }

    /// The extents, outermost first.
    pub(super) fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The elements in row-major order.
    pub(super) fn elements(&self) -> &[Value] {
        &self.elements
    }

    /// The element at a linear position.
    pub(super) fn element(&self, position: usize) -> Result<Value, RunError> {
        let element = self.elements.get(position).cloned();
        element.ok_or_else(|| bug(format!("no element {position} in shape {:?}", self.shape)))
    }

    /// The element at an index.
    pub(super) fn at(&self, index: &[i64], site: Site) -> Result<Value, RunError> {
        self.element(linear(index, &self.shape, site)?)
    }

    /// The part of the array inside `shape`, whose extents are at most its own.
    pub(super) fn crop(&self, shape: &[usize]) -> Result<Self, RunError> {
        if self.shape == shape {
            return Ok(self.clone());
        }
        let count = element_count(shape);
        let inside = (0..count).map(|i| {
            let index = coordinates(i, shape);
            self.element(offset(&index, &self.shape))
        });
        Ok(Self {
            elem: self.elem,
            shape: shape.to_vec(),
            elements: Rc::new(gathered(count, "a part of an array", inside)?),
        })
    }

    /// The same elements under another shape of as many.
    pub(super) fn with_shape(&self, shape: Vec<usize>) -> Self {
        Self {
            elem: self.elem,
            shape,
            elements: Rc::clone(&self.elements),
        }
    }

    /// An array of the same type and shape with other elements, each made from its position and the old one.
    pub(super) fn with_elements(
        &self,
        element: impl FnMut((usize, &Value)) -> Result<Value, RunError>,
    ) -> Result<Self, RunError> {
        let elements = self.elements.iter().enumerate().map(element);
        Ok(Self {
            elem: self.elem,
            shape: self.shape.clone(),
            elements: Rc::new(gathered(self.elements.len(), "derivatives", elements)?),
        })
    }
}

/// `count` values in a vector, or why there is no memory for them.
fn gathered(
    count: usize,
    what: &'static str,
    values: impl Iterator<Item = Result<Value, RunError>>,
) -> Result<Vec<Value>, RunError> {
    let missing = |_| RunError::OutOfHostMemory {
        what,
        bytes: (count as u64).saturating_mul(size_of::<Value>() as u64),
    };
    let mut gathered = reserved(count).map_err(missing)?;
    for value in values {
        gathered.push(value?);
    }
    Ok(gathered)
}

/// The arrays cut down to the intersection of their shapes; the shape.
pub(super) fn intersect(arrays: &[Array]) -> Result<(Vec<Array>, Vec<usize>), RunError> {
    let first = arrays.first().ok_or_else(|| bug("no arguments"))?;
    let mut shape = first.shape.clone();
    for array in arrays {
        if array.shape.len() != shape.len() {
            return Err(bug("arguments of different ranks"));
        }
        for (extent, other) in shape.iter_mut().zip(&array.shape) {
            *extent = (*extent).min(*other);
        }
    }
    let cropped = arrays.iter().map(|array| array.crop(&shape));
    Ok((cropped.collect::<Result<_, _>>()?, shape))
}

/// The number of elements of an array that exists, or whose shape [`Results::shape`] let pass.
pub(super) fn element_count(shape: &[usize]) -> usize {
    if shape.contains(&0) {
        return 0;
    }
    shape.iter().product()
}

/// The index at a linear position.
pub(super) fn coordinates(position: usize, shape: &[usize]) -> Vec<usize> {
    let (mut index, mut rest) = (vec![0; shape.len()], position);
    for (coordinate, extent) in index.iter_mut().zip(shape).rev() {
        *coordinate = rest % extent;
        rest /= extent;
    }
    index
}

/// The linear position of an index inside the shape.
pub(super) fn offset(index: &[usize], shape: &[usize]) -> usize {
    let steps = index.iter().zip(shape);
    steps.fold(0, |position, (i, extent)| position * extent + i)
}

/// The linear position of an index, or why it has none.
pub(super) fn linear(index: &[i64], shape: &[usize], site: Site) -> Result<usize, RunError> {
    if index.len() != shape.len() {
        return Err(bug(format!(
            "{site}: an index of {} dimensions",
            index.len()
        )));
    }
    let mut position = 0;
    for (i, extent) in index.iter().zip(shape) {
        match usize::try_from(*i) {
            Ok(i) if i < *extent => position = position * extent + i,
            Ok(_) | Err(_) => {
                return Err(RunError::IndexOutOfRange {
                    site,
                    index: index.to_vec(),
                    extents: shape.to_vec(),
                    trips: vec![],
                });
            }
        }
    }
    Ok(position)
}

/// An index or extents as a program sees them; what is there fits in an `i32`.
pub(super) fn to_values(index: &[usize]) -> Vec<Value> {
    let constants = index.iter().map(|&i| Const::I32(i as i32));
    constants.map(Value::Plain).collect()
}

/// An index or extents that a program computed.
pub(super) fn to_integers(values: &[Value]) -> Result<Vec<i64>, RunError> {
    let integers = values.iter().map(|value| {
        let index = value.constant();
        let integer = index.as_i32().map(i64::from);
        integer.ok_or_else(|| bug(format!("{index} as an index")))
    });
    integers.collect()
}

/// Where results go: the bindings that await them, and whom to blame for a failure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Results<'p> {
    /// The operation.
    pub(super) site: Site,
    /// What its results are bound to.
    pub(super) binds: &'p [ArrBind<Labelled>],
}

impl Results<'_> {
    /// Checks the shape of a result.
    pub(super) fn shape(self, extents: &[i64]) -> Result<Vec<usize>, RunError> {
        let bad = || RunError::BadShape {
            site: self.site,
            shape: extents.to_vec(),
        };
        let extent = |&e: &i64| i32::try_from(e).ok().and_then(|e| usize::try_from(e).ok());
        let shape: Option<Vec<_>> = extents.iter().map(extent).collect();
        let count = extents.iter().try_fold(1i64, |n, &e| n.checked_mul(e));
        if count.is_none() && !extents.contains(&0) {
            return Err(bad());
        }
        shape.ok_or_else(bad)
    }

    /// Room for the given number of elements of one result.
    pub(super) fn reserve(self, count: usize) -> Result<Vec<Value>, RunError> {
        let column = reserved(count).ok();
        let column = column.filter(|_| count <= MAX_ELEMENTS);
        column.ok_or_else(|| RunError::OutOfMemory {
            site: self.site,
            bytes: (count as u64).saturating_mul(size_of::<Value>() as u64),
        })
    }

    /// The results of a shape, made from one tuple of elements per linear position, in order.
    pub(super) fn build(
        self,
        shape: &[usize],
        mut tuple_at: impl FnMut(usize) -> Result<Vec<Value>, RunError>,
    ) -> Result<Vec<Array>, RunError> {
        let count = element_count(shape);
        let mut columns = self.columns(count)?;
        for position in 0..count {
            self.push(&mut columns, tuple_at(position)?)?;
        }
        self.finish(shape, columns)
    }

    /// Room for the given number of elements of each result.
    pub(super) fn columns(self, count: usize) -> Result<Vec<Vec<Value>>, RunError> {
        self.binds.iter().map(|_| self.reserve(count)).collect()
    }

    /// Adds one element to each result.
    pub(super) fn push(
        self,
        columns: &mut [Vec<Value>],
        tuple: Vec<Value>,
    ) -> Result<(), RunError> {
        if tuple.len() != columns.len() {
            return Err(bug(format!("{}: {} elements", self.site, tuple.len())));
        }
        for (column, element) in columns.iter_mut().zip(tuple) {
            column.push(element);
        }
        Ok(())
    }

    /// The results of a shape, given their elements.
    pub(super) fn finish(
        self,
        shape: &[usize],
        columns: Vec<Vec<Value>>,
    ) -> Result<Vec<Array>, RunError> {
        if columns.len() != self.binds.len() {
            return Err(bug(format!("{}: {} results", self.site, columns.len())));
        }
        let arrays = self
            .binds
            .iter()
            .zip(columns)
            .map(|(bind, elements)| Array {
                elem: bind.ty.elem,
                shape: shape.to_vec(),
                elements: Rc::new(elements),
            });
        Ok(arrays.collect())
    }
}
