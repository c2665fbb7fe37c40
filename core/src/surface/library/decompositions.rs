//! Decompositions of matrices with rules for their derivatives: QR by Householder's reflections, LU by elimination with pivoting.
//!
//! The loops that decompose are as those of [`solve`](Acc::solve): one trip for each column, parallel inside, so they are for matrices of up to some
//! hundred rows (Golub and Van Loan, *Matrix Computations*, 2013, §3.4, §5.1 and §5.2). Derivatives do not go back through them: rules
//! make the derivative of the factors from the factors, by substitution, and keep nothing else.

use super::einsum::einsum;
use super::solving::{lower, number, upper};
use crate::surface::acc::{Acc, fill, generate};
use crate::surface::aloops::aiterate;
use crate::surface::custom::custom_rules;
use crate::surface::functions::cond;
use crate::surface::library::making::iota;
use crate::surface::lift::Lift;
use crate::surface::scalar::{Exp, Float};
use crate::surface::session::Call;
use crate::surface::shape::{Ix1, Ix2, Snoc, Z};
use crate::surface::slice::All;
use crate::term::Combine;

/// The factors q and r.
type Orthogonal<T> = (Acc<Ix2, T>, Acc<Ix2, T>);
/// The order of the rows, and the factors l and u.
type Triangles<T> = (Acc<Ix1, i32>, Acc<Ix2, T>, Acc<Ix2, T>);

impl<T: Float> Acc<Ix2, T> {
    /// The thin QR decomposition of a matrix of m rows and n ≤ m columns: q of its shape, with orthonormal columns, and an upper triangle r of n rows, for
    /// which q·r is the matrix. Fails where there are fewer rows than columns. The diagonal of r is not negative, so for a matrix of full rank
    /// there is one such decomposition; that of LAPACK, numpy and JAX differs from it by signs of the columns of q and the rows of r.
    ///
    /// By Householder's reflections (Golub and Van Loan, *Matrix Computations*, 2013, §5.2), of which each goes through the whole matrix: 4·m·n²
    /// multiplications in 2·n trips. It decomposes matrices of any rank.
    ///
    /// The derivative is by a rule, in both modes and again, and is finite where the rank is full: dq = c − q·s and dr = s·r, where c = da·r⁻¹ and s is the upper
    /// triangle of qᵀ·c, with its strictly lower part, transposed, added.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let a = Array::from_vec([2, 2], vec![3.0, 1.0, 4.0, 3.0])?;
    /// let (q, r) = interpret(|a: Acc<Ix2, f64>| a.qr(), a)?;
    /// let near = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-12);
    /// assert!(near(&q.to_vec(), &[0.6, -0.8, 0.8, 0.6]) && near(&r.to_vec(), &[5.0, 3.0, 0.0, 1.0]));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn qr(self) -> (Self, Self) {
        let call = Call::here("qr");
        let Snoc(Snoc(_, rows), columns) = self.shape();
        let a = self.expect_shape(Snoc(Snoc(Z, rows.max(columns)), columns));
        let forward = move |a: Self| {
            let (q, r) = orthogonal(a);
            ((q, r), (q, r))
        };
        call.throughout(|| custom_rules(forward, qr_along, qr_back, a))
    }

    /// The LU decomposition of a square matrix by elimination with partial pivoting: the order p of the rows, a lower triangle l with ones on its diagonal,
    /// and an upper triangle u, for which row i of l·u is row p\[i\] of the matrix (that is `p` of `scipy.linalg.lu` with `p_indices`, inverted, and the
    /// permutation of `jax.lax.linalg.lu`). No element of l is greater than 1 in magnitude. Fails where the matrix is not square. A singular
    /// matrix has such factors, too, with a zero on the diagonal of u.
    ///
    /// Golub and Van Loan, *Matrix Computations*, 2013, §3.4; n³ multiplications, those with zeros among them, in n trips.
    ///
    /// The derivative is by a rule, in both modes and again, and is finite where the matrix is regular: with m = l⁻¹·da\[p\]·u⁻¹, dl is l times the strictly
    /// lower part of m, and du the upper part of m times u. The order of the rows counts as constant.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// let a = Array::from_vec([2, 2], vec![1.0, 3.0, 2.0, 4.0])?;
    /// let (p, l, u) = interpret(|a: Acc<Ix2, f64>| a.lu(), a)?;
    /// assert_eq!(p.to_vec(), [1, 0]);
    /// assert_eq!((l.to_vec(), u.to_vec()), (vec![1.0, 0.0, 0.5, 1.0], vec![2.0, 4.0, 0.0, 1.0]));
    /// # Ok::<(), InterpretError>(())
    /// ```
    #[track_caller]
    pub fn lu(self) -> (Acc<Ix1, i32>, Self, Self) {
        let call = Call::here("lu");
        let n = self.inner();
        let a = self.expect_shape(Snoc(Snoc(Z, n), n));
        let forward = move |a: Self| {
            let Packed { rows, factors, .. } = Packed::of(a, in_column);
            let (l, u) = unpacked(factors);
            ((rows, l, u), (rows, l, u))
        };
        call.throughout(|| custom_rules(forward, lu_along, lu_back, a))
    }
}

