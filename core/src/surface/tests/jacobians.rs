//! Dense Jacobians and Hessians: every shape, both modes, tuples, and derivatives of them.

use super::values::{Matrix, Vector, matrix, run, vector};
use crate::surface::prelude::*;

type Scalar = Acc<Ix0, f64>;

/// Σⱼ (i + 2)·xⱼ² for all i < 3, but with xᵢ³ in place of its term: not symmetric, not square.
fn powers(x: Vector) -> Vector {
    generate(ix![3], |ix![i]| {
        let term = |j: Exp<i32>, x: Exp<f64>| cond(j.eq_(i), x * x * x, (i + 2).to_f64() * x * x);
        x.fold_in_order(0.0, |ix![j], sum: Exp<f64>, x| sum + term(j, x))
    })
}

fn powers_derivative(x: &[f64]) -> Vec<f64> {
    let entry = |i: usize, (j, x): (usize, &f64)| match i == j {
        true => 3.0 * x * x,
        false => 2.0 * (i + 2) as f64 * x,
    };
    (0..3)
        .flat_map(|i| x.iter().enumerate().map(move |at| entry(i, at)))
        .collect()
}

#[test]
fn of_vectors_by_vectors() {
    let all = |x| {
        (
            jacobian_forward(powers, x),
            jacobian_reverse(powers, x),
            jacobian(powers, x),
        )
    };
    for x in [
        vec![],
        vec![2.0],
        vec![2.0, 3.0, 5.0],
        vec![1.0, 2.0, 3.0, 4.0, 5.0],
    ] {
        let (forward, reverse, chosen) = run(all, vector(x.clone())).unwrap();
        for found in [forward, reverse, chosen] {
            assert_eq!(found.shape(), [3, x.len()]);
            assert_eq!(found.to_vec(), powers_derivative(&x));
        }
    }
}

/// m ↦ 10·mᵀ with its rows scaled by their position, by m: ranks 2 and 2.
#[test]
fn of_matrices_by_matrices() {
    let f = |m: Matrix| {
        generate(ix![m.shape().1, m.shape().0.1], |ix![j, i]| {
            m.at(ix![i, j]) * (10 * j + 1).to_f64()
        })
    };
    let both = |m| {
        (
            jacobian_forward(f, m),
            jacobian_reverse(f, m),
            jacobian(f, m),
        )
    };
    for (rows, columns) in [(2, 3), (1, 2), (0, 2), (2, 0), (0, 0)] {
        let m = Array::from_fn([rows, columns], |[i, j]| (i + j) as f64).unwrap();
        let (forward, reverse, chosen) = run(both, m).unwrap();
        for found in [forward, reverse, chosen] {
            assert_eq!(found.shape(), [columns, rows, rows, columns]);
            let mut values = found.to_vec().into_iter();
            for (j, i, k, l) in indices([columns, rows, rows, columns]) {
                let expected = if (k, l) == (i, j) { 10 * j + 1 } else { 0 };
                assert_eq!(values.next(), Some(expected as f64), "{j} {i} {k} {l}");
            }
        }
    }
}

fn indices([a, b, c, d]: [usize; 4]) -> impl Iterator<Item = (usize, usize, usize, usize)> {
    let of = move |n: usize| (n / (b * c * d), n / (c * d) % b, n / d % c, n % d);
    (0..a * b * c * d).map(of)
}

