//! The programs of papers 000, 001 and 002: derivatives in both modes against differences and closed forms, on every engine.

use crate::loop_gradients::{agree, matrix, numbers};
use cotangent::prelude::*;
use cotangent::{check_grad, compile};
use cotangent_tests::papers::{factors, reversible, zygote};

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

fn vector(x: Vec<f64>) -> Array<Ix1, f64> {
    Array::vector(x).unwrap()
}

#[track_caller]
fn near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() <= 1e-10 * y.abs().max(1.0), "{x} is not {y}");
    }
}

/// Reverse mode, forward mode and differences agree, and so do engines.
#[track_caller]
pub(crate) fn check<X: Arrays, Y: Arrays>(f: impl Fn(X) -> Y + Copy + 'static, x: X::Host)
where
    X::Host: Clone,
    (X, Y): Arrays,
{
    let check = check_grad(f, x.clone()).unwrap();
    assert!(check.agrees(), "{check}");
}

#[test]
fn numbers_and_loops() {
    let x = || vector(numbers(9, 1));
    let gradient = |x: Vector| value_and_gradient_a(zygote::sin_cos, x);
    let found = compile(gradient)
        .unwrap()
        .interpret(x())
        .unwrap()
        .1
        .to_vec();
    let expected = x().to_vec().into_iter().map(|x| -x.cos().cos() * x.sin());
    near(&found, &expected.collect::<Vec<_>>());
    check(zygote::sin_cos, x());
    agree(gradient, vector(numbers(1000, 2)), 1.0);
    for trips in [0, 1, 10] {
        let f = zygote::powers(trips);
        check(f, x());
        agree(move |x: Vector| value_and_gradient_a(f, x), x(), 10.0);
        agree(move |x: Vector| hvp_a(f, x, x.map(|_| 1.0)), x(), 100.0);
    }
}

#[test]
fn learning() {
    check(zygote::log_sum_exp, vector(numbers(9, 1)));
    let (n, d) = (7, 3);
    let labels = || vector((0..n).map(|i| f64::from(i as u8 % 2)).collect());
    let regression = |(w, b, samples, labels): (Vector, Acc<Z, f64>, Matrix, Vector)| {
        zygote::logistic_regression((w, b), (samples, labels))
    };
    let input = || {
        (
            vector(numbers(d, 1)),
            Array::scalar(0.25),
            matrix(n, d, 3),
            labels(),
        )
    };
    check(regression, input());
    agree(
        move |w: Vector, b: Acc<Z, f64>, s: Matrix, l: Vector| {
            value_and_gradient_a(regression, (w, b, s, l))
        },
        input(),
        1.0,
    );
    type Layer = (Matrix, Vector);
    let network = |(first, second, image): (Layer, Layer, Vector)| {
        zygote::perceptron([first, second], (image, unit(2)))
    };
    let layer =
        |rows, columns, seed| (matrix(rows, columns, seed), vector(numbers(rows, seed + 1)));
    let input = || (layer(5, 8, 1), layer(4, 5, 3), vector(numbers(8, 6)));
    check(network, input());
    agree(
        move |a: Layer, b: Layer, x: Vector| value_and_gradient_a(network, (a, b, x)),
        input(),
        10.0,
    );
}

#[test]
fn sparse_products() {
    let rows = || Array::vector(vec![0, 2, 2, 5, 6]).unwrap();
    let columns = || Array::vector(vec![1, 3, 0, 1, 2, 3]).unwrap();
    let f = |(rows, columns, elements, x): (Acc<Ix1, i32>, Acc<Ix1, i32>, Vector, Vector)| {
        reversible::sparse_product((rows, columns), elements, x)
    };
    let (elements, x) = (numbers(6, 1), numbers(4, 2));
    let input = || {
        (
            rows(),
            columns(),
            vector(elements.clone()),
            vector(x.clone()),
        )
    };
    let found = compile(|x: (Acc<Ix1, i32>, Acc<Ix1, i32>, Vector, Vector)| f(x)).unwrap();
    let found = found.interpret(input()).unwrap().to_vec();
    let e = &elements;
    near(
        &found,
        &[
            e[0] * x[1] + e[1] * x[3],
            0.0,
            e[2] * x[0] + e[3] * x[1] + e[4] * x[2],
            e[5] * x[3],
        ],
    );
    check(f, input());
    let gradient = move |r: Acc<Ix1, i32>, c: Acc<Ix1, i32>, e: Vector, x: Vector| {
        let loss = |(e, x)| f((r, c, e, x)).map(|y| y * y).sum();
        gradient_a(loss, (e, x))
    };
    agree(gradient, input(), 1.0);
}

#[test]
fn graph_embedding() {
    let pairs = || reversible::petersen().map(|pairs| Array::vector(pairs).unwrap());
    let [edges, others] = pairs();
    assert_eq!((edges.len(), others.len()), (15, 30));
    type Pairs = Acc<Ix1, (i32, i32)>;
    let f = |(x, edges, others): (Matrix, Pairs, Pairs)| reversible::embedding(x, [edges, others]);
    check(f, (matrix(10, 3, 1), edges, others));
    let hessian = |x: Matrix, edges: Pairs, others: Pairs| {
        hessian(|x| reversible::embedding(x, [edges, others]), x)
    };
    let [edges, others] = pairs();
    let input = (matrix(10, 2, 1), edges, others);
    let found = compile(hessian)
        .unwrap()
        .interpret(input.clone())
        .unwrap()
        .to_vec();
    for (i, j) in (0..20).flat_map(|i| (0..i).map(move |j| (i, j))) {
        near(&[found[20 * i + j]], &[found[20 * j + i]]);
    }
    agree(hessian, input, 10.0);
}

#[test]
fn exponentials() {
    let x = || vector(vec![0.5, 1.0, -2.5, 3.0]);
    let expected: Vec<f64> = x().to_vec().iter().map(|x| x.exp()).collect();
    let f = |x: Vector| reversible::exp_by_series(x).sum();
    let derivatives = move |x: Vector| {
        (
            reversible::exp_by_series(x),
            gradient_a(f, x),
            hvp_a(f, x, x.map(|_| 1.0)),
        )
    };
    let (value, first, second) = compile(derivatives).unwrap().interpret(x()).unwrap();
    for found in [value, first, second] {
        for (x, y) in found.to_vec().iter().zip(&expected) {
            assert!((x - y).abs() < 1e-13 * y.max(1.0) * 20.0, "{x} is not {y}");
        }
    }
    agree(derivatives, x(), 100.0);
}

#[test]
fn factorizations() {
    for [m, n] in [[3, 4], [1, 1], [1, 3], [2, 0], [0, 2]] {
        let positive = |len, seed| numbers(len, seed).iter().map(|x| x + 1.0).collect();
        let input = || {
            let a = Array::from_vec([m, n], positive(m * n, 1)).unwrap();
            (a, vector(positive(m, 2)), vector(positive(n, 3)))
        };
        let f = |(a, u, v)| factors::likelihood(a, u, v);
        check(f, input());
        let gradient = |a, u, v| gradient_a(|(u, v)| factors::likelihood(a, u, v), (u, v));
        agree(gradient, input(), 10.0);
        let along = |a, u, v| jacobian_forward(|v| factors::likelihood(a, u, v), v);
        agree(along, input(), 10.0);
        // By v: what each guess adds, as one derives by hand.
        let (a, u, v) = input();
        let (a, u, v) = (a.to_vec(), u.to_vec(), v.to_vec());
        let by = |j: usize| {
            let guess = |i: usize| (1.0 - a[i * n + j] / (u[i] * v[j])) / v[j];
            (0..m).map(guess).sum::<f64>()
        };
        let expected: Vec<f64> = (0..n).map(by).collect();
        let found = compile(gradient).unwrap().interpret(input()).unwrap().1;
        near(&found.to_vec(), &expected);
        let found = compile(along).unwrap().interpret(input()).unwrap();
        near(&found.to_vec(), &expected);
    }
}

/// A matrix whose columns are independent.
fn regular(rows: usize, columns: usize) -> Array<Ix2, f64> {
    let element = |k: usize| (k * k) as f64 * 0.7 + 0.3;
    let elements = (0..rows * columns).map(|k| element(k).sin());
    Array::from_vec([rows, columns], elements.collect()).unwrap()
}

/// The product of two square matrices.
fn product(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let entry = |at: usize| (0..n).map(|k| a[at / n * n + k] * b[k * n + at % n]).sum();
    (0..n * n).map(entry).collect()
}

#[test]
fn triangles_by_reflections() {
    // Rᵀ R = Aᵀ A, and nothing is left below the diagonal.
    let (n, a) = (4, regular(4, 4));
    let r = compile(reversible::householder)
        .unwrap()
        .interpret(a.clone())
        .unwrap()
        .to_vec();
    let transposed = |x: &[f64]| {
        (0..n * n)
            .map(|at| x[at % n * n + at / n])
            .collect::<Vec<_>>()
    };
    let plain = a.to_vec();
    near(
        &product(&transposed(&r), &r, n),
        &product(&transposed(&plain), &plain, n),
    );
    assert!((0..n).all(|i| (0..i).all(|j| r[n * i + j].abs() < 1e-14)));
    // The gradient of ln |det A| is the transposed inverse.
    let gradient = |a: Matrix| gradient_a(reversible::log_determinant, a);
    let inverse = compile(gradient)
        .unwrap()
        .interpret(a.clone())
        .unwrap()
        .to_vec();
    let identity: Vec<f64> = (0..n * n).map(|at| f64::from(at % (n + 1) == 0)).collect();
    near(&product(&plain, &transposed(&inverse), n), &identity);
    check(reversible::householder, regular(5, 3));
    agree(gradient, a, 10.0);
}

#[test]
fn unitary_layers() {
    type Complex = Acc<Ix1, (f64, f64)>;
    type Angles = Acc<Ix2, (f64, f64)>;
    for (n, trips) in [(1, 3), (2, 2), (5, 4), (6, 5)] {
        let pairs = |len: usize, seed| numbers(len, seed).into_iter().zip(numbers(len, seed + 1));
        let x = || Array::vector(pairs(n, 1).collect()).unwrap();
        let angles = || Array::from_vec([trips, n], pairs(trips * n, 5).collect()).unwrap();
        let f = |(x, angles): (Complex, Angles)| reversible::unitary(x, angles);
        let norm = |x: &[(f64, f64)]| x.iter().map(|(a, b)| a * a + b * b).sum::<f64>();
        let found = compile(|x: (Complex, Angles)| f(x)).unwrap();
        let found = found.interpret((x(), angles())).unwrap().to_vec();
        near(&[norm(&found)], &[norm(&x().to_vec())]);
        check(f, (x(), angles()));
        let loss = move |xs: (Complex, Angles)| f(xs).map(|(a, b)| a * a * a + b).sum();
        agree(
            move |x: Complex, angles: Angles| gradient_a(loss, (x, angles)),
            (x(), angles()),
            10.0,
        );
    }
}
