//! Sums of 100,000 elements in `f32` and `f16` are those in `f64`, but for the rounding of each element and of a tree of
//! sums: adding one element after the other loses a hundred times as much, and `f16` stays where it cannot count on.

use cotangent::Cpu;
use cotangent_core::backend::Backend;
use cotangent_core::host::HostArray;
use cotangent_core::types::ScalarType::{self, F16, F32};
use cotangent_tests::differences::{floats, in_double};
use cotangent_tests::engines::Stages;
use cotangent_tests::generate::{Case, large};

/// How many programs of each type.
const CASES: u64 = 60;

/// The results on a CPU.
fn results(case: &Case, threads: usize) -> Vec<HostArray> {
    let cpu = Cpu::builder().threads(threads).build().unwrap();
    let schedule = Stages::new(case).fused().unwrap();
    let executable = cpu.prepare(&schedule).unwrap();
    cpu.run(&executable, &case.inputs).unwrap()
}

/// The largest relative error of the results of a program in the type of its inputs.
fn error(case: &Case, threads: usize) -> f64 {
    let (found, expected) = (
        floats(&results(case, threads)),
        floats(&results(&in_double(case), 2)),
    );
    assert_eq!(found.len(), expected.len());
    let errors = found.iter().zip(&expected);
    let errors = errors.map(|(x, y)| match x == y {
        true => 0.0,
        false => (x - y).abs() / y.abs(),
    });
    errors.fold(0.0, |largest, e| if e <= largest { largest } else { e })
}

fn check(ty: ScalarType, tolerance: f64) {
    for seed in 0..CASES {
        let case = large::from_seed(seed, ty);
        for threads in [1, 3] {
            let error = error(&case, threads);
            let text = || format!("seed {seed}: {error:e} in\n{}", case.program);
            assert!(error <= tolerance, "{}", text());
        }
    }
}

#[test]
fn sums_of_many_f32_are_those_of_f64() {
    check(F32, 5e-6);
}

#[test]
fn sums_of_many_f16_are_those_of_f64() {
    check(F16, 8e-3);
}
