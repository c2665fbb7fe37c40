//! Conditionals of both kinds: what is not taken neither fails nor is computed.

use super::*;

/// Element `i + offset` where that is in range, else −1.
fn guarded(array: &Arr, offset: i32) -> Fun<Labelled> {
    fun([I32], |b, [i]| {
        let (offset, zero, n) = (b.constant(offset), b.constant(0), b.extent(array.name, 0));
        let at = b.prim(Prim::Add, &[i, offset]);
        let (low, high) = (b.prim(Prim::Ge, &[at, zero]), b.prim(Prim::Lt, &[at, n]));
        let inside = b.prim(Prim::And, &[low, high]);
        b.cond(
            inside,
            |b| vec![b.index(array, &[at])],
            |b| vec![b.constant(-1.0)],
        )
    })
}

#[test]
fn a_guarded_index_out_of_range_does_not_fail() {
    for offset in [-2, 0, 5] {
        let s = subject(&[vector(&[1.0, 2.0, 3.0])], |b, xs| {
            let expensive = map(b, Prim::Exp, &xs[0]);
            let f = guarded(&expensive, offset);
            let y = b.generate(extents(&[4]), f).remove(0);
            vec![sum(b, &y)]
        });
        s.outcome.unwrap();
    }
}

#[test]
fn nested_conditions_and_both_branches() {
    let s = subject(&[vector(&[1.0, -2.0, 3.0]), vector(&[5.0])], |b, xs| {
        let f = fun([I32], |b, [i]| {
            let (zero, nought) = (b.constant(0), b.constant(0.0));
            let x = b.index(&xs[0], &[i]);
            let positive = b.prim(Prim::Gt, &[x, nought]);
            let first = b.prim(Prim::Eq, &[i, zero]);
            let far = b.prim(Prim::Mul, &[i, i]);
            b.cond(
                positive,
                |b| b.cond(first, |b| vec![b.index(&xs[1], &[i])], |_| vec![x]),
                |b| {
                    b.cond(
                        positive,
                        |b| vec![b.index(&xs[1], &[far])],
                        |b| vec![b.prim(Prim::Neg, &[x])],
                    )
                },
            )
        });
        b.generate(extents(&[3]), f)
    });
    assert_eq!(s.outcome.unwrap()[0], vector(&[5.0, 2.0, 3.0]));
}

#[test]
fn a_load_without_guard_serves_guarded_ones() {
    let s = subject(&[vector(&[1.0, -2.0])], |b, xs| {
        let f = fun([I32], |b, [i]| {
            let (zero, one) = (b.constant(0), b.constant(1));
            let first = b.prim(Prim::Eq, &[i, zero]);
            let far = b.prim(Prim::Rem, &[i, one]);
            let _ = far;
            let at = b.prim(Prim::BitXor, &[i, one]);
            let y = b.cond(
                first,
                |b| vec![b.index(&xs[0], &[at])],
                |b| vec![b.constant(0.0)],
            );
            let x = b.index(&xs[0], &[at]);
            vec![b.prim(Prim::Add, &[x, y[0]])]
        });
        b.generate(extents(&[2]), f)
    });
    let text = s.fused.to_string();
    assert_eq!(text.matches("A0[").count(), 1, "{text}");
    assert!(!text.contains("where"), "{text}");
}

/// Both results of a conditional on whether the first element is positive.
fn on_sign(
    inputs: &[HostArray],
    branches: impl FnOnce(&mut AccBuilder, &[Arr]) -> [Vec<Arr>; 2],
) -> Subject {
    subject(inputs, |b, xs| {
        let mut f = FunBuilder::new();
        let zero = f.constant(0);
        let x = f.index(&xs[0], &[zero]);
        let nought = f.constant(0.0);
        let positive = f.prim(Prim::Gt, &[x, nought]);
        let cond = f.finish(vec![positive]);
        // The builder closes one block at a time, so the second branch is built from the same closure's arrays.
        b.open();
        b.open();
        let [then_, else_] = branches(b, xs);
        let types: Vec<_> = then_.iter().map(|a| a.ty).collect();
        let lets = b.close(&then_);
        b.close(&[]);
        let else_ = cotangent_core::term::AccBlock {
            lets: vec![],
            results: else_.iter().map(|a| a.name).collect(),
        };
        let op = cotangent_core::term::AccOp::Cond {
            cond,
            then_: lets,
            else_,
        };
        b.push(op, &types)
    })
}

#[test]
fn array_conditionals_take_one_branch() {
    for sign in [1.0, -1.0] {
        let s = on_sign(
            &[vector(&[sign, 2.0]), vector(&[7.0, 8.0, 9.0])],
            |b, xs| {
                let y = map(b, Prim::Exp, &xs[0]);
                let z = map(b, Prim::Sqrt, &y);
                [vec![z, xs[0].clone()], vec![xs[1].clone(), xs[0].clone()]]
            },
        );
        assert_eq!(s.names(), ["map"]);
        let results = s.outcome.unwrap();
        assert_eq!(results[0].shape(), [if sign > 0.0 { 2 } else { 3 }]);
    }
}

#[test]
fn a_failure_in_the_branch_not_taken_does_not_matter() {
    for sign in [1.0, -1.0] {
        let s = on_sign(&[vector(&[sign, 2.0])], |b, xs| {
            let cut = b.slice(vec![Axis::Fixed], extents(&[5]), &xs[0]);
            let wide = b.replicate(vec![Axis::Fixed], extents(&[2]), &cut);
            [vec![wide], vec![xs[0].clone()]]
        });
        assert_eq!(s.outcome.is_ok(), sign < 0.0);
    }
}

