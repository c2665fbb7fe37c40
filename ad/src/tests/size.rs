//! Derived code stays small and is made in time that hardly grows faster than the program.

use super::{Vector, build, program};
use crate::differentiate;
use cotangent_core::build::FunBuilder;
use cotangent_core::deep::with_deep_stack;
use cotangent_core::host::HostArray;
use cotangent_core::prim::Prim;
use cotangent_core::surface::prelude::*;
use cotangent_core::term::{ExpOp, Fun, Mode};
use cotangent_core::types::{ArrayType, ScalarType::F64};
use std::time::Instant;

#[test]
fn long_functions() {
    let start = Instant::now();
    let f = |x: Vector| {
        let long = |x: Exp<f64>| (0..5_000).fold(x, |y, _| y.sin() * x);
        x.map(long).sum()
    };
    let derived = differentiate(program(|x: Vector| gradient_a(f, x))).unwrap();
    assert!(derived.body.lets.len() < 10);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn many_indexings() {
    let start = Instant::now();
    let f = |x: Vector| {
        let many = |i: Exp<i32>| (1..200).fold(x.at(ix![i]), |y, k| y * x.at(ix![(i + k) % 200]));
        generate(ix![200], |Snoc(Z, i): Ix1| many(i)).sum()
    };
    differentiate(program(|x: Vector| gradient_a(f, x))).unwrap();
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn deep_conditionals() {
    const DEPTH: usize = 300;
    let start = Instant::now();
    let mut b = FunBuilder::new();
    let x = b.param(F64);
    let zero = b.constant(0.0);
    let positive = b.prim(Prim::Gt, &[x, zero]);
    let mut inner = x;
    for _ in 0..DEPTH {
        b.open();
        inner = b.prim(Prim::Sin, &[inner]);
    }
    for _ in 0..DEPTH {
        let then_ = b.close(vec![inner]);
        let else_ = b.block(|_| vec![x]);
        let op = ExpOp::Cond {
            cond: positive,
            then_,
            else_,
        };
        inner = b.push(op, &[F64])[0];
    }
    let f = b.finish(vec![inner]);
    let ty = ArrayType::new(F64, 1);
    let deep = build(&[ty], |b, params| {
        let inner = b.fresh(ty);
        b.open();
        let y = b.map(f, std::slice::from_ref(&inner));
        let sum = b.fold(Fun::prim(Prim::Add, &[F64, F64]), None, &y);
        let body = b.close(&sum);
        let op = cotangent_core::term::AccOp::Derivative {
            mode: Mode::Gradient { with_value: false },
            params: vec![inner],
            body,
            args: vec![params[0].name],
        };
        b.push(op, &[ty])
    });
    let point: [HostArray; 1] = [super::vector(&[0.5, -0.5])];
    let derived = differentiate(deep).unwrap();
    let dx = cotangent_core::interp::run(&derived, &point).unwrap();
    assert_eq!(super::floats(&dx[0])[1], 1.0);
    with_deep_stack(|| drop(derived));
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
