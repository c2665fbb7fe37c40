//! Types of the embedded language as Rust types, and their reifications.
//!
//! A list of types is a nested pair that grows to the right: `((((), A), B), C)`. Environments,
//! parameter lists and result lists are such lists, so that binding is pairing.

use crate::constant::Const;
use crate::integer_type;
use crate::rounding::f16;
use crate::types::{ArrayType, ScalarType};
use std::marker::PhantomData;

/// Marks what has types `T` but holds no values of them.
pub(super) type Phantom<T> = PhantomData<fn() -> T>;

/// A type of variables, of either stratum.
pub trait Typed: sealed::Sealed + 'static {
    /// What it is reified as: [`ScalarType`] or [`ArrayType`].
    type Reified: Copy + PartialEq;
    /// This type, reified.
    const TYPE: Self::Reified;
}

/// A type of scalars.
pub trait Scalar: Typed<Reified = ScalarType> + Copy + Into<Const> {}
/// A type with arithmetic.
pub trait Number: Scalar {}
/// A type that carries derivatives.
pub trait Float: Number {
    /// The integer as wide that has its bits.
    type Unsigned: Integer;
}
/// A type with division with remainder.
pub trait Integer: Number {}
/// The type of conditions: `bool`.
pub trait Truth: Scalar {}

/// Nobody else says what is of which type.
pub(super) mod sealed {
    /// Implemented in this folder alone.
    pub trait Sealed {}
    impl Sealed for () {}
    impl<E, T> Sealed for (E, T) {}
}

macro_rules! scalars {
    ($($ty:ty = $variant:ident: $($class:ident)*;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Typed for $ty {
            type Reified = ScalarType;
            const TYPE: ScalarType = ScalarType::$variant;
        }
        impl Scalar for $ty {}
        $(impl $class for $ty {})*
    )*};
}

scalars! {
    bool = Bool: Truth;
    i8 = I8: Number Integer;
    i16 = I16: Number Integer;
    i32 = I32: Number Integer;
    i64 = I64: Number Integer;
    u8 = U8: Number Integer;
    u16 = U16: Number Integer;
    u32 = U32: Number Integer;
    u64 = U64: Number Integer;
    f16 = F16: Number;
    f32 = F32: Number;
    f64 = F64: Number;
}

impl Float for f16 {
    type Unsigned = u16;
}

impl Float for f32 {
    type Unsigned = u32;
}

impl Float for f64 {
    type Unsigned = u64;
}

/// No dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Z {}

/// The dimensions of `Sh` and an inner one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snoc<Sh>(PhantomData<Sh>);

/// The number of dimensions of an array, as a type.
pub trait Shape: sealed::Sealed + 'static {
    /// The number itself.
    const RANK: usize;
    /// One `i32` per dimension: the type of an index, and of the extents.
    type Index: Scalars;
}

impl sealed::Sealed for Z {}
impl<Sh> sealed::Sealed for Snoc<Sh> {}

impl Shape for Z {
    const RANK: usize = 0;
    type Index = ();
}

impl<Sh: Shape> Shape for Snoc<Sh> {
    const RANK: usize = Sh::RANK + 1;
    type Index = (Sh::Index, i32);
}

/// The type of arrays with dimensions `Sh` of elements `T`; a tag without values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array<Sh, T>(PhantomData<(Sh, T)>);

impl<Sh, T> sealed::Sealed for Array<Sh, T> {}

impl<Sh: Shape, T: Scalar> Typed for Array<Sh, T> {
    type Reified = ArrayType;
    const TYPE: ArrayType = ArrayType {
        elem: T::TYPE,
        rank: Sh::RANK,
    };
}

/// A list of types of one stratum: an environment, or the parameters or results of something.
pub trait Env<R>: sealed::Sealed + 'static {
    /// The types in `Bound`, followed by these.
    type On<Bound: Env<R>>: Env<R>;

    /// Appends the reified types, in order.
    fn push_types(types: &mut Vec<R>);

    /// The reified types, in order; the last is the nearest.
    fn types() -> Vec<R> {
        let mut types = vec![];
        Self::push_types(&mut types);
        types
    }
}

impl<R> Env<R> for () {
    type On<Bound: Env<R>> = Bound;
    fn push_types(_: &mut Vec<R>) {}
}

impl<R, E: Env<R>, T: Typed<Reified = R>> Env<R> for (E, T) {
    type On<Bound: Env<R>> = (E::On<Bound>, T);
    fn push_types(types: &mut Vec<R>) {
        E::push_types(types);
        types.push(T::TYPE);
    }
}

