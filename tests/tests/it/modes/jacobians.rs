//! Dense Jacobians and Hessians, against formulas, in both modes; and derivatives of them.

use super::{Matrix, Scalar, Vector, close, given, waves, waves_derivative};
use crate::loop_gradients::{matrix, narrow, numbers};
use crate::loops::vector;
use cotangent::prelude::*;

#[test]
fn jacobians_of_vectors() {
    let all = |x| {
        (
            jacobian_forward(waves::<f64>, x),
            jacobian_reverse(waves::<f64>, x),
            value_and_jacobian(waves::<f64>, x),
        )
    };
    for n in [0, 1, 2, 3, 4, 9] {
        let x = numbers(n, 1);
        let (forward, reverse, (value, chosen)) = given(all, vector(x.clone()));
        assert_eq!(value.len(), 3);
        for found in [forward, reverse, chosen] {
            assert_eq!(found.shape(), [3, n]);
            close(&found.to_vec(), &waves_derivative(&x));
        }
    }
    let single = |x| {
        (
            jacobian_forward(waves::<f32>, x),
            jacobian_reverse(waves::<f32>, x),
            jacobian(waves::<f32>, x),
        )
    };
    let x = numbers(4, 2);
    let narrow = x.iter().map(|&x| x as f32).collect::<Vec<_>>();
    let (forward, reverse, chosen) = given(single, vector(narrow));
    for found in [forward, reverse, chosen] {
        for (found, expected) in found.to_vec().into_iter().zip(waves_derivative(&x)) {
            assert!(
                (f64::from(found) - expected).abs() < 1e-5,
                "{found}, not {expected}"
            );
        }
    }
}

/// By a matrix, a vector and a number: k·M·x, of which rows are scaled.
fn affine((m, (x, k)): (Matrix, (Vector, Scalar))) -> Vector {
    let rows = x.replicate(ix![m.shape().0.1, All]);
    let y = m.zip_with(rows, |a, b| a * b).sum();
    y.enumerate().map(|(i, y)| y * k.the() * (i + 1).to_f64())
}

#[test]
fn jacobians_by_tuples() {
    let all = |m: Matrix, x: Vector, k: Scalar| {
        let at = (m, (x, k));
        (
            jacobian_forward(affine, at),
            jacobian_reverse(affine, at),
            jacobian(affine, at),
        )
    };
    for (rows, columns) in [(2, 3), (3, 1), (0, 2), (2, 0)] {
        let (m, x, k) = (numbers(rows * columns, 3), numbers(columns, 4), 1.5);
        let input = (
            matrix(rows, columns, 3),
            vector(x.clone()),
            Array::scalar(k),
        );
        let (forward, reverse, chosen) = given(all, input);
        let scale = |i: usize| k * (i + 1) as f64;
        for (by_m, (by_x, by_k)) in [forward, reverse, chosen] {
            assert_eq!(by_m.shape(), [rows, rows, columns]);
            assert_eq!(
                (by_x.shape(), by_k.shape()),
                (&[rows, columns][..], &[rows][..])
            );
            for i in 0..rows {
                for j in 0..columns {
                    let here = m[i * columns + j] * scale(i);
                    close(&[by_x.get([i, j]).unwrap()], &[here]);
                    for other in 0..rows {
                        let expected = if other == i { scale(i) * x[j] } else { 0.0 };
                        close(&[by_m.get([i, other, j]).unwrap()], &[expected]);
                    }
                }
                let row = &m[i * columns..(i + 1) * columns];
                let product: f64 = row.iter().zip(&x).map(|(a, b)| a * b).sum();
                close(&[by_k.get([i]).unwrap()], &[product * (i + 1) as f64]);
            }
        }
    }
}

/// A matrix transposed and scaled by the column: the derivative has four dimensions.
#[test]
fn jacobians_of_matrices() {
    let f = |m: Acc<Ix2, f32>| {
        let ix![rows, columns] = m.shape();
        generate(ix![columns, rows], |ix![j, i]| {
            m.at(ix![i, j]) * m.at(ix![i, j]) * (j + 1).to_f32()
        })
    };
    let both = |m| (jacobian_forward(f, m), jacobian_reverse(f, m));
    for (rows, columns) in [(2, 3), (1, 1), (0, 2), (2, 0)] {
        let m = narrow(rows, columns, 5);
        let (forward, reverse) = given(both, m.clone());
        assert_eq!(forward.shape(), [columns, rows, rows, columns]);
        assert_eq!(forward.to_vec(), reverse.to_vec());
        for (n, value) in forward.to_vec().into_iter().enumerate() {
            let (from, to) = (n % (rows * columns), n / (rows * columns));
            let (i, j) = (from / columns, from % columns);
            let expected = match to == j * rows + i {
                true => 2.0 * m.get([i, j]).unwrap() * (j + 1) as f32,
                false => 0.0,
            };
            assert!(
                (value - expected).abs() < 1e-6,
                "{n}: {value}, not {expected}"
            );
        }
    }
}

