//! Rows are exact, to the last, whichever type they are estimated in.

use super::{MAX_EXTENT, corrected, estimate, estimating_type, row_and_offset};
use crate::build::{AccBuilder, FunBuilder};
use crate::constant::Const;
use crate::host::{Column, HostArray};
use crate::interp;
use crate::prim::Prim;
use crate::term::{Fun, Labelled, Program};
use crate::types::ScalarType::{F16, F32, F64, I32};
use crate::types::{ArrayType, ScalarType};

/// The types that rows are estimated in.
const FLOATS: [ScalarType; 2] = [F32, F64];

/// The last row that begins at a position whose double is an `i32`.
const LAST_ROW: i32 = 46_340;

/// How far the roots of a device may be off, in steps to the next number: WGSL asks for an inverse root and a division.
const STEPS: i32 = 8;

fn rows(float: ScalarType) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let q = b.param(I32);
    let (row, offset) = row_and_offset(&mut b, q, float);
    b.finish(vec![row, offset])
}

fn estimates(float: ScalarType) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let q = b.param(I32);
    let row = estimate(&mut b, q, float);
    b.finish(vec![row])
}

/// The rows, from an estimate that is off by a second parameter.
fn rows_from_estimates() -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let (q, off) = (b.param(I32), b.param(I32));
    let (row, _) = row_and_offset(&mut b, q, F64);
    let estimate = b.prim(Prim::Add, &[row, off]);
    let (row, offset) = corrected(&mut b, q, estimate);
    b.finish(vec![row, offset])
}

/// What a function gives at each of some points, by parameter and by result.
fn eval(f: &Fun<Labelled>, args: &[Vec<i32>]) -> Vec<Vec<i32>> {
    let mut b = AccBuilder::new(0);
    let ty = ArrayType::new(I32, 1);
    let params: Vec<_> = args.iter().map(|_| b.fresh(ty)).collect();
    let results = b.map(f.clone(), &params);
    let program = Program {
        params,
        uses: vec![],
        alike: Default::default(),
        body: b.finish(&results),
    };
    let host = |values: &Vec<i32>| {
        HostArray::new(vec![values.len()], Column::from(values.clone())).unwrap()
    };
    let inputs: Vec<_> = args.iter().map(host).collect();
    let results = interp::run(&program, &inputs).unwrap();
    let value = |column: &Column, i| column.get(i).and_then(Const::as_i32).unwrap();
    let values = results.iter().map(|r| {
        (0..r.column().len())
            .map(|i| value(r.column(), i))
            .collect()
    });
    values.collect()
}

/// Points, and the rows and offsets expected there.
fn assert_at(f: &Fun<Labelled>, points: impl Iterator<Item = (Vec<i32>, [i32; 2])>) {
    let (args, expected): (Vec<_>, Vec<_>) = points.unzip();
    let of = |n: usize| args.iter().map(|args| args[n]).collect();
    let found = eval(f, &(0..f.params.len()).map(of).collect::<Vec<_>>());
    for (n, expected) in expected.into_iter().enumerate() {
        assert_eq!([found[0][n], found[1][n]], expected, "at {:?}", args[n]);
    }
}

/// The positions of the first and the last element of a row.
fn ends(row: i32) -> [i32; 2] {
    let begin = i64::from(row) * i64::from(row + 1) / 2;
    [begin as i32, (begin + i64::from(row)) as i32]
}

#[test]
fn small_rows_are_exact() {
    for float in FLOATS {
        let rows = rows(float);
        let all = (0..300).flat_map(|row| (0..=row).map(move |offset| [row, offset]));
        assert_at(
            &rows,
            (0..).zip(all).map(|(q, expected)| (vec![q], expected)),
        );
    }
}

#[test]
fn ends_of_all_rows_are_exact() {
    for float in FLOATS {
        let all = (0..MAX_EXTENT).flat_map(|row| {
            let [first, last] = ends(row);
            [(vec![first], [row, 0]), (vec![last], [row, row])]
        });
        assert_at(&rows(float), all);
    }
}

/// Each step of an estimate is monotone, so what holds at both ends of a row holds in between: this is all positions.
#[test]
fn estimates_are_off_by_one_at_most() {
    for float in FLOATS {
        let positions = (0..=LAST_ROW).flat_map(ends).collect();
        let found = eval(&estimates(float), &[positions]).remove(0);
        let rows = (0..=LAST_ROW).flat_map(|row| [row; 2]);
        for (row, found) in rows.zip(found) {
            assert!((found - row).abs() <= 1, "{float}, row {row}: {found}");
        }
    }
}

/// The same in `f32` where the root, too, is off, as it may be on a device.
#[test]
fn rough_roots_give_estimates_that_are_off_by_one_at_most() {
    for row in 0..=LAST_ROW {
        for q in ends(row) {
            let root = (q as f32 * 8.0 + 1.0).sqrt();
            for steps in [-STEPS, STEPS] {
                let rough = f32::from_bits(root.to_bits().wrapping_add_signed(steps));
                let found = ((rough - 1.0) / 2.0) as i32;
                assert!((found - row).abs() <= 1, "row {row}: {found}");
            }
        }
    }
}

#[test]
fn estimates_may_be_off_by_one() {
    let some = (1..100).chain(MAX_EXTENT - 100..MAX_EXTENT);
    let off = some.flat_map(|row| [-1, 0, 1].map(|off| (row, off)));
    let all = off.flat_map(|(row, off)| {
        let [first, last] = ends(row);
        [(vec![first, off], [row, 0]), (vec![last, off], [row, row])]
    });
    assert_at(&rows_from_estimates(), all);
}

/// `f64` comes from the program alone.
#[test]
fn rows_are_estimated_in_a_type_of_the_elements() {
    assert_eq!(estimating_type(&[F64]), F64);
    assert_eq!(estimating_type(&[I32, F64, F32]), F64);
    for elem in [F16, F32, I32] {
        assert_eq!(estimating_type(&[elem]), F32);
    }
}