/// The tangents of q and r.
fn qr_along<T: Float>((q, r): Orthogonal<T>, da: Acc<Ix2, T>) -> Orthogonal<T> {
    let c = lower(r.transpose(), da.transpose()).transpose();
    let m: Acc<Ix2, T> = einsum("ki,kj->ij", (q, c));
    let s = m.triu(0) + m.tril(-1).transpose();
    (c - q.matmul(s), s.matmul(r))
}

/// The adjoint of the matrix: (q̄ + q·w)·r⁻ᵀ, where w is symmetric and has the lower part of r·r̄ᵀ − q̄ᵀ·q.
fn qr_back<T: Float>((q, r): Orthogonal<T>, (dq, dr): Orthogonal<T>) -> Acc<Ix2, T> {
    let m = einsum::<Ix2, T>("ik,jk->ij", (r, dr)) - einsum::<Ix2, T>("ki,kj->ij", (dq, q));
    let w = m.tril(0) + m.tril(-1).transpose();
    upper(r, (dq + q.matmul(w)).transpose()).transpose()
}

/// The tangents of l and u.
fn lu_along<T: Float>((rows, l, u): Triangles<T>, da: Acc<Ix2, T>) -> Triangles<T> {
    let permuted = da.backpermute(da.shape(), |Snoc(Snoc(Z, i), j): Ix2| {
        Snoc(Snoc(Z, rows.at(Snoc(Z, i))), j)
    });
    let m = lower(u.transpose(), lower(l, permuted).transpose()).transpose();
    (rows, l.matmul(m.tril(-1)), m.triu(0).matmul(u))
}

/// The adjoint of the matrix: row i of l⁻ᵀ·w·u⁻ᵀ goes to row p\[i\], where w is the strictly lower part of lᵀ·l̄ and the upper part of ū·uᵀ.
fn lu_back<T: Float>((rows, l, u): Triangles<T>, (_, dl, du): Triangles<T>) -> Acc<Ix2, T> {
    let below: Acc<Ix2, T> = einsum("ki,kj->ij", (l, dl));
    let above: Acc<Ix2, T> = einsum("ik,jk->ij", (du, u));
    let w = below.tril(-1) + above.triu(0);
    let permuted = upper(u, upper(l.transpose(), w).transpose()).transpose();
    let zeros = fill(permuted.shape(), number::<T>(0));
    permuted.permute(Combine::Overwrite, zeros, |Snoc(Snoc(Z, i), j): Ix2| {
        (true, Snoc(Snoc(Z, rows.at(Snoc(Z, i))), j))
    })
}

