//! Reductions that share a kernel, and those that must not.

use super::*;

fn fold(b: &mut AccBuilder, op: Prim, init: Option<f64>, x: &Arr) -> Arr {
    let init = init.map(|x| Fun::constants(&[Const::F64(x)]));
    b.fold(binary(op), init, std::slice::from_ref(x)).remove(0)
}

/// The number of results of each kernel.
fn results(s: &Subject) -> Vec<usize> {
    s.kernels().iter().map(|k| k.outputs().len()).collect()
}

/// The value spread over rows of the length of those of `like`.
fn spread(b: &mut AccBuilder, rows: &Arr, like: &Arr) -> Arr {
    let mut extent = FunBuilder::new();
    let n = extent.extent(like.name, like.ty.rank - 1);
    let mut axes = vec![Axis::All; rows.ty.rank];
    axes.push(Axis::Fixed);
    b.replicate(axes, extent.finish(vec![n]), rows)
}

#[test]
fn reductions_of_one_array_are_one() {
    let s = subject(&[matrix(3, 4)], |b, xs| {
        let x = &xs[0];
        let squares = zip(b, Prim::Mul, x, x);
        let all = [sum(b, x), sum(b, &squares)];
        let largest = fold(b, Prim::Max, Some(-1.0), x);
        all.into_iter().chain([largest]).collect()
    });
    assert_eq!(results(&s), [3]);
    assert_eq!(s.fired("horizontal-fusion"), 2);
    assert_eq!(s.kernels()[0].body().loads().count(), 1);
    assert_eq!(s.report.kept.len(), 3);
    assert_eq!(
        s.kernels()[0].fused.len(),
        3,
        "two places with folds, and a map"
    );
}

#[test]
fn without_initial_values_too_but_not_with_and_without() {
    let with = |inits: [Option<f64>; 2]| {
        subject(&[vector(&[0.5, -2.0, 7.0])], |b, xs| {
            let x = &xs[0];
            let negated = map(b, Prim::Neg, x);
            let max = fold(b, Prim::Max, inits[0], x);
            vec![max, fold(b, Prim::Add, inits[1], &negated)]
        })
    };
    assert_eq!(results(&with([None, None])), [2]);
    assert_eq!(results(&with([Some(1.0), Some(0.0)])), [2]);
    assert_eq!(results(&with([Some(1.0), None])), [1, 1]);
}

#[test]
fn nothing_fails_without_initial_value_or_gives_it() {
    let s = subject(&[vector(&[])], |b, xs| {
        let max = fold(b, Prim::Max, None, &xs[0]);
        vec![max, fold(b, Prim::Min, None, &xs[0])]
    });
    assert_eq!(results(&s), [2]);
    assert!(s.outcome.is_err());
    let s = subject(&[matrix(2, 0)], |b, xs| {
        let max = fold(b, Prim::Max, Some(2.5), &xs[0]);
        vec![max, fold(b, Prim::Min, Some(-1.0), &xs[0])]
    });
    assert_eq!(results(&s), [2]);
    let expected = [host(&[2], &[2.5, 2.5]), host(&[2], &[-1.0, -1.0])];
    assert_eq!(s.outcome.unwrap(), expected);
}

#[test]
fn other_arrays_other_spaces_other_positions_stay_apart() {
    let s = subject(&[matrix(3, 3), matrix(3, 3)], |b, xs| {
        xs.iter().map(|x| sum(b, x)).collect()
    });
    assert_eq!(results(&s), [1, 1]);
    let s = subject(&[matrix(3, 3)], |b, xs| {
        let turned = fun([I32, I32], |_, [i, j]| vec![j, i]);
        let turned = b.backpermute(extents(&[3, 3]), turned, &xs[0]);
        vec![sum(b, &xs[0]), sum(b, &turned)]
    });
    assert_eq!(results(&s), [1, 1]);
    let s = subject(&[vector(&[1.0, 2.0])], |b, xs| {
        let first = fun([I32], |b, _| vec![b.constant(0)]);
        let first = b.backpermute(extents(&[2]), first, &xs[0]);
        let exp = map(b, Prim::Exp, &first);
        vec![sum(b, &first), sum(b, &exp)]
    });
    assert_eq!(
        results(&s),
        [1, 1],
        "what they share is no pass over memory"
    );
}

#[test]
fn what_depends_on_the_other_stays_apart() {
    let s = subject(&[matrix(3, 4)], |b, xs| {
        let x = &xs[0];
        let max = fold(b, Prim::Max, None, x);
        let max_everywhere = spread(b, &max, x);
        let shifted = zip(b, Prim::Sub, x, &max_everywhere);
        vec![sum(b, &shifted), max]
    });
    assert_eq!(results(&s), [1, 1]);
}

