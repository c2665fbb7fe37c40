//! Programs on the GPU backend, whatever device there is: lavapipe, which needs no GPU, will do. Without one the tests say
//! so and pass.
//!
//! `COTANGENT_GPU_CASES` says how many generated programs (100 if unset).

use cotangent::Cpu;
use cotangent_adbench::ba::{self, BaInput};
use cotangent_adbench::gmm::{self, GmmInput};
use cotangent_adbench::host::HostFloat;
use cotangent_backend_gpu::{Gpu, Groups};
use cotangent_core::constant::Const;
use cotangent_core::host::Column;
use cotangent_core::interp;
use cotangent_core::label::label;
use cotangent_core::schedule::{Kernel, KernelKind, Schedule, Step};
use cotangent_core::types::ScalarType;
use cotangent_shaders::{
    Arrival, Blocks, Passes, Reduction, Scattering, Shader, Target, contract, map, reduce, scan,
    scatter,
};
use cotangent_tests::corpus::{Entry, corpus, corpus_of};
use cotangent_tests::engines::{Engine, Stages, disagreement, gpu, shrunk};
use cotangent_tests::generate::Case;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// The seed of the first generated program.
const SEED: u64 = 30_260_000;

/// The device, as it is and with workgroups that do everything together, and whether it has all types.
fn engines() -> Option<([Engine; 2], bool)> {
    match Gpu::open(None) {
        Ok(device) => {
            let has_all = device.target().has(ScalarType::F64);
            let together = device.clone().with_groups(Groups::Always);
            Some(([device, together].map(gpu), has_all))
        }
        Err(error) => {
            println!("skipped: no GPU adapter ({error})");
            None
        }
    }
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
fn is_finite(case: &Case) -> bool {
    let results = interp::run(&case.program, &case.inputs);
    let is_finite = |column: &Column| {
        (0..column.len()).all(|i| match column.get(i) {
            Some(Const::F32(x)) => x.is_finite(),
            Some(Const::F64(x)) => x.is_finite(),
            Some(Const::Bool(_) | Const::I32(_) | Const::I64(_) | Const::U32(_)) | None => true,
        })
    };
    results.is_ok_and(|results| results.iter().all(|result| is_finite(result.column())))
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

/// All kernels, those of conditionals and strips included.
fn kernels(steps: &[Step]) -> Vec<&Kernel> {
    steps.iter().flat_map(kernels_of).collect()
}

fn kernels_of(step: &Step) -> Vec<&Kernel> {
    match step {
        Step::Kernel(kernel) => vec![kernel],
        Step::Strip(strip) => strip.kernels.iter().collect(),
        Step::If { then_, else_, .. } => [kernels(then_), kernels(else_)].concat(),
        Step::Scalars { .. } | Step::Check(..) => vec![],
    }
}

/// The shaders of a kernel.
fn shaders(schedule: &Schedule, kernel: &Kernel) -> Vec<Shader> {
    let target = Target {
        has_f64: true,
        has_i64: true,
        workgroup: 64,
        group: 256,
        has_subgroups: true,
        has_i64_atomics: true,
        has_f32_atomics: true,
        adds_in_any_order: false,
    };
    match &kernel.kind {
        KernelKind::Map { .. } => vec![map(schedule, kernel, &target).unwrap()],
        KernelKind::Reduce { .. } => of_reduction(&reduce(schedule, kernel, &target).unwrap()),
        KernelKind::Contract { .. } => {
            let shaders = contract(schedule, kernel, &target).unwrap();
            let tilings = shaders.tilings.into_iter();
            let tilings = tilings.flat_map(|tiling| [tiling.whole, tiling.parts]);
            tilings.chain(of_reduction(&shaders.reduction)).collect()
        }
        KernelKind::Scan { .. } => {
            let shaders = scan(schedule, kernel, &target).unwrap();
            let blocks = [&shaders.blocks, &shaders.small].into_iter().flatten();
            let blocks = blocks.flat_map(Blocks::all);
            let alone = [
                &shaders.whole,
                &shaders.parts,
                &shaders.before,
                &shaders.last,
            ];
            alone.into_iter().chain(blocks).cloned().collect()
        }
        KernelKind::Scatter { .. } => {
            let wide = [true, false].map(|has_i64_atomics| Target {
                has_i64_atomics,
                ..target
            });
            let hasty = [true, false].map(|has_f32_atomics| Target {
                has_f32_atomics,
                adds_in_any_order: true,
                ..target
            });
            let targets = wide.iter().chain(&hasty);
            let all = targets.flat_map(|t| of_scatter(scatter(schedule, kernel, t).unwrap()));
            all.collect()
        }
    }
}

/// The shaders of both ways.
fn of_scatter(code: Scattering) -> Vec<Shader> {
    let mut shaders = vec![code.sending.shader];
    match code.arrival {
        Arrival::AtOnce(shader) => shaders.push(*shader),
        Arrival::Last(last) => {
            shaders.extend([last.send, last.claim]);
            shaders.extend(last.write);
        }
        Arrival::Ordered(ordered) => {
            let s = ordered.sorting;
            shaders.extend([s.count, s.sums, s.before, s.before_in_blocks]);
            shaders.extend([s.place, s.place_again]);
            for adding in ordered.adding {
                let t = adding.table;
                shaders.extend([adding.points, adding.totals]);
                shaders.extend([t.clear, t.add, t.merge, t.last]);
            }
        }
    }
    shaders
}

fn of_reduction(shaders: &Reduction) -> Vec<Shader> {
    let groups = [&shaders.together, &shaders.small];
    let groups = groups.into_iter().flatten().flat_map(Passes::all);
    let all = shaders.alone.all().into_iter().chain(groups);
    all.chain([&shaders.columns]).cloned().collect()
}

fn validate(source: &str) {
    let module = naga::front::wgsl::parse_str(source);
    let module = module.unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    let capabilities = Capabilities::FLOAT64
        | Capabilities::SHADER_INT64
        | Capabilities::SHADER_INT64_ATOMIC_ALL_OPS
        | Capabilities::SHADER_FLOAT32_ATOMIC
        | Capabilities::SUBGROUP;
    let outcome = Validator::new(ValidationFlags::all(), capabilities).validate(&module);
    if let Err(error) = outcome {
        panic!("{}\n{source}", error.emit_to_string(source));
    }
}

/// Without a device: what is printed for every kernel of the corpus is valid.
#[test]
fn shaders_of_the_corpus_are_valid() {
    let mut count = 0;
    for entry in corpus() {
        for program in [&entry.value, &entry.gradient] {
            let case = Case {
                program: label(program),
                inputs: entry.samples[0].clone(),
            };
            let schedule = Stages::new(&case).fused().unwrap();
            let all = kernels(&schedule.steps).into_iter();
            for shader in all.flat_map(|kernel| shaders(&schedule, kernel)) {
                validate(&shader.source);
                count += 1;
            }
        }
    }
    assert!(count > 500, "{count} shaders");
}

#[test]
fn the_corpus_agrees_with_the_interpreter() {
    let Some((engines, has_all)) = engines() else {
        return;
    };
    for (ty, entries) in [("f64", corpus()), ("f32", corpus_of::<f32>())] {
        let [all, supported] = supported(entries.iter(), &engines);
        println!("{ty}: {supported} of {all} programs");
        assert!(supported == all || (ty == "f64" && !has_all));
    }
}

#[test]
fn generated_programs_agree_with_the_interpreter() {
    let Some((engines, has_all)) = engines() else {
        return;
    };
    let cases = std::env::var("COTANGENT_GPU_CASES").ok();
    let cases: u64 = cases.map_or(100, |v| v.parse().expect("a number"));
    let can = |&seed: &u64| agrees(&Case::from_seed(seed), &engines, &format!("seed {seed}"));
    let supported = (SEED..SEED + cases).filter(can).count();
    println!("{supported} of {cases} programs");
    assert!(supported as u64 == cases || !has_all);
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
fn check_adbench<T: HostFloat>(device: &Gpu, tolerance: f64) {
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
    let Ok(device) = Gpu::open(None) else {
        return println!("skipped: no GPU adapter");
    };
    check_adbench::<f32>(&device, 1e-3);
    check_adbench::<f32>(&device.clone().with_groups(Groups::Always), 1e-3);
    if device.target().has(ScalarType::F64) {
        check_adbench::<f64>(&device, 1e-9);
    }
}
