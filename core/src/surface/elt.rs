//! Element types and their mirrors.
//!
//! An [`Elt`] is a host type whose values can be elements of arrays: a scalar, or a tuple, fixed array or
//! struct of such. Its *mirror* [`E<T>`](E) has the same form with handles in place of scalars, so that
//! closures take it apart by pattern: `E<(f64, [i32; 2])>` is `(Exp<f64>, [Exp<i32>; 2])`. In the core
//! language neither exists: an element is the sequence of its scalars, in order of declaration.

use super::lift::{IntoExp, Lift};
use super::scalar::Exp;
use super::session::{RawExp, RawExps};
use crate::constant::Const;
use crate::host::{Buffer, Column, HostArrayError, reserved};
use crate::rounding::f16;
use crate::typed::{Env, One, Scalars, Times};
use crate::types::ScalarType;
use std::alloc::{Layout, handle_alloc_error};

/// The mirror of an element type.
pub type E<T> = <T as Elt>::Exp;

/// A type of array elements. Derive it for structs: `#[derive(Elt)] struct Camera { .. }` makes the mirror
/// `CameraE`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of an array",
    label = "elements are bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, char, `Complex<T>`, and arrays `[T; N]`, `Option`, `Result`, `#[derive(Elt)]` structs and enums and tuples (of up to sixteen) of elements"
)]
pub trait Elt: Clone + 'static {
    /// The mirror: the same form, of handles.
    type Exp: Copy + 'static + IntoExp<Elt = Self> + Lift<Self>;

    /// The types of the scalars in order, as a list in Rust.
    type Scalars: Scalars;

    /// Appends the types of the scalars in order.
    fn scalar_types(out: &mut Vec<ScalarType>) {
        Self::Scalars::push_types(out);
    }

    /// Appends for each scalar whether it says which variant of an enum there is, which a derivative has from what it is of.
    fn tags(out: &mut Vec<bool>);

    /// Appends the handles in a mirror.
    fn to_raw(exp: Self::Exp, out: &mut Vec<RawExp>);

    /// Takes the handles of a mirror.
    fn from_raw(source: &mut RawExps<'_>) -> Self::Exp;

    /// Appends one column per scalar.
    ///
    /// # Errors
    /// Where there is no memory for them.
    fn to_columns(values: Vec<Self>, out: &mut Vec<Column>) -> Result<(), HostArrayError>;

    /// Takes one column per scalar.
    ///
    /// # Errors
    /// Where there is no memory for the values, or the columns do not fit, which their types rule out.
    fn from_columns(source: &mut dyn Iterator<Item = Column>) -> Result<Vec<Self>, HostArrayError>;
}

/// The types of an element's scalars.
pub(crate) fn scalar_types<T: Elt>() -> Vec<ScalarType> {
    let mut types = vec![];
    T::scalar_types(&mut types);
    types
}

/// For each scalar, whether it says which variant of an enum there is.
pub(super) fn tags<T: Elt>() -> Vec<bool> {
    let mut tags = vec![];
    T::tags(&mut tags);
    tags
}

/// The derivative of, or by, a value: zeros say nothing of its variants, which are those of the value.
pub(super) fn derivative_of<T: Elt>(value: &[RawExp], derivative: &[RawExp]) -> E<T> {
    let pairs = value.iter().zip(derivative);
    let parts = tags::<T>().into_iter().zip(pairs);
    let raw: Vec<RawExp> = parts
        .map(|(is_tag, (&value, &derivative))| if is_tag { value } else { derivative })
        .collect();
    from_raw::<T>(&raw)
}

/// The handles in a mirror.
pub(crate) fn to_raw<T: Elt>(exp: E<T>) -> Vec<RawExp> {
    let mut raw = vec![];
    T::to_raw(exp, &mut raw);
    raw
}

/// A mirror of the given handles.
pub(crate) fn from_raw<T: Elt>(raw: &[RawExp]) -> E<T> {
    T::from_raw(&mut RawExps::new(raw))
}

/// The scalars of a host value.
pub(crate) fn to_consts<T: Elt>(value: T) -> Vec<Const> {
    let mut columns = vec![];
    T::to_columns(vec![value], &mut columns).unwrap_or_else(out_of_memory);
    columns.iter().filter_map(|column| column.get(0)).collect()
}

/// Ends the process as `Vec` does where memory is missing, for what has no other way to say so.
pub(super) fn out_of_memory<T>(error: HostArrayError) -> T {
    let bytes = match error {
        HostArrayError::OutOfMemory { bytes } => bytes,
        // The types of arrays rule out everything else.
        HostArrayError::Length { .. }
        | HostArrayError::TooLarge { .. }
        | HostArrayError::Columns => 0,
    };
    let size = usize::try_from(bytes).ok();
    let layout = size.and_then(|size| Layout::array::<u8>(size).ok());
    handle_alloc_error(layout.unwrap_or(Layout::new::<u8>()))
}

