//! The devices that tests run on.

use cotangent_examples::device::Device;
use cotangent_examples::error::{ExampleError, Result};
use std::fmt::Debug;
use std::io::Write;
use std::sync::LazyLock;

/// The first GPU, opened once.
static GPU: LazyLock<Result<Device>> = LazyLock::new(Device::gpu);

/// Runs on 1 and 3 threads, which have to give the same, and on the GPU. `is_right` is asked of both results.
#[track_caller]
pub fn everywhere<T: PartialEq + Debug>(
    run: impl Fn(&Device) -> Result<T>,
    is_right: impl Fn(&T) -> bool,
) {
    let found = [1, 3].map(|threads| run(&Device::cpu(Some(threads)).unwrap()).unwrap());
    assert_eq!(found[0], found[1], "1 and 3 threads");
    assert!(is_right(&found[0]), "CPU: {:?}", found[0]);
    match on_gpu(run) {
        Err(reason) => skipped(&reason),
        Ok(found) => assert!(is_right(&found), "GPU: {found:?}"),
    }
}

/// The result on the GPU, or why it has none: there is no GPU, or it lacks a type.
fn on_gpu<T>(run: impl Fn(&Device) -> Result<T>) -> std::result::Result<T, String> {
    let gpu = GPU.as_ref().map_err(ToString::to_string)?;
    match run(gpu) {
        Err(ExampleError::Program(cotangent::Error::Run(
            error @ cotangent::RunError::Unsupported { .. },
        ))) => Err(error.to_string()),
        result => Ok(result.unwrap()),
    }
}

/// Says past the test harness, which shows nothing of tests that pass, that a test is skipped on the GPU.
fn skipped(reason: &str) {
    let _nobody_listens = writeln!(std::io::stderr(), "skipped on the GPU: {reason}");
}
