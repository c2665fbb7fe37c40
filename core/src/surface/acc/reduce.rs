//! Reductions of the inner dimension, or of all of them.

use super::Acc;
use crate::prim::Prim;
use crate::surface::elt::{E, Elt, to_raw};
use crate::surface::functions::operator;
use crate::surface::lift::{Lift, literal_at};
use crate::surface::node_acc;
use crate::surface::scalar::{Num, Scalar};
use crate::surface::session::{Call, RawExp};
use crate::surface::shape::{HasInner, Shape, Z};

impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// Reduces the inner dimension by an associative operator, from an initial value, which comes once and first.
    ///
    /// Engines put parentheses as they like: where `f` is not associative (up to rounding), results depend on the
    /// engine. The sum of squares, say, is `x.map(|x| x * x).sum()`, and no fold by `|s, x| s + x * x`. The CPU backend
    /// tries operators on some of the values where debug assertions are on, and by an option.
    /// [`scanl1`](Self::scanl1) has an example of a recurrence made associative.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// # trace(|v: Acc<Ix1, (f64, f64)>|
    /// v.fold((0.0, 1.0), |(s, p), (x, y)| (s + x, p * y))
    /// # ).unwrap();
    /// ```
    #[track_caller]
    pub fn fold<I: Lift<T>, R: Lift<T>, F>(self, init: I, f: F) -> Acc<Sh::Outer, T>
    where
        Sh: HasInner,
        F: FnOnce(E<T>, E<T>) -> R,
    {
        let call = Call::here("fold");
        let init = to_raw::<T>(init.lift());
        Acc::from_raw(node_acc::fold(
            call,
            operator::<T, R>(call, f),
            Some(&init),
            self.raw,
        ))
    }

    /// Reduces the inner dimension by an associative operator; fails where that dimension is empty. Where `f` is not
    /// associative, results depend on the engine: see [`fold`](Self::fold).
    #[track_caller]
    pub fn fold1<R: Lift<T>, F>(self, f: F) -> Acc<Sh::Outer, T>
    where
        Sh: HasInner,
        F: FnOnce(E<T>, E<T>) -> R,
    {
        let call = Call::here("fold1");
        Acc::from_raw(node_acc::fold(
            call,
            operator::<T, R>(call, f),
            None,
            self.raw,
        ))
    }

    /// Reduces all elements by an associative operator, from an initial value. Where `f` is not associative, results
    /// depend on the engine: see [`fold`](Self::fold).
    #[track_caller]
    pub fn fold_all<I: Lift<T>, R: Lift<T>, F>(self, init: I, f: F) -> Acc<Z, T>
    where
        F: FnOnce(E<T>, E<T>) -> R,
    {
        self.flatten().fold(init, f)
    }

    /// Reduces all elements by an associative operator; fails where there are none. Where `f` is not associative,
    /// results depend on the engine: see [`fold`](Self::fold).
    #[track_caller]
    pub fn fold1_all<R: Lift<T>, F>(self, f: F) -> Acc<Z, T>
    where
        F: FnOnce(E<T>, E<T>) -> R,
    {
        self.flatten().fold1(f)
    }
}

/// Reductions by a primitive.
impl<Sh: Shape, T: Scalar> Acc<Sh, T> {
    /// The sums along the inner dimension; 0 of nothing.
    #[track_caller]
    pub fn sum(self) -> Acc<Sh::Outer, T>
    where
        Sh: HasInner,
        T: Num,
    {
        self.reduce(Call::here("sum"), Prim::Add, Some(T::from_i32(0)))
    }

    /// The products along the inner dimension; 1 of nothing.
    #[track_caller]
    pub fn product(self) -> Acc<Sh::Outer, T>
    where
        Sh: HasInner,
        T: Num,
    {
        self.reduce(Call::here("product"), Prim::Mul, Some(T::from_i32(1)))
    }

    /// The greatest elements along the inner dimension; fails where that is empty.
    #[track_caller]
    pub fn maximum(self) -> Acc<Sh::Outer, T>
    where
        Sh: HasInner,
        T: Num,
    {
        self.reduce(Call::here("maximum"), Prim::Max, None)
    }

    /// The least elements along the inner dimension; fails where that is empty.
    #[track_caller]
    pub fn minimum(self) -> Acc<Sh::Outer, T>
    where
        Sh: HasInner,
        T: Num,
    {
        self.reduce(Call::here("minimum"), Prim::Min, None)
    }

    /// The sum of all elements.
    #[track_caller]
    pub fn sum_all(self) -> Acc<Z, T>
    where
        T: Num,
    {
        self.flatten().sum()
    }

    /// The product of all elements.
    #[track_caller]
    pub fn product_all(self) -> Acc<Z, T>
    where
        T: Num,
    {
        self.flatten().product()
    }

    /// The greatest element; fails where there are none.
    #[track_caller]
    pub fn maximum_all(self) -> Acc<Z, T>
    where
        T: Num,
    {
        self.flatten().maximum()
    }

    /// The least element; fails where there are none.
    #[track_caller]
    pub fn minimum_all(self) -> Acc<Z, T>
    where
        T: Num,
    {
        self.flatten().minimum()
    }

    #[track_caller]
    fn reduce(self, call: Call, prim: Prim, init: Option<T>) -> Acc<Sh::Outer, T>
    where
        Sh: HasInner,
    {
        let init: Option<Vec<RawExp>> = init.map(|value| vec![literal_at(call, value).raw()]);
        let f = operator::<T, _>(call, |a, b| a.prim_at::<T>(call, prim, &[b.raw()]));
        Acc::from_raw(node_acc::fold(call, f, init.as_deref(), self.raw))
    }
}

impl<Sh: Shape> Acc<Sh, bool> {
    /// Whether all elements along the inner dimension hold; true of nothing.
    #[track_caller]
    pub fn all(self) -> Acc<Sh::Outer, bool>
    where
        Sh: HasInner,
    {
        self.reduce(Call::here("all"), Prim::And, Some(true))
    }

    /// Whether an element along the inner dimension holds; false of nothing.
    #[track_caller]
    pub fn any(self) -> Acc<Sh::Outer, bool>
    where
        Sh: HasInner,
    {
        self.reduce(Call::here("any"), Prim::Or, Some(false))
    }
}
