//! Scalar constants, compared and hashed by their bits.
//!
//! Bitwise equality is what makes merging equal nodes sound: `0.0` and `-0.0` differ, and a NaN equals
//! itself.

mod read;

use crate::integer_type;
pub use read::ConstError;

use crate::rounding::{self, f16};
use crate::types::ScalarType;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// One scalar value, known at compile time or computed by an interpreter.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Const {
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
    F64(f64),
}

/// The pattern of all integers, for matches on a [`Const`] to which they are one case.
#[macro_export]
macro_rules! integer_const {
    () => {
        $crate::constant::Const::I8(_)
            | $crate::constant::Const::I16(_)
            | $crate::constant::Const::I32(_)
            | $crate::constant::Const::I64(_)
            | $crate::constant::Const::U8(_)
            | $crate::constant::Const::U16(_)
            | $crate::constant::Const::U32(_)
            | $crate::constant::Const::U64(_)
    };
}

impl Const {
    /// The type of this value.
    pub fn scalar_type(self) -> ScalarType {
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

    /// The truth value, if it is one.
    pub fn as_bool(self) -> Option<bool> {
        let Self::Bool(holds) = self else {
            return None;
        };
        Some(holds)
    }

    /// The number, if it is an `i32`.
    pub fn as_i32(self) -> Option<i32> {
        let Self::I32(number) = self else {
            return None;
        };
        Some(number)
    }

    /// The number, if it is an integer.
    ///
    /// ```
    /// use cotangent_core::constant::Const;
    /// assert_eq!(Const::U8(200).as_integer(), Some(200));
    /// assert_eq!(Const::Bool(true).as_integer(), None);
    /// ```
    pub fn as_integer(self) -> Option<i128> {
        match self {
            Self::I8(i) => Some(i.into()),
            Self::I16(i) => Some(i.into()),
            Self::I32(i) => Some(i.into()),
            Self::I64(i) => Some(i.into()),
            Self::U8(i) => Some(i.into()),
            Self::U16(i) => Some(i.into()),
            Self::U32(i) => Some(i.into()),
            Self::U64(i) => Some(i.into()),
            Self::Bool(_) | Self::F16(_) | Self::F32(_) | Self::F64(_) => None,
        }
    }

    /// The order in which arrays are sorted: ±0 are equal, NaN is greater than all numbers, and `true` than `false`. Constants of
    /// different types are ordered by their types.
    ///
    /// ```
    /// use cotangent_core::constant::Const;
    /// use std::cmp::Ordering;
    /// assert_eq!(Const::F64(0.0).sort_cmp(Const::F64(-0.0)), Ordering::Equal);
    /// assert_eq!(Const::F64(f64::NAN).sort_cmp(Const::F64(f64::INFINITY)), Ordering::Greater);
    /// ```
    pub fn sort_cmp(self, other: Self) -> Ordering {
        fn floats<T: PartialOrd>(x: T, y: T, are_nan: [bool; 2]) -> Ordering {
            x.partial_cmp(&y)
                .unwrap_or_else(|| are_nan[0].cmp(&are_nan[1]))
        }
        match (self, other) {
            (Self::Bool(x), Self::Bool(y)) => x.cmp(&y),
            (Self::I8(x), Self::I8(y)) => x.cmp(&y),
            (Self::I16(x), Self::I16(y)) => x.cmp(&y),
            (Self::I32(x), Self::I32(y)) => x.cmp(&y),
            (Self::I64(x), Self::I64(y)) => x.cmp(&y),
            (Self::U8(x), Self::U8(y)) => x.cmp(&y),
            (Self::U16(x), Self::U16(y)) => x.cmp(&y),
            (Self::U32(x), Self::U32(y)) => x.cmp(&y),
            (Self::U64(x), Self::U64(y)) => x.cmp(&y),
            (Self::F16(x), Self::F16(y)) => floats(x, y, [x.is_nan(), y.is_nan()]),
            (Self::F32(x), Self::F32(y)) => floats(x, y, [x.is_nan(), y.is_nan()]),
            (Self::F64(x), Self::F64(y)) => floats(x, y, [x.is_nan(), y.is_nan()]),
            (x, y) => x.scalar_type().cmp(&y.scalar_type()),
        }
    }

    /// The bit pattern, widened to 64 bits.
    pub fn bits(self) -> u64 {
        match self {
            Self::Bool(b) => u64::from(b),
            Self::I8(i) => u64::from(i as u8),
            Self::I16(i) => u64::from(i as u16),
            Self::I32(i) => u64::from(i as u32),
            Self::I64(i) => i as u64,
            Self::U8(i) => i.into(),
            Self::U16(i) => i.into(),
            Self::U32(i) => i.into(),
            Self::U64(i) => i,
            Self::F16(x) => u64::from(x.to_bits()),
            Self::F32(x) => u64::from(x.to_bits()),
            Self::F64(x) => x.to_bits(),
        }
    }

    /// Zero of the given type; `false` for `bool`.
    pub fn zero(ty: ScalarType) -> Self {
        match ty {
            ScalarType::Bool => Self::Bool(false),
            ScalarType::I8 => Self::I8(0),
            ScalarType::I16 => Self::I16(0),
            ScalarType::I32 => Self::I32(0),
            ScalarType::I64 => Self::I64(0),
            ScalarType::U8 => Self::U8(0),
            ScalarType::U16 => Self::U16(0),
            ScalarType::U32 => Self::U32(0),
            ScalarType::U64 => Self::U64(0),
            ScalarType::F16 => Self::F16(f16::ZERO),
            ScalarType::F32 => Self::F32(0.0),
            ScalarType::F64 => Self::F64(0.0),
        }
    }

    /// The float of type `ty` that is nearest to `value`; zero of a type that is no float.
    ///
    /// ```
    /// use cotangent_core::{constant::Const, types::ScalarType};
    /// assert_eq!(Const::float(ScalarType::F32, 0.5), Const::F32(0.5));
    /// assert_eq!(Const::float(ScalarType::F64, 0.5).as_f64(), Some(0.5));
    /// assert_eq!(Const::I32(1).as_f64(), None);
    /// ```
    pub fn float(ty: ScalarType, value: f64) -> Self {
        match ty {
            ScalarType::F16 => Self::F16(rounding::f16_of_f64(value)),
            ScalarType::F32 => Self::F32(value as f32),
            ScalarType::F64 => Self::F64(value),
            ScalarType::Bool | integer_type!() => Self::zero(ty),
        }
    }

    /// The number, if it is a float.
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Self::F16(x) => Some(x.to_f64()),
            Self::F32(x) => Some(x.into()),
            Self::F64(x) => Some(x),
            Self::Bool(_) | integer_const!() => None,
        }
    }

    /// The given small integer in type `ty`: see [`integer`](Self::integer).
    pub fn small(ty: ScalarType, value: i32) -> Self {
        Self::integer(ty, value.into())
    }

    /// The given integer in type `ty`, in which it wraps if the type does not have it; of floats the nearest; for `bool`, whether
    /// it is not 0.
    ///
    /// ```
    /// use cotangent_core::{constant::Const, types::ScalarType};
    /// assert_eq!(Const::integer(ScalarType::U8, -1), Const::U8(255));
    /// assert_eq!(Const::integer(ScalarType::F32, 3), Const::F32(3.0));
    /// ```
    pub fn integer(ty: ScalarType, value: i128) -> Self {
        match ty {
            ScalarType::Bool => Self::Bool(value != 0),
            ScalarType::I8 => Self::I8(value as i8),
            ScalarType::I16 => Self::I16(value as i16),
            ScalarType::I32 => Self::I32(value as i32),
            ScalarType::I64 => Self::I64(value as i64),
            ScalarType::U8 => Self::U8(value as u8),
            ScalarType::U16 => Self::U16(value as u16),
            ScalarType::U32 => Self::U32(value as u32),
            ScalarType::U64 => Self::U64(value as u64),
            ScalarType::F16 => Self::F16(rounding::f16_of_f64(value as f64)),
            ScalarType::F32 => Self::F32(value as f32),
            ScalarType::F64 => Self::F64(value as f64),
        }
    }

    /// Whether this is a zero (of either sign) or `false`.
    pub fn is_zero(self) -> bool {
        match self {
            Self::Bool(b) => !b,
            Self::I8(i) => i == 0,
            Self::I16(i) => i == 0,
            Self::I32(i) => i == 0,
            Self::I64(i) => i == 0,
            Self::U8(i) => i == 0,
            Self::U16(i) => i == 0,
            Self::U32(i) => i == 0,
            Self::U64(i) => i == 0,
            Self::F16(x) => x == f16::ZERO,
            Self::F32(x) => x == 0.0,
            Self::F64(x) => x == 0.0,
        }
    }

    /// Whether this is neither an infinity nor NaN.
    pub fn is_finite(self) -> bool {
        match self {
            Self::Bool(_) | integer_const!() => true,
            Self::F16(x) => x.is_finite(),
            Self::F32(x) => x.is_finite(),
            Self::F64(x) => x.is_finite(),
        }
    }

    /// Whether this is the number one, or `true`.
    pub fn is_one(self) -> bool {
        self == Self::small(self.scalar_type(), 1)
    }
}

