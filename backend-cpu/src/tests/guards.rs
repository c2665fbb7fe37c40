//! Guarded loads at affine indices: lanes that are on follow each other or not, and are in range or not.

use super::maker::{Code, Maker};
use crate::Isa;
use crate::code::{Instr, Level, Nest, Stores, Wanted, compile};
use crate::isa::Target;
use cotangent_core::backend::RunError;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, ValueId};
use cotangent_core::types::ScalarType::F64;

/// `step · i + first`.
fn affine(code: &mut Code, i: ValueId, step: i32, first: i32) -> ValueId {
    let (step, first) = (code.constant(step), code.constant(first));
    let product = code.prim(Prim::Mul, &[i, step]);
    code.prim(Prim::Add, &[product, first])
}

/// Whether `low ≤ i < high`.
fn between(code: &mut Code, i: ValueId, low: i32, high: i32) -> ValueId {
    let (low, high) = (code.constant(low), code.constant(high));
    let (above, below) = (
        code.prim(Prim::Ge, &[i, low]),
        code.prim(Prim::Lt, &[i, high]),
    );
    code.prim(Prim::And, &[above, below])
}

/// Reads `x[step · i + first]` of 1,600 elements at 1,600 points, where `guard` holds of that index and the point.
fn line(
    (step, first): (i32, i32),
    guard: impl Fn(&mut Code, ValueId, ValueId) -> ValueId,
) -> Result<(), RunError> {
    let mut maker = Maker::new();
    let x = maker.input(
        &[1600],
        (0..1600).map(|i| f64::from(i) + 0.5).collect::<Vec<_>>(),
    );
    let space = maker.extents(x);
    let site = maker.site("guarded");
    let mut code = Code::default();
    let i = code.coord(0);
    let index = affine(&mut code, i, step, first);
    let on = guard(&mut code, index, i);
    let read = code.guarded(x, F64, &[index], Some(on), Some(site));
    let twice = code.prim(Prim::Add, &[read, read]);
    maker.map(&space, code.0, &[read, twice]);
    maker.run().map(drop)
}

const WAYS: [(i32, i32); 11] = [
    (1, 0),
    (1, 3),
    (1, -700),
    (1, 1599),
    (1, 1600),
    (-1, 1599),
    (-1, 800),
    (2, -5),
    (-3, 1700),
    (0, 9),
    (0, -1),
];

#[test]
fn lanes_in_range_are_read_and_the_others_are_zero() {
    for way in WAYS {
        line(way, |code, index, _| between(code, index, 0, 1600)).unwrap();
        line(way, |code, index, i| {
            let (inside, part) = (between(code, index, 0, 1600), between(code, i, 500, 1030));
            code.prim(Prim::And, &[inside, part])
        })
        .unwrap();
    }
}

#[test]
fn lanes_that_are_on_here_and_there_are_read() {
    for way in WAYS {
        line(way, |code, index, i| {
            let (three, one) = (code.constant(3), code.constant(1));
            let third = code.prim(Prim::ModFloor, &[i, three]);
            let third = code.prim(Prim::Eq, &[third, one]);
            let inside = between(code, index, 0, 1600);
            code.prim(Prim::And, &[inside, third])
        })
        .unwrap();
    }
}

#[test]
fn a_lane_that_is_on_and_out_of_range_fails() {
    for way in WAYS {
        let beyond = line(way, |code, index, _| between(code, index, -1, 1601));
        let leaves = !matches!(way, (1 | -1, 0 | 1599) | (0, 9));
        assert_eq!(beyond.is_err(), leaves || way == (1, 1599), "{way:?}");
    }
}

#[test]
fn an_index_that_wraps_around_is_not_taken_for_one_in_range() {
    for (step, first) in [(1 << 30, 5), (1 << 29, -7), (i32::MAX, 0), (-(1 << 30), 3)] {
        line((step, first), |code, index, _| {
            between(code, index, 0, 1600)
        })
        .unwrap();
    }
}

