//! Parts of an array along its inner dimension. Ranges along any dimension are taken by [`slice`](Acc::slice).

use crate::surface::acc::Acc;
use crate::surface::elt::Elt;
use crate::surface::lift::Lift;
use crate::surface::node_acc;
use crate::surface::scalar::Exp;
use crate::surface::session::Call;
use crate::surface::shape::{HasInner, Shape, split, with_inner};
use crate::term::{Axis, Move};

impl<Sh: Shape + HasInner, T: Elt> Acc<Sh, T> {
    /// The first `n` elements of each row, or all where it has no more.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| (v.take(2), v.take(9));
    /// let (two, all) = interpret(f, Array::vector(vec![1, 2, 3])?)?;
    /// assert_eq!((two.to_vec(), all.to_vec()), (vec![1, 2], vec![1, 2, 3]));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn take<N: Lift<i32>>(self, n: N) -> Self {
        let n = n.lift().max(0).min(self.inner());
        self.part(Lift::<i32>::lift(0), n)
    }

    /// Each row without its first `n` elements; nothing where it has no more.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.drop(2);
    /// assert_eq!(interpret(f, Array::vector(vec![1, 2, 3])?)?.to_vec(), [3]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn drop<N: Lift<i32>>(self, n: N) -> Self {
        let n = n.lift().max(0).min(self.inner());
        self.part(n, self.inner() - n)
    }

    /// Each row without its last element; nothing of nothing.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.init();
    /// assert_eq!(interpret(f, Array::vector(vec![1, 2, 3])?)?.to_vec(), [1, 2]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn init(self) -> Self {
        self.take(self.inner() - 1)
    }

    /// Each row without its first element; nothing of nothing.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // Differences of neighbours.
    /// let f = |v: Acc<Ix1, i32>| v.tail() - v.init();
    /// assert_eq!(interpret(f, Array::vector(vec![1, 4, 9])?)?.to_vec(), [3, 5]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn tail(self) -> Self {
        self.drop(1)
    }

    /// `n` elements of each row from position `start` on, as far as there are any.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |v: Acc<Ix1, i32>| v.slit(1, 2);
    /// assert_eq!(interpret(f, Array::vector(vec![1, 2, 3, 4])?)?.to_vec(), [2, 3]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn slit<S: Lift<i32>, N: Lift<i32>>(self, start: S, n: N) -> Self {
        self.drop(start).take(n)
    }

    /// The first element of each row; fails where there is none.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, i32>| m.first();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1, 2, 3, 4])?;
    /// assert_eq!(interpret(f, m)?.to_vec(), [1, 3]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn first(self) -> Acc<Sh::Outer, T> {
        self.column(Call::here("first"), Lift::<i32>::lift(0))
    }

    /// The last element of each row; fails where there is none.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, i32>| m.last();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1, 2, 3, 4])?;
    /// assert_eq!(interpret(f, m)?.to_vec(), [2, 4]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn last(self) -> Acc<Sh::Outer, T> {
        self.column(Call::here("last"), self.inner() - 1)
    }

    /// The element of each row at a position.
    fn column(self, call: Call, at: Exp<i32>) -> Acc<Sh::Outer, T> {
        let mut axes = vec![Axis::All; Sh::RANK];
        axes[Sh::RANK - 1] = Axis::Fixed;
        let indices = vec![at.raw()];
        let how = Move::Slice { axes, indices };
        Acc::from_raw(node_acc::moved(call, &how, self.raw()))
    }

    /// `n` elements of each row from `start` on, which are there.
    #[track_caller]
    fn part(self, start: Exp<i32>, n: Exp<i32>) -> Self {
        let call = Call::here("part");
        self.backpermute(with_inner(self.shape(), n), move |index: Sh| {
            let (_, at) = split(index);
            with_inner(index, call.throughout(|| start + at))
        })
    }
}
