//! The text of shaders, without any device: that naga takes it, and that it is what it was.
//!
//! Small programs have their text in `tests/snapshots/wgsl`, the corpus a fingerprint for each program (`wgsl/texts.rs`).

mod narrow;
mod texts;

use crate::adbench::Recorder;
use crate::snapshot::snapshot;
use cotangent::prelude::*;
use cotangent_adbench::host::HostFloat;
use cotangent_adbench::{ba, gmm};
use cotangent_core::hash::hash_of_bytes;
use cotangent_core::label::label;
use cotangent_core::recover::recover;
use cotangent_core::rounding::f16;
use cotangent_core::schedule::{Kernel, KernelKind, Schedule};
use cotangent_core::surface::{AccFn, trace};
use cotangent_core::term::{DeBruijn, Program};
use cotangent_shaders::{Bindable, Shader, Target, between_kernels, listing, of_kernel};
use cotangent_tests::corpus::{corpus, corpus_of};
use cotangent_tests::engines::Stages;
use cotangent_tests::generate::Case;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::fmt::Write;
use texts::{compare_with_last, listed, written_out};

/// A device that has everything.
const TARGET: Target = Target::COMPLETE;

/// All shaders of a schedule for a device that has everything.
fn shaders(schedule: &Schedule) -> Vec<Shader> {
    shaders_for(schedule, &TARGET)
}

/// All shaders of a schedule, those of conditionals and strips included.
fn shaders_for(schedule: &Schedule, target: &Target) -> Vec<Shader> {
    let kernels = schedule.kernels().into_iter();
    let kernels = kernels.flat_map(|kernel| each_way(schedule, kernel, target));
    kernels.chain(others_for(schedule, target)).collect()
}

/// Those of one tile, of a contraction: a small one, which is not square. Others have the same lines more often.
fn of_a_tile(schedule: &Schedule) -> Vec<Shader> {
    shaders(schedule).into_iter().skip(2 * 3).take(2).collect()
}

/// The shaders that are none of kernels, for a device that has everything.
fn others(schedule: &Schedule) -> Vec<Shader> {
    others_for(schedule, &TARGET)
}

/// The shaders that are none of kernels.
fn others_for(schedule: &Schedule, target: &Target) -> Vec<Shader> {
    between_kernels(schedule, target).unwrap()
}

/// The shaders of a kernel; of a scatter those of devices with and without atomic functions, in any order and in one.
fn each_way(schedule: &Schedule, kernel: &Kernel, target: &Target) -> Vec<Shader> {
    if !matches!(kernel.kind, KernelKind::Scatter { .. }) {
        return of_kernel(schedule, kernel, target).unwrap();
    }
    let wide = [target.has_i64_atomics, false].map(|has_i64_atomics| Target {
        has_i64_atomics,
        ..*target
    });
    let hasty = [target.has_f32_atomics, false].map(|has_f32_atomics| Target {
        has_f32_atomics,
        adds_in_any_order: true,
        ..*target
    });
    let targets = wide.iter().chain(&hasty);
    let all = targets.flat_map(|t| of_kernel(schedule, kernel, t).unwrap());
    all.collect()
}

fn validate(source: &str) {
    validate_for(
        source,
        Capabilities::FLOAT64
            | Capabilities::SHADER_FLOAT16
            | Capabilities::SHADER_FLOAT16_IN_FLOAT32
            | Capabilities::SHADER_INT64
            | Capabilities::SHADER_INT64_ATOMIC_ALL_OPS
            | Capabilities::SHADER_FLOAT32_ATOMIC
            | Capabilities::SUBGROUP,
    );
}

fn validate_for(source: &str, capabilities: Capabilities) {
    let module = naga::front::wgsl::parse_str(source);
    let module = module.unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    let outcome = Validator::new(ValidationFlags::all(), capabilities).validate(&module);
    if let Err(error) = outcome {
        panic!("{}\n{source}", error.emit_to_string(source));
    }
}

fn scheduled(program: &Program<DeBruijn>) -> Schedule {
    let case = Case {
        program: label(program),
        inputs: vec![],
    };
    let schedule = Stages::new(&case).fused().unwrap();
    Schedule::clone(&schedule)
}

