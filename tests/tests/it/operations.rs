//! One test for each public operation of the surface, named after it: a small program, through the facade,
//! in the interpreter and on the CPU, against values worked out by hand.

mod arrays;
mod axes;
mod bits;
mod borders;
mod complete;
mod complex;
mod composed;
mod conjugate;
mod decompositions;
mod determinants;
mod einsum;
mod entries;
mod errors;
mod flagged;
mod in_place;
mod integers;
mod integral;
mod layout;
mod linear;
mod logic;
mod loops;
mod nested_entries;
mod numbers;
mod operators;
mod parts;
mod random;
mod ranges;
mod rearrange;
mod reduce;
mod remainders;
mod scores;
mod segments;
mod selection;
mod small;
mod solving;
mod sorting;
mod special;
mod statistics;
mod stencils;
mod trees;
mod updates;
mod variants;

use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use cotangent_backend_gpu::Gpu;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::label::label;
use cotangent_core::recover::recover;
use cotangent_core::surface::AccFn;
use cotangent_tests::engines::{all, compare, disagreement, gpu};
use cotangent_tests::generate::Case;
use cotangent_tests::skip::skipped;

/// The host arrays that `A` stands for.
pub(crate) type HostOf<A> = <A as Arrays>::Host;

/// Asserts what a program gives, in every engine.
#[track_caller]
pub(crate) fn gives<M, F: AccFn<M>>(f: F, input: HostOf<F::In>, expected: HostOf<F::Out>)
where
    HostOf<F::In>: Clone,
{
    let program = compile(f).unwrap();
    let expected = columns::<F::Out>(expected);
    let by_reference = program.interpret(input.clone()).unwrap();
    let by_cpu = program.run(&Cpu::default(), input).unwrap();
    for (engine, found) in [("interpreter", by_reference), ("CPU", by_cpu)] {
        let found = columns::<F::Out>(found);
        if let Some(problem) = compare(&expected, &found, 0.0) {
            panic!("{engine}: {problem}\nfound {found:?}\nexpected {expected:?}");
        }
    }
}

/// Asserts that every engine gives what the interpreter gives for vectors.
#[track_caller]
pub(crate) fn agrees<M, F: AccFn<M>>(f: F, vectors: Vec<Column>) {
    let traced = trace(f).unwrap();
    let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
    let mut engines = all();
    match Gpu::open(None) {
        Ok(device) => engines.push(gpu(device)),
        Err(error) => skipped(&error),
    }
    let inputs = vectors.into_iter();
    let inputs = inputs.map(|v| HostArray::new(vec![v.len()], v).unwrap());
    let inputs = inputs.collect();
    if let Err(found) = disagreement(&Case { program, inputs }, &engines) {
        panic!("{:?}", found.fault);
    }
}

/// Asserts what a function gives for elements.
#[track_caller]
fn maps<T: Elt, R: IntoExp>(
    f: impl FnOnce(E<T>) -> R,
    input: impl Into<Vec<T>>,
    expected: impl Into<Vec<R::Elt>>,
) {
    gives(|v: Acc<Ix1, T>| v.map(f), vector(input), vector(expected));
}

fn columns<A: Arrays>(host: A::Host) -> Vec<HostArray> {
    let mut columns = vec![];
    A::from_host(host, &mut columns);
    columns
}

pub(crate) fn vector<T: Elt>(values: impl Into<Vec<T>>) -> Array<Ix1, T> {
    Array::vector(values.into()).unwrap()
}

pub(crate) fn matrix<T: Elt, const R: usize, const C: usize>(rows: [[T; C]; R]) -> Array<Ix2, T> {
    Array::from_vec([R, C], rows.into_iter().flatten().collect()).unwrap()
}

/// Tests of scalar operations: `name(parameter: type) { body } [inputs] => [results];`. Each is a module, for
/// a function would hide the operation.
macro_rules! scalars {
    ($($name:ident($param:tt: $ty:ty) $body:block $input:expr => $expected:expr;)*) => {$(
        mod $name {
            #[allow(unused_imports, reason = "not every body needs all")]
            use super::*;

            #[test]
            fn gives() {
                crate::operations::maps::<$ty, _>(|$param| $body, $input, $expected);
            }
        }
    )*};
}
use scalars;
