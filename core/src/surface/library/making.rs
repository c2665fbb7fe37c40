//! Arrays of numbers that follow each other, and unit matrices.

use crate::surface::acc::{Acc, generate};
use crate::surface::elt::E;
use crate::surface::lift::{IntoExp, Lift};
use crate::surface::scalar::{Exp, Num};
use crate::surface::session::Call;
use crate::surface::shape::{IntoShape, Ix1, Ix2, Shape, Snoc, Z, dims};

/// The numbers 0, 1 … n − 1.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// assert_eq!(interpret(|| iota(3), ())?.to_vec(), [0, 1, 2]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn iota<N: Lift<i32>>(n: N) -> Acc<Ix1, i32> {
    generate(Snoc(Z, n.lift()), |Snoc(Z, i)| i)
}

/// The numbers `start`, `start + 1` … in row-major order, in an array of the given shape; Accelerate's `enumFromN`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let m = interpret(|| enum_from_n(ix![2, 2], 0.5), ())?;
/// assert_eq!(m.to_vec(), [0.5, 1.5, 2.5, 3.5]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn enum_from_n<I: IntoShape, X: IntoExp>(shape: I, start: X) -> Acc<I::Shape, X::Elt>
where
    X::Elt: Num,
{
    enum_from_step_n(shape, start, 1)
}

/// The numbers `start`, `start + step`, `start + 2 · step` … in row-major order, in an array of the given shape; Accelerate's
/// `enumFromStepN`. Each is computed from its position, so errors of rounding do not add up.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let v = interpret(|| enum_from_step_n(ix![3], 1.0, 0.25), ())?;
/// assert_eq!(v.to_vec(), [1.0, 1.25, 1.5]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn enum_from_step_n<I: IntoShape, X: IntoExp, S: Lift<X::Elt>>(
    shape: I,
    start: X,
    step: S,
) -> Acc<I::Shape, X::Elt>
where
    X::Elt: Num,
{
    let call = Call::here("enum_from_step_n");
    let (shape, start, step) = (shape.into_shape(), start.into_exp(), step.lift());
    generate(shape, move |index| -> E<X::Elt> {
        call.throughout(|| start + position(index, shape).to::<X::Elt>() * step)
    })
}

/// The position of an index among all of a shape, in row-major order.
pub(super) fn position<Sh: Shape>(index: Sh, shape: Sh) -> Exp<i32> {
    let pairs = dims(index).into_iter().zip(dims(shape));
    let pairs = pairs.map(|(i, n)| (Exp::from_raw(i), Exp::from_raw(n)));
    let outer = pairs.reduce(|(at, _), (i, n): (Exp<i32>, Exp<i32>)| (at * n + i, n));
    outer.map_or_else(|| Lift::<i32>::lift(0), |(at, _)| at)
}

/// The unit matrix of n rows: ones on the diagonal.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let m = interpret(|| eye::<f64>(2), ())?;
/// assert_eq!(m.to_vec(), [1.0, 0.0, 0.0, 1.0]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn eye<T: Num>(n: impl Lift<i32>) -> Acc<Ix2, T> {
    let call = Call::here("eye");
    let n = n.lift();
    generate(Snoc(Snoc(Z, n), n), move |Snoc(Snoc(Z, i), j)| -> Exp<T> {
        call.throughout(|| i.eq_(j).to::<T>())
    })
}
