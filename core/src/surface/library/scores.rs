//! Scores of classes, and what they say of them: along the inner dimension, and safe from overflow.

use crate::surface::acc::{Acc, generate};
use crate::surface::custom::stop_gradient;
use crate::surface::functions::cond;
use crate::surface::lift::Lift;
use crate::surface::scalar::{Exp, Float, Num};
use crate::surface::session::Call;
use crate::surface::shape::{Shape, Snoc};
use crate::surface::slice::any;

impl<Sh: Shape, T: Float> Acc<Snoc<Sh>, T> {
    /// The logarithms of sums of exponentials along the inner dimension, as `jax.nn.logsumexp`; fails where that dimension is empty, as do the others.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.logsumexp();
    /// let found = interpret(f, Array::vector(vec![1000.0, 1000.0])?)?;
    /// assert_eq!(found.item(), 1000.0 + 2.0_f64.ln());
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn logsumexp(self) -> Acc<Sh, T> {
        let (call, greatest) = (Call::here("logsumexp"), self.finite_maxima());
        let sums = self.less(call, greatest).exp().sum();
        sums.zip_with(greatest, move |s: Exp<T>, m: Exp<T>| {
            call.throughout(|| s.ln() + m)
        })
    }

    /// The exponentials, divided by their sum along the inner dimension: the shares of classes that have these scores, as
    /// `jax.nn.softmax`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.softmax();
    /// let found = interpret(f, Array::vector(vec![1000.0, 1000.0])?)?;
    /// assert_eq!(found.to_vec(), [0.5, 0.5]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn softmax(self) -> Self {
        let call = Call::here("softmax");
        let powers = self.less(call, self.finite_maxima()).exp();
        powers.zip_with(
            powers.sum().along(self.inner()),
            move |x: Exp<T>, sum: Exp<T>| call.throughout(|| x / sum),
        )
    }

    /// The logarithms of [`softmax`](Acc::softmax), as `jax.nn.log_softmax`: finite where shares are too small for a float.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.log_softmax();
    /// let found = interpret(f, Array::vector(vec![0.0, -1000.0])?)?;
    /// assert_eq!(found.to_vec(), [0.0, -1000.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn log_softmax(self) -> Self {
        let call = Call::here("log_softmax");
        let shifted = self.less(call, self.finite_maxima());
        shifted.less(call, shifted.exp().sum().ln())
    }

    /// The greatest element of each row, as a constant; 0 in place of an infinity, from which nothing can be subtracted.
    #[track_caller]
    fn finite_maxima(self) -> Acc<Sh, T> {
        let call = Call::here("maximum");
        stop_gradient(self.maximum()).map(move |m: Exp<T>| -> Exp<T> {
            call.throughout(|| cond::<T>(m.is_infinite(), 0, m))
        })
    }

    /// The elements, less one number for each row.
    #[track_caller]
    fn less(self, call: Call, of_rows: Acc<Sh, T>) -> Self {
        let less = move |x: Exp<T>, m: Exp<T>| call.throughout(|| x - m);
        self.zip_with(of_rows.along(self.inner()), less)
    }
}

impl<Sh: Shape, T: Num> Acc<Sh, T> {
    /// Each element as a row of so many.
    #[track_caller]
    fn along(self, n: Exp<i32>) -> Acc<Snoc<Sh>, T> {
        self.replicate(Snoc(any::<Sh>(), n))
    }
}

impl<Sh: Shape> Acc<Sh, i32> {
    /// For each number of a class a row of `n` elements, of which the one of that number is 1 and the others are 0; all are 0 where there is no such
    /// class. `jax.nn.one_hot`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |classes: Acc<Ix1, i32>| classes.one_hot::<f64>(3);
    /// let found = interpret(f, Array::vector(vec![2, 0])?)?;
    /// assert_eq!((found.shape(), found.to_vec()), (&[2, 3][..], vec![0.0, 0.0, 1.0, 1.0, 0.0, 0.0]));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn one_hot<T: Num>(self, n: impl Lift<i32>) -> Acc<Snoc<Sh>, T> {
        let call = Call::here("one_hot");
        generate(
            Snoc(self.shape(), n.lift()),
            move |Snoc(row, class): Snoc<Sh>| -> Exp<T> {
                call.throughout(|| cond::<T>(self.at(row).eq_(class), 1, 0))
            },
        )
    }
}
