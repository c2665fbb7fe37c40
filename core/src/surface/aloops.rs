//! Loops of array code.
//!
//! A loop carries a *state*, an array or a tuple of arrays: its step makes the next state of the last one, and is given the
//! number of the trip, from 0. Each step is array code, so what runs in parallel is inside of it; steps run one after the
//! other. Extents of the state may differ from trip to trip, types may not.
//!
//! Outputs of all trips are stacked by [`ascan`](super::ascan()).
//!
//! The derivative of a loop goes back through its trips; a number of trips counts as constant. It needs the states, so the
//! loop keeps those that are needed, all trips of them. A loop with a test is made once more by its derivative, which
//! knows then how many trips there are; and where extents go on changing from trip to trip, the states are made again from
//! the first one on each trip, in time that is quadratic in the number of trips. [`Checkpoints`](super::Checkpoints) say how many
//! states to keep instead.

use super::acc::Acc;
use super::arrays::{Arrays, array_types, to_raw};
use super::checkpoints::Checkpoints;
use super::lift::Lift;
use super::node_acc;
use super::node_exp;
use super::scalar::Exp;
use super::session::{Call, RawAcc, RawColumns, RawExp, acc_lambda, exp_lambda};
use super::shape::Ix0;
use crate::graph::AccLambda;
use crate::term::States;
use crate::types::{ArrayType, ScalarType};

/// Makes steps as long as `test` holds: `init`, if it does not hold there.
///
/// `step` is given the number of the trip, from 0, and the state. A comparison with NaN is false, so a test of
/// convergence that asks whether the error is *too large* ends where the error becomes NaN. A loop whose test never
/// fails goes on for `i32::MAX` trips; [`aiterate_while`] has a bound of your own.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // Halves until the sum is at most 1.
/// let halved = |v: Acc<Ix1, f64>| awhile(|v| v.sum().the().gt(1.0), |_, v| v.map(|x| x / 2), v);
/// assert_eq!(interpret(halved, Array::vector(vec![3.0, 1.0])?)?.to_vec(), [0.75, 0.25]);
/// # Ok::<(), InterpretError>(())
/// ```
///
/// Time: the sum of the steps' costs and of the tests', one test more than steps. On a device, the host waits for each
/// test.
#[track_caller]
pub fn awhile<A: Arrays, B: Lift<bool>>(
    test: impl FnOnce(A) -> B,
    step: impl FnOnce(Exp<i32>, A) -> A,
    init: A,
) -> A {
    Checkpoints::StoreAll.awhile(test, step, init)
}

/// Makes `trips` steps; a negative number is none.
///
/// `step` is given the number of the trip, from 0, and the state.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // Smooths the inside of a vector, n times.
/// let smooth = |v: Acc<Ix1, f64>, n: Acc<Ix0, i32>| {
///     let inside = |v: Acc<Ix1, f64>| {
///         let last = v.size() - 1;
///         generate(v.shape(), |ix![i]| {
///             let (left, right) = ((i - 1).max(0), (i + 1).min(last));
///             0.25 * v.at(ix![left]) + 0.5 * v.at(ix![i]) + 0.25 * v.at(ix![right])
///         })
///     };
///     aiterate(n.the(), |_, v| inside(v), v)
/// };
/// let v = Array::vector(vec![0.0, 16.0, 0.0])?;
/// assert_eq!(interpret(smooth, (v, Array::scalar(2)))?.to_vec(), [5.0, 6.0, 5.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Time: the sum of the steps' costs.
#[track_caller]
pub fn aiterate<A: Arrays>(
    trips: impl Lift<i32>,
    step: impl FnOnce(Exp<i32>, A) -> A,
    init: A,
) -> A {
    Checkpoints::StoreAll.aiterate(trips, step, init)
}

/// Makes steps as long as `test` holds, but at most `trips`; a negative number is none.
///
/// As [`awhile`] otherwise. Whether it ended by the test is seen from the state.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // The dominant eigenvector of a matrix, by the power method.
/// let dominant = |m: Acc<Ix2, f64>, v: Acc<Ix1, f64>| {
///     let times = |v: Acc<Ix1, f64>| m.zip_with(v.replicate(ix![m.shape().0.1, All]), |a, x| a * x).sum();
///     let step = |_, (v, _)| {
///         let next = times(v);
///         let norm = next.map(|x| x.abs()).maximum().the();
///         let next = next.map(|x| x / norm);
///         (next, next.zip_with(v, |x, y| (x - y).abs()).maximum())
///     };
///     let (found, _) = aiterate_while(100, |(_, error)| error.the().gt(1e-9), step, (v, unit(1.0)));
///     found
/// };
/// let m = Array::from_vec([2, 2], vec![2.0, 1.0, 1.0, 2.0])?;
/// let found = interpret(dominant, (m, Array::vector(vec![1.0, 0.0])?))?.to_vec();
/// assert!((found[0] - found[1]).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn aiterate_while<A: Arrays, B: Lift<bool>>(
    trips: impl Lift<i32>,
    test: impl FnOnce(A) -> B,
    step: impl FnOnce(Exp<i32>, A) -> A,
    init: A,
) -> A {
    Checkpoints::StoreAll.aiterate_while(trips, test, step, init)
}

/// The function that says whether to make a trip.
pub(super) fn tested<A: Arrays, B: Lift<bool>>(
    call: Call,
    test: impl FnOnce(A) -> B,
) -> Option<AccLambda> {
    trip::<A>(call, |_, state| vec![unit(call, test(state).lift().raw())])
}

/// A truth value as an array.
fn unit(call: Call, value: RawExp) -> RawAcc {
    let f = exp_lambda(call, vec![], |_| vec![value]);
    node_acc::generate(call, &[], f)
}

/// A function of the number of a trip and a state.
pub(super) fn trip<A: Arrays>(
    call: Call,
    body: impl FnOnce(Exp<i32>, A) -> Vec<RawAcc>,
) -> Option<AccLambda> {
    let mut types = vec![ArrayType::new(ScalarType::I32, 0)];
    types.extend(array_types::<A>());
    acc_lambda(call, types, |params| {
        let number: Acc<Ix0, i32> = params.take_as();
        let number = node_exp::index(call, 1, number.raw(), &[])[0];
        body(Exp::from_raw(number), A::from_columns(params))
    })
}

/// The last state of a loop of at most so many trips. A test or an inverse that was given and is `None` is a mistake that is noted
/// already.
pub(super) fn looped<A: Arrays>(
    call: Call,
    (most, test): (RawExp, Option<Option<AccLambda>>),
    states: States<Option<AccLambda>>,
    step: impl FnOnce(Exp<i32>, A) -> A,
    init: A,
) -> A {
    let step = trip::<A>(call, |k, state| to_raw(step(k, state)));
    let made = node_acc::loop_(call, most, (test, step, states), &to_raw(init));
    let mut columns = RawColumns::of(call, made);
    let _trips: Acc<Ix0, i32> = columns.take_as();
    A::from_columns(&mut columns)
}
