//! Updates in place of what loops carry: what is read before, what branches do, and what is copied all the same.

use super::*;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::term::{AccClosure, AccOp, States};
use cotangent_core::types::ScalarType::Bool;

const NUMBER: ArrayType = ArrayType::new(I32, 0);

/// The array that trips of a step make of `x`, two less than it has elements; the step is given the number of the trip and the array.
fn looped(
    b: &mut AccBuilder,
    x: &Arr,
    step: impl FnOnce(&mut AccBuilder, &Arr, &Arr) -> Arr,
) -> Arr {
    let params = vec![b.fresh(NUMBER), b.fresh(x.ty)];
    b.open();
    let next = step(b, &params[0], &params[1]);
    let body = b.close(&[next]);
    let trips = fun([], |b, []| {
        let (n, two) = (b.extent(x.name, 0), b.constant(2));
        vec![b.prim(Prim::Sub, &[n, two])]
    });
    let op = AccOp::Loop {
        trips,
        test: None,
        step: AccClosure { params, body },
        states: States::Stored,
        args: vec![x.name],
    };
    b.push(op, &[NUMBER, x.ty]).remove(1)
}

/// The element of `v` at `k + by`.
fn element(b: &mut AccBuilder, (k, by): (&Arr, i32), v: &Arr) -> Arr {
    let f = fun([], |b, []| {
        let (k, by) = (b.index(k, &[]), b.constant(by));
        let at = b.prim(Prim::Add, &[k, by]);
        vec![b.index(v, &[at])]
    });
    b.generate(extents(&[]), f).remove(0)
}

/// `v` with a number added to the element at `k + by`, or written over it.
fn update(b: &mut AccBuilder, combine: Combine, (k, by): (&Arr, i32), (v, x): (&Arr, &Arr)) -> Arr {
    let target = fun([], |b, []| {
        let (k, by, sent) = (b.index(k, &[]), b.constant(by), b.constant(true));
        vec![sent, b.prim(Prim::Add, &[k, by])]
    });
    let (v, x) = (std::slice::from_ref(v), std::slice::from_ref(x));
    b.permute(combine, v, target, x).remove(0)
}

fn inputs() -> [HostArray; 1] {
    [vector(&[0.5, 1.5, -2.0, 4.0])]
}

impl Subject {
    fn in_place(&self) -> usize {
        self.fired("permute into what a loop carries")
    }

    fn kept_before_updates(&self) -> usize {
        let reasons = self.report.kept.values();
        reasons.filter(|r| **r == Kept::ReadBeforeUpdate).count()
    }
}

#[test]
fn what_is_overwritten_is_read_before() {
    let s = subject(&inputs(), |b, xs| {
        let next = looped(b, &xs[0], |b, k, v| {
            let (old, other) = (element(b, (k, 0), v), element(b, (k, 1), v));
            let v = update(b, Combine::Overwrite, (k, 0), (v, &other));
            update(b, Combine::Add, (k, 1), (&v, &old))
        });
        vec![next]
    });
    assert_eq!((s.in_place(), s.kept_before_updates()), (2, 1));
    assert_eq!(s.outcome.unwrap(), [vector(&[1.5, -2.0, 0.0, 4.0])]);
}

#[test]
fn an_array_that_is_read_later_is_copied() {
    let s = subject(&inputs(), |b, xs| {
        let next = looped(b, &xs[0], |b, k, v| {
            let one = element(b, (k, 1), v);
            let updated = update(b, Combine::Overwrite, (k, 0), (v, &one));
            let old = element(b, (k, 0), v);
            update(b, Combine::Add, (k, 1), (&updated, &old))
        });
        vec![next]
    });
    assert_eq!(s.in_place(), 0);
    assert_eq!(s.outcome.unwrap(), [vector(&[1.5, -2.0, 0.0, 4.0])]);
}

#[test]
fn one_array_as_large_is_kept_and_two_are_not() {
    for (count, in_place) in [(1, 1), (2, 0)] {
        let s = subject(&inputs(), |b, xs| {
            let next = looped(b, &xs[0], |b, k, v| {
                let ops = [Prim::Sin, Prim::Cos];
                let old: Vec<_> = ops[..count].iter().map(|&op| map(b, op, v)).collect();
                let one = element(b, (k, 0), v);
                let v = update(b, Combine::Overwrite, (k, 1), (v, &one));
                old.iter().fold(v, |v, old| zip(b, Prim::Add, &v, old))
            });
            vec![next]
        });
        assert_eq!(s.in_place(), in_place, "{count}");
    }
}

/// Half of the elements say where the others go.
#[test]
fn targets_that_are_overwritten_are_read_before() {
    let inputs = [vector(&[3.0, 10.0, 0.0, 20.0])];
    let s = subject(&inputs, |b, xs| {
        let next = looped(b, &xs[0], |b, _, v| {
            let half = |b: &mut AccBuilder, by: i32| {
                let f = fun([I32], |b, [i]| {
                    let (two, by) = (b.constant(2), b.constant(by));
                    let at = b.prim(Prim::Mul, &[i, two]);
                    let at = b.prim(Prim::Add, &[at, by]);
                    vec![b.index(v, &[at])]
                });
                b.generate(extents(&[2]), f).remove(0)
            };
            let (places, values) = (half(b, 0), half(b, 1));
            let target = fun([I32], |b, [i]| {
                let place = b.index(&places, &[i]);
                let (sent, four) = (b.constant(true), b.constant(4));
                let place = b.prim(Prim::Convert(I32), &[place]);
                vec![sent, b.prim(Prim::ModFloor, &[place, four])]
            });
            let v = std::slice::from_ref(v);
            b.permute(Combine::Overwrite, v, target, &[values])
                .remove(0)
        });
        vec![next]
    });
    assert_eq!((s.in_place(), s.kept_before_updates()), (1, 1));
    assert_eq!(s.outcome.unwrap(), [vector(&[10.0, 10.0, 0.0, 10.0])]);
}

