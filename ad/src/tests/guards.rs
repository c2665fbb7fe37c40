//! A zero adjoint passes nothing on: functions that are cut off where their partial derivative is infinite or NaN, against the
//! interpreter's dual numbers, first and second derivatives.

use super::{Number, Vector, agree, derive, floats, host, program, vector};
use cotangent_core::host::HostArray;
use cotangent_core::interp::run;
use cotangent_core::simplify::simplify;
use cotangent_core::surface::prelude::*;
use cotangent_core::term::{Labelled, Program};
use std::iter::zip;

/// Points at which some primitive has a pole, overflows, or leaves its domain.
const POINTS: [f64; 15] = [
    0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 1000.0, -1000.0, 1e34, -1e30, 1e200, -1e300, 1e-30,
    1e-320,
];
/// How many of them second derivatives are tried at: next to a pole they cancel, and reciprocals overflow.
const SECOND_ORDER: usize = 13;
/// What a cut compares with, or multiplies by.
const SECONDS: [f64; 4] = [0.0, 0.5, -2.0, 150.0];
/// The adjoints from outside.
const WEIGHTS: [f64; 2] = [0.0, 1.5];

macro_rules! functions {
    ($t:ty) => {
        [
            ("sqrt", (|x| x.sqrt()) as fn(Exp<$t>) -> Exp<$t>),
            ("exp", |x| x.exp()),
            ("exp_m1", |x| x.exp_m1()),
            ("ln", |x| x.ln()),
            ("ln_1p", |x| x.ln_1p()),
            ("sin", |x| x.sin()),
            ("cos", |x| x.cos()),
            ("tan", |x| x.tan()),
            ("asin", |x| x.asin()),
            ("acos", |x| x.acos()),
            ("atan", |x| x.atan()),
            ("sinh", |x| x.sinh()),
            ("cosh", |x| x.cosh()),
            ("tanh", |x| x.tanh()),
            ("asinh", |x| x.asinh()),
            ("acosh", |x| x.acosh()),
            ("atanh", |x| x.atanh()),
            ("abs", |x| x.abs()),
            ("recip", |x| 1.0 / x),
            ("third", |x| x / 3.0),
            ("quotient", |x| x / (x - 1.0)),
            ("inverse_square", |x| x.powi(-2)),
            ("log", |x| x.log(2.0)),
            ("root", |x| x.powf(0.5)),
            ("pole", |x| x.powf(-1.5)),
            ("power_of", |x| (x * 0.0 + 1.0).powf(x)),
            ("self_power", |x| x.abs().powf(x)),
            ("angle", |x| x.atan2(x * 2.0)),
            ("difference", |x| 2.0 - x),
        ]
    };
}

macro_rules! cuts {
    ($t:ty) => {
        [
            (
                "max",
                (|y, _| y.max(1e3)) as fn(Exp<$t>, Exp<$t>) -> Exp<$t>,
            ),
            ("min", |y, _| y.min(-1e3)),
            ("clamp", |y, _| y.clamp(-3.0, 3.0)),
            ("cond", |y, v| {
                cond(v.gt(100.0), y, v * 2.0) + cond(v.gt(200.0), y, v)
            }),
            ("times_zero", |y, v| y * (v - v)),
            ("product", |y, v| (y * v).max(1e3)),
            ("cube", |y, _| (y * y * y).clamp(-1.0, 2.0)),
            ("bell", |y, _| (-(y * y)).exp()),
            ("logistic", |y, v| 1.0 / (1.0 + y * (v * 10.0).exp())),
            ("none", |y, v| y * v),
        ]
    };
}

/// All combinations of some points, second operands and weights, as three columns.
fn columns(points: &[f64]) -> [Vec<f64>; 3] {
    let mut columns = [vec![], vec![], vec![]];
    for &x in points {
        for v in SECONDS {
            for w in WEIGHTS {
                for (column, value) in columns.iter_mut().zip([x, v, w]) {
                    column.push(value);
                }
            }
        }
    }
    columns
}

fn doubles(points: &[f64]) -> Vec<HostArray> {
    columns(points).iter().map(|c| vector(c)).collect()
}

/// Without the points that `f32` has not, or whose multiples it has not.
fn singles(points: &[f64]) -> Vec<HostArray> {
    let points: Vec<_> = points.iter().copied().filter(|x| x.abs() < 1e35).collect();
    let narrow = |c: &Vec<f64>| c.iter().map(|&x| x as f32).collect::<Vec<_>>();
    let columns = columns(&points);
    columns
        .iter()
        .map(|c| host(&[c.len()], &narrow(c)))
        .collect()
}

