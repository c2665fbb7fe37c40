//! Sparse Jacobians against dense ones, and patterns that do not fit.

use super::{Vector, close, given, loops};
use crate::loop_gradients::numbers;
use crate::loops::{GPU, cpus, vector};
use cotangent::errors::RunError;
use cotangent::prelude::*;
use cotangent::{Error, compile};

/// The pattern of rows with the given columns.
fn pattern(columns: usize, rows: &[Vec<usize>]) -> SparsityPattern {
    let mut offsets = vec![0];
    for row in rows {
        offsets.push(offsets[offsets.len() - 1] + row.len());
    }
    SparsityPattern::new(columns, offsets, rows.concat()).unwrap()
}

/// xᵢ·xᵢ₋₁² + sin xᵢ₊₁, without what is not there.
fn chain(x: Vector) -> Vector {
    let n = x.size();
    generate(x.shape(), |ix![i]| {
        let left = cond(i.gt(0), x.at(ix![(i - 1).max(0)]), 1.0);
        let right = cond(i.lt(n - 1), x.at(ix![(i + 1).min(n - 1)]), 0.0);
        x.at(ix![i]) * left * left + right.sin()
    })
}

/// The first result is Σ i·xᵢ², and result i is x₀·xᵢ.
fn arrow(x: Vector) -> Vector {
    let first = x.enumerate().map(|(i, x)| i.to_f64() * x * x).sum();
    x.enumerate()
        .map(|(i, y)| cond(i.eq_(0), first.the(), x.at(ix![0]) * y))
}

/// The values that a pattern lists are those of the dense Jacobian, and the others are zero.
#[track_caller]
fn sparse_is_dense(f: impl Fn(Vector) -> Vector + Copy, pattern: &SparsityPattern) {
    let both = |x| (jacobian_sparse(f, x, pattern), jacobian_reverse(f, x));
    let (sparse, dense) = given(both, vector(numbers(pattern.columns(), 16)));
    let listed: Vec<_> = pattern
        .coordinates()
        .map(|(i, j)| dense.get([i, j]).unwrap())
        .collect();
    close(&sparse.to_vec(), &listed);
    let sum = |values: Vec<f64>| values.iter().map(|x| x.abs()).sum::<f64>();
    close(&[sum(listed)], &[sum(dense.to_vec())]);
}

/// The same with colors for columns and for rows, of which there are so many.
#[track_caller]
fn both_ways(f: impl Fn(Vector) -> Vector + Copy, rows: &[Vec<usize>], colors: [usize; 2]) {
    let pattern = pattern(rows.len(), rows);
    for (colored, colors) in [Colored::Columns, Colored::Rows].into_iter().zip(colors) {
        let pattern = pattern.colored_by(colored).unwrap();
        assert_eq!(pattern.colors(), colors);
        sparse_is_dense(f, &pattern);
    }
    let [columns, rows] = colors;
    assert_eq!(pattern.colors(), columns.min(rows));
    assert_eq!(pattern.colored() == Colored::Rows, rows < columns);
}

#[test]
fn sparse_jacobians() {
    for (n, colors) in [(0, 0), (1, 1), (2, 2), (5, 3), (40, 3)] {
        let row = |i: usize| (i.saturating_sub(1)..(i + 2).min(n)).rev().collect();
        both_ways(
            chain,
            &(0..n).map(row).collect::<Vec<_>>(),
            [colors, colors],
        );
    }
    for n in [2, 7] {
        let row = |i: usize| if i == 0 { (0..n).collect() } else { vec![0, i] };
        both_ways(arrow, &(0..n).map(row).collect::<Vec<_>>(), [n, n]);
    }
    // Without the row that has them all, two colors do.
    let column = |x: Vector| x.map(|y| x.at(ix![0]) * y);
    let row = |i: usize| if i == 0 { vec![0] } else { vec![i, 0] };
    both_ways(column, &(0..20).map(row).collect::<Vec<_>>(), [2, 20]);
    // And so it is with rows, if one row has all columns.
    let row = |x: Vector| {
        let all = x.map(|y| y * y).sum();
        x.enumerate()
            .map(|(i, y)| cond(i.eq_(0), all.the(), y * y * y))
    };
    let columns = |i: usize| if i == 0 { (0..20).collect() } else { vec![i] };
    both_ways(row, &(0..20).map(columns).collect::<Vec<_>>(), [20, 2]);
}

