//! Devices that lack types, subgroups and atomic functions: what a program was written without it runs without.
//!
//! The device at hand is opened without these features, so that wgpu itself turns down what uses them.

use crate::gpu::{check_adbench, is_finite};
use cotangent_backend_gpu::{Feature, Gpu};
use cotangent_core::check::scalar_types;
use cotangent_core::label::label;
use cotangent_tests::corpus::{Entry, corpus_of};
use cotangent_tests::engines::{disagreement, gpu};
use cotangent_tests::generate::Case;
use cotangent_tests::skip::skipped;

/// The device with nothing that a device may lack.
fn plain() -> Option<Gpu> {
    let builder = Feature::ALL
        .into_iter()
        .fold(Gpu::builder(), |b, feature| b.without(feature));
    builder.open().map_err(|error| skipped(&error)).ok()
}

/// All programs whose types the device has agree with the interpreter, and none of them is refused; says how many.
fn fitting(entries: &[Entry], device: &Gpu) -> usize {
    let engines = [gpu(device.clone())];
    let programs = entries
        .iter()
        .flat_map(|e| [(e, &e.value), (e, &e.gradient)]);
    let fits = |(_, program): &(_, _)| {
        let mut types = scalar_types(*program).unwrap().iter();
        types.all(|ty| device.target().has(ty))
    };
    let mut count = 0;
    for (entry, program) in programs.filter(fits) {
        count += 1;
        let case = |inputs: &Vec<_>| Case {
            program: label(program),
            inputs: inputs.clone(),
        };
        for case in entry.samples.iter().map(case).filter(is_finite) {
            let summary = disagreement(&case, &engines);
            let summary = summary.unwrap_or_else(|found| panic!("{}: {found}", entry.name));
            assert_eq!(summary.unsupported, 0, "{}", entry.name);
        }
    }
    count
}

#[test]
fn the_corpus_in_f32_runs_on_a_device_without_other_types() {
    let Some(device) = plain() else { return };
    let entries = corpus_of::<f32>();
    // One program computes with wider types itself.
    assert_eq!(fitting(&entries, &device), 2 * (entries.len() - 1));
}

#[test]
fn adbench_in_f32_runs_on_a_device_without_other_types() {
    if let Some(device) = plain() {
        check_adbench::<f32>(&device, 1e-3);
    }
}
