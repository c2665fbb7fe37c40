//! Loops without a state as operations on one more dimension: of any extents, the same values; and loops that stay.

use super::{array, same, well_formed};
use crate::host::HostArray;
use crate::interp;
use crate::label::label;
use crate::recover::recover;
use crate::simplify::{ArrayLoops, simplify_with};
use crate::surface::AccFn;
use crate::surface::prelude::*;
use crate::term::{AccOp, Labelled, Program};

type Number = Acc<Z, f64>;
type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

fn program<M, F: AccFn<M>>(f: F) -> Program<Labelled> {
    let traced = trace(f).unwrap();
    label(&recover(&traced.graph, &traced.lambda).unwrap())
}

fn loops(program: &Program<Labelled>) -> usize {
    let lets = program.body.all_lets();
    lets.filter(|l| matches!(l.op, AccOp::Loop { .. })).count()
}

/// An array whose elements are all different.
fn some(shape: &[usize]) -> HostArray {
    let size = shape.iter().product::<usize>() as i32;
    let element = |i: i32| 0.25 + f64::from((i * 7 + 3) % size.max(1)) - 0.5 * f64::from(size);
    array(shape, (0..size).map(element).collect::<Vec<_>>())
}

#[track_caller]
fn agree(before: &Program<Labelled>, after: &Program<Labelled>, inputs: &[HostArray]) {
    let expected = interp::run(before, inputs).unwrap();
    let found = interp::run(after, inputs).unwrap();
    for (expected, found) in expected.iter().zip(&found) {
        assert_eq!(expected.shape(), found.shape(), "{after}");
        let (a, b) = (expected.column(), found.column());
        let equal = (0..a.len()).all(|i| same(a.get(i).unwrap(), b.get(i).unwrap()));
        assert!(equal, "{expected:?}\n{found:?}\n{before}\n{after}");
    }
}

/// The simplified program of `f`, which has no loop left, and gives the same for arrays of all these shapes.
#[track_caller]
fn batched<M, F: AccFn<M>>(f: F, shapes: &[&[&[usize]]]) -> Program<Labelled> {
    let before = program(f);
    let (after, counts) = well_formed(&before);
    assert!(
        counts.get("loop_batched") > 0 && loops(&after) == 0,
        "{after}"
    );
    for shapes in shapes {
        let inputs: Vec<_> = shapes.iter().map(|shape| some(shape)).collect();
        agree(&before, &after, &inputs);
    }
    after
}

/// Asserts that a loop of `f` stays one.
#[track_caller]
fn stays<M, F: AccFn<M>>(f: F) {
    let before = program(f);
    let (after, counts) = well_formed(&before);
    assert_eq!(
        (counts.get("loop_batched"), loops(&after)),
        (0, 1),
        "{after}"
    );
}

/// Matrices of several extents, empty ones among them.
const MATRICES: &[&[&[usize]]] = &[
    &[&[3, 4]],
    &[&[1, 1]],
    &[&[4, 1]],
    &[&[0, 3]],
    &[&[3, 0]],
    &[&[0, 0]],
];

const MATRICES_AND_VECTORS: &[&[&[usize]]] = &[
    &[&[3, 4], &[3]],
    &[&[3, 4], &[2]],
    &[&[2, 3], &[5]],
    &[&[1, 2], &[1]],
    &[&[0, 2], &[2]],
    &[&[2, 0], &[2]],
];

#[test]
fn maps_of_rows_and_of_what_is_the_same_for_all() {
    let f = |m: Matrix, v: Vector| vmap(|row: Vector| row.zip_with(v, |a, b| a * b + 1.0), m);
    batched(f, MATRICES_AND_VECTORS);
    let scaled = |m: Matrix, v: Vector| {
        vmap(
            |(row, x): (Vector, Number)| row.map(|a| a * x.the()),
            (m, v),
        )
    };
    batched(scaled, MATRICES_AND_VECTORS);
    // Rows and what is the same for all, zipped, and read by a function that differs from row to row.
    let both = |m: Matrix, v: Vector| {
        let one = |row: Vector| {
            let first = row.sum();
            v.zip_with(row, |a, b| a - b * first.the())
        };
        vmap(one, m)
    };
    batched(both, MATRICES_AND_VECTORS);
}

