//! Large programs: kernels of bounded size, in time that grows with the program.

use super::*;
use cotangent_core::deep::with_deep_stack;
use std::time::{Duration, Instant};

/// The schedule of a program and what it took.
fn timed(p: &Program<Labelled>) -> (Schedule, Duration) {
    let start = Instant::now();
    let schedule = with_deep_stack(|| schedule(p, &Options::default()).unwrap());
    let taken = start.elapsed();
    ((*check(schedule).unwrap()).clone(), taken)
}

fn insts(steps: &[Step]) -> usize {
    let code = steps::all(steps).flat_map(Step::code);
    code.map(|body| body.len()).sum()
}

const LIMIT: Duration = Duration::from_secs(20);

#[test]
fn long_chains_of_maps() {
    let p = program(&[ArrayType::new(F64, 1)], |b, xs| {
        let mut x = xs[0].clone();
        for _ in 0..20_000 {
            x = map(b, Prim::Sin, &x);
        }
        vec![sum(b, &x)]
    });
    let (schedule, taken) = timed(&p);
    assert!(taken < LIMIT, "{taken:?}");
    assert!(insts(&schedule.steps) < 25_000);
}

#[test]
fn chains_of_slices_cost_nothing_and_end() {
    let p = program(&[ArrayType::new(F64, 1)], |b, xs| {
        let mut x = xs[0].clone();
        for _ in 0..3_000 {
            let wide = b.replicate(vec![Axis::Fixed, Axis::All], extents(&[2]), &x);
            x = b.slice(vec![Axis::Fixed, Axis::All], extents(&[1]), &wide);
        }
        vec![sum(b, &x)]
    });
    let (schedule, taken) = timed(&p);
    assert!(taken < LIMIT, "{taken:?}");
    assert!(insts(&schedule.steps) < 1_000);
}

#[test]
fn many_results_share_kernels() {
    let p = program(&[ArrayType::new(F64, 1)], |b, xs| {
        let mut results = vec![];
        let mut x = xs[0].clone();
        for _ in 0..2_000 {
            x = map(b, Prim::Sin, &x);
            results.push(x.clone());
        }
        results
    });
    let (schedule, taken) = timed(&p);
    assert!(taken < LIMIT, "{taken:?}");
    let kernels = schedule
        .steps
        .iter()
        .filter(|s| matches!(s, Step::Kernel(_)));
    assert_eq!(kernels.count(), 1);
}

#[test]
fn doubling_by_shared_arguments_is_linear() {
    let p = program(&[ArrayType::new(F64, 1)], |b, xs| {
        let mut x = xs[0].clone();
        for _ in 0..200 {
            x = zip(b, Prim::Mul, &x, &x);
        }
        vec![sum(b, &x)]
    });
    let (schedule, taken) = timed(&p);
    assert!(taken < LIMIT, "{taken:?}");
    assert!(insts(&schedule.steps) < 2_000);
}

#[test]
fn scalars_that_depend_on_each_other_through_arrays() {
    let p = program(&[ArrayType::new(I32, 0)], |b, xs| {
        let mut n = xs[0].clone();
        for _ in 0..500 {
            let mut shape = FunBuilder::new();
            let extent = shape.index(&n, &[]);
            let shape = shape.finish(vec![extent]);
            let ones = b.generate(shape, fun([I32], |_, [i]| vec![i])).remove(0);
            let add = Fun::prim(Prim::Add, &[I32; 2]);
            n = b
                .fold(add, Some(Fun::constants(&[Const::I32(0)])), &[ones])
                .remove(0);
        }
        vec![n]
    });
    let (schedule, taken) = timed(&p);
    assert!(taken < LIMIT, "{taken:?}");
    assert!(insts(&schedule.steps) < 5_000);
}

#[test]
fn deeply_nested_conditions() {
    let mut f = FunBuilder::new();
    let i = f.param(I32);
    let deep: i32 = 5_000;
    let mut conds = vec![];
    for k in 0..deep {
        let k = f.constant(k);
        conds.push(f.prim(Prim::Eq, &[i, k]));
        f.open();
    }
    let mut results = vec![f.constant(0.0)];
    for cond in conds.into_iter().rev() {
        let then_ = f.close(results);
        let else_ = f.block(|b| vec![b.constant(1.0)]);
        let op = cotangent_core::term::ExpOp::Cond { cond, then_, else_ };
        results = f.push(op, &[F64]);
    }
    let f = f.finish(results);
    let p = program(&[], |b, _| b.generate(extents(&[9]), f));
    let (_, taken) = timed(&p);
    assert!(taken < LIMIT, "{taken:?}");
    with_deep_stack(move || drop(p));
}
