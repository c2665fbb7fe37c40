//! Programs on a device that allows no more than every device does: one that is opened with the limits that WebGPU
//! guarantees, so that wgpu refuses whatever goes beyond. Types are another matter; they are masked where that is said.
//!
//! Few programs have kernels of more than eight arrays, so they run with fewer storage buffers, too.

use super::*;

/// Of these, none will do for a kernel that uses words, numbers of eight bytes, atomic ones of both kinds and the word
/// that tells of failures, but one buffer each.
const FEWEST: u32 = 5;
/// Generated programs.
const CASES: u64 = 300;

/// With the limits of WebGPU, and with fewer buffers still.
fn devices() -> Option<[Gpu; 2]> {
    match Gpu::builder().portable_limits().open() {
        Ok(device) => {
            let few = device.clone().with_storage_buffers(FEWEST);
            Some([device, few])
        }
        Err(error) => {
            skipped(&error);
            None
        }
    }
}

#[test]
fn the_corpus_runs_within_the_limits_of_webgpu() {
    let Some(devices) = devices() else { return };
    let has_all = has_all(&devices[0]);
    let engines = devices.map(gpu);
    for (ty, entries) in [("f64", corpus()), ("f32", corpus_of::<f32>())] {
        let [all, supported] = supported(entries.iter(), &engines);
        println!("{ty}: {supported} of {all} programs");
        assert!(supported == all || (ty == "f64" && !has_all));
    }
}

#[test]
fn generated_programs_run_within_the_limits_of_webgpu() {
    let Some(devices) = devices() else { return };
    let has_all = has_all(&devices[0]);
    let engines = devices.map(gpu);
    let can = |(seed, case): &(u64, Case)| agrees(case, &engines, &format!("seed {seed}"));
    // Not those of the other tests.
    let seeds = (SEED..).skip(10_000);
    let cases = seeds.map(|seed| (seed, Case::from_seed(seed)));
    let cases = cases.filter(|(_, case)| !overflows(case));
    let supported = cases.take(CASES as usize).filter(can).count();
    println!("{supported} of {CASES} programs");
    assert!(supported == CASES as usize || !has_all);
}

#[test]
fn adbench_runs_within_the_limits_of_webgpu() {
    let Some([device, few]) = devices() else {
        return;
    };
    check_adbench::<f32>(&few, 1e-3);
    check_adbench::<f32>(&device.clone().with_groups(Groups::Always), 1e-3);
    if device.target().has(ScalarType::F64) {
        check_adbench::<f64>(&device, 1e-10);
    }
}
