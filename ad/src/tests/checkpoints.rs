//! Loops whose derivatives make states again: as those that store them all.

use super::{Vector, agree, close, energy, floats, program, some};
use cotangent_core::host::HostArray;
use cotangent_core::interp::run;
use cotangent_core::surface::prelude::*;

/// A step that mixes its number, constants and the state.
fn step(k: Exp<i32>, c: Vector, x: Vector) -> Vector {
    x.zip_with(c, |x, c| (x * c + 0.01 * k.to_f64()).sin())
}

/// Checks that a loop has the derivatives of one that stores its states: reverse, forward over reverse, and along a direction.
#[track_caller]
fn as_stored(
    trips: i32,
    f: impl Fn(Vector, Vector) -> Vector + Copy,
    stored: impl Fn(Vector, Vector) -> Vector + Copy,
) {
    let point = [some(&[3], 1), some(&[3], 2)];
    let first = program(move |c: Vector, x: Vector| {
        gradient_a(|(c, x): (Vector, Vector)| energy(f(c, x)), (c, x))
    });
    let expected = program(move |c: Vector, x: Vector| {
        gradient_a(|(c, x): (Vector, Vector)| energy(stored(c, x)), (c, x))
    });
    same(
        trips,
        &agree(&first, &point),
        &run(&expected, &point).unwrap(),
    );
    let loss = move |x: Vector| energy(f(x, x));
    let second = program(move |x: Vector, v: Vector| hvp_a(loss, x, v));
    let loss = move |x: Vector| energy(stored(x, x));
    let expected = program(move |x: Vector, v: Vector| hvp_a(loss, x, v));
    same(
        trips,
        &agree(&second, &point),
        &run(&expected, &point).unwrap(),
    );
    agree(
        &program(move |x: Vector, v: Vector| jvp_a(|x| f(x, x), x, v)),
        &point,
    );
}

fn same(trips: i32, found: &[HostArray], expected: &[HostArray]) {
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            close(found, expected, 1e-10),
            "{trips}: {:?} {:?}",
            floats(found),
            floats(expected)
        );
    }
}

#[test]
fn segments_of_all_levels() {
    for (trips, slots) in [
        (0, 4),
        (1, 1),
        (5, 100),
        (7, 6),
        (10, 7),
        (9, 1),
        (27, 9),
        (30, 2),
    ] {
        let f = move |c, x| aiterate_checkpointed(trips, slots, step, c, x);
        let stored = move |c: Vector, x| aiterate(trips, |k, x| step(k, c, x), x);
        as_stored(trips, f, stored);
    }
}

#[test]
fn states_made_backwards() {
    let scaled =
        |k: Exp<i32>, c: Vector, x: Vector| x.zip_with(c, |x, c| x * (c + 3.0) + 0.1 * k.to_f64());
    let inverse = |k: Exp<i32>, c: Vector, x: Vector| {
        x.zip_with(c, |x, c| (x - 0.1 * k.to_f64()) / (c + 3.0))
    };
    for trips in [-1, 0, 1, 5] {
        let f = move |c, x| aiterate_reversible(trips, scaled, inverse, c, x);
        let stored = move |c: Vector, x| aiterate(trips, |k, x| scaled(k, c, x), x);
        as_stored(trips, f, stored);
    }
    let drift = |c, x| reversal_error(5, scaled, inverse, c, x);
    let found = agree(&program(drift), &[some(&[3], 1), some(&[3], 2)]);
    assert!(floats(&found[0]).iter().all(|d| d.abs() < 1e-13));
}

/// Numbers that are not floats are carried and constant.
#[test]
fn states_with_integers() {
    type State = (Vector, Acc<Z, i32>);
    let step = |_: Exp<i32>, c: Vector, (x, n): State| {
        let next = x.zip_with(c, |x, c| x * c + n.the().to_f64());
        (next, n.map(|n| n + 1))
    };
    let inverse = |_: Exp<i32>, c: Vector, (x, n): State| {
        let n = n.map(|n| n - 1);
        (x.zip_with(c, |x, c| (x - n.the().to_f64()) / c), n)
    };
    let start = |x: Vector| (x, unit(0));
    let reversible = move |c, x| aiterate_reversible(3, step, inverse, c, start(x)).0;
    let checkpointed = move |c, x| aiterate_checkpointed(5, 4, step, c, start(x)).0;
    let stored =
        move |trips: i32| move |c: Vector, x| aiterate(trips, |k, s| step(k, c, s), start(x)).0;
    as_stored(3, reversible, stored(3));
    as_stored(5, checkpointed, stored(5));
}
