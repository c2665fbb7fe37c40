//! What programs mean: every operation, failure and derivative on small numbers worked out by hand.

mod collective;
mod failures;
mod forward;
mod gradients;
mod need;
mod nested;
mod partials;
mod scalars;

use crate::build::{AccBuilder, Arr, FunBuilder};
use crate::check::check;
use crate::constant::Const;
use crate::host::{Column, HostArray};
use crate::interp::run;
use crate::prim::Prim;
use crate::term::{ExpId, Fun, Labelled, Program};
use crate::types::ArrayType;
use crate::types::ScalarType::{self, F64, I32};

/// A host array.
fn host<T>(shape: &[usize], elements: &[T]) -> HostArray
where
    T: Clone,
    Column: From<Vec<T>>,
{
    HostArray::new(shape.to_vec(), elements.to_vec().into()).unwrap()
}

/// A vector of floats.
fn vector(elements: &[f64]) -> HostArray {
    host(&[elements.len()], elements)
}

/// A float of rank 0.
fn number(x: f64) -> HostArray {
    host(&[], &[x])
}

fn array_of(elem: ScalarType, rank: usize) -> ArrayType {
    ArrayType::new(elem, rank)
}

/// A scalar function of parameters of the given types.
fn fun<const N: usize>(
    types: [ScalarType; N],
    body: impl FnOnce(&mut FunBuilder, [ExpId; N]) -> Vec<ExpId>,
) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let params = types.map(|ty| b.param(ty));
    let results = body(&mut b, params);
    b.finish(results)
}

/// The extents or positions that are known.
fn extents(of: &[i32]) -> Fun<Labelled> {
    let constants: Vec<_> = of.iter().copied().map(Const::I32).collect();
    Fun::constants(&constants)
}

/// A binary primitive on floats.
fn binary(op: Prim) -> Fun<Labelled> {
    Fun::prim(op, &[F64; 2])
}

/// A program with the given parameters, which may be ill-formed.
fn program<const N: usize>(
    types: [ArrayType; N],
    body: impl FnOnce(&mut AccBuilder, [Arr; N]) -> Vec<Arr>,
) -> Program<Labelled> {
    let mut b = AccBuilder::new(0);
    let params = types.map(|ty| b.fresh(ty));
    let results = body(&mut b, params.clone());
    Program {
        params: params.to_vec(),
        uses: vec![],
        alike: Default::default(),
        body: b.finish(&results),
    }
}

/// What a program gives for inputs that it is made for.
fn outcome<const N: usize>(
    inputs: [HostArray; N],
    body: impl FnOnce(&mut AccBuilder, [Arr; N]) -> Vec<Arr>,
) -> Result<Vec<HostArray>, crate::backend::RunError> {
    let types = inputs.each_ref().map(HostArray::array_type);
    run(&program(types, body), &inputs)
}

/// The same where the program must succeed.
fn results<const N: usize>(
    inputs: [HostArray; N],
    body: impl FnOnce(&mut AccBuilder, [Arr; N]) -> Vec<Arr>,
) -> Vec<HostArray> {
    let types = inputs.each_ref().map(HostArray::array_type);
    let program = program(types, body);
    check(&program).unwrap();
    run(&program, &inputs).unwrap()
}

/// The one float in an array.
fn only(array: &HostArray) -> f64 {
    match array.column() {
        Column::F64(xs) if xs.len() == 1 => xs[0],
        other => panic!("one float, not {other:?}"),
    }
}

/// `x · x`, at hand in many tests.
fn square() -> Fun<Labelled> {
    fun([F64], |b, [x]| vec![b.prim(Prim::Mul, &[x, x])])
}

#[test]
fn inputs_must_fit_the_parameters() {
    let p = program([array_of(F64, 1)], |_, [x]| vec![x]);
    let none = run(&p, &[]).unwrap_err();
    assert_eq!(
        none.to_string(),
        "the program has 1 array parameters, 0 were given"
    );
    let wrong = run(&p, &[host(&[1], &[1])]).unwrap_err();
    let message = "array parameter 0 is of type f64[_], a i32[_] was given";
    assert_eq!(wrong.to_string(), message);
    let rank = run(&p, &[number(1.0)]).unwrap_err();
    assert!(rank.to_string().ends_with("a f64[] was given"));
    assert_eq!(run(&p, &[vector(&[1.0])]), Ok(vec![vector(&[1.0])]));
}

#[test]
fn deep_conditionals_are_no_problem() {
    let mut b = FunBuilder::new();
    let x = b.param(F64);
    let yes = b.constant(true);
    for _ in 0..50_000 {
        b.open();
    }
    let mut inner = b.prim(Prim::Neg, &[x]);
    for _ in 0..50_000 {
        let then_ = b.close(vec![inner]);
        let else_ = crate::term::ExpBlock {
            lets: vec![],
            results: vec![x],
        };
        let op = crate::term::ExpOp::Cond {
            cond: yes,
            then_,
            else_,
        };
        inner = b.push(op, &[F64])[0];
    }
    let deep = b.finish(vec![inner]);
    let result = crate::interp::eval_fun(&deep, &[], &[Const::F64(2.0)]);
    assert_eq!(result, Ok(vec![Const::F64(-2.0)]));
    crate::deep::with_deep_stack(|| drop(deep));
}

#[test]
fn a_run_is_fast_enough_for_tests() {
    let n = 100_000;
    let twenty = fun([F64], |b, [x]| {
        vec![(0..20).fold(x, |y, _| b.prim(Prim::Add, &[y, x]))]
    });
    let xs: Vec<f64> = (0..n).map(f64::from).collect();
    let start = std::time::Instant::now();
    let y = results([vector(&xs)], |b, [x]| b.map(twenty, &[x]));
    assert_eq!(y[0].column().get(3), Some(Const::F64(63.0)));
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    let sizes = I32.bytes() + std::mem::size_of::<super::value::Value>();
    assert_eq!(sizes, 4 + 16, "a value takes two words");
}

#[test]
fn columns_of_one_array_must_have_its_shape() {
    let mut p = program([array_of(F64, 1), array_of(F64, 1)], |b, xs| {
        b.map(binary(Prim::Add), &xs)
    });
    let inputs = [vector(&[1.0]), vector(&[1.0, 2.0])];
    assert_eq!(run(&p, &inputs), Ok(vec![vector(&[2.0])]));
    p.alike.params.insert(1, 0);
    assert_eq!(
        run(&p, &inputs).unwrap_err().to_string(),
        "array parameter 1 is a column of an array whose other columns have extents [1], and has [2]"
    );
}
