//! Programs on the GPU backend, whatever device there is: lavapipe, which needs no GPU, will do. Without one the tests say
//! so and pass.
//!
//! `COTANGENT_GPU_CASES` says how many generated programs (700 if unset).

mod portable;

use cotangent::Cpu;
use cotangent_adbench::ba::{self, BaInput};
use cotangent_adbench::gmm::{self, GmmInput};
use cotangent_adbench::host::HostFloat;
use cotangent_backend_gpu::{Gpu, Groups};
use cotangent_core::constant::Const;
use cotangent_core::host::Column;
use cotangent_core::integer_const;
use cotangent_core::interp;
use cotangent_core::label::label;
use cotangent_core::types::ScalarType;
use cotangent_tests::corpus::{Entry, corpus, corpus_of};
use cotangent_tests::engines::{Engine, disagreement, gpu, gpu_in_windows, shrunk};
use cotangent_tests::generate::Case;
use cotangent_tests::skip::skipped;

/// The seed of the first generated program.
const SEED: u64 = 30_260_000;

/// The device: as it is, with workgroups that do everything together, and with arrays in windows.
fn engines() -> Option<([Engine; 3], Gpu)> {
    match Gpu::open(None) {
        Ok(device) => {
            let together = device.clone().with_groups(Groups::Always);
            let in_windows = gpu_in_windows(device.clone());
            Some(([gpu(device.clone()), gpu(together), in_windows], device))
        }
        Err(error) => {
            skipped(&error);
            None
        }
    }
}

/// Whether a device has all types.
pub(crate) fn has_all(device: &Gpu) -> bool {
    ScalarType::ALL.iter().all(|&ty| device.target().has(ty))
}

/// Whether the device can do a case, on which it agrees with the interpreter.
fn agrees(case: &Case, engines: &[Engine], name: &str) -> bool {
    match disagreement(case, engines) {
        Ok(summary) => summary.unsupported == 0,
        Err(found) => panic!(
            "{name}: {}\nas found: {:?}",
            shrunk(found.clone()),
            found.fault
        ),
    }
}

/// Whether all results are finite. Where something overflows, drivers may give other infinities or NaNs: they
/// multiply out and factor as if numbers were real.
pub(crate) fn is_finite(case: &Case) -> bool {
    let results = interp::run(&case.program, &case.inputs);
    let is_finite = |column: &Column| {
        (0..column.len()).all(|i| match column.get(i) {
            Some(Const::F16(x)) => x.is_finite(),
            Some(Const::F32(x)) => x.is_finite(),
            Some(Const::F64(x)) => x.is_finite(),
            Some(Const::Bool(_) | integer_const!()) | None => true,
        })
    };
    results.is_ok_and(|results| results.iter().all(|result| is_finite(result.column())))
}

/// Whether a program has results of which some are not finite.
pub(crate) fn overflows(case: &Case) -> bool {
    interp::run(&case.program, &case.inputs).is_ok() && !is_finite(case)
}

/// Whether a GPU may give other results, far from those of the interpreter, because it keeps digits that a conversion to `f16` drops,
/// or numbers beyond its range: NVIDIA's driver takes the way to `f16` and back for none. Drivers that compute on the CPU round.
fn may_keep_digits(case: &Case, engine: &Gpu) -> bool {
    !engine.info().is_software() && case.program.to_string().contains("convert_f16")
}

/// How many programs there are, and how many of them the device can do: all, if it has their types.
fn supported<'a>(entries: impl Iterator<Item = &'a Entry>, engines: &[Engine]) -> [usize; 2] {
    let mut count = [0, 0];
    for entry in entries {
        for program in [&entry.value, &entry.gradient] {
            let case = |inputs: &Vec<_>| Case {
                program: label(program),
                inputs: inputs.clone(),
            };
            let mut cases = entry.samples.iter().map(case).filter(is_finite);
            let all = cases.all(|case| agrees(&case, engines, entry.name));
            count[0] += 1;
            count[1] += usize::from(all);
        }
    }
    count
}

#[test]
fn the_corpus_agrees_with_the_interpreter() {
    let Some((engines, device)) = engines() else {
        return;
    };
    // Where arrays are has nothing to do with types.
    let [wide, narrow] = [&engines[..], &engines[..2]];
    for (ty, entries, engines) in [("f64", corpus(), wide), ("f32", corpus_of::<f32>(), narrow)] {
        let [all, supported] = supported(entries.iter(), engines);
        println!("{ty}: {supported} of {all} programs");
        assert!(supported == all || (ty == "f64" && !has_all(&device)));
    }
}

