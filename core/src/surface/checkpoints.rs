//! How much of a computation its derivative keeps.
//!
//! A derivative in reverse mode needs what was computed on the way. Here the user says what is computed once more instead. What a
//! program computes stays the same.

use super::aloops::{looped, tested};
use super::arrays::{Arrays, of_each_column};
use super::ascan::{self, Over, Rows, Stack, from_the_last, in_order};
use super::lift::{Lift, literal_at};
use super::node_acc;
use super::node_exp;
use super::scalar::Exp;
use super::session::{Call, RawAcc, RawExp, exp_lambda};
use crate::constant::Const;
use crate::graph::AccLambda;
use crate::term::States;
use crate::types::{ArrayType, ScalarType};

/// How many states a loop's derivative keeps, in reverse mode; the loops of this type are those of the same names without it.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type N = Acc<Z, f64>;
/// // The logistic map, in 1000 steps, of which 20 states are kept at a time.
/// let run = |(k, x): (N, N)| {
///     let step = |_, x: N| x.zip_with(k, |x, k| k * x * (1.0 - x));
///     Checkpoints::Slots(20).aiterate(1000, step, x)
/// };
/// let both = |k: N, x: N| gradient_a(run, (k, x));
/// let (by_k, by_x) = interpret(both, (Array::scalar(2.0), Array::scalar(0.25)))?;
/// // It settles at 1 − 1/k, wherever it starts.
/// assert!((by_k.item() - 0.25).abs() < 1e-12 && by_x.item().abs() < 1e-12);
/// # Ok::<(), InterpretError>(())
/// ```
///
/// Time, for n trips: that of a derivative that stores all states, and of making trips again. With c slots, each is made again at most
/// r + 1 times, where r is the least number with C(c + r, c) ≥ n: three times for 1000 trips and 44 slots or for 10⁶ and 1413, four
/// times for 10⁶ and 180, six times for 10⁶ and 39. The checkpoints are placed as Griewank and Walther do it (2000, algorithm 799). A
/// loop with a test counts its trips when it runs first.
///
/// States whose extents change from trip to trip cannot be kept this way: such a loop is differentiated as without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Checkpoints {
    /// All states that are needed, or what trips overwrite of them, those of loops inside, too: the least time, and memory for all
    /// trips. What loops do unless it is said otherwise.
    #[default]
    StoreAll,
    /// At most so many states at a time, and at least one.
    Slots(u32),
    /// The first state alone: each state is made again from there, in time that is quadratic in the number of trips.
    Recompute,
}

impl Checkpoints {
    /// [`aiterate`](super::aiterate()), with these checkpoints.
    #[track_caller]
    pub fn aiterate<A: Arrays>(
        self,
        trips: impl Lift<i32>,
        step: impl FnOnce(Exp<i32>, A) -> A,
        init: A,
    ) -> A {
        let call = Call::here("aiterate");
        let most = trips.lift().raw();
        looped(call, (most, None), self.states(), step, init)
    }