macro_rules! scalar_elts {
    ($($ty:ty: $variant:ident),*) => {$(
        impl Elt for $ty {
            type Exp = Exp<$ty>;
            type Scalars = One<$ty>;

            fn tags(out: &mut Vec<bool>) {
                out.push(false);
            }

            fn to_raw(exp: Exp<$ty>, out: &mut Vec<RawExp>) {
                out.push(exp.raw());
            }

            fn from_raw(source: &mut RawExps<'_>) -> Exp<$ty> {
                Exp::from_raw(source.take())
            }

            fn to_columns(
                values: Vec<$ty>,
                out: &mut Vec<Column>,
            ) -> Result<(), HostArrayError> {
                out.push(Column::from(values));
                Ok(())
            }

            fn from_columns(
                source: &mut dyn Iterator<Item = Column>,
            ) -> Result<Vec<$ty>, HostArrayError> {
                match source.next() {
                    Some(Column::$variant(values)) => Buffer::take(values),
                    Some(_) | None => Err(HostArrayError::Columns),
                }
            }
        }
    )*};
}

scalar_elts!(
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

/// The scalars of some element types, one after the other.
macro_rules! scalars_of {
    ($first:ident $($rest:ident)*) => { scalars_of!(@ ($first::Scalars) $($rest)*) };
    (@ ($all:ty)) => { $all };
    (@ ($all:ty) $next:ident $($rest:ident)*) => {
        scalars_of!(@ (<$next::Scalars as Scalars>::After<$all>) $($rest)*)
    };
}

/// Tuples of so many elements, and of less.
macro_rules! tuple_elts {
    () => {};
    ($first:ident $first_v:ident $first_part:ident $(, $t:ident $v:ident $part:ident)*) => {
        tuple_elt!($first $first_v $first_part $(, $t $v $part)*);
        tuple_elts!($($t $v $part),*);
    };
}

macro_rules! tuple_elt {
    ($($t:ident $v:ident $part:ident),+) => {
        impl<$($t: Elt),+> Elt for ($($t,)+) {
            type Exp = ($(E<$t>,)+);
            type Scalars = scalars_of!($($t)+);

            fn tags(out: &mut Vec<bool>) {
                $($t::tags(out);)+
            }

            fn to_raw(($($v,)+): Self::Exp, out: &mut Vec<RawExp>) {
                $($t::to_raw($v, out);)+
            }

            fn from_raw(source: &mut RawExps<'_>) -> Self::Exp {
                ($($t::from_raw(source),)+)
            }

            fn to_columns(
                values: Vec<Self>,
                out: &mut Vec<Column>,
            ) -> Result<(), HostArrayError> {
                $(let mut $v = reserved(values.len())?;)+
                for value in values {
                    let ($($part,)+) = value;
                    $($v.push($part);)+
                }
                $($t::to_columns($v, out)?;)+
                Ok(())
            }

            fn from_columns(
                source: &mut dyn Iterator<Item = Column>,
            ) -> Result<Vec<Self>, HostArrayError> {
                $(let mut $v = $t::from_columns(source)?.into_iter();)+
                let mut values = reserved([$($v.len()),+].into_iter().min().unwrap_or(0))?;
                while let ($(Some($v),)+) = ($($v.next(),)+) {
                    values.push(($($v,)+));
                }
                Ok(values)
            }
        }
    };
}

tuple_elts!(
    A a a_part, B b b_part, C c c_part, D d d_part, F f f_part, G g g_part, H h h_part, I i i_part,
    J j j_part, K k k_part, L l l_part, M m m_part, N n n_part, O o o_part, P p p_part, Q q q_part
);

impl<T: Elt, const N: usize> Elt for [T; N] {
    type Exp = [E<T>; N];
    type Scalars = Times<T::Scalars, N>;

    fn tags(out: &mut Vec<bool>) {
        (0..N).for_each(|_| T::tags(out));
    }

    fn to_raw(exp: Self::Exp, out: &mut Vec<RawExp>) {
        exp.into_iter().for_each(|part| T::to_raw(part, out));
    }

    fn from_raw(source: &mut RawExps<'_>) -> Self::Exp {
        std::array::from_fn(|_| T::from_raw(source))
    }

    fn to_columns(values: Vec<Self>, out: &mut Vec<Column>) -> Result<(), HostArrayError> {
        let mut parts: [Vec<T>; N] = std::array::from_fn(|_| vec![]);
        for part in &mut parts {
            *part = reserved(values.len())?;
        }
        for value in values {
            for (part, item) in parts.iter_mut().zip(value) {
                part.push(item);
            }
        }
        parts
            .into_iter()
            .try_for_each(|part| T::to_columns(part, out))
    }

    fn from_columns(source: &mut dyn Iterator<Item = Column>) -> Result<Vec<Self>, HostArrayError> {
        let mut parts = vec![];
        for _ in 0..N {
            parts.push(T::from_columns(source)?.into_iter());
        }
        let len = parts.iter().map(ExactSizeIterator::len).min();
        let mut values = reserved(len.unwrap_or(0))?;
        for _ in 0..len.unwrap_or(0) {
            let items: Vec<T> = parts.iter_mut().filter_map(Iterator::next).collect();
            values.extend(<[T; N]>::try_from(items));
        }
        Ok(values)
    }
}
