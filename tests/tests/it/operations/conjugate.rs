//! Conjugate gradients: solutions against those by elimination, and derivatives by what the matrix is made of.

use super::decompositions::{near, numbers};
use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use cotangent_tests::differences::all_agree;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

/// A symmetric, positive definite matrix.
fn definite(m: Matrix) -> Matrix {
    m.matmul(m.transpose()) + eye::<f64>(m.inner())
}

fn square(n: usize) -> Array<Ix2, f64> {
    Array::from_vec([n, n], numbers(n * n, 0.3)).unwrap()
}

fn solution((m, b): (Matrix, Vector)) -> Vector {
    let a = definite(m);
    conjugate_gradients(|x| a.matvec(x), b, 1e-13, 200)
}

#[test]
fn solutions_by_conjugate_gradients() {
    for n in [0, 1, 2, 5, 40] {
        let f = |m: Matrix, b: Vector| (solution((m, b)), definite(m).solve(b));
        let program = compile(f).unwrap();
        let input = || (square(n), vector(numbers(n, 0.7)));
        for (x, known) in [
            program.run(&Cpu::default(), input()),
            program.interpret(input()),
        ]
        .map(Result::unwrap)
        {
            near(&known.to_vec(), &x.to_vec(), 1e-8);
        }
    }
    let single = |d: Acc<Ix1, f32>, b: Acc<Ix1, f32>| conjugate_gradients(|x| d * x, b, 1e-6, 10);
    gives(
        single,
        (vector([2.0_f32, 2.0]), vector([3.0_f32, 8.0])),
        vector([1.5_f32, 4.0]),
    );
}

/// Of zeros the solution is zero at once; no trips leave zeros.
#[test]
fn without_trips() {
    let f = |d: Vector, b: Vector| conjugate_gradients(|x| d * x, b, 1e-12, 5);
    gives(
        f,
        (vector([1.0, 2.0]), vector([0.0, 0.0])),
        vector([0.0, 0.0]),
    );
    let none = |d: Vector, b: Vector| conjugate_gradients(|x| d * x, b, 1e-12, 0);
    gives(
        none,
        (vector([1.0, 2.0]), vector([1.0, 1.0])),
        vector([0.0, 0.0]),
    );
    let singular = compile(f)
        .unwrap()
        .run(&Cpu::default(), (vector([0.0]), vector([1.0])));
    assert!(!singular.unwrap().to_vec()[0].is_finite());
}

/// By the right hand side and by what `times` uses from outside; those of the gradient are of the second order.
#[test]
fn derivatives_by_the_implicit_function_theorem() {
    let energy = |x: (Matrix, Vector)| solution(x).map(|x| x.sin()).sum();
    let gradient = move |x: (Matrix, Vector)| gradient_a(energy, x);
    for n in [0, 1, 2, 5] {
        let input = || (square(n), vector(numbers(n, 0.7)));
        all_agree(solution, input());
        all_agree(gradient, input());
    }
    type Single = (Acc<Ix1, f32>, Acc<Ix1, f32>);
    let single = |(d, b): Single| conjugate_gradients(|x| d * x, b, 1e-6, 10);
    all_agree(single, (vector([1.0, 2.0]), vector([3.0, -1.0])));
    let third = |x: (Matrix, Vector)| hvp_a(move |x| gradient(x).0.sum_all(), x, x).0;
    let input = (matrix([[1.0, 0.5], [0.2, 2.0]]), vector([1.0, -0.5]));
    let third = compile(third).unwrap().run(&Cpu::default(), input).unwrap();
    assert!(third.to_vec().iter().all(|x| x.is_nan()));
}

/// The Hessian of a function of the right hand side is the inverse's: of ½·bᵀ·a⁻¹·b the inverse itself.
#[test]
fn hessian_of_a_form() {
    let f = |m: Matrix, b: Vector| {
        let form = |b: Vector| b.dot(solution((m, b))) * 0.5;
        (hessian(form, b), definite(m).inverse())
    };
    let input = (square(5), vector(numbers(5, 0.7)));
    let (found, known) = compile(f).unwrap().run(&Cpu::default(), input).unwrap();
    near(&known.to_vec(), &found.to_vec(), 1e-9);
}

#[test]
fn products_of_another_length() {
    let f = |d: Vector, b: Vector| {
        conjugate_gradients(|x| d.zip_with_strict(x, |d, x| d * x), b, 1e-12, 5)
    };
    let error = compile(f).unwrap().run(
        &Cpu::default(),
        (vector([1.0, 2.0, 3.0]), vector([1.0, 2.0])),
    );
    let text = error.unwrap_err().to_string();
    assert!(
        text.contains("conjugate.rs") && text.contains("[3]"),
        "{text}"
    );
}
