//! Arrays side by side, without copies where nobody else needs them.

use super::*;

fn views(s: &Subject) -> usize {
    let view = |d: &&cotangent_core::schedule::ArrayDecl| matches!(d.layout, Layout::View { .. });
    s.fused.arrays.iter().filter(view).count()
}

#[test]
fn delayed_columns_are_written_in_place() {
    let s = subject(&[vector(&[1.0, 2.0, 3.0])], |b, xs| {
        let columns = [Prim::Exp, Prim::Sin, Prim::Neg].map(|op| map(b, op, &xs[0]));
        vec![b.unpack(&columns)]
    });
    assert_eq!((s.kernels().len(), views(&s)), (1, 3));
    assert_eq!(s.outcome.unwrap()[0].shape(), [3, 3]);
}

#[test]
fn results_of_other_kernels_become_views() {
    let s = subject(&[matrix(3, 4)], |b, xs| {
        let total = sum(b, &xs[0]);
        let column = [b.slice(vec![Axis::All, Axis::Fixed], extents(&[1]), &xs[0])];
        let scanned = b.scan(Direction::Right, binary(Prim::Add), None, &column);
        let same = fun([I32], |b, [i]| vec![b.constant(true), i]);
        let scattered = b.permute(Combine::Add, &column, same, &scanned).remove(0);
        vec![b.unpack(&[total, scattered])]
    });
    assert_eq!(views(&s), 2);
    assert_eq!(s.names(), ["fold", "scanr1", "permute", "permute"]);
}

#[test]
fn shared_given_and_unequal_columns_are_copied() {
    for n in [0, 2, 3] {
        let s = subject(&[vector(&[1.0, 2.0]), matrix(n, 2)], |b, xs| {
            let total = sum(b, &xs[1]);
            let all = b.unpack(&[total.clone(), xs[0].clone(), total.clone()]);
            vec![all, total]
        });
        assert_eq!(s.outcome.unwrap()[0].shape(), [n.min(2), 3]);
    }
}

#[test]
fn unpacking_twice_makes_views_of_views() {
    let s = subject(&[vector(&[1.0, 2.0])], |b, xs| {
        let mut halves = vec![];
        for ops in [
            [Prim::Exp, Prim::Sin, Prim::Neg],
            [Prim::Cos, Prim::Sqrt, Prim::Abs],
        ] {
            let columns = ops.map(|op| map(b, op, &xs[0]));
            halves.push(b.unpack(&columns));
        }
        let all = b.unpack(&halves);
        vec![b.reshape(extents(&[12]), &all)]
    });
    assert_eq!(s.kernels().len(), 1);
    assert_eq!(s.temporaries(), 7, "{}", s.fused);
}

#[test]
fn one_column_is_a_change_of_rank() {
    let s = subject(&[vector(&[1.0, 2.0])], |b, xs| {
        let y = map(b, Prim::Exp, &xs[0]);
        let all = b.unpack(&[y]);
        vec![sum(b, &all)]
    });
    assert_eq!((s.names(), s.temporaries()), (vec!["fold"], 0));
}