fn fingerprint(shaders: &[Shader]) -> u128 {
    hash_of_bytes(shaders.iter().flat_map(|shader| shader.source.bytes()))
}

#[test]
fn shaders_of_the_corpus_are_valid_and_what_they_were() {
    let mut found = String::new();
    for entry in corpus() {
        for (form, program) in [("value", &entry.value), ("gradient", &entry.gradient)] {
            let shaders = shaders(&scheduled(program));
            shaders.iter().for_each(|shader| validate(&shader.source));
            let (count, print) = (shaders.len(), fingerprint(&shaders));
            let name = entry.name;
            let line = format!("{name} {form}: {count} shaders, {print:032x}");
            compare_with_last(&format!("corpus/{name} {form}"), &line, &shaders);
            writeln!(found, "{line}").unwrap();
        }
    }
    assert!(found.lines().count() > 100);
    snapshot("wgsl/corpus.txt", &found);
}

/// The same programs in the narrow types.
#[test]
fn shaders_of_the_corpus_in_narrow_types_are_valid() {
    for entry in corpus_of::<f32>().iter().chain(&corpus_of::<f16>()) {
        for program in [&entry.value, &entry.gradient] {
            let shaders = shaders(&scheduled(program));
            shaders.iter().for_each(|shader| validate(&shader.source));
            binds_eight(&shaders);
        }
    }
}

/// What WebGPU guarantees.
const PORTABLE: Bindable = Bindable {
    buffers: 8,
    bytes: 128 << 20,
};

/// Shaders take no more storage buffers than WebGPU guarantees; how many of them use more arrays than that.
fn binds_eight(shaders: &[Shader]) -> usize {
    let shares = |shader: &&Shader| {
        // No two of the same size.
        let bytes = (0..shader.bindings.len() as u64).map(|n| 1000 + 4 * n);
        let binds = shader.arranged(&bytes.collect::<Vec<_>>(), PORTABLE);
        let shared = binds.unwrap().map(|binds| shader.bound(&binds).0);
        shared.iter().for_each(|shader| validate(&shader.source));
        assert!(shared.as_ref().unwrap_or(shader).buffers().len() <= 8);
        assert_eq!(shared.is_some(), shader.buffers().len() > 8);
        shared.is_some()
    };
    shaders.iter().filter(shares).count()
}

/// The programs of ADBench, as schedules.
fn adbench<T: HostFloat>() -> Vec<Schedule> {
    let gradient = gmm::model::gradient_program::<T>().unwrap();
    let objective = gmm::model::objective_program::<T>().unwrap();
    let jacobian = ba::model::jacobian_program::<T>().unwrap();
    let schedule = |prepare: &dyn Fn(&Recorder)| {
        let recorder = Recorder::default();
        prepare(&recorder);
        Schedule::clone(&recorder.0.take().unwrap())
    };
    vec![
        schedule(&|to| gradient.prepare(to).unwrap()),
        schedule(&|to| objective.prepare(to).unwrap()),
        schedule(&|to| jacobian.prepare(to).unwrap()),
    ]
}

/// No shader of the corpus or of ADBench takes more buffers than every device binds; some of ADBench's would.
#[test]
fn eight_storage_buffers_will_do() {
    for entry in corpus() {
        for program in [&entry.value, &entry.gradient] {
            binds_eight(&shaders(&scheduled(program)));
        }
    }
    let schedules = adbench::<f64>().into_iter().chain(adbench::<f32>());
    let share = schedules.enumerate().map(|(n, schedule)| {
        let shaders = shaders(&schedule);
        let most = shaders.iter().map(|shader| shader.buffers().len()).max();
        let count = binds_eight(&shaders);
        println!("program {n}: {count} shaders share, of at most {most:?} buffers");
        shaders.iter().for_each(|shader| validate(&shader.source));
        count
    });
    assert!(share.sum::<usize>() > 0);
}

/// Some of the text of a small program.
#[track_caller]
fn text<M, F: AccFn<M>>(name: &str, f: F, shaders: fn(&Schedule) -> Vec<Shader>) {
    let traced = trace(f).unwrap();
    let program = recover(&traced.graph, &traced.lambda).unwrap();
    let shaders = shaders(&scheduled(&program));
    shaders.iter().for_each(|shader| validate(&shader.source));
    println!("whole texts: {}", written_out(name, &shaders).display());
    snapshot(&format!("wgsl/{name}.wgsl"), &listed(&shaders));
}

