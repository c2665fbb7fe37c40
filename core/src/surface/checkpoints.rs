//! Loops of array code whose derivatives make states again, instead of storing all of them: from checkpoints, or backwards.
//!
//! Both are loops with derivatives by decree. A loop in segments is a loop over segments, each of which keeps what it starts from and
//! runs again when its derivative is wanted; segments of segments make it a tree (treeverse, Griewank 1992, without unequal parts).
//! A reversible loop keeps its end and goes back from there by the inverse of its step (paper 001, §4).

use super::acc::{jvp_a, vjp_a};
use super::aloops::aiterate;
use super::arrays::{Arrays, columns_of, of_each_column};
use super::custom::custom_rules;
use super::lift::{Lift, literal_at};
use super::node_acc;
use super::node_exp;
use super::scalar::Exp;
use super::session::{Call, exp_lambda};
use crate::constant::Const;
use crate::prim::Prim;
use crate::types::ScalarType;

/// How many levels of segments in segments there are at most: how often a step is made again. The code of a derivative has
/// the step once for each level, that of a second derivative many times.
const MOST_LEVELS: u32 = 3;

/// Makes `trips` steps as [`aiterate`] does, `step` being given the number of the trip, `constants` and the state, with a derivative
/// in reverse mode that stores about `slots` states at a time.
///
/// The trips are cut into segments, which are run again when their derivative is wanted, and these into smaller ones, until the
/// states at the beginnings of segments of all levels and those of one of the smallest are at most `slots`. With twice the square
/// root of `trips` for slots, each step is made once more, with three times the cube root twice more; fewer slots are not to be had, and
/// there are three levels of segments then.
///
/// `constants` and the first state are differentiated by. What `step` uses from outside counts as constant for this loop: pass all
/// that matters to the derivative as `constants`.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type N = Acc<Z, f64>;
/// let run = |(k, x): (N, N)| {
///     let step = |_, k: N, x: N| x.zip_with(k, |x, k| k * x * (1.0 - x));
///     aiterate_checkpointed(1000, 64, step, k, x)
/// };
/// let both = |k: N, x: N| gradient_a(run, (k, x));
/// let (by_k, by_x) = interpret(both, (Array::scalar(2.0), Array::scalar(0.25)))?;
/// // It settles at 1 − 1/k, wherever it starts.
/// assert!((by_k.item() - 0.25).abs() < 1e-12 && by_x.item().abs() < 1e-12);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn aiterate_checkpointed<C: Arrays, S: Arrays>(
    trips: i32,
    slots: usize,
    step: impl Fn(Exp<i32>, C, S) -> S + Copy,
    constants: C,
    init: S,
) -> S {
    let call = Call::here("aiterate_checkpointed");
    let lengths = segments(trips.max(0).unsigned_abs(), slots);
    let all = Segmented {
        call,
        trips,
        lengths: &lengths,
        step,
    };
    all.run(0, literal_at(call, 0), constants, init)
}

/// The lengths of segments, the longest first, down to one trip: as few levels as the slots allow.
fn segments(trips: u32, slots: usize) -> Vec<u32> {
    let parts = |levels: u32| -> u32 {
        let enough = |parts: &u32| parts.checked_pow(levels).is_none_or(|all| all >= trips);
        let root = f64::from(trips).powf(1.0 / f64::from(levels)).floor() as u32;
        (root.max(1)..).find(enough).unwrap_or(u32::MAX)
    };
    let stored = |levels: &u32| u64::from(parts(*levels)) * u64::from(*levels);
    let fits = |levels: &u32| stored(levels) <= slots as u64;
    let levels = (1..=MOST_LEVELS).find(fits);
    let levels = levels
        .or_else(|| (1..=MOST_LEVELS).min_by_key(stored))
        .unwrap_or(1);
    let parts = parts(levels);
    (0..levels)
        .rev()
        .map(|level| parts.saturating_pow(level))
        .collect()
}

/// A loop in segments.
#[derive(Clone, Copy)]
struct Segmented<'a, F> {
    call: Call,
    trips: i32,
    lengths: &'a [u32],
    step: F,
}

impl<F> Segmented<'_, F> {
    /// The trips from number `start` on that are part of one segment, in segments of the given level.
    fn run<C: Arrays, S: Arrays>(&self, level: usize, start: Exp<i32>, constants: C, init: S) -> S
    where
        F: Fn(Exp<i32>, C, S) -> S + Copy,
    {
        let length = self.lengths[level];
        let next = |k: Exp<i32>, s: S| {
            let position = start + k * self.number(length);
            match level + 1 == self.lengths.len() {
                true => (self.step)(position, constants, s),
                false => self.again(level + 1, position, constants, s),
            }
        };
        aiterate(self.count(level, start), next, init)
    }

    /// A segment whose derivative runs it again.
    fn again<C: Arrays, S: Arrays>(&self, level: usize, start: Exp<i32>, c: C, s: S) -> S
    where
        F: Fn(Exp<i32>, C, S) -> S + Copy,
    {
        let run = |(c, s): (C, S)| self.run(level, start, c, s);
        let forward = |(c, s): (C, S)| (run((c, s)), (c, s));
        let jvp = |at: (C, S), along: (C, S)| jvp_a(run, at, along).1;
        let vjp = |at: (C, S), dy: S| vjp_a(run, at, dy);
        custom_rules(forward, jvp, vjp, (c, s))
    }

    /// How many segments of a level there are from `start` on, of those that are part of one segment.
    fn count(&self, level: usize, start: Exp<i32>) -> Exp<i32> {
        let length = self.lengths[level];
        let whole = match level.checked_sub(1) {
            Some(above) => self.lengths[above] / length,
            None => u32::MAX,
        };
        let left = (self.number(self.trips.unsigned_abs()) - start + self.number(length - 1))
            / self.number(length);
        left.min(self.number(whole)).max(self.number(0))
    }

    fn number(&self, n: u32) -> Exp<i32> {
        literal_at(self.call, i32::try_from(n).unwrap_or(i32::MAX))
    }
}