/// Reads neighbours of a matrix's elements, guarded on all sides, in blocks that are parts of rows or several rows.
fn plane(rows: usize, columns: usize) {
    let mut maker = Maker::new();
    let numbers = (0..rows * columns).map(|i| i as f64 + 0.25);
    let x = maker.input(&[rows, columns], numbers.collect::<Vec<_>>());
    let space = maker.extents(x);
    let mut code = Code::default();
    let at = code.coords(2);
    let mut outputs = vec![];
    for (down, right) in [(0, -1), (0, 1), (-1, 0), (1, 0), (2, -3), (0, 0)] {
        let index = [(at[0], down), (at[1], right)].map(|(i, by)| affine(&mut code, i, 1, by));
        let inside = [(index[0], rows), (index[1], columns)]
            .map(|(i, extent)| between(&mut code, i, 0, extent as i32));
        let on = code.prim(Prim::And, &inside);
        let site = maker.site("guarded");
        outputs.push(code.guarded(x, F64, &index, Some(on), Some(site)));
    }
    maker.map(&space, code.0, &outputs);
    maker.run().unwrap();
}

#[test]
fn neighbours_of_a_matrix_are_read_inside_it() {
    for (rows, columns) in [(1, 1), (3, 700), (40, 37), (700, 3), (1, 1300), (9, 512)] {
        plane(rows, columns);
    }
}

/// The sum of a point's neighbours in an array of 1,700, times one of ten numbers, where both exist.
fn neighbours(points: usize, index: i32) -> Result<(), RunError> {
    let mut maker = Maker::new();
    let numbers = (0..1700).map(|i| f64::from(i) * 0.5);
    let x = maker.input(&[1700], numbers.collect::<Vec<_>>());
    let table = maker.input(&[10], vec![0.25; 10]);
    let space = [maker.known(points as i32)];
    let mut code = Code::default();
    let i = code.coord(0);
    let mut sum = code.constant(0.0);
    for by in [-3, -2, -1, 1, 2, 3] {
        let at = affine(&mut code, i, 1, by);
        let inside = between(&mut code, at, 0, points as i32);
        let [of_x, of_table] = ["x", "table"].map(|name| maker.site(name));
        let element = code.guarded(x, F64, &[at], Some(inside), Some(of_x));
        let index = code.constant(index);
        let factor = code.guarded(table, F64, &[index], Some(inside), Some(of_table));
        let product = code.prim(Prim::Mul, &[element, factor]);
        sum = code.prim(Prim::Add, &[sum, product]);
    }
    let last = code.constant(points as i32 - 1);
    let is_last = code.prim(Prim::Eq, &[i, last]);
    let at_last = code.guarded(x, F64, &[i], Some(is_last), None);
    let sum = code.prim(Prim::Add, &[sum, at_last]);
    assert!(is_told_by_coordinates(&code.0, sum));
    maker.map(&space, code.0, &[sum]);
    maker.run().map(drop)
}

/// Whether blocks that are inside go without comparisons.
fn is_told_by_coordinates(body: &Body, output: ValueId) -> bool {
    let nest = Nest {
        moving: 0,
        coords: 1,
        lane: 0..1,
        seq: 0..0,
        args: vec![],
    };
    let stores = Stores {
        values: vec![output],
        ..Stores::default()
    };
    let code = compile(
        Target::bytecode(Isa::Baseline),
        body,
        &nest,
        &Wanted::Stored(stores),
    )
    .unwrap();
    let block = code.segment(Level::Block);
    assert!(code.usual(Level::Block).count() * 2 < block.len());
    block
        .iter()
        .any(|instr| matches!(instr, Instr::Inside { .. }))
}

#[test]
fn blocks_inside_go_without_guards() {
    for points in [1, 2, 7, 511, 512, 513, 1030, 1700] {
        neighbours(points, 3).unwrap();
    }
}

#[test]
fn what_blocks_inside_read_once_fails_only_where_it_is_read() {
    neighbours(1, 10).unwrap();
    neighbours(2, 10).unwrap_err();
    neighbours(1700, 10).unwrap_err();
    neighbours(1700, -1).unwrap_err();
}

#[test]
fn an_element_beyond_the_array_is_found_in_blocks_inside() {
    for points in [1701, 1750, 2500] {
        neighbours(points, 3).unwrap_err();
    }
}