#[test]
fn reductions_and_scans_of_rows() {
    let f = |m: Matrix| {
        let one = |row: Vector| {
            let squares = row.map(|x| x * x);
            (
                squares.sum(),
                row.scanl1(|a, b| a + b),
                row.scanr(0.5, |a, b| a + b).sum(),
            )
        };
        vmap(one, m)
    };
    let after = batched(f, MATRICES);
    assert!(after.to_string().contains("f64[_, _] = scanl1"), "{after}");
    let least = |m: Matrix| vmap(|row: Vector| row.minimum(), m);
    batched(least, &[&[&[3, 4]], &[&[2, 1]], &[&[0, 3]], &[&[0, 0]]]);
}

#[test]
fn moves_of_rows() {
    let turned = |row: Vector| row.backpermute(row.shape(), |ix![i]| ix![row.size() - 1 - i]);
    batched(move |m: Matrix| vmap(turned, m), MATRICES);
    let rolled = |m: Matrix| vmap(|row: Vector| row.roll(ix![2]), m);
    batched(rolled, MATRICES);
    let repeated = |m: Matrix| vmap(|row: Vector| row.replicate(ix![3, All]).sum(), m);
    batched(repeated, MATRICES);
    let reshaped = |m: Matrix| vmap(|row: Vector| row.reshape(ix![1, row.size()]), m);
    batched(reshaped, MATRICES);
    let beside = |m: Matrix| vmap(|row: Vector| row.map(|x| [x, -x]).unpack(), m);
    batched(beside, MATRICES);
}

#[test]
fn elements_of_rows_are_read_in_their_row() {
    let f = |m: Matrix, v: Vector| {
        let one = |row: Vector| {
            generate(row.shape(), |ix![i]| {
                row.at(ix![row.size() - 1 - i]) * v.at(ix![0]) + row.size().to()
            })
        };
        vmap(one, m)
    };
    batched(f, &[&[&[3, 4], &[3]], &[&[1, 2], &[1]], &[&[0, 2], &[0]]]);
}

/// An extent that takes too many operations to be said again is asked for.
#[test]
fn extents_of_rows_are_those_of_a_row() {
    let f = |m: Matrix| {
        let ix![rows, columns] = m.shape();
        let least = |k: i32| {
            let pair = |k: i32| rows.max(k).min(columns.max(k + 1));
            pair(k).min(pair(k + 2))
        };
        let many = least(1).min(least(5));
        let one = |row: Vector| {
            let wide = row.replicate(ix![many, All]);
            wide.map(|x| x * wide.shape().0.1.to_f64()).sum()
        };
        vmap(one, m)
    };
    batched(f, MATRICES);
}

#[test]
fn scatters_of_rows() {
    let f = |m: Matrix| {
        let one = |row: Vector| {
            let zeros = row.map(|_| 0.0);
            let halves = |ix![i]: Ix1| (i.ne_(2), ix![i / 2]);
            row.permute(Combine::Add, zeros, halves)
        };
        vmap(one, m)
    };
    batched(f, MATRICES);
}

#[test]
fn numbers_of_trips_are_coordinates() {
    let f = |n: Acc<Z, i32>, v: Vector| {
        let step = |k: Exp<i32>, (), ()| ((), (v.map(|x| x * k.to()), unit(k)));
        ascan(n.the(), step, ()).1
    };
    let before = program(f);
    let (after, _) = well_formed(&before);
    assert_eq!(loops(&after), 0, "{after}");
    for n in [-1, 0, 1, 4] {
        for extent in [0, 3] {
            let inputs = [array(&[], vec![n]), some(&[extent])];
            agree(&before, &after, &inputs);
        }
    }
    let constant = |v: Vector| ascan(3, |k: Exp<i32>, (), ()| ((), v.map(|x| x * k.to())), ()).1;
    batched(constant, &[&[&[2]], &[&[0]]]);
}

#[test]
fn trips_that_go_backwards() {
    let f = |m: Matrix, v: Vector| {
        let step =
            |k: Exp<i32>, (), (row, x): (Vector, Number)| ((), row.map(|a| a * x.the() + k.to()));
        ascan_reverse((m, v), step, ()).1
    };
    batched(f, MATRICES_AND_VECTORS);
}

#[test]
fn rows_of_rows() {
    let centred = |row: Vector| {
        let mean = row.sum().map(|s| s / row.size().to_f64());
        row.map(|x| x - mean.the())
    };
    let f = move |a: Acc<Ix3, f64>| vmap(|m: Matrix| vmap(centred, m), a);
    batched(
        f,
        &[&[&[2, 3, 4]], &[&[0, 3, 4]], &[&[2, 0, 4]], &[&[2, 3, 0]]],
    );
}