/// The factors q and r, by reflections that make one column after the other zero below the diagonal.
fn orthogonal<T: Float>(a: Acc<Ix2, T>) -> Orthogonal<T> {
    let n = a.inner();
    let step = |k: Exp<i32>, (r, normals): Orthogonal<T>| {
        let normal = normal(r, k);
        let column = normal.replicate(Snoc(Snoc(Z, All), 1));
        (
            reflected(normal, r),
            normals.update_slice(Snoc(Snoc(Z, number_of(0)), k), column),
        )
    };
    let (r, normals) = aiterate(n, step, (a, fill(a.shape(), number::<T>(0))));
    let unit = generate(a.shape(), |Snoc(Snoc(Z, i), j): Ix2| i.eq_(j).to::<T>());
    // Backwards, so that the reflections meet few columns that are not those of the unit matrix any more: less rounding.
    let back = |trip: Exp<i32>, q| reflected(normals.slice(Snoc(Snoc(Z, All), n - 1 - trip)), q);
    with_positive_diagonal(aiterate(n, back, unit), r)
}

fn number_of(x: i32) -> Exp<i32> {
    Lift::<i32>::lift(x)
}

/// The normal v of the reflection 1 − v·vᵀ that takes column k to one that is zero below the diagonal; zero, where it is zero from there on.
fn normal<T: Float>(r: Acc<Ix2, T>, k: Exp<i32>) -> Acc<Ix1, T> {
    let rest = generate(Snoc(Z, r.shape().0.1), |Snoc(Z, i): Ix1| -> Exp<T> {
        cond::<T>(i.ge(k), r.at(Snoc(Snoc(Z, i), k)), number::<T>(0))
    });
    // The reflection is that of any multiple: squares of a scaled column neither overflow nor vanish.
    let size = rest.abs().maximum().the();
    let x = rest.map(|x| cond::<T>(size.eq_(number::<T>(0)), number::<T>(0), x / size));
    let (length, head) = (x.dot(x).the().sqrt(), x.at(Snoc(Z, k)));
    let half = length * (length + head.abs());
    generate(x.shape(), |Snoc(Z, i): Ix1| -> Exp<T> {
        let moved = cond::<T>(i.eq_(k), head + length.copysign(head), x.at(Snoc(Z, i)));
        cond::<T>(
            half.eq_(number::<T>(0)),
            number::<T>(0),
            moved / half.sqrt(),
        )
    })
}

/// The columns reflected.
fn reflected<T: Float>(normal: Acc<Ix1, T>, columns: Acc<Ix2, T>) -> Acc<Ix2, T> {
    let along: Acc<Ix1, T> = einsum("i,ij->j", (normal, columns));
    columns - normal.outer(along)
}

/// The factors with signs changed so that the diagonal of r is not negative, and r without its rows of zeros.
fn with_positive_diagonal<T: Float>(q: Acc<Ix2, T>, r: Acc<Ix2, T>) -> Orthogonal<T> {
    let n = r.inner();
    let is_negative = |k: Exp<i32>| r.at(Snoc(Snoc(Z, k), k)).lt(number::<T>(0));
    let signed = |k: Exp<i32>, x: Exp<T>| cond::<T>(is_negative(k), -x, x);
    let q = generate(q.shape(), |Snoc(Snoc(Z, i), j): Ix2| {
        signed(j, q.at(Snoc(Snoc(Z, i), j)))
    });
    let r = generate(Snoc(Snoc(Z, n), n), |Snoc(Snoc(Z, i), j): Ix2| {
        let own = signed(i, r.at(Snoc(Snoc(Z, i), j)));
        cond::<T>(j.ge(i), own, number::<T>(0))
    });
    (q, r)
}

/// An elimination: the factors l and u in one matrix, without the ones of l.
pub(super) struct Packed<T> {
    /// Which row of the matrix is row i of the product.
    pub rows: Acc<Ix1, i32>,
    /// Which column of the matrix is column j of the product.
    pub columns: Acc<Ix1, i32>,
    /// The sign of both permutations together.
    pub sign: Acc<Z, T>,
    pub factors: Acc<Ix2, T>,
}

/// Where the pivot of a trip is.
type Place = (Exp<i32>, Exp<i32>);

