//! Complex numbers against those of `num-complex`, and their derivatives.

use super::{gives, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use cotangent_tests::differences::all_agree;
use nalgebra::Complex as Known;
use std::f64::consts::PI;

type Numbers = Acc<Ix1, Complex<f64>>;

/// All quadrants, the axes, and magnitudes whose squares are no `f64`.
fn numbers() -> Vec<Complex<f64>> {
    let parts = [0.0, 1.0, -1.0, 0.3, -2.5, 7.0];
    let pairs = parts
        .into_iter()
        .flat_map(|re| parts.map(|im| Complex::new(re, im)));
    pairs.filter(|z| *z != Complex::new(0.0, 0.0)).collect()
}

fn known(z: Complex<f64>) -> Known<f64> {
    Known::new(z.re, z.im)
}

/// Whether all numbers are as close as rounding in `f64` leaves them.
#[track_caller]
fn close(found: &[Complex<f64>], expected: impl Iterator<Item = Known<f64>>) {
    for (found, expected) in found.iter().zip(expected) {
        let error = (known(*found) - expected).norm();
        assert!(
            error <= 4e-15 * expected.norm(),
            "{found:?} instead of {expected}"
        );
    }
}

/// A function of complex numbers, in the interpreter and on the CPU, and its derivatives.
#[track_caller]
fn is(
    f: impl Fn(ComplexE<f64>) -> ComplexE<f64> + Copy + 'static,
    of: impl Fn(Known<f64>) -> Known<f64>,
) {
    let program = compile(move |z: Numbers| z.map(f)).unwrap();
    let all = numbers();
    let expected = || all.iter().map(|&z| of(known(z)));
    close(
        &program.interpret(vector(all.clone())).unwrap().to_vec(),
        expected(),
    );
    close(
        &program
            .run(&Cpu::default(), vector(all.clone()))
            .unwrap()
            .to_vec(),
        expected(),
    );
    let off_the_axes: Vec<_> = all
        .iter()
        .filter(|z| z.re != 0.0 && z.im != 0.0 && known(**z).norm() < 3.0)
        .copied()
        .collect();
    let energy = move |z: Numbers| {
        let w = z.map(f);
        (w.re() * 0.7).sin().sum() + (w.im() * w.re()).sum()
    };
    all_agree(energy, vector(off_the_axes));
}

#[test]
fn functions_of_complex_numbers() {
    is(|z| z.exp(), |z| z.exp());
    is(|z| z.ln(), |z| z.ln());
    is(|z| z.sqrt(), |z| z.sqrt());
    is(|z| z.sin(), |z| z.sin());
    is(|z| z.cos(), |z| z.cos());
    is(|z| z.inverse(), |z| z.inv());
    is(|z| z.conj(), |z| z.conj());
    is(|z| z.powi(5), |z| z.powi(5));
    is(|z| z.powi(-3), |z| z.powi(-3));
    is(|z| z.powi(0), |_| Known::new(1.0, 0.0));
    is(|z| ComplexE::from_polar(z.abs(), z.arg()), |z| z);
    is(|z| z * z.norm_sqr(), |z| z * z.norm_sqr());
}

#[test]
fn operators_on_complex_numbers() {
    is(|z| z * z + z * 2.0 - 1, |z| z * z + z * 2.0 - 1.0);
    is(
        |z| 3.0 / (z + Complex::new(0.5, 0.25)) - z.re,
        |z| 3.0 / (z + Known::new(0.5, 0.25)) - z.re,
    );
    is(
        |z| (z + 2.0) / (z * Complex::new(0.0, 1.0) - 9),
        |z| (z + 2.0) / (z * Known::i() - 9.0),
    );
    is(|z| -(2.0 * z), |z| -(z * 2.0));
    is(
        |mut z| {
            z += 1.0;
            z *= z;
            z -= z.conj() * 0.5;
            z /= Complex::new(3.0, 4.0);
            z
        },
        |z| {
            let z = (z + 1.0) * (z + 1.0);
            (z - z.conj() * 0.5) / Known::new(3.0, 4.0)
        },
    );
    is(
        |z| [z, z.conj(), z * z].into_iter().sum(),
        |z| z + z.conj() + z * z,
    );
}

/// Quotients and magnitudes whose squares are beyond an `f64`, and roots at the cut.
#[test]
fn complex_numbers_of_any_magnitude() {
    let far = 2f64.powi(600);
    let large = Complex::new(3.0 * far, 4.0 * far);
    let program = |z: Numbers| z.map(|z| (z / z, z.abs()));
    gives(
        program,
        vector([large]),
        vector([(Complex::new(1.0, 0.0), 5.0 * far)]),
    );
    let roots = |z: Numbers| z.map(|z| z.sqrt());
    let at_the_cut = [
        (-4.0, 0.0),
        (-4.0, -0.0),
        (0.0, 0.0),
        (0.0, 2.0),
        (0.0, -2.0),
    ];
    let found = [(0.0, 2.0), (0.0, -2.0), (0.0, 0.0), (1.0, 1.0), (1.0, -1.0)];
    let numbers = |parts: [(f64, f64); 5]| vector(parts.map(|(re, im)| Complex::new(re, im)));
    gives(roots, numbers(at_the_cut), numbers(found));
    let angles = |z: Numbers| z.map(|z| z.arg());
    gives(
        angles,
        numbers(at_the_cut),
        vector([PI, -PI, 0.0, PI / 2.0, -PI / 2.0]),
    );
}

#[test]
fn arrays_of_complex_numbers() {
    let program = |z: Numbers, w: Numbers| {
        let zero = Complex::new(0.0, 0.0);
        (
            (z * w - z) / w + -z,
            z.fold(zero, |x, y| x + y),
            z.map(|z| z.eq_(1.0)),
            z.re(),
            w.im(),
        )
    };
    let z = [Complex::new(1.0, 0.0), Complex::new(2.0, -1.0)];
    let w = [Complex::new(0.0, 1.0), Complex::new(1.0, 1.0)];
    let expected = (
        vector([Complex::new(0.0, 1.0), Complex::new(-0.5, 1.5)]),
        Array::scalar(Complex::new(3.0, -1.0)),
        vector([true, false]),
        vector([1.0, 2.0]),
        vector([1.0, 1.0]),
    );
    gives(program, (vector(z), vector(w)), expected);
    let none = vector::<Complex<f64>>([]);
    gives(
        |z: Numbers| z.fold(Complex::new(0.0, 1.0), |x, y| x * y),
        none,
        Array::scalar(Complex::new(0.0, 1.0)),
    );
}

/// ∂f/∂re + i·∂f/∂im: of |z² − c|² it is 4·z̄·(z² − c), in `f32`, too.
#[test]
fn gradients_by_complex_numbers() {
    let f =
        |z: Acc<Ix1, Complex<f32>>| z.map(|z| (z * z - Complex::new(1.0, 2.0)).norm_sqr()).sum();
    let z = [Complex::new(0.5, -1.0), Complex::new(2.0, 0.25)];
    let expected = z.map(|z| {
        let z = Known::new(z.re, z.im);
        let d = z.conj() * (z * z - Known::new(1.0, 2.0)) * 4.0;
        Complex::new(d.re, d.im)
    });
    let gradient = |z| gradient_a(f, z);
    gives(gradient, vector(z), vector(expected));
}
