//! Gradients of functions that give more than the number that is differentiated.

use super::differentiate;
use crate::surface::acc::Acc;
use crate::surface::arrays::{Arrays, derivative_of};
use crate::surface::scalar::Float;
use crate::surface::session::Call;
use crate::surface::shape::Z;

/// The gradient of the first of two results of a function, at `x`, and the second result, which does not contribute: any
/// arrays that are wanted besides.
///
/// Otherwise as [`gradient_a`](super::gradient_a()). `f` is called twice; what it computes is computed once.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // The gradient of a loss, and what it was for each example.
/// let f = |w: Acc<Z, f64>, x: Acc<Ix1, f64>| {
///     let loss = |w: Acc<Z, f64>| {
///         let losses = x.map(|x| (w.the() * x - 1.0) * (w.the() * x - 1.0));
///         (losses.sum(), losses)
///     };
///     gradient_aux_a(loss, w)
/// };
/// let (gradient, losses) = interpret(f, (Array::scalar(2.0), Array::vector(vec![1.0, 2.0])?))?;
/// assert_eq!((gradient.item(), losses.to_vec()), (14.0, vec![1.0, 9.0]));
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn gradient_aux_a<X: Arrays, T: Float, A: Arrays>(
    f: impl Fn(X) -> (Acc<Z, T>, A),
    x: X,
) -> (X, A) {
    let call = Call::here("gradient_aux_a");
    let (_, aux) = f(x);
    let mut results = differentiate(call, false, |x| f(x).0, x);
    (derivative_of(call, x, &mut results), aux)
}

/// Both results of a function at `x`, and the gradient of the first; the second does not contribute.
///
/// Otherwise as [`gradient_aux_a`].
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |x: Acc<Ix1, f64>| {
///     value_and_gradient_aux_a(|x: Acc<Ix1, f64>| (x.map(|x| x * x).sum(), x.maximum()), x)
/// };
/// let ((value, largest), gradient) = interpret(f, Array::vector(vec![1.0, 3.0])?)?;
/// assert_eq!((value.item(), largest.item(), gradient.to_vec()), (10.0, 3.0, vec![2.0, 6.0]));
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn value_and_gradient_aux_a<X: Arrays, T: Float, A: Arrays>(
    f: impl Fn(X) -> (Acc<Z, T>, A),
    x: X,
) -> ((Acc<Z, T>, A), X) {
    let call = Call::here("value_and_gradient_aux_a");
    let (_, aux) = f(x);
    let mut results = differentiate(call, true, |x| f(x).0, x);
    let value = results.take_as();
    ((value, aux), derivative_of(call, x, &mut results))
}