#[test]
fn where_runs_tell_of_trips() {
    let before = program(|m: Matrix| vmap(|row: Vector| row.map(|x| x * x), m));
    let (after, counts) = simplify_with(before, ArrayLoops::Stay);
    assert_eq!((counts.get("loop_batched"), loops(&after)), (0, 1));
}

#[test]
fn what_has_a_state_or_no_operation_on_all_rows_stays() {
    let sums = |m: Matrix| {
        let step = |_, sum: Vector, row: Vector| {
            let sum = sum.zip_with(row, |a, b| a + b);
            (sum, sum)
        };
        ascan(m, step, fill(ix![m.inner()], 0.0)).1
    };
    stays(sums);
    // The rows that were written so far are read.
    let earlier = |m: Matrix| {
        let step = |k: Exp<i32>, y: Matrix| {
            let row = y.transpose().sum();
            row.permute(Combine::Overwrite, y, |ix![j]| (true, ix![k, j]))
        };
        aiterate(
            3,
            step,
            generate(ix![3, m.inner()], |ix![i, j]| (i + j).to_f64()),
        )
    };
    stays(earlier);
    let branches = |m: Matrix| {
        let one = |row: Vector| acond(row.sum().the().gt(0.0), row.roll(ix![1]), row);
        vmap(one, m)
    };
    stays(branches);
    let operators = |m: Matrix, v: Vector| {
        let one = |(row, x): (Vector, Number)| row.fold(0.0, |a, b| (a + b).min(x.the()));
        vmap(one, (m, v))
    };
    stays(operators);
    let positions = |m: Matrix, at: Acc<Ix1, i32>| {
        let one = |k: Acc<Z, i32>| m.slice(ix![k.the(), All]);
        vmap(one, at)
    };
    stays(positions);
    // Rows that are not whole: the others of the stack stay what they were.
    let appended = |m: Matrix| vmap(|row: Vector| row.append(row).sum(), m);
    stays(appended);
}

/// What an extent is taken from may be known in each trip only; and one that is impossible fails in no trip if there is none.
#[test]
fn extents_that_may_be_impossible_stay() {
    let f = |m: Matrix, n: Acc<Z, i32>| {
        vmap(
            |row: Vector| generate(ix![n.the()], |_| row.sum().the()).sum(),
            m,
        )
    };
    stays(f);
    let before = program(f);
    let (after, _) = well_formed(&before);
    agree(&before, &after, &[some(&[0, 2]), array(&[], vec![-1])]);
    let short = |m: Matrix| {
        let one = |row: Vector| generate(ix![row.size() - 3], |ix![i]| row.at(ix![i])).sum();
        vmap(one, m)
    };
    stays(short);
    let before = program(short);
    let (after, _) = well_formed(&before);
    agree(&before, &after, &[some(&[0, 2])]);
}

/// Note \[Memory of all trips\].
#[test]
fn what_would_take_more_memory_stays() {
    // The sums of pairs are reduced, so they are nowhere: their scans are.
    let pairs = |row: Vector| {
        let n = row.size();
        row.replicate(ix![n, All])
            .zip_with(row.replicate(ix![All, n]), |a, b| a * b)
    };
    batched(move |m: Matrix| vmap(|row| pairs(row).sum(), m), MATRICES);
    stays(move |m: Matrix| vmap(|row| pairs(row).scanl1(|a, b| a + b).sum(), m));
    // A few numbers for each element are no matter.
    let few = |row: Vector| row.replicate(ix![All, 3]).scanl1(|a, b| a + b).sum();
    batched(move |m: Matrix| vmap(few, m), MATRICES);
    let many = |row: Vector| row.replicate(ix![All, 300]).scanl1(|a, b| a + b).sum();
    stays(move |m: Matrix| vmap(many, m));
}

#[test]
fn what_may_fail_fails_in_a_trip_and_in_none_if_there_is_none() {
    let f = |m: Matrix, v: Vector| vmap(|row: Vector| row.map(|x| x * v.at(ix![2])), m);
    let before = program(f);
    let after = batched(f, &[&[&[2, 2], &[3]], &[&[0, 2], &[1]]]);
    let inputs = [some(&[2, 2]), some(&[1])];
    let [expected, found] = [&before, &after].map(|p| interp::run(p, &inputs).unwrap_err());
    for error in [expected.to_string(), found.to_string()] {
        assert!(
            error.contains("batch.rs") && error.contains("[2]"),
            "{error}"
        );
    }
    let least = program(|m: Matrix| vmap(|row: Vector| row.minimum(), m));
    let (after, _) = well_formed(&least);
    assert!(interp::run(&after, &[some(&[2, 0])]).is_err());
}
