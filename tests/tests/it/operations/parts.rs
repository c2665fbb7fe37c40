//! Parts of rows, and scans without one of their ends.

use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};

type Ints = Acc<Ix1, i32>;
type Grid = Acc<Ix2, i32>;

fn grid() -> Array<Ix2, i32> {
    matrix([[1, 2, 3], [4, 5, 6]])
}

fn three() -> Array<Ix1, i32> {
    vector([2, 3, 4])
}

#[test]
fn take() {
    gives(|m: Grid| m.take(2), grid(), matrix([[1, 2], [4, 5]]));
    gives(|m: Grid| m.take(7), grid(), grid());
    gives(|m: Grid| m.take(-1), grid(), matrix([[], []]));
}

#[test]
fn drop() {
    gives(|m: Grid| m.drop(2), grid(), matrix([[3], [6]]));
    gives(|m: Grid| m.drop(7), grid(), matrix([[], []]));
    gives(|m: Grid| m.drop(-7), grid(), grid());
}

#[test]
fn init() {
    gives(|m: Grid| m.init(), grid(), matrix([[1, 2], [4, 5]]));
    gives(|v: Ints| v.init(), vector([]), vector([]));
}

#[test]
fn tail() {
    gives(|m: Grid| m.tail(), grid(), matrix([[2, 3], [5, 6]]));
    gives(|v: Ints| v.tail(), vector([]), vector([]));
}

#[test]
fn slit() {
    gives(|m: Grid| m.slit(1, 1), grid(), matrix([[2], [5]]));
    gives(|v: Ints| v.slit(2, 5), three(), vector([4]));
    gives(|v: Ints| v.slit(5, 2), three(), vector([]));
}

#[test]
fn first() {
    gives(|m: Grid| m.first(), grid(), vector([1, 4]));
    let program = compile(|v: Ints| v.first()).unwrap();
    let error = program.run(&Cpu::default(), vector([])).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("[0] is out of range for extents [0]"),
        "{text}"
    );
}

#[test]
fn last() {
    gives(|m: Grid| m.last(), grid(), vector([3, 6]));
    let program = compile(|v: Ints| v.last()).unwrap();
    let error = program.run(&Cpu::default(), vector([])).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("[-1] is out of range for extents [0]"),
        "{text}"
    );
}

#[test]
fn prescanl() {
    gives(
        |v: Ints| v.prescanl(1, |a, b| a + b),
        three(),
        vector([1, 3, 6]),
    );
    gives(
        |v: Ints| v.prescanl(1, |a, b| a + b),
        vector([]),
        vector([]),
    );
}

#[test]
fn prescanr() {
    gives(
        |v: Ints| v.prescanr(1, |a, b| a + b),
        three(),
        vector([8, 5, 1]),
    );
}

#[test]
fn postscanl() {
    gives(
        |v: Ints| v.postscanl(1, |a, b| a + b),
        three(),
        vector([3, 6, 10]),
    );
    gives(
        |v: Ints| v.postscanl(1, |a, b| a + b),
        vector([]),
        vector([]),
    );
}

#[test]
fn postscanr() {
    gives(
        |v: Ints| v.postscanr(1, |a, b| a + b),
        three(),
        vector([10, 8, 5]),
    );
}

#[test]
fn scanl_and_last() {
    let sums = |v: Ints| v.scanl_and_last(1, |a, b| a + b);
    gives(sums, three(), (vector([1, 3, 6]), Array::scalar(10)));
    gives(sums, vector([]), (vector([]), Array::scalar(1)));
    let rows = |m: Grid| m.scanl_and_last(0, |a, b| a + b);
    gives(
        rows,
        grid(),
        (matrix([[0, 1, 3], [0, 4, 9]]), vector([6, 15])),
    );
}

#[test]
fn scanr_and_first() {
    let sums = |v: Ints| v.scanr_and_first(1, |a, b| a + b);
    gives(sums, three(), (vector([8, 5, 1]), Array::scalar(10)));
    gives(sums, vector([]), (vector([]), Array::scalar(1)));
}

#[test]
fn cumsum() {
    gives(
        |m: Grid| m.cumsum(),
        grid(),
        matrix([[1, 3, 6], [4, 9, 15]]),
    );
    gives(|v: Ints| v.cumsum(), vector([]), vector([]));
}

#[test]
fn cumprod() {
    gives(
        |m: Grid| m.cumprod(),
        grid(),
        matrix([[1, 2, 6], [4, 20, 120]]),
    );
}