#[test]
fn without_dimensions() {
    let cube = |x: Scalar| x.map(|x| x * x * x);
    let f = |x| {
        let both = (jacobian_forward(cube, x), jacobian_reverse(cube, x));
        (both, value_and_jacobian(cube, x))
    };
    let ((forward, reverse), (value, chosen)) = run(f, Array::scalar(2.0)).unwrap();
    let found = [forward, reverse, value, chosen].map(|x| x.item());
    assert_eq!(found, [12.0, 12.0, 8.0, 12.0]);
    // A vector by a number, and a number by a vector: no loop in the program that chooses.
    let powers = |x: Scalar| generate(ix![3], |ix![i]| x.the() * x.the() * (i + 1).to_f64());
    let by_number = |x| (jacobian(powers, x), jacobian_reverse(powers, x));
    let (chosen, reverse) = run(by_number, Array::scalar(3.0)).unwrap();
    assert_eq!(chosen.to_vec(), [6.0, 12.0, 18.0]);
    assert_eq!(reverse.to_vec(), chosen.to_vec());
    let squares = |m: Matrix| m.map(|x| x * x).sum_all();
    let of_number = |m| (jacobian(squares, m), jacobian_forward(squares, m));
    let (chosen, forward) = run(of_number, matrix([[1.0, 2.0], [3.0, 4.0]])).unwrap();
    assert_eq!(chosen.to_vec(), [2.0, 4.0, 6.0, 8.0]);
    assert_eq!(
        (forward.shape(), forward.to_vec()),
        (&[2, 2][..], chosen.to_vec())
    );
}

#[test]
fn only_the_choice_by_extents_is_a_condition() {
    let text = |traced: Result<crate::surface::Traced<_, _>, _>| {
        let traced: crate::surface::Traced<Vector, Matrix> = traced.unwrap();
        crate::recover::recover(&traced.graph, &traced.lambda)
            .unwrap()
            .to_string()
    };
    assert!(text(trace(|x| jacobian(powers, x))).contains("acond"));
    assert!(!text(trace(|x| jacobian_forward(powers, x))).contains("acond"));
    assert!(!text(trace(|x| jacobian_reverse(powers, x))).contains("acond"));
}

/// By an array of each rank, in a nested tuple: (M·x)·k, and its results as a column.
#[test]
fn by_tuples() {
    let f = |(m, (x, k)): (Matrix, (Vector, Scalar))| {
        let rows = x.replicate(ix![m.shape().0.1, All]);
        m.zip_with(rows, |a, b| a * b).sum().map(|y| y * k.the())
    };
    let all = |m: Matrix, x: Vector, k: Scalar| {
        let at = (m, (x, k));
        let (value, forward) = value_and_jacobian_forward(f, at);
        let (_, reverse) = value_and_jacobian_reverse(f, at);
        (value, forward, reverse, jacobian(f, at))
    };
    let (m, x) = (
        matrix([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
        vector([1.0, 0.0, -1.0]),
    );
    let (value, forward, reverse, chosen) = run(all, (m, x, Array::scalar(2.0))).unwrap();
    assert_eq!(value.to_vec(), [-4.0, -4.0]);
    for (by_m, (by_x, by_k)) in [forward, reverse, chosen] {
        assert_eq!(by_m.shape(), [2, 2, 3]);
        let rows = [2.0, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, -2.0];
        assert_eq!(by_m.to_vec(), rows);
        assert_eq!(
            (by_x.shape(), by_x.to_vec()),
            (&[2, 3][..], vec![2.0, 4.0, 6.0, 8.0, 10.0, 12.0])
        );
        assert_eq!(by_k.to_vec(), [-2.0, -2.0]);
    }
}

/// x₀·x₁² + sin x₂·x₀, by all pairs.
#[test]
fn hessians() {
    let f = |v: Vector| {
        let [x, y, z] = [0, 1, 2].map(|i| v.at(ix![i]));
        unit(x * y * y + z.sin() * x)
    };
    let found = run(|v| hessian(f, v), vector([2.0, 3.0, 0.5])).unwrap();
    let (sin, cos) = 0.5_f64.sin_cos();
    let expected = [0.0, 6.0, cos, 6.0, 4.0, 0.0, cos, 0.0, -2.0 * sin];
    assert_eq!(found.shape(), [3, 3]);
    for (found, expected) in found.to_vec().into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-14, "{found} {expected}");
    }
    let of_nothing = run(|v: Vector| hessian(|v| v.sum(), v), vector([])).unwrap();
    assert_eq!(of_nothing.shape(), [0, 0]);
    let of_number = run(
        |x: Scalar| hessian(|x| x.map(|x| x * x * x), x),
        Array::scalar(2.0),
    );
    assert_eq!(of_number.unwrap().item(), 12.0);
    let of_matrix = |m: Matrix| hessian(|m| m.map(|x| x * x * x).sum_all(), m);
    let found = run(of_matrix, matrix([[1.0, 2.0]])).unwrap();
    assert_eq!(
        (found.shape(), found.to_vec()),
        (&[1, 2, 1, 2][..], vec![6.0, 0.0, 0.0, 12.0])
    );
}

