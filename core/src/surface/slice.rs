//! Slices: which dimensions `replicate` adds and `slice` cuts, and what part `slice` keeps of the others.

use super::lift::Lift;
use super::session::RawExp;
use super::shape::{Shape, Snoc, Z};
use crate::term::Axis;
use std::marker::PhantomData;
use std::ops::{Range, RangeFrom, RangeFull, RangeTo};

/// In a slice, a dimension that stays: `ix![All, n]`.
#[derive(Clone, Copy, Debug)]
pub struct All;

/// In a slice, all dimensions of a shape that need not be known; see [`any`].
#[derive(Clone, Copy, Debug)]
pub struct Any<Sh>(PhantomData<fn() -> Sh>);

/// All the outer dimensions, however many: `m.replicate(Snoc(any(), n))`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// fn shares<Sh: Shape>(a: Acc<Snoc<Sh>, f64>) -> Acc<Snoc<Sh>, f64> {
///     let sums = a.sum().replicate(Snoc(any(), a.inner()));
///     a.zip_with(sums, |x, sum| x / sum)
/// }
/// let m = Array::from_vec([2, 2], vec![1.0, 3.0, 2.0, 2.0])?;
/// assert_eq!(interpret(shares::<Ix1>, m)?.to_vec(), [0.25, 0.75, 0.5, 0.5]);
/// # Ok::<(), InterpretError>(())
/// ```
pub fn any<Sh: Shape>() -> Any<Sh> {
    Any(PhantomData)
}

/// A slice: [`All`] for each dimension of both arrays, an expression for each dimension of the larger one
/// only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a slice",
    label = "write `ix![All, n]`: `All` for dimensions that stay, an `i32` expression for the others"
)]
pub trait Slice {
    /// The larger shape.
    type Full: Shape;
    /// The smaller shape.
    type Sliced: Shape;

    /// Appends what becomes of each dimension of the larger shape, and the expressions given.
    fn describe(self, axes: &mut Vec<Axis>, fixed: &mut Vec<RawExp>);
}

impl Slice for Z {
    type Full = Z;
    type Sliced = Z;

    fn describe(self, _: &mut Vec<Axis>, _: &mut Vec<RawExp>) {}
}

impl<Sh: Shape> Slice for Any<Sh> {
    type Full = Sh;
    type Sliced = Sh;

    fn describe(self, axes: &mut Vec<Axis>, _: &mut Vec<RawExp>) {
        axes.extend(vec![Axis::All; Sh::RANK]);
    }
}

impl<S: Slice> Slice for Snoc<S, All> {
    type Full = Snoc<S::Full>;
    type Sliced = Snoc<S::Sliced>;

    #[track_caller]
    fn describe(self, axes: &mut Vec<Axis>, fixed: &mut Vec<RawExp>) {
        self.0.describe(axes, fixed);
        axes.push(Axis::All);
    }
}

impl<S: Slice, D: Lift<i32>> Slice for Snoc<S, D> {
    type Full = Snoc<S::Full>;
    type Sliced = S::Sliced;

    #[track_caller]
    fn describe(self, axes: &mut Vec<Axis>, fixed: &mut Vec<RawExp>) {
        self.0.describe(axes, fixed);
        axes.push(Axis::Fixed);
        fixed.push(self.1.lift().raw());
    }
}

/// What [`slice`](super::Acc::slice) keeps of each dimension: [`All`] or `..`, a range (`a..b`, `a..`, `..b`), or of one position, which takes the
/// dimension away.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a slice",
    label = "write `ix![All, n]`: `All` or a range for dimensions that stay, an `i32` expression for the others"
)]
pub trait Section {
    /// The shape before.
    type Full: Shape;
    /// The shape after.
    type Sliced: Shape;

    /// Appends what becomes of each dimension, outermost first.
    fn parts(self, parts: &mut Vec<Kept>);
}

/// What is kept of a dimension.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Kept {
    /// All positions.
    All,
    /// The positions from one to another, which is not among them; to the ends where nothing is said.
    Range(Option<RawExp>, Option<RawExp>),
    /// One position, without the dimension.
    One(RawExp),
}

impl Section for Z {
    type Full = Z;
    type Sliced = Z;

    fn parts(self, _: &mut Vec<Kept>) {}
}

impl<Sh: Shape> Section for Any<Sh> {
    type Full = Sh;
    type Sliced = Sh;

    fn parts(self, parts: &mut Vec<Kept>) {
        parts.extend(vec![Kept::All; Sh::RANK]);
    }
}

impl<S: Section, D: Lift<i32>> Section for Snoc<S, D> {
    type Full = Snoc<S::Full>;
    type Sliced = S::Sliced;

    #[track_caller]
    fn parts(self, parts: &mut Vec<Kept>) {
        self.0.parts(parts);
        parts.push(Kept::One(self.1.lift().raw()));
    }
}

macro_rules! kept {
    ($(($($d:ident)?) $ty:ty, $range:ident => $kept:expr;)*) => {$(
        impl<S: Section, $($d: Lift<i32>)?> Section for Snoc<S, $ty> {
            type Full = Snoc<S::Full>;
            type Sliced = Snoc<S::Sliced>;

            #[track_caller]
            fn parts(self, parts: &mut Vec<Kept>) {
                let Snoc(outer, $range) = self;
                outer.parts(parts);
                parts.push($kept);
            }
        }
    )*};
}

kept! {
    () All, _all => Kept::All;
    () RangeFull, _all => Kept::All;
    (D) Range<D>, range => Kept::Range(Some(range.start.lift().raw()), Some(range.end.lift().raw()));
    (D) RangeFrom<D>, range => Kept::Range(Some(range.start.lift().raw()), None);
    (D) RangeTo<D>, range => Kept::Range(None, Some(range.end.lift().raw()));
}
