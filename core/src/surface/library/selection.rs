//! Elements by a condition, by position, and by key.
//!
//! What is kept is moved to the places that a sum over the flags says (Blelloch, *Prefix sums and their applications*, 1990): two passes over
//! the flags, and one over what is kept. The results' extents are known when the program has run so far.

use crate::surface::acc::{Acc, fill, generate};
use crate::surface::elt::{E, Elt};
use crate::surface::functions::cond;
use crate::surface::given::IntoAcc;
use crate::surface::lift::Lift;
use crate::surface::loops::while_;
use crate::surface::scalar::{Exp, Num};
use crate::surface::session::Call;
use crate::surface::shape::{Ix1, Shape, Snoc, Z};
use crate::term::Combine;

impl<T: Elt> Acc<Ix1, T> {
    /// The elements that a condition holds for, in order.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let positive = |v: Acc<Ix1, f64>| v.filter(|x| x.gt(0.0));
    /// assert_eq!(interpret(positive, Array::vector(vec![1.0, -2.0, 3.0])?)?.to_vec(), [1.0, 3.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn filter<R: Lift<bool>, F: FnOnce(E<T>) -> R>(self, f: F) -> Self {
        self.compact(self.map(move |x| -> Exp<bool> { f(x).lift() }))
    }

    /// The elements that hold, and then those that do not, each in order.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let signs = |v: Acc<Ix1, f64>| v.partition(|x| x.gt(0.0));
    /// let (positive, others) = interpret(signs, Array::vector(vec![1.0, -2.0, 3.0])?)?;
    /// assert_eq!((positive.to_vec(), others.to_vec()), (vec![1.0, 3.0], vec![-2.0]));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn partition<R: Lift<bool>, F: FnOnce(E<T>) -> R>(self, f: F) -> (Self, Self) {
        let call = Call::here("partition");
        let flags = self.map(move |x| -> Exp<bool> { f(x).lift() });
        let others = flags.map(move |holds: Exp<bool>| call.throughout(|| holds.not()));
        (self.compact(flags), self.compact(others))
    }

    /// The elements at whose positions `flags` holds, in order.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>, flags: Acc<Ix1, bool>| v.compact(flags);
    /// let inputs = (Array::vector(vec![0.5, 1.5, 2.5])?, Array::vector(vec![true, false, true])?);
    /// assert_eq!(interpret(f, inputs)?.to_vec(), [0.5, 2.5]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn compact<B: IntoAcc<Ix1, bool>>(self, flags: B) -> Self {
        let flags = flags.into_acc().expect_shape(self.shape());
        self.gather(flags.positions())
    }

    /// The elements at the given positions, in their shape; fails where one is out of range.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>, at: Acc<Ix1, i32>| v.gather(at);
    /// let inputs = (Array::vector(vec![0.5, 1.5, 2.5])?, Array::vector(vec![2, 0, 2])?);
    /// assert_eq!(interpret(f, inputs)?.to_vec(), [2.5, 0.5, 2.5]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn gather<Sh: Shape, P: IntoAcc<Sh, i32>>(self, positions: P) -> Acc<Sh, T> {
        let (call, positions) = (Call::here("gather"), positions.into_acc());
        self.backpermute(positions.shape(), move |index| {
            Snoc(Z, call.throughout(|| positions.at(index)))
        })
    }

    /// For each element as many as `count` says of it: what `get` makes of the element and the number among its own, from 0 on; all in order.
    /// Negative numbers count as 0. (Elsman et al., *Data-parallel flattening by expansion*, 2019.)
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let counts = |v: Acc<Ix1, i32>| v.expand(|n| n, |n, k| 10 * n + k);
    /// assert_eq!(interpret(counts, Array::vector(vec![2, 0, 1])?)?.to_vec(), [20, 21, 10]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn expand<U: Elt, N: Lift<i32>, R: Lift<U>>(
        self,
        count: impl FnOnce(E<T>) -> N,
        get: impl FnOnce(E<T>, Exp<i32>) -> R,
    ) -> Acc<Ix1, U> {
        let call = Call::here("expand");
        let counts = self.map(move |x| -> Exp<i32> {
            let count = count(x).lift();
            call.throughout(|| count.max(0))
        });
        let (starts, total) = counts.scanl_and_last(0, move |a, b| call.throughout(|| a + b));
        let (n, total) = (self.inner(), total.the());
        // Of several that start at one place, one alone has elements.
        let owners = generate(Snoc(Z, n), |Snoc(Z, i)| i).permute(
            Combine::Overwrite,
            fill(Snoc(Z, total), 0),
            move |index: Ix1| {
                call.throughout(|| (counts.at(index).gt(0), Snoc(Z, starts.at(index))))
            },
        );
        let owners = owners.scanl1(move |a, b| call.throughout(|| a.max(b)));
        generate(Snoc(Z, total), move |Snoc(Z, at): Ix1| -> E<U> {
            let (x, k) = call.throughout(|| {
                let owner = owners.at(Snoc(Z, at));
                (self.at(Snoc(Z, owner)), at - starts.at(Snoc(Z, owner)))
            });
            get(x, k).lift()
        })
    }
}

