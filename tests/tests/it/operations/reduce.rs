//! Reductions and scans.

use super::{gives, matrix, vector};
use cotangent::prelude::*;

type Ints = Acc<Ix1, i32>;
type Grid = Acc<Ix2, i32>;
type Flags = Acc<Ix2, bool>;

fn grid() -> Array<Ix2, i32> {
    matrix([[1, 2, 3], [4, -5, 6]])
}

fn no_columns() -> Array<Ix2, i32> {
    matrix::<_, 2, 0>([[], []])
}

#[test]
fn fold() {
    let f = |m: Grid| m.fold(100, |x, y| x + y);
    gives(f, grid(), vector([106, 105]));
    gives(f, no_columns(), vector([100, 100]));
    let last = |v: Acc<Ix1, (i32, f64)>| v.fold((0, 0.5), |(_, x), (n, y)| (n, x.max(y)));
    gives(last, vector([(1, 2.5), (2, 1.5)]), Array::scalar((2, 2.5)));
}

#[test]
fn fold1() {
    gives(|m: Grid| m.fold1(|x, y| x.max(y)), grid(), vector([3, 6]));
    gives(
        |v: Ints| v.fold1(|x, _| x),
        vector([7, 8, 9]),
        Array::scalar(7),
    );
}

#[test]
fn fold_all() {
    gives(
        |m: Grid| m.fold_all(1, |x, y| x * y),
        grid(),
        Array::scalar(-720),
    );
    gives(
        |m: Grid| m.fold_all(1, |x, y| x * y),
        no_columns(),
        Array::scalar(1),
    );
}

#[test]
fn fold1_all() {
    gives(
        |m: Grid| m.fold1_all(|x, y| x + y),
        grid(),
        Array::scalar(11),
    );
}

#[test]
fn sum() {
    gives(|m: Grid| m.sum(), grid(), vector([6, 5]));
    gives(|m: Grid| m.sum(), no_columns(), vector([0, 0]));
}

#[test]
fn product() {
    gives(|m: Grid| m.product(), grid(), vector([6, -120]));
    gives(|m: Grid| m.product(), no_columns(), vector([1, 1]));
}

#[test]
fn maximum() {
    gives(|m: Grid| m.maximum(), grid(), vector([3, 6]));
}

#[test]
fn minimum() {
    gives(|m: Grid| m.minimum(), grid(), vector([1, -5]));
}

#[test]
fn sum_all() {
    gives(|m: Grid| m.sum_all(), grid(), Array::scalar(11));
}

#[test]
fn product_all() {
    gives(|m: Grid| m.product_all(), grid(), Array::scalar(-720));
}

#[test]
fn maximum_all() {
    gives(|m: Grid| m.maximum_all(), grid(), Array::scalar(6));
}

#[test]
fn minimum_all() {
    gives(|m: Grid| m.minimum_all(), grid(), Array::scalar(-5));
}

#[test]
fn all() {
    let input = matrix([[true, true], [true, false]]);
    gives(|m: Flags| m.all(), input, vector([true, false]));
    gives(|m: Flags| m.all(), matrix::<_, 1, 0>([[]]), vector([true]));
}

#[test]
fn any() {
    let input = matrix([[false, true], [false, false]]);
    gives(|m: Flags| m.any(), input, vector([true, false]));
    gives(|m: Flags| m.any(), matrix::<_, 1, 0>([[]]), vector([false]));
}

#[test]
fn scanl() {
    let f = |m: Grid| m.scanl(10, |x, y| x + y);
    gives(f, grid(), matrix([[10, 11, 13, 16], [10, 14, 9, 15]]));
    gives(f, no_columns(), matrix([[10], [10]]));
}

#[test]
fn scanr() {
    let f = |m: Grid| m.scanr(10, |x, y| x + y);
    gives(f, grid(), matrix([[16, 15, 13, 10], [15, 11, 16, 10]]));
    gives(f, no_columns(), matrix([[10], [10]]));
}

#[test]
fn scanl1() {
    gives(
        |v: Ints| v.scanl1(|x, y| x * y),
        vector([2, 3, 4]),
        vector([2, 6, 24]),
    );
    gives(|v: Ints| v.scanl1(|x, y| x * y), vector([]), vector([]));
}

#[test]
fn scanr1() {
    gives(
        |v: Ints| v.scanr1(|x, y| x * y),
        vector([2, 3, 4]),
        vector([24, 12, 4]),
    );
}

/// Sums of unsigned integers wrap, their order has no negative numbers, and they have no derivative.
#[test]
fn unsigned_elements() {
    let f = |m: Acc<Ix2, u32>, x: Acc<Ix1, f64>| {
        let ordered = (m.maximum(), m.minimum());
        let sums = (m.sum(), m.scanl(0, |x, y| x + y));
        let target = |ix![i, j]: Ix2| (m.at(ix![i, j]).ne_(0), ix![i + j]);
        let sent = m.permute(Combine::Add, fill(ix![3], 1u32), target);
        let weighted = |x: Acc<Ix1, f64>| x.zip_with(m.sum(), |x, n| x * n.to_f64()).sum();
        (ordered, sums, sent, gradient_a(weighted, x))
    };
    let (large, half) = (u32::MAX, 1 << 31);
    let input = (matrix([[large, 3], [half, half + 5]]), vector([0.5, 0.25]));
    let expected = (
        (vector([large, half + 5]), vector([3, half])),
        (vector([2, 5]), matrix([[0, large, 2], [0, half, 5]])),
        vector([0, half + 4, half + 6]),
        vector([2.0, 5.0]),
    );
    gives(f, input, expected);
}
