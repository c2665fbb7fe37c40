//! Folds and scans of segments: parts of a vector one after the other, of given lengths.
//!
//! A scan is one of pairs of a flag, which says that a segment begins, and a value (Blelloch, *Prefix sums and their applications*, 1990, §1.5): as fast
//! for many short segments as for few long ones. A fold is an operation of its own. Negative lengths count as 0.

use crate::surface::acc::{Acc, fill, generate};
use crate::surface::elt::{E, Elt, to_raw};
use crate::surface::functions::{cond, operator};
use crate::surface::given::IntoAcc;
use crate::surface::lift::{Lift, literal_at};
use crate::surface::node_acc;
use crate::surface::scalar::{Exp, Num};
use crate::surface::session::Call;
use crate::surface::shape::{HasInner, Ix1, Shape, Snoc, Z};
use crate::term::Combine;

impl<Sh: Shape + HasInner, T: Num> Acc<Sh, T> {
    /// The sum of each segment of each row; 0 of an empty one. Otherwise as [`fold_segments`](Acc::fold_segments). The product of a sparse matrix, by rows, and a
    /// vector:
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let product = |values: Acc<Ix1, f64>, columns: Acc<Ix1, i32>, lengths: Acc<Ix1, i32>, x: Acc<Ix1, f64>| {
    ///     (values * x.gather(columns)).sum_segments(lengths)
    /// };
    /// let (values, columns) = (Array::vector(vec![1.0, 2.0, 3.0])?, Array::vector(vec![0, 2, 1])?);
    /// let (lengths, x) = (Array::vector(vec![2, 0, 1])?, Array::vector(vec![1.0, 10.0, 100.0])?);
    /// assert_eq!(interpret(product, (values, columns, lengths, x))?.to_vec(), [201.0, 0.0, 30.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn sum_segments<L: IntoAcc<Ix1, i32>>(self, lengths: L) -> Self {
        let call = Call::here("sum_segments");
        let add = move |a: Exp<T>, b: Exp<T>| call.throughout(|| a + b);
        self.fold_segments(0, add, lengths)
    }
}

impl<Sh: Shape + HasInner, T: Elt> Acc<Sh, T> {
    /// Reduces each segment of each row by an associative operator; an empty one, or one of negative length, gives the initial value, which comes once and first. Fails where the
    /// segments have more elements than a row has; what is left over belongs to none.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let sums = |v: Acc<Ix1, f64>, lengths: Acc<Ix1, i32>| v.fold_segments(0.0, |a, b| a + b, lengths);
    /// let inputs = (Array::vector(vec![1.0, 2.0, 3.0])?, Array::vector(vec![2, 0, -1, 1])?);
    /// assert_eq!(interpret(sums, inputs)?.to_vec(), [3.0, 0.0, 0.0, 3.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn fold_segments<I, R, L>(
        self,
        init: I,
        f: impl FnOnce(E<T>, E<T>) -> R,
        lengths: L,
    ) -> Self
    where
        I: Lift<T>,
        R: Lift<T>,
        L: IntoAcc<Ix1, i32>,
    {
        let call = Call::here("fold_segments");
        let init = to_raw::<T>(init.lift());
        let f = operator::<T, R>(call, f);
        let lengths = lengths.into_acc().raw();
        Acc::from_raw(node_acc::fold_segments(
            call,
            (f, &init),
            lengths,
            self.raw(),
        ))
    }
}

