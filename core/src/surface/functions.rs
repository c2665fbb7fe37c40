//! Free functions on expressions: constants, conditionals, derivatives of scalar functions; and how
//! closures on mirrors become lambdas.

use super::elt::{E, Elt, from_raw, scalar_types, to_consts, to_raw};
use super::lift::{IntoExp, Lift, literal};
use super::node_exp;
use super::scalar::{Exp, Float};
use super::session::{Call, RawExp, exp_lambda};
use crate::graph::ExpLambda;

/// A host value as an expression.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let (slope, offset) = (2.0_f32, 0.5_f32); // Known when the program is built.
/// let f = |x: Acc<Ix1, f32>| x.map(|x| constant(slope) * x + constant(offset));
/// assert_eq!(interpret(f, Array::vector(vec![1.0, 2.0])?)?.to_vec(), [2.5, 4.5]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn constant<T: Elt>(value: T) -> E<T> {
    let call = Call::here("constant");
    let consts = to_consts(value).into_iter();
    let raw: Vec<RawExp> = consts.map(|c| node_exp::constant(call, c)).collect();
    from_raw::<T>(&raw)
}

/// π.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |x: Acc<Ix1, f64>| x.map(|x| x * pi::<f64>() / 180.0);
/// assert_eq!(interpret(f, Array::vector(vec![180.0])?)?.to_vec(), [std::f64::consts::PI]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn pi<T: Float>() -> Exp<T> {
    literal(T::from_f64(std::f64::consts::PI))
}

/// `then` where `test` holds, else `else_`; the other one is not evaluated, so that it may be an index out
/// of range. With literals on both sides the type has to be said: `cond::<f64>(test, 1.0, 0.0)`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |x: Acc<Ix1, f64>| x.map(|x| (cond(x.gt(0.0), x.sqrt(), 0.0), cond::<f64>(x.gt(0.0), 1.0, -1.0)));
/// assert_eq!(interpret(f, Array::vector(vec![4.0, -4.0])?)?.to_vec(), [(2.0, 1.0), (0.0, -1.0)]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn cond<
    T: Elt, // With literals on both sides, say which type: `cond::<f64>(test, 1.0, 0.0)`.
>(
    test: impl Lift<bool>,
    then: impl Lift<T>,
    else_: impl Lift<T>,
) -> E<T> {
    let call = Call::here("cond");
    let test = test.lift().raw();
    let then = to_raw::<T>(then.lift());
    let else_ = to_raw::<T>(else_.lift());
    from_raw::<T>(&node_exp::cond(call, test, &then, &else_))
}

/// The gradient of a scalar function at `x`: of the type of `x`, with zeros where it is not a float. What
/// the closure uses from outside counts as constant.
///
/// A zero adjoint passes nothing on, as for [`gradient_a`](super::gradient_a).
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |x: Acc<Ix1, f64>| x.map(|x| gradient_e(|(x, y)| x * y.exp(), (x, 2.0 * x)));
/// assert_eq!(interpret(f, Array::vector(vec![0.0])?)?.to_vec(), [(1.0, 0.0)]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn gradient_e<X: IntoExp, R: IntoExp>(f: impl FnOnce(E<X::Elt>) -> R, x: X) -> E<X::Elt>
where
    R::Elt: Float,
{
    let call = Call::here("gradient_e");
    let args = to_raw::<X::Elt>(x.into_exp());
    let f = unary::<X::Elt, R>(call, f);
    from_raw::<X::Elt>(&node_exp::gradient(call, false, f, &args))
}

/// The value of a scalar function at `x`, and its gradient.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |x: Acc<Ix1, f64>| x.map(|x| value_and_gradient_e(|x| x * x, x));
/// assert_eq!(interpret(f, Array::vector(vec![3.0])?)?.to_vec(), [(9.0, 6.0)]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn value_and_gradient_e<X: IntoExp, R: IntoExp>(
    f: impl FnOnce(E<X::Elt>) -> R,
    x: X,
) -> (Exp<R::Elt>, E<X::Elt>)
where
    R::Elt: Float,
{
    let call = Call::here("value_and_gradient_e");
    let args = to_raw::<X::Elt>(x.into_exp());
    let f = unary::<X::Elt, R>(call, f);
    let results = node_exp::gradient(call, true, f, &args);
    from_raw::<(R::Elt, X::Elt)>(&results)
}

/// The results of a scalar function at `x`, and their derivative along `dx`: the product of its Jacobian with a vector.
///
/// `f` may give a number, a tuple or an array of such; the derivative is of the same type, with zeros for what is not a
/// float. So is `dx` of the type of `x`, and what is not a float in it is ignored. Zeros pass nothing on, as for
/// [`jvp_a`](super::jvp_a).
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let polar = |(r, a): (Exp<f64>, Exp<f64>)| (r * a.cos(), r * a.sin());
/// let f = |v: Acc<Ix1, (f64, f64)>| v.map(|p| jvp_e(polar, p, (1.0, 2.0)));
/// let moved = interpret(f, Array::vector(vec![(3.0, 0.0)])?)?;
/// assert_eq!(moved.to_vec(), [((3.0, 0.0), (1.0, 6.0))]);
/// # Ok::<(), InterpretError>(())
/// ```
///
/// Time: two to three times that of `f`, for any number of inputs and results.
#[track_caller]
pub fn jvp_e<X: IntoExp, R: IntoExp>(
    f: impl FnOnce(E<X::Elt>) -> R,
    x: X,
    dx: impl Lift<X::Elt>,
) -> (E<R::Elt>, E<R::Elt>) {
    let call = Call::here("jvp_e");
    let point = to_raw::<X::Elt>(x.into_exp());
    let tangents = to_raw::<X::Elt>(dx.lift());
    let f = unary::<X::Elt, R>(call, f);
    let count = scalar_types::<R::Elt>().len();
    from_raw::<(R::Elt, R::Elt)>(&node_exp::jvp(call, count, f, (&point, &tangents)))
}

/// The lambda of a closure of one argument.
pub(super) fn unary<T: Elt, R: IntoExp>(
    call: Call,
    f: impl FnOnce(E<T>) -> R,
) -> Option<ExpLambda> {
    exp_lambda(call, scalar_types::<T>(), |params| {
        to_raw::<R::Elt>(f(from_raw::<T>(params)).into_exp())
    })
}

/// The lambda of an operator on `T`.
pub(super) fn operator<T: Elt, R: Lift<T>>(
    call: Call,
    f: impl FnOnce(E<T>, E<T>) -> R,
) -> Option<ExpLambda> {
    exp_lambda(call, scalar_types::<(T, T)>(), |params| {
        let (left, right) = from_raw::<(T, T)>(params);
        to_raw::<T>(f(left, right).lift())
    })
}
