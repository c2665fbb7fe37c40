//! Reductions that consist of several.

use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

fn rows() -> Array<Ix2, f64> {
    matrix([[1.0, 5.0, 5.0], [4.0, 3.0, 2.0]])
}

#[test]
fn argmax() {
    gives(|m: Matrix| m.argmax(), rows(), vector([1, 0]));
    gives(
        |v: Acc<Ix1, u32>| v.argmax(),
        vector([3_u32, 7]),
        Array::scalar(1),
    );
    let nans = vector([1.0, f64::NAN, 9.0, f64::NAN]);
    gives(
        |v: Vector| (v.argmax(), v.argmin()),
        nans,
        (Array::scalar(1), Array::scalar(1)),
    );
    let zeros = vector([-0.0, 0.0]);
    gives(|v: Vector| v.argmax(), zeros, Array::scalar(0));
    let empty = compile(|v: Vector| v.argmax()).unwrap();
    assert!(empty.run(&Cpu::default(), vector([])).is_err());
}

#[test]
fn argmin() {
    gives(|m: Matrix| m.argmin(), rows(), vector([0, 2]));
    let low = vector([f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY]);
    gives(|v: Vector| v.argmin(), low, Array::scalar(1));
}

#[test]
fn mean() {
    gives(
        |m: Matrix| m.mean(),
        matrix([[1.0, 2.0], [3.0, 6.0]]),
        vector([1.5, 4.5]),
    );
    gives(|v: Vector| v.mean(), vector([]), Array::scalar(f64::NAN));
    gives(
        |v: Acc<Ix1, f32>| v.mean(),
        vector([1.0_f32, 2.0]),
        Array::scalar(1.5_f32),
    );
}

#[test]
fn mean_all() {
    let values = matrix([[1.0, 2.0], [3.0, 6.0]]);
    gives(|m: Matrix| m.mean_all(), values, Array::scalar(3.0));
    gives(
        |x: Acc<Ix0, f64>| x.mean_all(),
        Array::scalar(2.0),
        Array::scalar(2.0),
    );
    let empty = matrix::<f64, 0, 2>([]);
    gives(|m: Matrix| m.mean_all(), empty, Array::scalar(f64::NAN));
}

#[test]
fn variance() {
    gives(
        |m: Matrix| m.variance(),
        matrix([[1.0, 3.0], [2.0, 2.0]]),
        vector([1.0, 0.0]),
    );
    gives(
        |v: Vector| v.variance(),
        vector([]),
        Array::scalar(f64::NAN),
    );
    // Far from zero.
    let far = vector([1e9, 1e9 + 2.0]);
    gives(|v: Vector| v.variance(), far, Array::scalar(1.0));
}

#[test]
fn norm() {
    gives(
        |m: Matrix| m.norm(),
        matrix([[3.0, 4.0], [0.0, 0.0]]),
        vector([5.0, 0.0]),
    );
    gives(|v: Vector| v.norm(), vector([]), Array::scalar(0.0));
}

#[test]
fn count() {
    gives(|m: Matrix| m.gt(3.5).count(), rows(), vector([2, 1]));
    gives(|v: Vector| v.gt(0.0).count(), vector([]), Array::scalar(0));
}