impl<T: Elt> Acc<Ix1, T> {
    /// All partial results of an associative operator in each segment, from the left; what is left over after the segments belongs to the last
    /// one.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let sums = |v: Acc<Ix1, i32>, lengths: Acc<Ix1, i32>| v.scanl1_segments(|a, b| a + b, lengths);
    /// let inputs = (Array::vector(vec![1, 2, 3, 4])?, Array::vector(vec![2, -1, 2])?);
    /// assert_eq!(interpret(sums, inputs)?.to_vec(), [1, 3, 3, 7]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn scanl1_segments<R, L>(self, f: impl FnOnce(E<T>, E<T>) -> R, lengths: L) -> Self
    where
        R: Lift<T>,
        L: IntoAcc<Ix1, i32>,
    {
        let call = Call::here("scanl1_segments");
        let heads = heads(call, lengths.into_acc(), self.inner());
        let flagged: Acc<Ix1, (bool, T)> = heads.zip(self);
        let scanned = flagged.scanl1(move |(first, x), (second, y)| -> (Exp<bool>, E<T>) {
            let both = f(x, y).lift();
            call.throughout(|| (first.or(second), cond::<T>(second, y, both)))
        });
        scanned.unzip().1
    }

    /// All partial results of an associative operator in each segment, from the right; what is left over after the segments belongs to the last
    /// one.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let sums = |v: Acc<Ix1, i32>, lengths: Acc<Ix1, i32>| v.scanr1_segments(|a, b| a + b, lengths);
    /// let inputs = (Array::vector(vec![1, 2, 3, 4])?, Array::vector(vec![2, -1, 2])?);
    /// assert_eq!(interpret(sums, inputs)?.to_vec(), [3, 2, 7, 4]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn scanr1_segments<R, L>(self, f: impl FnOnce(E<T>, E<T>) -> R, lengths: L) -> Self
    where
        R: Lift<T>,
        L: IntoAcc<Ix1, i32>,
    {
        let call = Call::here("scanr1_segments");
        let n = self.inner();
        let ends = ends(call, heads(call, lengths.into_acc(), n), n);
        let flagged: Acc<Ix1, (bool, T)> = ends.zip(self);
        let scanned = flagged.scanr1(move |(first, x), (second, y)| -> (Exp<bool>, E<T>) {
            let both = f(x, y).lift();
            call.throughout(|| (first.or(second), cond::<T>(first, x, both)))
        });
        scanned.unzip().1
    }

