//! Products of vectors and matrices, and diagonals.

use crate::surface::acc::{Acc, generate};
use crate::surface::elt::E;
use crate::surface::functions::cond;
use crate::surface::given::IntoAcc;
use crate::surface::lift::Lift;
use crate::surface::ring::Ring;
use crate::surface::scalar::Exp;
use crate::surface::session::Call;
use crate::surface::shape::{Ix0, Ix1, Ix2, Shape, Snoc, Z};
use crate::surface::slice::{All, any};

impl<T: Ring> Acc<Ix1, T> {
    /// The sum of the products of corresponding elements; fails where there are not as many.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |x: Acc<Ix1, f64>, y: Acc<Ix1, f64>| x.dot(y);
    /// let inputs = (Array::vector(vec![1.0, 2.0])?, Array::vector(vec![3.0, 4.0])?);
    /// assert_eq!(interpret(f, inputs)?.item(), 11.0);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn dot<B: IntoAcc<Ix1, T>>(self, other: B) -> Acc<Ix0, T> {
        let call = Call::here("dot");
        let other = other.into_acc().expect_shape(self.shape());
        T::inner_product(call, self, other)
    }

    /// The products of each element with each one of another vector, the other's in a row.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |x: Acc<Ix1, f64>, y: Acc<Ix1, f64>| x.outer(y);
    /// let inputs = (Array::vector(vec![1.0, 2.0])?, Array::vector(vec![3.0, 4.0])?);
    /// assert_eq!(interpret(f, inputs)?.to_vec(), [3.0, 4.0, 6.0, 8.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn outer<B: IntoAcc<Ix1, T>>(self, other: B) -> Acc<Ix2, T> {
        let (call, other) = (Call::here("outer"), other.into_acc());
        let columns = self.replicate(Snoc(Snoc(Z, All), other.inner()));
        let rows = other.replicate(Snoc(Snoc(Z, self.inner()), All));
        columns.zip_with(rows, move |x, y| T::times(call, x, y))
    }

    /// The matrix with the elements on its diagonal, and zeros elsewhere.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |x: Acc<Ix1, f64>| x.diag();
    /// assert_eq!(interpret(f, Array::vector(vec![1.0, 2.0])?)?.to_vec(), [1.0, 0.0, 0.0, 2.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn diag(self) -> Acc<Ix2, T> {
        let (call, n) = (Call::here("diag"), self.inner());
        generate(
            Snoc(Snoc(Z, n), n),
            move |Snoc(Snoc(Z, i), j): Ix2| -> E<T> {
                call.throughout(|| cond::<T>(i.eq_(j), self.at(Snoc(Z, i)), T::small(call, 0)))
            },
        )
    }
}

impl<Sh: Shape, T: Ring> Acc<Snoc<Sh>, T> {
    /// The product of vectors, as rows, and matrices; fails where the extents do not fit. That of the transposed matrix and the vector:
    /// `jnp.vecmat`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |x: Acc<Ix1, f64>, a: Acc<Ix2, f64>| x.vecmat(a);
    /// let a = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(interpret(f, (Array::vector(vec![1.0, 10.0])?, a))?.to_vec(), [31.0, 42.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn vecmat<B: IntoAcc<Snoc<Snoc<Sh>>, T>>(self, matrix: B) -> Self {
        let matrix = matrix.into_acc();
        matrix.move_axis(Sh::RANK, Sh::RANK + 1).matvec(self)
    }
}

