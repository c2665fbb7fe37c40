//! What runs take as a whole: the sums of what explanations say of kernels.

use super::*;
use crate::{Formulas, Work};
use cotangent_core::schedule::Schedule;

/// The bytes of a chunk.
const CHUNK: u64 = 1 << 20;

fn schedule_of<M, F: AccFn<M>>(f: F) -> Schedule {
    let traced = trace(f).unwrap();
    let program = recover(&traced.graph, &traced.lambda).unwrap();
    let (program, _) = simplify(label(&program));
    schedule_with_report(&program, &Options::default())
        .unwrap()
        .0
}

fn sum(figures: impl Iterator<Item = u64>) -> u64 {
    figures.sum()
}

/// One kernel after the other that writes, in both types.
fn in_both_types(x: Acc<Ix1, f64>, y: Acc<Ix1, f32>) -> (Acc<Ix1, f64>, Acc<Ix1, f32>) {
    (
        x.scanl1(|a, b| a + b).scanl1(|a, b| a * b),
        y.map(|y| y.exp()).scanl1(|a, b| a + b),
    )
}

#[test]
fn the_work_is_what_all_kernels_take() {
    let formulas = Formulas::new(&schedule_of(in_both_types));
    for n in [1, 100, 1_000_000] {
        let e = explained(in_both_types, &[&[n], &[7]]);
        let work = formulas.work(&[&[n], &[7]], CHUNK).unwrap().unwrap();
        assert_eq!(work.kernels, e.kernels.len() as u64);
        let flops = sum(e.kernels.iter().map(|k| k.flops.number().unwrap()));
        assert_eq!(work.flops + work.flops_f64, flops);
        assert_eq!(work.flops_f64, 2 * (n as u64 - 1));
        let bytes = sum(e.kernels.iter().map(|k| k.bytes.number().unwrap()));
        assert_eq!(work.bytes, bytes);
        assert_eq!(work.inputs_bytes, 8 * n as u64 + 4 * 7);
        assert_eq!(work.results_bytes, 8 * n as u64 + 4 * 7);
        assert_eq!(work.largest_array_bytes, (8 * n as u64).max(28));
    }
}

#[test]
fn branches_that_are_not_taken_take_nothing() {
    let f = |x: Acc<Ix1, f64>| {
        let many = x.inner().gt(10);
        acond(
            many,
            x.scanl1(|a, b| a + b).scanl1(|a, b| a * b),
            x.scanl1(|a, b| a * b),
        )
    };
    let formulas = Formulas::new(&schedule_of(f));
    let kernels = |n: usize| formulas.work(&[&[n]], CHUNK).unwrap().unwrap().kernels;
    assert_eq!([kernels(5), kernels(50)], [1, 2]);
    // Nobody knows: both count.
    let f = |x: Acc<Ix1, f64>, c: Acc<Ix0, bool>| {
        acond(c.the(), x.scanl1(|a, b| a + b), x.scanl1(|a, b| a * b))
    };
    let work = Formulas::new(&schedule_of(f)).work(&[&[5], &[]], CHUNK);
    assert_eq!(work.unwrap().unwrap().kernels, 2);
}

#[test]
fn kernels_of_strips_start_once_a_chunk() {
    // The exponentials are handed over chunk by chunk.
    let f = |x: Acc<Ix2, f64>| {
        let e = x.map(|x| x.exp());
        let ix![n, m] = x.shape();
        e.zip_with(e.sum().replicate(ix![All, m]), move |e, sum| {
            e / sum + n.to::<f64>()
        })
    };
    let formulas = Formulas::new(&schedule_of(f));
    let work = |n: usize| formulas.work(&[&[n, 100]], CHUNK).unwrap().unwrap();
    let (few, many) = (work(10), work(1_000_000));
    assert_eq!(few.launches, few.kernels);
    assert_eq!(many.kernels, few.kernels);
    // All the work is in one strip: exponentials, their sum and the quotients of each row.
    let bytes = 8 * 201 * 1_000_000u64;
    assert_eq!(many.launches, bytes.div_ceil(CHUNK) * many.kernels);
    let whole = formulas.work(&[&[1_000_000, 100]], bytes).unwrap().unwrap();
    assert_eq!(whole.launches, whole.kernels);
    // What is inside counts by chunks: the result is the largest.
    assert_eq!(many.largest_array_bytes, 8 * 100 * 1_000_000);
}

