//! Derivatives of array code: gradients, and products of Jacobians with vectors.
//!
//! What is made of these is in the modules: Jacobians and Hessians, linear maps, results beside a value.

mod auxiliary;
mod inner_product;
mod jacobian;
mod linear;
mod sparse;
mod unit_vectors;

pub use auxiliary::{gradient_aux_a, value_and_gradient_aux_a};
pub use jacobian::{
    Floats, hessian, jacobian, jacobian_forward, jacobian_reverse, value_and_jacobian,
    value_and_jacobian_forward, value_and_jacobian_reverse,
};
pub use linear::{Linear, linearize};
pub use sparse::{hessian_sparse, jacobian_sparse};

use super::Acc;
use crate::surface::arrays::{Arrays, array_types, derivative_of, to_raw};
use crate::surface::node_acc;
use crate::surface::scalar::Float;
use crate::surface::session::{Call, RawColumns, acc_lambda};
use crate::surface::shape::Z;
use inner_product::inner_product;

/// The gradient of a function with one float as result, at `x`: arrays of the types and shapes of `x`, with
/// zeros where those are not floats. What the closure uses from outside counts as constant.
///
/// A zero adjoint passes nothing on: what `max`, `clamp`, a condition, a slice or a shorter array cuts off has the derivative
/// 0 also where its own partial derivative is infinite or NaN, as that of `x.sqrt().max(1.0)` at 0. README tells the rest under “Derivatives at special points”.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type V = Acc<Ix1, f64>;
/// let dot = |(a, b): (V, V)| a.zip_with(b, |x, y| x * y).sum();
/// let f = |a: V, b: V| gradient_a(dot, (a, b));
/// let (da, db) = interpret(f, (Array::vector(vec![1.0, 2.0])?, Array::vector(vec![3.0, 4.0])?))?;
/// assert_eq!((da.to_vec(), db.to_vec()), (vec![3.0, 4.0], vec![1.0, 2.0]));
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn gradient_a<X: Arrays, T: Float>(f: impl FnOnce(X) -> Acc<Z, T>, x: X) -> X {
    let call = Call::here("gradient_a");
    derivative_of(call, x, &mut differentiate(call, false, f, x))
}

/// The value of a function with one float as result, at `x`, and its gradient.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |x: Acc<Ix1, f64>| value_and_gradient_a(|x| x.map(|x| x * x).sum(), x);
/// let (value, gradient) = interpret(f, Array::vector(vec![1.0, 3.0])?)?;
/// assert_eq!((value.item(), gradient.to_vec()), (10.0, vec![2.0, 6.0]));
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn value_and_gradient_a<X: Arrays, T: Float>(
    f: impl FnOnce(X) -> Acc<Z, T>,
    x: X,
) -> (Acc<Z, T>, X) {
    let call = Call::here("value_and_gradient_a");
    let mut results = differentiate(call, true, f, x);
    (results.take_as(), derivative_of(call, x, &mut results))
}

fn differentiate<X: Arrays, T: Float>(
    call: Call,
    with_value: bool,
    f: impl FnOnce(X) -> Acc<Z, T>,
    x: X,
) -> RawColumns {
    let f = acc_lambda(call, array_types::<X>(), |params| {
        vec![f(X::from_columns(params)).raw()]
    });
    let results = node_acc::gradient(call, with_value, f, &to_raw(x));
    RawColumns::of(call, results)
}

/// The results of a function at `x`, and their derivative along `dx`: the product of the Jacobian of `f` with a vector.
///
/// `f` may give any arrays, of any shapes; the derivative of each has its type and shape, with zeros where it is not of
/// floats. What `f` uses from outside counts as constant. An array of `dx` that is larger than that of `x` is cut to its
/// shape, and zeros stand for what is missing from one that is smaller; what is not of floats is ignored. Nothing fails
/// that `f` does not. Zeros pass nothing on: where the derivative of something is infinite, a tangent of zero stays zero.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type V = Acc<Ix1, f64>;
/// // The squares of all inputs, and their sum.
/// let f = |x: V| (x.map(|x| x * x), x.sum());
/// let along = |x: V, dx: V| jvp_a(f, x, dx);
/// let (x, dx) = (Array::vector(vec![1.0, 2.0])?, Array::vector(vec![1.0, 10.0])?);
/// let ((y, sum), (dy, dsum)) = interpret(along, (x, dx))?;
/// assert_eq!((y.to_vec(), sum.item()), (vec![1.0, 4.0], 3.0));
/// assert_eq!((dy.to_vec(), dsum.item()), (vec![2.0, 40.0], 11.0));
/// # Ok::<(), InterpretError>(())
/// ```
///
/// Time: two to three times that of `f`, for any number of inputs and results. For the gradient of one number by many,
/// [`gradient_a`] is the way, for all derivatives of many numbers by few inputs, this is.
#[track_caller]
pub fn jvp_a<X: Arrays, Y: Arrays>(f: impl FnOnce(X) -> Y, x: X, dx: X) -> (Y, Y) {
    along(Call::here("jvp_a"), f, x, dx)
}

