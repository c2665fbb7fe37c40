//! `generate`, `map`, `zip_with`, and how arrays are shared, unused and constant.

use super::{Matrix, Number, Vector, agree, energy, gradient, program, smooth, some, vector};
use cotangent_core::surface::prelude::*;

#[test]
fn maps_chain() {
    smooth(
        |x: Vector| energy(x.map(|x| x.sin()).map(|x| x * x)),
        &[some(&[4], 0)],
    );
}

#[test]
fn zip_with_different_lengths_extends_by_zeros() {
    let f = |(x, y): (Vector, Vector)| energy(x.zip_with(y, |x, y| x * y));
    let results = smooth(f, &[some(&[5], 1), some(&[3], 2)]);
    assert_eq!(super::floats(&results[1])[3..], [0.0, 0.0]);
    smooth(f, &[some(&[2], 1), some(&[3], 2)]);
    smooth(f, &[some(&[0], 1), some(&[3], 2)]);
}

#[test]
fn zip_with_matrices_of_crossing_shapes() {
    let f = |(x, y): (Matrix, Matrix)| energy(x.zip_with(y, |x, y| x * y + y));
    smooth(f, &[some(&[2, 4], 1), some(&[3, 3], 2)]);
}

#[test]
fn an_array_used_twice() {
    let f = |x: Vector| {
        let y = x.map(|x| x * x);
        energy(y.zip_with(x, |y, x| y * x)).zip_with(y.sum(), |a, b| a * b)
    };
    smooth(f, &[some(&[4], 3)]);
}

#[test]
fn what_is_around_is_constant() {
    let p = program(|x: Vector| gradient_a(|y: Vector| x.zip_with(y, |x, y| x * y * y).sum(), x));
    let results = agree(&p, &[vector(&[1.0, 2.0, 3.0])]);
    assert_eq!(results[0], vector(&[2.0, 8.0, 18.0]));
}

#[test]
fn captured_around_and_inside_are_told_apart() {
    let p = program(|x: Vector| {
        let g = |y: Vector| generate(y.shape(), |i: Ix1| x.at(i) * y.at(i) * y.at(i)).sum();
        gradient_a(g, x)
    });
    let results = agree(&p, &[vector(&[1.0, 2.0, 3.0])]);
    assert_eq!(results[0], vector(&[2.0, 8.0, 18.0]));
}

#[test]
fn unused_parameters_have_zeros() {
    let f = |(x, _, n): (Vector, Matrix, Acc<Ix1, i32>)| x.zip_with(n, |x, n| x * n.to_f64()).sum();
    let n = super::host(&[3], &[1, 2, 3]);
    let results = gradient(f, &[some(&[3], 0), some(&[2, 2], 0), n]);
    assert_eq!(results[2], super::host(&[2, 2], &[0.0; 4]));
}

#[test]
fn a_constant_has_gradient_zero() {
    let results = gradient(|_: Vector| unit(2.0), &[some(&[3], 0)]);
    assert_eq!(results[1], vector(&[0.0; 3]));
}

#[test]
fn a_parameter_itself_has_gradient_one() {
    let results = gradient(|x: Number| x, &[super::host(&[], &[4.0])]);
    assert_eq!(results[1], super::host(&[], &[1.0]));
}

#[test]
fn arrays_of_pairs() {
    let f = |x: Acc<Ix1, (f64, i32)>| {
        let y = x.map(|(a, n)| (a * a, a.sin(), n + 1));
        y.map(|(p, q, n)| p * q * n.to_f64()).sum()
    };
    smooth(f, &[some(&[3], 0), super::host(&[3], &[1, -2, 3])]);
}

#[test]
fn one_of_several_columns_is_used() {
    let f = |x: Vector| {
        x.map(|a| (a * a, a.sin(), a.exp()))
            .map(|(_, q, _)| q * q)
            .sum()
    };
    smooth(f, &[some(&[3], 5)]);
}

#[test]
fn matrix_product() {
    let f = |(a, b): (Matrix, Matrix)| {
        let Snoc(Snoc(Z, n), k) = a.shape();
        let Snoc(Snoc(Z, _), m) = b.shape();
        let products = generate(ix![n, m, k], |Snoc(Snoc(Snoc(Z, i), j), l): Ix3| {
            a.at(ix![i, l]) * b.at(ix![l, j])
        });
        energy(products.sum())
    };
    smooth(f, &[some(&[2, 3], 1), some(&[3, 4], 2)]);
}

#[test]
fn indices_from_another_array() {
    let f = |(x, i): (Vector, Acc<Ix1, i32>)| energy(i.zip_with(x, |i, v| x.at(ix![i]) * v.sin()));
    smooth(f, &[some(&[4], 1), super::host(&[6], &[3, 3, 0, 1, 2, 2])]);
}

#[test]
fn an_index_that_depends_on_the_value() {
    let f = |x: Vector| energy(x.map(|v| v * x.at(ix![v.abs().to_i32()])));
    smooth(f, &[vector(&[0.5, 1.4, -1.6, 2.3])]);
}

#[test]
fn host_arrays_are_constant() {
    let table =
        cotangent_core::surface::Array::<Ix1, f64>::from_vec([3], vec![2.0, 3.0, 4.0]).unwrap();
    let f = |x: Vector| energy(x.zip_with(use_(&table), |x, t| x * t));
    smooth(f, &[some(&[3], 1)]);
}

#[test]
fn empty_arrays() {
    let f = |x: Vector| energy(x.map(|x| x.exp()));
    let results = smooth(f, &[vector(&[])]);
    assert_eq!(results[1], vector(&[]));
}

#[test]
fn single_precision() {
    let f = |x: Acc<Ix1, f32>| x.map(|x| x.exp() * x.sin()).sum();
    let p = program(|x: Acc<Ix1, f32>| value_and_gradient_a(f, x));
    agree(&p, &[super::host(&[3], &[0.5f32, -1.0, 2.0])]);
}

#[test]
fn single_elements_as_arrays() {
    let f = |x: Vector| unit(x.at(ix![0]) * x.at(ix![1]).sin() + x.sum().the());
    smooth(f, &[some(&[3], 1)]);
    let again = |x: Number| unit(x.the() * x.the()).zip_with(x, |a, b| a * b);
    smooth(again, &[super::host(&[], &[1.5])]);
}

#[test]
fn indexing_what_was_computed() {
    let f = |x: Vector| {
        let y = x.map(|x| x * x);
        let z = generate(y.shape(), |Snoc(Z, i): Ix1| {
            y.at(ix![y.size() - 1 - i]) * x.at(ix![i])
        });
        energy(z.zip_with(y, |z, y| z * y))
    };
    smooth(f, &[some(&[4], 1)]);
}

#[test]
fn a_window_of_a_larger_array() {
    let f = |x: Vector| energy(generate(ix![2], |i: Ix1| x.at(i) * x.at(i)));
    let results = smooth(f, &[some(&[4], 1)]);
    assert_eq!(super::floats(&results[1])[2..], [0.0, 0.0]);
}
