//! Sorting, by a network of comparisons that is the same for all inputs of a length (Batcher, *Sorting networks and their applications*, 1968): in
//! parallel on every engine, in ½·log₂n·(log₂n + 1) passes over the rows. On CPUs that is some ten times as long as a sort of the standard
//! library takes for a million numbers.
//!
//! What is sorted are positions, with the keys beside them; of equal keys the first position comes first, so that all is stable. NaN counts as
//! greater than all numbers. Derivatives are those of reading elements where they came from: an order has none.

use crate::surface::acc::{Acc, generate, unit};
use crate::surface::aloops::aiterate;
use crate::surface::custom::stop_gradient;
use crate::surface::elt::{E, Elt};
use crate::surface::functions::cond;
use crate::surface::lift::Lift;
use crate::surface::loops::while_;
use crate::surface::scalar::{Exp, Num};
use crate::surface::session::Call;
use crate::surface::shape::{HasInner, Ix0, Ix1, Shape, Snoc, Z, split, with_inner};

/// Whether the least or the greatest comes first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Ascending,
    Descending,
}

impl<Sh: Shape + HasInner, T: Num> Acc<Sh, T> {
    /// The elements of each row in ascending order, NaN at the end.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.sort();
    /// assert_eq!(interpret(f, Array::vector(vec![3.0, -1.0, 2.0])?)?.to_vec(), [-1.0, 2.0, 3.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn sort(self) -> Self {
        let call = Call::here("sort");
        in_order(call, self, sorted(call, self, Order::Ascending))
    }

    /// Where the elements of each row are in ascending order: first the position of the least; of equal ones the first position comes first.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.argsort();
    /// assert_eq!(interpret(f, Array::vector(vec![30, 10, 20, 10])?)?.to_vec(), [1, 3, 2, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn argsort(self) -> Acc<Sh, i32> {
        sorted(Call::here("argsort"), self, Order::Ascending)
    }

    /// The `k` greatest elements of each row, the greatest first, and where they are: `jax.lax.top_k`; of equal ones the first. All, where there are no
    /// more.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, f64>| v.top_k(2);
    /// let (values, positions) = interpret(f, Array::vector(vec![3.0, 9.0, 5.0])?)?;
    /// assert_eq!((values.to_vec(), positions.to_vec()), (vec![9.0, 5.0], vec![1, 2]));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn top_k<K: Lift<i32>>(self, k: K) -> (Self, Acc<Sh, i32>) {
        let call = Call::here("top_k");
        let first = sorted(call, self, Order::Descending).take(k);
        (in_order(call, self, first), first)
    }
}

impl<Sh: Shape + HasInner, T: Elt> Acc<Sh, T> {
    /// The elements of each row by ascending keys, those with equal keys as they stand.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let by_second = |v: Acc<Ix1, (i32, f64)>| v.sort_by_key(|(_, x)| x);
    /// let pairs = vec![(1, 0.5), (2, -0.5), (3, 0.5)];
    /// assert_eq!(interpret(by_second, Array::vector(pairs)?)?.to_vec(), [(2, -0.5), (1, 0.5), (3, 0.5)]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn sort_by_key<K: Num>(self, key: impl FnOnce(E<T>) -> Exp<K>) -> Self {
        let call = Call::here("sort_by_key");
        let keys = self.map(move |x| -> Exp<K> { key(x) });
        in_order(call, self, sorted(call, keys, Order::Ascending))
    }
}

impl<T: Num> Acc<Ix1, T> {
    /// The different elements in ascending order; each NaN is one of its own.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.unique();
    /// assert_eq!(interpret(f, Array::vector(vec![3, 1, 3, 2, 1])?)?.to_vec(), [1, 2, 3]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn unique(self) -> Self {
        let (call, sorted) = (Call::here("unique"), self.sort());
        let is_new = generate(sorted.shape(), move |index: Ix1| {
            call.throughout(|| {
                let Snoc(Z, i) = index;
                let before = || sorted.at(Snoc(Z, i - 1)).ne_(sorted.at(index));
                cond::<bool>(i.eq_(0), true, before())
            })
        });
        sorted.compact(is_new)
    }
}

