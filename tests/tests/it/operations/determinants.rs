//! Determinants against `nalgebra`, and their derivatives by differences, those of singular matrices too.

use super::decompositions::{both, known, near, random, regular};
use super::{gives, matrix};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use cotangent_tests::differences::all_agree;

type Matrix = Acc<Ix2, f64>;

#[test]
fn determinants_are_those_of_nalgebra() {
    let f = |a: Matrix| {
        let (sign, log) = a.slogdet();
        stack(&[a.det(), sign, log]).replicate(ix![1, All])
    };
    for n in [0, 1, 2, 5, 40] {
        let known = match n {
            0 => 1.0,
            _ => known(&random(n, n)).determinant(),
        };
        let found = both(f, random(n, n));
        near(&found, &[known, known.signum(), known.abs().ln()], 1e-9);
    }
    let single = compile(|a: Acc<Ix2, f32>| a.det()).unwrap();
    let found = single.run(&Cpu::default(), random(5, 5)).unwrap().item();
    let known = known(&random(5, 5)).determinant();
    assert!((f64::from(found) - known).abs() < 1e-4 * known.abs());
}

#[test]
fn determinants_of_singular_matrices() {
    let f = |a: Matrix| (a.det(), a.slogdet());
    let zero = || Array::scalar(0.0);
    let expected = || (zero(), (zero(), Array::scalar(f64::NEG_INFINITY)));
    gives(f, matrix([[1.0, 1.0], [1.0, 1.0]]), expected());
    gives(f, matrix([[0.0; 3]; 3]), expected());
}

/// The gradient is that of the polynomial where the matrix is singular, too.
#[test]
fn derivatives_of_determinants() {
    let det = |a: Matrix| a.det();
    for n in [0, 1, 2, 5] {
        all_agree(det, regular(n, n));
        all_agree(move |a: Matrix| gradient_a(det, a), regular(n, n));
        all_agree(|a: Matrix| a.slogdet(), regular(n, n));
        let log = |a: Matrix| a.slogdet().1;
        all_agree(move |a: Matrix| gradient_a(log, a), regular(n, n));
    }
    let singular: [[[f64; 3]; 3]; 6] = [
        [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]],
        [[0.0, 1.0, 0.0], [0.0, 2.0, 1.0], [0.0, 0.0, 3.0]],
        [[0.0, 0.0, 0.0], [0.0, 2.0, 1.0], [0.0, 0.0, 3.0]],
        [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0]],
        [[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [-1.0, -2.0, -1.0]],
        [[0.0; 3]; 3],
    ];
    for (k, a) in singular.into_iter().enumerate() {
        all_agree(det, matrix(a));
        // Of the second order, where only one is missing to the full rank.
        if k < 4 {
            all_agree(move |a: Matrix| gradient_a(det, a), matrix(a));
        }
    }
    all_agree(det, matrix([[0.0]]));
    all_agree(|a: Matrix| a.slogdet(), regular(40, 40));
}

#[test]
fn determinants_of_other_shapes() {
    let programs: [fn(Matrix) -> Acc<Ix0, f64>; 2] = [|a| a.det(), |a| a.slogdet().1];
    for f in programs {
        let program = compile(move |a: Matrix| f(a)).unwrap();
        let error = program.run(&Cpu::default(), matrix([[1.0, 2.0]]));
        let text = error.unwrap_err().to_string();
        for part in ["determinants.rs", "[2, 2]", "[1, 2]"] {
            assert!(text.contains(part), "{text}");
        }
    }
}
