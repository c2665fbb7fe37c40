//! Scalar functions.

use super::{array_of, extents, fun, host, number, results, vector};
use crate::build::{AccBuilder, FunBuilder};
use crate::constant::Const;
use crate::interp::{eval_fun, run};
use crate::prim::Prim;
use crate::term::{AccOp, ArrId, Program, UseId};
use crate::types::ScalarType::{Bool, F64, I32, I64};

#[test]
fn primitives_and_constants() {
    let f = fun([I32, F64], |b, [n, x]| {
        let n = b.prim(Prim::Convert(F64), &[n]);
        let half = b.constant(0.5);
        let y = b.prim(Prim::Mul, &[half, x]);
        vec![b.prim(Prim::Sub, &[n, y]), half]
    });
    let result = eval_fun(&f, &[], &[Const::I32(7), Const::F64(3.0)]);
    assert_eq!(result, Ok(vec![Const::F64(5.5), Const::F64(0.5)]));
}

#[test]
fn select_and_comparison() {
    let f = fun([I64, I64], |b, [x, y]| {
        let less = b.prim(Prim::Lt, &[x, y]);
        vec![b.prim(Prim::Select, &[less, x, y])]
    });
    let result = eval_fun(&f, &[], &[Const::I64(9), Const::I64(-4)]);
    assert_eq!(result, Ok(vec![Const::I64(-4)]));
}

#[test]
fn only_one_branch_is_evaluated() {
    let array = super::Arr::new(ArrId(0), array_of(F64, 1));
    let f = fun([I32], |b, [i]| {
        let n = b.extent(array.name, 0);
        let inside = b.prim(Prim::Lt, &[i, n]);
        b.cond(
            inside,
            |b| vec![b.index(&array, &[i])],
            |b| vec![b.constant(-1.0)],
        )
    });
    let at = |i| eval_fun(&f, &[vector(&[10.0, 20.0])], &[Const::I32(i)]);
    assert_eq!(at(1), Ok(vec![Const::F64(20.0)]));
    assert_eq!(at(2), Ok(vec![Const::F64(-1.0)]));
}

#[test]
fn captured_arrays_are_indexed_and_measured() {
    let matrix = host(&[2, 3], &[1, 2, 3, 4, 5, 6]);
    let result = results([matrix], |b, [m]| {
        let swapped = fun([I32, I32], |b, [i, j]| {
            let x = b.index(&m, &[j, i]);
            let shape = b.shape(&m);
            let size = b.prim(Prim::Mul, &shape);
            vec![b.prim(Prim::Add, &[x, size])]
        });
        b.generate(extents(&[3, 2]), swapped)
    });
    assert_eq!(result, [host(&[3, 2], &[7, 10, 8, 11, 9, 12])]);
}

#[test]
fn host_arrays_are_implicit_inputs() {
    let mut b = AccBuilder::new(0);
    let y = b.push(AccOp::Use(UseId(1)), &[array_of(Bool, 1)]);
    let uses = vec![number(1.0), host(&[2], &[true, false])];
    let program = Program {
        params: vec![],
        uses,
        alike: Default::default(),
        body: b.finish(&y),
    };
    assert_eq!(run(&program, &[]), Ok(vec![host(&[2], &[true, false])]));
}

#[test]
fn ill_formed_functions_are_told_from_failures() {
    let mut b = FunBuilder::new();
    let unbound = b.fresh(F64).name;
    let unbound = b.finish(vec![unbound]);
    let message = |f, args: &[Const]| eval_fun(f, &[], args).unwrap_err().to_string();
    assert!(message(&unbound, &[]).contains("scalar variable x0 is not bound"));
    let ill_typed = fun([F64], |b, [x]| vec![b.prim(Prim::And, &[x, x])]);
    assert!(message(&ill_typed, &[Const::F64(0.0)]).contains("`and`"));
    assert!(message(&ill_typed, &[]).contains("0 values for 1 variables"));
}
