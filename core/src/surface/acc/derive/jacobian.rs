//! Jacobians as arrays: the derivatives of all elements of one array by all elements of others.
//!
//! How they are made is in [`super::unit_vectors`].

use super::differentiate;
use super::unit_vectors::{chosen, forward, reverse};
use crate::surface::acc::Acc;
use crate::surface::arrays::Arrays;
use crate::surface::ascan::Stack;
use crate::surface::scalar::Float;
use crate::surface::session::Call;
use crate::surface::shape::{Shape, Z};

/// Arrays of floats of one type, by which functions have Jacobians, and which have Jacobians: an array, or a tuple (also nested) of arrays.
#[diagnostic::on_unimplemented(
    message = "there is no Jacobian of floats of `{T}` by, or of, `{Self}`",
    label = "this is an array `Acc<Sh, {T}>`, or a tuple of such",
    note = "the elements of the input and of the result are of one type of floats: convert with `.map(|x| x.to::<{T}>())`"
)]
pub trait Floats<T: Float>: Stack {
    /// The Jacobian of an array of shape `Y`: for each array here, an array of shape `Y` followed by its own.
    type Jacobian<Y: Shape>: Arrays;

    /// The Jacobians of these arrays by others: for each array here, its [`Jacobian`](Self::Jacobian).
    type By<X: Floats<T>>: Arrays;
}

impl<Sh: Shape, T: Float> Floats<T> for Acc<Sh, T> {
    type Jacobian<Y: Shape> = Acc<Sh::Inside<Y>, T>;
    type By<X: Floats<T>> = X::Jacobian<Sh>;
}

macro_rules! tuples {
    ($(($($x:ident),+))*) => {$(
        impl<T: Float, $($x: Floats<T>),+> Floats<T> for ($($x,)+) {
            type Jacobian<Outer: Shape> = ($($x::Jacobian<Outer>,)+);
            type By<Input: Floats<T>> = ($($x::By<Input>,)+);
        }
    )*};
}

tuples! {
    (A)
    (A, B)
    (A, B, C)
    (A, B, C, D)
    (A, B, C, D, F)
    (A, B, C, D, F, G)
    (A, B, C, D, F, G, H)
    (A, B, C, D, F, G, H, I)
}

/// The derivatives of all elements of `f(x)` by all of `x`: an array of the shape of `f(x)` followed by that of `x`; of a tuple
/// `x`, one for each of its arrays. Where `f(x)` is a tuple of arrays, there is that for each of them, in a tuple of the same form.
///
/// Made in forward mode where `x` has no more elements than `f(x)`, in reverse mode elsewhere: by [`jacobian_forward`] or by
/// [`jacobian_reverse`], whichever has fewer trips. Where types do not say which, the extents do when the program runs, and
/// both are in the program. `f` is called several times.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // Polar coordinates: a matrix with a row for each result, and a column for each input.
/// let f = |p: Acc<Ix1, f64>| {
///     let (r, a) = (p.at(ix![0]), p.at(ix![1]));
///     generate(ix![2], |ix![i]| cond(i.eq_(0), r * a.cos(), r * a.sin()))
/// };
/// let derivatives = interpret(|p| jacobian(f, p), Array::vector(vec![2.0, 0.0])?)?;
/// assert_eq!((derivatives.shape(), derivatives.to_vec()), (&[2, 2][..], vec![1.0, 0.0, 0.0, 2.0]));
/// # Ok::<(), InterpretError>(())
/// ```
///
/// Of a vector and a number by two numbers:
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type S = Acc<Z, f64>;
/// let f = |(a, b): (S, S)| {
///     let y = generate(ix![2], |ix![i]| a.the() * b.the() + i.to_f64());
///     (y, b.map(|b| b * b))
/// };
/// let derivatives = |a: S, b: S| jacobian(f, (a, b));
/// let at = (Array::scalar(2.0), Array::scalar(3.0));
/// let ((y_by_a, y_by_b), (z_by_a, z_by_b)) = interpret(derivatives, at)?;
/// assert_eq!((y_by_a.to_vec(), y_by_b.to_vec()), (vec![3.0, 3.0], vec![2.0, 2.0]));
/// assert_eq!((z_by_a.item(), z_by_b.item()), (0.0, 6.0));
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn jacobian<X: Floats<T>, Y: Floats<T>, T: Float>(f: impl Fn(X) -> Y, x: X) -> Y::By<X> {
    chosen(Call::here("jacobian"), &f, x)
}

/// The value of a function at `x`, and what [`jacobian`] gives.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |x: Acc<Ix1, f64>| value_and_jacobian(|x: Acc<Ix1, f64>| x.product(), x);
/// let (value, derivatives) = interpret(f, Array::vector(vec![2.0, 3.0])?)?;
/// assert_eq!((value.item(), derivatives.to_vec()), (6.0, vec![3.0, 2.0]));
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn value_and_jacobian<X: Floats<T>, Y: Floats<T>, T: Float>(
    f: impl Fn(X) -> Y,
    x: X,
) -> (Y, Y::By<X>) {
    let call = Call::here("value_and_jacobian");
    (f(x), chosen(call, &f, x))
}