impl PartialEq for Const {
    fn eq(&self, other: &Self) -> bool {
        self.scalar_type() == other.scalar_type() && self.bits() == other.bits()
    }
}

impl Eq for Const {}

impl Hash for Const {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.scalar_type().hash(state);
        self.bits().hash(state);
    }
}

impl fmt::Display for Const {
    /// The shortest text that reads back as the same value, with its type as a suffix where it is not obvious.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(b) => write!(f, "{b}"),
            Self::I32(i) => write!(f, "{i}"),
            Self::I8(i) => write!(f, "{i}i8"),
            Self::I16(i) => write!(f, "{i}i16"),
            Self::I64(i) => write!(f, "{i}i64"),
            Self::U8(i) => write!(f, "{i}u8"),
            Self::U16(i) => write!(f, "{i}u16"),
            Self::U32(i) => write!(f, "{i}u32"),
            Self::U64(i) => write!(f, "{i}u64"),
            Self::F16(x) if x.is_nan() => write!(f, "nan:{:04x}f16", x.to_bits()),
            Self::F16(x) => write!(f, "{:?}f16", rounding::shortest(*x)),
            Self::F32(x) if x.is_nan() => write!(f, "nan:{:08x}f32", x.to_bits()),
            Self::F32(x) => write!(f, "{x:?}f32"),
            Self::F64(x) if x.is_nan() => write!(f, "nan:{:016x}", x.to_bits()),
            Self::F64(x) => write!(f, "{x:?}"),
        }
    }
}

macro_rules! const_from {
    ($($variant:ident($ty:ty)),*) => {$(
        impl From<$ty> for Const {
            fn from(value: $ty) -> Self {
                Self::$variant(value)
            }
        }
    )*};
}

const_from!(
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
