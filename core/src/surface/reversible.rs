//! Loops whose derivatives go back through the trips by an inverse of the step.

use super::aloops::{aiterate, looped, trip};
use super::arrays::{Arrays, columns_of, of_each_column, to_raw};
use super::lift::{Lift, literal_at};
use super::node_acc;
use super::node_exp;
use super::scalar::Exp;
use super::session::{Call, exp_lambda};
use crate::prim::Prim;
use crate::term::States;

/// Makes `trips` steps as [`aiterate`] does, with a derivative in reverse mode that stores nothing but the last state: the others are
/// made again from there, by `inverse`, which is given the number of a trip and the state after it, and gives that before it
/// (paper 001, §4).
///
/// That `inverse` is one is not checked here: [`reversal_error`] tells how far states drift by rounding. The derivative takes one step,
/// one inverse step and the derivative of a step for each trip. Forward mode has no use for the inverse.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type N = Acc<Z, f64>;
/// // A pendulum, by leapfrog: position and speed, and the length of the string.
/// let pull = |length: N, x: N, v: N, h: f64| {
///     let force = length.zip_with(x, move |length, x| -h * x.sin() / length);
///     force.zip_with(v, |f, v| v + f)
/// };
/// let moved = |x: N, v: N, h: f64| x.zip_with(v, move |x, v| x + h * v);
/// let run = move |(length, x): (N, N)| {
///     let step = move |_, (x, v): (N, N)| {
///         let v = pull(length, x, v, 0.01);
///         (moved(x, v, 0.01), v)
///     };
///     let inverse = move |_, (x, v): (N, N)| {
///         let x = moved(x, v, -0.01);
///         (x, pull(length, x, v, -0.01))
///     };
///     aiterate_reversible(500, step, inverse, (x, unit(0.0))).0
/// };
/// let f = move |length: N, x: N| gradient_a(run, (length, x));
/// let (by_length, by_x) = interpret(f, (Array::scalar(1.0), Array::scalar(0.1)))?;
/// assert!((by_x.item() - 5.0_f64.cos()).abs() < 0.02); // As of a harmonic oscillator, nearly.
/// assert!((by_length.item() - 0.1 * 2.5 * 5.0_f64.sin()).abs() < 0.02);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn aiterate_reversible<S: Arrays>(
    trips: impl Lift<i32>,
    step: impl FnOnce(Exp<i32>, S) -> S,
    inverse: impl FnOnce(Exp<i32>, S) -> S,
    init: S,
) -> S {
    let call = Call::here("aiterate_reversible");
    let most = trips.lift().raw();
    let inverse = trip::<S>(call, |k, state| to_raw(inverse(k, state)));
    looped(call, (most, None), States::Inverse(inverse), step, init)
}

/// How far states of a reversible loop drift: each element of the first state, less what is there after `trips` steps and as many
/// inverse ones. For [`aiterate_reversible`], which takes the same functions.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type V = Acc<Ix1, f64>;
/// let f = |k: V, x: V| {
///     let step = |_, x: V| x.zip_with(k, |x, k| x * k);
///     let wrong = |_, x: V| x.zip_with(k, |x, k| x / k + 1e-3);
///     reversal_error(2, step, wrong, x)
/// };
/// let k = Array::vector(vec![2.0])?;
/// let drift = interpret(f, (k, Array::vector(vec![1.0])?))?.to_vec();
/// assert!((drift[0] + 1.5e-3).abs() < 1e-12);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn reversal_error<S: Arrays>(
    trips: impl Lift<i32>,
    step: impl Fn(Exp<i32>, S) -> S,
    inverse: impl Fn(Exp<i32>, S) -> S,
    init: S,
) -> S {
    let call = Call::here("reversal_error");
    let (trips, none) = (trips.lift(), literal_at(call, 0));
    let trips = trips.max(none);
    let there = aiterate(trips, step, init);
    let back = |k: Exp<i32>, s| inverse(trips - literal_at(call, 1) - k, s);
    combined(call, Prim::Sub, init, aiterate(trips, back, there))
}

/// The sums or differences of corresponding floats; of what is no float, the first.
fn combined<X: Arrays>(call: Call, op: Prim, a: X, b: X) -> X {
    let mut pairs = [a, b].map(|arrays| columns_of(call, arrays));
    of_each_column::<X>(call, |ty| {
        let pair = pairs.each_mut().map(|columns| columns.take(1));
        if !ty.elem.is_float() {
            return pair[0];
        }
        let f = exp_lambda(call, vec![ty.elem; 2], |operands| {
            vec![node_exp::prim(call, op, operands)]
        });
        node_acc::map(call, f, &pair)
    })
}
