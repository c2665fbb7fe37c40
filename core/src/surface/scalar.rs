//! Scalars and their handles: `Exp<T>` and the classes of scalar types.

use super::elt::Elt;
use super::node_exp;
use super::session::{Call, RawExp};
use crate::constant::Const;
use crate::host::Column;
use crate::prim::Prim;
use crate::rounding::{f16, f16_of_f64};
use crate::types::ScalarType;
use std::fmt;
use std::marker::PhantomData;

/// A scalar of type `T` in a program: a `Copy` handle to what computes it.
///
/// Handles have no lifetime; one that is used outside of its program or its closure is an error that
/// [`trace`](super::trace) reports. There is no `==` and no `<` on handles, for their values are not known
/// while the program is built: see [`eq_`](Exp::eq_), [`lt`](Exp::lt), [`cond`](super::cond).
///
/// The operators `+`, `-`, `*` and `/` take expressions and literals on both sides; on integers also `%`, `&`, `|`, `^`, `<<`
/// and `>>`, of which the logical ones are for `bool`, too. Arithmetic on integers wraps, and of a division
/// by zero the quotient is 0 and the remainder the dividend.
///
/// Integers and truth values have no derivatives: where they are part of what a gradient is taken by, their part of it is
/// 0 or `false`. Methods say what the derivative is where that is a convention: at a kink such as that of
/// [`abs`](Exp::abs), at a tie of [`max`](Exp::max), and at a pole. That of [`cond`](super::cond) is the one of the
/// side that is taken.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |v: Acc<Ix1, (f64, i32)>| v.map(|p| gradient_e(|(x, n)| x * (n % 3).to_f64(), p));
/// let found = interpret(f, Array::vector(vec![(0.5, 5)])?)?;
/// assert_eq!(found.to_vec(), [(2.0, 0)]);
/// # Ok::<(), InterpretError>(())
/// ```
pub struct Exp<T> {
    raw: RawExp,
    ty: PhantomData<fn() -> T>,
}

impl<T> Exp<T> {
    #[doc(hidden)]
    pub fn from_raw(raw: RawExp) -> Self {
        Self {
            raw,
            ty: PhantomData,
        }
    }

    #[doc(hidden)]
    pub fn raw(self) -> RawExp {
        self.raw
    }

    /// A primitive with this scalar as its first operand.
    #[track_caller]
    pub(super) fn prim<U>(self, prim: Prim, rest: &[RawExp]) -> Exp<U> {
        self.prim_at(Call::here("expression"), prim, rest)
    }

    /// The same for a given place: closures of this module's own do not see their caller's.
    pub(super) fn prim_at<U>(self, call: Call, prim: Prim, rest: &[RawExp]) -> Exp<U> {
        let operands = [&[self.raw], rest].concat();
        Exp::from_raw(node_exp::prim(call, prim, &operands))
    }
}

impl<T> Clone for Exp<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Exp<T> {}

impl<T> fmt::Debug for Exp<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Exp<{}>({:?})", std::any::type_name::<T>(), self.raw)
    }
}

/// The types of single scalars: `bool`, `i8` to `i64`, `u8` to `u64`, `f16`, `f32`, `f64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar type",
    label = "the scalar types are bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32 and f64"
)]
pub trait Scalar: Elt<Exp = Exp<Self>> + Copy + Into<Const> {
    /// The type as the core language knows it.
    const TYPE: ScalarType;

    /// The elements of a column of this type; none of another.
    #[doc(hidden)]
    fn of_column(column: &Column) -> Option<&[Self]>;
}

/// The types with arithmetic: `i8` to `i64`, `u8` to `u64`, `f16`, `f32`, `f64`.
#[diagnostic::on_unimplemented(
    message = "arithmetic is not defined on `{Self}`",
    label = "the number types are i8, i16, i32, i64, u8, u16, u32, u64, f16, f32 and f64",
    note = "convert with `.to::<T>()`; tuples and arrays are computed on part by part"
)]
pub trait Num: Scalar {
    /// The division behind `/`: exact on floats, towards zero on integers.
    const DIV: Prim;