#[test]
fn patterns_of_other_shapes() {
    let pattern = pattern(2, &[vec![0], vec![1]]);
    let squares = |x: Vector| x.map(|x| x * x);
    let twice = |x: Vector| x.append(x);
    let of_length = |n: usize| vector(numbers(n, 17));
    let rows = pattern.colored_by(Colored::Rows).unwrap();
    let input = compile(|x| jacobian_sparse(squares, x, &pattern)).unwrap();
    let result = compile(|x| jacobian_sparse(twice, x, &pattern)).unwrap();
    let backwards = compile(|x| jacobian_sparse(twice, x, &rows)).unwrap();
    let shorter = |x: Vector| x.slice(ix![0]).reshape(ix![1]);
    let short = compile(|x| jacobian_sparse(shorter, x, &rows)).unwrap();
    let inputs = [(&input, 0), (&input, 1), (&input, 3)];
    let results = [(&result, 2), (&backwards, 2), (&short, 2)];
    for (program, n) in inputs.into_iter().chain(results) {
        let mut errors = vec![program.interpret(of_length(n)).unwrap_err()];
        errors.extend(
            cpus()
                .iter()
                .map(|cpu| program.run(cpu, of_length(n)).unwrap_err()),
        );
        if let Ok(gpu) = GPU.as_ref() {
            errors.push(program.run(gpu, of_length(n)).unwrap_err());
        }
        for error in errors {
            let is_size = matches!(error, Error::Run(RunError::SizeMismatch { .. }));
            assert!(
                is_size && error.to_string().contains("sparse.rs"),
                "{error}"
            );
        }
    }
}

/// Residuals of two elements by cameras of three parameters and points of two, the blocks of which are listed.
#[test]
fn blocks() {
    let (cameras, points) = (vector(vec![0, 1, 0, 1]), vector(vec![0, 0, 1, 2]));
    let f = |x: Vector| {
        let (camera, point) = (use_(&cameras), use_(&points));
        let residual = generate(ix![4, 2], |ix![r, k]| {
            let c = |i: i32| x.at(ix![3 * camera.at(ix![r]) + i]);
            let p = |k: Exp<i32>| x.at(ix![6 + 2 * point.at(ix![r]) + k]);
            (c(0) * p(k) + c(1)).sin() * c(2) + p(1 - k) * p(k)
        });
        residual.flatten()
    };
    // The derivatives by the cameras, and by the points.
    let by_cameras = SparsityPattern::from_blocks([2, 3], 2, vec![0, 1, 2, 3, 4], vec![0, 1, 0, 1]);
    let by_points = SparsityPattern::from_blocks([2, 2], 3, vec![0, 1, 2, 3, 4], vec![0, 0, 1, 2]);
    let (by_cameras, by_points) = (by_cameras.unwrap(), by_points.unwrap());
    assert_eq!(
        (by_cameras.colored(), by_cameras.colors()),
        (Colored::Columns, 3)
    );
    assert_eq!(
        (by_points.colored(), by_points.colors()),
        (Colored::Columns, 2)
    );
    let x = numbers(12, 25);
    let (of_cameras, of_points) = x.split_at(6);
    let blocks = |c: Vector, p: Vector| {
        let all = |c: Vector, p: Vector| f(c.append(p));
        (
            jacobian_sparse(|c| all(c, p), c, &by_cameras),
            jacobian_sparse(|p| all(c, p), p, &by_points),
        )
    };
    let input = (vector(of_cameras.to_vec()), vector(of_points.to_vec()));
    let (first, second) = given(blocks, input);
    let dense = compile(|x| jacobian_forward(f, x)).unwrap();
    let dense = dense.interpret(vector(x.clone())).unwrap();
    let listed = |pattern: &SparsityPattern, from: usize| {
        let places = pattern.coordinates();
        places
            .map(|(i, j)| dense.get([i, from + j]).unwrap())
            .collect::<Vec<_>>()
    };
    close(&first.to_vec(), &listed(&by_cameras, 0));
    close(&second.to_vec(), &listed(&by_points, 6));
    // What is found has no more elements than these blocks.
    let found = compile(f).unwrap().jacobian_sparsity(vector(x)).unwrap();
    assert_eq!(found.entries(), by_cameras.entries() + by_points.entries());
}

