//! Results of one operation that are known by themselves, or the same on every trip of a loop.

use super::{same, well_formed};
use crate::host::HostArray;
use crate::interp;
use crate::label::label;
use crate::recover::recover;
use crate::surface::prelude::*;
use crate::surface::{AccFn, Arrays};
use crate::term::{AccOp, Labelled, Program};
use std::array::from_fn;

type Vector = Acc<Ix1, f64>;

/// The program of a closure, simplified, with how often a rule fired; both give the same.
#[track_caller]
pub(super) fn simplified<M, F: AccFn<M>>(
    f: F,
    input: <F::In as Arrays>::Host,
    rule: &str,
) -> (Program<Labelled>, u64) {
    let traced = trace(f).unwrap();
    let before = label(&recover(&traced.graph, &traced.lambda).unwrap());
    let (after, counts) = well_formed(&before);
    let mut columns = vec![];
    F::In::from_host(input, &mut columns);
    let [expected, found] = [&before, &after].map(|p| interp::run(p, &columns).unwrap());
    let values = |arrays: &[HostArray]| {
        let all = arrays.iter().map(HostArray::column);
        let all = all.flat_map(|column| (0..column.len()).filter_map(|i| column.get(i)));
        all.collect::<Vec<_>>()
    };
    let (expected, found) = (values(&expected), values(&found));
    assert_eq!(expected.len(), found.len());
    let equal = expected.into_iter().zip(found).all(|(a, b)| same(a, b));
    assert!(equal, "{before}\n{after}");
    (after, counts.get(rule))
}

fn numbers() -> Array<Ix1, f64> {
    Array::vector(vec![0.5, -1.0, 2.0]).unwrap()
}

/// The numbers of results of folds and scans, in the order of the program.
fn widths(program: &Program<Labelled>) -> Vec<usize> {
    let lets = program.body.all_lets();
    let reductions = lets.filter(|l| matches!(l.op, AccOp::Fold { .. } | AccOp::Scan { .. }));
    reductions.map(|l| l.binds.len()).collect()
}

#[test]
fn maps_of_what_is_known() {
    let f = |x: Vector| {
        let (sine, tangent) = x
            .zip_with(x.map(|x| x * x * x.exp()), |x, t| (x.sin(), t * x.cos()))
            .unzip();
        (x.map(|x| x.sin()), sine, tangent)
    };
    // The whole comes first: nothing is known yet.
    assert_eq!(simplified(f, numbers(), "column_cse").1, 0);
    let f = |x: Vector| {
        let alone = x.map(|x| x.sin());
        let twice = alone.map(|x| x * 2.0);
        let t = twice.map(|x| x * x.exp());
        let (sine, tangent) = x.zip_with(t, |x, t| (x.sin(), t * x.cos())).unzip();
        (twice, sine, tangent)
    };
    let (after, fired) = simplified(f, numbers(), "column_cse");
    assert_eq!(
        (fired, after.to_string().matches("sin (").count()),
        (1, 1),
        "{after}"
    );
}

#[test]
fn elements_of_what_is_known() {
    let f = |x: Vector| {
        let reversed = generate(x.shape(), |ix![i]| x.at(ix![x.size() - 1 - i]).sin());
        let t = reversed.map(|x| x * x * x);
        let pairs = generate(x.shape(), |ix![i]| {
            (x.at(ix![x.size() - 1 - i]).sin(), t.at(ix![i]) * 2.0)
        });
        let (again, tangent) = pairs.unzip();
        (reversed, again, tangent)
    };
    let (after, fired) = simplified(f, numbers(), "column_cse");
    assert_eq!(
        (fired, after.to_string().matches("sin (").count()),
        (1, 1),
        "{after}"
    );
}

#[test]
fn not_where_the_other_arguments_cut() {
    let f = |x: Vector, y: Vector| {
        let cosines = x.map(|x| x.cos());
        let t = y.zip_with(cosines, |y, x| x + y);
        let (again, product) = x.zip_with(t, |x, t| (x.cos(), x * t)).unzip();
        (cosines, again, product)
    };
    let short = Array::vector(vec![1.0]).unwrap();
    assert_eq!(simplified(f, (numbers(), short), "column_cse").1, 0);
}

