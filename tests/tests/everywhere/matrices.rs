//! Operations on matrices, and on stacks of them.

use super::{Whole, extents, number, of_numbers, of_two};
use cotangent::prelude::*;

type Matrices<Sh, T> = Acc<Snoc<Snoc<Sh>>, T>;
pub fn multiplied<Sh: Shape, T: Num>(a: Matrices<Sh, T>, b: Matrices<Sh, T>) -> impl Arrays {
    let last = Sh::RANK + 1;
    let turned = b.move_axis(last - 1, last);
    let of_each = number::<T>(1);
    (
        (
            a.matmul(turned),
            a.matvec(turned.fold(of_each, |_, y| y)),
            a.fold(of_each, |_, x| x).vecmat(a),
            turned,
        ),
        (a.diagonal(), a.trace(), a.tril(0), a.triu(1)),
    )
}

/// The extents without the last two, and these.
fn split(extents: &[usize]) -> (&[usize], [usize; 2]) {
    let (outer, inner) = extents.split_at(extents.len() - 2);
    (outer, [inner[0], inner[1]])
}

/// An element of the matrix at the first coordinates of an index.
fn element(a: &Whole, index: &[usize], at: [usize; 2]) -> i64 {
    let outer = &index[..a.extents.len() - 2];
    a.at(&[outer, &at].concat())
}

fn multiply<Sh: Shape, T: Num>() {
    let expected = |a: &Whole, b: &Whole| {
        let (outer, [rows, columns]) = split(&a.extents);
        let with = |inner: &[usize]| [outer, inner].concat();
        let dims = outer.len();
        let last = |length: usize, of: &dyn Fn(usize) -> i64| length.checked_sub(1).map_or(1, of);
        let sum = |n: usize, f: &dyn Fn(usize) -> i64| (0..n).map(f).sum::<i64>();
        let of = |i: &[usize], at| element(a, i, at);
        let of_b = |i: &[usize], at| element(b, i, at);
        let both = rows.min(columns);
        vec![
            Whole::generate(&with(&[rows, rows]), |i| {
                sum(columns, &|k| {
                    of(i, [i[dims], k]) * of_b(i, [i[dims + 1], k])
                })
            }),
            Whole::generate(&with(&[rows]), |i| {
                sum(columns, &|k| {
                    of(i, [i[dims], k]) * last(rows, &|r| of_b(i, [r, k]))
                })
            }),
            Whole::generate(&with(&[columns]), |i| {
                sum(rows, &|k| {
                    last(columns, &|c| of(i, [k, c])) * of(i, [k, i[dims]])
                })
            }),
            Whole::generate(&with(&[columns, rows]), |i| of_b(i, [i[dims + 1], i[dims]])),
            Whole::generate(&with(&[both]), |i| of(i, [i[dims], i[dims]])),
            Whole::generate(outer, |i| sum(both, &|k| of(i, [k, k]))),
            Whole::generate(
                &a.extents,
                |i| if i[dims] >= i[dims + 1] { a.at(i) } else { 0 },
            ),
            Whole::generate(
                &a.extents,
                |i| if i[dims] < i[dims + 1] { a.at(i) } else { 0 },
            ),
        ]
    };
    of_two::<T, _, _>(multiplied::<Sh, T>, extents(Sh::RANK + 2), expected);
}

#[test]
fn products() {
    of_numbers!(multiply: Ix0, Ix1, Ix2);
}

pub fn flat<T: Num>(a: Acc<Ix2, T>, b: Acc<Ix2, T>) -> impl Arrays {
    let row = |m: Acc<Ix2, T>| m.fold(number(1), |_, x| x);
    (
        (
            a.transpose(),
            row(a).diag(),
            eye::<T>(a.inner()),
            row(a).outer(row(b)),
        ),
        (
            einsum::<Ix2, T>("ij,kj->ki", (a, b)),
            einsum::<Ix2, T>("ij,ij->ij", (a, b)),
        ),
    )
}

fn matrices<T: Num>() {
    of_two::<T, _, _>(flat::<T>, extents(2), |a, b| {
        let (rows, columns) = (a.extents[0], a.extents[1]);
        let row = |m: &Whole| m.fold(|row| row.last().copied().unwrap_or(1));
        let (of_a, of_b) = (row(a).elements, row(b).elements);
        let square = |n: usize, f: &dyn Fn(usize) -> i64| {
            Whole::generate(&[n, n], |i| if i[0] == i[1] { f(i[0]) } else { 0 })
        };
        let product =
            |i: usize, k: usize| (0..columns).map(|j| a.at(&[i, j]) * b.at(&[k, j])).sum();
        vec![
            Whole::generate(&[columns, rows], |i| a.at(&[i[1], i[0]])),
            square(rows, &|i| of_a[i]),
            square(columns, &|_| 1),
            Whole::generate(&[rows, rows], |i| of_a[i[0]] * of_b[i[1]]),
            Whole::generate(&[rows, rows], |i| product(i[1], i[0])),
            a.zip_with(b, |x, y| x * y),
        ]
    });
}

#[test]
fn of_two_dimensions() {
    of_numbers!(matrices);
}
