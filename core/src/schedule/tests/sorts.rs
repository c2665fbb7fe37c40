//! Sorts: the runner, and networks in their places.

use super::*;
use crate::constant::Const;
use crate::schedule::networks::networks;
use crate::schedule::run::run;
use crate::term::SortOrder;
use crate::types::ScalarType;

/// Where the rows of a matrix A0 (s0 × s1) are in order: A1.
fn sort(elem: ScalarType, order: SortOrder) -> Schedule {
    let mut body = Body::default();
    let index = vec![body.push(Op::Coord(0), I32), body.push(Op::Coord(1), I32)];
    let load = Load {
        array: ArrayId(0),
        index,
        guard: None,
        site: None,
    };
    let value = body.push(Op::Load(load), elem);
    let kernel = Step::Kernel(Kernel {
        name: order.name(),
        loc: Loc::UNKNOWN,
        fused: vec![],
        space: vec![SymbolId(0)],
        kind: KernelKind::Sort {
            inner: SymbolId(1),
            order,
            body,
            output: Output {
                value,
                array: ArrayId(1),
            },
        },
    });
    Schedule {
        symbols: vec![I32, I32],
        ..schedule(
            vec![own(elem, &[0, 1]), own(I32, &[0, 1])],
            vec![kernel],
            &[1],
        )
    }
}

/// The positions by a sort, and by a network, of rows of that length.
fn both_ways(elem: ScalarType, order: SortOrder, keys: &[Const], n: usize) -> [Column; 2] {
    let sort = sort(elem, order);
    let network = networks(&sort).unwrap();
    assert_eq!(network.origins, [0, 0, 0]);
    let column = Column::try_from_consts(elem, keys.to_vec()).unwrap();
    let input = HostArray::new(vec![keys.len().checked_div(n).unwrap_or(3), n], column).unwrap();
    [sort, network.schedule].map(|schedule| {
        let checked = check(schedule).unwrap();
        let results = run(&checked, std::slice::from_ref(&input)).unwrap();
        results[0].column().clone()
    })
}

/// What keys are drawn from: few, so that many are equal.
fn choices(elem: ScalarType) -> Vec<Const> {
    let small = (-2..3).map(|x| Const::small(elem, x));
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0];
    let odd = odd.map(|x| Const::float(elem, x));
    small
        .chain(odd.into_iter().filter(|_| elem.is_float()))
        .collect()
}

#[test]
fn networks_sort() {
    let types = [
        Bool,
        I32,
        ScalarType::I64,
        ScalarType::U32,
        ScalarType::F16,
        ScalarType::F32,
        F64,
    ];
    for elem in types {
        let choices = choices(elem);
        for n in [0, 1, 2, 3, 4, 7, 8, 9, 33] {
            for order in [SortOrder::Ascending, SortOrder::Descending] {
                let keys = (0..3 * n).map(|i| choices[(i * i * 7 + i / 3) % choices.len()]);
                let keys: Vec<_> = keys.collect();
                let [sorted, by_network] = both_ways(elem, order, &keys, n);
                assert_eq!(by_network, sorted, "{elem} {order:?} {keys:?}");
                let rows = keys.chunks(n.max(1));
                let expected: Vec<i32> = rows.flat_map(|row| in_order(row, order)).collect();
                assert_eq!(sorted, Column::from(expected), "{elem} {order:?} {keys:?}");
            }
        }
    }
}

/// By insertion: an element goes before all that come after it, and behind its equals.
fn in_order(row: &[Const], order: SortOrder) -> Vec<i32> {
    let mut positions: Vec<i32> = vec![];
    for at in 0..row.len() {
        let comes_after = |&other: &i32| {
            let (other, own) = (row[other as usize], row[at]);
            match order {
                SortOrder::Ascending => is_less(own, other),
                SortOrder::Descending => is_less(other, own),
            }
        };
        let place = positions.iter().position(comes_after);
        positions.insert(place.unwrap_or(positions.len()), at as i32);
    }
    positions
}

/// NaN is greater than all numbers.
fn is_less(x: Const, y: Const) -> bool {
    match (x.as_f64(), y.as_f64()) {
        (Some(x), Some(y)) => x < y || (y.is_nan() && !x.is_nan()),
        _ => {
            let [x, y] = [x, y].map(|c| Prim::Convert(ScalarType::I64).eval(&[c]).unwrap());
            Prim::Lt.eval(&[x, y]) == Some(Const::Bool(true))
        }
    }
}

#[test]
fn a_schedule_without_sorts_has_no_networks() {
    let map = schedule(vec![own(F64, &[0])], vec![scalars()], &[0]);
    assert!(networks(&map).is_none());
}

/// Kernels around a sort keep the positions that they had.
#[test]
fn kernels_know_where_they_come_from() {
    let mut two = sort(F64, SortOrder::Ascending);
    let again = two.steps[0].clone();
    two.steps.push(again);
    let made = networks(&two).unwrap();
    assert_eq!(made.origins, [0, 0, 0, 1, 1, 1]);
    assert_eq!(made.schedule.kernels().len(), 6);
}

#[test]
fn a_sort_is_printed() {
    let text = sort(F64, SortOrder::Descending).to_string();
    assert!(text.contains("argsort_descending over s1"), "{text}");
    assert!(text.contains("A1 <- v2"), "{text}");
}

#[test]
fn positions_are_integers_of_the_shape_of_the_keys() {
    let mut wrong = sort(F64, SortOrder::Ascending);
    wrong.arrays[1].elem = F64;
    let error = check(wrong).unwrap_err().to_string();
    assert!(
        error.contains("v2 for A1 should be of type f64 and is of type i32"),
        "{error}"
    );
    let mut wrong = sort(F64, SortOrder::Ascending);
    wrong.arrays[1].extents.reverse();
    let error = check(wrong).unwrap_err().to_string();
    assert!(
        error.contains("A1 has not the extents of the rows"),
        "{error}"
    );
}
