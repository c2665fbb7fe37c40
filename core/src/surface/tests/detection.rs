//! Patterns that are found: of named programs they are what is expected, and have all that is not zero in the dense derivatives.

use super::values::{Matrix, Vector, run, vector};
use crate::surface::prelude::*;

type Rows = Vec<Vec<usize>>;

/// The columns of each row of a pattern.
fn rows_of(pattern: &SparsityPattern) -> Rows {
    let mut rows = vec![vec![]; pattern.rows()];
    for (row, column) in pattern.coordinates() {
        rows[row].push(column);
    }
    rows
}

/// What a function is found to depend on; all that is not zero in the dense Jacobian is among it, and the sparse one has the same values.
#[track_caller]
fn found(f: impl Fn(Vector) -> Vector + Copy, x: &[f64]) -> Rows {
    let pattern = SparsityPattern::detect(f, vector(x)).unwrap();
    assert_eq!(pattern.columns(), x.len());
    let both = |x| (jacobian_reverse(f, x), jacobian_sparse(f, x, &pattern));
    let (dense, sparse) = run(both, vector(x)).unwrap();
    assert_eq!(pattern.rows(), dense.shape()[0]);
    compared(&pattern, (dense, sparse))
}

/// What the gradient of a function is found to depend on; as [`found`], for Hessians.
#[track_caller]
fn found_hessian(f: impl Fn(Vector) -> Acc<Z, f64> + Copy, x: &[f64]) -> Rows {
    let pattern = SparsityPattern::detect_hessian(f, vector(x)).unwrap();
    let both = |x| (hessian(f, x), hessian_sparse(f, x, &pattern));
    let (dense, sparse) = run(both, vector(x)).unwrap();
    compared(&pattern, (dense, sparse))
}

/// The rows of a pattern, by which a matrix has these values, and zeros elsewhere.
#[track_caller]
fn compared(
    pattern: &SparsityPattern,
    (dense, sparse): (Array<Ix2, f64>, Array<Ix1, f64>),
) -> Rows {
    let mut rest = dense.to_vec();
    for ((row, column), value) in pattern.coordinates().zip(sparse.to_vec()) {
        let dense = std::mem::take(&mut rest[row * pattern.columns() + column]);
        assert!(
            (dense - value).abs() < 1e-12,
            "{row}, {column}: {value}, not {dense}"
        );
    }
    assert_eq!(rest, vec![0.0; rest.len()]);
    rows_of(pattern)
}

/// Numbers of which none is zero, and no two are alike.
fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.3 + (i as f64 * 0.7).sin().abs()).collect()
}

fn band(n: usize, width: usize) -> Rows {
    let row = |i: usize| (i.saturating_sub(width)..(i + width + 1).min(n)).collect();
    (0..n).map(row).collect()
}

fn smoothed(x: Vector) -> Vector {
    let last = x.size() - 1;
    generate(x.shape(), |ix![i]| {
        let (left, right) = (x.at(ix![(i - 1).max(0)]), x.at(ix![(i + 1).min(last)]));
        left.sin() * x.at(ix![i]) + right
    })
}

#[test]
fn bands() {
    for n in [0, 1, 2, 7] {
        assert_eq!(found(smoothed, &numbers(n)), band(n, 1));
        // What is zero at this point is not zero everywhere.
        assert_eq!(found(smoothed, &vec![0.0; n]), band(n, 1));
    }
    let large = SparsityPattern::detect(smoothed, vector(numbers(20_000))).unwrap();
    assert_eq!((large.colors(), rows_of(&large)), (3, band(20_000, 1)));
}

#[test]
fn arrows_and_sums() {
    let arrow = |x: Vector| {
        let all = x.map(|x| x * x).sum();
        generate(x.shape(), |ix![i]| {
            cond(i.eq_(0), all.the(), x.at(ix![0]) * x.at(ix![i]))
        })
    };
    // Sets of more elements than a list may have, too.
    for n in [1, 2, 16, 17, 18, 60] {
        let row = |i: usize| if i == 0 { (0..n).collect() } else { vec![0, i] };
        assert_eq!(found(arrow, &numbers(n)), (0..n).map(row).collect::<Rows>());
    }
    let sum = |x: Vector| x.sum().reshape(ix![1]);
    let large = SparsityPattern::detect(sum, vector(numbers(100_000))).unwrap();
    assert_eq!(
        (large.colored(), large.colors(), large.entries()),
        (Colored::Rows, 1, 100_000)
    );
}

