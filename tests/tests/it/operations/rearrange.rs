//! The same elements elsewhere.

use super::{gives, matrix, vector};
use cotangent::prelude::*;

type Vector = Acc<Ix1, f64>;
type Ints = Acc<Ix1, i32>;
type Grid = Acc<Ix2, i32>;

fn grid() -> Array<Ix2, i32> {
    matrix([[1, 2, 3], [4, 5, 6]])
}

#[test]
fn reshape() {
    gives(
        |m: Grid| m.reshape(ix![3, 2]),
        grid(),
        matrix([[1, 2], [3, 4], [5, 6]]),
    );
    gives(|m: Grid| m.reshape(ix![]), matrix([[7]]), Array::scalar(7));
    gives(
        |m: Grid| m.reshape(ix![0]),
        matrix::<_, 0, 3>([]),
        vector([]),
    );
}

#[test]
fn flatten() {
    gives(|m: Grid| m.flatten(), grid(), vector([1, 2, 3, 4, 5, 6]));
    gives(
        |x: Acc<Ix0, i32>| x.flatten(),
        Array::scalar(7),
        vector([7]),
    );
}

#[test]
fn replicate() {
    let f = |v: Ints| (v.replicate(ix![3, All]), v.replicate(ix![All, 3]));
    let (rows, columns) = (matrix([[1, 2]; 3]), matrix([[1; 3], [2; 3]]));
    gives(f, vector([1, 2]), (rows, columns.clone()));
    gives(
        |v: Ints| v.replicate(Snoc(any(), 3)),
        vector([1, 2]),
        columns,
    );
    gives(
        |x: Acc<Ix0, f64>| x.replicate(ix![2]),
        Array::scalar(0.5),
        vector([0.5; 2]),
    );
    gives(
        |v: Ints| v.replicate(ix![0, All]),
        vector([1, 2]),
        matrix::<_, 0, 2>([]),
    );
}

#[test]
fn slice() {
    let f = |m: Grid| {
        (
            m.slice(ix![1, All]),
            m.slice(ix![All, 2]),
            m.slice(ix![0, 1]),
        )
    };
    gives(
        f,
        grid(),
        (vector([4, 5, 6]), vector([3, 6]), Array::scalar(2)),
    );
    gives(|m: Grid| m.slice(Snoc(any(), 0)), grid(), vector([1, 4]));
}

#[test]
fn backpermute() {
    let f = |m: Grid| m.backpermute(ix![4], |ix![i]| ix![i % 2, m.inner() - 1 - i / 2]);
    gives(f, grid(), vector([3, 6, 2, 5]));
}

#[test]
fn permute() {
    let f = |keys: Ints, x: Vector| {
        let target = |ix![i]: Ix1| (keys.at(ix![i]).ge(0), ix![keys.at(ix![i])]);
        let defaults = fill(ix![3], 100.0);
        (
            x.permute(Combine::Add, defaults, target),
            x.permute(Combine::Overwrite, defaults, target),
        )
    };
    let input = (vector([2, 0, -1, 2]), vector([1.0, 2.0, 3.0, 4.0]));
    gives(
        f,
        input,
        (vector([102.0, 100.0, 105.0]), vector([2.0, 100.0, 4.0])),
    );
}

#[test]
fn scatter() {
    let f = |to: Ints, x: Acc<Ix1, (f64, i32)>| x.scatter(Combine::Add, fill(ix![3], (0.5, 7)), to);
    let input = (vector([2, 0, 2]), vector([(1.0, 1), (2.0, 2), (3.0, 3)]));
    gives(f, input, vector([(2.5, 9), (0.5, 7), (4.5, 11)]));
}

#[test]
fn reverse() {
    gives(
        |m: Grid| m.reverse(),
        grid(),
        matrix([[3, 2, 1], [6, 5, 4]]),
    );
    gives(|v: Ints| v.reverse(), vector([]), vector([]));
}

#[test]
fn transpose() {
    gives(
        |m: Grid| m.transpose(),
        grid(),
        matrix([[1, 4], [2, 5], [3, 6]]),
    );
}

#[test]
fn unpack() {
    let f = |v: Acc<Ix1, [(i32, bool); 2]>| v.unpack();
    let input = vector([[(1, true), (2, false)], [(3, false), (4, true)]]);
    gives(
        f,
        input,
        matrix([[(1, true), (2, false)], [(3, false), (4, true)]]),
    );
}