/// Makes `trips` steps as [`aiterate`] does, `step` being given the number of the trip, `constants` and the state, with a derivative
/// in reverse mode that stores nothing but the last state: the others are made again from there, by `inverse`, which
/// is given the number of a trip, `constants` and the state after it, and gives that before it.
///
/// `constants` and the first state are differentiated by. What the functions use from outside counts as constant for this loop: pass all
/// that matters to the derivative as `constants`. That `inverse` is one is not checked here: [`reversal_error`] tells how far states
/// drift by rounding. The derivative takes one step, one inverse step and the derivative of a step for each trip.
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
///     let step = move |_, length: N, (x, v): (N, N)| {
///         let v = pull(length, x, v, 0.01);
///         (moved(x, v, 0.01), v)
///     };
///     let inverse = move |_, length: N, (x, v): (N, N)| {
///         let x = moved(x, v, -0.01);
///         (x, pull(length, x, v, -0.01))
///     };
///     aiterate_reversible(500, step, inverse, length, (x, unit(0.0))).0
/// };
/// let f = move |length: N, x: N| gradient_a(run, (length, x));
/// let (by_length, by_x) = interpret(f, (Array::scalar(1.0), Array::scalar(0.1)))?;
/// assert!((by_x.item() - 5.0_f64.cos()).abs() < 0.02); // As of a harmonic oscillator, nearly.
/// assert!((by_length.item() - 0.1 * 2.5 * 5.0_f64.sin()).abs() < 0.02);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn aiterate_reversible<C: Arrays, S: Arrays>(
    trips: impl Lift<i32>,
    step: impl Fn(Exp<i32>, C, S) -> S + Copy,
    inverse: impl Fn(Exp<i32>, C, S) -> S,
    constants: C,
    init: S,
) -> S {
    let call = Call::here("aiterate_reversible");
    let (trips, none) = (trips.lift(), literal_at(call, 0));
    let trips = trips.max(none);
    let run = |(c, s): (C, S)| aiterate(trips, |k, s| step(k, c, s), s);
    let forward = |(c, s): (C, S)| {
        let y = run((c, s));
        (y, (c, s, y))
    };
    let jvp = |(c, s, _): (C, S, S), along: (C, S)| jvp_a(run, (c, s), along).1;
    let vjp = |(c, _, y): (C, S, S), dy: S| {
        let back = |k: Exp<i32>, (s, ds, dc): (S, S, C)| {
            let trip = trips - literal_at(call, 1) - k;
            let before = inverse(trip, c, s);
            let (more, ds) = vjp_a(|(c, s): (C, S)| step(trip, c, s), (c, before), ds);
            (before, ds, combined(call, Prim::Add, dc, more))
        };
        let (_, ds, dc) = aiterate(trips, back, (y, dy, zeros(call, c)));
        (dc, ds)
    };
    custom_rules(forward, jvp, vjp, (constants, init))
}

/// How far states of a reversible loop drift: each element of the first state, less what is there after `trips` steps and as many
/// inverse ones. For [`aiterate_reversible`], which takes the same functions.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type V = Acc<Ix1, f64>;
/// let step = |_, k: V, x: V| x.zip_with(k, |x, k| x * k);
/// let wrong = |_, k: V, x: V| x.zip_with(k, |x, k| x / k + 1e-3);
/// let f = |k: V, x: V| reversal_error(2, step, wrong, k, x);
/// let k = Array::vector(vec![2.0])?;
/// let drift = interpret(f, (k, Array::vector(vec![1.0])?))?.to_vec();
/// assert!((drift[0] + 1.5e-3).abs() < 1e-12);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn reversal_error<C: Arrays, S: Arrays>(
    trips: impl Lift<i32>,
    step: impl Fn(Exp<i32>, C, S) -> S,
    inverse: impl Fn(Exp<i32>, C, S) -> S,
    constants: C,
    init: S,
) -> S {
    let call = Call::here("reversal_error");
    let (trips, none) = (trips.lift(), literal_at(call, 0));
    let trips = trips.max(none);
    let there = aiterate(trips, |k, s| step(k, constants, s), init);
    let back = |k: Exp<i32>, s| inverse(trips - literal_at(call, 1) - k, constants, s);
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

/// Zeros of the types and shapes of arrays.
fn zeros<X: Arrays>(call: Call, like: X) -> X {
    let mut columns = columns_of(call, like);
    of_each_column::<X>(call, |ty| {
        let zero = |ty: ScalarType| node_exp::constant(call, Const::zero(ty));
        let f = exp_lambda(call, vec![ty.elem], |_| vec![zero(ty.elem)]);
        node_acc::map(call, f, &[columns.take(1)])
    })
}
