//! Scans in order: for steps that are not associative, such as filters and recurrent networks.

use super::acc::Acc;
use super::ascan::{Rows, from_the_last, in_order};
use super::elt::{E, Elt, from_raw, scalar_types, to_raw};
use super::lift::{IntoExp, Lift};
use super::node_acc;
use super::scalar::Exp;
use super::session::{Call, RawColumns, RawExp, exp_lambda};
use super::shape::{HasInner, Shape, Snoc, dims};
use crate::term::{Axis, Move, States};
use crate::types::ScalarType;

/// The last states of the rows, and the outputs.
pub type Scanned<Sh, S, Y> = (Acc<<Sh as Shape>::Outer, S>, Acc<Sh, Y>);

/// The next states, and the outputs of one column.
type OfColumn<Sh, S, Y> = (Acc<<Sh as Shape>::Outer, S>, Acc<<Sh as Shape>::Outer, Y>);

impl<Sh: HasInner, T: Elt> Acc<Sh, T> {
    /// Goes through each row, the inner dimension, in order, and through the rows in parallel: `step` is given the position
    /// in the row, the state and the element, and makes the next state and an output. Gives the last states (of an empty
    /// row, `init`), and the outputs in the shape of the array.
    ///
    /// For what is not associative; a [`scanl`](Acc::scanl) is parallel within rows, too.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // A resonator, as an audio filter has it: y(t) = x(t) + y(t-1) - y(t-2), along each row.
    /// let filter = |m: Acc<Ix2, f64>| {
    ///     let step = |_, (y1, y2): (Exp<f64>, Exp<f64>), x| {
    ///         let y = x + y1 - y2;
    ///         ((y, y1), y)
    ///     };
    ///     let (_, filtered) = m.scan_seq((0.0, 0.0), step);
    ///     filtered
    /// };
    /// let m = Array::from_vec([2, 5], vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0])?;
    /// let filtered = interpret(filter, m)?.to_vec();
    /// assert_eq!(filtered, [1.0, 1.0, 0.0, -1.0, -1.0, 0.0, 2.0, 2.0, 0.0, -2.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Time: a pass over all rows for each position, one after the other; so that few long rows are slow.
    #[track_caller]
    pub fn scan_seq<X: IntoExp, R: Lift<X::Elt>, Y: IntoExp>(
        self,
        init: X,
        step: impl FnOnce(Exp<i32>, E<X::Elt>, E<T>) -> (R, Y),
    ) -> Scanned<Sh, X::Elt, Y::Elt> {
        let scan = Scan::of(Call::here("scan_seq"), self);
        scan.run(init.into_exp(), step, in_order)
    }

    /// Goes through each row as [`scan_seq`](Self::scan_seq) does, but from its end to its beginning.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // How long it is until the next positive element.
    /// let waits = |v: Acc<Ix1, i32>| {
    ///     let step = |_, wait: Exp<i32>, x: Exp<i32>| {
    ///         let wait = cond(x.gt(0), 0, wait + 1);
    ///         (wait, wait)
    ///     };
    ///     v.scan_seq_right(100, step).1
    /// };
    /// let v = Array::vector(vec![0, 0, 5, 0, 1, 0])?;
    /// assert_eq!(interpret(waits, v)?.to_vec(), [2, 1, 0, 1, 0, 101]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn scan_seq_right<X: IntoExp, R: Lift<X::Elt>, Y: IntoExp>(
        self,
        init: X,
        step: impl FnOnce(Exp<i32>, E<X::Elt>, E<T>) -> (R, Y),
    ) -> Scanned<Sh, X::Elt, Y::Elt> {
        let call = Call::here("scan_seq_right");
        Scan::of(call, self).run(init.into_exp(), step, from_the_last(call))
    }
}

/// A scan of the rows of an array.
struct Scan<Sh, T> {
    call: Call,
    array: Acc<Sh, T>,
    /// The extents of the states, and of the rows.
    outer: Vec<RawExp>,
    inner: RawExp,
}

impl<Sh: HasInner, T: Elt> Scan<Sh, T> {
    fn of(call: Call, array: Acc<Sh, T>) -> Self {
        let mut outer = dims(array.shape());
        let inner = outer.split_off(Sh::RANK - 1)[0];
        Self {
            call,
            array,
            outer,
            inner,
        }
    }

    /// A loop over the columns, whose outputs are turned.
    fn run<S: Elt, R: Lift<S>, Y: IntoExp>(
        &self,
        init: E<S>,
        step: impl FnOnce(Exp<i32>, E<S>, E<T>) -> (R, Y),
        place: impl Fn(Exp<i32>, Exp<i32>) -> Exp<i32>,
    ) -> Scanned<Sh, S, Y::Elt> {
        let call = self.call;
        let rank = self.outer.len();
        let init = to_raw::<S>(init);
        let f = exp_lambda(call, vec![ScalarType::I32; rank], |_| init);
        let init: Acc<Sh::Outer, S> = Acc::from_raw(node_acc::generate(call, &self.outer, f));
        let trips = Exp::<i32>::from_raw(self.inner);
        let columns = Rows::of(call, trips, States::Stored, place);
        let step = |at: Exp<i32>, state: Acc<Sh::Outer, S>, (): ()| self.column(at, state, step);
        let (_, last, stacked) = columns.run::<(), _, Acc<Sh::Outer, Y::Elt>>(None, step, init);
        (last, self.turned(stacked))
    }

    /// The next states, and the outputs, of a column.
    fn column<S: Elt, R: Lift<S>, Y: IntoExp>(
        &self,
        at: Exp<i32>,
        state: Acc<Sh::Outer, S>,
        step: impl FnOnce(Exp<i32>, E<S>, E<T>) -> (R, Y),
    ) -> OfColumn<Sh, S, Y::Elt> {
        let call = self.call;
        let axes = [vec![Axis::All; self.outer.len()], vec![Axis::Fixed]].concat();
        let indices = vec![at.raw()];
        let column = node_acc::moved(call, &Move::Slice { axes, indices }, self.array.raw());
        let (of_state, of_column) = (scalar_types::<S>(), scalar_types::<T>());
        let count = of_state.len();
        let f = exp_lambda(call, [of_state, of_column].concat(), |given| {
            let (state, element) = given.split_at(count);
            let (next, output) = step(at, from_raw::<S>(state), from_raw::<T>(element));
            let output = to_raw::<Y::Elt>(output.into_exp());
            [to_raw::<S>(next.lift()), output].concat()
        });
        let made = node_acc::map(call, f, &[state.raw(), column]);
        let mut made = RawColumns::of(call, made);
        (made.take_as(), made.take_as())
    }

    /// Columns as what they are the columns of.
    fn turned<Y: Elt>(&self, columns: Acc<Snoc<Sh::Outer>, Y>) -> Acc<Sh, Y> {
        let call = self.call;
        let shape = [&self.outer[..], &[self.inner]].concat();
        let f = exp_lambda(call, vec![ScalarType::I32; shape.len()], |index| {
            let mut turned = index.to_vec();
            turned.rotate_right(1);
            turned
        });
        let how = Move::Backpermute { shape, f };
        Acc::from_raw(node_acc::moved(call, &how, columns.raw()))
    }
}
