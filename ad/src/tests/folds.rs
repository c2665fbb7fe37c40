//! Folds of every kind, zeros in products and ties between extremes included.

use super::{Matrix, Vector, energy, floats, gradient, program, smooth, some, vector};
use cotangent_core::simplify::simplify;
use cotangent_core::surface::prelude::*;
use cotangent_core::term::{AccBlock, AccLet, AccOp, Labelled};

#[test]
fn sums() {
    smooth(|x: Matrix| energy(x.sum()), &[some(&[3, 4], 0)]);
    smooth(
        |x: Matrix| energy(x.fold1(|a, b| b + a)),
        &[some(&[3, 4], 0)],
    );
    smooth(
        |x: Vector| energy(x.fold(2.5, |a, b| a + b)),
        &[some(&[4], 0)],
    );
    smooth(|x: Matrix| energy(x.sum()), &[some(&[3, 0], 0)]);
}

#[test]
fn products_with_zeros() {
    for zeros in 0..3 {
        let mut x = vec![2.0, -3.0, 0.5, 4.0];
        x[..zeros].fill(0.0);
        smooth(|x: Vector| x.product(), &[vector(&x)]);
        smooth(|x: Vector| x.fold1(|a, b| a * b), &[vector(&x)]);
        smooth(|x: Vector| energy(x.fold(0.5, |a, b| a * b)), &[vector(&x)]);
    }
    smooth(|x: Matrix| energy(x.product()), &[some(&[3, 4], 7)]);
    smooth(|x: Vector| x.product(), &[vector(&[])]);
}

#[test]
fn extremes_go_to_the_first() {
    let tie = vector(&[1.0, 5.0, 3.0, 5.0]);
    let results = gradient(|x: Vector| x.maximum(), std::slice::from_ref(&tie));
    assert_eq!(floats(&results[1]), [0.0, 1.0, 0.0, 0.0]);
    let results = gradient(|x: Vector| x.map(|x| -x).minimum(), &[tie]);
    assert_eq!(floats(&results[1]), [0.0, -1.0, 0.0, 0.0]);
    smooth(|x: Matrix| energy(x.maximum()), &[some(&[3, 4], 0)]);
    smooth(|x: Matrix| energy(x.minimum()), &[some(&[3, 4], 0)]);
}

#[test]
fn extremes_with_an_initial_value() {
    let f = |x: Vector| energy(x.fold(1.5, |a: Exp<f64>, b| a.max(b)));
    for x in [[1.0, 2.0, 0.5], [1.0, 1.2, 0.5], [1.5, 1.0, 1.5]] {
        gradient(f, &[vector(&x)]);
    }
    gradient(f, &[vector(&[])]);
    gradient(f, &[vector(&[1.0, f64::NAN, f64::NAN, 3.0])]);
}

#[test]
fn extremes_of_equal_operands_the_other_way_round() {
    let f = |x: Vector| x.fold1(|a, b: Exp<f64>| b.max(a));
    let results = gradient(f, &[vector(&[1.0, 5.0, 3.0, 5.0])]);
    assert_eq!(floats(&results[1]), [0.0, 0.0, 0.0, 1.0]);
}

/// Associative, smooth, and no single primitive.
fn join(a: Exp<f64>, b: Exp<f64>) -> Exp<f64> {
    a + b + a * b
}

#[test]
fn general_operators() {
    smooth(|x: Vector| x.fold(0.0, join), &[some(&[5], 1)]);
    smooth(|x: Matrix| energy(x.fold(0.5, join)), &[some(&[2, 3], 1)]);
    smooth(|x: Matrix| energy(x.fold1(join)), &[some(&[2, 3], 1)]);
    smooth(|x: Vector| x.fold1(join), &[some(&[1], 1)]);
    smooth(|x: Vector| x.fold(0.25, join), &[vector(&[])]);
}

#[test]
fn operators_that_ignore_an_operand() {
    smooth(|x: Matrix| energy(x.fold1(|_, b| b)), &[some(&[2, 3], 1)]);
    smooth(|x: Matrix| energy(x.fold1(|a, _| a)), &[some(&[2, 3], 1)]);
    smooth(
        |x: Matrix| energy(x.fold(2.0, |a, _| a)),
        &[some(&[2, 3], 1)],
    );
}