#[test]
fn folds_and_scans_of_what_is_known() {
    let f = |x: Vector| {
        let sum = x.sum();
        let t = x.map(|x| x * sum.the());
        let (again, tangent) = x
            .zip(t)
            .fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d))
            .unzip();
        (sum, again, tangent)
    };
    let (after, fired) = simplified(f, numbers(), "column_cse");
    assert_eq!((fired, widths(&after)), (1, vec![1, 1]), "{after}");
    let f = |x: Vector| {
        let sums = x.scanl1(|a, b| a + b);
        let t = sums.map(|x| x * x);
        let (again, tangents) = x.zip(t).scanl1(|(a, b), (c, d)| (a + c, b * d)).unzip();
        (sums, again, tangents)
    };
    let (after, fired) = simplified(f, numbers(), "column_cse");
    assert_eq!((fired, widths(&after)), (1, vec![1, 1]), "{after}");
    // The tangent of a product needs the product.
    let f = |x: Vector| {
        let product = x.product();
        let t = x.map(|x| x + product.the());
        let times = |(a, da), (b, db)| (a * b, a * db + da * b);
        let (again, tangent) = x.zip(t).fold((1.0, 0.0), times).unzip();
        (product, again, tangent)
    };
    let (after, fired) = simplified(f, numbers(), "column_cse");
    assert_eq!((fired, widths(&after)), (0, vec![1, 2]), "{after}");
}

#[test]
fn what_is_the_same_on_every_trip() {
    let f = |x: Vector| {
        let step = |_, t: Vector| {
            let pairs = x.zip_with(t.backpermute(x.shape(), |i| i), |x, t| (x.sin(), t * x));
            let sums = pairs.fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
            let (value, tangent) = sums.unzip();
            t.map(|t| t * value.the() + tangent.the())
        };
        aiterate(3, step, x)
    };
    let (after, fired) = simplified(f, numbers(), "loop_invariant_column");
    assert_eq!((fired, widths(&after)), (2, vec![1, 1]), "{after}");
    let is_loop = |op: &AccOp<Labelled>| matches!(op, AccOp::Loop { .. });
    let position = after.body.lets.iter().position(|l| is_loop(&l.op)).unwrap();
    let outside = after.body.lets[..position].iter();
    assert!(
        outside.clone().any(|l| matches!(l.op, AccOp::Fold { .. })),
        "{after}"
    );
}

/// Five sines of x, or of what a loop carries, beside five derivatives along what it carries, on every trip; with the sines of x known.
fn waves(of_state: bool) -> impl Fn(Vector) -> (Acc<Ix1, [f64; 5]>, Vector) + Copy {
    let waves = |x: Exp<f64>| from_fn::<_, 5, _>(|k| (x * (k as f64 + 1.0)).sin());
    let along = |x: Exp<f64>, t: Exp<f64>| from_fn::<_, 5, _>(|k| t * (x * (k as f64 + 1.0)).cos());
    move |x: Vector| {
        let step = |_, t: Vector| {
            let at = if of_state { t } else { x };
            let both = at.zip_with(t, |x, t| (along(x, t), waves(x)));
            let (tangents, values) = both.unzip();
            tangents.zip_with(values, |t, v| {
                let products = from_fn::<_, 5, _>(|k| t[k] * v[k]);
                products.into_iter().reduce(|a, b| a + b).unwrap()
            })
        };
        (x.map(waves), aiterate(3, step, x))
    }
}

#[test]
fn many_columns_that_are_known_together() {
    let (after, fired) = simplified(waves(false), numbers(), "columns_cse");
    let sines = after.to_string().matches("sin (").count();
    assert_eq!((fired, sines), (1, 5), "{after}");
    let (after, fired) = simplified(waves(true), numbers(), "columns_cse");
    let sines = after.to_string().matches("sin (").count();
    assert_eq!((fired, sines), (0, 10), "{after}");
}

