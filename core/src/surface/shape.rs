//! Shapes and indices: `Z`, `Snoc`, and the macro `ix!`.
//!
//! One type serves for the shape of an array (as the parameter of [`Acc`](super::Acc)), for an extent and
//! for an index: a list of dimensions, innermost last, with an `i32` expression each. What users *give* as a
//! shape or index is [`IntoShape`], so that literals work.

use super::hints::Nothing;
use super::lift::Lift;
use super::scalar::Exp;
use super::session::{RawExp, RawExps};
use std::fmt::Debug;

/// No dimensions: the shape of a single value.
#[derive(Clone, Copy, Debug)]
pub struct Z;

/// The dimensions `.0` and one more inside, `.1`.
#[derive(Clone, Copy, Debug)]
pub struct Snoc<Sh, D = Exp<i32>>(pub Sh, pub D);

/// The shape of a single value.
pub type Ix0 = Z;
/// The shape of a vector.
pub type Ix1 = Snoc<Ix0>;
/// The shape of a matrix.
pub type Ix2 = Snoc<Ix1>;
/// Three dimensions.
pub type Ix3 = Snoc<Ix2>;
/// Four dimensions.
pub type Ix4 = Snoc<Ix3>;
/// Five dimensions.
pub type Ix5 = Snoc<Ix4>;
/// Six dimensions.
pub type Ix6 = Snoc<Ix5>;

/// A shape or index, outermost dimension first, as a pattern and as an expression: `ix![i, j]`. With
/// [`All`](super::All) in it, a slice: `ix![All, n]`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// # trace(|m: Acc<Ix2, f64>| {
/// let ix![rows, columns] = m.shape();
/// m.backpermute(ix![columns, rows], |ix![i, j]| ix![j, i])
/// # }).unwrap();
/// ```
#[macro_export]
macro_rules! ix {
    (@ ($($outer:tt)*) ($($dim:tt)+) $(,)?) => {
        $crate::surface::Snoc($($outer)*, $($dim)+)
    };
    (@ ($($outer:tt)*) ($($dim:tt)+) , $($rest:tt)+) => {
        $crate::ix!(@ ($crate::surface::Snoc($($outer)*, $($dim)+)) () $($rest)+)
    };
    (@ ($($outer:tt)*) ($($dim:tt)*) $next:tt $($rest:tt)*) => {
        $crate::ix!(@ ($($outer)*) ($($dim)* $next) $($rest)*)
    };
    () => { $crate::surface::Z };
    ($($dims:tt)+) => { $crate::ix!(@ ($crate::surface::Z) () $($dims)+) };
}

/// The shape of an array: [`Z`] or [`Snoc`] of a shape.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the shape of an array",
    label = "shapes are `Ix0` to `Ix6`, and `Snoc<Sh>` of a shape"
)]
pub trait Shape: Copy + Debug + 'static + IntoShape<Shape = Self> {
    /// The number of dimensions.
    const RANK: usize;

    /// As many dimensions in a [typed term](crate::typed).
    type Typed: crate::typed::Shape;

    /// The shape without its inner dimension; of `Z`, itself.
    ///
    /// Not in [`HasInner`]: a method whose result type cannot be written down is not found, and the error
    /// then speaks of iterators instead of shapes.
    type Outer: Shape;

    /// The shape with the dimensions of `Outer` around it: those of `Outer` first, then its own.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// fn same<T>(_: T, _: T) {}
    /// same::<Option<Ix3>>(None, None::<<Ix1 as Shape>::Inside<Ix2>>);
    /// ```
    type Inside<Outer: Shape>: Shape;

    /// Appends the dimensions, outermost first.
    fn to_raw(self, out: &mut Vec<RawExp>);

    /// Takes the dimensions, outermost first.
    fn from_raw(source: &mut RawExps<'_>) -> Self;
}

/// Shapes whose dimensions are the inner ones of `Sh`, or all of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has more dimensions than `{Sh}`",
    label = "an array is broadcast to as many dimensions or more, which are added outside"
)]
pub trait InnerOf<Sh>: Shape {}

impl<Sh: Shape> InnerOf<Sh> for Z {}
/// Never needed: with one way alone, the compiler would tell of types that differ, and not of dimensions.
#[diagnostic::do_not_recommend]
impl<Sh> InnerOf<Nothing<0>> for Snoc<Sh> where Self: Shape {}
impl<Sh, Of> InnerOf<Snoc<Of>> for Snoc<Sh>
where
    Sh: InnerOf<Of>,
    Self: Shape,
{
}

/// What can be given as a shape or an index: `ix![..]` of expressions, literals, and numbers of the host that
/// are `i32` or `usize`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let rows = vec![0.5, 1.5].len();
/// let table = interpret(|| generate(ix![rows, 3], |ix![i, j]| 10 * i + j), ())?;
/// assert_eq!(table.shape(), [2, 3]);
/// # Ok::<(), InterpretError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape or index",
    label = "write `ix![i, j]`, with one `i32` expression per dimension"
)]
pub trait IntoShape {
    /// The shape type of as many dimensions.
    type Shape: Shape;

