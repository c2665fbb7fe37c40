//! What is known about integers, exhaustively for operands whose bounds are around zero.

use super::properties::Pair;
use super::*;
use crate::code::{Codes, HOST, HostValue};
use crate::facts::Range;
use cotangent_core::schedule::{SymbolId, ValueId};

/// Operations that facts follow from.
const OPS: [Prim; 9] = [
    Prim::Add,
    Prim::Sub,
    Prim::Mul,
    Prim::Min,
    Prim::Max,
    Prim::Quot,
    Prim::Rem,
    Prim::DivFloor,
    Prim::ModFloor,
];

/// The extents, and coordinates below them, where bounds are reached.
fn points() -> impl Iterator<Item = ([i32; 2], [i32; 2])> {
    let extents = [1, 3, i32::MAX];
    let pairs = extents
        .into_iter()
        .flat_map(move |n| extents.map(|m| [n, m]));
    pairs.flat_map(|[n, m]| {
        let ends = [
            [0, 0],
            [0, m - 1],
            [n - 1, 0],
            [n - 1, m - 1],
            [n / 2, m / 2],
        ];
        ends.map(|at| ([n, m], at))
    })
}

/// A pair with operands of known bounds; gives their positions.
fn operands(pair: &mut Pair) -> Vec<usize> {
    let [extent, coord, _, other] = [0, 1, 2, 3];
    let mut all: Vec<usize> = (0..4).collect();
    // Any integer at all: the product wraps.
    let wild = pair.prim(Prim::Mul, &[coord, other]);
    all.push(wild);
    for literal in -2..=2 {
        let literal = pair.literal(literal);
        all.push(literal);
        for op in [Prim::Max, Prim::Min] {
            all.push(pair.prim(op, &[wild, literal]));
        }
        for of in [coord, extent] {
            all.push(pair.prim(Prim::Sub, &[of, literal]));
        }
    }
    all.push(pair.prim(Prim::Sub, &[extent, coord]));
    all
}

#[test]
fn what_is_known_holds_for_operands_around_zero() {
    let count = operands(&mut Pair::new()).len();
    let all = (0..count).flat_map(|x| (0..count).map(move |y| (x, y)));
    for (x, y) in all {
        let mut pair = Pair::new();
        let known = operands(&mut pair);
        let (x, y) = (known[x], known[y]);
        let results: Vec<ValueId> = OPS
            .iter()
            .map(|&op| {
                let result = pair.prim(op, &[x, y]);
                pair.value(result)
            })
            .collect();
        let proved = pair.proved(&results);
        for (extents, coords) in points() {
            pair.agree_at(extents, coords);
            for &index in &proved {
                let index = pair.integer_at(index, extents, coords);
                let text = format!("{index} at {coords:?} of {extents:?}");
                assert!((0..extents[0]).contains(&index), "{text}");
            }
        }
    }
}

/// Whether `trip + c` is known to be below `extent + d`, or below `max(extent, 0) + d` if so said, for a trip below the extent.
fn trip_is_below(c: i32, d: i32, clamped: bool) -> bool {
    let mut codes = Codes::new();
    let code = codes.open();
    let [extent, trip] = [0, 1].map(|s| codes.atom(SymbolId(s), I32, true));
    let below = Range::below(extent, codes.range(HOST, extent.0));
    codes.narrow(HOST, trip.0, below);
    let mut sum = |x: HostValue, by: i32| {
        let by = codes.host_constant(by);
        codes.host_prim(Prim::Add, &[x, by])
    };
    let index = sum(trip, c);
    let longer = match clamped {
        false => sum(extent, d),
        true => {
            let other = codes.atom(SymbolId(2), I32, true);
            let clamped = codes.host_prim(Prim::Max, &[extent, other]);
            let d = codes.host_constant(d);
            codes.host_prim(Prim::Add, &[clamped, d])
        }
    };
    let index = codes.leaf(code, index);
    codes.is_in_range(code, &[index], &[longer], None)
}

#[test]
fn a_row_beside_the_trip_is_in_an_array_that_is_longer() {
    for clamped in [false, true] {
        for (c, d) in (-2..4).flat_map(|c| (-2..4).map(move |d| (c, d))) {
            assert_eq!(trip_is_below(c, d, clamped), 0 <= c && c <= d, "{c}, {d}");
        }
    }
}
