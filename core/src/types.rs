//! Reified types: what an erased node carries, and what the checker re-derives.
//!
//! A value of the expression language is a *scalar*; tuples, structs and small fixed arrays of the
//! surface are sequences of scalars and have no counterpart here. An array of the array language has
//! one scalar per element: an array of tuples is a sequence of arrays ("columns") of one shape.

use crate::integer_type;
use std::fmt;

/// The type of one scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScalarType {
    /// A truth value.
    Bool,
    /// Signed, 8 bits.
    I8,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits; also the type of every index and extent.
    I32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// IEEE 754 binary16.
    F16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl ScalarType {
    /// Every scalar type, in order of declaration.
    pub const ALL: [ScalarType; 12] = [
        Self::Bool,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::F16,
        Self::F32,
        Self::F64,
    ];

    /// The name in the text form, which is the one that it has in Rust.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The type of that name.
    ///
    /// ```
    /// use cotangent_core::types::ScalarType;
    /// assert_eq!(ScalarType::named("f16"), Some(ScalarType::F16));
    /// assert_eq!(ScalarType::named("f8"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// Whether values of this type carry a derivative.
    pub fn is_float(self) -> bool {
        match self {
            Self::F16 | Self::F32 | Self::F64 => true,
            Self::Bool | integer_type!() => false,
        }
    }

    /// The unsigned integers that are as wide as these floats.
    pub fn as_bits(self) -> Option<Self> {
        match self {
            Self::F16 => Some(Self::U16),
            Self::F32 => Some(Self::U32),
            Self::F64 => Some(Self::U64),
            Self::Bool | integer_type!() => None,
        }
    }

    /// The floats that are as wide as these unsigned integers.
    pub fn of_bits(self) -> Option<Self> {
        let floats = [Self::F16, Self::F32, Self::F64];
        floats.into_iter().find(|ty| ty.as_bits() == Some(self))
    }

    /// Whether this is an integer type (`bool` is none).
    pub fn is_integer(self) -> bool {
        match self {
            integer_type!() => true,
            Self::Bool | Self::F16 | Self::F32 | Self::F64 => false,
        }
    }

    /// Whether this is an integer type without negative numbers: its −1 is the greatest number.
    pub fn is_unsigned(self) -> bool {
        match self {
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => true,
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => false,
            Self::Bool | Self::F16 | Self::F32 | Self::F64 => false,
        }
    }

    /// Whether arithmetic is defined on this type.
    pub fn is_number(self) -> bool {
        self.is_float() || self.is_integer()
    }

    /// Whether this is a float whose sums are computed in `f64`, and rounded in the end: see
    /// [`AccOp`](crate::term::AccOp).
    pub fn is_narrow_float(self) -> bool {
        match self {
            Self::F16 | Self::F32 => true,
            Self::F64 | Self::Bool | integer_type!() => false,
        }
    }

    /// Bytes one value takes in memory.
    pub fn bytes(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The pattern of all integer types, for matches on a [`ScalarType`] to which they are one case.
#[macro_export]
macro_rules! integer_type {
    () => {
        $crate::types::ScalarType::I8
            | $crate::types::ScalarType::I16
            | $crate::types::ScalarType::I32
            | $crate::types::ScalarType::I64
            | $crate::types::ScalarType::U8
            | $crate::types::ScalarType::U16
            | $crate::types::ScalarType::U32
            | $crate::types::ScalarType::U64
    };
}

/// A set of scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ScalarTypes(u16);

impl ScalarTypes {
    /// All of them.
    pub const ALL: Self = Self::of(&ScalarType::ALL);

    /// What every engine and every device computes with, and passes may bring into any program: `bool` and `i32`, of
    /// which conditions and indices are, and `f32`. Derivatives of `f16` are computed in it, and it finds rows of
    /// packed triangles.
    pub const EVERYWHERE: Self = Self::of(&[ScalarType::Bool, ScalarType::I32, ScalarType::F32]);

    const fn of(types: &[ScalarType]) -> Self {
        let (mut bits, mut n) = (0, 0);
        while n < types.len() {
            bits |= 1 << types[n] as u8;
            n += 1;
        }
        Self(bits)
    }

    /// Whether a type is one of them.
    pub fn contains(self, ty: ScalarType) -> bool {
        self.0 & Self::of(&[ty]).0 != 0
    }

    /// Adds a type.
    pub fn insert(&mut self, ty: ScalarType) {
        *self = self.with(Self::of(&[ty]));
    }

    /// Those of both sets.
    pub fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Those that are not in another set.
    pub fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// The types, in order of declaration.
    pub fn iter(self) -> impl Iterator<Item = ScalarType> {
        let all = ScalarType::ALL.into_iter();
        all.filter(move |&ty| self.contains(ty))
    }
}

impl FromIterator<ScalarType> for ScalarTypes {
    fn from_iter<I: IntoIterator<Item = ScalarType>>(types: I) -> Self {
        let mut set = Self::default();
        types.into_iter().for_each(|ty| set.insert(ty));
        set
    }
}

impl fmt::Display for ScalarTypes {
    /// `i32, f64`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(|ty| ty.to_string()).collect();
        f.write_str(&names.join(", "))
    }
}

/// The type of one array: its element and its number of dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArrayType {
    /// The type of each element.
    pub elem: ScalarType,
    /// The number of dimensions; 0 for a single value.
    pub rank: usize,
}

impl ArrayType {
    /// An array of `rank` dimensions of `elem`.
    pub const fn new(elem: ScalarType, rank: usize) -> Self {
        Self { elem, rank }
    }
}

impl fmt::Display for ArrayType {
    /// `f64[_, _]` for a matrix.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.elem, vec!["_"; self.rank].join(", "))
    }
}
