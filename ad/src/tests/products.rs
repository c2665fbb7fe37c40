//! Products that leave the range of floats, where those of all elements but one need not.

use super::{Vector, derive, energy, floats, gradient, host, program, vector};
use cotangent_core::host::HostArray;
use cotangent_core::interp::run;
use cotangent_core::simplify::simplify;
use cotangent_core::surface::prelude::*;
use cotangent_core::term::{Labelled, Program};

/// The products of all numbers but one, each as a float.
fn others(x: &[f64], to_float: impl Fn(f64, i32) -> f64) -> Vec<f64> {
    let others = |k: usize| {
        let (mut m, mut e) = (1.0, 0);
        for (_, x) in x.iter().enumerate().filter(|(i, _)| *i != k) {
            let power = x.abs().log2().floor() as i32;
            // In two steps, each within range.
            m *= x * 2f64.powi(-power / 2) * 2f64.powi(power / 2 - power);
            e += power;
            if m.abs() > 2f64.powi(64) {
                (m, e) = (m * 2f64.powi(-64), e + 64);
            }
        }
        to_float(m, e)
    };
    (0..x.len()).map(others).collect()
}

/// m · 2ᵉ.
fn double(m: f64, e: i32) -> f64 {
    let e = e.clamp(-2200, 2200);
    (0..4).fold(m, |m, _| m * 2f64.powi(e / 4)) * 2f64.powi(e % 4)
}

/// What the derived program gives, simplified and not.
fn results(derivative: &Program<Labelled>, x: HostArray) -> [Vec<f64>; 2] {
    let derived = derive(derivative);
    let (simple, _) = simplify(derived.clone());
    let inputs = [x];
    [derived, simple].map(|program| floats(&run(&program, &inputs).unwrap()[0]))
}

fn near(found: &[f64], expected: &[f64], (tolerance, least): (f64, f64)) {
    for (found, expected) in found.iter().zip(expected) {
        let is_near = (found - expected).abs() <= tolerance * expected.abs() + least;
        assert!(
            found == expected || is_near,
            "{found:e} is not {expected:e}"
        );
    }
    assert_eq!(found.len(), expected.len());
}

fn many(n: usize, x: f64) -> Vec<f64> {
    (0..n).map(|i| x + i as f64 / n as f64 / 8.0).collect()
}

#[test]
fn of_doubles() {
    let derivative = program(|x: Vector| gradient_a(|x: Vector| x.product(), x));
    for x in [
        vec![1e-160, -1e-160, 7.0, 1e-10],
        vec![1e160, 1e160, 7.0, -1e10],
        vec![1e-308, 1e-10],
        vec![1e-310, 1e-10, -5.0],
        vec![1e300, 1e10, 1e-100, 1e250],
        vec![1e-200; 3],
        vec![1e200; 7],
        many(3000, 0.5),
        many(3000, 1.5),
        many(1200, 0.55),
        [many(900, 0.125), many(800, 8.0)].concat(),
    ] {
        let expected = others(&x, double);
        for found in results(&derivative, vector(&x)) {
            near(&found, &expected, (1e-11, 1e-322));
        }
    }
}

#[test]
fn of_singles() {
    type Singles = Acc<Ix1, f32>;
    let derivative = program(|x: Singles| gradient_a(|x: Singles| x.product(), x));
    for x in [
        vec![1e-20, -1e-20, 7.0],
        vec![1e20, 1e20, 7.0, -0.5],
        vec![1e-38, 1e-10, -4.0],
        vec![1e35, 1e10, 1e-20],
        vec![1e-25; 3],
        vec![1e25; 7],
        many(500, 0.5),
        many(500, 1.5),
        [many(100, 0.125), many(90, 8.0)].concat(),
    ] {
        let singles: Vec<_> = x.iter().map(|&x| x as f32).collect();
        let exact: Vec<_> = singles.iter().map(|&x| f64::from(x)).collect();
        let expected = others(&exact, |m, e| f64::from(double(m, e) as f32));
        for found in results(&derivative, host(&[x.len()], &singles)) {
            near(&found, &expected, (1e-4, 1e-44));
        }
    }
}

/// Where something is zero or infinite already, as by scans.
#[test]
fn with_zeros_and_infinities() {
    let derivative = program(|x: Vector| gradient_a(|x: Vector| x.product(), x));
    let infinite = f64::INFINITY;
    for (x, expected) in [
        (
            vec![0.0, 1e-200, 1e-200, 1e180],
            vec![1e-220, 0.0, 0.0, 0.0],
        ),
        (vec![0.0, 1e-200, 1e-200, 0.0], vec![0.0; 4]),
        (vec![infinite, 2.0, -4.0], vec![-8.0, -infinite, infinite]),
        (
            vec![1e200, 1e200, infinite],
            vec![infinite, infinite, infinite],
        ),
        (vec![5e-324, 2.0], vec![2.0, 5e-324]),
    ] {
        for found in results(&derivative, vector(&x)) {
            near(&found, &expected, (1e-11, 0.0));
        }
    }
}

/// Where the product of a run of factors leaves the range, scans find the others.
#[test]
fn runs_that_leave_the_range() {
    let derivative = program(|x: Vector| gradient_a(|x: Vector| x.product(), x));
    let x = [[10f64.powf(-9.9); 32], [10f64.powf(0.2); 32]].concat();
    let expected = others(&x, double);
    for found in results(&derivative, vector(&x)) {
        near(&found[..32], &expected[..32], (1e-11, 0.0));
    }
}

#[test]
fn second_derivatives_beyond_the_range() {
    let second = |x: Vector| {
        let first = gradient_a(|x: Vector| x.product(), x);
        energy(first.map(|d| d * 1e200))
    };
    let results = gradient(second, &[vector(&[1e-100, 2e-100, 3e-100, 4e-100])]);
    near(
        &floats(&results[1]),
        &[26.0, 19.0, 14.0, 11.0],
        (1e-11, 0.0),
    );
}
