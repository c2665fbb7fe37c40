//! Systems of linear equations: of triangles, of symmetric matrices by Cholesky's decomposition, and of any by elimination.
//!
//! Each is a loop over the rows of the matrix, whose trips are parallel (Golub and Van Loan, *Matrix Computations*, 2013, §3.1, §3.4 and §4.2). They go
//! through memory once a trip, so they are for matrices of up to some hundred rows.

use super::einsum::einsum;
use super::making::eye;
use crate::surface::acc::{Acc, fill, generate};
use crate::surface::aloops::aiterate;
use crate::surface::custom::custom_rules;
use crate::surface::functions::cond;
use crate::surface::lift::Lift;
use crate::surface::scalar::{Exp, Float};
use crate::surface::session::Call;
use crate::surface::shape::{Ix1, Ix2, Snoc, Z};
use crate::surface::slice::All;
use crate::term::Combine;

/// The right hand sides of a system of equations: a vector, or the columns of a matrix.
pub trait Sides<T>: Copy {
    /// They as columns.
    fn into_columns(self) -> Acc<Ix2, T>;

    /// Such columns in the form that they were given in.
    fn from_columns(columns: Acc<Ix2, T>) -> Self;
}

impl<T: Float> Sides<T> for Acc<Ix1, T> {
    #[track_caller]
    fn into_columns(self) -> Acc<Ix2, T> {
        self.replicate(Snoc(Snoc(Z, All), 1))
    }

    #[track_caller]
    fn from_columns(columns: Acc<Ix2, T>) -> Self {
        columns.slice(Snoc(Snoc(Z, All), 0))
    }
}

impl<T: Float> Sides<T> for Acc<Ix2, T> {
    fn into_columns(self) -> Self {
        self
    }

    fn from_columns(columns: Self) -> Self {
        columns
    }
}

impl<T: Float> Acc<Ix2, T> {
    /// The solution x of a·x = b, for a vector b or for each column of a matrix; fails where the matrix is not square, or b has not as many rows. By
    /// elimination with partial pivoting, in n³ multiplications, those with zeros among them; of a singular matrix it is not finite.
    ///
    /// Derivatives are such solutions: an adjoint of x is taken to b by the transposed matrix.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |a: Acc<Ix2, f64>, b: Acc<Ix1, f64>| a.solve(b);
    /// let a = Array::from_vec([2, 2], vec![0.0, 2.0, 4.0, 1.0])?;
    /// assert_eq!(interpret(f, (a, Array::vector(vec![4.0, 6.0])?))?.to_vec(), [1.0, 2.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn solve<B: Sides<T>>(self, b: B) -> B {
        let call = Call::here("solve");
        let (a, b) = fitting(self, b.into_columns());
        let forward = move |(a, b): (Self, Self)| {
            let x = eliminated(call, a, b);
            (x, (a, x))
        };
        let along = move |(a, x): (Self, Self), (da, db): (Self, Self)| {
            let rest = call.throughout(|| db - da.matmul(x));
            eliminated(call, a, rest)
        };
        let back = move |(a, x): (Self, Self), dx: Self| {
            let db = eliminated(call, call.throughout(|| a.transpose()), dx);
            (
                call.throughout(|| -einsum::<Ix2, T>("ik,jk->ij", (db, x))),
                db,
            )
        };
        let x = call.throughout(|| custom_rules(forward, along, back, (a, b)));
        call.throughout(|| B::from_columns(x))
    }

    /// The inverse; fails where the matrix is not square. Of a singular one it is not finite. To solve equations, use [`solve`](Acc::solve): it is faster and
    /// more precise.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let a = Array::from_vec([2, 2], vec![0.0, 2.0, 4.0, 0.0])?;
    /// let inverse = interpret(|a: Acc<Ix2, f64>| a.inverse(), a)?;
    /// assert_eq!(inverse.to_vec(), [0.0, 0.25, 0.5, 0.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn inverse(self) -> Self {
        self.solve(eye::<T>(self.inner()))
    }

    /// The lower triangle l of a symmetric, positive definite matrix for which l·lᵀ is the matrix, with zeros above; fails where that is not square. Of other
    /// matrices it is not finite. Reads the lower triangle alone, and derivatives are by that. n³ multiplications, those with zeros among them.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let a = Array::from_vec([2, 2], vec![4.0, 2.0, 2.0, 10.0])?;
    /// assert_eq!(interpret(|a: Acc<Ix2, f64>| a.cholesky(), a)?.to_vec(), [2.0, 0.0, 1.0, 3.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn cholesky(self) -> Self {
        let call = Call::here("cholesky");
        let n = self.inner();
        let a = self.expect_shape(Snoc(Snoc(Z, n), n));
        call.throughout(|| {
            let column = |k: Exp<i32>, l: Self| {
                let sums = l.matvec(l.slice(Snoc(Snoc(Z, k), All)));
                let rest = move |i| a.at(Snoc(Snoc(Z, i), k)) - sums.at(Snoc(Z, i));
                let new = generate(Snoc(Z, n), move |Snoc(Z, i): Ix1| -> Exp<T> {
                    let pivot = rest(k).sqrt();
                    cond::<T>(i.eq_(k), pivot, rest(i) / pivot)
                });
                let place = |Snoc(Z, i): Ix1| (i.ge(k), Snoc(Snoc(Z, i), k));
                new.permute(Combine::Overwrite, l, place)
            };
            aiterate(n, column, fill(a.shape(), number::<T>(0)))
        })
    }

    /// The solution x of l·x = b for a lower triangle, of which nothing above the diagonal is read; as [`solve`](Acc::solve) otherwise, in n²
    /// multiplications for each column.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |l: Acc<Ix2, f64>, b: Acc<Ix1, f64>| l.solve_lower(b);
    /// let l = Array::from_vec([2, 2], vec![2.0, 9.0, 1.0, 4.0])?;
    /// assert_eq!(interpret(f, (l, Array::vector(vec![2.0, 9.0])?))?.to_vec(), [1.0, 2.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn solve_lower<B: Sides<T>>(self, b: B) -> B {
        let call = Call::here("solve_lower");
        let (l, b) = fitting(self, b.into_columns());
        call.throughout(|| B::from_columns(lower(l, b)))
    }

    /// The solution x of u·x = b for an upper triangle, of which nothing below the diagonal is read; as [`solve_lower`](Acc::solve_lower) otherwise.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let f = |u: Acc<Ix2, f64>, b: Acc<Ix1, f64>| u.solve_upper(b);
    /// let u = Array::from_vec([2, 2], vec![2.0, 1.0, 9.0, 4.0])?;
    /// assert_eq!(interpret(f, (u, Array::vector(vec![4.0, 8.0])?))?.to_vec(), [1.0, 2.0]);
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn solve_upper<B: Sides<T>>(self, b: B) -> B {
        let call = Call::here("solve_upper");
        let (u, b) = fitting(self, b.into_columns());
        call.throughout(|| B::from_columns(upper(u, b)))
    }
}

