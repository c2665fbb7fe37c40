//! Sums of many numbers of few digits, against sums in `f64`: however they are written, in every engine.
//!
//! The first number of each sum is so large that each of the others is lost if it is added to that by itself, and
//! all of them together are not: an engine that adds one by one in the type of the numbers is off by hundreds of
//! units in the last place. (What GPUs add is tested with them.)

/// Tests for both types: `name = program; |n| (inputs, expected);`, in which the type is `T`; with `within` after the
/// name, `f32` may be off by so many units in the last place.
macro_rules! both {
    ($($(#[$doc:meta])* $name:ident $(within $factor:literal)? = $program:expr; $case:expr;)*) => {$(
        $(#[$doc])*
        mod $name {
            both!(@one of_f32, f32, 1.0 $(* $factor)?, $program, $case);
            both!(@one of_f16, cotangent::f16, 1.0, $program, $case);
        }
    )*};
    (@one $test:ident, $ty:ty, $factor:expr, $program:expr, $case:expr) => {
        #[test]
        fn $test() {
            #[allow(unused_imports, reason = "not every program needs all")]
            use crate::accuracy::*;
            type T = $ty;
            #[allow(dead_code, reason = "not every program has numbers")]
            type Number = Acc<Z, T>;
            #[allow(dead_code, reason = "not every program has vectors")]
            type Vector = Acc<Ix1, T>;
            #[allow(dead_code, reason = "not every program has matrices")]
            type Matrix = Acc<Ix2, T>;
            gives::<T, _, _>($factor, $program, $case);
        }
    };
}

mod gradients;
mod sums;

use cotangent::prelude::*;
use cotangent::{Backend, Cpu, compile, f16};
use cotangent_backend_cpu::Isa;
use cotangent_core::constant::Const;
use cotangent_core::host::HostArray;
use cotangent_core::integer_const;
use cotangent_core::label::label;
use cotangent_core::recover::recover;
use cotangent_core::rounding::f16_of_f64;
use cotangent_core::surface::AccFn;
use cotangent_tests::engines::{Stages, all};
use cotangent_tests::generate::Case;

/// The numbers that slow engines add up, and those that the CPU does.
const FEW: usize = 4096;
const MANY: usize = 1 << 20;

/// A type whose sums are wider than itself.
trait Narrow: Elt {
    /// The first number of a sum.
    const LARGE: f64;
    /// How far off a sum may be, relatively: a unit in the last place.
    const EPSILON: f64;
    /// The nearest number.
    fn of(x: f64) -> Self;
}

impl Narrow for f32 {
    const LARGE: f64 = 16_777_216.0;
    const EPSILON: f64 = Self::EPSILON as f64;

    fn of(x: f64) -> Self {
        x as Self
    }
}

impl Narrow for f16 {
    const LARGE: f64 = 4096.0;
    const EPSILON: f64 = 1.0 / 1024.0;

    fn of(x: f64) -> Self {
        f16_of_f64(x)
    }
}

/// Each of n numbers but the first, a power of 2: together about 500.
fn small(n: usize) -> f64 {
    (512.0 / n as f64).log2().round().exp2()
}

/// The number at a position of a sum of n.
fn term<T: Narrow>(position: usize, n: usize) -> T {
    T::of(if position == 0 { T::LARGE } else { small(n) })
}

/// What n numbers add up to.
fn total<T: Narrow>(n: usize) -> f64 {
    T::LARGE + small(n) * (n - 1) as f64
}

fn vector<T: Narrow>(n: usize) -> Array<Ix1, T> {
    Array::vector((0..n).map(|i| term(i, n)).collect()).unwrap()
}

/// The partial sums of a [`vector`].
fn prefixes<T: Narrow>(n: usize) -> Vec<f64> {
    (0..n).map(|i| T::LARGE + small(n) * i as f64).collect()
}

fn ones<T: Narrow>(n: usize) -> Array<Ix1, T> {
    Array::vector(vec![T::of(1.0); n]).unwrap()
}

fn scalar<T: Narrow>(x: f64) -> Array<Z, T> {
    Array::from_vec([], vec![T::of(x)]).unwrap()
}

/// Rows of n numbers.
fn rows<T: Narrow>(count: usize, n: usize) -> Array<Ix2, T> {
    let values = (0..count * n).map(|i| term(i % n, n));
    Array::from_vec([count, n], values.collect()).unwrap()
}

/// Columns of n numbers.
fn columns<T: Narrow>(n: usize, count: usize) -> Array<Ix2, T> {
    let values = (0..count * n).map(|i| term(i / count, n));
    Array::from_vec([n, count], values.collect()).unwrap()
}

fn hosts<A: Arrays>(host: A::Host) -> Vec<HostArray> {
    let mut columns = vec![];
    A::from_host(host, &mut columns);
    columns
}

fn number(x: Const) -> f64 {
    match x {
        Const::F16(x) => x.to_f64(),
        Const::F32(x) => x.into(),
        Const::F64(x) => x,
        Const::Bool(_) | integer_const!() => f64::NAN,
    }
}

#[track_caller]
fn close(engine: &str, found: &[HostArray], expected: &[Vec<f64>], epsilon: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let column = found.column();
        assert_eq!(column.len(), expected.len());
        for (i, &expected) in expected.iter().enumerate() {
            let found = number(column.get(i).unwrap());
            let is_close = (found - expected).abs() <= epsilon * expected.abs();
            assert!(is_close, "{engine}: {found}, not {expected}, at {i}");
        }
    }
}

/// Requires that every engine gives what is expected of a few numbers, and the CPU of many, on each instruction set and
/// on several threads; up to so many times the unit in the last place.
#[track_caller]
fn gives<T: Narrow, M, F: AccFn<M> + Copy>(
    factor: f64,
    f: F,
    case: impl Fn(usize) -> (<F::In as Arrays>::Host, Vec<Vec<f64>>),
) where
    <F::In as Arrays>::Host: Clone,
{
    let epsilon = factor * T::EPSILON;
    let traced = trace(f).unwrap();
    let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
    let (inputs, expected) = case(FEW);
    let inputs = hosts::<F::In>(inputs);
    let stages = Stages::new(&Case {
        program: program.clone(),
        inputs: inputs.clone(),
    });
    let by_reference = cotangent_core::interp::run(&program, &inputs).unwrap();
    close("interpreter", &by_reference, &expected, epsilon);
    for engine in all() {
        let found = engine
            .run(&stages)
            .unwrap_or_else(|_| panic!("{}", engine.name));
        close(&engine.name, &found.unwrap(), &expected, epsilon);
    }
    let program = compile(f).unwrap();
    let (inputs, expected) = case(MANY);
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        let threads = if isa == Isa::detect() { 3 } else { 1 };
        let cpu = Cpu::builder().isa(isa).threads(threads).build().unwrap();
        let found = hosts::<F::Out>(program.run(&cpu, inputs.clone()).unwrap());
        close(&cpu.name(), &found, &expected, epsilon);
    }
}
