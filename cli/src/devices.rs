//! `cotangent devices`: the GPUs that programs can run on.
//!
//! Exit status: 0 if there is one, 1 if there is none, 2 if this binary was built without GPUs or standard output cannot
//! be written.

#[cfg(feature = "gpu")]
use crate::adbench::to_stdout;
use crate::adbench::{TaskError, to_stderr};
use std::process::ExitCode;

/// What `--help` ends with.
const EXAMPLES: &str = "\
A line has the name, what it is (discrete GPU, integrated GPU, virtual GPU, software for a driver that
computes without a GPU), the interface and the driver, the types it computes with, and the largest array. The first,
marked with *, is the one that runs programs where none is named.

Examples:
  cotangent devices
  cotangent devices --json
  cotangent adbench gmm --gpu llvmpipe --precision f32    # any part of the name

Exit status: 0 if there is a device, 1 if there is none (the text says what to install).";

/// `cotangent devices`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Print a JSON array with an object for each device, which is empty where there is none.
    #[arg(long)]
    json: bool,
}

/// Prints the devices.
pub fn run(options: &Options) -> ExitCode {
    match list(options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            to_stderr(&format!("error: {error}"));
            ExitCode::from(2)
        }
    }
}

#[cfg(not(feature = "gpu"))]
fn list(_options: &Options) -> Result<bool, TaskError> {
    Err(TaskError::WithoutGpu)
}

/// Prints them; gives whether there are any.
#[cfg(feature = "gpu")]
fn list(options: &Options) -> Result<bool, TaskError> {
    let devices = cotangent::devices();
    let text = match (options.json, devices.is_empty()) {
        (true, _) => json(&devices),
        (false, true) => none(),
        (false, false) => lines(&devices),
    };
    to_stdout(&text)?;
    Ok(!devices.is_empty())
}

/// What is said where there is no device.
#[cfg(feature = "gpu")]
fn none() -> String {
    let error = cotangent::GpuError::NoDevice {
        wanted: None,
        found: vec![],
    };
    error.to_string()
}

#[cfg(feature = "gpu")]
fn lines(devices: &[cotangent::DeviceInfo]) -> String {
    let marks = std::iter::once("*").chain(std::iter::repeat(" "));
    let lines = devices.iter().zip(marks);
    let lines: Vec<_> = lines.map(|(d, mark)| format!("{mark} {d}")).collect();
    lines.join("\n")
}

#[cfg(feature = "gpu")]
fn json(devices: &[cotangent::DeviceInfo]) -> String {
    let object = |(position, device): (usize, &cotangent::DeviceInfo)| {
        serde_json::json!({
            "name": device.name,
            "kind": device.kind.to_string(),
            "interface": device.interface,
            "driver": device.driver,
            "has_f64": device.has_f64,
            "has_i64": device.has_i64,
            "has_f16": device.has_f16,
            "max_array_bytes": device.max_array_bytes,
            "is_first_choice": position == 0,
        })
    };
    serde_json::Value::from_iter(devices.iter().enumerate().map(object)).to_string()
}
