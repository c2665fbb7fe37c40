//! Loops in scalar code.
//!
//! A loop carries a *state*, an element of any type: its step makes the next state of the last one, and is given the
//! number of the trip, from 0. It runs within one element of an array operation (or on the host, in a shape), so what
//! runs in parallel are the elements; steps run one after the other.
//!
//! What differs from element to element may be the number of trips: elements that are done wait for their neighbours in
//! vector code. An index out of range in a loop fails only if the trip is made.
//!
//! The derivative of a loop that depends on a few scalars, and on elements of arrays that are the same on all trips, is
//! carried along with its state; any other loop becomes one of arrays ([`aiterate`](super::aiterate())) to be differentiated,
//! and its states are kept in memory. A number of trips counts as constant.
//!
//! Literals of the first state say their types where rustc asks for them: `(0.0_f64, 0_i32)`.

use super::acc::Acc;
use super::elt::{E, Elt, from_raw, scalar_types, to_raw};
use super::lift::{IntoExp, Lift};
use super::node_acc;
use super::node_exp;
use super::scalar::Exp;
use super::session::{Call, RawExp, exp_lambda};
use super::shape::{HasInner, Shape, dims, from_dims};
use crate::graph::ExpLambda;
use crate::prim::Prim;
use crate::types::ScalarType;

/// Makes steps as long as `test` holds: `init`, if it does not hold there.
///
/// `step` is given the number of the trip, from 0, and the state. A comparison with NaN is false, so a test of
/// convergence that asks whether the error is *too large* ends where the error becomes NaN. A loop whose test never
/// fails goes on for `i32::MAX` trips; [`iterate_while`] has a bound of your own.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // Newton's method for the square root.
/// let roots = |a: Acc<Ix1, f64>| {
///     a.map(|a| while_(|x| (x * x - a).abs().gt(1e-12 * a), |_, x| 0.5 * (x + a / x), a))
/// };
/// let roots = interpret(roots, Array::vector(vec![4.0, 2.25])?)?.to_vec();
/// assert!((roots[0] - 2.0).abs() < 1e-12 && (roots[1] - 1.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Time: the sum of the steps' costs and of the tests', one test more than steps.
#[track_caller]
pub fn while_<X: IntoExp, B: Lift<bool>, R: Lift<X::Elt>>(
    test: impl FnOnce(E<X::Elt>) -> B,
    step: impl FnOnce(Exp<i32>, E<X::Elt>) -> R,
    init: X,
) -> E<X::Elt> {
    let call = Call::here("while_");
    let most = node_exp::constant(call, i32::MAX.into());
    let test = tested::<X::Elt, B>(call, test);
    run::<X::Elt, R>(call, Some(test), step, (most, init.into_exp()))
}

/// Makes `trips` steps; a negative number is none.
///
/// `step` is given the number of the trip, from 0, and the state.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let fibonacci = |n: Acc<Ix1, i32>| n.map(|n| iterate(n, |_, (a, b)| (b, a + b), (0, 1)).0);
/// let n = Array::vector(vec![-1, 0, 1, 10])?;
/// assert_eq!(interpret(fibonacci, n)?.to_vec(), [0, 0, 1, 55]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Time: the sum of the steps' costs.
#[track_caller]
pub fn iterate<X: IntoExp, R: Lift<X::Elt>>(
    trips: impl Lift<i32>,
    step: impl FnOnce(Exp<i32>, E<X::Elt>) -> R,
    init: X,
) -> E<X::Elt> {
    let call = Call::here("iterate");
    let most = trips.lift().raw();
    run::<X::Elt, R>(call, None, step, (most, init.into_exp()))
}

/// Makes steps as long as `test` holds, but at most `trips`; a negative number is none.
///
/// As [`while_`] otherwise. Whether it ended by the test is seen from the state.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // How many points of the sequence z² + c stay within the circle of radius 2: the Mandelbrot set.
/// let escapes = |c: Acc<Ix1, (f64, f64)>| {
///     c.map(|(a, b)| {
///         iterate_while(
///             100,
///             |(x, y, _)| (x * x + y * y).le(4.0),
///             |_, (x, y, n)| (x * x - y * y + a, 2 * x * y + b, n + 1),
///             (0.0_f64, 0.0_f64, 0_i32),
///         )
///         .2
///     })
/// };
/// let c = Array::vector(vec![(0.0, 0.0), (1.0, 0.0)])?;
/// assert_eq!(interpret(escapes, c)?.to_vec(), [100, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn iterate_while<X: IntoExp, B: Lift<bool>, R: Lift<X::Elt>>(
    trips: impl Lift<i32>,
    test: impl FnOnce(E<X::Elt>) -> B,
    step: impl FnOnce(Exp<i32>, E<X::Elt>) -> R,
    init: X,
) -> E<X::Elt> {
    let call = Call::here("iterate_while");
    let most = trips.lift().raw();
    let test = tested::<X::Elt, B>(call, test);
    run::<X::Elt, R>(call, Some(test), step, (most, init.into_exp()))
}

impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// Goes through the elements in row-major order, within one element of another operation: `step` is given the
    /// index, the state and the element, and makes the next state. Of an empty array, `init`.
    ///
    /// A [`fold`](Acc::fold) runs in parallel, and asks that its operator is associative; this does not.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // Horner's rule: the value of a polynomial at each x.
    /// let values = |c: Acc<Ix1, f64>, x: Acc<Ix1, f64>| {
    ///     x.map(|x| c.fold_in_order(0.0, |_, sum, c| sum * x + c))
    /// };
    /// let (c, x) = (Array::vector(vec![1.0, 0.0, -2.0])?, Array::vector(vec![3.0])?);
    /// assert_eq!(interpret(values, (c, x))?.to_vec(), [7.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Time: the sum of the steps' costs.
    #[track_caller]
    pub fn fold_in_order<X: IntoExp, R: Lift<X::Elt>>(
        self,
        init: X,
        step: impl FnOnce(Sh, E<X::Elt>, E<T>) -> R,
    ) -> E<X::Elt> {
        let call = Call::here("fold_in_order");
        let most = self.size().raw();
        let step = |position, state| {
            let index = index_of(call, position, self.shape());
            step(index, state, self.read(call, index))
        };
        run::<X::Elt, R>(call, None, step, (most, init.into_exp()))
    }
}

impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// Goes through each row, the inner dimension, in order, and through the rows in parallel: `step` is given the position
    /// in the row, the state and the element, and makes the next state. Gives the last states; of an empty row, `init`.
    ///
    /// For what is not associative, such as filters and recurrent networks. A [`fold`](Acc::fold) is parallel within
    /// rows, too.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // A low-pass filter along each row.
    /// let filter = |m: Acc<Ix2, f64>| m.fold_seq(0.0, |_, y, x| y + 0.5 * (x - y));
    /// let m = Array::from_vec([2, 3], vec![4.0, 0.0, 0.0, 0.0, 0.0, 8.0])?;
    /// assert_eq!(interpret(filter, m)?.to_vec(), [0.5, 4.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Time: that of the longest chain of steps, one for each element of a row.
    #[track_caller]
    pub fn fold_seq<X: IntoExp, R: Lift<X::Elt>>(
        self,
        init: X,
        step: impl FnOnce(Exp<i32>, E<X::Elt>, E<T>) -> R,
    ) -> Acc<Sh::Outer, X::Elt>
    where
        Sh: HasInner,
    {
        let call = Call::here("fold_seq");
        let mut outer = dims(self.shape());
        let inner = outer.split_off(Sh::RANK - 1)[0];
        let f = exp_lambda(call, vec![ScalarType::I32; outer.len()], |row| {
            let step = |k: Exp<i32>, state| {
                let index = [row, &[k.raw()]].concat();
                step(k, state, self.read(call, from_dims::<Sh>(&index)))
            };
            to_raw::<X::Elt>(run::<X::Elt, R>(call, None, step, (inner, init.into_exp())))
        });
        Acc::from_raw(node_acc::generate(call, &outer, f))
    }
}

/// The index of an element by its row-major position.
fn index_of<Sh: Shape>(call: Call, position: Exp<i32>, shape: Sh) -> Sh {
    from_dims(&index_at(call, position, dims(shape)))
}

/// The index of an element of an array of these extents by its row-major position.
pub(super) fn index_at(call: Call, position: Exp<i32>, extents: Vec<RawExp>) -> Vec<RawExp> {
    let mut rest = position;
    let extents = extents.into_iter().enumerate().rev();
    let mut index: Vec<RawExp> = extents
        .map(|(axis, extent)| match axis {
            0 => rest.raw(),
            _ => {
                let own: Exp<i32> = rest.prim_at(call, Prim::Rem, &[extent]);
                rest = rest.prim_at(call, Prim::Quot, &[extent]);
                own.raw()
            }
        })
        .collect();
    index.reverse();
    index
}

/// The function that says whether to make a trip.
fn tested<T: Elt, B: Lift<bool>>(call: Call, test: impl FnOnce(E<T>) -> B) -> Option<ExpLambda> {
    trip::<T>(call, |_, state| vec![test(state).lift().raw()])
}

/// A function of the number of a trip and a state.
fn trip<T: Elt>(call: Call, body: impl FnOnce(Exp<i32>, E<T>) -> Vec<RawExp>) -> Option<ExpLambda> {
    let types = [&[ScalarType::I32], &scalar_types::<T>()[..]].concat();
    exp_lambda(call, types, |params| {
        let state = from_raw::<T>(&params[1..]);
        body(Exp::from_raw(params[0]), state)
    })
}

/// The last state of a loop. A test that was given and is `None` is a mistake that is noted already.
fn run<T: Elt, R: Lift<T>>(
    call: Call,
    test: Option<Option<ExpLambda>>,
    step: impl FnOnce(Exp<i32>, E<T>) -> R,
    (most, init): (RawExp, E<T>),
) -> E<T> {
    let step = trip::<T>(call, |k, state| to_raw::<T>(step(k, state).lift()));
    let args = [&[most], &to_raw::<T>(init)[..]].concat();
    from_raw::<T>(&node_exp::loop_(call, test, step, &args)[1..])
}
