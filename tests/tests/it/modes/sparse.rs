//! Sparse Jacobians against dense ones, and patterns that do not fit.

use super::{Vector, close, given};
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

#[track_caller]
fn sparse_is_dense(f: impl Fn(Vector) -> Vector + Copy, rows: &[Vec<usize>], colors: usize) {
    let pattern = &pattern(rows.len(), rows);
    assert_eq!(pattern.colors(), colors);
    let both = |x| (jacobian_sparse(f, x, pattern), jacobian_reverse(f, x));
    let (sparse, dense) = given(both, vector(numbers(rows.len(), 16)));
    let places = rows.iter().enumerate();
    let places = places.flat_map(|(i, row)| row.iter().map(move |&j| [i, j]));
    let listed: Vec<_> = places.map(|at| dense.get(at).unwrap()).collect();
    close(&sparse.to_vec(), &listed);
    let sum = |values: Vec<f64>| values.iter().map(|x| x.abs()).sum::<f64>();
    close(&[sum(listed)], &[sum(dense.to_vec())]);
}

#[test]
fn sparse_jacobians() {
    for (n, colors) in [(0, 0), (1, 1), (2, 2), (5, 3), (40, 3)] {
        let row = |i: usize| (i.saturating_sub(1)..(i + 2).min(n)).rev().collect();
        sparse_is_dense(chain, &(0..n).map(row).collect::<Vec<_>>(), colors);
    }
    for n in [2, 7] {
        let row = |i: usize| if i == 0 { (0..n).collect() } else { vec![0, i] };
        sparse_is_dense(arrow, &(0..n).map(row).collect::<Vec<_>>(), n);
    }
    // Without the row that has them all, two colors do.
    let column = |x: Vector| x.map(|y| x.at(ix![0]) * y);
    let row = |i: usize| if i == 0 { vec![0] } else { vec![i, 0] };
    sparse_is_dense(column, &(0..20).map(row).collect::<Vec<_>>(), 2);
}

#[test]
fn patterns_of_other_shapes() {
    let pattern = pattern(2, &[vec![0], vec![1]]);
    let squares = |x: Vector| x.map(|x| x * x);
    let twice = |x: Vector| x.append(x);
    let of_length = |n: usize| vector(numbers(n, 17));
    let input = compile(|x| jacobian_sparse(squares, x, &pattern)).unwrap();
    let result = compile(|x| jacobian_sparse(twice, x, &pattern)).unwrap();
    for (program, n) in [(&input, 0), (&input, 1), (&input, 3), (&result, 2)] {
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
