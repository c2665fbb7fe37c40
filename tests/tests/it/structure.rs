//! What programs become: for each, the kernels with the operations fused into them, and the number of strips; and that the
//! CPU gives the interpreter's value.
//!
//! A kernel is written `kind operation: operations fused into it`, with a `*` after the operation if it runs chunk by
//! chunk, in a strip with its neighbours. Where the schedule is not what one would write by hand, a comment says so: the
//! table has what is there.

mod gradients;
mod reductions;
mod rows;
mod simple;
mod tasks;

use cotangent::explain::KernelNote;
use cotangent::prelude::*;
use cotangent::{Cpu, Explanation, Program, compile};
use cotangent_core::host::HostArray;
use cotangent_core::surface::AccFn;
use cotangent_tests::engines::compare;

type Scalar = Acc<Ix0, f64>;
type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;
type Cube = Acc<Ix3, f64>;

/// A kernel as the tables have it.
fn line(kernel: &KernelNote) -> String {
    let kind = format!("{:?}", kernel.kind).to_lowercase();
    let star = if kernel.chunked_over.is_some() {
        "*"
    } else {
        ""
    };
    let fused = kernel.fused[1..]
        .iter()
        .map(|operation| operation.name.as_str());
    let fused: Vec<_> = fused.collect();
    match fused.len() {
        0 => format!("{kind} {}{star}", kernel.name),
        _ => format!("{kind} {}{star}: {}", kernel.name, fused.join(" ")),
    }
}

/// Requires of an explanation that it has just these kernels and strips.
#[track_caller]
fn becomes(explanation: &Explanation, kernels: &[&str], strips: usize) {
    let found: Vec<_> = explanation.kernels.iter().map(line).collect();
    let found_strips = explanation
        .rewrites
        .get("strip-mining")
        .copied()
        .unwrap_or(0);
    assert_eq!(
        (found.iter().map(String::as_str).collect(), found_strips),
        (kernels.to_vec(), strips),
        "\n{found:#?}, {found_strips} strips in\n{explanation}"
    );
}

fn columns<A: Arrays>(host: A::Host) -> Vec<HostArray> {
    let mut columns = vec![];
    A::from_host(host, &mut columns);
    columns
}

/// Requires that both engines give the same value.
#[track_caller]
fn agrees<In: Arrays, Out: Arrays>(program: &Program<In, Out>, inputs: In::Host)
where
    In::Host: Clone,
{
    let expected = columns::<Out>(program.interpret(inputs.clone()).unwrap());
    let found = columns::<Out>(program.run(&Cpu::default(), inputs).unwrap());
    if let Some(problem) = compare(&expected, &found, 1.0) {
        panic!("{problem}");
    }
}

/// Requires of a program all that the tables say.
#[track_caller]
fn program<M, F: AccFn<M>>(f: F, inputs: <F::In as Arrays>::Host, kernels: &[&str], strips: usize)
where
    <F::In as Arrays>::Host: Clone,
{
    let program = compile(f).unwrap();
    agrees(&program, inputs);
    becomes(&program.explain().unwrap(), kernels, strips);
}

/// A vector of numbers that all differ, none of them 0.
fn vector(n: usize) -> Array<Ix1, f64> {
    Array::vector(numbers(n)).unwrap()
}

fn matrix(rows: usize, columns: usize) -> Array<Ix2, f64> {
    Array::from_vec([rows, columns], numbers(rows * columns)).unwrap()
}

fn cube(planes: usize, rows: usize, columns: usize) -> Array<Ix3, f64> {
    Array::from_vec([planes, rows, columns], numbers(planes * rows * columns)).unwrap()
}

fn numbers(n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| ((i * 37) % 101) as f64 * 0.02 - 0.97)
        .collect()
}

fn ints(values: &[i32]) -> Array<Ix1, i32> {
    Array::vector(values.to_vec()).unwrap()
}

/// Tests of programs: `name(parameters) = body; on (inputs) => [kernels], strips;`.
macro_rules! programs {
    ($($(#[$doc:meta])* $name:ident($($param:ident: $ty:ty),+) = $body:expr; on $inputs:expr
        => [$($kernel:literal),* $(,)?], $strips:literal;)*) => {$(
        $(#[$doc])*
        #[test]
        fn $name() {
            crate::structure::program(|$($param: $ty),+| $body, $inputs, &[$($kernel),*], $strips);
        }
    )*};
}
use programs;
