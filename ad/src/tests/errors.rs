//! What has no rule is refused, with the place and a way around.

use super::{EXACT, Matrix, Number, Vector, agree, close, energy, program, vector};
use crate::{AdError, differentiate};
use cotangent_core::interp::run;
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
    assert!(text.contains("index in a `map` before"), "{text}");
}

/// Asserts that the gradient of `refused` is refused with that advice, and that the program which follows it has
/// the same gradient: that by dual numbers, which refuse nothing.
#[track_caller]
fn advice(
    words: &str,
    refused: impl Fn(Vector) -> Number + Copy,
    advised: impl Fn(Vector) -> Number + Copy,
) {
    let text = message(refused);
    assert!(text.contains(words), "{text}");
    let x = [vector(&[0.5, -1.25, 2.0, 0.75])];
    let expected = run(&program(|x: Vector| gradient_a(refused, x)), &x).unwrap();
    let found = agree(&program(|x: Vector| gradient_a(advised, x)), &x);
    assert!(
        close(&found[0], &expected[0], EXACT),
        "{found:?}, not {expected:?}"
    );
}

#[test]
fn what_depends_on_others_is_brought_to_the_elements() {
    // The logarithm of a sum of exponentials in one go: the greatest, and the sum relative to it.
    let at_once = |x: Vector| {
        let both = x.map(|x| (x, x * 0.0 + 1.0)).fold1(|(a, s), (b, t)| {
            let top = a.max(b);
            (top, s * (a - top).exp() + t * (b - top).exp())
        });
        both.map(|(top, sum)| top + sum.ln())
    };
    let in_turn = |x: Vector| {
        let top = x.maximum();
        let sum = x
            .zip_with(top.replicate(x.shape()), |x, top| (x - top).exp())
            .sum();
        sum.zip_with(top, |sum, top| top + sum.ln())
    };
    advice(
        "bring the results to the elements by `zip_with`",
        at_once,
        in_turn,
    );
    // A linear recurrence: s becomes s · x + sin x, by composition; or each sin x times all later x.
    let composed = |x: Vector| {
        let maps = x.map(|x| (x, x.sin()));
        maps.fold1(|(a, b), (c, d)| (a * c, b * c + d))
            .map(|(_, b)| b)
    };
    let by_scan = |x: Vector| {
        let products = x.scanr(1.0, |a, b| a * b);
        let later = products.backpermute(x.shape(), |ix![i]| ix![i + 1]);
        x.zip_with(later, |x, later| x.sin() * later).sum()
    };
    advice("fold or scan by itself", composed, by_scan);
}

#[test]
fn what_operators_index_is_indexed_before() {
    advice(
        "index in a `map` before",
        |x| x.fold(0.0, |a, b| a + b * x.at(ix![0])),
        |x| x.map(|b| b * x.at(ix![0])).sum(),
    );
    advice(
        "index in a `map` before",
        |x| x.scanl1(|a, b| a + b * x.at(ix![1])).sum(),
        |x| {
            let terms = generate(x.shape(), |ix![i]| {
                cond(i.eq_(0), x.at(ix![0]), x.at(ix![i]) * x.at(ix![1]))
            });
            terms.scanl1(|a, b| a + b).sum()
        },
    );
}

#[test]
fn columns_whose_shapes_nobody_knows_are_zipped_again() {
    let pairs = |x: Vector| {
        let squares = x.map(|x| (x, x * x));
        let sums = x.scanl(1.0, |a, b| a + b);
        acond(x.size().gt(2), squares, sums.map(|s| (s, s)))
    };
    advice(
        "by `unzip` and `zip`",
        |x| {
            pairs(x)
                .fold((0.0, 1.0), |(a, b), (c, d)| (a + c, b * d))
                .map(|(a, b)| a * b)
        },
        |x| {
            let (first, second) = pairs(x).unzip();
            let both = first
                .zip(second)
                .fold((0.0, 1.0), |(a, b), (c, d)| (a + c, b * d));
            both.map(|(a, b)| a * b)
        },
    );
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