#[test]
fn jacobians_without_dimensions() {
    let cube = |x: Scalar| x.map(|x| x * x * x);
    let powers = |x: Scalar| generate(ix![3], |ix![i]| x.the() * x.the() * (i + 1).to_f64());
    let total = |m: Matrix| m.map(|x| x * x).sum_all();
    let f = |x: Scalar, m: Matrix| {
        let numbers = (
            jacobian_forward(cube, x),
            jacobian_reverse(cube, x),
            jacobian(cube, x),
        );
        let by_number = (jacobian(powers, x), jacobian_reverse(powers, x));
        (
            numbers,
            by_number,
            (jacobian(total, m), jacobian_forward(total, m)),
        )
    };
    let input = (Array::scalar(2.0), matrix(2, 3, 6));
    let ((a, b, c), (forward, reverse), (by_rows, by_columns)) = given(f, input);
    assert_eq!([a, b, c].map(|x| x.item()), [12.0; 3]);
    assert_eq!(forward.to_vec(), [4.0, 8.0, 12.0]);
    assert_eq!(reverse.to_vec(), forward.to_vec());
    let expected: Vec<_> = numbers(6, 6).into_iter().map(|x| 2.0 * x).collect();
    assert_eq!(
        (by_rows.to_vec(), by_columns.to_vec()),
        (expected.clone(), expected)
    );
}

/// Rosenbrock's function: Σ 100·(xᵢ₊₁ - xᵢ²)² + (1 - xᵢ)².
fn rosenbrock(x: Vector) -> Scalar {
    let n = (x.size() - 1).max(0);
    let terms = generate(ix![n], |ix![i]| {
        let (a, b) = (x.at(ix![i]), x.at(ix![i + 1]));
        100.0 * (b - a * a) * (b - a * a) + (1.0 - a) * (1.0 - a)
    });
    terms.sum()
}

fn rosenbrock_hessian(x: &[f64]) -> Vec<f64> {
    let n = x.len();
    let mut hessian = vec![0.0; n * n];
    for i in 1..n {
        hessian[n * (i - 1) + i - 1] += 1200.0 * x[i - 1] * x[i - 1] - 400.0 * x[i] + 2.0;
        hessian[n * (i - 1) + i] = -400.0 * x[i - 1];
        hessian[n * i + i - 1] = -400.0 * x[i - 1];
        hessian[n * i + i] += 200.0;
    }
    hessian
}

#[test]
fn hessians() {
    let f = |x| {
        (
            hessian(rosenbrock, x),
            jacobian_reverse(|x| gradient_a(rosenbrock, x), x),
        )
    };
    for n in [0, 1, 2, 3, 8] {
        let x = numbers(n, 7);
        let (forward, reverse) = given(f, vector(x.clone()));
        assert_eq!(forward.shape(), [n, n]);
        close(&forward.to_vec(), &rosenbrock_hessian(&x));
        close(&reverse.to_vec(), &rosenbrock_hessian(&x));
    }
    let cubes = |m: Matrix| m.map(|x| x * x * x).sum_all();
    let found = given(|m| hessian(cubes, m), matrix(2, 1, 8));
    assert_eq!(found.shape(), [2, 1, 2, 1]);
    let [a, b] = numbers(2, 8)[..] else {
        panic!("two numbers");
    };
    close(&found.to_vec(), &[6.0 * a, 0.0, 0.0, 6.0 * b]);
}

