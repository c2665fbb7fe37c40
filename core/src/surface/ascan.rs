//! Loops of array code over rows, whose outputs are stacked: what JAX calls `scan`.
//!
//! They are loops that carry the outputs, too: arrays with a new outer dimension, into which each trip writes its row. The
//! extents of the rows are found before the loop ([`extents`](crate::graph::extents)); a `permute` into an array that a loop
//! carries needs no copy.

use super::acc::Acc;
use super::arrays::{Arrays, array_types, to_raw};
use super::checkpoints::Checkpoints;
use super::custom::stop_gradient;
use super::elt::Elt;
use super::lift::{Lift, literal_at};
use super::node_acc;
use super::node_exp;
use super::scalar::Exp;
use super::session::{Call, RawAcc, RawColumns, RawExp, acc_lambda, columns, exp_lambda, make_acc};
use super::shape::{Shape, Snoc};
use crate::constant::Const;
use crate::graph::{AccLambda, ArrRef};
use crate::prim::Prim;
use crate::term::{Axis, Combine, Move, States};
use crate::types::{ArrayType, ScalarType};

/// An array whose rows a loop goes over, and their rank.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Rowwise(RawAcc, usize);

/// What a loop goes over: the rows of arrays, taken along their outermost dimension, or a number of trips that is a number
/// of the host or an expression. Of a tuple of these, the least counts.
#[diagnostic::on_unimplemented(
    message = "a loop cannot go over `{Self}`",
    label = "this is an array with at least one dimension, a number of trips (`i32`), or a tuple of such",
    note = "an array of shape `Z` (`Ix0`) has no rows: read it in the step with `.the()`"
)]
pub trait Over {
    /// What a step is given: a row of each array, the unit `()` for a number of trips.
    type Row: Arrays;

    /// Appends the numbers of trips, and the arrays.
    fn describe(self, trips: &mut Vec<RawExp>, arrays: &mut Vec<Rowwise>);
}

impl<Sh: Shape, T: Elt> Over for Acc<Snoc<Sh>, T> {
    type Row = Acc<Sh, T>;

    fn describe(self, trips: &mut Vec<RawExp>, arrays: &mut Vec<Rowwise>) {
        trips.push(node_exp::extent(Call::here("extent"), self.raw(), 0));
        arrays.push(Rowwise(self.raw(), Sh::RANK));
    }
}

impl Over for Exp<i32> {
    type Row = ();

    fn describe(self, trips: &mut Vec<RawExp>, _: &mut Vec<Rowwise>) {
        let call = Call::here("max");
        let none = literal_at(call, 0).raw();
        let trips_made: Self = self.prim_at(call, Prim::Max, &[none]);
        trips.push(trips_made.raw());
    }
}

impl Over for i32 {
    type Row = ();

    fn describe(self, trips: &mut Vec<RawExp>, _: &mut Vec<Rowwise>) {
        trips.push(node_exp::constant(
            Call::here("constant"),
            self.max(0).into(),
        ));
    }
}

/// Arrays that can be stacked: those that a step puts out, a row for each trip.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stacked",
    label = "the outputs of a step are an array or a tuple of arrays",
    note = "an expression becomes an array with `unit`"
)]
pub trait Stack: Arrays {
    /// The same arrays with a new outermost dimension.
    type Stacked: Arrays;
}

impl<Sh: Shape, T: Elt> Stack for Acc<Sh, T> {
    type Stacked = Acc<Snoc<Sh>, T>;
}

macro_rules! tuples {
    ($(($($t:ident $v:ident),*))*) => {$(
        impl<$($t: Stack),*> Stack for ($($t,)*) {
            type Stacked = ($($t::Stacked,)*);
        }

        impl<$($t: Over),*> Over for ($($t,)*) {
            type Row = ($($t::Row,)*);

            fn describe(self, trips: &mut Vec<RawExp>, arrays: &mut Vec<Rowwise>) {
                let ($($v,)*) = self;
                $($v.describe(trips, arrays);)*
            }
        }
    )*};
}

tuples! {
    (A a)
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, F f)
    (A a, B b, C c, D d, F f, G g)
    (A a, B b, C c, D d, F f, G g, H h)
    (A a, B b, C c, D d, F f, G g, H h, I i)
}

impl Stack for () {
    type Stacked = ();
}

