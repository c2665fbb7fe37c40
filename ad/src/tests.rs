//! Every rule against two other roads to the same numbers: the interpreter, which evaluates gradients by
//! dual numbers, and differences where the function is smooth. Every result passes the checker.

mod algebra;
mod aloops;
mod arrays;
mod checkpoints;
mod conditionals;
mod coupled;
mod custom;
mod entries;
mod folds;
mod forward;
mod golden;
mod guards;
mod layout;
mod loops;
mod nested;
mod permutes;
mod primitives;
mod products;
mod scalars;
mod scans;
mod size;
mod structure;
mod updates;

use crate::differentiate;
use cotangent_core::build::{AccBuilder, Arr};
use cotangent_core::check::{check, check_after};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::integer_type;
use cotangent_core::interp::{finite_differences, run};
use cotangent_core::label::label;
use cotangent_core::prim::Prim;
use cotangent_core::print::Printer;
use cotangent_core::recover::recover;
use cotangent_core::simplify::simplify;
use cotangent_core::surface::AccFn;
use cotangent_core::surface::prelude::*;
use cotangent_core::term::{AccBlock, AccOp, Labelled, Program};
use cotangent_core::types::{ArrayType, ScalarType};

/// How far derivatives may be off, relative to the larger of 1 and the number.
const EXACT: f64 = 1e-10;
/// The same for `f16`, where derivatives by two roads are rounded by 2⁻¹¹ several times.
const EXACT_F16: f64 = 2e-2;
/// The same for `f32`.
const EXACT_F32: f64 = 1e-4;
/// The same for differences.
const ROUGH: f64 = 1e-5;
/// The step of differences.
const STEP: f64 = 1e-5;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;
type Number = Acc<Z, f64>;

fn host<T: Clone>(shape: &[usize], elements: &[T]) -> HostArray
where
    Column: From<Vec<T>>,
{
    HostArray::new(shape.to_vec(), elements.to_vec().into()).unwrap()
}

fn vector(elements: &[f64]) -> HostArray {
    host(&[elements.len()], elements)
}

/// Some array with elements that are neither equal nor regular, between −1 and 2.
fn some(shape: &[usize], seed: u32) -> HostArray {
    let n: usize = shape.iter().product();
    let element = |i: usize| {
        let x = (i as f64 + 1.0) * 0.754_877 + f64::from(seed) * 0.569_840;
        3.0 * x.fract() - 1.0
    };
    host(shape, &(0..n).map(element).collect::<Vec<_>>())
}

/// The program that a closure makes.
fn program<F: AccFn<M>, M>(f: F) -> Program<Labelled> {
    let traced = trace(f).unwrap();
    let program = recover(&traced.graph, &traced.lambda).unwrap();
    label(&program)
}

/// A program from a builder.
fn build(
    types: &[ArrayType],
    body: impl FnOnce(&mut AccBuilder, &[Arr]) -> Vec<Arr>,
) -> Program<Labelled> {
    let mut b = AccBuilder::new(0);
    let params: Vec<_> = types.iter().map(|&ty| b.fresh(ty)).collect();
    let results = body(&mut b, &params);
    Program {
        params,
        uses: vec![],
        alike: Default::default(),
        body: b.finish(&results),
    }
}

/// The derived program, checked.
fn derive(program: &Program<Labelled>) -> Program<Labelled> {
    check(program).unwrap();
    let derived = differentiate(program.clone()).unwrap();
    check_after("ad", &derived).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(gradients(&derived.body), 0);
    derived
}

fn gradients(block: &AccBlock<Labelled>) -> usize {
    let gradient = |op: &AccOp<Labelled>| matches!(op, AccOp::Derivative { .. });
    block.all_lets().filter(|l| gradient(&l.op)).count()
}

/// Checks that a program with gradients and its derived program give the same, also between
/// simplifications; gives the results.
fn agree(program: &Program<Labelled>, inputs: &[HostArray]) -> Vec<HostArray> {
    let expected = run(program, inputs).unwrap();
    let derived = derive(program);
    same(&derived, &run(&derived, inputs).unwrap(), &expected);
    let (simple, _) = simplify(derive(&simplify(program.clone()).0));
    check_after("simplify", &simple).unwrap_or_else(|e| panic!("{e}"));
    same(&simple, &run(&simple, inputs).unwrap(), &expected);
    expected
}

fn same(program: &Program<Labelled>, actual: &[HostArray], expected: &[HostArray]) {
    assert_eq!(actual.len(), expected.len());
    for (actual, expected) in actual.iter().zip(expected) {
        let exact = match expected.column().scalar_type() {
            ScalarType::F16 => EXACT_F16,
            ScalarType::F32 => EXACT_F32,
            ScalarType::Bool | integer_type!() | ScalarType::F64 => EXACT,
        };
        assert!(
            close(actual, expected, exact),
            "{actual:?}\nis not\n{expected:?}\nin\n{}",
            Printer::default().program(program)
        );
    }
}

fn close(actual: &HostArray, expected: &HostArray, tolerance: f64) -> bool {
    let near = |(x, y): (f64, f64)| {
        let size = x.abs().max(y.abs()).max(1.0);
        let same = x == y || (x.is_nan() && y.is_nan());
        same || size.is_finite() && (x - y).abs() <= tolerance * size
    };
    actual.array_type() == expected.array_type()
        && actual.shape() == expected.shape()
        && floats(actual).into_iter().zip(floats(expected)).all(near)
}

/// The elements as `f64`.
fn floats(array: &HostArray) -> Vec<f64> {
    let column = array.column();
    let as_f64 = |x: Const| Prim::Convert(ScalarType::F64).eval(&[x])?.as_f64();
    let float = |i| column.get(i).and_then(as_f64).unwrap_or(f64::NAN);
    (0..column.len()).map(float).collect()
}

/// Checks value and gradient of `f`, and gives them.
fn gradient<X: Arrays>(f: impl Fn(X) -> Number + Copy, inputs: &[HostArray]) -> Vec<HostArray> {
    let both = program(|x: X| value_and_gradient_a(f, x));
    agree(&both, inputs)
}

/// The same for a function that is smooth at `inputs`: also against differences.
fn smooth<X: Arrays>(f: impl Fn(X) -> Number + Copy, inputs: &[HostArray]) -> Vec<HostArray> {
    let results = gradient(f, inputs);
    let alone = program(|x: X| f(x));
    for (k, by_ad) in results[1..].iter().enumerate() {
        let by_differences = finite_differences(&alone, inputs, k, STEP).unwrap();
        let near = close(by_ad, &by_differences, ROUGH);
        assert!(near, "{by_ad:?}\nis not\n{by_differences:?}");
    }
    results
}

/// The sum of squares of all elements: makes their adjoints differ.
fn energy<Sh: Shape>(x: Acc<Sh, f64>) -> Number {
    x.map(|x| x * x * 0.5 + x).sum_all()
}