    /// The dimensions as expressions.
    fn into_shape(self) -> Self::Shape;
}

/// The shapes with at least one dimension.
#[diagnostic::on_unimplemented(
    message = "this needs an array with at least one dimension, but the array's shape is `{Self}`",
    label = "there is no dimension here to work along",
    note = "an array of shape `Z` (`Ix0`) is a single value: a program reads it with `.the()`, the host with `.item()`"
)]
pub trait HasInner: Shape {}

impl Shape for Z {
    const RANK: usize = 0;

    type Typed = crate::typed::Z;

    type Outer = Z;

    type Inside<Outer: Shape> = Outer;

    fn to_raw(self, _: &mut Vec<RawExp>) {}

    fn from_raw(_: &mut RawExps<'_>) -> Self {
        Z
    }
}

impl<Sh: Shape> Shape for Snoc<Sh> {
    const RANK: usize = Sh::RANK + 1;

    type Typed = crate::typed::Snoc<Sh::Typed>;

    type Outer = Sh;

    type Inside<Outer: Shape> = Snoc<Sh::Inside<Outer>>;

    fn to_raw(self, out: &mut Vec<RawExp>) {
        self.0.to_raw(out);
        out.push(self.1.raw());
    }

    fn from_raw(source: &mut RawExps<'_>) -> Self {
        let outer = Sh::from_raw(source);
        Snoc(outer, Exp::from_raw(source.take()))
    }
}

impl<Sh: Shape> HasInner for Snoc<Sh> {}

/// The shape without dimensions, [`Z`].
#[diagnostic::on_unimplemented(
    message = "this needs an array of a single value, but the array's shape is `{Self}`",
    label = "there is more than one element here, or none",
    note = "an element of a program's array is `.at(ix![i])`, of a host array `.get([i])`; `.to_vec()` has them all"
)]
pub trait Single: Shape {}

impl Single for Z {}

/// One number for each dimension of `Sh`, outermost first: the extents of a host array, an index into it, or how far a neighbour is.
///
/// Implemented for shapes of up to 12 dimensions. Arrays of more are made by
/// [`Array::from_columns`](super::Array::from_columns).
#[diagnostic::on_unimplemented(
    message = "an array of shape `{Sh}` takes one number per dimension here, not `{Self}`",
    label = "as many numbers as the array has dimensions, outermost first"
)]
pub trait Dims<Sh> {}

macro_rules! dims_of {
    ($($rank:literal $shape:ty;)*) => {
        $(
            impl Dims<$shape> for [usize; $rank] {}
            impl Dims<$shape> for [i32; $rank] {}
        )*
    };
}

dims_of! {
    0 Ix0;
    1 Ix1;
    2 Ix2;
    3 Ix3;
    4 Ix4;
    5 Ix5;
    6 Ix6;
    7 Snoc<Ix6>;
    8 Snoc<Snoc<Ix6>>;
    9 Snoc<Snoc<Snoc<Ix6>>>;
    10 Snoc<Snoc<Snoc<Snoc<Ix6>>>>;
    11 Snoc<Snoc<Snoc<Snoc<Snoc<Ix6>>>>>;
    12 Snoc<Snoc<Snoc<Snoc<Snoc<Snoc<Ix6>>>>>>;
}

impl IntoShape for Z {
    type Shape = Z;

    fn into_shape(self) -> Z {
        Z
    }
}

impl<Sh: IntoShape, D: Lift<i32>> IntoShape for Snoc<Sh, D> {
    type Shape = Snoc<Sh::Shape>;

    #[track_caller]
    fn into_shape(self) -> Self::Shape {
        Snoc(self.0.into_shape(), self.1.lift())
    }
}

/// The shape or index of these dimensions, outermost first.
pub(super) fn from_dims<Sh: Shape>(dims: &[RawExp]) -> Sh {
    Sh::from_raw(&mut RawExps::new(dims))
}

/// The dimensions of a shape, outermost first.
pub(super) fn dims<Sh: Shape>(shape: Sh) -> Vec<RawExp> {
    let mut dims = vec![];
    shape.to_raw(&mut dims);
    dims
}

/// The outer dimensions of an index, and its inner coordinate.
pub(super) fn split<Sh: Shape + HasInner>(index: Sh) -> (Sh::Outer, Exp<i32>) {
    let all = dims(index);
    let (outer, inner) = all.split_at(Sh::RANK - 1);
    (from_dims(outer), Exp::from_raw(inner[0]))
}

/// The index with another inner coordinate; the shape with another inner extent.
pub(super) fn with_inner<Sh: Shape + HasInner>(index: Sh, inner: Exp<i32>) -> Sh {
    let mut all = dims(index);
    all[Sh::RANK - 1] = inner.raw();
    from_dims(&all)
}