/// A list of scalar types.
pub trait Scalars: Env<ScalarType> {
    /// Arrays of dimensions `Sh`, one per scalar.
    type Arrays<Sh: Shape>: Env<ArrayType>;
    /// The types in `First`, followed by these: [`Env::On`], known to be of scalars.
    type After<First: Scalars>: Scalars;
}

impl Scalars for () {
    type Arrays<Sh: Shape> = ();
    type After<First: Scalars> = First;
}

impl<E: Scalars, T: Scalar> Scalars for (E, T) {
    type Arrays<Sh: Shape> = (E::Arrays<Sh>, Array<Sh, T>);
    type After<First: Scalars> = (E::After<First>, T);
}

/// A list of types of numbers.
pub trait Numbers: Scalars {}
impl Numbers for () {}
impl<E: Numbers, T: Number> Numbers for (E, T) {}

/// The list of one type.
pub type One<T> = ((), T);

/// The types of `E`, `N` times over, at least once: those of a fixed array `[T; N]`. Rust cannot write them down as pairs where `N`
/// is a parameter, so nobody counts binders in here: variables come from [`Ix::try_from_erased`](super::Ix::try_from_erased).
#[derive(Clone, Copy, Debug)]
pub struct Times<E, const N: usize>(PhantomData<E>);

/// The types of `E`, then those of `F`, where `F` is no list of pairs.
#[derive(Clone, Copy, Debug)]
pub struct Then<E, F>(PhantomData<(E, F)>);

impl<E, const N: usize> sealed::Sealed for Times<E, N> {}
impl<E, F> sealed::Sealed for Then<E, F> {}

impl<R: 'static, E: Env<R>, const N: usize> Env<R> for Times<E, N> {
    type On<Bound: Env<R>> = Then<Bound, Self>;
    fn push_types(types: &mut Vec<R>) {
        const {
            assert!(
                N > 0,
                "an element must hold at least one scalar: `[T; 0]` holds none"
            )
        };
        (0..N).for_each(|_| E::push_types(types));
    }
}

impl<R: 'static, E: Env<R>, F: Env<R>> Env<R> for Then<E, F> {
    type On<Bound: Env<R>> = F::On<E::On<Bound>>;
    fn push_types(types: &mut Vec<R>) {
        E::push_types(types);
        F::push_types(types);
    }
}

impl<E: Scalars, const N: usize> Scalars for Times<E, N> {
    type Arrays<Sh: Shape> = Times<E::Arrays<Sh>, N>;
    type After<First: Scalars> = Then<First, Self>;
}

impl<E: Scalars, F: Scalars> Scalars for Then<E, F> {
    type Arrays<Sh: Shape> = Then<E::Arrays<Sh>, F::Arrays<Sh>>;
    type After<First: Scalars> = F::After<E::After<First>>;
}

/// What to do with a type that is known at run time only: the elimination of an existential type.
pub trait ScalarVisitor {
    /// What comes of it.
    type Out;
    /// Does it, for any type.
    fn visit<T: Scalar>(self) -> Self::Out;
}

/// What to do with a type of floats that is known at run time only.
pub trait FloatVisitor {
    /// What comes of it.
    type Out;
    /// Does it, for any type of floats.
    fn visit<T: Float>(self) -> Self::Out;
}

/// Gives the visitor the type that `ty` reifies.
pub fn with_scalar<V: ScalarVisitor>(ty: ScalarType, visitor: V) -> V::Out {
    match ty {
        ScalarType::Bool => visitor.visit::<bool>(),
        ScalarType::I8 => visitor.visit::<i8>(),
        ScalarType::I16 => visitor.visit::<i16>(),
        ScalarType::I32 => visitor.visit::<i32>(),
        ScalarType::I64 => visitor.visit::<i64>(),
        ScalarType::U8 => visitor.visit::<u8>(),
        ScalarType::U16 => visitor.visit::<u16>(),
        ScalarType::U32 => visitor.visit::<u32>(),
        ScalarType::U64 => visitor.visit::<u64>(),
        ScalarType::F16 => visitor.visit::<f16>(),
        ScalarType::F32 => visitor.visit::<f32>(),
        ScalarType::F64 => visitor.visit::<f64>(),
    }
}

/// The same for floats; `None` for other types.
pub fn with_float<V: FloatVisitor>(ty: ScalarType, visitor: V) -> Option<V::Out> {
    match ty {
        ScalarType::F16 => Some(visitor.visit::<f16>()),
        ScalarType::F32 => Some(visitor.visit::<f32>()),
        ScalarType::F64 => Some(visitor.visit::<f64>()),
        ScalarType::Bool | integer_type!() => None,
    }
}