#[test]
fn what_waits_for_another_pass_stays_apart() {
    let s = subject(&[vector(&[1.0, 2.0, 4.0]), matrix(2, 2)], |b, xs| {
        let (x, flat) = (&xs[0], &xs[1]);
        let total = sum(b, x);
        let rows = sum(b, flat);
        let scale = sum(b, &rows);
        let scale = spread(b, &scale, x);
        let scaled = zip(b, Prim::Mul, x, &scale);
        vec![total, fold(b, Prim::Max, Some(0.0), &scaled)]
    });
    assert_eq!(results(&s), [1, 1, 1, 1]);
}

#[test]
fn steps_between_move_out_of_the_way() {
    let s = subject(&[matrix(3, 4)], |b, xs| {
        let x = &xs[0];
        let max = fold(b, Prim::Max, None, x);
        let powers = map(b, Prim::Exp, &max);
        let scanned = b.scan(Direction::Left, binary(Prim::Add), zero(), &[powers]);
        let min = fold(b, Prim::Min, None, x);
        vec![scanned[0].clone(), min, max]
    });
    assert_eq!(
        (s.names(), results(&s)),
        (vec!["fold1", "scanl"], vec![2, 1])
    );
}

#[test]
fn what_is_written_in_place_between_keeps_its_order() {
    let s = subject(&[vector(&[1.0, 2.0, 4.0])], |b, xs| {
        let copied = map(b, Prim::Exp, &xs[0]);
        let before = sum(b, &copied);
        let target = fun([I32], |b, [i]| {
            let yes = b.constant(true);
            vec![yes, i]
        });
        let sent = b.permute(Combine::Add, &[copied], target, &[xs[0].clone()]);
        let after = sum(b, &sent[0]);
        vec![before, after]
    });
    assert_eq!(s.names().iter().filter(|name| **name == "fold").count(), 2);
}

#[test]
fn at_most_twelve_results_and_no_slow_operators_beside_fast_ones() {
    let s = subject(&[vector(&[1.0, 2.0, 4.0])], |b, xs| {
        (0..14)
            .map(|k| fold(b, Prim::Add, Some(f64::from(k)), &xs[0]))
            .collect()
    });
    assert_eq!(results(&s), [12, 2]);
    let s = subject(&[vector(&[1.0, 2.0, 4.0])], |b, xs| {
        let join = fun([F64; 2], |b, [x, y]| {
            let (product, sum) = (b.prim(Prim::Mul, &[x, y]), b.prim(Prim::Add, &[x, y]));
            vec![b.prim(Prim::Add, &[sum, product])]
        });
        let joined = b.fold(join, zero(), &[xs[0].clone()]).remove(0);
        vec![sum(b, &xs[0]), joined]
    });
    assert_eq!(results(&s), [1, 1]);
}

#[test]
fn in_branches_too() {
    let s = subject(&[vector(&[1.0, -2.0])], |b, xs| {
        let x = &xs[0];
        let in_branch = |b: &mut AccBuilder, op| {
            b.open();
            let both = [fold(b, op, None, x), fold(b, Prim::Add, None, x)];
            b.close(&both)
        };
        let (then_, else_) = (in_branch(b, Prim::Max), in_branch(b, Prim::Min));
        let first = {
            let mut f = FunBuilder::new();
            let zero = f.constant(0);
            let (x, bound) = (f.index(x, &[zero]), f.constant(0.0));
            let holds = f.prim(Prim::Gt, &[x, bound]);
            f.finish(vec![holds])
        };
        let op = cotangent_core::term::AccOp::Cond {
            cond: first,
            then_,
            else_,
        };
        b.push(op, &[ArrayType::new(F64, 0); 2])
    });
    assert_eq!(s.fired("horizontal-fusion"), 2);
}

#[test]
fn the_option_keeps_all_apart() {
    let types = [ArrayType::new(F64, 1)];
    let both = program(&types, |b, xs| {
        vec![sum(b, &xs[0]), fold(b, Prim::Max, Some(0.0), &xs[0])]
    });
    let kernels = |options: Options| {
        let steps = schedule(&both, &options).unwrap().steps;
        let kernels = steps.iter().filter(|step| matches!(step, Step::Kernel(_)));
        kernels.count()
    };
    assert_eq!(kernels(Options::default()), 1);
    assert_eq!(kernels(Options::default().without_horizontal_fusion()), 2);
}
