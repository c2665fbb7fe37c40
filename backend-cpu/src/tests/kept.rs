//! Columns that are kept from row to row, and loads under conditions that hold in whole blocks.

use super::maker::{Code, Maker};
use cotangent_core::backend::RunError;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::*;
use cotangent_core::types::ScalarType::F64;

fn floats(n: usize) -> Vec<f64> {
    (0..n).map(|i| (i * 37 % 101) as f64 / 8.0 - 3.0).collect()
}

/// An index that takes many operations to find, of the last coordinate alone: the remainder of a square.
fn expensive_index(code: &mut Code, j: ValueId, extent: i32) -> ValueId {
    let square = code.prim(Prim::Mul, &[j, j]);
    let seven = code.constant(7i32);
    let mut index = code.prim(Prim::Add, &[square, seven]);
    for step in 1..8i32 {
        let step = code.constant(step);
        index = code.prim(Prim::BitXor, &[index, step]);
    }
    let extent = code.constant(extent);
    code.prim(Prim::ModFloor, &[index, extent])
}

/// A map of rows that all read at the same expensive index. One output depends on the index alone.
fn map(
    m: usize,
    n: usize,
    past_the_end: i32,
) -> Result<Vec<cotangent_core::host::HostArray>, RunError> {
    let mut maker = Maker::new();
    let x = maker.input(&[m, n], floats(m * n));
    let space = maker.extents(x);
    let mut code = Code::default();
    let (i, j) = (code.coord(0), code.coord(1));
    let index = expensive_index(&mut code, j, n as i32 + past_the_end);
    let found = code.load(x, F64, &[i, index]);
    let own = code.load(x, F64, &[i, j]);
    let sum = code.prim(Prim::Add, &[found, own]);
    maker.map(&space, code.0, &[index, sum, index]);
    maker.run()
}

#[test]
fn what_rows_share_is_the_same_in_all_of_them() {
    for (m, n) in [
        (1, 70),
        (2, 1),
        (25, 33),
        (7, 3000),
        (300, 64),
        (0, 5),
        (5, 0),
    ] {
        let found = map(m, n, 0).unwrap();
        assert_eq!(found[0].shape(), [m, n]);
    }
}

#[test]
fn the_first_row_that_fails_is_reported() {
    // Which element is out of range depends on the column alone, so it is one of the first row.
    for (m, n) in [(25, 33), (7, 3000)] {
        let Err(RunError::IndexOutOfRange { index, .. }) = map(m, n, 1 + n as i32) else {
            panic!("an index out of range was read");
        };
        assert_eq!(index[0], 0);
    }
}

#[test]
fn conditions_that_hold_in_no_lane_or_in_all() {
    for (first, last) in [
        (0, 0),
        (0, 5000),
        (64, 128),
        (63, 4000),
        (4999, 5000),
        (5000, 5000),
    ] {
        let mut maker = Maker::new();
        let x = maker.input(&[5000], floats(5000));
        let y = maker.input(&[10], floats(10));
        let space = maker.extents(x);
        let mut code = Code::default();
        let i = code.coord(0);
        let [first, last, ten] = [first, last, 10].map(|n: i32| code.constant(n));
        let after = code.prim(Prim::Ge, &[i, first]);
        let before = code.prim(Prim::Lt, &[i, last]);
        let inside = code.prim(Prim::And, &[after, before]);
        let direct = code.guarded(x, F64, &[i], Some(inside), Some(SiteId(0)));
        let index = code.prim(Prim::ModFloor, &[i, ten]);
        let indexed = code.guarded(y, F64, &[index], Some(inside), Some(SiteId(0)));
        let zero = code.constant(0i32);
        let none = code.prim(Prim::Lt, &[i, zero]);
        let beyond = code.guarded(y, F64, &[i], Some(none), Some(SiteId(0)));
        maker.map(&space, code.0, &[direct, indexed, beyond]);
        maker.run().unwrap();
    }
}