    /// What comes before each element of its segment, reduced by an associative operator: the initial value for the first one. What is left over
    /// after the segments belongs to the last one.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // The position of each element in its segment.
    /// let positions = |lengths: Acc<Ix1, i32>| {
    ///     fill(ix![5], 1).prescanl_segments(0, |a, b| a + b, lengths)
    /// };
    /// assert_eq!(interpret(positions, Array::vector(vec![2, 3])?)?.to_vec(), [0, 1, 0, 1, 2]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn prescanl_segments<I, R, L>(
        self,
        init: I,
        f: impl Fn(E<T>, E<T>) -> R,
        lengths: L,
    ) -> Self
    where
        I: Lift<T>,
        R: Lift<T>,
        L: IntoAcc<Ix1, i32>,
    {
        let call = Call::here("prescanl_segments");
        let (init, lengths) = (init.lift(), lengths.into_acc());
        let heads = heads(call, lengths, self.inner());
        let all = self.scanl1_segments(&f, lengths);
        generate(self.shape(), move |index: Ix1| -> E<T> {
            let Snoc(Z, i) = index;
            let is_first = call.throughout(|| i.eq_(0).or(heads.at(index)));
            let before = call.throughout(|| all.at(Snoc(Z, i - 1)));
            cond::<T>(is_first, init, f(init, before).lift())
        })
    }

    /// What comes after each element of its segment, reduced by an associative operator: the initial value for the last one. What is left over
    /// after the segments belongs to the last one.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let left = |v: Acc<Ix1, i32>, lengths: Acc<Ix1, i32>| v.prescanr_segments(0, |a, b| a + b, lengths);
    /// let inputs = (Array::vector(vec![1, 2, 3, 4])?, Array::vector(vec![1, 3])?);
    /// assert_eq!(interpret(left, inputs)?.to_vec(), [0, 7, 4, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn prescanr_segments<I, R, L>(
        self,
        init: I,
        f: impl Fn(E<T>, E<T>) -> R,
        lengths: L,
    ) -> Self
    where
        I: Lift<T>,
        R: Lift<T>,
        L: IntoAcc<Ix1, i32>,
    {
        let call = Call::here("prescanr_segments");
        let (init, lengths, n) = (init.lift(), lengths.into_acc(), self.inner());
        let ends = ends(call, heads(call, lengths, n), n);
        let all = self.scanr1_segments(&f, lengths);
        generate(self.shape(), move |index: Ix1| -> E<T> {
            let Snoc(Z, i) = index;
            let is_last = call.throughout(|| i.eq_(n - 1).or(ends.at(index)));
            let after = call.throughout(|| all.at(Snoc(Z, i + 1)));
            cond::<T>(is_last, init, f(after, init).lift())
        })
    }

    /// All partial results in each segment from the left, the initial value before the first one: those of a segment of n elements are n + 1.
    /// Fails where the segments have more elements than there are; what is left over belongs to none.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let sums = |v: Acc<Ix1, i32>, lengths: Acc<Ix1, i32>| v.scanl_segments(0, |a, b| a + b, lengths);
    /// let inputs = (Array::vector(vec![1, 2, 3])?, Array::vector(vec![2, 0, 1])?);
    /// assert_eq!(interpret(sums, inputs)?.to_vec(), [0, 1, 3, 0, 0, 3]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn scanl_segments<I, R, L>(self, init: I, f: impl Fn(E<T>, E<T>) -> R, lengths: L) -> Self
    where
        I: Lift<T>,
        R: Lift<T>,
        L: IntoAcc<Ix1, i32>,
    {
        let call = Call::here("scanl_segments");
        let (init, lengths) = (init.lift(), not_negative(call, lengths.into_acc()));
        let all = self.scanl1_segments(&f, lengths);
        let places = Places::of(call, lengths);
        generate(places.segments.shape(), move |index: Ix1| -> E<T> {
            let (start, offset) = places.at(index);
            let is_first = call.throughout(|| offset.eq_(0));
            let before = call.throughout(|| all.at(Snoc(Z, start + offset - 1)));
            cond::<T>(is_first, init, f(init, before).lift())
        })
    }

    /// All partial results in each segment from the right, the initial value after the last one: those of a segment of n elements are n + 1.
    /// Fails where the segments have more elements than there are; what is left over belongs to none.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let sums = |v: Acc<Ix1, i32>, lengths: Acc<Ix1, i32>| v.scanr_segments(0, |a, b| a + b, lengths);
    /// let inputs = (Array::vector(vec![1, 2, 3])?, Array::vector(vec![2, 0, 1])?);
    /// assert_eq!(interpret(sums, inputs)?.to_vec(), [3, 2, 0, 0, 3, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn scanr_segments<I, R, L>(self, init: I, f: impl Fn(E<T>, E<T>) -> R, lengths: L) -> Self
    where
        I: Lift<T>,
        R: Lift<T>,
        L: IntoAcc<Ix1, i32>,
    {
        let call = Call::here("scanr_segments");
        let (init, given) = (init.lift(), not_negative(call, lengths.into_acc()));
        // What is left over is a segment of its own, so that the last one does without it.
        let rest = call.throughout(|| self.inner() - given.sum().the());
        let all = self.scanr1_segments(&f, given.append(fill(Snoc(Z, literal_at(call, 1)), rest)));
        let places = Places::of(call, given);
        generate(places.segments.shape(), move |index: Ix1| -> E<T> {
            let (start, offset) = places.at(index);
            let is_last = call.throughout(|| offset.eq_(given.at(Snoc(Z, places.segment(index)))));
            let from = call.throughout(|| all.at(Snoc(Z, start + offset)));
            cond::<T>(is_last, init, f(from, init).lift())
        })
    }

    /// Each element with what comes before it in its segment, reduced by an associative operator from the initial value on. What is left over
    /// after the segments belongs to the last one.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let sums = |v: Acc<Ix1, i32>, lengths: Acc<Ix1, i32>| v.postscanl_segments(10, |a, b| a + b, lengths);
    /// let inputs = (Array::vector(vec![1, 2, 3])?, Array::vector(vec![2, 1])?);
    /// assert_eq!(interpret(sums, inputs)?.to_vec(), [11, 13, 13]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn postscanl_segments<I, R, L>(
        self,
        init: I,
        f: impl Fn(E<T>, E<T>) -> R,
        lengths: L,
    ) -> Self
    where
        I: Lift<T>,
        R: Lift<T>,
        L: IntoAcc<Ix1, i32>,
    {
        let init = init.lift();
        let all = self.scanl1_segments(&f, lengths);
        all.map(move |x| -> E<T> { f(init, x).lift() })
    }

    /// Each element with what comes after it in its segment, reduced by an associative operator up to the initial value. What is left over
    /// after the segments belongs to the last one.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let sums = |v: Acc<Ix1, i32>, lengths: Acc<Ix1, i32>| v.postscanr_segments(10, |a, b| a + b, lengths);
    /// let inputs = (Array::vector(vec![1, 2, 3])?, Array::vector(vec![2, 1])?);
    /// assert_eq!(interpret(sums, inputs)?.to_vec(), [13, 12, 13]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn postscanr_segments<I, R, L>(
        self,
        init: I,
        f: impl Fn(E<T>, E<T>) -> R,
        lengths: L,
    ) -> Self
    where
        I: Lift<T>,
        R: Lift<T>,
        L: IntoAcc<Ix1, i32>,
    {
        let init = init.lift();
        let all = self.scanr1_segments(&f, lengths);
        all.map(move |x| -> E<T> { f(x, init).lift() })
    }
}

