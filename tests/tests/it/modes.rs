//! Modes of differentiation on every engine: Jacobians, dense and sparse, Hessians, functions over rows, linear maps, results
//! beside a value; and all of them nested.

mod jacobians;
mod rows;
mod sparse;

use crate::loop_gradients::{agree, matrix, numbers};
use crate::loops::{HostOf, vector};
use cotangent::compile;
use cotangent::prelude::*;
use cotangent_ad::differentiate;
use cotangent_core::label::label;
use cotangent_core::recover::recover;
use cotangent_core::simplify::simplify;
use cotangent_core::surface::AccFn;
use cotangent_core::term::{AccOp, Labelled};

type Scalar = Acc<Ix0, f64>;
type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

/// What the interpreter gives, with which the other engines agree.
#[track_caller]
fn given<M, F: AccFn<M> + Copy>(f: F, input: HostOf<F::In>) -> HostOf<F::Out>
where
    HostOf<F::In>: Clone,
{
    agree(f, input.clone(), 100.0);
    compile(f).unwrap().interpret(input).unwrap()
}

#[track_caller]
fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        assert!(
            error <= 1e-12 * (1.0 + expected.abs()),
            "{i}: {found}, not {expected}"
        );
    }
}

/// Of each i < 3: Σⱼ sin((i + 1)·xⱼ)/(j + 1). No two results, and no two inputs, are alike.
fn waves<T: Float>(x: Acc<Ix1, T>) -> Acc<Ix1, T> {
    let all = x.replicate(ix![3, All]);
    let terms = generate(all.shape(), |ix![i, j]| {
        (all.at(ix![i, j]) * (i + 1).to()).sin() / (j + 1).to()
    });
    terms.sum()
}

fn waves_derivative(x: &[f64]) -> Vec<f64> {
    let entry = |i: usize, j: usize| {
        let frequency = (i + 1) as f64;
        frequency * (frequency * x[j]).cos() / (j + 1) as f64
    };
    let rows = (0..3).map(|i| (0..x.len()).map(move |j| entry(i, j)));
    rows.flatten().collect()
}

#[test]
fn linear_maps() {
    let f = |x: Vector, dx: Matrix, dy: Matrix| {
        let (y, derivative) = linearize(waves, x);
        let forward = vmap(|dx| derivative.apply(dx), dx);
        let back = vmap(|dy| derivative.transpose(dy), dy);
        // Σ of both inner products, which are equal.
        let (first_x, first_y) = (dx.slice(ix![0, All]), dy.slice(ix![0, All]));
        let a = derivative
            .apply(first_x)
            .zip_with(first_y, |a, b| a * b)
            .sum();
        let b = derivative
            .transpose(first_y)
            .zip_with(first_x, |a, b| a * b)
            .sum();
        (y, (forward, back), (a, b))
    };
    for n in [1, 2, 6] {
        let (x, dx, dy) = (numbers(n, 18), numbers(2 * n, 19), numbers(6, 20));
        let input = (vector(x.clone()), matrix(2, n, 19), matrix(2, 3, 20));
        let (_, (forward, back), (a, b)) = given(f, input);
        let derivative = waves_derivative(&x);
        let times = |i: usize, dx: &[f64]| -> f64 {
            derivative[i * n..][..n]
                .iter()
                .zip(dx)
                .map(|(d, x)| d * x)
                .sum()
        };
        let rows = dx.chunks(n).flat_map(|dx| [0, 1, 2].map(|i| times(i, dx)));
        close(&forward.to_vec(), &rows.collect::<Vec<_>>());
        let times =
            |j: usize, dy: &[f64]| -> f64 { (0..3).map(|i| derivative[i * n + j] * dy[i]).sum() };
        let rows = dy
            .chunks(3)
            .flat_map(|dy| (0..n).map(move |j| times(j, dy)));
        close(&back.to_vec(), &rows.collect::<Vec<_>>());
        close(&[a.item()], &[b.item()]);
    }
}

/// How many folds are left of a program when it is differentiated.
fn folds<M, F: AccFn<M>>(f: F) -> usize {
    left(f, |op| matches!(op, AccOp::Fold { .. }))
}

/// How many loops of arrays are left of it.
fn loops<M, F: AccFn<M>>(f: F) -> usize {
    left(f, |op| matches!(op, AccOp::Loop { .. }))
}

fn left<M, F: AccFn<M>>(f: F, counts: impl Fn(&AccOp<Labelled>) -> bool) -> usize {
    let traced = trace(f).unwrap();
    let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
    let derived = differentiate(simplify(program).0).unwrap();
    let lets = simplify(derived).0;
    let lets = lets.body.all_lets();
    lets.filter(|l| counts(&l.op)).count()
}