/// Generated programs whose numbers leave that rest when divided by the number of tests like this.
fn generated_programs_agree(rest: u64) {
    let Some((engines, device)) = engines() else {
        return;
    };
    let cases = std::env::var("COTANGENT_GPU_CASES").ok();
    let cases: u64 = cases.map_or(700, |v| v.parse().expect("a number"));
    let seeds = (SEED..SEED + cases).filter(|n| n % 2 == rest);
    let drawn: Vec<_> = seeds.map(|seed| (seed, Case::from_seed(seed))).collect();
    let is_compared = |case| !overflows(case) && !may_keep_digits(case, &device);
    let compared: Vec<_> = drawn.iter().filter(|(_, case)| is_compared(case)).collect();
    // Every fourth program will do for the other ways.
    let engines_for = |seed: u64| match (seed / 2).is_multiple_of(4) {
        true => &engines[..],
        false => &engines[..1],
    };
    let can = |(seed, case): &&&(u64, Case)| {
        let name = format!("seed {seed}");
        agrees(case, engines_for(*seed), &name)
    };
    let (supported, all) = (compared.iter().filter(can).count(), compared.len());
    println!(
        "{supported} of {all} programs run; of {} more, results overflow, or keep digits that others drop",
        drawn.len() - all
    );
    assert!(2 * all >= drawn.len());
    assert!(supported == all || !has_all(&device));
}

#[test]
fn generated_programs_with_even_numbers_agree_with_the_interpreter() {
    generated_programs_agree(0);
}

#[test]
fn generated_programs_with_odd_numbers_agree_with_the_interpreter() {
    generated_programs_agree(1);
}

/// By ADBench's rule: no entry may differ by more than a share of the largest of both, or of 1.
fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (i, (x, y)) in found.iter().zip(expected).enumerate() {
        let scale = x.abs().max(y.abs()).max(1.0);
        assert!((x - y).abs() <= tolerance * scale, "{i}: {x} and {y}");
    }
}

/// The gradient of GMM and the Jacobian of BA are those of the CPU.
pub(crate) fn check_adbench<T: HostFloat>(device: &Gpu, tolerance: f64) {
    for [n, d, k] in [[1, 1, 1], [100, 3, 5], [700, 10, 6]] {
        let input = GmmInput::generate(n, d, k, 1).unwrap();
        let (on_gpu, on_cpu) = (
            gmm::model::Model::<T, _>::compile(device.clone()).unwrap(),
            gmm::model::Model::<T, _>::compile(Cpu::default()).unwrap(),
        );
        let data = on_cpu.data(&input).unwrap();
        let (x, measures) = on_gpu.measured_gradient(&data).unwrap();
        let y = on_cpu.gradient(&data).unwrap();
        // The square matrices are there at least, and the results.
        assert!(measures.peak_bytes as usize >= k * d * d * size_of::<T>());
        assert!(measures.passes >= 12, "{measures:?}");
        // Nothing in it depends on data but the elements.
        assert!((1..=2).contains(&measures.submits), "{measures:?}");
        for (x, y) in [(x.alphas, y.alphas), (x.means, y.means), (x.icf, y.icf)] {
            assert_close(&x, &y, tolerance);
        }
        let [x, y] = [on_gpu.objective(&data), on_cpu.objective(&data)].map(Result::unwrap);
        assert_close(&[x], &[y], tolerance);
    }
    let input = BaInput::generate(4, 30, 100, 1).unwrap();
    let on_gpu = ba::model::Model::<T, _>::compile(device.clone()).unwrap();
    let on_cpu = ba::model::Model::<T, _>::compile(Cpu::default()).unwrap();
    let data = on_cpu.data(&input).unwrap();
    let [x, y] = [on_gpu.jacobian(&data), on_cpu.jacobian(&data)].map(Result::unwrap);
    assert_eq!((x.rows, x.cols, x.columns), (y.rows, y.cols, y.columns));
    assert_close(&x.values, &y.values, tolerance);
}

#[test]
fn adbench_on_the_gpu_is_as_on_the_cpu() {
    let device = match Gpu::open(None) {
        Ok(device) => device,
        Err(error) => return skipped(&error),
    };
    check_adbench::<f32>(&device, 1e-3);
    check_adbench::<f32>(&device.clone().with_groups(Groups::Always), 1e-3);
    check_adbench::<f32>(&device.clone().with_chunk_bytes(1 << 12), 1e-3);
    check_adbench::<f32>(&device.clone().with_binding_bytes(1 << 13), 1e-3);
    if device.target().has(ScalarType::F64) {
        check_adbench::<f64>(&device, 1e-10);
    }
}