#[test]
fn what_data_decide_is_not_known() {
    let f = |n: Acc<Ix0, i32>| generate(ix![n.the()], |ix![i]| i.to::<f32>()).scanl1(|a, b| a + b);
    assert_eq!(Formulas::new(&schedule_of(f)).work(&[&[]], CHUNK), Ok(None));
}

#[test]
fn shapes_must_fit() {
    let formulas = Formulas::new(&schedule_of(in_both_types));
    let wrong: [(&[&[usize]], _); 2] = [
        (
            &[&[1]],
            ExplainError::ShapeCount {
                expected: 2,
                given: 1,
            },
        ),
        (
            &[&[1], &[1, 1]],
            ExplainError::Rank {
                position: 1,
                expected: 1,
                given: 2,
            },
        ),
    ];
    for (shapes, error) in wrong {
        assert_eq!(formulas.work(shapes, CHUNK), Err(error));
    }
    let empty = formulas.work(&[&[0], &[0]], CHUNK).unwrap().unwrap();
    assert_eq!(
        empty,
        Work {
            kernels: empty.kernels,
            launches: empty.launches,
            ..Work::default()
        }
    );
}

/// Each element is squared as often as the second input says.
fn squared(x: Acc<Ix1, f64>, trips: Acc<Ix1, i32>) -> Acc<Ix1, f64> {
    x.zip_with(trips, |x, n| iterate(n, |_, x| x * x, x))
}

#[test]
fn trips_that_data_decide_are_an_unknown() {
    let e = formulas(squared);
    let [kernel] = &e.kernels[..] else {
        panic!("{} kernels", e.kernels.len());
    };
    assert_eq!(kernel.flops.to_string(), "steps1*min(x0.0, x1.0)");
    let [steps] = &e.extents[..] else {
        panic!("{:?}", e.extents);
    };
    assert_eq!((steps.name.as_str(), steps.value), ("steps1", None));
    assert!(
        steps
            .meaning
            .starts_with("trips that a loop in `zip_with` at ")
    );
    let known = explained(squared, &[&[10], &[10]]);
    assert_eq!(known.kernels[0].flops, Figure::DependsOnData);
    assert_eq!(known.kernels[0].bytes.number(), Some(10 * (8 + 4 + 8)));
    // What a choice is made from counts a trip.
    let work = Formulas::new(&schedule_of(squared)).work(&[&[10], &[10]], CHUNK);
    assert_eq!(work.unwrap().unwrap().flops_f64, 10);
}

#[test]
fn trips_that_extents_or_literals_decide_are_counted() {
    let f = |x: Acc<Ix1, f64>, y: Acc<Ix1, f64>| {
        let n = y.size();
        x.map(move |x| {
            let powers = iterate(n, |_, x| x * x, x);
            iterate(3, |_, x| iterate(5, |_, x| x + 1.0, x).exp(), powers)
        })
    };
    assert_eq!(
        formulas(f).kernels[0].flops.to_string(),
        "x0.0*x1.0 + 75*x0.0"
    );
    let kernel = &explained(f, &[&[10], &[4]]).kernels[0];
    assert_eq!(kernel.flops.number(), Some(10 * (4 + 75)));
}

#[test]
fn what_loops_read_is_an_element_a_trip_and_no_more_than_the_array() {
    let f = |x: Acc<Ix1, f64>, table: Acc<Ix1, f64>| {
        x.map(move |x| iterate(3, |k, sum| sum + table.at(ix![k * k]), x))
    };
    let nested = |x: Acc<Ix1, f64>, table: Acc<Ix1, f64>| {
        let add = move |k: Exp<i32>, sum: Exp<f64>| sum + table.at(ix![k * k]);
        x.map(move |x| iterate(2, |_, x| iterate(3, add, x), x))
    };
    for (n, table) in [(10, 100), (1000, 100)] {
        let shapes: [&[usize]; 2] = [&[n], &[table]];
        for (e, trips) in [(explained(f, &shapes), 3), (explained(nested, &shapes), 6)] {
            let read = 8 * n + (8 * trips * n).min(8 * table);
            assert_eq!(e.kernels[0].bytes_read.number(), Some(read as u64));
        }
    }
}