#[test]
fn nested() {
    // The Jacobian of a gradient is the Hessian, in either mode; that of a Jacobian has three dimensions.
    let product = |v: Vector| v.product();
    let second = |v| {
        let gradient = |v| gradient_a(product, v);
        (jacobian_forward(gradient, v), jacobian_reverse(gradient, v))
    };
    let (forward, reverse) = run(second, vector([2.0, 3.0, 5.0])).unwrap();
    assert_eq!(
        forward.to_vec(),
        [0.0, 5.0, 3.0, 5.0, 0.0, 2.0, 3.0, 2.0, 0.0]
    );
    assert_eq!(reverse.to_vec(), forward.to_vec());
    let third = |v| jacobian_forward(|v| hessian(product, v), v);
    let third = run(third, vector([2.0, 3.0, 5.0])).unwrap();
    assert_eq!(third.shape(), [3, 3, 3]);
    let is_permutation = |i: usize, j: usize, k: usize| i != j && j != k && i != k;
    for (n, value) in third.to_vec().into_iter().enumerate() {
        let expected = is_permutation(n / 9, n / 3 % 3, n % 3);
        assert_eq!(value, f64::from(u8::from(expected)), "{n}");
    }
    // The gradient of the squared norm of a Jacobian: Σ (2xᵢ)² by xᵢ.
    let squares = |v: Vector| v.map(|x| x * x);
    let norm = |v| jacobian(squares, v).map(|d| d * d).sum_all();
    let found = run(|v| gradient_a(norm, v), vector([1.0, 2.0])).unwrap();
    assert_eq!(found.to_vec(), [8.0, 16.0]);
}

#[test]
fn in_single_precision() {
    let f = |x: Acc<Ix1, f32>| x.map(|x| x * x);
    let found = run(
        |x| (jacobian(f, x), hessian(|x| f(x).sum(), x)),
        vector([1.0_f32, 2.0]),
    );
    let (first, second) = found.unwrap();
    assert_eq!(first.to_vec(), [2.0_f32, 0.0, 0.0, 4.0]);
    assert_eq!(second.to_vec(), [2.0_f32, 0.0, 0.0, 2.0]);
}

#[test]
fn extents_that_elements_decide() {
    let f = |x: Vector| {
        generate(ix![x.at(ix![0]).to_i32()], |ix![i]| {
            x.at(ix![1]) * i.to_f64()
        })
    };
    let both = |x| (jacobian_reverse(f, x), jacobian_forward(f, x));
    let (reverse, forward) = run(both, vector([3.0, 1.0])).unwrap();
    for found in [reverse, forward] {
        assert_eq!(
            (found.shape(), found.to_vec()),
            (&[3, 2][..], vec![0.0, 0.0, 0.0, 1.0, 0.0, 2.0])
        );
    }
}