/// The derivatives of all elements of `f(x)` by all of `x`, in forward mode, as JAX's `jacfwd`: shapes are as for [`jacobian`].
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // A vector scaled: the derivatives by the vector, and by the factor.
/// let scaled = |(v, k): (Acc<Ix1, f64>, Acc<Z, f64>)| v.map(|x| k.the() * x);
/// let f = |v: Acc<Ix1, f64>, k: Acc<Z, f64>| jacobian_forward(scaled, (v, k));
/// let (by_v, by_k) = interpret(f, (Array::vector(vec![5.0, 7.0])?, Array::scalar(3.0)))?;
/// assert_eq!((by_v.shape(), by_v.to_vec()), (&[2, 2][..], vec![3.0, 0.0, 0.0, 3.0]));
/// assert_eq!((by_k.shape(), by_k.to_vec()), (&[2][..], vec![5.0, 7.0]));
/// # Ok::<(), InterpretError>(())
/// ```
///
/// `f` is computed at `x` once in any case, and so fails there where it does. Its extents may depend on elements.
///
/// Time: that of [`jvp_a`](crate::surface::jvp_a()) for each element of `x`, all at once where [`vmap`](crate::surface::vmap()) can, and a pass over the result,
/// whose columns come first. What `f` computes of `x` by maps, folds and scans is computed once for all of them.
#[track_caller]
pub fn jacobian_forward<X: Floats<T>, Y: Floats<T>, T: Float>(
    f: impl Fn(X) -> Y,
    x: X,
) -> Y::By<X> {
    forward(Call::here("jacobian_forward"), &f, x)
}

/// The value of a function at `x`, and what [`jacobian_forward`] gives.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |x: Acc<Z, f64>| value_and_jacobian_forward(|x: Acc<Z, f64>| x.map(|x| x * x), x);
/// let (value, derivative) = interpret(f, Array::scalar(3.0))?;
/// assert_eq!((value.item(), derivative.item()), (9.0, 6.0));
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn value_and_jacobian_forward<X: Floats<T>, Y: Floats<T>, T: Float>(
    f: impl Fn(X) -> Y,
    x: X,
) -> (Y, Y::By<X>) {
    let call = Call::here("value_and_jacobian_forward");
    (f(x), forward(call, &f, x))
}

/// The derivatives of all elements of `f(x)` by all of `x`, in reverse mode, as JAX's `jacrev`: shapes are as for [`jacobian`].
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // The sums of rows, by all elements.
/// let f = |m: Acc<Ix2, f64>| jacobian_reverse(|m: Acc<Ix2, f64>| m.sum(), m);
/// let derivatives = interpret(f, Array::from_vec([2, 2], vec![0.0; 4])?)?;
/// assert_eq!(derivatives.shape(), [2, 2, 2]);
/// assert_eq!(derivatives.to_vec(), [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
/// # Ok::<(), InterpretError>(())
/// ```
///
/// Time: that of [`vjp_a`](crate::surface::vjp_a()) for each element of `f(x)`, all at once where [`vmap`](crate::surface::vmap()) can. What `f` computes of `x` is
/// computed once for all of them, but for what may fail.
#[track_caller]
pub fn jacobian_reverse<X: Floats<T>, Y: Floats<T>, T: Float>(
    f: impl Fn(X) -> Y,
    x: X,
) -> Y::By<X> {
    let call = Call::here("jacobian_reverse");
    reverse(call, &f, x, f(x))
}

/// The value of a function at `x`, and what [`jacobian_reverse`] gives.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |x: Acc<Ix1, f64>| value_and_jacobian_reverse(|x: Acc<Ix1, f64>| x.sum(), x);
/// let (value, derivatives) = interpret(f, Array::vector(vec![2.0, 3.0])?)?;
/// assert_eq!((value.item(), derivatives.to_vec()), (5.0, vec![1.0, 1.0]));
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn value_and_jacobian_reverse<X: Floats<T>, Y: Floats<T>, T: Float>(
    f: impl Fn(X) -> Y,
    x: X,
) -> (Y, Y::By<X>) {
    let call = Call::here("value_and_jacobian_reverse");
    let y = f(x);
    (y, reverse(call, &f, x, y))
}

/// The second derivatives of a function with one float as result, at `x`: an array of the shape of `x` twice; of a tuple `x`, for
/// each of its arrays, and for each again, an array of the shapes of both. The forward Jacobian of the gradient.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |v: Acc<Ix1, f64>| v.at(ix![0]) * v.at(ix![0]) * v.at(ix![1]);
/// let second = |v: Acc<Ix1, f64>| hessian(|v| unit(f(v)), v);
/// let found = interpret(second, Array::vector(vec![3.0, 5.0])?)?;
/// assert_eq!((found.shape(), found.to_vec()), (&[2, 2][..], vec![10.0, 6.0, 6.0, 0.0]));
/// # Ok::<(), InterpretError>(())
/// ```
///
/// The blocks of a Hessian by two arrays:
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type S = Acc<Z, f64>;
/// let f = |(a, b): (S, S)| a.zip_with(b, |a, b| a * a * b);
/// let second = |a: S, b: S| hessian(f, (a, b));
/// let ((aa, ab), (ba, bb)) = interpret(second, (Array::scalar(3.0), Array::scalar(5.0)))?;
/// assert_eq!([aa, ab, ba, bb].map(|block| block.item()), [10.0, 6.0, 6.0, 0.0]);
/// # Ok::<(), InterpretError>(())
/// ```
///
/// Time: that of [`hvp_a`](crate::surface::hvp_a()) for each element of `x`. Where the Hessian times some vectors will do, that
/// is the way.
#[track_caller]
pub fn hessian<X: Floats<T>, T: Float>(f: impl Fn(X) -> Acc<Z, T>, x: X) -> X::By<X> {
    let call = Call::here("hessian");
    let gradient = |x| X::from_columns(&mut differentiate(call, false, &f, x));
    forward(call, &gradient, x)
}