#[test]
fn sparse_hessians() {
    // Products of neighbours: a band.
    let f = |x: Vector| {
        let n = x.size();
        let near = generate(x.shape(), |ix![i]| {
            let next = x.at(ix![(i + 1).min(n - 1)]);
            x.at(ix![i]) * next * next + x.at(ix![i]).sin()
        });
        near.sum()
    };
    for n in [0, 1, 2, 40] {
        let x = vector(numbers(n, 26));
        let found = SparsityPattern::detect_hessian(f, x.clone()).unwrap();
        assert_eq!(found.colors(), n.min(3));
        for colored in [Colored::Columns, Colored::Rows] {
            let pattern = found.colored_by(colored).unwrap();
            let both = |x| (hessian_sparse(f, x, &pattern), hessian(f, x));
            let (sparse, dense) = given(both, x.clone());
            let places = pattern.coordinates();
            let listed = places.map(|(i, j)| dense.get([i, j]).unwrap());
            let listed: Vec<_> = listed.collect();
            close(&sparse.to_vec(), &listed);
            let sum = |values: Vec<f64>| values.iter().map(|x| x.abs()).sum::<f64>();
            close(&[sum(listed)], &[sum(dense.to_vec())]);
        }
    }
}

#[test]
fn in_single_precision() {
    let f = |x: Acc<Ix1, f32>| x.zip_with(x.roll(ix![1]), |x, y| x * x * y);
    let x: Vec<_> = numbers(50, 27).into_iter().map(|x| x as f32).collect();
    let found = SparsityPattern::detect(f, vector(x.clone())).unwrap();
    for colored in [Colored::Columns, Colored::Rows] {
        let pattern = found.colored_by(colored).unwrap();
        let values = given(|y| jacobian_sparse(f, y, &pattern), vector(x.clone()));
        for ((i, j), value) in pattern.coordinates().zip(values.to_vec()) {
            let (own, before) = (x[i], x[(i + 49) % 50]);
            let expected = if i == j {
                2.0 * own * before
            } else {
                own * own
            };
            assert!((value - expected).abs() < 1e-6, "{i}, {j}: {value}");
        }
    }
}

/// What is large, and has three colors: rows and columns of a band, of as many passes at once.
#[test]
fn large_bands() {
    let n = 30_000;
    let x = vector(numbers(n, 28));
    let found = SparsityPattern::detect(chain, x.clone()).unwrap();
    assert_eq!((found.colors(), found.entries()), (3, 3 * n - 2));
    let by_rows = found.colored_by(Colored::Rows).unwrap();
    let both = |x| {
        (
            jacobian_sparse(chain, x, &found),
            jacobian_sparse(chain, x, &by_rows),
        )
    };
    let (forward, reverse) = compile(both).unwrap().run(&cpus()[0], x).unwrap();
    close(&forward.to_vec(), &reverse.to_vec());
}

/// All colors are done at once, whichever lines have them.
#[test]
fn no_loop_over_colors() {
    let row = |i: usize| (i.saturating_sub(1)..(i + 2).min(9)).rev().collect();
    let band = pattern(9, &(0..9).map(row).collect::<Vec<_>>());
    let rows = band.colored_by(Colored::Rows).unwrap();
    assert_eq!(loops(|x| jacobian_sparse(chain, x, &band)), 0);
    assert_eq!(loops(|x| jacobian_sparse(chain, x, &rows)), 0);
    assert_eq!(loops(|x| hessian_sparse(|x| chain(x).sum(), x, &band)), 0);
}
