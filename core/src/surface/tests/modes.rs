//! Functions over rows, linear maps, results beside a value, and derivatives of scalar code backwards.

use super::values::{Matrix, Vector, matrix, run, vector};
use crate::surface::prelude::*;

type Scalar = Acc<Ix0, f64>;

#[test]
fn rows_of_arrays_of_any_rank() {
    let f = |m: Matrix, v: Vector, n: Acc<Ix1, i32>| {
        let one = |(row, x, n): (Vector, Scalar, Acc<Ix0, i32>)| {
            let scaled = row.map(|a| a * x.the());
            (scaled, (scaled.sum(), n.map(|n| (n, n + 1))))
        };
        vmap(one, (m, v, n))
    };
    let m = matrix([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    // The array with the fewest rows counts.
    let (rows, (sums, pairs)) = run(f, (m, vector([10.0, 100.0]), vector([7, 8, 9]))).unwrap();
    assert_eq!(
        (rows.shape(), rows.to_vec()),
        (&[2, 2][..], vec![10.0, 20.0, 300.0, 400.0])
    );
    assert_eq!(sums.to_vec(), [30.0, 700.0]);
    assert_eq!(pairs.to_vec(), [(7, 8), (8, 9)]);
}

#[test]
fn no_rows_and_empty_rows() {
    let f = |m: Matrix| vmap(|row: Vector| (row.sum(), row.map(|x| x + 1.0)), m);
    for shape in [[0, 3], [2, 0], [0, 0]] {
        let (sums, rows) = run(f, Array::from_vec(shape, vec![]).unwrap()).unwrap();
        assert_eq!(sums.to_vec(), vec![0.0; shape[0]]);
        assert_eq!(rows.shape(), shape);
    }
}

#[test]
fn rows_of_rows() {
    let f = |a: Acc<Ix3, f64>| {
        let one = |x: Scalar, row: Vector| row.map(|y| y - x.the());
        vmap(
            |m: Matrix| vmap(|row: Vector| one(row.maximum(), row), m),
            a,
        )
    };
    let a = Array::from_vec([2, 1, 2], vec![1.0, 3.0, 8.0, 5.0]).unwrap();
    let found = run(f, a).unwrap();
    assert_eq!(
        (found.shape(), found.to_vec()),
        (&[2, 1, 2][..], vec![-2.0, 0.0, 0.0, -3.0])
    );
}

/// Rows make different numbers of trips, and are differentiated through them.
#[test]
fn loops_in_rows() {
    let halved = |v: Vector| {
        awhile(
            |v: Vector| v.sum().the().gt(1.0),
            |_, v| v.map(|x| x / 2.0),
            v,
        )
    };
    let f = |m: Matrix| {
        let all = |m| vmap(halved, m);
        (all(m), gradient_a(|m| all(m).map(|x| x * x).sum_all(), m))
    };
    let m = matrix([[0.25, 0.5], [3.0, 1.0], [1.0, 0.5]]);
    let (values, gradient) = run(f, m).unwrap();
    assert_eq!(values.to_vec(), [0.25, 0.5, 0.75, 0.25, 0.5, 0.25]);
    assert_eq!(gradient.to_vec(), [0.5, 1.0, 0.375, 0.125, 0.5, 0.25]);
    let times = |v: Vector, n: Acc<Ix1, i32>| {
        vmap(
            |(x, n): (Scalar, Acc<Ix0, i32>)| aiterate(n.the(), |_, x| x.map(|x| x * x), x),
            (v, n),
        )
    };
    let f = |v: Vector, n| (times(v, n), gradient_a(|v| times(v, n).sum(), v));
    let (values, gradient) = run(f, (vector([2.0, 3.0, 2.0]), vector([0, 1, 3]))).unwrap();
    assert_eq!(values.to_vec(), [2.0, 9.0, 256.0]);
    assert_eq!(gradient.to_vec(), [1.0, 6.0, 1024.0]);
}

#[test]
fn gradients_of_rows_and_through_them() {
    let loss = |w: Vector, x: Vector| w.zip_with(x, |w, x| w * w * x).sum();
    let f = |w: Vector, xs: Matrix| {
        let each = vmap(|x| gradient_a(|w| loss(w, x), w), xs);
        let of_all = gradient_a(|w| vmap(|x| loss(w, x), xs).map(|l| l * l).sum(), w);
        (each, of_all)
    };
    let xs = matrix([[1.0, 0.0], [2.0, 3.0]]);
    let (each, of_all) = run(f, (vector([1.0, 2.0]), xs)).unwrap();
    assert_eq!(each.to_vec(), [2.0, 0.0, 4.0, 12.0]);
    // Losses 1 and 14, so 2·1·[2, 0] + 2·14·[4, 12].
    assert_eq!(of_all.to_vec(), [116.0, 336.0]);
}

#[test]
fn rows_whose_results_differ_in_shape_are_refused() {
    let f = |v: Acc<Ix1, i32>| vmap(|n: Acc<Ix0, i32>| fill(ix![n.the()], 0.0), v);
    let refused = trace(f).unwrap_err().to_string();
    assert!(
        refused.contains("`vmap`") && refused.contains("not known"),
        "{refused}"
    );
}

#[test]
fn linear_maps() {
    // x ↦ (x₀², x₀·x₁, x₁): a Jacobian that is not square.
    let f = |x: Vector| {
        let (a, b) = (x.at(ix![0]), x.at(ix![1]));
        let parts = [(a * a), (a * b), b].map(|y| unit(y).reshape(ix![1]));
        parts[0].append(parts[1]).append(parts[2])
    };
    let program = |x: Vector, dx: Matrix, dy: Matrix| {
        let (y, derivative) = linearize(f, x);
        let forward = vmap(|dx| derivative.apply(dx), dx);
        let back = vmap(|dy| derivative.transpose(dy), dy);
        (y, forward, back)
    };
    let dx = matrix([[1.0, 0.0], [0.0, 1.0], [1.0, 10.0]]);
    let dy = matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 10.0, 100.0]]);
    let (y, forward, back) = run(program, (vector([2.0, 3.0]), dx, dy)).unwrap();
    assert_eq!(y.to_vec(), [4.0, 6.0, 3.0]);
    assert_eq!(
        forward.to_vec(),
        [4.0, 3.0, 0.0, 0.0, 2.0, 1.0, 4.0, 23.0, 10.0]
    );
    assert_eq!(back.to_vec(), [4.0, 0.0, 3.0, 2.0, 34.0, 120.0]);
}

