//! Systems of linear equations, and decompositions.

use super::decompositions::numbers;
use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use cotangent_tests::differences::all_agree;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

fn square(n: usize) -> Array<Ix2, f64> {
    Array::from_vec([n, n], numbers(n * n, 0.3)).unwrap()
}

/// The largest difference of two programs' results.
fn distance<M, F>(f: F, input: super::HostOf<F::In>) -> f64
where
    F: cotangent_core::surface::AccFn<M, Out = (Matrix, Matrix)>,
{
    let (x, y) = compile(f).unwrap().run(&Cpu::default(), input).unwrap();
    assert_eq!(x.shape(), y.shape());
    let pairs = x.to_vec().into_iter().zip(y.to_vec());
    pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[test]
fn solutions_solve() {
    for n in [1, 2, 3, 7, 30] {
        let b = Array::<Ix2, _>::from_vec([n, 2], numbers(2 * n, 0.7)).unwrap();
        let residual = distance(
            |a: Matrix, b: Matrix| (a.matmul(a.solve(b)), b),
            (square(n), b),
        );
        assert!(residual < 1e-11, "{n}: {residual}");
        let identity = distance(
            |a: Matrix| (a.matmul(a.inverse()), eye(a.inner())),
            square(n),
        );
        assert!(identity < 1e-10, "{n}: {identity}");
    }
}

/// A zero on the diagonal needs another row; a matrix without rows has a solution without elements.
#[test]
fn pivots() {
    let f = |a: Matrix, b: Vector| a.solve(b);
    let a = matrix([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [4.0, 0.0, 0.0]]);
    gives(f, (a, vector([3.0, 4.0, 8.0])), vector([2.0, 3.0, 2.0]));
    gives(f, (matrix::<f64, 0, 0>([]), vector([])), vector([]));
    let singular = compile(f).unwrap().run(
        &Cpu::default(),
        (matrix([[1.0, 1.0]; 2]), vector([1.0, 2.0])),
    );
    assert!(singular.unwrap().to_vec().iter().all(|x| !x.is_finite()));
}

#[test]
fn cholesky_times_its_transpose() {
    for n in [1, 2, 5, 24] {
        let f = |m: Matrix| {
            let a = m.matmul(m.transpose()) + eye::<f64>(m.inner()) * 0.5;
            let l = a.cholesky();
            (l.matmul(l.transpose()), a)
        };
        let residual = distance(f, square(n));
        assert!(residual < 1e-11 * (n * n) as f64, "{n}: {residual}");
    }
    let f = |m: Matrix| m.cholesky();
    gives(
        f,
        matrix([[4.0, 99.0], [2.0, 10.0]]),
        matrix([[2.0, 0.0], [1.0, 3.0]]),
    );
    gives(f, matrix::<f64, 0, 0>([]), matrix::<f64, 0, 0>([]));
    let indefinite = compile(f)
        .unwrap()
        .run(&Cpu::default(), matrix([[1.0, 2.0], [2.0, 1.0]]));
    assert!(indefinite.unwrap().to_vec()[3].is_nan());
}

#[test]
fn triangles() {
    let both = |l: Matrix, u: Matrix, b: Matrix| (l.solve_lower(b), u.solve_upper(b));
    // What is beyond the diagonal is not read.
    let l = matrix([
        [2.0, f64::NAN, f64::NAN],
        [1.0, 4.0, f64::NAN],
        [0.0, 2.0, 1.0],
    ]);
    let u = matrix([
        [1.0, 2.0, 0.0],
        [f64::NAN, 4.0, 1.0],
        [f64::NAN, f64::NAN, 2.0],
    ]);
    let b = matrix([[2.0, 4.0], [5.0, 10.0], [4.0, 8.0]]);
    let expected = (
        matrix([[1.0, 2.0], [1.0, 2.0], [2.0, 4.0]]),
        matrix([[0.5, 1.0], [0.75, 1.5], [2.0, 4.0]]),
    );
    gives(both, (l, u, b), expected);
}

#[test]
fn derivatives() {
    let b = || vector([0.5, -1.0, 2.0]);
    let a = || matrix([[4.0, 1.0, 0.5], [1.0, 3.0, -0.25], [0.5, -0.25, 2.0]]);
    let energy = |x: Vector| (x * x * x).sum();
    all_agree(
        move |(a, b): (Matrix, Vector)| energy(a.solve(b)),
        (a(), b()),
    );
    all_agree(
        move |(a, b): (Matrix, Vector)| energy(a.cholesky().solve_lower(b)),
        (a(), b()),
    );
    all_agree(
        move |(a, b): (Matrix, Vector)| energy(a.solve_upper(b)),
        (a(), b()),
    );
    // Of a derivative: the gradient of ½·bᵀ·a⁻¹·b by b is the solution.
    let form = |(a, b): (Matrix, Vector)| b.dot(a.solve(b)) * 0.5;
    let second = move |(a, b): (Matrix, Vector)| energy(gradient_a(form, (a, b)).1);
    all_agree(second, (a(), b()));
}

#[test]
fn what_does_not_fit() {
    let f = |a: Matrix, b: Vector| a.solve(b);
    for (a, b) in [
        (matrix([[1.0, 2.0]]), vector([1.0])),
        (matrix([[1.0, 2.0], [3.0, 4.0]]), vector([1.0])),
    ] {
        let error = compile(f).unwrap().run(&Cpu::default(), (a, b));
        let text = error.unwrap_err().to_string();
        assert!(text.contains("solving.rs"), "{text}");
    }
}
