//! What is known about integers, exhaustively for operands whose bounds are around zero.

use super::properties::Pair;
use super::*;
use cotangent_core::schedule::ValueId;

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
