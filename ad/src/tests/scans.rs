//! Scans in both directions, with and without an initial value.

use super::{Matrix, Vector, energy, smooth, some, vector};
use cotangent_core::surface::prelude::*;

fn all(op: fn(Exp<f64>, Exp<f64>) -> Exp<f64>) {
    for x in [some(&[2, 4], 1), some(&[2, 1], 2), some(&[2, 0], 1)] {
        let x = std::slice::from_ref(&x);
        smooth(|x: Matrix| energy(x.scanl(0.5, op)), x);
        smooth(|x: Matrix| energy(x.scanr(0.5, op)), x);
        smooth(|x: Matrix| energy(x.scanl1(op)), x);
        smooth(|x: Matrix| energy(x.scanr1(op)), x);
    }
}

#[test]
fn sums() {
    all(|a, b| a + b);
}

#[test]
fn products() {
    all(|a, b| a * b);
}

#[test]
fn general_operators() {
    all(|a, b| a + b + a * b);
}

#[test]
fn extremes() {
    all(|a, b| a.max(b));
}

#[test]
fn initial_values_that_depend_on_the_parameter() {
    let first = |x: Vector| x.at(ix![0]) * x.at(ix![1]);
    let x = [vector(&[0.5, 2.0, -1.5])];
    smooth(|x: Vector| energy(x.scanl(first(x), |a, b| a + b)), &x);
    smooth(|x: Vector| energy(x.scanr(first(x), |a, b| a + b)), &x);
    smooth(|x: Vector| energy(x.scanl(first(x), |a, b| a * b)), &x);
    smooth(|x: Vector| energy(x.scanr(first(x), |a, b| a * b)), &x);
}
