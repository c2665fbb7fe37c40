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