    /// A small number in this type; one that it does not have wraps.
    fn from_i32(value: i32) -> Self;
}

/// The floating-point types, which carry derivatives: `f16`, `f32`, `f64`.
#[diagnostic::on_unimplemented(
    message = "a floating-point number is needed here, not `{Self}`",
    label = "the floating-point types are f16, f32 and f64",
    note = "convert with `.to::<f64>()`"
)]
pub trait Float: Num {
    /// The integer of as many bits without a sign.
    type Unsigned: Integral;

    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
}

/// The integer types: `i8` to `i64`, `u8` to `u64`.
#[diagnostic::on_unimplemented(
    message = "an integer is needed here, not `{Self}`",
    label = "the integer types are i8, i16, i32, i64, u8, u16, u32 and u64",
    note = "convert with `.to::<i32>()`, or round with `.floor_to::<i32>()`"
)]
pub trait Integral: Num + Bits {
    /// The integer of as many bits without a sign.
    type Unsigned: Integral;
}

/// The types with `&`, `|` and `^`: integers, bit by bit, and `bool`, where both sides are evaluated.
#[diagnostic::on_unimplemented(
    message = "`&`, `|` and `^` are not defined on `{Self}`",
    label = "they work on bool, i8, i16, i32, i64, u8, u16, u32 and u64"
)]
pub trait Bits: Scalar {
    /// The operation behind `!`.
    const NOT: Prim;
    /// The operation behind `&`.
    const AND: Prim;
    /// The operation behind `|`.
    const OR: Prim;
    /// The operation behind `^`.
    const XOR: Prim;
}

macro_rules! scalars {
    ($($ty:ty: $variant:ident),*) => {$(
        impl Scalar for $ty {
            const TYPE: ScalarType = ScalarType::$variant;

            fn of_column(column: &Column) -> Option<&[Self]> {
                let Column::$variant(values) = column else {
                    return None;
                };
                Some(values)
            }
        }
    )*};
}

scalars!(
    bool: Bool,
    i8: I8,
    i16: I16,
    i32: I32,
    i64: I64,
    u8: U8,
    u16: U16,
    u32: U32,
    u64: U64,
    f16: F16,
    f32: F32,
    f64: F64
);

macro_rules! integers {
    ($($ty:ty => $unsigned:ty),*) => {$(
        impl Num for $ty {
            const DIV: Prim = Prim::Quot;

            fn from_i32(value: i32) -> Self {
                value as $ty
            }
        }

        impl Integral for $ty {
            type Unsigned = $unsigned;
        }

        impl Bits for $ty {
            const NOT: Prim = Prim::BitNot;
            const AND: Prim = Prim::BitAnd;
            const OR: Prim = Prim::BitOr;
            const XOR: Prim = Prim::BitXor;
        }
    )*};
}

integers!(
    i8 => u8,
    i16 => u16,
    i32 => u32,
    i64 => u64,
    u8 => u8,
    u16 => u16,
    u32 => u32,
    u64 => u64
);

impl Num for f16 {
    const DIV: Prim = Prim::Div;

    fn from_i32(value: i32) -> Self {
        f16_of_f64(value.into())
    }
}

impl Num for f32 {
    const DIV: Prim = Prim::Div;

    fn from_i32(value: i32) -> Self {
        value as f32
    }
}

impl Num for f64 {
    const DIV: Prim = Prim::Div;

    fn from_i32(value: i32) -> Self {
        f64::from(value)
    }
}

impl Float for f16 {
    type Unsigned = u16;

    fn from_f64(value: f64) -> Self {
        f16_of_f64(value)
    }
}

impl Float for f32 {
    type Unsigned = u32;

    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

impl Float for f64 {
    type Unsigned = u64;

    fn from_f64(value: f64) -> Self {
        value
    }
}

impl Bits for bool {
    const NOT: Prim = Prim::Not;
    const AND: Prim = Prim::And;
    const OR: Prim = Prim::Or;
    const XOR: Prim = Prim::Ne;
}
