//! Scans along the inner dimension: all partial results of a reduction.
//!
//! Their operators must be associative, as those of folds.

use super::Acc;
use crate::surface::elt::{E, Elt, to_raw};
use crate::surface::functions::operator;
use crate::surface::lift::Lift;
use crate::surface::node_acc;
use crate::surface::session::{Call, RawExp};
use crate::surface::shape::{HasInner, Shape};
use crate::term::Direction;

impl<Sh: Shape, T: Elt> Acc<Sh, T> {
    /// All partial results of an associative operator, from the left, from an initial value, which is the first of
    /// n + 1 results.
    ///
    /// Engines put parentheses as they like: where `f` is not associative (up to rounding), results depend on the
    /// engine. The CPU backend tries it on some of the values where debug assertions are on, and by an option: see
    /// [`scanl1`](Self::scanl1) for what to do about operators that are not.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.scanl(10, |s, x| s + x);
    /// assert_eq!(interpret(f, Array::vector(vec![1, 2, 3])?)?.to_vec(), [10, 11, 13, 16]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn scanl<I: Lift<T>, R: Lift<T>, F>(self, init: I, f: F) -> Acc<Sh, T>
    where
        Sh: HasInner,
        F: FnOnce(E<T>, E<T>) -> R,
    {
        let init = to_raw::<T>(init.lift());
        self.scan(Call::here("scanl"), Direction::Left, Some(&init), f)
    }

    /// All partial results of an associative operator, from the right, from an initial value, which is the last of
    /// n + 1 results.
    ///
    /// Where `f` is not associative, results depend on the engine: see [`scanl1`](Self::scanl1).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.scanr(10, |x, s| x + s);
    /// assert_eq!(interpret(f, Array::vector(vec![1, 2, 3])?)?.to_vec(), [16, 15, 13, 10]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn scanr<I: Lift<T>, R: Lift<T>, F>(self, init: I, f: F) -> Acc<Sh, T>
    where
        Sh: HasInner,
        F: FnOnce(E<T>, E<T>) -> R,
    {
        let init = to_raw::<T>(init.lift());
        self.scan(Call::here("scanr"), Direction::Right, Some(&init), f)
    }

    /// All partial results of an associative operator, from the left, the first element being the first of n results.
    ///
    /// Where `f` is not associative (up to rounding), results depend on the engine, as engines put parentheses as
    /// they like. The recurrence sᵢ = ½·sᵢ₋₁ + xᵢ, say, is not the scan by `|s, x| 0.5 * s + x`. Many are scans all the
    /// same, of functions instead of numbers: each element stands for s ↦ a·s + b, the pair (a, b), and
    /// one after the other is such a pair again.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |x: Acc<Ix1, f64>| {
    ///     let functions: Acc<Ix1, (f64, f64)> = x.map(|x| (0.5, x));
    ///     functions.scanl1(|(a, b), (c, d)| (a * c, b * c + d)).map(|(_, b)| b)
    /// };
    /// let found = interpret(f, Array::vector(vec![1.0, 3.0, 3.0, 2.0])?)?;
    /// assert_eq!(found.to_vec(), [1.0, 3.5, 4.75, 4.375]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    ///
    /// Recurrences in several variables are scans of matrices in the same way. What is no such function has to be
    /// computed from all that precedes it, by [`generate`](super::generate) and a fold, or, if there are few steps,
    /// array by array in a loop of the host language.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.scanl1(|s, x| s + x);
    /// assert_eq!(interpret(f, Array::vector(vec![1, 2, 3])?)?.to_vec(), [1, 3, 6]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn scanl1<R: Lift<T>, F>(self, f: F) -> Acc<Sh, T>
    where
        Sh: HasInner,
        F: FnOnce(E<T>, E<T>) -> R,
    {
        self.scan(Call::here("scanl1"), Direction::Left, None, f)
    }

    /// All partial results of an associative operator, from the right, the last element being the last of n results.
    ///
    /// Where `f` is not associative, results depend on the engine: see [`scanl1`](Self::scanl1).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.scanr1(|x, s| x + s);
    /// assert_eq!(interpret(f, Array::vector(vec![1, 2, 3])?)?.to_vec(), [6, 5, 3]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn scanr1<R: Lift<T>, F>(self, f: F) -> Acc<Sh, T>
    where
        Sh: HasInner,
        F: FnOnce(E<T>, E<T>) -> R,
    {
        self.scan(Call::here("scanr1"), Direction::Right, None, f)
    }

    fn scan<R: Lift<T>, F>(
        self,
        call: Call,
        direction: Direction,
        init: Option<&[RawExp]>,
        f: F,
    ) -> Acc<Sh, T>
    where
        F: FnOnce(E<T>, E<T>) -> R,
    {
        let f = operator::<T, R>(call, f);
        Acc::from_raw(node_acc::scan(call, direction, f, init, self.raw))
    }
}
