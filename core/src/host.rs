//! Arrays in host memory, erased: how values enter and leave a program.

mod buffer;
mod spread;

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
    I8(Arc<Buffer<i8>>),
    I16(Arc<Buffer<i16>>),
    I32(Arc<Buffer<i32>>),
    I64(Arc<Buffer<i64>>),
    U8(Arc<Buffer<u8>>),
    U16(Arc<Buffer<u16>>),
    U32(Arc<Buffer<u32>>),
    U64(Arc<Buffer<u64>>),
    F16(Arc<Buffer<f16>>),
    F32(Arc<Buffer<f32>>),
    F64(Arc<Buffer<f64>>),
}

/// The pattern of all columns of integers, for matches on a [`Column`] to which they are one case.
#[macro_export]
macro_rules! integer_column {
    () => {
        $crate::host::Column::I8(_)
            | $crate::host::Column::I16(_)
            | $crate::host::Column::I32(_)
            | $crate::host::Column::I64(_)
            | $crate::host::Column::U8(_)
            | $crate::host::Column::U16(_)
            | $crate::host::Column::U32(_)
            | $crate::host::Column::U64(_)
    };
}

/// Runs `$body` with `$v` bound to the vector inside the column, whatever its type.
#[macro_export]
macro_rules! with_column {
    ($column:expr, $v:ident => $body:expr) => {
        match $column {
            $crate::host::Column::Bool($v) => $body,
            $crate::host::Column::I8($v) => $body,
            $crate::host::Column::I16($v) => $body,
            $crate::host::Column::I32($v) => $body,
            $crate::host::Column::I64($v) => $body,
            $crate::host::Column::U8($v) => $body,
            $crate::host::Column::U16($v) => $body,
            $crate::host::Column::U32($v) => $body,
            $crate::host::Column::U64($v) => $body,
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
            Self::I8(_) => ScalarType::I8,
            Self::I16(_) => ScalarType::I16,
            Self::I32(_) => ScalarType::I32,
            Self::I64(_) => ScalarType::I64,
            Self::U8(_) => ScalarType::U8,
            Self::U16(_) => ScalarType::U16,
            Self::U32(_) => ScalarType::U32,
            Self::U64(_) => ScalarType::U64,
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

    /// Collects constants, all of which must be of type `ty`; none where they are not, or memory is missing.
    pub fn from_consts(ty: ScalarType, values: impl IntoIterator<Item = Const>) -> Option<Self> {
        Self::try_from_consts(ty, values).ok()
    }

    /// Collects constants, all of which must be of type `ty`.
    ///
    /// # Errors
    /// Where one is of another type, or memory is missing.
    pub fn try_from_consts(
        ty: ScalarType,
        values: impl IntoIterator<Item = Const>,
    ) -> Result<Self, HostArrayError> {
        let values = values.into_iter();
        macro_rules! collect {
            ($variant:ident) => {{
                let mut out = reserved(values.size_hint().0)?;
                for value in values {
                    let Const::$variant(value) = value else {
                        return Err(HostArrayError::Columns);
                    };
                    push(&mut out, value)?;
                }
                Ok(Self::from(out))
            }};
        }
        match ty {
            ScalarType::Bool => collect!(Bool),
            ScalarType::I8 => collect!(I8),
            ScalarType::I16 => collect!(I16),
            ScalarType::I32 => collect!(I32),
            ScalarType::I64 => collect!(I64),
            ScalarType::U8 => collect!(U8),
            ScalarType::U16 => collect!(U16),
            ScalarType::U32 => collect!(U32),
            ScalarType::U64 => collect!(U64),
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
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
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
    #[error(
        "shape {shape:?} is too large: each extent must be at most {max}, and the number of elements below 2^63",
        max = i32::MAX
    )]
    TooLarge {
        /// The extents given.
        shape: Vec<usize>,
    },
    /// Memory for the elements could not be had.
    #[error("{bytes} bytes of memory could not be allocated for the elements of an array")]
    OutOfMemory {
        /// The size asked for.
        bytes: u64,
    },
    /// Columns that are not those of the element type.
    #[error("the columns are not those of the array's element type")]
    Columns,
}

/// Requests of so many bytes are large.
const LARGE: usize = 1 << 20;
/// Large requests must leave so many bytes of address space for all the small ones, which nobody asks whether they can be
/// had: an allocator may set 64 MiB aside for each thread, and there are some.
const LEFT: usize = 256 << 20;

/// Whether memory for a request can be had and some be left: where none was, the next small allocation would end the
/// process. Small requests are granted.
pub fn has_room(bytes: usize) -> bool {
    if bytes < LARGE {
        return true;
    }
    let mut probe: Vec<u8> = vec![];
    let fits = probe.try_reserve_exact(bytes.saturating_add(LEFT)).is_ok();
    // An allocation that nobody looks at might be taken for granted.
    std::hint::black_box(&probe);
    fits
}

/// An empty vector with room for `len` values.
///
/// ```
/// use cotangent_core::host::{HostArrayError, reserved};
/// assert!(reserved::<f64>(3)?.capacity() >= 3);
/// let bytes = u64::MAX; // What is asked for, as far as it can be counted.
/// assert_eq!(reserved::<f64>(usize::MAX), Err(HostArrayError::OutOfMemory { bytes }));
/// # Ok::<(), HostArrayError>(())
/// ```
///
/// # Errors
/// Where there is not that much memory.
pub fn reserved<T>(len: usize) -> Result<Vec<T>, HostArrayError> {
    let mut values = vec![];
    let granted = has_room(len.saturating_mul(size_of::<T>()));
    match granted && values.try_reserve_exact(len).is_ok() {
        true => Ok(values),
        false => Err(HostArrayError::OutOfMemory {
            bytes: (len as u64).saturating_mul(size_of::<T>() as u64),
        }),
    }
}

/// Adds a value, for which memory may have to be made.
fn push<T>(values: &mut Vec<T>, value: T) -> Result<(), HostArrayError> {
    let bytes = 2 * size_of_val(values.as_slice()) as u64;
    let room = values.try_reserve(1);
    room.map_err(|_| HostArrayError::OutOfMemory { bytes })?;
    values.push(value);
    Ok(())
}

/// The number of elements of an array of these extents.
///
/// # Errors
/// Where an extent exceeds the index type, or the number cannot be that of a vector's elements.
pub fn element_count(shape: &[usize]) -> Result<usize, HostArrayError> {
    let too_large = || HostArrayError::TooLarge {
        shape: shape.to_vec(),
    };
    if shape.iter().any(|&e| i32::try_from(e).is_err()) {
        return Err(too_large());
    }
    if shape.contains(&0) {
        return Ok(0);
    }
    let product = shape.iter().try_fold(1usize, |p, &e| p.checked_mul(e));
    let product = product.filter(|&count| isize::try_from(count).is_ok());
    product.ok_or_else(too_large)
}

impl HostArray {
    /// An array of the given extents.
    ///
    /// # Errors
    /// Where the extents do not match the number of elements or are too large.
    pub fn new(shape: Vec<usize>, column: Column) -> Result<Self, HostArrayError> {
        if element_count(&shape)? == column.len() {
            return Ok(Self { shape, column });
        }
        Err(HostArrayError::Length {
            len: column.len(),
            shape,
        })
    }

    /// An array of this type without elements, or, if it has no dimensions, a zero; none where there is no memory for it.
    pub fn empty(ty: ArrayType) -> Option<Self> {
        let zero = (ty.rank == 0).then(|| Const::zero(ty.elem));
        let column = Column::from_consts(ty.elem, zero)?;
        Self::new(vec![0; ty.rank], column).ok()
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
