//! Updates of what loops carry, in branches and at places that the state says: what is kept are the elements that are overwritten.

use super::{Number, Vector, derive, energy, program, smooth, some};
use cotangent_core::simplify::simplify;
use cotangent_core::surface::prelude::*;

/// Checks the gradient of a loop whose step updates single elements, and that no array has a row for each trip that is as long as
/// the state.
fn updates(step: impl Fn(Exp<i32>, Vector) -> Vector + Copy) {
    let f = move |v: Vector| energy(aiterate(v.size() - 3, step, v));
    for n in [0, 3, 4, 7] {
        smooth(f, &[some(&[n], 4)]);
    }
    let (primal, _) = simplify(program(move |v: Vector| gradient_a(f, v)));
    let derived = derive(&primal);
    let ranks = derived.body.bindings().map(|bind| bind.ty.rank);
    assert_eq!(ranks.max(), Some(1));
}

fn bent(x: Exp<f64>) -> Exp<f64> {
    x * x.sin()
}

#[test]
fn in_one_branch() {
    updates(|i, v| {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        acond(x.lt(y), v.set(ix![i + 1], y + bent(x)), v)
    });
    updates(|i, v| {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        acond(x.lt(y), v, v.set(ix![i + 1], y + bent(x)))
    });
}

#[test]
fn in_both_branches() {
    updates(|i, v| {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        let there = v.set(ix![i], bent(y)).set(ix![i + 1], x);
        acond(x.lt(y), there, v.add_at(ix![i + 2], x * y))
    });
}

#[test]
fn in_branches_of_branches() {
    updates(|i, v| {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        let inner = acond(x.lt(0.3), v.set(ix![i + 1], bent(y)), v);
        acond(x.lt(y), inner, v.add_at(ix![i + 2], x))
    });
}

#[test]
fn where_the_state_says() {
    updates(|i, v| {
        let x = v.at(ix![i]);
        let j = (x.abs() * 1000.0).to::<i32>() % v.size();
        v.set(ix![j], v.at(ix![j]) + bent(x))
    });
    // The place is looked up where it is there alone.
    updates(|i, v| {
        let x = v.at(ix![i]);
        let places = generate(ix![i + 1], |ix![k]| (k * 7) % v.size());
        let place = places.at(ix![cond(x.lt(0.5), i, i + 1)]);
        acond(x.lt(0.5), v.set(ix![place], bent(x)), v)
    });
}

/// What a branch does with the array besides keeps its updates there: the derivative is right all the same.
#[test]
fn what_stays_in_its_branch() {
    let read = |v: Vector| -> Number {
        let step = |i: Exp<i32>, v: Vector| {
            let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
            let set = v.set(ix![i + 1], y + bent(x));
            let sum = set.sum().the();
            acond(x.lt(y), set.set(ix![i], sum), v)
        };
        energy(aiterate(v.size() - 3, step, v))
    };
    smooth(read, &[some(&[6], 2)]);
    let other = |v: Vector| -> Number {
        let step = |i: Exp<i32>, (v, w): (Vector, Vector)| {
            let (x, y) = (v.at(ix![i]), w.at(ix![i + 1]));
            acond(x.lt(y), (v.set(ix![i], y), w.set(ix![i], x)), (w, v))
        };
        let (v, w) = aiterate(v.size() - 3, step, (v, v.map(bent)));
        energy(v.zip_with(w, |v, w| v * w.cos()))
    };
    smooth(other, &[some(&[6], 2)]);
}

#[test]
fn in_a_loop_in_a_step() {
    updates(|i, v| {
        let sweep = move |j: Exp<i32>, v: Vector| {
            let (x, y) = (v.at(ix![i]), v.at(ix![i + j]));
            v.set(ix![i + j], y + bent(x))
        };
        aiterate(2, sweep, v)
    });
}

/// The number of trips inside is another one for each trip outside.
#[test]
fn in_a_triangle() {
    updates(|i, v| {
        let sweep = move |j: Exp<i32>, v: Vector| {
            let (x, y) = (v.at(ix![i + 1]), v.at(ix![j]));
            v.set(ix![j], y + bent(x))
        };
        aiterate(i, sweep, v)
    });
}