/// Goes over rows in order: `step` is given the position of the row, the state and the row, and makes the next state and
/// outputs. Gives the last state, and the outputs of all steps, stacked along a new outermost dimension.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // A network with one recurrent layer, over time: the hidden state, and the output at each time.
/// let layer = |w: Acc<Ix2, f64>, x: Acc<Ix1, f64>| {
///     w.zip_with(x.replicate(ix![w.shape().0.1, All]), |w, x| w * x).sum()
/// };
/// let network = |w: Acc<Ix2, f64>, inputs: Acc<Ix2, f64>, h: Acc<Ix1, f64>| {
///     let step = |_, h: Acc<Ix1, f64>, x: Acc<Ix1, f64>| {
///         let h = layer(w, h).zip_with(x, |h, x| (h + x).tanh());
///         (h, h.sum())
///     };
///     ascan(inputs, step, h)
/// };
/// let w = Array::from_vec([2, 2], vec![0.0, 1.0, 1.0, 0.0])?;
/// let inputs = Array::from_vec([3, 2], vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0])?;
/// let (h, sums) = interpret(network, (w, inputs, Array::vector(vec![0.0, 0.0])?))?;
/// assert_eq!(h.to_vec(), [1.0_f64.tanh().tanh().tanh(), 0.0]);
/// assert_eq!(sums.to_vec()[..2], [1.0_f64.tanh(), 1.0_f64.tanh().tanh()]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The number of rows is the least of those of all arrays; with a number of trips there may be no arrays at all. The extents
/// of the outputs must follow from those of other arrays: where they depend on elements, or differ from trip to trip, the
/// program is refused. (A step may carry an array of its own then, and [`permute`](Acc::permute) into it.)
///
/// Time: the sum of the steps' costs.
#[track_caller]
pub fn ascan<X: Over, S: Arrays, Y: Stack>(
    over: X,
    step: impl FnOnce(Exp<i32>, S, X::Row) -> (S, Y),
    init: S,
) -> (S, Y::Stacked) {
    Checkpoints::StoreAll.ascan(over, step, init)
}

/// Goes over rows as [`ascan`] does, but from the last to the first. Outputs are where their rows are.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // What is left of a sum: the suffix sums of the rows.
/// let suffixes = |m: Acc<Ix2, i32>| {
///     let step = |_, sum: Acc<Ix1, i32>, row| {
///         let sum = sum.zip_with(row, |x, y| x + y);
///         (sum, sum)
///     };
///     let (_, sums) = ascan_reverse(m, step, fill(ix![m.inner()], 0));
///     sums
/// };
/// let m = Array::from_vec([3, 2], vec![1, 2, 3, 4, 5, 6])?;
/// assert_eq!(interpret(suffixes, m)?.to_vec(), [9, 12, 8, 10, 5, 6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn ascan_reverse<X: Over, S: Arrays, Y: Stack>(
    over: X,
    step: impl FnOnce(Exp<i32>, S, X::Row) -> (S, Y),
    init: S,
) -> (S, Y::Stacked) {
    Checkpoints::StoreAll.ascan_reverse(over, step, init)
}

/// Goes over rows as [`ascan`] does, as long as `test` holds for the state. The number of steps that were made comes first
/// among the results; the outputs of those that were not are zero.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// // Newton's method: how many steps, the root, and how it was approached.
/// let root = |x: Acc<Ix0, f64>| {
///     let far = |x: Acc<Ix0, f64>| (x.the() * x.the() - 2).abs().gt(1e-9);
///     let step = |_, x: Acc<Ix0, f64>, ()| {
///         let next = x.map(|x| (x + 2 / x) / 2);
///         (next, next)
///     };
///     let (steps, root, path) = ascan_while(10, far, step, x);
///     (unit(steps), root, path)
/// };
/// let (steps, root, path) = interpret(root, Array::scalar(2.0))?;
/// assert_eq!(steps.item(), 4);
/// assert_eq!(path.to_vec()[0], 1.5);
/// assert_eq!((path.to_vec()[3], path.to_vec()[4]), (root.item(), 0.0));
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn ascan_while<X: Over, S: Arrays, Y: Stack, B: Lift<bool>>(
    over: X,
    test: impl FnOnce(S) -> B,
    step: impl FnOnce(Exp<i32>, S, X::Row) -> (S, Y),
    init: S,
) -> (Exp<i32>, S, Y::Stacked) {
    Checkpoints::StoreAll.ascan_while(over, test, step, init)
}