/// For each result, for each input: in both modes what is found of each result alone.
#[test]
fn of_tuples_by_tuples() {
    type Results = (Vector, (Scalar, Matrix));
    let f = |(v, k): (Vector, Scalar)| -> Results {
        let scaled = v.map(|x| k.the() * x * x);
        let table = generate(ix![2, 3], |ix![i, j]| {
            v.at(ix![0]) * i.to_f64() + k.the() * j.to_f64()
        });
        (scaled, (scaled.product(), table))
    };
    let of_each = move |v: Vector, k: Scalar| {
        let first = jacobian_forward(|x| f(x).0, (v, k));
        let second = jacobian_forward(|x| f(x).1.0, (v, k));
        (first, (second, jacobian_forward(|x| f(x).1.1, (v, k))))
    };
    for n in [1, 2, 5] {
        let x = || {
            (
                vector((0..n).map(|i| 0.5 + i as f64).collect::<Vec<_>>()),
                Array::scalar(3.0),
            )
        };
        let expected = flat(run(of_each, x()).unwrap());
        let forward = |v: Vector, k: Scalar| jacobian_forward(f, (v, k));
        let reverse = |v: Vector, k: Scalar| jacobian_reverse(f, (v, k));
        let chosen = |v: Vector, k: Scalar| jacobian(f, (v, k));
        let both = |v: Vector, k: Scalar| value_and_jacobian(f, (v, k));
        close(&flat(run(forward, x()).unwrap()), &expected);
        close(&flat(run(reverse, x()).unwrap()), &expected);
        close(&flat(run(chosen, x()).unwrap()), &expected);
        let ((scaled, (product, table)), derivatives) = run(both, x()).unwrap();
        assert_eq!(
            (scaled.len(), product.shape(), table.shape()),
            (n, &[][..], &[2, 3][..])
        );
        close(&flat(derivatives), &expected);
    }
}

type Blocks = (
    (Array<Ix2, f64>, Array<Ix1, f64>),
    (
        (Array<Ix1, f64>, Array<Ix0, f64>),
        (Array<Ix3, f64>, Array<Ix2, f64>),
    ),
);

/// The shapes and elements of all blocks.
fn flat(blocks: Blocks) -> Vec<(Vec<usize>, Vec<f64>)> {
    let ((a, b), ((c, d), (e, f))) = blocks;
    vec![
        (a.shape().to_vec(), a.to_vec()),
        (b.shape().to_vec(), b.to_vec()),
        (c.shape().to_vec(), c.to_vec()),
        (d.shape().to_vec(), d.to_vec()),
        (e.shape().to_vec(), e.to_vec()),
        (f.shape().to_vec(), f.to_vec()),
    ]
}

#[track_caller]
fn close(found: &[(Vec<usize>, Vec<f64>)], expected: &[(Vec<usize>, Vec<f64>)]) {
    for ((shape, found), (expected_shape, expected)) in found.iter().zip(expected) {
        assert_eq!(shape, expected_shape);
        assert_eq!(found.len(), expected.len());
        for (x, y) in found.iter().zip(expected) {
            assert!((x - y).abs() <= 1e-12 * (1.0 + y.abs()), "{x}, not {y}");
        }
    }
}

#[test]
fn hessians_by_tuples() {
    // v₀²·k + k³·Σ v, by both.
    let f = |(v, k): (Vector, Scalar)| {
        let sum = v.sum();
        unit(v.at(ix![0]) * v.at(ix![0]) * k.the() + k.the() * k.the() * k.the() * sum.the())
    };
    let second = |v: Vector, k: Scalar| hessian(f, (v, k));
    let x = (vector([5.0, 7.0]), Array::scalar(2.0));
    let ((vv, vk), (kv, kk)) = run(second, x).unwrap();
    assert_eq!(
        (vv.shape(), vv.to_vec()),
        (&[2, 2][..], vec![4.0, 0.0, 0.0, 0.0])
    );
    assert_eq!((vk.shape(), vk.to_vec()), (&[2][..], vec![22.0, 12.0]));
    assert_eq!((kv.shape(), kv.to_vec()), (&[2][..], vec![22.0, 12.0]));
    assert_eq!((kk.shape(), kk.item()), (&[][..], 144.0));
}