    /// [`awhile`](super::awhile()), with these checkpoints.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// type N = Acc<Z, f64>;
    /// // 3x until it is more than 100.
    /// let grow = |x: N| {
    ///     let small = |x: N| x.the().lt(100.0);
    ///     Checkpoints::Slots(3).awhile(small, |_, x: N| x.map(|x| 3.0 * x), x)
    /// };
    /// assert_eq!(interpret(|x| gradient_a(grow, x), Array::scalar(2.0))?.item(), 81.0);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn awhile<A: Arrays, B: Lift<bool>>(
        self,
        test: impl FnOnce(A) -> B,
        step: impl FnOnce(Exp<i32>, A) -> A,
        init: A,
    ) -> A {
        let call = Call::here("awhile");
        let most = node_exp::constant(call, i32::MAX.into());
        let test = tested::<A, B>(call, test);
        looped(call, (most, Some(test)), self.states(), step, init)
    }

    /// [`aiterate_while`](super::aiterate_while()), with these checkpoints.
    #[track_caller]
    pub fn aiterate_while<A: Arrays, B: Lift<bool>>(
        self,
        trips: impl Lift<i32>,
        test: impl FnOnce(A) -> B,
        step: impl FnOnce(Exp<i32>, A) -> A,
        init: A,
    ) -> A {
        let call = Call::here("aiterate_while");
        let most = trips.lift().raw();
        let test = tested::<A, B>(call, test);
        looped(call, (most, Some(test)), self.states(), step, init)
    }

    /// [`ascan`](super::ascan()), with these checkpoints of its state; the outputs of all steps are there in any case.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// type V = Acc<Ix1, f64>;
    /// // A running mean that forgets, and the sum of its squares.
    /// let f = |x: V| {
    ///     let step = |_, mean: Acc<Z, f64>, x: Acc<Z, f64>| {
    ///         let mean = mean.zip_with(x, |mean, x| 0.5 * (mean + x));
    ///         (mean, mean.map(|x| x * x))
    ///     };
    ///     let (_, squares) = Checkpoints::Slots(2).ascan(x, step, unit(0.0));
    ///     squares.sum()
    /// };
    /// let x = Array::vector(vec![2.0, 2.0])?;
    /// assert_eq!(interpret(|x| gradient_a(f, x), x)?.to_vec(), [1.75, 1.5]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn ascan<X: Over, S: Arrays, Y: Stack>(
        self,
        over: X,
        step: impl FnOnce(Exp<i32>, S, X::Row) -> (S, Y),
        init: S,
    ) -> (S, Y::Stacked) {
        let rows = Rows::of(Call::here("ascan"), over, self.states(), in_order);
        let (_, state, stacked) = rows.run::<X::Row, S, Y>(None, step, init);
        (state, stacked)
    }

    /// [`ascan_reverse`](super::ascan_reverse()), with these checkpoints of its state.
    #[track_caller]
    pub fn ascan_reverse<X: Over, S: Arrays, Y: Stack>(
        self,
        over: X,
        step: impl FnOnce(Exp<i32>, S, X::Row) -> (S, Y),
        init: S,
    ) -> (S, Y::Stacked) {
        let call = Call::here("ascan_reverse");
        let rows = Rows::of(call, over, self.states(), from_the_last(call));
        let (_, state, stacked) = rows.run::<X::Row, S, Y>(None, step, init);
        (state, stacked)
    }

    /// [`ascan_while`](super::ascan_while()), with these checkpoints of its state.
    #[track_caller]
    pub fn ascan_while<X: Over, S: Arrays, Y: Stack, B: Lift<bool>>(
        self,
        over: X,
        test: impl FnOnce(S) -> B,
        step: impl FnOnce(Exp<i32>, S, X::Row) -> (S, Y),
        init: S,
    ) -> (Exp<i32>, S, Y::Stacked) {
        let call = Call::here("ascan_while");
        let rows = Rows::of(call, over, self.states(), in_order);
        let test = ascan::tested::<S, Y, B>(call, test);
        rows.run::<X::Row, S, Y>(Some(test), step, init)
    }

    fn states(self) -> States<Option<AccLambda>> {
        match self {
            Self::StoreAll => States::Stored,
            Self::Slots(slots) => States::Checkpoints(slots.max(1)),
            Self::Recompute => States::Checkpoints(1),
        }
    }
}

/// The value of a function, whose derivative in reverse mode keeps nothing that the function computes on the way: it keeps `x` and other
/// arrays that the function reads, and computes the rest once more. As JAX's `checkpoint`. Where nothing is differentiated, it is
/// `f(x)`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type V = Acc<Ix1, f64>;
/// let layer = |x: V| x.map(|x| x.sin()).map(|x| x.exp());
/// let deep = |x: V| checkpoint(layer, checkpoint(layer, x)).sum();
/// let plain = |x: V| layer(layer(x)).sum();
/// let x = Array::vector(vec![0.5, 1.0])?;
/// let same = interpret(|x| gradient_a(deep, x), x.clone())?;
/// assert_eq!(same.to_vec(), interpret(|x| gradient_a(plain, x), x)?.to_vec());
/// # Ok::<(), InterpretError>(())
/// ```
///
/// Time: of the derivative, that of the function once more.
#[track_caller]
pub fn checkpoint<X: Arrays, Y: Arrays>(f: impl FnOnce(X) -> Y, x: X) -> Y {
    let call = Call::here("checkpoint");
    let nothing = of_each_column::<Y>(call, |ty| empty(call, ty));
    let once = literal_at(call, 1).raw();
    let states = Checkpoints::Recompute.states();
    // What is carried is computed outside, by whoever made it.
    let step = |_, (x, _)| (x, f(x));
    looped(call, (once, None), states, step, (x, nothing)).1
}

/// An array of the least size.
fn empty(call: Call, ty: ArrayType) -> RawAcc {
    let shape = vec![literal_at(call, 0).raw(); ty.rank];
    let zero = |_: &[RawExp]| vec![node_exp::constant(call, Const::zero(ty.elem))];
    let f = exp_lambda(call, vec![ScalarType::I32; ty.rank], zero);
    node_acc::generate(call, &shape, f)
}