/// The outputs of `trips` trips that have no state, stacked; `trips` is not negative.
pub(super) fn stacked<Y: Stack>(
    call: Call,
    trips: Exp<i32>,
    row: impl FnOnce(Exp<i32>) -> Y,
) -> Y::Stacked {
    let rows = without_arrays(call, trips);
    let step = |k, (), ()| ((), row(k));
    rows.run::<(), (), Y>(None, step, ()).2
}

/// The same, where all outputs are of the shapes of given arrays. These count as used, and as constant.
pub(super) fn stacked_like<Y: Stack>(
    call: Call,
    trips: Exp<i32>,
    like: Y,
    row: impl FnOnce(Exp<i32>) -> Y,
) -> Y::Stacked {
    let rows = without_arrays(call, trips);
    let step = |k, (), ()| ((), row(k));
    let copies = |ty: &ArrayType, array| {
        let axes = [vec![Axis::Fixed], vec![Axis::All; ty.rank]].concat();
        let extents = vec![trips.raw()];
        node_acc::moved(call, &Move::Replicate { axes, extents }, array)
    };
    let like = to_raw(stop_gradient(like));
    let stacks = array_types::<Y>().into_iter().zip(like);
    let stacks = stacks.map(|(ty, array)| copies(&ty, array)).collect();
    rows.run_from::<(), (), Y>(None, step, (), Some(stacks)).2
}

/// A loop that goes over a number of trips alone.
fn without_arrays(call: Call, trips: Exp<i32>) -> Rows<impl Fn(Exp<i32>, Exp<i32>) -> Exp<i32>> {
    Rows {
        call,
        trips: trips.raw(),
        states: States::Stored,
        arrays: vec![],
        place: in_order,
    }
}

/// The types of the parameters of a step: the number of the trip, the state, the outputs so far.
fn types_of_trip<S: Arrays, Y: Stack>() -> Vec<ArrayType> {
    let number = ArrayType::new(ScalarType::I32, 0);
    let stacked = array_types::<Y::Stacked>();
    [vec![number], array_types::<S>(), stacked].concat()
}

/// The row of a trip that goes over rows from the first to the last.
pub(super) fn in_order(_trips: Exp<i32>, trip: Exp<i32>) -> Exp<i32> {
    trip
}

/// The row of a trip that goes over rows from the last to the first.
pub(super) fn from_the_last(call: Call) -> impl Fn(Exp<i32>, Exp<i32>) -> Exp<i32> {
    move |trips, trip| {
        let left: Exp<i32> = trips.prim_at(call, Prim::Sub, &[trip.raw()]);
        left.prim_at(call, Prim::Sub, &[literal_at(call, 1).raw()])
    }
}

/// The function that says whether to make a trip of a loop with outputs.
pub(super) fn tested<S: Arrays, Y: Stack, B: Lift<bool>>(
    call: Call,
    test: impl FnOnce(S) -> B,
) -> Option<AccLambda> {
    acc_lambda(call, types_of_trip::<S, Y>(), |params| {
        number(call, params);
        let holds = test(S::from_columns(params)).lift().raw();
        let f = exp_lambda(call, vec![], |_| vec![holds]);
        vec![node_acc::generate(call, &[], f)]
    })
}

/// The number of a trip, which is the first parameter.
fn number(call: Call, params: &mut RawColumns) -> Exp<i32> {
    Exp::from_raw(node_exp::index(call, 1, params.take(1), &[])[0])
}

/// What a loop goes over.
pub(super) struct Rows<P> {
    call: Call,
    trips: RawExp,
    states: States<Option<AccLambda>>,
    arrays: Vec<Rowwise>,
    /// The position of the row of a trip, from the number of trips and that of the trip.
    place: P,
}

impl<P: Fn(Exp<i32>, Exp<i32>) -> Exp<i32>> Rows<P> {
    /// With the source of states for derivatives.
    pub(super) fn of(
        call: Call,
        over: impl Over,
        states: States<Option<AccLambda>>,
        place: P,
    ) -> Self {
        let (mut trips, mut arrays) = (vec![], vec![]);
        over.describe(&mut trips, &mut arrays);
        let trips = trips.into_iter().map(Exp::<i32>::from_raw);
        let trips = trips.reduce(|a, b| a.prim_at(call, Prim::Min, &[b.raw()]));
        let trips = trips.unwrap_or_else(|| literal_at(call, 0)).raw();
        Self {
            call,
            trips,
            states,
            arrays,
            place,
        }
    }