/// Where AD, with and without simplifications, gives something else than duals: point, AD, duals.
fn differences(
    p: &Program<Labelled>,
    inputs: &[HostArray],
    near: fn(f64, f64) -> bool,
) -> Vec<(Vec<f64>, f64, f64)> {
    let expected = run(p, inputs).unwrap();
    let (simple, _) = simplify(derive(&simplify(p.clone()).0));
    let point = |i: usize| inputs.iter().map(|input| floats(input)[i]).collect();
    let mut found = vec![];
    for derived in [derive(p), simple] {
        let results = run(&derived, inputs).unwrap();
        for (result, expected) in zip(&results, &expected) {
            for (i, (by_ad, by_duals)) in zip(floats(result), floats(expected)).enumerate() {
                if !near(by_ad, by_duals) {
                    found.push((point(i), by_ad, by_duals));
                }
            }
        }
    }
    found
}

fn same(by_ad: f64, by_duals: f64) -> bool {
    let size = by_ad.abs().max(by_duals.abs()).max(1.0);
    by_ad == by_duals
        || by_ad.is_nan() && by_duals.is_nan()
        || size.is_finite() && (by_ad - by_duals).abs() <= 1e-3 * size
}

/// At a pole itself, the terms of a second derivative are infinities of both signs, which meet in another order; and near
/// it, duals overflow where the adjoint that a quotient passes on has become zero.
fn same_if_finite(by_ad: f64, by_duals: f64) -> bool {
    !by_duals.is_finite() || same(by_ad, by_duals)
}

macro_rules! first_and_second {
    ($first:ident, $second:ident, $t:ty, $inputs:ident) => {
        #[test]
        fn $first() {
            for (name, f) in functions!($t) {
                for (cut_name, cut) in cuts!($t) {
                    let p = program(|x: Acc<Ix1, $t>, v: Acc<Ix1, $t>, w: Acc<Ix1, $t>| {
                        let sum = |(x, v): (Acc<Ix1, $t>, Acc<Ix1, $t>)| {
                            let y = x.zip_with(v, |x, v| cut(f(x), v));
                            y.zip_with(w, |y, w| y * w).sum()
                        };
                        gradient_a(sum, (x, v))
                    });
                    let near = match cut_name {
                        "logistic" => same_if_finite,
                        _ => same,
                    };
                    let found = differences(&p, &$inputs(&POINTS), near);
                    assert_eq!(found, [], "{name}, {cut_name}");
                }
            }
        }

        #[test]
        fn $second() {
            for (name, f) in functions!($t) {
                for (cut_name, cut) in cuts!($t) {
                    let p = program(|x: Acc<Ix1, $t>, v: Acc<Ix1, $t>, w: Acc<Ix1, $t>| {
                        let inner = |x, v| gradient_e(|x| cut(f(x), v), x);
                        let sum = |(x, v): (Acc<Ix1, $t>, Acc<Ix1, $t>)| {
                            let y = x.zip_with(v, inner);
                            y.zip_with(w, |y, w| y * w).sum()
                        };
                        gradient_a(sum, (x, v))
                    });
                    let found = differences(&p, &$inputs(&POINTS[..SECOND_ORDER]), same_if_finite);
                    assert_eq!(found, [], "{name}, {cut_name}");
                }
            }
        }
    };
}

first_and_second!(first_derivatives, second_derivatives, f64, doubles);
first_and_second!(
    first_derivatives_of_singles,
    second_derivatives_of_singles,
    f32,
    singles
);

/// The gradient of `f` at `x`, by AD, after checking it against duals.
fn at(f: impl Fn(Vector) -> Number + Copy, x: &[f64]) -> Vec<f64> {
    let p = program(|x: Vector| gradient_a(f, x));
    floats(&agree(&p, &[vector(x)])[0])
}

#[test]
fn what_maxima_and_minima_cut_off() {
    let x = [0.0, 4.0];
    assert_eq!(at(|x| x.map(|x| x.sqrt().max(1.0)).sum(), &x), [0.0, 0.25]);
    assert_eq!(
        at(|x| x.map(|x| x.ln().clamp(-3.0, 3.0)).sum(), &x),
        [0.0, 0.25]
    );
    assert_eq!(
        at(|x| x.map(|x| (1.0 / x).min(5.0)).sum(), &x),
        [0.0, -0.0625]
    );
    assert_eq!(at(|x| x.map(|x| x.sqrt()).maximum(), &x), [0.0, 0.25]);
    assert_eq!(at(|x| x.map(|x| x.sqrt() * 0.0).sum(), &x), [0.0, 0.0]);
}

