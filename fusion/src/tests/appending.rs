//! Arrays one after the other, without copies where nobody else needs them.

use super::*;

fn views(s: &Subject) -> usize {
    let view = |d: &&cotangent_core::schedule::ArrayDecl| matches!(d.layout, Layout::View { .. });
    s.fused.arrays.iter().filter(view).count()
}

#[test]
fn delayed_parts_are_written_in_place() {
    let s = subject(&[vector(&[1.0, 2.0, 3.0]), vector(&[4.0])], |b, xs| {
        let parts = [
            map(b, Prim::Exp, &xs[0]),
            map(b, Prim::Sin, &xs[0]),
            map(b, Prim::Neg, &xs[1]),
        ];
        vec![b.append(&parts)]
    });
    // Two parts of one shape are written together.
    assert_eq!((s.kernels().len(), views(&s)), (2, 3), "{}", s.fused);
    assert_eq!(s.outcome.unwrap()[0].shape(), [7]);
}

#[test]
fn results_of_other_kernels_become_parts() {
    let s = subject(&[matrix(3, 4), vector(&[5.0])], |b, xs| {
        let total = sum(b, &xs[0]);
        let scanned = b.scan(Direction::Left, binary(Prim::Add), None, &xs[1..]);
        vec![b.append(&[scanned[0].clone(), total])]
    });
    assert_eq!(s.names(), ["fold", "scanl1"]);
    assert_eq!(s.fired("append without copy"), 2);
}

#[test]
fn interleaved_parts_move_as_a_whole() {
    let s = subject(&[vector(&[1.0, 2.0])], |b, xs| {
        let columns = [Prim::Exp, Prim::Sin, Prim::Neg].map(|op| map(b, op, &xs[0]));
        let rows = b.unpack(&columns);
        let flat = b.reshape(extents(&[6]), &rows);
        let last = map(b, Prim::Abs, &xs[0]);
        vec![
            b.append(&[last, flat.clone()]),
            b.append(&[flat, xs[0].clone()]),
        ]
    });
    // Read twice, it is copied.
    assert_eq!(s.fired("append without copy"), 0);
    let s = subject(&[vector(&[1.0, 2.0])], |b, xs| {
        let columns = [Prim::Exp, Prim::Sin, Prim::Neg].map(|op| map(b, op, &xs[0]));
        let rows = b.unpack(&columns);
        let flat = b.reshape(extents(&[6]), &rows);
        let last = map(b, Prim::Abs, &xs[0]);
        vec![b.append(&[last, flat])]
    });
    assert_eq!(s.kernels().len(), 1, "{}", s.fused);
    assert_eq!(s.fired("append without copy"), 1);
}

#[test]
fn appends_in_appends_and_between_columns() {
    let (x, y) = (vector(&[1.0, 2.0]), vector(&[3.0]));
    let s = subject(&[x, y], |b, xs| {
        let both = |b: &mut AccBuilder, ops: [Prim; 2]| {
            let parts = [map(b, ops[0], &xs[0]), map(b, ops[1], &xs[1])];
            b.append(&parts)
        };
        let columns = [
            both(b, [Prim::Exp, Prim::Sin]),
            both(b, [Prim::Neg, Prim::Abs]),
        ];
        let rows = b.unpack(&columns);
        let more = b.unpack(&[xs[1].clone(), xs[1].clone()]);
        let twice = b.append(&[rows, more]);
        let last = b.unpack(&[xs[0].clone(), xs[0].clone()]);
        vec![b.append(&[last, twice])]
    });
    let result = &s.outcome.as_ref().unwrap()[0];
    assert_eq!(result.shape(), [6, 2]);
    assert_eq!(s.kernels().len(), 2, "{}", s.fused);
    assert_eq!(s.temporaries(), s.fused.arrays.len() - 3);
}

#[test]
fn shared_given_equal_and_cut_parts_are_copied() {
    for n in [0, 1, 3] {
        let s = subject(&[matrix(2, 2), matrix(2, n)], |b, xs| {
            let [x, y] = [&xs[0], &xs[1]].map(|x| map(b, Prim::Exp, x));
            let all = b.append(&[y.clone(), x.clone(), xs[0].clone(), x.clone()]);
            vec![all, x, y]
        });
        assert_eq!(s.fired("append without copy"), 0);
        assert_eq!(s.outcome.unwrap()[0].shape(), [8, n.min(2)]);
    }
}

#[test]
fn parts_that_are_always_empty_take_no_place() {
    let s = subject(&[vector(&[1.0, 2.0])], |b, xs| {
        let nothing = fun([I32], |b, [_]| vec![b.constant(0.0)]);
        let empty = b.generate(extents(&[0]), nothing).remove(0);
        let some = b.append(&[empty.clone(), xs[0].clone(), empty.clone(), xs[0].clone()]);
        let none = b.append(&[empty.clone(), empty]);
        vec![some, none]
    });
    let shapes: Vec<_> = s.outcome.iter().flatten().map(HostArray::shape).collect();
    assert_eq!(shapes, [&[4], &[0]]);
}

#[test]
fn lengths_that_only_the_run_knows() {
    for n in [0, 1, 3] {
        let s = subject(&[vector(&[1.0, 2.0, n as f64]), matrix(2, 3)], |b, xs| {
            let length = fun([], |b, []| {
                let two = b.constant(2);
                let n = b.index(&xs[0], &[two]);
                vec![b.prim(Prim::Convert(I32), &[n])]
            });
            let index = fun([I32], |b, [i]| vec![b.prim(Prim::Convert(F64), &[i])]);
            let first = b.generate(length.clone(), index.clone()).remove(0);
            let total = sum(b, &xs[1]);
            let second = b.generate(length, index).remove(0);
            let nested = b.append(&[first, total]);
            vec![b.append(&[nested, second])]
        });
        assert_eq!(s.outcome.unwrap()[0].shape(), [2 * n + 2]);
    }
}

#[test]
fn sums_that_overflow_fail_as_the_interpreter_does() {
    let half = 1 << 30;
    for count in [2, 3, 4, 5] {
        let s = subject(&[], |b, _| {
            let nothing = fun([I32, I32], |b, _| vec![b.constant(0.0)]);
            let long = b.generate(extents(&[half, 0]), nothing).remove(0);
            let mut all = long.clone();
            for _ in 1..count {
                all = b.append(&[all, long.clone()]);
            }
            vec![all]
        });
        assert!(s.outcome.is_err());
    }
}