#[test]
fn blocks() {
    // Each row of a matrix divided by its norm, and the rows in another order.
    let f = |x: Vector| {
        let m = x.reshape(ix![4, 3]);
        let norms = m.map(|x| x * x).sum().map(|x| x.sqrt());
        generate(m.shape(), |ix![i, j]| {
            m.at(ix![3 - i, j]) / norms.at(ix![3 - i])
        })
        .flatten()
    };
    let row = |i: usize| (0..3).map(|j| 3 * (3 - i / 3) + j).collect();
    assert_eq!(found(f, &numbers(12)), (0..12).map(row).collect::<Rows>());
}

/// Residuals of two elements by cameras of three parameters and points of two.
#[test]
fn cameras_and_points() {
    let (of_camera, of_point) = ([0, 1, 0, 1], [0, 0, 1, 2]);
    let (cameras, points) = (vector(of_camera), vector(of_point));
    let f = |x: Vector| {
        let (camera, point) = (use_(&cameras), use_(&points));
        let residual = generate(ix![4, 2], |ix![r, k]| {
            let c = |i: i32| x.at(ix![3 * camera.at(ix![r]) + i]);
            let p = x.at(ix![6 + 2 * point.at(ix![r]) + k]);
            (c(0) * p + c(1)) * c(2)
        });
        residual.flatten()
    };
    let row = |i: usize| {
        let (camera, point) = (of_camera[i / 2] as usize, of_point[i / 2] as usize);
        vec![
            3 * camera,
            3 * camera + 1,
            3 * camera + 2,
            6 + 2 * point + i % 2,
        ]
    };
    assert_eq!(found(f, &numbers(12)), (0..8).map(row).collect::<Rows>());
}

#[test]
fn scans_and_scatters() {
    let n = 20;
    let left = |x: Vector| x.scanl1(|x, y| x * y);
    assert_eq!(
        found(left, &numbers(n)),
        (0..n).map(|i| (0..=i).collect()).collect::<Rows>()
    );
    let right = |x: Vector| x.scanr1(|x, y| x + y);
    assert_eq!(
        found(right, &numbers(n)),
        (0..n).map(|i| (i..n).collect()).collect::<Rows>()
    );
    // Sums of those with the same remainder, and the last of them.
    let modulo = |combine| {
        move |x: Vector| {
            x.permute(combine, fill(ix![3], 1.0), |ix![i]| {
                (true, ix![i.mod_floor(3)])
            })
        }
    };
    let sums = vec![vec![0, 3, 6], vec![1, 4], vec![2, 5]];
    assert_eq!(found(modulo(Combine::Add), &numbers(7)), sums);
    assert_eq!(
        found(modulo(Combine::Overwrite), &numbers(7)),
        [[6], [4], [5]]
    );
}

#[test]
fn loops() {
    for trips in [0, 1, 3] {
        let f = move |x: Vector| aiterate(trips as i32, |_, x| smoothed(x), x);
        assert_eq!(found(f, &numbers(9)), band(9, trips));
        // The same, with states made again.
        let again =
            move |x: Vector| Checkpoints::Slots(2).aiterate(trips as i32, |_, x| smoothed(x), x);
        assert_eq!(found(again, &numbers(9)), band(9, trips));
    }
    // How many trips there are, the first element decides; it is nobody's derivative.
    let trips = |x: Vector| aiterate(x.at(ix![0]).to_i32(), |_, x| smoothed(x), x);
    let mut x = numbers(9);
    x[0] = 2.5;
    assert_eq!(found(trips, &x), band(9, 2));
    // In scalar code, from an element to the next but one.
    let scalar = |x: Vector| {
        let n = x.size();
        generate(x.shape(), |ix![i]| {
            iterate(
                2,
                |k, sum: Exp<f64>| sum * x.at(ix![(i + 2 * k).mod_floor(n)]),
                1.0,
            )
        })
    };
    let row = |i: usize| {
        let mut row = vec![i, (i + 2) % 5];
        row.sort_unstable();
        row
    };
    assert_eq!(
        found(scalar, &numbers(5)),
        (0..5).map(row).collect::<Rows>()
    );
}

