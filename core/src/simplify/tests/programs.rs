//! Whole programs: samples of the whole language, and large ones in linear time.

use super::{same_values, simplify, well_formed};
use crate::build::{AccBuilder, FunBuilder};
use crate::check::check;
use crate::constant::Const;
use crate::deep::with_deep_stack;
use crate::label::samples;
use crate::prim::Prim;
use crate::simplify::RuleCounts;
use crate::term::{Fun, Program};
use crate::types::{ArrayType, ScalarType};
use std::time::{Duration, Instant};

/// Far above what a linear pass takes, far below what a quadratic one would.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn samples_keep_their_values() {
    let programs = samples::all();
    let succeeding = programs.iter().filter(|program| {
        let (after, _) = well_formed(program);
        same_values(program, &after)
    });
    assert!(succeeding.count() >= 3);
}

#[test]
fn long_functions_take_linear_time() {
    let mut b = FunBuilder::new();
    let x = b.param(ScalarType::F64);
    let mut y = x;
    for i in 0..10_000 {
        let c = b.constant(f64::from(i % 7));
        let product = b.prim(Prim::Mul, &[y, c]);
        let sine = b.prim(Prim::Sin, &[x]);
        y = b.prim(Prim::Add, &[product, sine]);
    }
    let f = b.finish(vec![y]);
    let start = Instant::now();
    let mut counts = RuleCounts::default();
    let after = super::simplify_fun(f, &mut counts);
    assert!(start.elapsed() < PATIENCE);
    assert_eq!(counts.get("cse"), 9_999);
    assert!(after.body.lets.len() < 30_000);
}

#[test]
fn long_programs_take_linear_time() {
    let mut b = AccBuilder::new(0);
    let x = b.fresh(ArrayType::new(ScalarType::F64, 1));
    let mut y = x.clone();
    for i in 0..10_000 {
        let op = if i % 2 == 0 { Prim::Sin } else { Prim::Exp };
        y = b.map(Fun::prim(op, &[ScalarType::F64]), &[y]).remove(0);
        let zeros = b.fill_like(&y, Const::F64(0.0));
        let add = Fun::prim(Prim::Add, &[ScalarType::F64; 2]);
        y = b.map(add, &[y, zeros]).remove(0);
    }
    let body = b.finish(&[y]);
    let start = Instant::now();
    let (after, counts) = simplify(Program {
        params: vec![x],
        uses: vec![],
        alike: Default::default(),
        body,
    });
    assert!(start.elapsed() < PATIENCE);
    check(&after).unwrap();
    assert_eq!(
        (after.body.lets.len(), counts.get("add_zero")),
        (10_000, 10_000)
    );
}

#[test]
fn deep_conditionals_take_linear_time() {
    with_deep_stack(|| {
        let start = Instant::now();
        let (after, _) = simplify(samples::deep(100_000));
        check(&after).unwrap();
        assert!(start.elapsed() < PATIENCE);
    });
}

#[test]
fn counts_are_shown_by_rule() {
    let mut counts = RuleCounts::default();
    counts.fire("mul_one");
    counts.fire("cse");
    counts.fire("cse");
    let mut twice = counts.clone();
    twice.merge(&counts);
    assert_eq!(twice.to_string(), "cse     4\nmul_one 2\n");
    assert_eq!(
        (twice.total(), twice.get("cse"), twice.get("dce")),
        (6, 4, 0)
    );
}