#[test]
fn branches_update_in_place() {
    let s = subject(&inputs(), |b, xs| {
        let next = looped(b, &xs[0], |b, k, v| {
            let old = element(b, (k, 2), v);
            let cond = fun([], |b, []| {
                let (k, zero) = (b.index(k, &[]), b.constant(0));
                vec![b.prim(Prim::Eq, &[k, zero])]
            });
            let mut branch = |combine, by| {
                b.open();
                let x = element(b, (k, 1), v);
                let v = update(b, combine, (k, by), (v, &x));
                b.close(&[v])
            };
            let then_ = branch(Combine::Overwrite, 0);
            let else_ = branch(Combine::Add, 2);
            let op = AccOp::Cond { cond, then_, else_ };
            let v = b.push(op, &[v.ty]).remove(0);
            update(b, Combine::Overwrite, (k, 0), (&v, &old))
        });
        vec![next]
    });
    assert_eq!(s.in_place(), 3);
    assert_eq!(s.outcome.unwrap(), [vector(&[-2.0, 4.0, -2.0, 2.0])]);
}

/// The other branch results in what this one updates, as another result: both are copied or neither.
#[test]
fn an_array_that_a_branch_keeps_is_copied() {
    let s = subject(&inputs(), |b, xs| {
        let next = looped(b, &xs[0], |b, k, v| {
            let cond = Fun::constants(&[Const::Bool(true)]);
            let held = b.generate(extents(&[]), cond).remove(0);
            let cond = fun([], |b, []| vec![b.index(&held, &[])]);
            b.open();
            let one = element(b, (k, 0), v);
            let updated = update(b, Combine::Overwrite, (k, 1), (v, &one));
            let then_ = b.close(&[updated, v.clone()]);
            b.open();
            let else_ = b.close(&[v.clone(), v.clone()]);
            let made = b.push(AccOp::Cond { cond, then_, else_ }, &[v.ty, v.ty]);
            assert_eq!(held.ty.elem, Bool);
            zip(b, Prim::Sub, &made[0], &made[1])
        });
        vec![next]
    });
    assert_eq!(s.in_place(), 0);
    assert_eq!(s.outcome.unwrap(), [vector(&[0.0, 0.0, -1.0, 0.0])]);
}

/// The other branch results in an array that goes on living: what the conditional gives may be in its memory.
#[test]
fn what_a_branch_has_from_elsewhere_is_copied() {
    let inputs = [
        vector(&[0.5, 1.5, -2.0, 4.0]),
        vector(&[1.0, 2.0, 3.0, 5.0]),
    ];
    for twice in [false, true] {
        let s = subject(&inputs, |b, xs| {
            let next = looped(b, &xs[0], |b, k, v| {
                let other = if twice { v } else { &xs[1] };
                let cond = fun([], |b, []| {
                    let (k, zero) = (b.index(k, &[]), b.constant(0));
                    vec![b.prim(Prim::Eq, &[k, zero])]
                });
                b.open();
                let one = element(b, (k, 1), v);
                let sine = map(b, Prim::Sin, v);
                let updated = update(b, Combine::Overwrite, (k, 0), (v, &one));
                let then_ = b.close(&[updated, sine]);
                b.open();
                let else_ = b.close(&[other.clone(), other.clone()]);
                let made = b.push(AccOp::Cond { cond, then_, else_ }, &[v.ty, v.ty]);
                let one = element(b, (k, 2), &made[1]);
                let next = update(b, Combine::Add, (k, 0), (&made[0], &one));
                zip(b, Prim::Sub, &next, &made[1])
            });
            vec![next, xs[1].clone()]
        });
        assert_eq!(s.in_place(), 1, "{twice}");
        assert_eq!(s.outcome.unwrap()[1], inputs[1]);
    }
}

/// A loop that adds to each element the next one, but to the last two.
fn swept(b: &mut AccBuilder, v: &Arr) -> Arr {
    looped(b, v, |b, k, v| {
        let x = element(b, (k, 1), v);
        update(b, Combine::Add, (k, 0), (v, &x))
    })
}

/// The loop inside starts from the memory that has been updated, and what it makes is updated again.
#[test]
fn around_a_loop_updates_are_in_place() {
    let s = subject(&inputs(), |b, xs| {
        let next = looped(b, &xs[0], |b, k, v| {
            let (old, other) = (element(b, (k, 0), v), element(b, (k, 1), v));
            let v = update(b, Combine::Overwrite, (k, 0), (v, &other));
            let v = swept(b, &v);
            update(b, Combine::Add, (k, 1), (&v, &old))
        });
        vec![next]
    });
    assert_eq!((s.in_place(), s.kept_before_updates()), (3, 1));
    assert_eq!(s.outcome.unwrap(), [vector(&[1.0, -4.0, -2.0, 4.0])]);
}

/// What is read before a loop and used after it is kept before it, so that the loop need not start from a copy.
#[test]
fn what_a_loop_overwrites_is_read_before() {
    let s = subject(&inputs(), |b, xs| {
        let next = looped(b, &xs[0], |b, k, v| {
            let old = element(b, (k, 0), v);
            let v = swept(b, v);
            update(b, Combine::Add, (k, 1), (&v, &old))
        });
        vec![next]
    });
    assert_eq!((s.in_place(), s.kept_before_updates()), (2, 1));
    // 2, -0.5, -2, 4; then 2, 0, -2, 4; then 2, -2, -2, 4; then 2, -2, -2, 4.
    assert_eq!(s.outcome.unwrap(), [vector(&[2.0, -2.0, -2.0, 4.0])]);
}
