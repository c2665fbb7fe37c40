//! Complex numbers against those of `num-complex`, and their derivatives.

use super::{gives, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile, f16};
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
    is(|z| z.tan(), |z| z.tan());
    is(|z| z.sinh(), |z| z.sinh());
    is(|z| z.cosh(), |z| z.cosh());
    is(|z| z.tanh(), |z| z.tanh());
    is(|z| z.powf(1.5), |z| z.powf(1.5));
    is(|z| z.powf(-2), |z| z.powf(-2.0));
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
        |z| 2 * z - 1 / (3 + z) - (1 - z),
        |z| z * 3.0 - 1.0 / (z + 3.0) - 1.0,
    );
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
    let scalars = |z: Numbers, x: Acc<Ix0, f64>| {
        (
            (z * Complex::new(0.0, 1.0) + x.the() - 1) / 2.0,
            1.0 - 2 * z,
            z - z.at(ix![1]),
        )
    };
    let expected = (
        vector([Complex::new(1.0, 0.5), Complex::new(1.5, 1.0)]),
        vector([Complex::new(-1.0, 0.0), Complex::new(-3.0, 2.0)]),
        vector([Complex::new(-1.0, 1.0), Complex::new(0.0, 0.0)]),
    );
    gives(scalars, (vector(z), Array::scalar(3.0)), expected);
    let none = vector::<Complex<f64>>([]);
    gives(
        |z: Numbers| z.fold(Complex::new(0.0, 1.0), |x, y| x * y),
        none,
        Array::scalar(Complex::new(0.0, 1.0)),
    );
}

/// Tangents at poles, at multiples of them, and where hyperbolic functions overflow.
#[test]
fn tangents_of_any_magnitude() {
    let program = |z: Numbers| (z.map(|z| z.tan()), z.map(|z| z.tanh()));
    let i = |z: Complex<f64>| Complex::new(-z.im, z.re);
    let far = [
        Complex::new(1.0, 800.0),
        Complex::new(0.5, -1e300),
        Complex::new(PI / 2.0, 0.0),
    ];
    let (tan, _) = compile(program)
        .unwrap()
        .run(&Cpu::default(), vector(far))
        .unwrap();
    let (_, tanh) = compile(program)
        .unwrap()
        .run(&Cpu::default(), vector(far.map(i)))
        .unwrap();
    let expected = [(0.0, 1.0), (0.0, -1.0), ((PI / 2.0).tan(), 0.0)];
    for ((found, turned), (re, im)) in tan.to_vec().into_iter().zip(tanh.to_vec()).zip(expected) {
        let is_close = |z: Complex<f64>| {
            (z.re / re.max(1.0) - re / re.max(1.0)).abs() + (z.im - im).abs() < 1e-15
        };
        assert!(is_close(found), "{found:?}");
        // tanh iz = i tan z.
        assert!(is_close(Complex::new(turned.im, -turned.re)), "{turned:?}");
    }
}

/// Sums and products of arrays, those of no numbers as well.
#[test]
fn reductions_of_complex_numbers() {
    let program = |z: Numbers, w: Numbers| (z.sum(), z.product(), z.dot(w));
    let z = [Complex::new(1.0, 2.0), Complex::new(3.0, -1.0)];
    let w = [Complex::new(0.0, 1.0), Complex::new(2.0, 1.0)];
    let scalar = |re, im| Array::scalar(Complex::new(re, im));
    let expected = (scalar(4.0, 1.0), scalar(5.0, 5.0), scalar(5.0, 2.0));
    gives(program, (vector(z), vector(w)), expected);
    let of_none = |z: Numbers| (z.sum(), z.product(), z.dot(z));
    gives(
        of_none,
        vector::<Complex<f64>>([]),
        (scalar(0.0, 0.0), scalar(1.0, 0.0), scalar(0.0, 0.0)),
    );
    let rows = |z: Acc<Ix2, Complex<f64>>| (z.sum(), z.sum_all(), z.conj().norm_sqr());
    let three = Complex::new(3.0, 4.0);
    let matrix = Array::from_vec([2, 1], vec![three, Complex::new(-3.0, -4.0)]);
    let sums = Array::from_vec([2], vec![three, Complex::new(-3.0, -4.0)]).unwrap();
    let squares = Array::from_vec([2, 1], vec![25.0, 25.0]).unwrap();
    gives(rows, matrix.unwrap(), (sums, scalar(0.0, 0.0), squares));
    // More terms of f16 than it has numbers without gaps.
    let (one, quarter) = (f16::from_f64(1.0), f16::from_f64(0.25));
    let ones = move |n: Acc<Ix0, i32>| fill(ix![n.the()], Complex::new(one, quarter)).sum();
    let sum = Complex::new(f16::from_f64(5e3), f16::from_f64(1250.0));
    gives(ones, Array::scalar(5_000), Array::scalar(sum));
}

#[test]
fn products_of_complex_matrices() {
    type Matrix = Acc<Ix2, Complex<f64>>;
    let matrix = |rows: usize, columns: usize| {
        let number = |k: usize| Complex::new((k as f64 * 0.7).sin(), (k as f64 * 1.3).cos());
        Array::<Ix2, _>::from_vec([rows, columns], (0..rows * columns).map(number).collect())
            .unwrap()
    };
    let (a, b) = (matrix(3, 4), matrix(4, 2));
    let program =
        compile(|a: Matrix, b: Matrix| (a.matmul(b), a.matvec(b.slice(ix![All, 0])))).unwrap();
    for (product, column) in [
        program
            .run(&Cpu::default(), (a.clone(), b.clone()))
            .unwrap(),
        program.interpret((a.clone(), b.clone())).unwrap(),
    ] {
        let element = |array: &Array<Ix2, Complex<f64>>, i, j| known(array.get([i, j]).unwrap());
        let sum = |i, j| {
            (0..4)
                .map(|k| element(&a, i, k) * element(&b, k, j))
                .sum::<Known<f64>>()
        };
        for i in 0..3 {
            close(&[column.to_vec()[i]], [sum(i, 0)].into_iter());
            (0..2).for_each(|j| close(&[product.to_vec()[2 * i + j]], [sum(i, j)].into_iter()));
        }
    }
    all_agree(
        |(a, b): (Matrix, Matrix)| {
            a.matmul(b).norm_sqr().sum_all()
                + (b.matmul(a.slice(ix![..2, All])).trace() * 0.5).arg()
        },
        (a, b),
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