/// A square matrix, and columns of as many rows.
#[track_caller]
fn fitting<T: Float>(a: Acc<Ix2, T>, b: Acc<Ix2, T>) -> (Acc<Ix2, T>, Acc<Ix2, T>) {
    let n = a.inner();
    let columns = b.inner();
    let a = a.expect_shape(Snoc(Snoc(Z, n), n));
    (a, b.expect_shape(Snoc(Snoc(Z, n), columns)))
}

pub(super) fn number<T: Float>(x: i32) -> Exp<T> {
    Lift::<T>::lift(x)
}

/// The solutions for a lower triangle, by forward substitution.
pub(super) fn lower<T: Float>(l: Acc<Ix2, T>, b: Acc<Ix2, T>) -> Acc<Ix2, T> {
    substituted(l, b, l.inner(), |trip| trip, |j, k| j.lt(k))
}

/// The solutions for an upper triangle, by back substitution.
pub(super) fn upper<T: Float>(u: Acc<Ix2, T>, b: Acc<Ix2, T>) -> Acc<Ix2, T> {
    let n = u.inner();
    substituted(u, b, n, |trip| n - 1 - trip, |j, k| j.gt(k))
}

/// Solves one row after the other, in an order in which those that a row reads come before it.
fn substituted<T: Float>(
    a: Acc<Ix2, T>,
    b: Acc<Ix2, T>,
    n: Exp<i32>,
    row_of: impl Fn(Exp<i32>) -> Exp<i32>,
    is_known: impl Fn(Exp<i32>, Exp<i32>) -> Exp<bool>,
) -> Acc<Ix2, T> {
    let step = |trip: Exp<i32>, x: Acc<Ix2, T>| {
        let k = row_of(trip);
        let known = generate(Snoc(Z, n), |Snoc(Z, j): Ix1| -> Exp<T> {
            cond::<T>(is_known(j, k), a.at(Snoc(Snoc(Z, k), j)), number::<T>(0))
        });
        let sums: Acc<Ix1, T> = einsum("j,jc->c", (known, x));
        let row = generate(Snoc(Z, b.inner()), |Snoc(Z, c): Ix1| {
            (b.at(Snoc(Snoc(Z, k), c)) - sums.at(Snoc(Z, c))) / a.at(Snoc(Snoc(Z, k), k))
        });
        let place = |Snoc(Z, c): Ix1| (Lift::<bool>::lift(true), Snoc(Snoc(Z, k), c));
        row.permute(Combine::Overwrite, x, place)
    };
    aiterate(n, step, fill(b.shape(), number::<T>(0)))
}

/// The solutions by elimination, with the greatest element of each column for a pivot.
pub(super) fn eliminated<T: Float>(call: Call, a: Acc<Ix2, T>, b: Acc<Ix2, T>) -> Acc<Ix2, T> {
    type Matrices<T> = (Acc<Ix2, T>, Acc<Ix2, T>);
    let step = |k: Exp<i32>, (a, b): Matrices<T>| {
        let sizes = generate(Snoc(Z, a.inner()), |Snoc(Z, i): Ix1| -> Exp<T> {
            cond::<T>(i.ge(k), a.at(Snoc(Snoc(Z, i), k)).abs(), number::<T>(-1))
        });
        let pivot = sizes.argmax().the();
        let swapped = |i: Exp<i32>| cond::<i32>(i.eq_(k), pivot, cond::<i32>(i.eq_(pivot), k, i));
        let reduced = |m: Acc<Ix2, T>| {
            generate(m.shape(), move |Snoc(Snoc(Z, i), j): Ix2| -> Exp<T> {
                let row = swapped(i);
                let old = m.at(Snoc(Snoc(Z, row), j));
                let factor = a.at(Snoc(Snoc(Z, row), k)) / a.at(Snoc(Snoc(Z, pivot), k));
                let new = old - factor * m.at(Snoc(Snoc(Z, pivot), j));
                cond::<T>(i.gt(k), new, old)
            })
        };
        (reduced(a), reduced(b))
    };
    call.throughout(|| {
        let (u, c) = aiterate(a.inner(), step, (a, b));
        upper(u, c)
    })
}
