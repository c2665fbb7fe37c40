//! Every reason for an array to be in memory is noted where it applies, of the array that it applies to.

use super::*;
use crate::cost;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::term::AccOp;
use std::collections::BTreeSet;

/// The reasons noted, in the order of the arrays; all arrays that kernels write or conditionals define have one.
fn kept(
    types: &[ArrayType],
    options: Options,
    body: impl FnOnce(&mut AccBuilder, &[Arr]) -> Vec<Arr>,
) -> Vec<Kept> {
    let program = program(types, body);
    let options = options.without_strips();
    let (schedule, report) = schedule_with_report(&program, &options).unwrap();
    for array in written(&schedule.steps) {
        assert!(report.kept.contains_key(&array), "{array}\n{schedule}");
    }
    let last = report.kept.keys().last();
    assert!(last.is_none_or(|a| a.index() < schedule.arrays.len()));
    report.kept.into_values().collect()
}

fn written(steps: &[Step]) -> BTreeSet<cotangent_core::schedule::ArrayId> {
    steps::all(steps).flat_map(Step::writes).collect()
}

const VECTOR: [ArrayType; 1] = [ArrayType { elem: F64, rank: 1 }];

fn fused(body: impl FnOnce(&mut AccBuilder, &[Arr]) -> Vec<Arr>) -> Vec<Kept> {
    kept(&VECTOR, Options::default(), body)
}

#[test]
fn what_is_complete_at_the_end_only() {
    let found = fused(|b, xs| {
        let scanned = b.scan(Direction::Left, binary(Prim::Add), None, &xs[..1]);
        let same = fun([I32], |b, [i]| vec![b.constant(true), i]);
        let zeros = b.fill_like(&xs[0], Const::F64(0.0));
        let sent = b.permute(Combine::Add, &[zeros], same, &scanned).remove(0);
        vec![sum(b, &sent)]
    });
    assert_eq!(found, [Kept::Scan, Kept::Permute, Kept::Fold]);
}

#[test]
fn results_and_what_several_read() {
    let found = fused(|b, xs| {
        let expensive = map(b, Prim::Exp, &xs[0]);
        let (total, largest) = (sum(b, &expensive), map(b, Prim::Neg, &expensive));
        let again = map(b, Prim::Sin, &largest);
        vec![total, again]
    });
    let read = Kept::ReadBySeveral {
        readers: 2,
        cost: 24,
        limit: cost::CHEAP,
    };
    assert_eq!(found, [read, Kept::Fold, Kept::Result]);
}

#[test]
fn what_is_read_again_and_again() {
    let found = fused(|b, xs| {
        let expensive = map(b, Prim::Exp, &xs[0]);
        let wide = b.replicate(vec![Axis::Fixed, Axis::All], extents(&[3]), &expensive);
        vec![sum(b, &wide)]
    });
    let read = Kept::ReadRepeatedly {
        cost: 24,
        limit: cost::CHEAP,
    };
    // One sum, and its copies.
    assert_eq!(found, [read, Kept::Fold, Kept::Fold]);
}

#[test]
fn what_shares_work_with_a_result() {
    let found = fused(|b, xs| {
        let both = fun([F64], |b, [x]| {
            let e = b.prim(Prim::Exp, &[x]);
            vec![e, b.prim(Prim::Neg, &[e])]
        });
        let both = b.map(both, &xs[..1]);
        vec![both[0].clone(), sum(b, &both[1])]
    });
    assert_eq!(found, [Kept::Result, Kept::SharesWork, Kept::Fold]);
}

/// Two results of `exp x`, each summed up by itself, or by one fold.
fn two_of_an_expensive_one(apart: bool) -> Vec<Kept> {
    fused(|b, xs| {
        let expensive = map(b, Prim::Exp, &xs[0]);
        let both = fun([F64], |b, [e]| {
            vec![b.prim(Prim::Neg, &[e]), b.prim(Prim::Add, &[e, e])]
        });
        let both = b.map(both, &[expensive]);
        match apart {
            true => vec![sum(b, &both[0]), sum(b, &both[1])],
            false => {
                let product = fun([F64, F64], |b, [x, y]| vec![b.prim(Prim::Mul, &[x, y])]);
                let product = b.map(product, &both).remove(0);
                vec![sum(b, &product)]
            }
        }
    })
}

#[test]
fn what_several_results_are_made_of() {
    let [one, apart] = [false, true].map(two_of_an_expensive_one);
    assert_eq!(apart, [Kept::ReadForSeveral, Kept::Fold, Kept::Fold]);
    assert_eq!(one, [Kept::Fold]);
}

#[test]
fn reshapes_and_columns() {
    let found = fused(|b, xs| {
        let columns = [Prim::Exp, Prim::Sin].map(|op| map(b, op, &xs[0]));
        vec![b.unpack(&columns)]
    });
    assert_eq!(found, [Kept::Interleaved; 3]);
    let matrix = [ArrayType::new(F64, 2)];
    let found = kept(&matrix, Options::default(), |b, xs| {
        let expensive = map(b, Prim::Exp, &xs[0]);
        vec![b.reshape(extents(&[6]), &expensive)]
    });
    assert_eq!(found, [Kept::Reshaped]);
}

#[test]
fn conditionals_and_their_branches() {
    let found = fused(|b, xs| {
        let cond = fun([], |b, []| {
            let (n, one) = (b.extent(xs[0].name, 0), b.constant(1));
            vec![b.prim(Prim::Gt, &[n, one])]
        });
        let branch = |b: &mut AccBuilder, op| {
            b.open();
            let x = map(b, op, &xs[0]);
            b.close(&[x])
        };
        let (then_, else_) = (branch(b, Prim::Exp), branch(b, Prim::Sin));
        let chosen = AccOp::Cond { cond, then_, else_ };
        let chosen = b.push(chosen, &VECTOR).remove(0);
        vec![sum(b, &chosen)]
    });
    assert_eq!(
        found,
        [Kept::Branch, Kept::Branch, Kept::Conditional, Kept::Fold]
    );
}

#[test]
fn limits_and_options() {
    let deep = fused(|b, xs| {
        let mut x = xs[0].clone();
        for _ in 0..cost::MAX_DEPTH + 1 {
            x = map(b, Prim::Neg, &x);
        }
        vec![sum(b, &x)]
    });
    let limit = cost::MAX_DEPTH;
    assert_eq!(deep, [Kept::NestedTooDeep { limit }, Kept::Fold]);
    let long = fused(|b, xs| {
        let body = fun([F64], |b, [x]| {
            let terms = (0..=cost::MAX_INLINED / 20).map(|_| b.prim(Prim::Exp, &[x]));
            let terms: Vec<_> = terms.collect();
            let add = |sum, term| b.prim(Prim::Add, &[sum, term]);
            vec![terms.into_iter().reduce(add).unwrap()]
        });
        let long = b.map(body, &xs[..1]).remove(0);
        vec![sum(b, &long)]
    });
    assert!(
        matches!(long[..], [Kept::TooLong { .. }, Kept::Fold]),
        "{long:?}"
    );
    let unfused = kept(&VECTOR, Options::unfused(), |b, xs| {
        let x = map(b, Prim::Neg, &xs[0]);
        vec![sum(b, &x)]
    });
    assert_eq!(unfused, [Kept::NotFused, Kept::Fold]);
}
