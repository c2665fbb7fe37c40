//! Scans that keep other results than [`scanl`](Acc::scanl) and [`scanl1`](Acc::scanl1).

use crate::surface::acc::Acc;
use crate::surface::elt::{E, Elt};
use crate::surface::lift::Lift;
use crate::surface::scalar::Num;
use crate::surface::session::Call;
use crate::surface::shape::{HasInner, Shape};

impl<Sh: Shape + HasInner, T: Elt> Acc<Sh, T> {
    /// What precedes each element, combined by an associative operator: the results of [`scanl`](Acc::scanl) but the last one.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let starts = |lengths: Acc<Ix1, i32>| lengths.prescanl(0, |a, b| a + b);
    /// assert_eq!(interpret(starts, Array::vector(vec![2, 3, 1])?)?.to_vec(), [0, 2, 5]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn prescanl<I: Lift<T>, R: Lift<T>, F>(self, init: I, f: F) -> Self
    where
        F: FnOnce(E<T>, E<T>) -> R,
    {
        self.scanl(init, f).init()
    }

    /// What follows each element, combined by an associative operator: the results of [`scanr`](Acc::scanr) but the first
    /// one.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.prescanr(0, |a, b| a + b);
    /// assert_eq!(interpret(f, Array::vector(vec![2, 3, 1])?)?.to_vec(), [4, 1, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn prescanr<I: Lift<T>, R: Lift<T>, F>(self, init: I, f: F) -> Self
    where
        F: FnOnce(E<T>, E<T>) -> R,
    {
        self.scanr(init, f).tail()
    }

    /// Each element with what precedes it, combined by an associative operator from an initial value on: the results of
    /// [`scanl`](Acc::scanl) but the first one.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.postscanl(10, |a, b| a + b);
    /// assert_eq!(interpret(f, Array::vector(vec![2, 3, 1])?)?.to_vec(), [12, 15, 16]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn postscanl<I: Lift<T>, R: Lift<T>, F>(self, init: I, f: F) -> Self
    where
        F: FnOnce(E<T>, E<T>) -> R,
    {
        self.scanl(init, f).tail()
    }

    /// Each element with what follows it, combined by an associative operator up to an initial value: the results of
    /// [`scanr`](Acc::scanr) but the last one.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.postscanr(10, |a, b| a + b);
    /// assert_eq!(interpret(f, Array::vector(vec![2, 3, 1])?)?.to_vec(), [16, 14, 11]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn postscanr<I: Lift<T>, R: Lift<T>, F>(self, init: I, f: F) -> Self
    where
        F: FnOnce(E<T>, E<T>) -> R,
    {
        self.scanr(init, f).init()
    }

    /// What precedes each element, and all of a row: Accelerate's `scanl'`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |lengths: Acc<Ix1, i32>| lengths.scanl_and_last(0, |a, b| a + b);
    /// let (starts, total) = interpret(f, Array::vector(vec![2, 3, 1])?)?;
    /// assert_eq!((starts.to_vec(), total.item()), (vec![0, 2, 5], 6));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn scanl_and_last<I: Lift<T>, R: Lift<T>, F>(
        self,
        init: I,
        f: F,
    ) -> (Self, Acc<Sh::Outer, T>)
    where
        F: FnOnce(E<T>, E<T>) -> R,
    {
        let all = self.scanl(init, f);
        (all.init(), all.last())
    }

    /// What follows each element, and all of a row: Accelerate's `scanr'`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.scanr_and_first(0, |a, b| a + b);
    /// let (rests, total) = interpret(f, Array::vector(vec![2, 3, 1])?)?;
    /// assert_eq!((rests.to_vec(), total.item()), (vec![4, 1, 0], 6));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn scanr_and_first<I: Lift<T>, R: Lift<T>, F>(
        self,
        init: I,
        f: F,
    ) -> (Self, Acc<Sh::Outer, T>)
    where
        F: FnOnce(E<T>, E<T>) -> R,
    {
        let all = self.scanr(init, f);
        (all.tail(), all.first())
    }
}

impl<Sh: Shape + HasInner, T: Num> Acc<Sh, T> {
    /// The sums of each element and all before it.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.cumsum();
    /// assert_eq!(interpret(f, Array::vector(vec![2, 3, 1])?)?.to_vec(), [2, 5, 6]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn cumsum(self) -> Self {
        let call = Call::here("cumsum");
        self.scanl1(move |a, b| call.throughout(|| a + b))
    }

    /// The products of each element and all before it.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.cumprod();
    /// assert_eq!(interpret(f, Array::vector(vec![2, 3, 4])?)?.to_vec(), [2, 6, 24]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn cumprod(self) -> Self {
        let call = Call::here("cumprod");
        self.scanl1(move |a, b| call.throughout(|| a * b))
    }
}