type Vector = Acc<Ix1, f32>;
type Matrix = Acc<Ix2, f32>;
type Ints = Acc<Ix1, i32>;

#[test]
fn the_text_of_maps() {
    text(
        "map",
        |x: Vector, at: Ints| at.map(move |i| x.at(ix![i]) * 2.0 + 1.0),
        shaders,
    );
    text("tanh", |x: Vector| x.map(|x| x.tanh()), shaders);
    text(
        "half",
        |x: Acc<Ix1, f16>| {
            x.map(|x| (x * x + 0.1) / 3.0)
                .map(|y| (y, y.to_f32(), y.to_i32()))
        },
        shaders,
    );
    text("transpose", |x: Matrix| x.transpose(), shaders);
}

#[test]
fn the_text_of_reductions() {
    text("sum", |x: Vector| x.sum(), shaders);
    text(
        "product",
        |x: Matrix, y: Matrix| {
            let (ix![n, k], ix![_, m]) = (x.shape(), y.shape());
            let terms = generate(ix![n, m, k], |ix![i, j, l]| {
                x.at(ix![i, l]) * y.at(ix![l, j])
            });
            terms.sum()
        },
        of_a_tile,
    );
}

#[test]
fn the_text_of_scans() {
    text("scan", |x: Vector| x.scanl(0.0, |x, y| x + y), shaders);
}

#[test]
fn the_text_of_scatters() {
    text(
        "histogram",
        |to: Ints| {
            to.map(|_| 1.0f32.into_exp())
                .scatter(Combine::Add, fill(ix![10], 0.0f32), to)
        },
        shaders,
    );
    text(
        "last",
        |x: Vector, to: Ints| x.scatter(Combine::Overwrite, x, to),
        shaders,
    );
}

#[test]
fn the_text_of_loops_that_one_workgroup_makes() {
    let smoothed = |(v, _): (Vector, Acc<Ix0, f32>)| {
        let last = v.size() - 1;
        let next = generate(v.shape(), move |ix![i]| {
            0.5 * (v.at(ix![(i - 1).max(0)]) + v.at(ix![(i + 1).min(last)]))
        });
        let change = next.zip_with(v, |x, y| (x - y).abs()).sum();
        (next, change)
    };
    text(
        "trips",
        move |v: Vector| {
            let goes_on = |(_, change): (Vector, Acc<Ix0, f32>)| change.the().gt(0.1);
            awhile(goes_on, move |_, state| smoothed(state), (v, unit(1.0f32)))
        },
        others,
    );
}

#[test]
fn the_text_of_strips_and_scalar_code() {
    text(
        "softmax",
        |x: Matrix| {
            let spread = |row: Vector| row.replicate(ix![All, x.inner()]);
            let powers = x.zip_with(spread(x.maximum()), |x, m| (x - m).exp());
            powers.zip_with(spread(powers.sum()), |p, sum| p / sum)
        },
        others,
    );
    text(
        "scaled",
        |x: Vector| {
            let norm = x.map(|x| x * x).sum().the().sqrt();
            x.map(move |x| x / norm)
        },
        others,
    );
}

/// What `COTANGENT_DUMP=wgsl` prints: each shader with the operation and the user's line, and what there is none for.
#[test]
fn a_listing_names_operations_and_lines() {
    let norm = |x: Acc<Ix1, f64>| x.map(|x| x * x).sum();
    let traced = trace(norm).unwrap();
    let schedule = scheduled(&recover(&traced.graph, &traced.lambda).unwrap());
    let text = listing(&schedule, &TARGET);
    let count = text.matches("@compute").count();
    assert!(
        count > 4 && text.matches("does a point\n").count() == count,
        "{text}"
    );
    assert!(text.matches("wgsl.rs:").count() > 4, "{text}");
    assert!(text.starts_with("// `fold` at "), "{text}");
    let lacking = listing(
        &schedule,
        &Target {
            has_f64: false,
            ..TARGET
        },
    );
    assert!(
        lacking.starts_with("// no shader for f64 (with which `fold` at "),
        "{lacking}"
    );
}
