//! Each program on the inputs of the file, in the interpreter and on the CPU.

use crate::golden::{Golden, Leaf, Leaves, golden, names};
use cotangent::prelude::*;
use cotangent::{AccFn, Cpu, compile};
/// Relative to the greatest number that is compared, or to 1.
const TOLERANCE: f64 = 1e-10;

/// The host arrays that `A` stands for.
type HostOf<A> = <A as Arrays>::Host;

#[track_caller]
fn near(found: &[Leaf], expected: &[Leaf]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.shape, expected.shape);
        let size = expected
            .values
            .iter()
            .fold(1.0, |size: f64, x| size.max(x.abs()));
        let pairs = found.values.iter().zip(&expected.values);
        let agree = |(f, e): (&f64, &f64)| (f - e).abs() <= TOLERANCE * size;
        assert!(!expected.values.is_empty());
        assert!(
            pairs.clone().all(agree),
            "{found:?} instead of {expected:?}"
        );
    }
}

/// That a program gives what JAX gave, in both engines.
#[track_caller]
fn agrees<M, F: AccFn<M>>(name: &str, f: F, inputs: impl Fn(&[Leaf]) -> HostOf<F::In>)
where
    HostOf<F::Out>: Leaves,
{
    let (program, golden): (_, Golden) = (compile(f).unwrap(), golden(name));
    let of_interpreter = program.interpret(inputs(&golden.inputs)).unwrap();
    near(&of_interpreter.leaves(), &golden.outputs);
    let of_cpu = program
        .run(&Cpu::default(), inputs(&golden.inputs))
        .unwrap();
    near(&of_cpu.leaves(), &golden.outputs);
}

/// Calls a macro with each program: its name and function, and its inputs, made of those of the file.
macro_rules! of_all {
    ($macro:ident) => {
        $macro! {
            linear_regression: fit => |i| (i[0].vector(), i[1].matrix(), i[2].vector());
            logistic_regression: fit => |i| (i[0].vector(), i[1].matrix(), i[2].vector());
            softmax_regression: fit => |i| (i[0].matrix(), i[1].matrix(), i[2].integer_vector());
            mlp: train => |i| {
                let layers = (i[0].matrix(), i[1].vector(), i[2].matrix(), i[3].vector());
                (layers, i[4].matrix(), i[5].matrix())
            };
            k_means: cluster => |i| (i[0].matrix(), i[1].matrix());
            heat: heat => |i| i[0].matrix();
            n_body: simulate => |i| (i[0].vector(), i[1].matrix(), i[2].matrix());
            sparse_product: product => |i| {
                (i[0].integer_vector(), i[1].integer_vector(), i[2].vector(), i[3].vector())
            };
            histogram: equalize => |i| i[0].integer_matrix();
            mandelbrot: mandelbrot => |i| i[0].complex_matrix();
            hessian_vector_product: product => |i| (i[0].vector(), i[1].vector());
            struct_of_parameters: |model: Model, x: super::Matrix, y: super::Vector| {
                let Model { weights, bias } = fit(model, x, y);
                (weights, bias)
            } => |i| {
                let (weights, bias) = (i[0].vector(), i[1].number());
                (ModelHost { weights, bias }, i[2].matrix(), i[3].vector())
            };
            prefix_sums: table => |i| i[0].matrix();
            top_k: predict => |i| (i[0].matrix(), i[1].vector(), i[2].matrix());
            newton: minimum => |i| (i[0].matrix(), i[1].vector(), i[2].vector());
        }
    };
}

macro_rules! tests {
    ($($name:ident: $function:expr => |$i:ident| $inputs:expr;)*) => {$(
        mod $name {
            use cotangent_examples::fifteen::$name::*;

            #[test]
            fn agrees() {
                super::agrees(stringify!($name), $function, |$i| $inputs);
            }
        }
    )*};
}

of_all!(tests);

macro_rules! names_of {
    ($($name:ident: $function:expr => |$i:ident| $inputs:expr;)*) => {
        [$(stringify!($name)),*]
    };
}

/// The names of the programs that are compared.
pub const NAMES: [&str; 15] = of_all!(names_of);

/// No program of the file is forgotten.
#[test]
fn all_programs_are_compared() {
    let mut compared = NAMES.map(str::to_owned).to_vec();
    compared.sort();
    assert_eq!(compared, names());
}