#[test]
fn what_has_no_derivative_anywhere() {
    let none = |x: Vector| {
        generate(ix![6], |ix![i]| {
            let x = x.at(ix![0]);
            let is = |k: i32| i.eq_(k);
            let flat = cond(is(0), x.floor(), cond(is(1), x.round(), x.signum()));
            let other = cond(
                is(3),
                x.to_i32().to_f64(),
                1.0 + cond(x.gt(0.1), x * 0.0, x * 0.0).floor(),
            );
            cond(i.lt(3), flat, cond(is(5), stop_gradient_e(x), other))
        })
    };
    assert_eq!(found(none, &[0.3]), vec![vec![]; 6]);
    let stopped = |x: Vector| stop_gradient(x).zip_with(x, |a, b| a * b);
    assert_eq!(found(stopped, &numbers(2)), [[0], [1]]);
    let crossed = |x: Vector| stop_gradient(x.map(|x| x * x));
    assert_eq!(found(crossed, &numbers(2)), vec![vec![]; 2]);
}

#[test]
fn what_has_none_here_only() {
    // Of extremes both operands count, of conditions the arm that is taken.
    let f = |x: Vector| {
        let (a, b, zero) = (x.at(ix![0]), x.at(ix![1]), x.at(ix![2]));
        generate(ix![5], |ix![i]| {
            let kinds = cond(
                i.eq_(0),
                a.max(b),
                cond(i.eq_(1), cond(a.lt(b), a, b), a * zero),
            );
            cond(
                i.lt(3),
                kinds,
                cond(i.eq_(3), zero.abs(), (b * zero).powf(2.0)),
            )
        })
    };
    let rows = [vec![0, 1], vec![0], vec![0, 2], vec![2], vec![1, 2]];
    assert_eq!(found(f, &[0.5, 0.7, 0.0]), rows);
}

#[test]
fn derivatives_by_decree() {
    // Values that depend on nothing, and a rule by which they depend on their left neighbour.
    let left = |v: Vector| generate(v.shape(), |ix![i]| v.at(ix![(i - 1).max(0)]));
    let right = |v: Vector| {
        let n = v.size();
        generate(v.shape(), |ix![i]| {
            let own = cond(i.eq_(0), v.at(ix![0]), 0.0);
            own + cond(i.lt(n - 1), v.at(ix![(i + 1).min(n - 1)]), 0.0)
        })
    };
    let rows = vec![vec![0], vec![0], vec![1], vec![2]];
    let forwards =
        move |x: Vector| custom_jvp(|x: Vector| x.map(|x| x.round()), |_, _, dx| left(dx), x);
    assert_eq!(found(forwards, &numbers(4)), rows);
    // Backwards there are no derivatives along a direction: the rows are not colored for those.
    let backwards = move |x: Vector| {
        custom_vjp(
            |x: Vector| (x.map(|x| x.round()), ()),
            move |(), dy| right(dy),
            x,
        )
    };
    let pattern = SparsityPattern::detect(backwards, vector(numbers(4))).unwrap();
    assert_eq!(rows_of(&pattern), rows);
    let with_own = move |x: Vector| {
        let rule = move |(), dy: Vector| right(dy).zip_with(dy, |a, b| a + b);
        custom_vjp(|x: Vector| (x.map(|x| x.round()), ()), rule, x)
    };
    let pattern = SparsityPattern::detect(with_own, vector(numbers(4))).unwrap();
    assert_eq!(
        rows_of(&pattern),
        [vec![0], vec![0, 1], vec![1, 2], vec![2, 3]]
    );
    // What comes to the function comes through it, and is not confused with what its rule reads.
    let of_smoothed = move |x: Vector| forwards(smoothed(x)).zip_with(x, |y, x| y + x);
    let expected = [vec![0, 1], vec![0, 1], vec![0, 1, 2], vec![1, 2, 3]];
    assert_eq!(found(of_smoothed, &numbers(4)), expected);
    let pairs = |x: Vector| {
        x.map(|x| custom_jvp_e(|x: Exp<f64>| x.floor(), |_, _, dx: Exp<f64>| 3.0 * dx, x))
    };
    assert_eq!(found(pairs, &numbers(3)), [[0], [1], [2]]);
}