#[test]
fn results_beside_a_value() {
    let f = |x: Vector| {
        let loss = |x: Vector| (x.map(|x| x * x).sum(), (x.map(|x| x.to_i32()), x.maximum()));
        let (gradient, aux) = gradient_aux_a(loss, x);
        let ((value, again), gradient_again) = value_and_gradient_aux_a(loss, x);
        ((gradient, gradient_again), value, (aux, again))
    };
    let ((gradient, again), value, (aux, aux_again)) = run(f, vector([1.0, 3.5])).unwrap();
    assert_eq!((gradient.to_vec(), value.item()), (vec![2.0, 7.0], 13.25));
    assert_eq!(again.to_vec(), gradient.to_vec());
    for (integers, largest) in [aux, aux_again] {
        assert_eq!((integers.to_vec(), largest.item()), (vec![1, 3], 3.5));
    }
}

#[test]
fn backwards_in_scalar_code() {
    let f = |v: Vector| {
        v.map(|x| {
            // Results of two types of float, and an integer, which does not count.
            let inside = |(x, n): (Exp<f64>, Exp<i32>)| {
                let narrow = (x * 3.0).to_f32();
                ([x * x, x * n.to_f64()], (narrow, n))
            };
            let cotangent = ([1.0, 10.0], (100.0_f32, 7));
            let (value, dx) = value_and_vjp_e(inside, (x, 5), cotangent);
            (value, dx, vjp_e(inside, (x, 5), cotangent))
        })
    };
    let found = run(f, vector([2.0])).unwrap().to_vec();
    assert_eq!(found, [(([4.0, 10.0], (6.0, 5)), (354.0, 0), (354.0, 0))]);
    let nothing = |v: Vector| v.map(|x| vjp_e(|x| x.to_i32(), x, 1));
    assert_eq!(run(nothing, vector([1.5])).unwrap().to_vec(), [0.0]);
    // In a gradient of array code: Σ x·(x²)' = Σ 2x².
    let f = |v: Vector| gradient_a(|v: Vector| v.map(|x| vjp_e(|y| y * y, x, x)).sum(), v);
    assert_eq!(run(f, vector([1.0, 3.0])).unwrap().to_vec(), [4.0, 12.0]);
}

#[test]
fn hessians_of_scalar_code() {
    let f = |(x, y): (Exp<f64>, Exp<f64>)| x.sin() * y * y;
    let g = |v: Acc<Ix1, (f64, f64)>| v.map(|p| hvp_e(f, p, (1.0, 10.0)));
    let [(dx, dy)] = run(g, vector([(0.5, 2.0)])).unwrap().to_vec()[..] else {
        panic!("one element");
    };
    let (sin, cos) = 0.5_f64.sin_cos();
    assert!((dx - (-sin * 4.0 + 10.0 * 4.0 * cos)).abs() < 1e-14, "{dx}");
    assert!((dy - (4.0 * cos + 20.0 * sin)).abs() < 1e-14, "{dy}");
}