#[test]
fn what_is_delayed_outside_is_computed_inside() {
    for sign in [1.0, -1.0] {
        let s = subject(&[vector(&[sign, 2.0]), matrix(2, 3)], |b, xs| {
            let expensive = map(b, Prim::Exp, &xs[1]);
            let mut f = FunBuilder::new();
            let zero = f.constant(0);
            let x = f.index(&xs[0], &[zero]);
            let nought = f.constant(0.0);
            let positive = f.prim(Prim::Gt, &[x, nought]);
            let cond = f.finish(vec![positive]);
            b.open();
            let flat = b.reshape(extents(&[3, 2]), &expensive);
            let total = sum(b, &flat);
            let then_ = b.close(std::slice::from_ref(&total));
            b.open();
            let column = b.slice(vec![Axis::All, Axis::Fixed], extents(&[0]), &xs[1]);
            let else_ = b.close(std::slice::from_ref(&column));
            let op = cotangent_core::term::AccOp::Cond { cond, then_, else_ };
            let result = b.push(op, &[total.ty]).remove(0);
            let total = sum(b, &result);
            vec![total, result]
        });
        assert!(
            matches!(s.fused.steps.iter().find(|s| matches!(s, Step::If { .. })), Some(Step::If { symbols, .. }) if symbols.len() == 1)
        );
        s.outcome.unwrap();
    }
}

#[test]
fn known_conditions_leave_one_branch() {
    let s = subject(&[vector(&[1.0])], |b, xs| {
        let cond = Fun::constants(&[Const::Bool(false)]);
        b.open();
        let y = map(b, Prim::Exp, &xs[0]);
        let then_ = b.close(&[y]);
        b.open();
        let z = map(b, Prim::Neg, &xs[0]);
        let else_ = b.close(std::slice::from_ref(&z));
        let op = cotangent_core::term::AccOp::Cond { cond, then_, else_ };
        b.push(op, &[z.ty])
    });
    assert!(
        s.fused.steps.iter().all(|s| matches!(s, Step::Kernel(_))),
        "{}",
        s.fused
    );
    assert_eq!(s.outcome.unwrap()[0], vector(&[-1.0]));
}

#[test]
fn a_load_under_a_stronger_guard_does_not_serve_a_weaker_one() {
    let s = subject(&[vector(&[1.0, 2.0])], |b, xs| {
        let f = fun([I32], |b, [i]| {
            let (zero, two) = (b.constant(0), b.constant(2));
            let inside = b.prim(Prim::Lt, &[i, two]);
            let later = b.prim(Prim::Gt, &[i, zero]);
            let at = |b: &mut FunBuilder| vec![b.index(&xs[0], &[i])];
            let nought = |b: &mut FunBuilder| vec![b.constant(0.0)];
            let strong = b.cond(inside, |b| b.cond(later, at, nought), nought);
            let weak = b.cond(inside, at, nought);
            vec![b.prim(Prim::Add, &[strong[0], weak[0]])]
        });
        b.generate(extents(&[3]), f)
    });
    assert_eq!(s.outcome.unwrap()[0], vector(&[1.0, 4.0, 0.0]));
}

/// The first element of an array of integers.
fn first(array: &Arr) -> Fun<Labelled> {
    let mut f = FunBuilder::new();
    let zero = f.constant(0);
    let x = f.index(array, &[zero]);
    f.finish(vec![x])
}

/// Whether the second element of an array of integers is positive.
fn second_is_positive(array: &Arr) -> Fun<Labelled> {
    let mut f = FunBuilder::new();
    let (zero, one) = (f.constant(0), f.constant(1));
    let x = f.index(array, &[one]);
    let positive = f.prim(Prim::Gt, &[x, zero]);
    f.finish(vec![positive])
}

#[test]
fn what_came_into_memory_inside_is_not_read_outside() {
    for taken in [0, 1] {
        let s = subject(&[host(&[2], &[3, taken])], |b, xs| {
            let negate = || Fun::prim(Prim::Neg, &[I32]);
            let delayed = b.map(negate(), &xs[..1]).remove(0);
            let again = b.map(negate(), std::slice::from_ref(&delayed)).remove(0);
            b.open();
            let kept = b.reshape(extents(&[1, 2]), &delayed);
            let ones = b
                .generate(first(&again), fun([I32], |_, [i]| vec![i]))
                .remove(0);
            let then_ = b.close(&[kept.clone(), ones.clone()]);
            b.open();
            let wide = b.replicate(vec![Axis::Fixed, Axis::All], extents(&[2]), &xs[0]);
            let else_ = b.close(&[wide, xs[0].clone()]);
            let cond = second_is_positive(&xs[0]);
            let op = cotangent_core::term::AccOp::Cond { cond, then_, else_ };
            let mut results = b.push(op, &[kept.ty, ones.ty]);
            results.extend(b.generate(first(&again), fun([I32], |_, [i]| vec![i])));
            results
        });
        assert_eq!(s.outcome.unwrap()[2].shape(), [3]);
    }
}

#[test]
fn what_was_checked_inside_is_checked_again_outside() {
    let s = subject(&[host(&[2], &[9, 0]), vector(&[1.0, 2.0])], |b, xs| {
        let cut = |b: &mut AccBuilder| b.slice(vec![Axis::Fixed], first(&xs[0]), &xs[1]);
        b.open();
        let inside = cut(b);
        let then_ = b.close(std::slice::from_ref(&inside));
        b.open();
        let else_ = b.generate(extents(&[]), fun([], |b, []| vec![b.constant(0.0)]));
        let else_ = b.close(&else_);
        let cond = second_is_positive(&xs[0]);
        let op = cotangent_core::term::AccOp::Cond { cond, then_, else_ };
        let mut results = b.push(op, &[inside.ty]);
        results.push(cut(b));
        results
    });
    assert!(matches!(s.outcome, Err(RunError::IndexOutOfRange { .. })));
}
