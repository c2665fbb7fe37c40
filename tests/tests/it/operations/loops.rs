//! Loops of scalar code and of arrays.

use super::{gives, maps, matrix, vector};
use cotangent::prelude::*;

#[test]
fn while_() {
    let log = |n: Exp<i32>| {
        cotangent::prelude::while_(|(n, _)| n.gt(1), |_, (n, k)| (n / 2, k + 1), (n, 0)).1
    };
    maps(log, [-1, 1, 2, 1000], [0, 0, 1, 9]);
}

#[test]
fn iterate() {
    let factorial =
        |n: Exp<i32>| cotangent::prelude::iterate(n, |k, p: Exp<i32>| p * (k + 1), constant(1));
    maps(factorial, [-2, 0, 1, 5], [1, 1, 1, 120]);
}

#[test]
fn iterate_while() {
    let halve =
        |n: Exp<i32>| cotangent::prelude::iterate_while(3, |n| (n % 2).eq_(0), |_, n| n / 2, n);
    maps(halve, [5, 6, 8, 32], [5, 3, 1, 4]);
}

#[test]
fn fold_in_order() {
    let digits = |v: Acc<Ix1, i32>, x: Acc<Ix1, i32>| {
        x.map(|x| v.fold_in_order(0, |ix![i], sum, d| sum * x + d * (i + 1)))
    };
    gives(
        digits,
        (vector([1, 2, 3]), vector([10, 0])),
        vector([149, 9]),
    );
}

#[test]
fn fold_seq() {
    let f = |m: Acc<Ix2, i32>| m.fold_seq(1, |k, s, x| s * 2 + x * k);
    gives(f, matrix([[5, 1], [7, 2]]), vector([5, 6]));
}

#[test]
fn awhile() {
    let double = |v: Acc<Ix1, i32>| {
        cotangent::prelude::awhile(|v| v.sum().the().lt(20), |_, v| v.map(|x| x * 2), v)
    };
    gives(double, vector([1, 2]), vector([8, 16]));
}

#[test]
fn aiterate() {
    let sums = |v: Acc<Ix1, i32>| {
        cotangent::prelude::aiterate(
            2,
            |k, v: Acc<Ix1, i32>| v.scanl1(|x, y| x + y).map(|x| x + k),
            v,
        )
    };
    gives(sums, vector([1, 2, 3]), vector([2, 5, 11]));
}

#[test]
fn aiterate_while() {
    let grow = |v: Acc<Ix1, i32>| {
        cotangent::prelude::aiterate_while(5, |v| v.size().lt(8), |_, v| v.append(v), v)
    };
    gives(
        grow,
        vector([1, 2, 3]),
        vector([1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]),
    );
}
