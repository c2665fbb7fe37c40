//! Reductions that consist of several.

use crate::surface::acc::{Acc, generate};
use crate::surface::functions::cond;
use crate::surface::scalar::{Exp, Float, Num};
use crate::surface::session::Call;
use crate::surface::shape::{HasInner, Shape, Z, split};

impl<Sh: Shape + HasInner, T: Num> Acc<Sh, T> {
    /// The positions of the greatest elements along the inner dimension, the first one if there are several, or of
    /// the first NaN; fails where that dimension is empty.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| m.argmax();
    /// let m = Array::<Ix2, _>::from_vec([2, 3], vec![1.0, 5.0, 2.0, 4.0, 3.0, 4.0])?;
    /// assert_eq!(interpret(f, m)?.to_vec(), [1, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn argmax(self) -> Acc<Sh::Outer, i32> {
        self.first_like(Call::here("argmax"), self.maximum())
    }

    /// The positions of the least elements along the inner dimension, the first one if there are several, or of the first
    /// NaN; fails where that dimension is empty.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.argmin();
    /// assert_eq!(interpret(f, Array::vector(vec![3.0, 1.0, 2.0, 1.0])?)?.item(), 1);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn argmin(self) -> Acc<Sh::Outer, i32> {
        self.first_like(Call::here("argmin"), self.minimum())
    }

    /// The position of the first element of each row that is like the row's `extremum`, or NaN as that is.
    #[track_caller]
    fn first_like(self, call: Call, extremum: Acc<Sh::Outer, T>) -> Acc<Sh::Outer, i32> {
        let (shape, n) = (self.shape(), self.inner());
        let positions = generate(shape, move |index: Sh| -> Exp<i32> {
            call.throughout(|| {
                let (outer, inner) = split(index);
                let (x, best): (Exp<T>, Exp<T>) = (self.at(index), extremum.at(outer));
                let is_such = x.eq_(best).or(x.ne_(x).and(best.ne_(best)));
                cond::<i32>(is_such, inner, n)
            })
        });
        positions.minimum()
    }
}

impl<Sh: Shape, T: Float> Acc<Sh, T> {
    /// The mean of all elements; NaN of nothing.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| m.mean_all();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 6.0])?;
    /// assert_eq!(interpret(f, m)?.item(), 3.0);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn mean_all(self) -> Acc<Z, T> {
        self.flatten().mean()
    }
}

impl<Sh: Shape + HasInner, T: Float> Acc<Sh, T> {
    /// The means along the inner dimension; NaN of nothing.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| m.mean();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 6.0])?;
    /// assert_eq!(interpret(f, m)?.to_vec(), [1.5, 4.5]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn mean(self) -> Acc<Sh::Outer, T> {
        let (call, n) = (Call::here("mean"), self.inner());
        self.sum()
            .map(move |sum: Exp<T>| call.throughout(|| sum / n.to::<T>()))
    }

    /// The variances along the inner dimension: means of the squared distances from the mean, of n elements by n, as `jax.numpy.var`
    /// has it; NaN of nothing. For a sample's estimate of its population multiply by n ÷ (n − 1).
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.variance();
    /// assert_eq!(interpret(f, Array::vector(vec![1.0, 2.0, 6.0])?)?.item(), 14.0 / 3.0);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn variance(self) -> Acc<Sh::Outer, T> {
        let (call, mean) = (Call::here("variance"), self.mean());
        let squares = generate(self.shape(), move |index: Sh| -> Exp<T> {
            call.throughout(|| {
                let mean: Exp<T> = mean.at(split(index).0);
                let distance = self.at(index) - mean;
                distance * distance
            })
        });
        squares.mean()
    }

    /// The Euclidean lengths along the inner dimension; 0 of nothing. Squares may overflow that the length does not.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.norm();
    /// assert_eq!(interpret(f, Array::vector(vec![3.0, 4.0])?)?.item(), 5.0);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn norm(self) -> Acc<Sh::Outer, T> {
        let call = Call::here("norm");
        let squares = self.map(move |x: Exp<T>| call.throughout(|| x * x));
        squares
            .sum()
            .map(move |sum: Exp<T>| call.throughout(|| sum.sqrt()))
    }
}

impl<Sh: Shape + HasInner> Acc<Sh, bool> {
    /// How many elements along the inner dimension hold.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.gt(1.5).count();
    /// assert_eq!(interpret(f, Array::vector(vec![1.0, 2.0, 3.0])?)?.item(), 2);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn count(self) -> Acc<Sh::Outer, i32> {
        let call = Call::here("count");
        self.map(move |holds: Exp<bool>| call.throughout(|| holds.to::<i32>()))
            .sum()
    }
}
