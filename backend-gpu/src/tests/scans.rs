//! Scans by blocks: they give what they give the simple way.

use super::gpu;
use super::reductions::{is_skipped, last, operators};
use super::rows::{Builder, INNER, LONGER, ROWS, assert_agreement, table};
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::host::HostArray;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::*;
use cotangent_core::term::Direction;
use cotangent_core::types::ScalarType::{self, I32};

/// Rows and their lengths: blocks of 256 invocations have 768 to 3840 positions, of which a second level scans as many;
/// where rows are many, those of 32 invocations have a fraction of that.
const EXTENTS: [[usize; 2]; 19] = [
    [1, 0],
    [2, 1],
    [3, 63],
    [3, 64],
    [2, 65],
    [2, 255],
    [2, 257],
    [40, 300],
    [600, 100],
    [600, 480],
    [520, 481],
    [2, 767],
    [2, 768],
    [2, 769],
    [1, 3839],
    [1, 3840],
    [2, 3841],
    [4100, 70],
    [1, 900_000],
];

/// The scan of rows of tables.
pub(super) fn scan(
    types: &[ScalarType],
    operator: &Operator,
    has_init: bool,
    direction: Direction,
) -> Checked<Schedule> {
    let mut b = Builder::new();
    b.longer();
    let at = [b.coord(0), b.coord(1)];
    let mut values = vec![];
    for &ty in types {
        let array = b.param(ty, &[ROWS, INNER]);
        values.push(b.load(array, &at, false));
    }
    let init: Vec<_> = types.iter().map(|&ty| Const::small(ty, 2)).collect();
    let init = has_init.then(|| b.symbols(&init));
    let length = if has_init { LONGER } else { INNER };
    let outputs = types.iter().zip(values);
    let outputs = outputs.map(|(&ty, value)| Output {
        value,
        array: b.result(ty, &[ROWS, length]),
    });
    let outputs = outputs.collect();
    let kind = KernelKind::Scan {
        inner: INNER,
        direction,
        body: b.body.clone(),
        operator: operator.clone(),
        init,
        outputs,
    };
    b.kernel(&[ROWS], kind)
}

#[test]
fn initial_values_go_with_either_direction() {
    let Some(gpu) = gpu() else { return };
    for (direction, has_init) in [(Direction::Left, true), (Direction::Right, false)] {
        let schedule = scan(&[I32], &last(I32), has_init, direction);
        for [rows, inner] in EXTENTS {
            let table = table(I32, &[rows, inner], 1);
            let what = format!("{rows} by {inner}, {direction:?} {has_init}");
            let found = assert_agreement(gpu, &schedule, &[table], &what);
            assert!(found.is_ok(), "{what}");
        }
    }
}

#[test]
fn scans_agree_with_the_simple_way() {
    let Some(gpu) = gpu() else { return };
    for (name, types, operator) in operators() {
        if !types.iter().all(|&ty| gpu.target().has(ty)) {
            continue;
        }
        for (direction, has_init) in [(Direction::Left, false), (Direction::Right, true)] {
            let schedule = scan(&types, &operator, has_init, direction);
            for [rows, inner] in EXTENTS {
                if is_skipped(name, rows * inner) {
                    continue;
                }
                let tables = (1..).zip(&types);
                let tables = tables.map(|(seed, &ty)| table(ty, &[rows, inner], seed));
                let tables: Vec<_> = tables.collect();
                let what = format!("{name} of {rows} by {inner}, {direction:?} {has_init}");
                let found = assert_agreement(gpu, &schedule, &tables, &what);
                assert!(found.is_ok(), "{what}");
            }
        }
    }
}

/// The first failure is told, wherever it is.
#[test]
fn failures_in_scans_are_found_again() {
    let Some(gpu) = gpu() else { return };
    for direction in [Direction::Left, Direction::Right] {
        let mut b = Builder::new();
        let at = [b.coord(0), b.coord(1)];
        let indices = b.param(I32, &[ROWS, INNER]);
        let index = b.load(indices, &at, false);
        let values = b.param(I32, &[ROWS]);
        let value = b.load(values, &[index], true);
        let array = b.result(I32, &[ROWS, INNER]);
        let kind = KernelKind::Scan {
            inner: INNER,
            direction,
            body: b.body.clone(),
            operator: Operator::of_prim(Prim::Add, I32),
            init: None,
            outputs: vec![Output { value, array }],
        };
        let schedule = b.kernel(&[ROWS], kind);
        let values = table(I32, &[3], 1);
        for (failing, inner) in [(None, 9000), (Some(8000), 9000), (Some(299), 300)] {
            let index = |i| if Some(i) == failing { 77 } else { i as i32 % 3 };
            let indices: Vec<i32> = (0..3 * inner).map(index).collect();
            let indices = HostArray::new(vec![3, inner], indices.into()).unwrap();
            let inputs = [indices, values.clone()];
            match (
                failing,
                assert_agreement(gpu, &schedule, &inputs, "failing"),
            ) {
                (None, found) => assert!(found.is_ok()),
                (Some(_), Err(RunError::IndexOutOfRange { index, .. })) => assert_eq!(index, [77]),
                (Some(_), other) => panic!("{other:?}"),
            }
        }
    }
}