/// The product of a vector, `dy`, with the Jacobian of a function at `x`: the gradient of the sum of all products of an
/// element of `f(x)` and its element of `dy`.
///
/// The results have the types and shapes of `x`, with zeros where those are not floats. What is not of floats in `f(x)`
/// does not count, nor do elements of it, or of `dy`, that the other has no elements for.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type V = Acc<Ix1, f64>;
/// let f = |x: V| (x.map(|x| x * x), x.sum());
/// let back = |x: V, dy: V| vjp_a(f, x, (dy, unit(100.0)));
/// let dx = interpret(back, (Array::vector(vec![1.0, 2.0])?, Array::vector(vec![1.0, 10.0])?))?;
/// assert_eq!(dx.to_vec(), [102.0, 140.0]);
/// # Ok::<(), InterpretError>(())
/// ```
///
/// Time: that of [`gradient_a`]; two to four times that of `f` as a rule, for any number of inputs and results.
#[track_caller]
pub fn vjp_a<X: Arrays, Y: Arrays>(f: impl FnOnce(X) -> Y, x: X, dy: Y) -> X {
    back(Call::here("vjp_a"), f, x, dy)
}

/// The results of a function at `x`, and what [`vjp_a`] gives. `f` is called twice; what it computes is computed once.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type V = Acc<Ix1, f64>;
/// let both = |x: V, dy: V| value_and_vjp_a(|x: V| x.map(|x| x * x), x, dy);
/// let (x, dy) = (Array::vector(vec![1.0, 2.0])?, Array::vector(vec![1.0, 10.0])?);
/// let (y, dx) = interpret(both, (x, dy))?;
/// assert_eq!((y.to_vec(), dx.to_vec()), (vec![1.0, 4.0], vec![2.0, 40.0]));
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn value_and_vjp_a<X: Arrays, Y: Arrays>(f: impl Fn(X) -> Y, x: X, dy: Y) -> (Y, X) {
    let call = Call::here("value_and_vjp_a");
    (f(x), back(call, f, x, dy))
}

/// The product of the Hessian of a function with one float as result, at `x`, with a vector: the derivative of its
/// gradient along `v`. The Hessian itself is not made.
///
/// Shapes are as for [`jvp_a`] and [`gradient_a`].
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type V = Acc<Ix1, f64>;
/// let cubes = |x: V| x.map(|x| x * x * x).sum();
/// let f = |x: V, v: V| hvp_a(cubes, x, v);
/// let hv = interpret(f, (Array::vector(vec![1.0, 2.0])?, Array::vector(vec![1.0, 10.0])?))?;
/// assert_eq!(hv.to_vec(), [6.0, 120.0]);
/// # Ok::<(), InterpretError>(())
/// ```
///
/// Time: two to three times that of the gradient, for any number of inputs.
#[track_caller]
pub fn hvp_a<X: Arrays, T: Float>(f: impl FnOnce(X) -> Acc<Z, T>, x: X, v: X) -> X {
    let call = Call::here("hvp_a");
    let gradient = |x| derivative_of(call, x, &mut differentiate(call, false, f, x));
    along(call, gradient, x, v).1
}

/// The results of `f`, and their derivative along `dx`.
fn along<X: Arrays, Y: Arrays>(call: Call, f: impl FnOnce(X) -> Y, x: X, dx: X) -> (Y, Y) {
    let f = acc_lambda(call, array_types::<X>(), |params| {
        to_raw(f(X::from_columns(params)))
    });
    let results = node_acc::jvp(call, f, &to_raw(x), &to_raw(dx));
    let mut results = RawColumns::of(call, results);
    let y = Y::from_columns(&mut results);
    (y, derivative_of(call, y, &mut results))
}

/// The gradient of the inner product of `dy` with the results of `f`.
fn back<X: Arrays, Y: Arrays>(call: Call, f: impl FnOnce(X) -> Y, x: X, dy: Y) -> X {
    let f = acc_lambda(call, array_types::<X>(), |params| {
        vec![inner_product(call, f(X::from_columns(params)), dy)]
    });
    let results = node_acc::gradient(call, false, f, &to_raw(x));
    derivative_of(call, x, &mut RawColumns::of(call, results))
}
