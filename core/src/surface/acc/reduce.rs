//! Reductions of the inner dimension, or of all of them.

use super::Acc;
use crate::prim::Prim;
use crate::surface::elt::{E, Elt, to_raw};
use crate::surface::functions::operator;
use crate::surface::lift::{Lift, literal_at};
use crate::surface::node_acc;
use crate::surface::ring::Ring;
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
    /// let f = |v: Acc<Ix1, (f64, f64)>| v.fold((0.0, 1.0), |(s, p), (x, y)| (s + x, p * y));
    /// let found = interpret(f, Array::vector(vec![(1.0, 2.0), (3.0, 4.0)])?)?;
    /// assert_eq!(found.item(), (4.0, 8.0));
    /// # Ok::<(), InterpretError>(())
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
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // Of (value, position) pairs, the one with the least value.
    /// let least = |v: Acc<Ix1, (f64, i32)>| v.fold1(|x, y| cond::<(f64, i32)>(y.0.lt(x.0), y, x));
    /// let found = interpret(least, Array::vector(vec![(2.5, 0), (0.5, 1), (1.5, 2)])?)?;
    /// assert_eq!(found.item(), (0.5, 1));
    /// # Ok::<(), InterpretError>(())
    /// ```
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
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| m.fold_all(0.0, |x, y| x + y);
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(interpret(f, m)?.item(), 10.0);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn fold_all<I: Lift<T>, R: Lift<T>, F>(self, init: I, f: F) -> Acc<Z, T>
    where
        F: FnOnce(E<T>, E<T>) -> R,
    {
        self.flatten().fold(init, f)
    }

    /// Reduces all elements by an associative operator; fails where there are none. Where `f` is not associative,
    /// results depend on the engine: see [`fold`](Self::fold).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| m.fold1_all(|x, y| x.max(y));
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 4.0, 3.0, 2.0])?;
    /// assert_eq!(interpret(f, m)?.item(), 4.0);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn fold1_all<R: Lift<T>, F>(self, f: F) -> Acc<Z, T>
    where
        F: FnOnce(E<T>, E<T>) -> R,
    {
        self.flatten().fold1(f)
    }
}

/// Sums and products, of numbers and of complex numbers.
impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// The sums along the inner dimension; 0 of nothing. However many numbers of `f32` or `f16` there are, their sum is
    /// about as exact as one in `f64` that is rounded in the end; so are those of other folds and scans by `+`. Sums of integers wrap,
    /// those of `u8` at 256, where `v.to::<u32>().sum()` goes on. Of complex numbers, the parts add up.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| m.sum();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(interpret(f, m)?.to_vec(), [3.0, 7.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn sum(self) -> Acc<Sh::Outer, T>
    where
        Sh: HasInner,
        T: Ring,
    {
        T::sum_of(Call::here("sum"), self)
    }

    /// The products along the inner dimension; 1 of nothing.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| m.product();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(interpret(f, m)?.to_vec(), [2.0, 12.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn product(self) -> Acc<Sh::Outer, T>
    where
        Sh: HasInner,
        T: Ring,
    {
        T::product_of(Call::here("product"), self)
    }

    /// The sum of all elements.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| m.sum_all();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(interpret(f, m)?.item(), 10.0);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn sum_all(self) -> Acc<Z, T>
    where
        T: Ring,
    {
        self.flatten().sum()
    }

    /// The product of all elements.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| m.product_all();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(interpret(f, m)?.item(), 24.0);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn product_all(self) -> Acc<Z, T>
    where
        T: Ring,
    {
        self.flatten().product()
    }
}

/// Reductions by a primitive.
impl<Sh: Shape, T: Scalar> Acc<Sh, T> {
    /// The greatest elements along the inner dimension; fails where that is empty. The derivative goes to the first of the greatest.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| m.maximum();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 4.0, 3.0])?;
    /// assert_eq!(interpret(f, m)?.to_vec(), [2.0, 4.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn maximum(self) -> Acc<Sh::Outer, T>
    where
        Sh: HasInner,
        T: Num,
    {
        self.reduce(Call::here("maximum"), Prim::Max, None)
    }

    /// The least elements along the inner dimension; fails where that is empty. The derivative goes to the first of the least.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| m.minimum();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 4.0, 3.0])?;
    /// assert_eq!(interpret(f, m)?.to_vec(), [1.0, 3.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn minimum(self) -> Acc<Sh::Outer, T>
    where
        Sh: HasInner,
        T: Num,
    {
        self.reduce(Call::here("minimum"), Prim::Min, None)
    }

    /// The greatest element; fails where there are none.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| m.maximum_all();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 4.0, 3.0])?;
    /// assert_eq!(interpret(f, m)?.item(), 4.0);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn maximum_all(self) -> Acc<Z, T>
    where
        T: Num,
    {
        self.flatten().maximum()
    }

    /// The least element; fails where there are none.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| m.minimum_all();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 4.0, 3.0])?;
    /// assert_eq!(interpret(f, m)?.item(), 1.0);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn minimum_all(self) -> Acc<Z, T>
    where
        T: Num,
    {
        self.flatten().minimum()
    }

    #[track_caller]
    pub(in crate::surface) fn reduce(
        self,
        call: Call,
        prim: Prim,
        init: Option<T>,
    ) -> Acc<Sh::Outer, T>
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
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.gt(0.0)).all();
    /// assert!(!interpret(f, Array::vector(vec![1.0, -2.0])?)?.item());
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn all(self) -> Acc<Sh::Outer, bool>
    where
        Sh: HasInner,
    {
        self.reduce(Call::here("all"), Prim::And, Some(true))
    }

    /// Whether an element along the inner dimension holds; false of nothing.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.map(|x| x.gt(0.0)).any();
    /// assert!(interpret(f, Array::vector(vec![1.0, -2.0])?)?.item());
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn any(self) -> Acc<Sh::Outer, bool>
    where
        Sh: HasInner,
    {
        self.reduce(Call::here("any"), Prim::Or, Some(false))
    }
}