/// Where the results of scans are that have one more than there are elements in each segment.
#[derive(Clone, Copy)]
struct Places {
    call: Call,
    /// The segment of each result.
    segments: Acc<Ix1, i32>,
    /// Where each segment of elements starts.
    starts: Acc<Ix1, i32>,
}

impl Places {
    /// Of segments of such lengths, none of which is negative.
    fn of(call: Call, lengths: Acc<Ix1, i32>) -> Self {
        call.throughout(|| {
            let longer = lengths + 1;
            let heads = heads(call, longer, longer.sum().the());
            Self {
                call,
                segments: heads.to::<i32>().cumsum() - 1,
                starts: lengths.prescanl(0, move |a, b| call.throughout(|| a + b)),
            }
        })
    }

    fn segment(&self, index: Ix1) -> Exp<i32> {
        self.call.throughout(|| self.segments.at(index))
    }

    /// Where the segment of a result starts, and the position of the result in its segment.
    fn at(&self, index: Ix1) -> (Exp<i32>, Exp<i32>) {
        let segment = self.segment(index);
        let Snoc(Z, position) = index;
        self.call.throughout(|| {
            let start = self.starts.at(Snoc(Z, segment));
            (start, position - start - segment)
        })
    }
}

/// Which of `n` elements are the first ones of their segments.
fn heads(call: Call, lengths: Acc<Ix1, i32>, n: Exp<i32>) -> Acc<Ix1, bool> {
    let lengths = not_negative(call, lengths);
    let starts = lengths.prescanl(0, move |a, b| call.throughout(|| a + b));
    fill(lengths.shape(), true).permute(
        Combine::Overwrite,
        fill(Snoc(Z, n), false),
        move |index: Ix1| {
            call.throughout(|| {
                let start = starts.at(index);
                (lengths.at(index).gt(0).and(start.lt(n)), Snoc(Z, start))
            })
        },
    )
}

/// Which elements have the first one of a segment behind them.
fn ends(call: Call, heads: Acc<Ix1, bool>, n: Exp<i32>) -> Acc<Ix1, bool> {
    generate(heads.shape(), move |Snoc(Z, i): Ix1| {
        call.throughout(|| cond::<bool>((i + 1).lt(n), heads.at(Snoc(Z, i + 1)), false))
    })
}

/// Lengths of which negative ones are 0: others would begin before them.
fn not_negative(call: Call, lengths: Acc<Ix1, i32>) -> Acc<Ix1, i32> {
    call.throughout(|| lengths.max(0))
}
