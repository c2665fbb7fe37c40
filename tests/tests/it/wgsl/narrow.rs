//! Shaders for devices that lack types: every program that is written in `f32` runs on a device with nothing but `f32` and
//! `i32`, and every program in `f16` on one that has `f16` besides. What a program itself says it needs is known by its
//! types ([`scalar_types`]); nothing else is left out here.

use super::{TARGET, scheduled, shaders_for, validate_for};
use crate::adbench::Recorder;
use cotangent::prelude::*;
use cotangent::{Error, Program};
use cotangent_adbench::{ba, gmm};
use cotangent_core::check::scalar_types;
use cotangent_core::recover::recover;
use cotangent_core::rounding::f16;
use cotangent_core::schedule::Schedule;
use cotangent_core::surface::{AccFn, trace};
use cotangent_core::types::{ScalarType, ScalarTypes};
use cotangent_shaders::Target;
use cotangent_tests::corpus::{Entry, corpus_of};
use naga::valid::Capabilities;

/// A device of the least kind: that of WebGPU without any feature.
const PLAIN: Target = Target {
    has_f64: false,
    has_i64: false,
    has_f16: false,
    has_subgroups: false,
    has_i64_atomics: false,
    has_f32_atomics: false,
    ..TARGET
};

/// The same with `f16`.
const HALF: Target = Target {
    has_f16: true,
    ..PLAIN
};

/// What shaders for a device may contain.
fn capabilities(target: &Target) -> Capabilities {
    match target.has_f16 {
        true => Capabilities::SHADER_FLOAT16 | Capabilities::SHADER_FLOAT16_IN_FLOAT32,
        false => Capabilities::empty(),
    }
}

/// Every kernel has shaders, and they are of the device's types only.
#[track_caller]
fn assert_fits(schedule: &Schedule, target: &Target) {
    let shaders = shaders_for(schedule, target);
    for shader in &shaders {
        validate_for(&shader.source, capabilities(target));
    }
    assert!(!shaders.is_empty() || schedule.kernels().is_empty());
}

/// Whether a device has all types that a program was written in.
fn has(target: &Target, types: ScalarTypes) -> bool {
    types.iter().all(|ty| target.has(ty))
}

/// All programs of a corpus that were written in types that the device has; says how many these are.
fn fitting(entries: &[Entry], target: &Target) -> usize {
    let programs = entries.iter().flat_map(|e| [&e.value, &e.gradient]);
    let fitting = programs.filter(|program| has(target, scalar_types(*program).unwrap()));
    fitting.map(|p| assert_fits(&scheduled(p), target)).count()
}

/// So many programs of the appendix, as value and as gradient, compute with wider types by themselves.
const WIDE: usize = 1;

#[test]
fn the_corpus_in_f32_needs_no_other_float_and_no_wide_integers() {
    let entries = corpus_of::<f32>();
    let count = fitting(&entries, &PLAIN);
    assert_eq!(count, 2 * (entries.len() - WIDE));
}

#[test]
fn the_corpus_in_f16_needs_no_f64_and_no_wide_integers() {
    let entries = corpus_of::<f16>();
    let count = fitting(&entries, &HALF);
    assert_eq!(count, 2 * (entries.len() - WIDE));
}

#[track_caller]
fn assert_program_fits<In: Arrays, Out: Arrays>(
    program: Result<Program<In, Out>, Error>,
    target: &Target,
) {
    let recorder = Recorder::default();
    program.unwrap().prepare(&recorder).unwrap();
    assert_fits(&recorder.0.take().unwrap(), target);
}

#[test]
fn adbench_in_f32_needs_no_other_float_and_no_wide_integers() {
    assert_program_fits(gmm::model::objective_program::<f32>(), &PLAIN);
    assert_program_fits(gmm::model::gradient_program::<f32>(), &PLAIN);
    assert_program_fits(ba::model::residuals_program::<f32>(), &PLAIN);
    assert_program_fits(ba::model::jacobian_program::<f32>(), &PLAIN);
}

#[test]
fn adbench_in_f16_needs_no_f64_and_no_wide_integers() {
    assert_program_fits(gmm::model::objective_program::<f16>(), &HALF);
    assert_program_fits(gmm::model::gradient_program::<f16>(), &HALF);
    assert_program_fits(ba::model::residuals_program::<f16>(), &HALF);
    assert_program_fits(ba::model::jacobian_program::<f16>(), &HALF);
}

