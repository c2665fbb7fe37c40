//! Operations on truth values.

use super::{Whole, extents, of_two};
use cotangent::prelude::*;

type Flags<Sh> = Acc<Sh, bool>;
fn combined<Sh: Shape>(a: Flags<Sh>, b: Flags<Sh>) -> impl Arrays {
    (
        (a & b, a | b, a ^ b, !a),
        (
            a.zip_with(b, |x, y| x.eq_(y)),
            a.map(|x| cond::<i32>(x, 3, 4)),
            a.select(b, !b),
        ),
    )
}

fn folded<Sh: Shape + HasInner>(a: Flags<Sh>, b: Flags<Sh>) -> impl Arrays {
    (
        (a.all(), b.any(), a.count()),
        (a.reverse(), a.scanl1(|x, y| x.ne_(y)), a.append(b)),
    )
}

fn combine<Sh: Shape>() {
    of_two::<bool, _, _>(combined::<Sh>, extents(Sh::RANK), |a, b| {
        let (a, b) = (a.map(|x| i64::from(x != 0)), b.map(|y| i64::from(y != 0)));
        vec![
            a.zip_with(&b, |x, y| x & y),
            a.zip_with(&b, |x, y| x | y),
            a.zip_with(&b, |x, y| x ^ y),
            a.map(|x| 1 - x),
            a.zip_with(&b, |x, y| 1 - (x ^ y)),
            a.map(|x| 4 - x),
            a.zip_with(&b, |x, y| if x == 1 { y } else { 1 - y }),
        ]
    });
}

fn fold<Sh: Shape + HasInner>() {
    of_two::<bool, _, _>(folded::<Sh>, extents(Sh::RANK), |a, b| {
        let (a, b) = (a.map(|x| i64::from(x != 0)), b.map(|y| i64::from(y != 0)));
        let odd = |row: &[i64]| {
            let parities = row.iter().scan(0, |so_far, x| {
                *so_far ^= x;
                Some(*so_far)
            });
            parities.collect()
        };
        let outer = &[&[2 * a.extents[0]], &a.extents[1..]].concat();
        vec![
            a.fold(|row| i64::from(row.iter().all(|&x| x == 1))),
            b.fold(|row| i64::from(row.contains(&1))),
            a.fold(|row| row.iter().sum()),
            a.each_row(|row| row.iter().rev().copied().collect()),
            a.each_row(odd),
            Whole::new(outer, [&a.elements[..], &b.elements].concat()),
        ]
    });
}

#[test]
fn each_element() {
    combine::<Ix0>();
    combine::<Ix1>();
    combine::<Ix2>();
    combine::<Ix3>();
    combine::<Ix4>();
}

#[test]
fn folds() {
    fold::<Ix1>();
    fold::<Ix2>();
    fold::<Ix3>();
    fold::<Ix4>();
}
