//! What is said where a device lacks a type.

use super::*;
use cotangent_core::backend::{Backend, Resident};
use cotangent_core::host::HostArray;
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
    let device = &gpu.info().name;
    assert!(text.starts_with("f64 (with which `map` at "), "{text}");
    assert!(
        text.contains("refusals.rs") || text.contains("tests.rs"),
        "{text}"
    );
    let end = format!("is not supported by {device}: use the CPU, or `f32` in place of `f64`");
    assert!(text.ends_with(&end), "{text}");
}

#[test]
fn without_f16_nothing_runs_and_the_way_out_is_named() {
    let Some(gpu) = gpu() else { return };
    let mut gpu = gpu.clone();
    gpu.context.target.has_f16 = false;
    let way_out = "use the CPU, or compute in `f32` (`.to_f32()`)";
    let end = format!("is not supported by {}: {way_out}", gpu.info().name);
    let error = gpu.prepare(&sum_of(ScalarType::F16)).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("f16 (with which `map` at "), "{text}");
    assert!(text.ends_with(&end), "{text}");
    let array = HostArray::new(vec![1], vec![f16::ONE].into()).unwrap();
    let text = gpu.put(&array).unwrap_err().to_string();
    assert_eq!(text, format!("an array of f16 {end}"));
}