type Vector = Acc<Ix1, f32>;
type Matrix = Acc<Ix2, f32>;
type Ints = Acc<Ix1, i32>;

/// The types that a program's schedule has beyond those that it was written in and those that are everywhere.
#[track_caller]
fn fits<M, F: AccFn<M>>(f: F, target: &Target) {
    let traced = trace(f).unwrap();
    let program = recover(&traced.graph, &traced.lambda).unwrap();
    assert!(has(target, scalar_types(&program).unwrap()));
    assert_fits(&scheduled(&program), target);
}

/// Which source stayed is known by its coordinates, and no positions in `i64` are counted; where shapes differ, too.
#[test]
fn gradients_of_overwriting_scatters_need_no_wide_integers() {
    fits(
        |x: Vector, d: Vector, to: Ints| {
            let energy = |x: Vector, d| x.scatter(Combine::Overwrite, d, to).map(|y| y * y).sum();
            gradient_a(|(x, d)| energy(x, d), (x, d))
        },
        &PLAIN,
    );
    fits(
        |x: Matrix, d: Matrix| {
            let energy = |x: Matrix, d| {
                let turned = x.permute(Combine::Overwrite, d, |ix![i, j]| (true, ix![j / 2, i]));
                turned.sum_all()
            };
            gradient_a(|(x, d)| energy(x, d), (x, d))
        },
        &PLAIN,
    );
}

/// Where each part begins in the whole the host counts, in `i64`; shaders are given a `u32`.
#[test]
fn appended_arrays_need_no_wide_integers() {
    fits(
        |x: Matrix, y: Matrix| x.map(|x| x.exp()).append(y).map(|x| x + 1.0),
        &PLAIN,
    );
    fits(
        |x: Vector, y: Vector| {
            gradient_a(
                |(x, y): (Vector, Vector)| x.append(y).scanl1(|a, b| a + b).sum(),
                (x, y),
            )
        },
        &PLAIN,
    );
}

/// Where a part begins may be computed in two steps, of which the first is of use for nothing else.
#[test]
fn beginnings_that_are_computed_in_steps_need_no_wide_integers() {
    fits(
        |x: Matrix, y: Matrix, n: Acc<Ix0, i32>| {
            let rows = |x: Matrix| x.scanr(1.0, |x, y| x * y + y);
            let branch = acond(n.the().ge(3), rows(x), rows(x).map(|x| x + 1.0));
            branch.append(rows(y)).append(rows(y))
        },
        &PLAIN,
    );
}

/// A packed triangle of numbers whose places are solved for rows, in `f32`; of integers, too.
#[test]
fn packed_triangles_need_no_f64() {
    let unpacked = |packed: Vector, n: Exp<i32>| {
        generate(ix![n, n], move |ix![i, j]| {
            cond(i.ge(j), packed.at(ix![i * (i + 1) / 2 + j]), 0.0)
        })
    };
    fits(
        move |packed: Vector, square: Matrix| {
            let ix![n, _] = square.shape();
            let f = |packed| {
                unpacked(packed, n)
                    .zip_with(square, |x, y| (x * y).sin())
                    .sum_all()
            };
            gradient_a(f, packed)
        },
        &PLAIN,
    );
}

/// Derivatives of curved functions are computed in `f32`, whose rounding is finer.
#[test]
fn f16_needs_f32_and_nothing_wider() {
    let curved = |x: Acc<Ix1, f16>| {
        gradient_a(
            |x: Acc<Ix1, f16>| x.map(|x| (x.exp() + x.tan()).atan2(x.sqrt())).sum(),
            x,
        )
    };
    fits(curved, &HALF);
    let traced = trace(curved).unwrap();
    let program = recover(&traced.graph, &traced.lambda).unwrap();
    let types = scheduled(&program).scalar_types();
    let only = [
        ScalarType::F16,
        ScalarType::F32,
        ScalarType::I32,
        ScalarType::Bool,
    ];
    assert_eq!(
        types.without(only.into_iter().collect()),
        ScalarTypes::default()
    );
    assert!(types.contains(ScalarType::F32));
}

/// What was written in a wide type is turned down where the device lacks it, and nowhere else.
#[test]
fn a_program_in_f64_does_not_fit() {
    let double = trace(|x: Acc<Ix1, f64>| x.map(|x| x + 1.0)).unwrap();
    let program = recover(&double.graph, &double.lambda).unwrap();
    assert!(!has(&PLAIN, scalar_types(&program).unwrap()));
    assert!(has(&TARGET, scalar_types(&program).unwrap()));
}