/// The elements of each row at the given positions of it.
fn in_order<Sh: Shape + HasInner, T: Elt>(
    call: Call,
    array: Acc<Sh, T>,
    positions: Acc<Sh, i32>,
) -> Acc<Sh, T> {
    call.throughout(|| {
        array.backpermute(positions.shape(), |index: Sh| {
            with_inner(index, positions.at(index))
        })
    })
}

/// The positions of keys in order.
fn sorted<Sh: Shape + HasInner, T: Num>(
    call: Call,
    keys: Acc<Sh, T>,
    order: Order,
) -> Acc<Sh, i32> {
    let positions = call.throughout(|| {
        let (keys, n) = (stop_gradient(keys), keys.inner());
        let room = power_of_two(n);
        // What is beyond the keys comes after all of them.
        let start = generate(
            with_inner(keys.shape(), room),
            |index: Sh| -> (Exp<T>, Exp<i32>) {
                let (_, i) = split(index);
                (cond::<T>(i.lt(n), keys.at(index), 0), i)
            },
        );
        let first = unit((Lift::<i32>::lift(2), Lift::<i32>::lift(1)));
        let passes = passes(room);
        aiterate(passes, |_, state| pass(state, n, order), (start, first)).0
    });
    let (_, positions): (Acc<Sh, T>, Acc<Sh, i32>) = positions.unzip();
    // What a loop gives may have any extents, for all that is known: these are the keys'.
    let first = positions.take(keys.inner());
    call.throughout(|| first.expect_shape(keys.shape()))
}

/// The least power of 2 that is no less; 0 of 0.
fn power_of_two(n: Exp<i32>) -> Exp<i32> {
    let doubled = while_(|m: Exp<i32>| m.lt(n), |_, m| m * 2, Lift::<i32>::lift(1));
    cond::<i32>(n.eq_(0), 0, doubled)
}

/// The passes over a power of 2.
fn passes(room: Exp<i32>) -> Exp<i32> {
    type Pair = (Exp<i32>, Exp<i32>);
    let start: Pair = (Lift::<i32>::lift(1), Lift::<i32>::lift(0));
    let (_, levels) = while_(
        |(m, _): Pair| m.lt(room),
        |_, (m, l): Pair| (m * 2, l + 1),
        start,
    );
    levels * (levels + 1) / 2
}

/// Keys with their positions; how long the runs are that are merged, and how far apart what is compared.
type Network<Sh, T> = (Acc<Sh, (T, i32)>, Acc<Ix0, (i32, i32)>);

/// Compares each with its partner, and puts the two in the order of the run that they belong to.
fn pass<Sh: Shape + HasInner, T: Num>(
    (all, at): Network<Sh, T>,
    n: Exp<i32>,
    order: Order,
) -> Network<Sh, T> {
    let (run, apart) = at.the();
    let next = generate(all.shape(), |index: Sh| -> (Exp<T>, Exp<i32>) {
        let (_, i) = split(index);
        let partner = i ^ apart;
        let (mine, other) = (all.at(index), all.at(with_inner(index, partner)));
        let goes_up = (i & run).eq_(0);
        let is_lower = i.lt(partner);
        let wants_first = is_lower.eq_(goes_up);
        let other_is_first = comes_before(other, mine, (n, order));
        cond::<(T, i32)>(other_is_first.eq_(wants_first), other, mine)
    });
    let at = at.map(
        |(run, apart): (Exp<i32>, Exp<i32>)| -> (Exp<i32>, Exp<i32>) {
            let is_last = apart.eq_(1);
            (
                cond::<i32>(is_last, run * 2, run),
                cond::<i32>(is_last, run, apart / 2),
            )
        },
    );
    (next, at)
}

/// Whether x comes before y; no two are alike, as their positions differ.
fn comes_before<T: Num>(
    (x, i): (Exp<T>, Exp<i32>),
    (y, j): (Exp<T>, Exp<i32>),
    (n, order): (Exp<i32>, Order),
) -> Exp<bool> {
    let (x_nan, y_nan) = (x.ne_(x), y.ne_(y));
    let less = x.lt(y).or(y_nan.and(x_nan.not()));
    let greater = x.gt(y).or(x_nan.and(y_nan.not()));
    let (before, after) = match order {
        Order::Ascending => (less, greater),
        Order::Descending => (greater, less),
    };
    let by_key = before.or(after.not().and(i.lt(j)));
    let are_keys = i.lt(n).and(j.lt(n));
    cond::<bool>(are_keys, by_key, i.lt(j))
}