impl<Sh: Shape, T: Ring> Acc<Snoc<Snoc<Sh>>, T> {
    /// The product of matrices, or of corresponding ones where there are dimensions around them; fails where the extents do not fit. A contraction: engines block it,
    /// and it differentiates to such products.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |a: Acc<Ix2, f64>, b: Acc<Ix2, f64>| a.matmul(b);
    /// let a = Array::<Ix2, _>::from_vec([1, 2], vec![1.0, 2.0])?;
    /// let b = Array::<Ix2, _>::from_vec([2, 2], vec![3.0, 4.0, 5.0, 6.0])?;
    /// assert_eq!(interpret(f, (a, b))?.to_vec(), [13.0, 16.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn matmul<B: IntoAcc<Snoc<Snoc<Sh>>, T>>(self, other: B) -> Self {
        let (call, other) = (Call::here("matmul"), other.into_acc());
        let Snoc(Snoc(outer, rows), inner) = self.shape();
        let columns = other.inner();
        let other = other.expect_shape(Snoc(Snoc(outer, inner), columns));
        let left = self.replicate(Snoc(Snoc(Snoc(any::<Sh>(), All), columns), All));
        let right = other.move_axis(Sh::RANK, Sh::RANK + 1);
        let right = right.replicate(Snoc(Snoc(Snoc(any::<Sh>(), rows), All), All));
        T::inner_product(call, left, right)
    }

    /// The product of matrices and vectors; fails where the extents do not fit.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |a: Acc<Ix2, f64>, x: Acc<Ix1, f64>| a.matvec(x);
    /// let a = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(interpret(f, (a, Array::vector(vec![1.0, 10.0])?))?.to_vec(), [21.0, 43.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn matvec<B: IntoAcc<Snoc<Sh>, T>>(self, vector: B) -> Acc<Snoc<Sh>, T> {
        let (call, vector) = (Call::here("matvec"), vector.into_acc());
        let Snoc(Snoc(outer, rows), inner) = self.shape();
        let vector = vector.expect_shape(Snoc(outer, inner));
        let vectors = vector.replicate(Snoc(Snoc(any::<Sh>(), rows), All));
        T::inner_product(call, self, vectors)
    }

    /// The elements whose row and column have one number.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| m.diagonal();
    /// let m = Array::<Ix2, _>::from_vec([2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// assert_eq!(interpret(f, m)?.to_vec(), [1.0, 5.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn diagonal(self) -> Acc<Snoc<Sh>, T> {
        let Snoc(Snoc(outer, rows), columns) = self.shape();
        let shape = Snoc(outer, rows.min(columns));
        self.backpermute(shape, |Snoc(outer, i): Snoc<Sh>| Snoc(Snoc(outer, i), i))
    }

    /// The sum of the diagonal.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, f64>| m.trace();
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(interpret(f, m)?.item(), 5.0);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn trace(self) -> Acc<Sh, T> {
        self.diagonal().sum()
    }

    /// The matrix with zeros above a diagonal: the main one for 0, those above it for positive `k`, below it for negative `k`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, i32>| m.tril(0);
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1, 2, 3, 4])?;
    /// assert_eq!(interpret(f, m)?.to_vec(), [1, 0, 3, 4]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn tril<K: Lift<i32>>(self, k: K) -> Self {
        let (call, k) = (Call::here("tril"), k.lift());
        self.where_columns(call, move |i, j| j.le(i + k))
    }

    /// The matrix with zeros below a diagonal: the main one for 0, those above it for positive `k`, below it for
    /// negative `k`.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |m: Acc<Ix2, i32>| m.triu(1);
    /// let m = Array::<Ix2, _>::from_vec([2, 2], vec![1, 2, 3, 4])?;
    /// assert_eq!(interpret(f, m)?.to_vec(), [0, 2, 0, 0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn triu<K: Lift<i32>>(self, k: K) -> Self {
        let (call, k) = (Call::here("triu"), k.lift());
        self.where_columns(call, move |i, j| j.ge(i + k))
    }

    /// The elements whose row and column `keeps`, zeros elsewhere.
    #[track_caller]
    fn where_columns(
        self,
        call: Call,
        keeps: impl FnOnce(Exp<i32>, Exp<i32>) -> Exp<bool>,
    ) -> Self {
        generate(self.shape(), move |index: Snoc<Snoc<Sh>>| -> E<T> {
            let Snoc(Snoc(_, i), j) = index;
            call.throughout(|| cond::<T>(keeps(i, j), self.at(index), T::small(call, 0)))
        })
    }
}
