//! An array marked as each row of another one: the operand that is repeated.

use super::operand::Operand;
use super::{Acc, rearrange};
use crate::surface::elt::{E, Elt};
use crate::surface::node_exp;
use crate::surface::session::Call;
use crate::surface::shape::{HasInner, InnerOf, Shape, Snoc};
use std::fmt;
use std::ops::{Add, Div, Mul, Rem, Sub};

/// An array as each row of the other operand: what [`rows`](Acc::rows) gives.
pub struct Rows<Sh, T>(Acc<Sh, T>);

impl<Sh, T> Clone for Rows<Sh, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Sh, T> Copy for Rows<Sh, T> {}

impl<Sh, T> fmt::Debug for Rows<Sh, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rows").field(&self.0).finish()
    }
}

impl<Sh: HasInner, T: Elt> Acc<Sh, T> {
    /// The array as each row of the other operand, which has more dimensions: `m - v.rows()` takes `v` from each row of `m`, and
    /// `v.rows() - m` takes each row of `m` from `v`.
    ///
    /// The array is repeated along the outer dimensions that the other operand has more, as by [`broadcast`](Self::broadcast). So a
    /// matrix is that of the two inner dimensions. Extents are never stretched, not even of 1: where the array's are not the
    /// inner ones of the other operand, that is an error that tells both, and the line.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let centred = |m: Matrix, centre: Vector| m - centre.rows();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// let found = interpret(centred, (m, Array::vector(vec![1.0, 2.0])?))?;
    /// assert_eq!(found.to_vec(), [0.0, 0.0, 2.0, 2.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    ///
    /// It stands on either side of `+`, `-`, `*`, `/` and `%`, on the right of the other operators, and is an argument of methods that take an
    /// [`Operand`], such as `m.max(v.rows())`.
    pub fn rows(self) -> Rows<Sh, T> {
        Rows(self)
    }
}

/// `array`, repeated along the outermost dimensions of `other`, which has at least one more.
fn repeated<Sh: InnerOf<Outer>, Outer, T: Elt>(
    call: Call,
    array: Acc<Sh, T>,
    other: Acc<Snoc<Outer>, T>,
) -> Acc<Snoc<Outer>, T>
where
    Snoc<Outer>: Shape,
{
    let rank = <Snoc<Outer>>::RANK;
    let extents = (0..rank).map(|axis| node_exp::extent(call, other.raw(), axis));
    rearrange::broadcast(call, array, extents.collect())
}

impl<Sh, Outer, T: Elt> Operand<Snoc<Outer>, T> for Rows<Sh, T>
where
    Sh: InnerOf<Outer>,
    Outer: Shape,
    Snoc<Outer>: Shape,
{
    type Shape = Snoc<Outer>;

    fn beside<U: Elt>(
        self,
        call: Call,
        array: Acc<Snoc<Outer>, T>,
        f: impl FnOnce(E<T>, E<T>) -> E<U>,
    ) -> Acc<Snoc<Outer>, U> {
        repeated(call, self.0, array).beside(call, array, f)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:tt;)*) => {$(
        impl<Sh, Outer, T: Elt> $trait<Acc<Snoc<Outer>, T>> for Rows<Sh, T>
        where
            Sh: InnerOf<Outer>,
            Outer: Shape,
            Snoc<Outer>: Shape,
            Acc<Snoc<Outer>, T>: $trait<Output = Acc<Snoc<Outer>, T>>,
        {
            type Output = Acc<Snoc<Outer>, T>;

            #[track_caller]
            fn $method(self, right: Acc<Snoc<Outer>, T>) -> Acc<Snoc<Outer>, T> {
                repeated(Call::here(stringify!($op)), self.0, right) $op right
            }
        }
    )*};
}

operators! {
    Add add +;
    Sub sub -;
    Mul mul *;
    Div div /;
    Rem rem %;
}
