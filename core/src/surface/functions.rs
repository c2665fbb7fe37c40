//! Free functions on expressions: constants, conditionals, derivatives of scalar functions; and how
//! closures on mirrors become lambdas.

use super::elt::{E, Elt, derivative_of, from_raw, scalar_types, to_consts, to_raw};
use super::lift::{IntoExp, Lift, literal};
use super::node_exp;
use super::scalar::{Exp, Float};
use super::session::{Call, RawExp, exp_lambda};
use crate::constant::Const;
use crate::graph::ExpLambda;
use crate::prim::Prim;
use crate::types::ScalarType;

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
    derivative_of::<X::Elt>(&args, &node_exp::gradient(call, false, f, &args))
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
    let (value, gradient) = results.split_at(1);
    (
        from_raw::<R::Elt>(value),
        derivative_of::<X::Elt>(&args, gradient),
    )
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
    let results = node_exp::jvp(call, count, f, (&point, &tangents));
    let (value, tangent) = results.split_at(count);
    (
        from_raw::<R::Elt>(value),
        derivative_of::<R::Elt>(value, tangent),
    )
}

/// The product of a vector, `dy`, with the Jacobian of a scalar function at `x`: the gradient of the sum of all products of a
/// float of `f(x)` and the one of `dy`.
///
/// `f` may give a number, a tuple or an array of such, and `dy` is of the same type. The result is of the type of `x`. What is
/// not a float has zeros there, and does not count in `f(x)`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let polar = |(r, a): (Exp<f64>, Exp<f64>)| (r * a.cos(), r * a.sin());
/// let f = |v: Acc<Ix1, (f64, f64)>| v.map(|p| vjp_e(polar, p, (1.0, 10.0)));
/// assert_eq!(interpret(f, Array::vector(vec![(3.0, 0.0)])?)?.to_vec(), [(1.0, 30.0)]);
/// # Ok::<(), InterpretError>(())
/// ```
///
/// Time: that of [`gradient_e`]; two to four times that of `f` as a rule, for any number of inputs and results.
#[track_caller]
pub fn vjp_e<X: IntoExp, R: IntoExp>(
    f: impl FnOnce(E<X::Elt>) -> R,
    x: X,
    dy: impl Lift<R::Elt>,
) -> E<X::Elt> {
    back::<X::Elt, R>(Call::here("vjp_e"), f, x.into_exp(), dy.lift())
}

/// The results of a scalar function at `x`, and what [`vjp_e`] gives. `f` is called twice; what it computes is computed once.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let polar = |(r, a): (Exp<f64>, Exp<f64>)| (r * a.cos(), r * a.sin());
/// let f = |v: Acc<Ix1, (f64, f64)>| v.map(|p| value_and_vjp_e(polar, p, (1.0, 10.0)));
/// let found = interpret(f, Array::vector(vec![(3.0, 0.0)])?)?;
/// assert_eq!(found.to_vec(), [((3.0, 0.0), (1.0, 30.0))]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn value_and_vjp_e<X: IntoExp, R: IntoExp>(
    f: impl Fn(E<X::Elt>) -> R,
    x: X,
    dy: impl Lift<R::Elt>,
) -> (E<R::Elt>, E<X::Elt>) {
    let call = Call::here("value_and_vjp_e");
    let x = x.into_exp();
    (f(x).into_exp(), back::<X::Elt, R>(call, f, x, dy.lift()))
}

/// The product of the Hessian of a scalar function with one float as result, at `x`, with a vector: the derivative of its
/// gradient along `v`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |(x, y): (Exp<f64>, Exp<f64>)| x * x * y;
/// let along = |v: Acc<Ix1, (f64, f64)>| v.map(|p| hvp_e(f, p, (1.0, 10.0)));
/// assert_eq!(interpret(along, Array::vector(vec![(3.0, 5.0)])?)?.to_vec(), [(70.0, 6.0)]);
/// # Ok::<(), InterpretError>(())
/// ```
///
/// Time: two to three times that of the gradient, for any number of inputs.
#[track_caller]
pub fn hvp_e<X: IntoExp, R: IntoExp>(
    f: impl FnOnce(E<X::Elt>) -> R,
    x: X,
    v: impl Lift<X::Elt>,
) -> E<X::Elt>
where
    R::Elt: Float,
{
    let call = Call::here("hvp_e");
    let types = scalar_types::<X::Elt>();
    let count = types.len();
    let [point, tangents] = [x.into_exp(), v.lift()].map(to_raw::<X::Elt>);
    let f = exp_lambda(call, types, |params| {
        node_exp::gradient(call, false, unary::<X::Elt, R>(call, f), params)
    });
    let results = node_exp::jvp(call, count, f, (&point, &tangents));
    derivative_of::<X::Elt>(&point, &results[count..])
}

/// The gradient of the inner product of `dy` with the results of `f`.
fn back<T: Elt, R: IntoExp>(call: Call, f: impl FnOnce(E<T>) -> R, x: E<T>, dy: E<R::Elt>) -> E<T> {
    let dy = to_raw::<R::Elt>(dy);
    let f = exp_lambda(call, scalar_types::<T>(), |params| {
        let y = to_raw::<R::Elt>(f(from_raw::<T>(params)).into_exp());
        vec![inner_product(call, &scalar_types::<R::Elt>(), (&y, &dy))]
    });
    let args = to_raw::<T>(x);
    derivative_of::<T>(&args, &node_exp::gradient(call, false, f, &args))
}

/// The sum of the products of the floats of both, which are of the given types, in the widest of these.
fn inner_product(call: Call, types: &[ScalarType], (a, b): (&[RawExp], &[RawExp])) -> RawExp {
    let wide = widest_float(types.iter().copied());
    let pairs = types.iter().zip(a.iter().zip(b));
    let products = pairs
        .filter(|(ty, _)| ty.is_float())
        .map(|(&ty, (&a, &b))| {
            let product = node_exp::prim(call, Prim::Mul, &[a, b]);
            match ty == wide {
                true => product,
                false => node_exp::prim(call, Prim::Convert(wide), &[product]),
            }
        });
    let sum = products.reduce(|a, b| node_exp::prim(call, Prim::Add, &[a, b]));
    sum.unwrap_or_else(|| node_exp::constant(call, Const::zero(wide)))
}

/// The float of most bytes; `f64`, if there is none.
pub(super) fn widest_float(types: impl Iterator<Item = ScalarType>) -> ScalarType {
    let floats = types.filter(|ty| ty.is_float());
    let wide = floats.max_by_key(|ty| ty.bytes());
    wide.unwrap_or(ScalarType::F64)
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
