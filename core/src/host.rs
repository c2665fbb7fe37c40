//! Arrays in host memory, erased: how values enter and leave a program.

mod buffer;

pub use buffer::{Buffer, Home};

use crate::constant::Const;
use crate::rounding::f16;
use crate::types::{ArrayType, ScalarType};
use std::sync::{Arc, Weak};

/// The elements of one array in row-major order.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Column {
    Bool(Arc<Buffer<bool>>),
    I32(Arc<Buffer<i32>>),
    I64(Arc<Buffer<i64>>),
    U32(Arc<Buffer<u32>>),
    F16(Arc<Buffer<f16>>),
    F32(Arc<Buffer<f32>>),
    F64(Arc<Buffer<f64>>),
}

/// Runs `$body` with `$v` bound to the vector inside the column, whatever its type.
#[macro_export]
macro_rules! with_column {
    ($column:expr, $v:ident => $body:expr) => {
        match $column {
            $crate::host::Column::Bool($v) => $body,
            $crate::host::Column::I32($v) => $body,
            $crate::host::Column::I64($v) => $body,
            $crate::host::Column::U32($v) => $body,
            $crate::host::Column::F16($v) => $body,
            $crate::host::Column::F32($v) => $body,
            $crate::host::Column::F64($v) => $body,
        }
    };
}

impl Column {
    /// The number of elements.
    pub fn len(&self) -> usize {
        with_column!(self, v => v.len())
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type of the elements.
    pub fn scalar_type(&self) -> ScalarType {
        match self {
            Self::Bool(_) => ScalarType::Bool,
            Self::I32(_) => ScalarType::I32,
            Self::I64(_) => ScalarType::I64,
            Self::U32(_) => ScalarType::U32,
            Self::F16(_) => ScalarType::F16,
            Self::F32(_) => ScalarType::F32,
            Self::F64(_) => ScalarType::F64,
        }
    }

    /// The element at linear position `i`, or `None` beyond the end.
    pub fn get(&self, i: usize) -> Option<Const> {
        with_column!(self, v => v.get(i).map(|&x| Const::from(x)))
    }

    /// Sends the memory to `home` once nobody uses it any more; nothing where the memory is shared.
    pub fn set_home(&mut self, home: &Weak<dyn Home>) {
        with_column!(self, v => {
            if let Some(buffer) = Arc::get_mut(v) {
                buffer.set_home(home.clone());
            }
        });
    }

    /// Collects constants, all of which must be of type `ty`.
    pub fn from_consts(ty: ScalarType, values: impl IntoIterator<Item = Const>) -> Option<Self> {
        macro_rules! collect {
            ($variant:ident) => {
                values
                    .into_iter()
                    .map(|c| match c {
                        Const::$variant(x) => Some(x),
                        _ => None,
                    })
                    .collect::<Option<Vec<_>>>()
                    .map(Self::from)
            };
        }
        match ty {
            ScalarType::Bool => collect!(Bool),
            ScalarType::I32 => collect!(I32),
            ScalarType::I64 => collect!(I64),
            ScalarType::U32 => collect!(U32),
            ScalarType::F16 => collect!(F16),
            ScalarType::F32 => collect!(F32),
            ScalarType::F64 => collect!(F64),
        }
    }
}

macro_rules! column_from {
    ($($variant:ident($ty:ty)),*) => {$(
        impl From<Vec<$ty>> for Column {
            fn from(values: Vec<$ty>) -> Self {
                Self::from(Buffer::from(values))
            }
        }

        impl From<Buffer<$ty>> for Column {
            fn from(buffer: Buffer<$ty>) -> Self {
                Self::$variant(Arc::new(buffer))
            }
        }
    )*};
}

column_from!(
    Bool(bool),
    I32(i32),
    I64(i64),
    U32(u32),
    F16(f16),
    F32(f32),
    F64(f64)
);

/// An array in host memory: extents, outermost first, and elements in row-major order.
///
/// Invariant: the product of the extents is the number of elements, and each extent fits in an `i32`.
#[derive(Clone, Debug, PartialEq)]
pub struct HostArray {
    shape: Vec<usize>,
    column: Column,
}

/// Why a [`HostArray`] could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HostArrayError {
    /// The extents' product differs from the number of elements.
    #[error("shape {shape:?} does not hold {len} elements")]
    Length {
        /// The extents given.
        shape: Vec<usize>,
        /// The elements given.
        len: usize,
    },
    /// An extent exceeds the index type, or the number of elements overflows.
    #[error("shape {shape:?} is too large: each extent must be at most {max}", max = i32::MAX)]
    TooLarge {
        /// The extents given.
        shape: Vec<usize>,
    },
}

impl HostArray {
    /// An array of the given extents.
    ///
    /// # Errors
    /// Where the extents do not match the number of elements or are too large.
    pub fn new(shape: Vec<usize>, column: Column) -> Result<Self, HostArrayError> {
        let product = if shape.contains(&0) {
            Some(0)
        } else {
            shape.iter().try_fold(1usize, |p, &e| p.checked_mul(e))
        };
        let fits = shape.iter().all(|&e| i32::try_from(e).is_ok());
        match product {
            Some(len) if fits && len == column.len() => Ok(Self { shape, column }),
            Some(_) if fits => Err(HostArrayError::Length {
                len: column.len(),
                shape,
            }),
            Some(_) | None => Err(HostArrayError::TooLarge { shape }),
        }
    }

    /// The extents, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The elements.
    pub fn column(&self) -> &Column {
        &self.column
    }

    /// The elements, by value.
    pub fn into_column(self) -> Column {
        self.column
    }

    /// The array's type.
    pub fn array_type(&self) -> ArrayType {
        ArrayType::new(self.column.scalar_type(), self.shape.len())
    }
}
