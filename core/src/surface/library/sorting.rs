//! Sorting: [`AccOp::Argsort`](crate::term::AccOp::Argsort) says where the elements are in order, and what is sorted is read from there.
//!
//! All is stable: of equal keys the first position comes first. NaN counts as greater than all numbers. Derivatives are those of reading
//! elements where they came from: an order has none.

use crate::surface::acc::{Acc, generate};
use crate::surface::elt::{E, Elt};
use crate::surface::functions::cond;
use crate::surface::lift::Lift;
use crate::surface::node_acc;
use crate::surface::scalar::{Exp, Num};
use crate::surface::session::Call;
use crate::surface::shape::{HasInner, Ix1, Shape, Snoc, Z, with_inner};
use crate::term::SortOrder;

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
        in_order(call, self, sorted(call, self, SortOrder::Ascending))
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
        sorted(Call::here("argsort"), self, SortOrder::Ascending)
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
        let first = sorted(call, self, SortOrder::Descending).take(k);
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
        in_order(call, self, sorted(call, keys, SortOrder::Ascending))
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
    order: SortOrder,
) -> Acc<Sh, i32> {
    Acc::from_raw(node_acc::argsort(call, order, keys.raw()))
}
