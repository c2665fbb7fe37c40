//! Loops whose derivatives make states again: as those that store them all.

use super::{Vector, agree, close, energy, floats, program, some};
use cotangent_core::host::HostArray;
use cotangent_core::interp::run;
use cotangent_core::surface::prelude::*;

/// A step that mixes its number, constants and the state.
fn step(k: Exp<i32>, c: Vector, x: Vector) -> Vector {
    x.zip_with(c, |x, c| (x * c + 0.01 * k.to_f64()).sin())
}

/// Checks that a loop has the derivatives of one that stores its states: reverse, forward over reverse, along a direction, and
/// reverse over that.
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
    agree(
        &program(move |x: Vector, v: Vector| gradient_a(|x| energy(jvp_a(|x| f(x, x), x, v).1), x)),
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
fn any_number_of_slots() {
    for trips in [-2, 0, 1, 2, 3, 5, 7, 10, 27, 30] {
        for slots in [1, 2, 3, 4, 9, 100] {
            let loops = Checkpoints::Slots(slots);
            let f = move |c: Vector, x| loops.aiterate(trips, |k, x| step(k, c, x), x);
            let stored = move |c: Vector, x| aiterate(trips, |k, x| step(k, c, x), x);
            as_stored(trips, f, stored);
        }
    }
}

/// The number of trips depends on the data, and what is kept is known only when it runs.
#[test]
fn trips_of_the_data() {
    let loops = [
        Checkpoints::StoreAll,
        Checkpoints::Slots(0),
        Checkpoints::Slots(3),
        Checkpoints::Recompute,
    ];
    let next = |c: Vector| move |_, x: Vector| x.zip_with(c, |x, c| x * (1.5 + 0.1 * c.sin()));
    let small = |x: Vector| energy(x).the().lt(30.0);
    for checkpoints in loops {
        let f = move |c: Vector, x: Vector| checkpoints.awhile(small, next(c), x);
        let stored = move |c: Vector, x: Vector| awhile(small, next(c), x);
        as_stored(0, f, stored);
        let f = move |c: Vector, x: Vector| checkpoints.aiterate_while(4, small, next(c), x);
        let stored = move |c: Vector, x: Vector| aiterate_while(4, small, next(c), x);
        as_stored(4, f, stored);
        let trips = |x: Vector| (energy(x).the() * 3.0).to_i32();
        let f = move |c: Vector, x: Vector| checkpoints.aiterate(trips(x), next(c), x);
        let stored = move |c: Vector, x: Vector| aiterate(trips(x), next(c), x);
        as_stored(0, f, stored);
    }
}

/// Outputs of all trips, of which some depend on the state before and some on that after the trip.
#[test]
fn stacked_outputs() {
    let next = |k, (x, y): (Vector, Vector), c: Acc<Z, f64>| {
        let x = step(k, y, x);
        let y = y.zip_with(x, |x, y| 0.5 * x + y * y);
        ((x, y), x.zip_with(y, |x, y| x * y).map(|x| x * c.the()))
    };
    let summed = |((x, _), rows): ((Vector, Vector), Acc<Ix2, f64>)| {
        x.zip_with(rows.transpose().sum(), |x, y| x + y)
    };
    for slots in [1, 2] {
        let loops = Checkpoints::Slots(slots);
        let f = move |c: Vector, x: Vector| summed(loops.ascan(c, next, (x, x)));
        let stored = move |c: Vector, x: Vector| summed(ascan(c, next, (x, x)));
        as_stored(3, f, stored);
        let f = move |c: Vector, x: Vector| summed(loops.ascan_reverse(c, next, (x, x)));
        let stored = move |c: Vector, x: Vector| summed(ascan_reverse(c, next, (x, x)));
        as_stored(3, f, stored);
        let small = |(x, _)| energy(x).the().lt(30.0);
        let late = |(_, state, rows)| summed((state, rows));
        let f = move |c: Vector, x: Vector| late(loops.ascan_while(c, small, next, (x, x)));
        let stored = move |c: Vector, x: Vector| late(ascan_while(c, small, next, (x, x)));
        as_stored(0, f, stored);
    }
}

/// States whose extents change cannot be kept by their places.
#[test]
fn states_that_grow() {
    let next = |c: Vector| move |_, x: Vector| x.append(c.zip_with(x, |c, x| c * x.sin()));
    let f = move |c: Vector, x: Vector| Checkpoints::Slots(2).aiterate(3, next(c), x);
    let stored = move |c: Vector, x: Vector| aiterate(3, next(c), x);
    as_stored(3, f, stored);
    let next = |c: Vector| {
        move |_, x: Vector| c.zip_with(x.sum().replicate(ix![c.size()]), |c, s| c * s.sin())
    };
    let f = move |c: Vector, x: Vector| Checkpoints::Slots(2).aiterate(3, next(c.append(c)), x);
    let stored = move |c: Vector, x: Vector| aiterate(3, next(c.append(c)), x);
    as_stored(3, f, stored);
}

#[test]
fn nested_loops() {
    let inner =
        |loops: Checkpoints, c: Vector, x: Vector| loops.aiterate(5, |k, x| step(k, c, x), x);
    let outer = move |loops: Checkpoints| {
        move |c: Vector, x: Vector| {
            let next = |k, x: Vector| inner(loops, step(k, c, x), x);
            loops.aiterate(4, next, x)
        }
    };
    as_stored(
        20,
        outer(Checkpoints::Slots(2)),
        outer(Checkpoints::StoreAll),
    );
}

/// What is updated in place is copied where it is kept.
#[test]
fn states_that_are_updated_in_place() {
    let update = |c: Vector| {
        move |k: Exp<i32>, x: Vector| {
            let at = (k % x.size()).max(0);
            let new = c.at(ix![0]) * x.at(ix![at]).sin();
            unit(new).permute(Combine::Overwrite, x, |Z| (true, ix![at]))
        }
    };
    let f = move |c: Vector, x: Vector| Checkpoints::Slots(3).aiterate(7, update(c), x);
    let stored = move |c: Vector, x: Vector| aiterate(7, update(c), x);
    as_stored(7, f, stored);
}

#[test]
fn states_made_backwards() {
    let scaled = |c: Vector| {
        move |k: Exp<i32>, x: Vector| x.zip_with(c, |x, c| x * (c + 3.0) + 0.1 * k.to_f64())
    };
    let inverse = |c: Vector| {
        move |k: Exp<i32>, x: Vector| x.zip_with(c, |x, c| (x - 0.1 * k.to_f64()) / (c + 3.0))
    };
    for trips in [-1, 0, 1, 5] {
        let f = move |c, x| aiterate_reversible(trips, scaled(c), inverse(c), x);
        let stored = move |c: Vector, x| aiterate(trips, scaled(c), x);
        as_stored(trips, f, stored);
    }
    let drift = move |c, x| reversal_error(5, scaled(c), inverse(c), x);
    let found = agree(&program(drift), &[some(&[3], 1), some(&[3], 2)]);
    assert!(floats(&found[0]).iter().all(|d| d.abs() < 1e-13));
}

/// Numbers that are not floats are carried and constant.
#[test]
fn states_with_integers() {
    type State = (Vector, Acc<Z, i32>);
    let step = |c: Vector| {
        move |_: Exp<i32>, (x, n): State| {
            let next = x.zip_with(c, |x, c| x * c + n.the().to_f64());
            (next, n.map(|n| n + 1))
        }
    };
    let inverse = |c: Vector| {
        move |_: Exp<i32>, (x, n): State| {
            let n = n.map(|n| n - 1);
            (x.zip_with(c, |x, c| (x - n.the().to_f64()) / c), n)
        }
    };
    let start = |x: Vector| (x, unit(0));
    let reversible = move |c, x| aiterate_reversible(3, step(c), inverse(c), start(x)).0;
    let checkpointed = move |c, x| Checkpoints::Slots(2).aiterate(5, step(c), start(x)).0;
    let stored = move |trips: i32| move |c: Vector, x| aiterate(trips, step(c), start(x)).0;
    as_stored(3, reversible, stored(3));
    as_stored(5, checkpointed, stored(5));
}

/// A function that is computed once more, of what it is given and what it captures.
#[test]
fn functions_made_again() {
    let layer = |c: Vector| move |x: Vector| x.zip_with(c, |x, c| (x * c).sin()).map(|x| x.exp());
    let f = move |c: Vector, x: Vector| checkpoint(layer(c), checkpoint(layer(c), x));
    let stored = move |c: Vector, x: Vector| layer(c)(layer(c)(x));
    as_stored(1, f, stored);
    let several = |x: Vector| (x.sum(), x.map(|x| x.exp().to_i32()), x.map(|x| x * x));
    let f = move |c: Vector, x: Vector| {
        let (sum, whole, squares) = checkpoint(several, x);
        let squares = squares.zip_with(whole, |x, n| x * n.to_f64());
        squares.zip_with(c, |x, c| x * c * sum.the())
    };
    let stored = move |c: Vector, x: Vector| {
        let (sum, whole, squares) = several(x);
        let squares = squares.zip_with(whole, |x, n| x * n.to_f64());
        squares.zip_with(c, |x, c| x * c * sum.the())
    };
    as_stored(1, f, stored);
}

/// The only trip makes anew what it is given: the first state has no part in the results, though it depends on what is differentiated by.
#[test]
fn states_that_the_only_trip_does_not_read() {
    type State = (Vector, Vector);
    let next =
        |c: Vector| move |_: Exp<i32>, (_, y): State| (c.map(|c| c.sin()), y.map(|y| y.exp()));
    let start = |x: Vector| (x, x);
    let end = |(x, y): State| x.zip_with(y, |x, y| x * y);
    for trips in [0, 1, 2] {
        let f = move |c, x| end(Checkpoints::Slots(1).aiterate(trips, next(c), start(x)));
        let stored = move |c, x| end(aiterate(trips, next(c), start(x)));
        as_stored(trips, f, stored);
    }
    let given = |c: Vector, x: Vector| Checkpoints::Slots(1).aiterate(1, |_, _: Vector| c, x);
    as_stored(1, given, |c: Vector, _| c);
}