#[test]
fn derivatives_of_jacobians() {
    // The squared norm of a Jacobian, in each mode, and its gradient.
    let norm = |j: Matrix| j.map(|d| d * d).sum_all();
    let all = |x| {
        let forward = value_and_gradient_a(|x| norm(jacobian_forward(waves, x)), x);
        let reverse = value_and_gradient_a(|x| norm(jacobian_reverse(waves, x)), x);
        (
            forward,
            reverse,
            value_and_gradient_a(|x| norm(jacobian(waves, x)), x),
        )
    };
    for n in [0, 1, 2, 5] {
        let x = numbers(n, 9);
        let by_x = |j: usize| {
            let term = |i: usize| {
                let frequency = (i + 1) as f64;
                let (sin, cos) = (frequency * x[j]).sin_cos();
                -2.0 * frequency.powi(3) * sin * cos / ((j + 1) * (j + 1)) as f64
            };
            (0..3).map(term).sum::<f64>()
        };
        let value: f64 = waves_derivative(&x).iter().map(|d| d * d).sum();
        let expected: Vec<_> = (0..n).map(by_x).collect();
        let (forward, reverse, chosen) = given(all, vector(x.clone()));
        for (norm, gradient) in [forward, reverse, chosen] {
            close(&norm.to_vec(), &[value]);
            close(&gradient.to_vec(), &expected);
        }
    }
    // Third derivatives of a product of four.
    let third = |x| jacobian_forward(|x| hessian(|x: Vector| x.product(), x), x);
    let found = given(third, vector([2.0, 3.0, 5.0, 7.0]));
    for (n, value) in found.to_vec().into_iter().enumerate() {
        let [i, j, k] = [n / 16, n / 4 % 4, n % 4];
        let rest = [2.0, 3.0, 5.0, 7.0][6_usize.saturating_sub(i + j + k).min(3)];
        let expected = if i != j && j != k && i != k {
            rest
        } else {
            0.0
        };
        close(&[value], &[expected]);
    }
}

/// Two results, a vector and a number, by a vector and a number: a block for each pair.
#[test]
fn jacobians_of_tuples() {
    let f = |(x, k): (Vector, Scalar)| (waves(x.map(|x| x * k.the())), x.map(|x| x * x).sum());
    let all = |x: Vector, k: Scalar| {
        let at = (x, k);
        let forward = jacobian_forward(f, at);
        (forward, jacobian_reverse(f, at), jacobian(f, at))
    };
    for n in [0, 1, 2, 3, 4, 9] {
        let (x, k) = (numbers(n, 29), 1.5);
        let scaled: Vec<_> = x.iter().map(|x| k * x).collect();
        let inner = waves_derivative(&scaled);
        let by_x: Vec<_> = inner.iter().map(|d| k * d).collect();
        let by_k = (0..3).map(|i| {
            let row = inner[i * n..(i + 1) * n].iter().zip(&x);
            row.map(|(d, x)| d * x).sum()
        });
        let by_k: Vec<f64> = by_k.collect();
        let (forward, reverse, chosen) = given(all, (vector(x.clone()), Array::scalar(k)));
        for ((waves_by_x, waves_by_k), (sum_by_x, sum_by_k)) in [forward, reverse, chosen] {
            assert_eq!(
                (waves_by_x.shape(), sum_by_x.shape()),
                (&[3, n][..], &[n][..])
            );
            close(&waves_by_x.to_vec(), &by_x);
            close(&waves_by_k.to_vec(), &by_k);
            let doubled: Vec<_> = x.iter().map(|x| 2.0 * x).collect();
            close(&sum_by_x.to_vec(), &doubled);
            assert_eq!(sum_by_k.item(), 0.0);
        }
    }
}

#[test]
fn hessians_by_tuples() {
    // k²·Σ xᵢ³.
    let f = |(x, k): (Vector, Scalar)| {
        x.map(|x| x * x * x)
            .sum()
            .map(|sum| sum * k.the() * k.the())
    };
    let second = |x: Vector, k: Scalar| hessian(f, (x, k));
    for n in [0, 1, 5] {
        let (x, k) = (numbers(n, 30), 1.5);
        let ((xx, xk), (kx, kk)) = given(second, (vector(x.clone()), Array::scalar(k)));
        assert_eq!(xx.shape(), [n, n]);
        for (place, value) in xx.to_vec().into_iter().enumerate() {
            let (i, j) = (place / n, place % n);
            let expected = if i == j { 6.0 * k * k * x[i] } else { 0.0 };
            close(&[value], &[expected]);
        }
        let mixed: Vec<_> = x.iter().map(|x| 6.0 * k * x * x).collect();
        close(&xk.to_vec(), &mixed);
        close(&kx.to_vec(), &mixed);
        let cubes: f64 = x.iter().map(|x| 2.0 * x * x * x).sum();
        close(&[kk.item()], &[cubes]);
    }
}

/// As many results as the first number says.
#[test]
fn extents_that_elements_decide() {
    let f = |x: Vector| {
        generate(ix![x.at(ix![0]).to_i32()], |ix![i]| {
            x.at(ix![1]) * x.at(ix![1]) * i.to_f64()
        })
    };
    for n in [0.0, 1.0, 3.0] {
        let both = |x: Vector| (jacobian_forward(f, x), jacobian_reverse(f, x));
        let (forward, reverse) = given(both, vector([n, 2.0, 5.0]));
        assert_eq!(forward.shape(), [n as usize, 3]);
        assert_eq!(forward.to_vec(), reverse.to_vec());
    }
}