#[test]
fn what_array_operations_cut_off() {
    let x = [0.0, 4.0];
    assert_eq!(at(|x| x.map(|x| x.sqrt()).slice(ix![1]), &x), [0.0, 0.25]);
    assert_eq!(
        at(
            |x| x
                .map(|x| x.sqrt())
                .reverse()
                .backpermute(ix![1], |i| i)
                .sum(),
            &x
        ),
        [0.0, 0.25]
    );
    let short = |x: Vector| {
        let one = fill(ix![1], 2.0);
        one.zip_with(x.map(|x| x.ln()).reverse(), |a, b| a * b)
            .sum()
    };
    assert_eq!(at(short, &x), [0.0, 0.5]);
    let scattered = |x: Vector| {
        let y = x.map(|x| x.sqrt());
        y.permute(Combine::Add, fill(ix![2], 0.0), |ix![i]| (i.gt(0), ix![i]))
            .sum()
    };
    assert_eq!(at(scattered, &x), [0.0, 0.25]);
    let read = |x: Vector| {
        let y = x.map(|x| 1.0 / x);
        generate(ix![1], |_| y.at(ix![1])).sum()
    };
    assert_eq!(at(read, &x), [0.0, -0.0625]);
    let chosen = |x: Vector| acond(x.size().gt(7), x.map(|x| x.sqrt()), x.map(|x| x * 2.0)).sum();
    assert_eq!(at(chosen, &x), [2.0, 2.0]);
}

#[test]
fn what_folds_and_scans_cut_off() {
    // The product overflows, and its partial derivatives with it.
    let huge = [1e200, 1e200, 1e200];
    assert_eq!(at(|x| x.product().map(|p| p.min(5.0)), &huge), [0.0; 3]);
    // The roots of 0 that the states begin with.
    let x = [0.0, 4.0, 9.0];
    let roots = |x: Vector| x.fold(0.0, |a, b| a + b.sqrt()).map(|s| s.max(100.0));
    assert_eq!(at(roots, &x), [0.0; 3]);
    let states = |x: Vector| x.fold(0.0, |a, b| a.sqrt() * 0.0 + b);
    assert_eq!(at(states, &x), [0.0, 0.0, 1.0]);
    let scanned = |x: Vector| x.scanl(0.0, |a, b| a.sqrt() * 0.0 + b).sum();
    assert_eq!(at(scanned, &x), [1.0; 3]);
    // The state after the first element is 0, where the step away from it has an infinite partial derivative, and the next the partial derivative 0.
    let gaps = [0.0, 2.0, 0.0];
    assert_eq!(at(|x| x.fold(1.0, |a, b| a.sqrt() * b), &gaps), [0.0; 3]);
    let state = |k: i32| move |x: Vector| x.scanl(1.0, |a, b| a.sqrt() * b).slice(ix![k]);
    assert_eq!(at(state(3), &gaps), [0.0; 3]);
    assert_eq!(at(state(1), &gaps), [1.0, 0.0, 0.0]);
    let products = |x: Vector| x.scanl(1.0, |a, b| a * b).slice(ix![1]);
    assert_eq!(at(products, &huge), [1.0, 0.0, 0.0]);
}

/// A guard is constant where it holds, and its product is not.
#[test]
fn guards_pass_on_how_they_grow_with_the_adjoint() {
    let mixed = |f: fn(Exp<f64>) -> Exp<f64>| {
        let p = program(move |x: Vector, w: Vector| {
            let partials = |w: Vector| x.zip_with(w, |x, w| gradient_e(|x| w * f(x), x)).sum();
            gradient_a(partials, w)
        });
        floats(&agree(&p, &[vector(&[4.0]), vector(&[0.0])])[0])
    };
    assert_eq!(mixed(|x| x.sqrt()), [0.25]);
    assert_eq!(mixed(|x| x.ln()), [0.25]);
    assert_eq!(mixed(|x| 1.0 / x), [-0.0625]);
}

/// The same where both gradients are of arrays.
#[test]
fn guards_of_arrays_pass_on_how_they_grow_with_the_adjoint() {
    let mixed = |f: fn(Exp<f64>) -> Exp<f64>| {
        let p = program(move |x: Vector, w: Vector| {
            let weighted = |x: Vector, w: Vector| x.zip_with(w, |x, w| w * f(x)).sum();
            gradient_a(
                |w: Vector| gradient_a(|x: Vector| weighted(x, w), x).sum(),
                w,
            )
        });
        floats(&agree(&p, &[vector(&[4.0]), vector(&[0.0])])[0])
    };
    assert_eq!(mixed(|x| x.sqrt()), [0.25]);
    assert_eq!(mixed(|x| x.ln()), [0.25]);
    assert_eq!(mixed(|x| 1.0 / x), [-0.0625]);
}

/// Where the adjoint is 1, or the partial derivative is known to be finite, there is nothing to guard.
#[test]
fn guards_that_could_do_nothing_are_left_out() {
    let selects = |f: fn(Exp<f64>) -> Exp<f64>| {
        let p = program(move |x: Vector| x.map(|x| gradient_e(f, x)));
        let (p, _) = cotangent_core::simplify::simplify(super::derive(&p));
        let text = cotangent_core::print::Printer::default().program(&p);
        text.matches("select").count()
    };
    assert_eq!(selects(|x| x.sqrt()), 0);
    assert_eq!(selects(|x| x * x * 3.0 + 1.0 / x), 0);
    assert_eq!(selects(|x| (x / 3.0).sin() * 2.0), 0);
    assert_eq!(selects(|x| x.sqrt().sqrt()), 1);
}
