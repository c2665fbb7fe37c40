//! What has no rule is refused, with the place and a way around.

use super::{Matrix, Vector, energy, program};
use crate::{AdError, differentiate};
use cotangent_core::surface::prelude::*;

fn message(f: impl Fn(Vector) -> super::Number + Copy) -> String {
    let error = differentiate(program(|x: Vector| gradient_a(f, x))).unwrap_err();
    assert!(matches!(error, AdError::Unsupported { .. }));
    error.to_string()
}

#[test]
fn folds_of_pairs() {
    let text = message(|x| {
        let pairs = x.map(|x| (x, x * x));
        let both = pairs.fold((0.0, 1.0), |(a, b), (c, d)| (a + c, b * d + a));
        both.map(|(a, b)| a * b)
    });
    assert!(text.contains("tests/errors.rs"), "{text}");
    assert!(
        text.contains("cannot differentiate `fold`: it combines several values that depend"),
        "{text}"
    );
}

#[test]
fn folds_whose_operator_indexes() {
    let text = message(|x| x.fold(0.0, |a, b| a + b * x.at(ix![0])));
    assert!(text.contains("its operator indexes an array"), "{text}");
    assert!(text.contains("zip_with"), "{text}");
}

#[test]
fn only_where_a_derivative_passes() {
    let p = program(|x: Vector, m: Matrix| {
        let f = |x: Vector| {
            let pairs = m.sum().map(|x| (x, x * x));
            let both = pairs.fold((0.0, 1.0), |(a, b), (c, d)| (a + c, b * d + a));
            energy(x).zip_with(both, |x, (a, b)| x * a * b)
        };
        gradient_a(f, x)
    });
    super::agree(&p, &[super::some(&[2], 1), super::some(&[2, 2], 2)]);
}