/// Second derivatives are those of the rule, which counts as a whole.
#[test]
fn second_derivatives_by_decree() {
    let cubed = |x: Vector| {
        let rule = |x: Vector, _, dx: Vector| x.zip_with(dx, |x, dx| x * x * dx);
        custom_jvp(|x: Vector| x.map(|x| x.floor()), rule, x).sum()
    };
    assert_eq!(found_hessian(cubed, &numbers(3)), vec![vec![0, 1, 2]; 3]);
}

#[test]
fn hessians() {
    let products = |x: Vector| smoothed(x).zip_with(x, |a, b| a * b).sum();
    for n in [0, 1, 2, 20] {
        found_hessian(products, &numbers(n));
    }
    let chain =
        |x: Vector| generate(ix![x.size() - 1], |ix![i]| x.at(ix![i]) * x.at(ix![i + 1])).sum();
    assert_eq!(
        found_hessian(chain, &numbers(4)),
        [vec![1], vec![0, 2], vec![1, 3], vec![2]]
    );
    assert_eq!(
        found_hessian(|x: Vector| x.sum(), &numbers(3)),
        vec![vec![]; 3]
    );
    // A product with what has an infinite derivative here, which a zero cuts off.
    let root = |x: Vector| unit((x.at(ix![0]) * x.at(ix![0])).sqrt() * x.at(ix![1]));
    let pattern = SparsityPattern::detect_hessian(root, vector([0.0, 0.0])).unwrap();
    assert_eq!(rows_of(&pattern), [vec![0, 1], vec![0]]);
}

#[test]
fn several_arrays_and_other_types() {
    // Rows are those of all results, columns those of all inputs.
    let f = |n: Acc<Ix1, i32>, m: Matrix, v: Vector| {
        let sums = m.sum();
        (
            n.map(|n| n + 1),
            sums.zip_with(v, |a, b| a * b),
            v.map(|x| x.to_i32()),
        )
    };
    let m = Array::from_vec([2, 2], numbers(4)).unwrap();
    let pattern = SparsityPattern::detect(f, (vector([1]), m, vector(numbers(2)))).unwrap();
    assert_eq!(pattern.columns(), 7);
    assert_eq!(
        rows_of(&pattern),
        [vec![], vec![1, 2, 5], vec![3, 4, 6], vec![], vec![]]
    );
    let single = |x: Acc<Ix1, f32>| x.map(|x| x.to_f64()).sum().reshape(ix![1]);
    let pattern = SparsityPattern::detect(single, vector([1.0_f32, 2.0])).unwrap();
    assert_eq!(rows_of(&pattern), [[0, 1]]);
    let sums = |x: Acc<Ix2, f32>| x.sum();
    let x = Array::from_vec([2, 2], vec![1.0_f32; 4]).unwrap();
    assert_eq!(
        rows_of(&SparsityPattern::detect(sums, x).unwrap()),
        [[0, 1], [2, 3]]
    );
    // A tuple in an array is one column for each of its parts.
    let pairs = |x: Acc<Ix1, (f64, f64)>| x.map(|(a, b)| (b, a * b));
    let pattern = SparsityPattern::detect(pairs, vector([(1.0, 2.0), (3.0, 4.0)])).unwrap();
    assert_eq!(
        rows_of(&pattern),
        [vec![2], vec![3], vec![0, 2], vec![1, 3]]
    );
}

#[test]
fn programs_that_fail() {
    let beyond = |x: Vector| x.map(|_| x.at(ix![9]));
    let error = SparsityPattern::detect(beyond, vector([1.0])).unwrap_err();
    assert!(error.to_string().contains("detection.rs"), "{error}");
    let refused = |x: Vector| x.map(|x| fill(ix![2], x).sum().the());
    let found = SparsityPattern::detect(refused, vector([1.0])).unwrap_err();
    assert!(matches!(found, InterpretError::Surface(_)), "{found:?}");
}
