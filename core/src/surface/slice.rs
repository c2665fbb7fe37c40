//! Slices: which dimensions `replicate` adds and `slice` cuts.

use super::lift::Lift;
use super::session::RawExp;
use super::shape::{Shape, Snoc, Z};
use crate::term::Axis;
use std::marker::PhantomData;

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
