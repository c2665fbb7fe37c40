//! What is said where a device lacks a type.

use super::*;
use crate::run::Run;
use cotangent_core::backend::{Backend, Resident, RunError};
use cotangent_core::host::{Column, HostArray};
use cotangent_core::schedule::check::check;

/// Adds up two inputs of a type.
fn sum_of(ty: ScalarType) -> Checked<Schedule> {
    let mut subject = Subject::new();
    let index = subject.body.push(Op::Coord(0), ScalarType::I32);
    let [x, y] = [0, 1].map(|_| subject.load(vec![Const::zero(ty)], index, None));
    let sum = Op::Prim(cotangent_core::prim::Prim::Add, vec![x, y]);
    let sum = subject.body.push(sum, ty);
    let kernel = subject.kernel(sum);
    let Subject { mut schedule, .. } = subject;
    schedule.params = vec![ArrayId(0), ArrayId(1)];
    schedule.results = vec![ArrayId(2)];
    schedule.steps = vec![Step::Kernel(kernel)];
    check(schedule).unwrap()
}

#[test]
fn a_missing_type_is_an_error_with_type_place_device_and_way_out() {
    let Some(gpu) = gpu() else { return };
    let mut gpu = gpu.clone();
    gpu.context.target.has_f64 = false;
    assert!(gpu.prepare(&sum_of(ScalarType::F32)).is_ok());
    let error = gpu.prepare(&sum_of(ScalarType::F64)).unwrap_err();
    let text = error.to_string();
    let device = gpu.info().name.clone();
    assert!(text.starts_with("f64 (with which `map` at "), "{text}");
    assert!(
        text.contains("refusals.rs") || text.contains("tests.rs"),
        "{text}"
    );
    let end = format!("is not supported by {device}: use the CPU, or `f32` in place of `f64`");
    assert!(text.ends_with(&end), "{text}");
    gpu.context.target.has_i64 = false;
    let text = gpu
        .prepare(&sum_of(ScalarType::I64))
        .unwrap_err()
        .to_string();
    let end = format!("is not supported by {device}: use the CPU, or `i32` in place of `i64`");
    assert!(text.ends_with(&end), "{text}");
}

#[test]
fn without_f16_nothing_runs_and_the_way_out_is_named() {
    let Some(gpu) = gpu() else { return };
    let mut gpu = gpu.clone();
    gpu.context.target.has_f16 = false;
    let way_out = "use the CPU, or `f32` in place of `f16`, in inputs, too";
    let end = format!("is not supported by {}: {way_out}", gpu.info().name);
    let error = gpu.prepare(&sum_of(ScalarType::F16)).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("f16 (with which `map` at "), "{text}");
    assert!(text.ends_with(&end), "{text}");
    let array = HostArray::new(vec![1], vec![f16::ONE].into()).unwrap();
    let text = gpu.put(&array).unwrap_err().to_string();
    assert_eq!(text, format!("an array of f16 {end}"));
}

/// A kernel of more pieces of arrays than the device binds is an error that names the line.
#[test]
fn too_many_pieces_of_arrays_are_an_error_with_the_line() {
    let Some(gpu) = gpu() else { return };
    let most = gpu.context.limits.max_storage_buffers_per_shader_stage;
    if most > 1000 {
        return println!("skipped: a device that binds {most} arrays");
    }
    let gpu = gpu.clone().with_binding_bytes(1);
    let elements = (gpu.context.bindable.window_bytes() * u64::from(most)) as usize / 4;
    let input = HostArray::new(vec![elements], Column::from(vec![1.0f32; elements])).unwrap();
    let executable = gpu.prepare(&sum_of(ScalarType::F32)).unwrap();
    let error = gpu.run(&executable, &[input.clone(), input]).unwrap_err();
    assert!(matches!(error, RunError::Unsupported { .. }), "{error:?}");
    let text = error.to_string();
    let expected = ["`map` at ", "tests.rs", "bindings", "use the CPU"];
    assert!(expected.iter().all(|part| text.contains(part)), "{text}");
}

/// Shaders count to 2^32: an array of more elements is refused before anything of it is made.
#[test]
fn more_elements_than_shaders_count_are_an_error_with_the_line() {
    let Some(gpu) = gpu() else { return };
    let executable = gpu.prepare(&sum_of(ScalarType::F32)).unwrap();
    let run = Run::new(gpu, &executable, false);
    let error = run.bytes_of_elements(ArrayId(0), 1 << 32).unwrap_err();
    assert!(error.to_string().contains("4294967296 elements"), "{error}");
    assert_eq!(run.bytes_of_elements(ArrayId(0), 1 << 20), Ok(4 << 20));
}