#[test]
fn around_loops_in_a_step() {
    updates(|i, v| {
        let x = v.at(ix![i]);
        let v = v.set(ix![i + 1], bent(x));
        let v = aiterate(
            i % 3,
            move |j, v| v.add_at(ix![i + j], bent(v.at(ix![j]))),
            v,
        );
        let y = v.at(ix![i + 2]);
        let v = v.add_at(ix![i], y * y);
        let back = move |j: Exp<i32>, v: Vector| {
            let at = i + 2 - j;
            v.set(ix![at], v.at(ix![at - 1]) * y.sin())
        };
        let v = aiterate(2, back, v);
        v.set(ix![i], v.at(ix![i + 1]) * 0.5)
    });
}

#[test]
fn in_loops_of_loops() {
    updates(|i, v| {
        let middle = move |j: Exp<i32>, v: Vector| {
            let inner = move |k: Exp<i32>, v: Vector| {
                let x = v.at(ix![k + 1]);
                v.add_at(ix![i], bent(x) * v.at(ix![j]))
            };
            let v = v.set(ix![j], bent(v.at(ix![j])));
            aiterate((i + j) % 3, inner, v)
        };
        aiterate(i, middle, v)
    });
}

/// The loop inside updates two arrays, of which one is read by what is around it, too.
#[test]
fn of_two_arrays_by_one_loop() {
    updates(|i, v| {
        let twice = move |(v, w): (Vector, Vector)| {
            let step = move |k: Exp<i32>, (v, w): (Vector, Vector)| {
                let x = w.at(ix![i + k]);
                (
                    v.add_at(ix![i], bent(x)),
                    w.set(ix![k], v.at(ix![i + 1]) * x),
                )
            };
            aiterate(2, step, (v, w))
        };
        let (v, w) = twice((v, v));
        v.set(ix![i + 1], w.at(ix![i]) + w.at(ix![1]))
    });
    let both = |v: Vector| {
        let outer = |i: Exp<i32>, (v, w): (Vector, Vector)| {
            let inner = move |k: Exp<i32>, (v, w): (Vector, Vector)| {
                let (x, y) = (v.at(ix![i + k]), w.at(ix![k]));
                (v.set(ix![i], y * x), w.add_at(ix![i + 1], bent(x)))
            };
            let (v, w) = aiterate(i, inner, (v, w.set(ix![i], v.at(ix![i + 1]).sin())));
            (v.set(ix![i + 2], w.at(ix![i])), w)
        };
        let (v, w) = aiterate(v.size() - 3, outer, (v, v.map(bent)));
        energy(v.zip_with(w, |v, w| v * w.cos()))
    };
    for n in [0, 3, 4, 7] {
        smooth(both, &[some(&[n], 4)]);
    }
}

/// How often the loop inside runs, and where it writes, follows from the state.
#[test]
fn as_often_as_the_state_says() {
    updates(|i, v| {
        let often = (v.at(ix![i]).abs() * 100.0).to::<i32>() % 3;
        let sweep = move |j: Exp<i32>, v: Vector| {
            let place = (v.at(ix![j]).abs() * 1000.0).to::<i32>() % v.size();
            v.set(ix![place], bent(v.at(ix![i])))
        };
        aiterate(often, sweep, v)
    });
    updates(|i, v| {
        let until = move |v: Vector| v.at(ix![i]).abs().gt(0.2);
        awhile(
            until,
            move |_, v| v.set(ix![i], bent(v.at(ix![i])) * 0.7),
            v,
        )
    });
}

#[test]
fn by_loops_in_branches() {
    updates(|i, v| {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        let sweep = move |j: Exp<i32>, v: Vector| v.set(ix![i + j], y + bent(x));
        acond(x.lt(y), aiterate(2, sweep, v), v.set(ix![i], x.sin()))
    });
    updates(|i, v| {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        let places = generate(ix![2], move |ix![k]| (k * 7 + i) % v.size());
        let sweep = move |j: Exp<i32>, (v, sum): (Vector, Number)| {
            let at = places.at(ix![j]);
            let sum = sum.map(|sum| sum + y);
            (v.add_at(ix![at], bent(x) + sum.the()), sum)
        };
        let scalar = |x: Exp<f64>| generate(ix![], move |_: Z| x);
        let both = aiterate(places.size(), sweep, (v, scalar(x)));
        let v = acond(x.lt(y), v, both.0.set(ix![i], x));
        v.set(ix![i + 1], v.at(ix![i]) * 0.5)
    });
}
