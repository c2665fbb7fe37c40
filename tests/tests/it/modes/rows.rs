//! Functions over rows: of any shape, in derivatives, in loops and with loops in them.

use super::{Matrix, Scalar, Vector, close, given};
use crate::loop_gradients::{matrix, numbers};
use crate::loops::vector;
use cotangent::prelude::*;

#[test]
fn rows() {
    let f = |m: Matrix, v: Vector| {
        let one = |(row, x): (Vector, Scalar)| {
            let scaled = row.map(|a| a * x.the());
            (scaled.scanl1(|a, b| a + b), scaled.sum())
        };
        vmap(one, (m, v))
    };
    for (rows, length, columns) in [(3, 3, 2), (2, 4, 1), (4, 2, 3), (0, 2, 2), (2, 2, 0)] {
        let (m, v) = (numbers(rows * columns, 10), numbers(length, 11));
        let (sums, totals) = given(f, (matrix(rows, columns, 10), vector(v.clone())));
        let n = rows.min(length);
        assert_eq!(
            (sums.shape(), totals.shape()),
            (&[n, columns][..], &[n][..])
        );
        for i in 0..n {
            let mut sum = 0.0;
            for j in 0..columns {
                sum += m[i * columns + j] * v[i];
                close(&[sums.get([i, j]).unwrap()], &[sum]);
            }
            close(&[totals.get([i]).unwrap()], &[sum]);
        }
    }
}

/// The loss of one example, and what is made of it for all.
fn loss(w: Vector, x: Vector) -> Scalar {
    w.zip_with(x, |w, x| (w * x).sin()).sum().map(|s| s * s)
}

#[test]
fn gradients_of_rows_and_through_them() {
    let f = |w: Vector, xs: Matrix| {
        let each = vmap(|x| gradient_a(|w| loss(w, x), w), xs);
        let total = |w| vmap(|x| loss(w, x), xs).sum();
        (
            each,
            value_and_gradient_a(total, w),
            jacobian_reverse(|w| vmap(|x| loss(w, x), xs), w),
        )
    };
    for (examples, n) in [(1, 1), (5, 3), (0, 2), (3, 0)] {
        let (w, xs) = (numbers(n, 12), numbers(examples * n, 13));
        let (each, (_, of_all), jacobian) = given(f, (vector(w.clone()), matrix(examples, n, 13)));
        let mut expected = vec![];
        for x in xs.chunks(n.max(1)) {
            let sum: f64 = w.iter().zip(x).map(|(w, x)| (w * x).sin()).sum();
            expected.extend(w.iter().zip(x).map(|(w, x)| 2.0 * sum * x * (w * x).cos()));
        }
        close(&each.to_vec(), &expected);
        close(&jacobian.to_vec(), &expected);
        let sum = |j: usize| expected.iter().skip(j).step_by(n).sum();
        close(&of_all.to_vec(), &(0..n).map(sum).collect::<Vec<f64>>());
    }
}

#[test]
fn rows_of_rows_and_in_loops() {
    let nested = |a: Acc<Ix3, f64>| {
        let centred = |row: Vector| {
            let mean = row.sum().map(|s| s / row.size().to_f64());
            row.map(|x| x - mean.the())
        };
        let all = |a| vmap(|m: Matrix| vmap(centred, m), a);
        (
            all(a),
            gradient_a(|a| all(a).map(|x| x * x * x).sum().sum().sum(), a),
        )
    };
    let a = Array::from_vec([2, 3, 4], numbers(24, 14)).unwrap();
    let (values, gradient) = given(nested, a);
    for row in 0..6 {
        let x = &numbers(24, 14)[4 * row..][..4];
        let mean = x.iter().sum::<f64>() / 4.0;
        let centred = [0, 1, 2, 3].map(|i| x[i] - mean);
        let squares: f64 = centred.iter().map(|x| 3.0 * x * x).sum();
        close(&values.to_vec()[4 * row..][..4], &centred);
        close(
            &gradient.to_vec()[4 * row..][..4],
            &centred.map(|x| 3.0 * x * x - squares / 4.0),
        );
    }
    // Rows that are smoothed, again and again.
    let smooth = |m: Matrix, n: Acc<Ix0, i32>| {
        let step = |row: Vector| row.zip_with(row.roll(ix![1]), |a, b| 0.5 * (a + b));
        let run = |m| aiterate(n.the(), |_, m| vmap(step, m), m);
        (run(m), gradient_a(|m| run(m).map(|x| x * x).sum_all(), m))
    };
    for trips in [0, 1, 3] {
        given(smooth, (matrix(3, 4, 15), Array::scalar(trips)));
    }
}

/// Rows that make different numbers of trips.
#[test]
fn loops_in_rows() {
    let halved = |v: Vector| {
        awhile(
            |v: Vector| v.sum().the().gt(1.0),
            |_, v| v.map(|x| x * x / 2.0),
            v,
        )
    };
    let f = |m: Matrix| {
        let all = |m| vmap(halved, m);
        (all(m), gradient_a(|m| all(m).map(|x| x * x).sum_all(), m))
    };
    let m = Array::from_vec([4, 2], vec![0.25, 0.5, 1.5, 1.0, 1.25, 1.0, 0.5, 0.75]).unwrap();
    let (values, gradient) = given(f, m);
    assert_eq!(values.to_vec()[..2], [0.25, 0.5]);
    assert_eq!(gradient.to_vec()[..2], [0.5, 1.0]);
    // 1.5 becomes 1.125, 0.6328…, and 1 becomes 0.5, 0.125: two trips.
    assert_eq!(values.to_vec()[2..4], [0.6328125, 0.125]);
    close(
        &gradient.to_vec()[2..4],
        &[2.0 * 0.6328125 * 1.125 * 1.5, 2.0 * 0.125 * 0.5],
    );
    let powers = |v: Vector, n: Acc<Ix1, i32>| {
        let one = |(x, n): (Scalar, Acc<Ix0, i32>)| aiterate(n.the(), |_, x| x.map(|x| x * x), x);
        let all = |v| vmap(one, (v, n));
        (all(v), gradient_a(|v| all(v).sum(), v))
    };
    let (values, gradient) = given(
        powers,
        (vector([2.0, 3.0, 2.0, 5.0]), vector([0, 1, 3, -1])),
    );
    assert_eq!(values.to_vec(), [2.0, 9.0, 256.0, 5.0]);
    assert_eq!(gradient.to_vec(), [1.0, 6.0, 1024.0, 1.0]);
}