#[test]
fn operators_with_conditionals() {
    let f = |a: Exp<f64>, b: Exp<f64>| cond(a.abs().gt(b.abs()), a, b);
    smooth(|x: Matrix| energy(x.fold1(f)), &[some(&[2, 5], 1)]);
}

#[test]
fn initial_values_that_depend_on_the_parameter() {
    let first = |x: Vector| x.at(ix![0]) * x.at(ix![1]);
    smooth(
        |x: Vector| energy(x.fold(first(x), |a, b| a + b)),
        &[some(&[4], 1)],
    );
    smooth(
        |x: Vector| energy(x.fold(first(x), |a, b| a * b)),
        &[some(&[4], 1)],
    );
    smooth(|x: Vector| energy(x.fold(first(x), join)), &[some(&[4], 1)]);
    let largest = |x: Vector| energy(x.fold(first(x), |a: Exp<f64>, b| a.max(b)));
    smooth(largest, &[vector(&[2.0, 3.0, 1.0])]);
    smooth(largest, &[vector(&[2.0, 0.5, 1.0])]);
    let rows = |(x, m): (Vector, Matrix)| energy(m.fold(first(x), join));
    smooth(rows, &[some(&[3], 1), some(&[2, 3], 2)]);
}

#[test]
fn operators_may_index_constants() {
    let p = program(|x: Vector, c: Vector| {
        gradient_a(|x: Vector| x.fold1(|a, b| a * b * c.at(ix![0])), x)
    });
    super::agree(&p, &[some(&[4], 1), vector(&[1.5])]);
}

#[test]
fn independent_columns() {
    let f = |x: Vector| {
        let triples = x.map(|x| (x, x.sin(), (x * x, x.exp())));
        let all = triples.fold((0.5, 2.0, (0.0, -1.0)), |(a, b, (c, d)), (e, f, (g, h))| {
            (a + e, b * f, (join(c, g), d.max(h)))
        });
        all.map(|(a, b, (c, d))| a * b * c * d)
    };
    smooth(f, &[some(&[4], 1)]);
    let scans = |x: Vector| {
        let pairs = x
            .map(|x| (x, x.sin()))
            .scanl1(|(a, b), (c, d)| (a + c, b * d));
        energy(pairs.map(|(a, b)| a * b))
    };
    smooth(scans, &[some(&[4], 1)]);
}

#[test]
fn logsumexp() {
    let f = |x: Matrix| {
        let m = x.maximum();
        let e = x.zip_with(m.replicate(ix![All, x.inner()]), |x, m| (x - m).exp());
        e.sum().zip_with(m, |s, m| s.ln() + m).sum()
    };
    smooth(f, &[some(&[3, 4], 3)]);
}

/// The folds of a program, by the number of their columns.
fn folds(block: &AccBlock<Labelled>) -> Vec<usize> {
    let of_let = |let_: &AccLet<Labelled>| match &let_.op {
        AccOp::Fold { args, .. } => vec![args.len()],
        op => op.blocks().iter().flat_map(|i| folds(i.block)).collect(),
    };
    block.lets.iter().flat_map(of_let).collect()
}

fn folds_of_gradient<X: Arrays>(f: impl Fn(X) -> super::Number + Copy) -> Vec<usize> {
    let derived = super::derive(&program(|x: X| value_and_gradient_a(f, x)));
    folds(&simplify(derived).0.body)
}

#[test]
fn one_fold_gives_extremes_and_where_they_are() {
    let rows = |x: Matrix| energy(x.maximum());
    assert_eq!(folds_of_gradient(rows), [2, 1]);
    let rows = |x: Matrix| energy(x.fold(0.5, |a: Exp<f64>, b| a.max(b)));
    assert_eq!(folds_of_gradient(rows), [2, 1]);
    let both = |x: Vector| {
        let pairs = x
            .map(|x| (x, -x))
            .fold1(|(a, b), (c, d)| (a.max(c), b.min(d)));
        pairs.map(|(a, b)| a * b)
    };
    assert_eq!(folds_of_gradient(both), [4]);
    let in_branches = |x: Vector| {
        let first = x.at(ix![0]).gt(0.0);
        acond(first, x.maximum(), x.minimum()).map(|x| x * x)
    };
    assert_eq!(folds_of_gradient(in_branches), [1, 1, 1, 1]);
}