/// What a function computes of the point is computed once, however often its derivative is applied: each application adds a fold
/// of its own.
#[test]
fn what_derivatives_have_in_common() {
    let f = |x: Vector| {
        let sum = x.map(|x| x.sin()).sum();
        x.map(|x| x.exp() * sum.the())
    };
    let apply = |x: Vector, a: Vector, b: Vector| {
        let (y, derivative) = linearize(f, x);
        (y, derivative.apply(a), derivative.apply(b))
    };
    let transpose = |x: Vector, a: Vector, b: Vector| {
        let (y, derivative) = linearize(f, x);
        (y, derivative.transpose(a), derivative.transpose(b))
    };
    assert_eq!((folds(apply), folds(transpose)), (3, 3));
    // One for all columns, or rows: what is made of a unit vector is no sum.
    assert_eq!(folds(|x| jacobian_forward(f, x)), 1);
    assert_eq!(folds(|x| value_and_jacobian_forward(f, x)), 1);
    assert_eq!(folds(|x| value_and_jacobian_reverse(f, x)), 1);
    let loss = |x: Vector| {
        let y = f(x);
        (y.map(|y| y * y).sum(), y)
    };
    assert_eq!(folds(|x| value_and_gradient_aux_a(loss, x)), 3);
}

#[test]
fn results_beside_a_value() {
    let f = |w: Vector, x: Vector| {
        let loss = |w: Vector| {
            let errors = w.zip_with(x, |w, x| (w - x) * w);
            (
                errors.map(|e| e * e).sum(),
                (errors, errors.map(|e| e.gt(0.0))),
            )
        };
        (gradient_aux_a(loss, w), value_and_gradient_aux_a(loss, w))
    };
    for n in [0, 1, 300] {
        let (w, x) = (numbers(n, 21), numbers(n, 22));
        let ((gradient, aux), ((value, again), gradient_again)) =
            given(f, (vector(w.clone()), vector(x.clone())));
        let errors: Vec<_> = w.iter().zip(&x).map(|(w, x)| (w - x) * w).collect();
        let slopes = w.iter().zip(&x).zip(&errors);
        let slopes: Vec<_> = slopes.map(|((w, x), e)| 2.0 * e * (2.0 * w - x)).collect();
        close(&[value.item()], &[errors.iter().map(|e| e * e).sum()]);
        for (gradient, (found, signs)) in [(gradient, aux), (gradient_again, again)] {
            close(&gradient.to_vec(), &slopes);
            close(&found.to_vec(), &errors);
            let expected: Vec<_> = errors.iter().map(|&e| e > 0.0).collect();
            assert_eq!(signs.to_vec(), expected);
        }
    }
}

#[test]
fn in_scalar_code() {
    let polar = |(r, a): (Exp<f64>, Exp<f64>)| (r * a.cos(), r * a.sin());
    let f = |v: Acc<Ix1, (f64, f64)>| {
        let back = v.map(|p| value_and_vjp_e(polar, p, (1.0, 10.0)));
        let curved = v.map(|p| hvp_e(|(x, y)| x * x * y.sin(), p, (1.0, 10.0)));
        // A gradient of array code, through a cotangent that depends on what it is by.
        let slopes = v.map(|(x, y)| vjp_e(|x| x * x * x, x, y));
        let total = |v: Acc<Ix1, (f64, f64)>| v.map(|(x, y)| vjp_e(|x| x * x * x, x, y)).sum();
        (back, (curved, slopes), gradient_a(total, v))
    };
    for n in [0, 1, 100] {
        let (x, y) = (numbers(n, 23), numbers(n, 24));
        let points: Vec<_> = x.into_iter().zip(y).collect();
        let (back, (curved, slopes), gradient) = given(f, vector(points.clone()));
        let (back, curved) = (back.to_vec(), curved.to_vec());
        let (slopes, gradient) = (slopes.to_vec(), gradient.to_vec());
        for (i, (x, y)) in points.into_iter().enumerate() {
            let (sin, cos) = y.sin_cos();
            let (((a, b), (dx, dy)), (hx, hy)) = (back[i], curved[i]);
            let expected = [
                x * cos,
                x * sin,
                cos + 10.0 * sin,
                -x * sin + 10.0 * x * cos,
            ];
            close(&[a, b, dx, dy], &expected);
            close(
                &[hx, hy],
                &[
                    2.0 * sin + 20.0 * x * cos,
                    2.0 * x * cos - 10.0 * x * x * sin,
                ],
            );
            close(
                &[slopes[i], gradient[i].0, gradient[i].1],
                &[3.0 * x * x * y, 6.0 * x * y, 3.0 * x * x],
            );
        }
    }
}
