//! Arrays `[T; N]` of many entries that loops of scalar code replace one by one: the loop of arrays carries them as one.

use super::{Number, Vector, derive, energy, program, smooth, vector};
use cotangent_core::simplify::simplify;
use cotangent_core::surface::prelude::*;
use cotangent_core::term::AccOp;

type Entries17 = [Exp<f64>; 17];

/// Checks the gradient of `f` on each element, whose second argument is the number of the element. Where its first depends on one
/// element of an array, loops are differentiated forwards; where it depends on many, they become loops of arrays, which are to
/// carry few.
fn entries(f: impl Fn(Exp<f64>, Exp<i32>) -> Exp<f64> + Copy) {
    let alone = |v: Vector| energy(generate(v.shape(), |ix![i]| f(v.at(ix![i]), i)));
    let all = move |v: Vector| {
        let part = |i: Exp<i32>, d: i32| v.at(ix![(i + d) % v.size()]) * (0.5 - 0.1 * f64::from(d));
        energy(generate(v.shape(), |ix![i]| {
            f((1..5).fold(part(i, 0), |sum, d| sum + part(i, d)), i)
        }))
    };
    for v in [&[0.5, -0.25, 1.5, 0.75][..], &[]] {
        smooth(alone, &[vector(v)]);
        smooth(all, &[vector(v)]);
    }
    smooth(
        |x: Number| energy(x.map(|x| f(x, 2.into_exp()))),
        &[super::host(&[], &[0.5])],
    );
    let (primal, _) = simplify(program(move |v: Vector| gradient_a(all, v)));
    let derived = derive(&primal);
    let carried = derived.body.all_lets().filter_map(|let_| {
        let AccOp::Loop { args, .. } = &let_.op else {
            return None;
        };
        Some(args.len())
    });
    assert!(carried.max().is_some_and(|most| most < 17));
}

fn total(v: Entries17) -> Exp<f64> {
    let each = v.into_iter().enumerate();
    each.fold(0.0.into_exp(), |sum, (n, x)| sum + x * (1.0 + n as f64))
}

/// Positions may be out of range, and what is read may have been written by the same trip, or not.
#[test]
fn replaced_and_read() {
    entries(|x, i| {
        let step = |k: Exp<i32>, v: Entries17| {
            let to = (i + k * 5) % 19 - 1;
            v.with_entry(to, (v.entry((i * 2 + k * 7) % 20 - 1) + x).sin())
        };
        total(iterate(
            6,
            step,
            std::array::from_fn(|n| x * (n as f64 * 0.1)),
        ))
    });
    entries(|x, i| {
        let step = |k: Exp<i32>, v: Entries17| {
            let (from, to) = ((i + k) % 17, (i * 3 + k * 2) % 17);
            let kept = v.entry(from);
            let v = v.with_entry(from, v.entry(to).cos());
            v.with_entry(to, kept + v.entry(from) * x + v[3])
        };
        iterate(5, step, std::array::from_fn(|n| x + n as f64 * 0.2)).entry(i)
    });
}

/// Elements leave the loop one by one; what they carried stays as it was.
#[test]
fn numbers_of_trips_that_differ() {
    entries(|x, i| {
        let step = |k: Exp<i32>, v: Entries17| v.with_entry(k % 2, v.entry(k) + x * 0.5);
        let last = iterate(i * 2, step, std::array::from_fn(|n| x * (n as f64)));
        total(last)
    });
    entries(|x, i| {
        let goes_on = |(sum, v): (Exp<f64>, Entries17)| sum.lt(2.0).and(v.entry(i).lt(1.5));
        let step = |k: Exp<i32>, (sum, v): (Exp<f64>, Entries17)| {
            let v = v.with_entry(k % 17, v[1] + x * 0.4 + v.entry(k));
            (sum + v.entry(k + 1) * 0.5 + 0.1, v)
        };
        let (sum, v) = iterate_while(20, goes_on, step, (x, [x * 0.3; 17]));
        sum * total(v)
    });
}

/// Selections that are no entries of one array are carried one by one.
#[test]
fn what_looks_like_entries() {
    let all = |v: Vector| {
        let f = |x: Exp<f64>, i: Exp<i32>| {
            let step = |k: Exp<i32>, v: Entries17| {
                let mut next = v.with_entry(k + i, v.entry(k) * x);
                next[4] = v[4] + v[5] * x;
                next.with_entry(k, x)
            };
            total(iterate(4, step, [x; 17]))
        };
        energy(generate(v.shape(), |ix![i]| f(v.at(ix![i]), i)))
    };
    smooth(all, &[vector(&[0.5, -0.25, 1.5])]);
    let numbers = |v: Vector| {
        let f = |x: Exp<f64>, i: Exp<i32>| {
            let step = |k: Exp<i32>, v: Entries17| {
                let of = |n: usize| cond((k + i).eq_(n as i32), x * v[0], v[n]);
                let first: Entries17 = std::array::from_fn(of);
                let of = |n: usize| cond(k.eq_((n as i32 + 1) % 17), x + v[1], first[n]);
                std::array::from_fn(of)
            };
            total(iterate(4, step, [x; 17]))
        };
        energy(generate(v.shape(), |ix![i]| f(v.at(ix![i]), i)))
    };
    smooth(numbers, &[vector(&[0.5, -0.25, 1.5])]);
}