/// The extremum of a single row is looked for a second time.
#[test]
fn two_folds_give_the_extreme_of_a_row_and_where_it_is() {
    assert_eq!(folds_of_gradient(|x: Vector| x.maximum()), [1, 1]);
    assert_eq!(folds_of_gradient(|x: Vector| x.minimum()), [1, 1]);
    let largest = |x: Vector| x.fold(0.5, |a: Exp<f64>, b| a.max(b)).map(|x| x * x);
    assert_eq!(folds_of_gradient(largest), [1, 1]);
    let found = |x: &[f64]| floats(&gradient(largest, &[vector(x)])[1]);
    assert_eq!(found(&[0.5, 0.25]), [0.0, 0.0]);
    assert_eq!(found(&[0.25, 2.0, 2.0]), [0.0, 4.0, 0.0]);
    let nan = found(&[f64::NAN, 1.0, f64::NAN]);
    assert!(nan[0].is_nan() && nan[1..] == [0.0, 0.0], "{nan:?}");
    let zeros = |x: &[f64]| floats(&gradient(|x: Vector| x.minimum(), &[vector(x)])[1]);
    assert_eq!(zeros(&[0.0, -0.0]), [1.0, 0.0]);
    assert_eq!(zeros(&[1.0, f64::NEG_INFINITY]), [0.0, 1.0]);
}

#[test]
fn extremes_of_nothing_but_an_initial_value() {
    let f = |x: Matrix| energy(x.fold(1.5, |a: Exp<f64>, b| a.min(b)));
    let results = gradient(f, &[some(&[3, 0], 0)]);
    assert_eq!(floats(&results[1]), []);
    let results = gradient(f, &[some(&[0, 3], 0)]);
    assert_eq!(floats(&results[0]), [0.0]);
}

#[test]
fn extremes_that_are_no_numbers_or_zeros() {
    let nan = f64::NAN;
    let f = |x: Vector| x.maximum();
    let results = gradient(f, &[vector(&[1.0, nan, 3.0, nan])]);
    assert!(floats(&results[0])[0].is_nan());
    assert_eq!(floats(&results[1]), [0.0, 1.0, 0.0, 0.0]);
    let reciprocal = |x: Vector| x.maximum().map(|x| constant(1.0) / x);
    let results = gradient(reciprocal, &[vector(&[-1.0, -0.0, 0.0])]);
    assert_eq!(floats(&results[0]), [f64::NEG_INFINITY]);
    let results = gradient(reciprocal, &[vector(&[0.0, -0.0])]);
    assert_eq!(floats(&results[0]), [f64::INFINITY]);
}

#[test]
fn extremes_beside_other_columns() {
    let f = |x: Matrix| {
        let triples = x.map(|x| (x.sin(), x, x));
        let all = triples.fold((2.0, -9.0, 0.0), |(a, b, c), (d, e, f)| {
            (a.min(d), b.max(e), c + f)
        });
        energy(all.map(|(a, b, c)| a * b * c))
    };
    smooth(f, &[some(&[3, 4], 5)]);
    gradient(f, &[some(&[3, 0], 5)]);
    assert_eq!(folds_of_gradient(f)[0], 5);
}

#[test]
fn gradients_of_gradients_of_extremes() {
    let inner = |x: Vector| {
        let m = x.maximum();
        acond(m.at(Z).gt(0.0), m.map(|m| m * m * m), x.minimum())
    };
    let f = |x: Vector| energy(gradient_a(inner, x).zip_with(x, |a, b| a * b));
    smooth(f, &[some(&[5], 1)]);
    smooth(f, &[vector(&[-3.0, -1.0, -2.0])]);
}