impl<T: Float> Packed<T> {
    /// The elimination of a square matrix, with pivots that are chosen by number of trip and what is left. Of a pivot that is zero nothing
    /// is subtracted: a pivot is so chosen only where all that it would be subtracted from has zeros.
    pub(super) fn of(a: Acc<Ix2, T>, pivot: impl Fn(Exp<i32>, Acc<Ix2, T>) -> Place) -> Self {
        let n = a.inner();
        let step = |k: Exp<i32>, (rows, columns, sign, m): _| {
            let (row, column) = pivot(k, m);
            let is_even = row.eq_(k).eq_(column.eq_(k));
            let new_sign = Acc::map(sign, |s: Exp<T>| cond::<T>(is_even, s, -s));
            (
                swapped(rows, k, row),
                swapped(columns, k, column),
                new_sign,
                reduced(m, k, (row, column)),
            )
        };
        let sign = fill(Z, number::<T>(1));
        let (rows, columns, sign, factors) = aiterate(n, step, (iota(n), iota(n), sign, a));
        Self {
            rows,
            columns,
            sign,
            factors,
        }
    }
}

/// The greatest element of column k on and below the diagonal.
pub(super) fn in_column<T: Float>(k: Exp<i32>, m: Acc<Ix2, T>) -> Place {
    let sizes = generate(Snoc(Z, m.inner()), |Snoc(Z, i): Ix1| -> Exp<T> {
        cond::<T>(i.ge(k), m.at(Snoc(Snoc(Z, i), k)).abs(), number::<T>(-1))
    });
    (sizes.argmax().the(), k)
}

/// The greatest element of all rows and columns from k on.
pub(super) fn in_all<T: Float>(k: Exp<i32>, m: Acc<Ix2, T>) -> Place {
    let sizes = generate(m.shape(), |Snoc(Snoc(Z, i), j): Ix2| -> Exp<T> {
        let size = m.at(Snoc(Snoc(Z, i), j)).abs();
        cond::<T>(i.ge(k).and(j.ge(k)), size, number::<T>(-1))
    });
    let at = sizes.flatten().argmax().the();
    (at / m.inner(), at % m.inner())
}

/// The position whose element comes to another by an exchange.
fn exchanged(i: Exp<i32>, a: Exp<i32>, b: Exp<i32>) -> Exp<i32> {
    cond::<i32>(i.eq_(a), b, cond::<i32>(i.eq_(b), a, i))
}

fn swapped(order: Acc<Ix1, i32>, a: Exp<i32>, b: Exp<i32>) -> Acc<Ix1, i32> {
    order.backpermute(order.shape(), |Snoc(Z, i): Ix1| Snoc(Z, exchanged(i, a, b)))
}

/// The matrix with the pivot brought to the diagonal, the factors of l below it, and its row subtracted from those below.
fn reduced<T: Float>(m: Acc<Ix2, T>, k: Exp<i32>, (row, column): Place) -> Acc<Ix2, T> {
    let pivot = m.at(Snoc(Snoc(Z, row), column));
    generate(m.shape(), |Snoc(Snoc(Z, i), j): Ix2| -> Exp<T> {
        let (from, across) = (exchanged(i, k, row), exchanged(j, k, column));
        let old = m.at(Snoc(Snoc(Z, from), across));
        let first = m.at(Snoc(Snoc(Z, from), column));
        let zero = number::<T>(0);
        let factor = cond::<T>(pivot.eq_(zero), zero, first / pivot);
        let rest = old - factor * m.at(Snoc(Snoc(Z, row), across));
        let below = cond::<T>(j.eq_(k), factor, cond::<T>(j.gt(k), rest, old));
        cond::<T>(i.gt(k), below, old)
    })
}

/// The triangles of an elimination.
pub(super) fn unpacked<T: Float>(factors: Acc<Ix2, T>) -> Orthogonal<T> {
    let l = generate(
        factors.shape(),
        |index @ Snoc(Snoc(Z, i), j): Ix2| -> Exp<T> {
            let below = cond::<T>(j.lt(i), factors.at(index), number::<T>(0));
            cond::<T>(i.eq_(j), number::<T>(1), below)
        },
    );
    (l, factors.triu(0))
}
