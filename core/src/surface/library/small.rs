//! Small dense systems as elements: matrices `[[Exp<T>; N]; N]`, by rows, within one element of an array operation.
//!
//! Everything is written out at the time that the program is built, in some N³ operations, without memory or loops: for N up to about 6. Larger matrices are arrays
//! ([`solve`](Acc::solve)). Rows are chosen and exchanged by conditionals, so all elements of an array go the same way.

use super::solving::number;
#[cfg(doc)]
use crate::surface::acc::Acc;
use crate::surface::functions::cond;
use crate::surface::lift::Lift;
use crate::surface::scalar::{Exp, Float};
use crate::surface::session::Call;

/// A small matrix, by rows.
type Rows<T, const N: usize> = [[Exp<T>; N]; N];

/// The solution x of a·x = b for a small matrix, within one element. By elimination with partial pivoting (Golub and Van Loan, *Matrix Computations*, 2013, §3.4), in
/// N³/3 multiplications; of a singular matrix it is not finite: some of its numbers are NaN or infinite.
///
/// Derivatives are by the usual rules, of any order, and are right where the matrix is regular.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// type System = ([[f64; 2]; 2], [f64; 2]);
/// let f = |v: Acc<Ix1, System>| v.map(|(a, b)| solve_small(a, b));
/// let v = Array::vector(vec![([[0.0, 2.0], [4.0, 1.0]], [4.0, 6.0])])?;
/// assert_eq!(interpret(f, v)?.to_vec(), [[1.0, 2.0]]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn solve_small<T: Float, const N: usize>(
    a: [[Exp<T>; N]; N],
    b: impl Lift<[T; N]>,
) -> [Exp<T>; N] {
    let call = Call::here("solve_small");
    call.throughout(|| solved(a, b.lift().map(|x| [x])).map(|[x]| x))
}

/// The inverse of a small matrix, within one element; as [`solve_small`] otherwise, in N³ multiplications. To solve equations, use that.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |v: Acc<Ix1, [[f64; 2]; 2]>| v.map(inverse_small);
/// let v = Array::vector(vec![[[0.0, 2.0], [4.0, 0.0]]])?;
/// assert_eq!(interpret(f, v)?.to_vec(), [[[0.0, 0.25], [0.5, 0.0]]]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn inverse_small<T: Float, const N: usize>(a: [[Exp<T>; N]; N]) -> [[Exp<T>; N]; N] {
    let call = Call::here("inverse_small");
    let unit = |i: usize| std::array::from_fn(|j| number::<T>(i32::from(i == j)));
    call.throughout(|| solved(a, std::array::from_fn(unit)))
}

/// The determinant of a small matrix, within one element; 1 of one without rows. By minors of the first rows (Laplace's expansion, each minor once), in N·2ᴺ⁻¹
/// multiplications and without a division: so it is a polynomial, whose derivatives of all orders are right where the matrix is singular, too.
///
/// ```
/// # use cotangent_core::surface::prelude::*;
/// let f = |v: Acc<Ix1, [[f64; 2]; 2]>| v.map(|a| (det_small(a), gradient_e(det_small, a)));
/// let v = Array::vector(vec![[[1.0, 2.0], [2.0, 4.0]]])?;
/// assert_eq!(interpret(f, v)?.to_vec(), [(0.0, [[4.0, -2.0], [-2.0, 1.0]])]);
/// # Ok::<(), InterpretError>(())
/// ```
#[track_caller]
pub fn det_small<T: Float, const N: usize>(a: [[Exp<T>; N]; N]) -> Exp<T> {
    let call = Call::here("det_small");
    call.throughout(|| {
        // The determinant of the first rows and as many columns, by the set of these.
        let mut minors = vec![number::<T>(1)];
        for columns in 1..1_usize << N {
            minors.push(minor(&a, columns, &minors));
        }
        minors[minors.len() - 1]
    })
}

/// The minor of a set of columns, from those of one less, by its last row.
fn minor<T: Float, const N: usize>(a: &Rows<T, N>, columns: usize, minors: &[Exp<T>]) -> Exp<T> {
    let row = columns.count_ones() as usize - 1;
    let members = (0..N).filter(|j| columns >> j & 1 == 1).enumerate();
    let terms = members.map(|(place, j)| {
        let rest = minors[columns & !(1 << j)];
        let term = if row == 0 {
            a[row][j]
        } else {
            a[row][j] * rest
        };
        if (row - place).is_multiple_of(2) {
            term
        } else {
            -term
        }
    });
    terms
        .reduce(|sum, term| sum + term)
        .unwrap_or_else(|| number(1))
}

/// The solutions for columns of right hand sides, by rows.
fn solved<T: Float, const N: usize, const C: usize>(
    mut a: Rows<T, N>,
    mut b: [[Exp<T>; C]; N],
) -> [[Exp<T>; C]; N] {
    for k in 0..N {
        bring_pivot(&mut a, &mut b, k);
        for i in k + 1..N {
            let factor = a[i][k] / a[k][k];
            let (row, pivots) = (a[i], a[k]);
            let reduced = |j: usize| row[j] - factor * pivots[j];
            a[i] = std::array::from_fn(|j| if j > k { reduced(j) } else { row[j] });
            b[i] = less(b[i], factor, b[k]);
        }
    }
    for k in (0..N).rev() {
        for j in k + 1..N {
            b[k] = less(b[k], a[k][j], b[j]);
        }
        b[k] = b[k].map(|x| x / a[k][k]);
    }
    b
}

/// Exchanges row k for any below whose element in column k is greater: in the end it has the greatest one.
fn bring_pivot<T: Float, const N: usize, const C: usize>(
    a: &mut Rows<T, N>,
    b: &mut [[Exp<T>; C]; N],
    k: usize,
) {
    for i in k + 1..N {
        let is_greater = a[i][k].abs().gt(a[k][k].abs());
        exchange(is_greater, a, (k, i));
        exchange(is_greater, b, (k, i));
    }
}

fn exchange<T: Float, const N: usize, const C: usize>(
    is_exchanged: Exp<bool>,
    rows: &mut [[Exp<T>; C]; N],
    (k, i): (usize, usize),
) {
    let (first, second) = (rows[k], rows[i]);
    rows[k] = cond::<[T; C]>(is_exchanged, second, first);
    rows[i] = cond::<[T; C]>(is_exchanged, first, second);
}

/// A row less a multiple of another.
fn less<T: Float, const C: usize>(
    row: [Exp<T>; C],
    factor: Exp<T>,
    other: [Exp<T>; C],
) -> [Exp<T>; C] {
    std::array::from_fn(|c| row[c] - factor * other[c])
}