impl<T: Num> Acc<Ix1, T> {
    /// For each value the position of the first element that is not less, or the number of elements if all are: where it would be inserted before its
    /// equals. The elements have to ascend; `jax.numpy.searchsorted`. Time: log₂ of their number for each value.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let bins = |edges: Acc<Ix1, f64>, x: Acc<Ix1, f64>| edges.search_sorted(x);
    /// let inputs = (Array::vector(vec![0.0, 1.0, 2.0])?, Array::vector(vec![0.5, 1.0, -3.0, 9.0])?);
    /// assert_eq!(interpret(bins, inputs)?.to_vec(), [1, 1, 0, 3]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn search_sorted<Sh: Shape, V: IntoAcc<Sh, T>>(self, values: V) -> Acc<Sh, i32> {
        let (call, n) = (Call::here("search_sorted"), self.inner());
        let find = move |value: Exp<T>| -> Exp<i32> {
            call.throughout(|| {
                type Range = (Exp<i32>, Exp<i32>);
                let is_open = |(first, end): Range| first.lt(end);
                let halved = |_, (first, end): Range| {
                    let middle = first + (end - first) / 2;
                    let is_less = self.at(Snoc(Z, middle)).lt(value);
                    let part: Range =
                        cond::<(i32, i32)>(is_less, (middle + 1, end), (first, middle));
                    part
                };
                let start: Range = (Lift::<i32>::lift(0), n);
                while_(is_open, halved, start).0
            })
        };
        values.into_acc().map(find)
    }
}

impl Acc<Ix1, bool> {
    /// The positions of the elements that hold, in order; `jax.numpy.nonzero`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, bool>| v.positions();
    /// assert_eq!(interpret(f, Array::vector(vec![true, false, true])?)?.to_vec(), [0, 2]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn positions(self) -> Acc<Ix1, i32> {
        let call = Call::here("positions");
        let ones = self.map(move |holds: Exp<bool>| call.throughout(|| holds.to::<i32>()));
        let places = ones.scanl(0, move |a, b| call.throughout(|| a + b));
        let total = places.last().the();
        let all = generate(Snoc(Z, self.inner()), |Snoc(Z, i)| i);
        all.permute(
            Combine::Overwrite,
            fill(Snoc(Z, total), 0),
            move |index: Ix1| call.throughout(|| (self.at(index), Snoc(Z, places.at(index)))),
        )
    }
}

impl<Sh: Shape> Acc<Sh, bool> {
    /// Elements of `then` where the flag holds, of `else_` where it does not; fails where shapes differ.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |x: Acc<Ix1, f64>, y: Acc<Ix1, f64>| x.lt(y).select(x, y);
    /// let inputs = (Array::vector(vec![1.0, 5.0])?, Array::vector(vec![3.0, 2.0])?);
    /// assert_eq!(interpret(f, inputs)?.to_vec(), [1.0, 2.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn select<T: Elt, A: IntoAcc<Sh, T>, B: IntoAcc<Sh, T>>(
        self,
        then: A,
        else_: B,
    ) -> Acc<Sh, T> {
        let call = Call::here("select");
        let shape = self.shape();
        let then = then.into_acc().expect_shape(shape);
        let else_ = else_.into_acc().expect_shape(shape);
        generate(shape, move |index: Sh| -> E<T> {
            call.throughout(|| cond::<T>(self.at(index), then.at(index), else_.at(index)))
        })
    }
}

impl<Sh: Shape> Acc<Sh, i32> {
    /// How often each of the numbers 0 to n − 1 is an element; others are not counted.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |keys: Acc<Ix1, i32>| keys.histogram(3);
    /// assert_eq!(interpret(f, Array::vector(vec![2, 0, 2, 7, -1])?)?.to_vec(), [1, 0, 2]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn histogram<N: Lift<i32>>(self, n: N) -> Acc<Ix1, i32> {
        let (call, n) = (Call::here("histogram"), n.lift());
        let ones = fill(self.shape(), 1);
        ones.permute(Combine::Add, fill(Snoc(Z, n), 0), move |index: Sh| {
            call.throughout(|| {
                let key = self.at(index);
                (key.ge(0).and(key.lt(n)), Snoc(Z, key))
            })
        })
    }
}