#[test]
fn loops_of_one_trip_are_its_array_code() {
    let f = |x: Vector| {
        aiterate(
            1,
            |k, y: Vector| y.map(|y| y * x.sum().the() + k.to_f64()),
            x,
        )
    };
    let (after, fired) = simplified(f, numbers(), "loop_one_trip_of_arrays");
    let mut left = after.body.all_lets();
    assert_eq!(fired, 1);
    assert!(left.all(|l| !matches!(l.op, AccOp::Loop { .. })), "{after}");
}

/// What the loop in it counts by has no number then, nor what its derivative goes back by.
#[test]
fn loops_of_no_trip_are_their_first_state() {
    let inner = |k, y: Vector| aiterate(k, |_, y: Vector| y.map(|y| y * y), y);
    for trips in [0, -3] {
        let f = move |x: Vector| aiterate(trips, inner, x);
        let (after, fired) = simplified(f, numbers(), "loop_no_trip_of_arrays");
        let mut left = after.body.all_lets();
        assert_eq!(fired, 1);
        assert!(left.all(|l| !matches!(l.op, AccOp::Loop { .. })), "{after}");
    }
}

/// What a function to be made again computes would be kept, if it were outside.
#[test]
fn what_is_made_again_stays_in_its_loop() {
    let f = |x: Vector| checkpoint(|y: Vector| y.map(|y| y * x.sum().the()), x);
    let (after, fired) = simplified(f, numbers(), "loop_invariant_array");
    assert_eq!(fired, 0, "{after}");
    let (after, fired) = simplified(
        |x: Vector| {
            let scaled = |x: Vector| x.map(|y| y * x.sum().the());
            aiterate(x.size(), |_, _| scaled(x), x)
        },
        numbers(),
        "loop_invariant_array",
    );
    assert!(fired > 0, "{after}");
}

/// What may fail stays, as there may be no trip at all.
#[test]
fn what_may_fail_on_every_trip() {
    let f = |x: Vector| {
        let step = |_, t: Vector| {
            let (value, next) = t
                .zip_with(x.backpermute(t.shape(), |i| i), |t, _| {
                    (x.at(ix![7]), t * 2.0)
                })
                .unzip();
            next.zip_with(value, |a, b| a + b)
        };
        aiterate(0, step, x)
    };
    assert_eq!(simplified(f, numbers(), "loop_invariant_column").1, 0);
}

#[test]
fn state_that_only_unused_columns_read_goes() {
    // The trips of each element are counted, and nobody asks.
    let f = |x: Vector| {
        let step = |_, (x, n): (Vector, Vector)| {
            let both = x.zip_with(n, |x, n| (x.sin(), n + 1));
            both.unzip()
        };
        aiterate(3, step, (x.scanl1(|a, b| a + b), x)).0
    };
    let (after, fired) = simplified(f, numbers(), "loop_unused_state");
    assert_eq!((fired, widths(&after)), (1, vec![1]), "{after}");
    // Where they are asked for, both stay.
    let both = |x: Vector| {
        let step = |_, (x, n): (Vector, Vector)| {
            let both = x.zip_with(n, |x, n| (x.sin(), n + x));
            both.unzip()
        };
        aiterate(3, step, (x.scanl1(|a, b| a + b), x)).1
    };
    assert_eq!(simplified(both, numbers(), "loop_unused_state").1, 0);
}

/// Of what a trip carries, that goes which nothing needs: neither the result of the loop, nor what a column reads that is used.
#[test]
fn columns_that_loops_need_not_carry() {
    let f = |x: Vector| {
        let step = |_: Exp<i32>, (v, s, t): (Vector, Number, Number)| {
            let (first, _) = v.map(|x| (x * s.the(), x.sin() * t.the())).unzip();
            (first, s.map(|s| s + 0.5), t.map(|t| t * t))
        };
        let state = (x, unit(1.5), unit(2.0));
        aiterate(3, step, state).0
    };
    let (after, _) = simplified(f, numbers(), "array_dce");
    let lets = after.body.all_lets();
    let carried = lets.filter_map(|let_| match &let_.op {
        AccOp::Loop { args, .. } => Some(args.len()),
        _other => None,
    });
    assert_eq!(carried.collect::<Vec<_>>(), [2], "{after}");
}
