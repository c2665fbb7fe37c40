//! What was cut off where its partial derivative is infinite had NaN as its derivative on the CPU, and 0 in the interpreter.

use crate::operations::{gives, vector};
use cotangent::prelude::*;

type Vector = Acc<Ix1, f64>;

/// Asserts what the gradient of `f` is at some point, in every engine.
#[track_caller]
fn partials(f: impl Fn(Vector) -> Acc<Z, f64>, expected: [f64; 2], at: [f64; 2]) {
    gives(|x: Vector| gradient_a(&f, x), vector(at), vector(expected));
}

/// The same in `f32`.
#[track_caller]
fn single_partials(f: impl Fn(Exp<f32>) -> Exp<f32>, expected: [f32; 2], at: [f32; 2]) {
    let sum = |x: Acc<Ix1, f32>| x.map(&f).sum();
    gives(
        |x: Acc<Ix1, f32>| gradient_a(sum, x),
        vector(at),
        vector(expected),
    );
}

#[test]
fn of_functions_of_numbers() {
    partials(
        |x| x.map(|x| x.sqrt().max(1.0)).sum(),
        [0.0, 0.25],
        [0.0, 4.0],
    );
    partials(
        |x| x.map(|x| x.ln().clamp(-3.0, 3.0)).sum(),
        [0.0, 0.25],
        [0.0, 4.0],
    );
    partials(
        |x| x.map(|x| (1.0 / x).min(5.0)).sum(),
        [0.0, -0.0625],
        [0.0, 4.0],
    );
    partials(
        |x| x.map(|x| x.powf(0.5).max(1.0)).sum(),
        [0.0, 0.25],
        [0.0, 4.0],
    );
    let e = 2.0 * 1f64.exp();
    partials(
        |x| x.map(|x| (x.ln() * 2.0 * x.exp()).max(-3.0)).sum(),
        [0.0, e],
        [0.0, 1.0],
    );
    partials(
        |x| x.map(|x| x.exp().min(5.0)).sum(),
        [0.0, 1.0],
        [1000.0, 0.0],
    );
    partials(
        |x| x.map(|x| (x.exp() * x).min(5.0)).sum(),
        [0.0, 1.0],
        [1000.0, 0.0],
    );
    partials(
        |x| {
            x.map(|x| {
                let root = x.sqrt();
                cond(x.gt(0.0), root, 0.0) + cond(x.gt(1.0), root, 0.0)
            })
            .sum()
        },
        [0.0, 0.5],
        [0.0, 4.0],
    );
    single_partials(|x| x.sqrt().max(1.0), [0.0, 0.25], [0.0, 4.0]);
    single_partials(|x| x.ln().clamp(-3.0, 3.0), [0.0, 0.25], [0.0, 4.0]);
    single_partials(|x| (1.0 / x).min(5.0), [0.0, -0.0625], [0.0, 4.0]);
}

#[test]
fn of_gradients_of_numbers() {
    gives(
        |x: Vector| x.map(|x| gradient_e(|x| x.sqrt().max(1.0), x)),
        vector([0.0, 4.0]),
        vector([0.0, 0.25]),
    );
    gives(
        |x: Vector| x.map(|x| gradient_e(|x| gradient_e(|x| (1.0 / x).min(5.0), x), x)),
        vector([0.0, 4.0]),
        vector([0.0, 0.03125]),
    );
}

#[test]
fn of_array_operations() {
    partials(
        |x| x.map(|x| x.sqrt()).slice(ix![1]),
        [0.0, 0.25],
        [0.0, 4.0],
    );
    let shorter = |x: Vector| {
        let y = x.map(|x| x.ln()).reverse();
        y.zip_with(fill(ix![1], 3.0), |a, b| a * b).sum()
    };
    partials(shorter, [0.0, 0.75], [0.0, 4.0]);
    partials(|x| x.map(|x| x.sqrt()).maximum(), [0.0, 0.25], [0.0, 4.0]);
    partials(
        |x| x.map(|x| 1.0 / x).scanl1(|a, b| a + b).slice(ix![0]),
        [-0.0625, 0.0],
        [4.0, 0.0],
    );
    partials(
        |x| {
            let norm = x.fold(0.0, |a, b| (a * a + b * b).sqrt());
            norm.map(|s| s.max(10.0))
        },
        [0.0, 0.0],
        [0.0, 4.0],
    );
}