    /// The number of trips, the last state and the outputs.
    pub(super) fn run<R: Arrays, S: Arrays, Y: Stack>(
        &self,
        test: Option<Option<AccLambda>>,
        step: impl FnOnce(Exp<i32>, S, R) -> (S, Y),
        init: S,
    ) -> (Exp<i32>, S, Y::Stacked) {
        self.run_from(test, step, init, None)
    }

    /// The same, from stacks that are there, if they are.
    fn run_from<R: Arrays, S: Arrays, Y: Stack>(
        &self,
        test: Option<Option<AccLambda>>,
        step: impl FnOnce(Exp<i32>, S, R) -> (S, Y),
        init: S,
        stacks: Option<Vec<RawAcc>>,
    ) -> (Exp<i32>, S, Y::Stacked) {
        let call = self.call;
        let mut rows = None;
        let step = acc_lambda(call, types_of_trip::<S, Y>(), |params| {
            let trip = number(call, params);
            let at = (self.place)(Exp::from_raw(self.trips), trip);
            let state = S::from_columns(params);
            let (next, made) = step(at, state, R::from_columns(&mut self.row(at)));
            let made = to_raw(made);
            rows = columns(call, &made);
            let mut results = to_raw(next);
            results.extend(written::<Y>(call, &made, params, at));
            results
        });
        let init = to_raw(init);
        let empty = || self.empty_stacks::<Y>((step.as_ref(), &init), rows.as_deref());
        let stacks = stacks.unwrap_or_else(empty);
        let args = [init, stacks].concat();
        let made = node_acc::loop_(call, self.trips, (test, step, self.states.clone()), &args);
        let mut made = RawColumns::of(call, made);
        let trips = number(call, &mut made);
        let state = S::from_columns(&mut made);
        (trips, state, <Y::Stacked>::from_columns(&mut made))
    }

    /// A row of each array.
    fn row(&self, at: Exp<i32>) -> RawColumns {
        let call = self.call;
        let row = |&Rowwise(array, rank): &Rowwise| {
            let axes = [vec![Axis::Fixed], vec![Axis::All; rank]].concat();
            let indices = vec![at.raw()];
            node_acc::moved(call, &Move::Slice { axes, indices }, array)
        };
        let rows: Vec<_> = self.arrays.iter().map(row).collect();
        RawColumns::of(call, make_acc(call, |session| session.accs(call, &rows)))
    }

    /// Zeros for the outputs of all trips.
    fn empty_stacks<Y: Stack>(
        &self,
        (step, init): (Option<&AccLambda>, &[RawAcc]),
        rows: Option<&[ArrRef]>,
    ) -> Vec<RawAcc> {
        let call = self.call;
        let types = array_types::<Y>();
        let extents = node_acc::extents_of_rows(call, (step, init), (rows, &types));
        let mut extents = extents.into_iter();
        let zeros = |ty: &ArrayType| {
            let inner: Vec<_> = extents.by_ref().take(ty.rank).collect();
            let shape = [vec![self.trips], inner].concat();
            let zero = |_: &[RawExp]| vec![node_exp::constant(call, Const::zero(ty.elem))];
            let f = exp_lambda(call, vec![ScalarType::I32; shape.len()], zero);
            node_acc::generate(call, &shape, f)
        };
        types.iter().map(zeros).collect()
    }
}

/// The outputs so far, with those of a trip written at a position.
fn written<Y: Stack>(
    call: Call,
    made: &[RawAcc],
    stacks: &mut RawColumns,
    at: Exp<i32>,
) -> Vec<RawAcc> {
    let (mut counts, mut types) = (vec![], vec![]);
    Y::column_counts(&mut counts);
    Y::array_types(&mut types);
    let mut types = types.into_iter();
    let write = |(&row, count): (&RawAcc, usize)| {
        let rank = types.by_ref().take(count).last().map_or(0, |ty| ty.rank);
        let target = exp_lambda(call, vec![ScalarType::I32; rank], |index| {
            let goes = literal_at(call, true).raw();
            [&[goes, at.raw()], index].concat()
        });
        let stack = stacks.take(count);
        node_acc::permute(call, Combine::Overwrite, stack, target, row)
    };
    made.iter().zip(counts).map(write).collect()
}
