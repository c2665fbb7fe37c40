//! The functions of the WGSL library on a device, against `Prim::eval`.
//!
//! With `--nocapture` they print the largest error of each. Where there is no device, or one without
//! `f64`, they print so and pass.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test may, also in its helpers.

mod device;
mod points;
mod reference;

use cotangent_core::prim::{self, Prim};
use cotangent_core::types::ScalarType;
use cotangent_shaders::math::{Function, MAX_ERROR, function, library};
use device::{Device, Real};

/// A kernel that applies a function to each pair of arguments.
fn kernel<T: Real>(prim: Prim, function: &'static Function) -> String {
    let ty = T::NAME;
    let operands = if prim.arity() == 1 {
        "x[i]"
    } else {
        "x[i], y[i]"
    };
    let call = format!("{}({operands})", function.name);
    let value = match prim.result_type(&vec![T::TYPE; prim.arity()]) {
        Some(ScalarType::Bool) => format!("select({ty}(0), {ty}(1), {call})"),
        Some(_) | None => call,
    };
    format!(
        "{library}
         @group(0) @binding(0) var<storage, read> x: array<{ty}>;
         @group(0) @binding(1) var<storage, read> y: array<{ty}>;
         @group(0) @binding(2) var<storage, read_write> z: array<{ty}>;
         @compute @workgroup_size(64)
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
             let i = id.x;
             if i < arrayLength(&x) {{ z[i] = {value}; _ = y[i]; }}
         }}",
        library = library([function].into_iter()),
    )
}

/// The largest error and where it is.
struct Worst {
    error: u64,
    place: String,
}

fn worst_of<T: Real>(device: &Device, prim: Prim, function: &'static Function) -> Worst {
    let (x, y) = points::arguments::<T>(prim);
    let found = device.run(&kernel::<T>(prim, function), &x, &y);
    let mut worst = Worst {
        error: 0,
        place: String::new(),
    };
    for ((x, y), found) in x.into_iter().zip(y).zip(found) {
        let error = reference::error(prim, (x, y), found);
        if error > worst.error {
            let expected = reference::value(prim, x, y);
            let place = format!("({x:e}, {y:e}): {found:e} for {expected:e}");
            worst = Worst { error, place };
        }
    }
    worst
}

fn check_all<T: Real>() {
    let Some(device) = Device::open(T::FEATURES) else {
        println!("skipped: no GPU adapter with {:?}", T::FEATURES);
        return;
    };
    let mut bad = Vec::new();
    for prim in prim::ALL {
        if let Some(function) = function(prim, T::TYPE) {
            let worst = worst_of::<T>(&device, prim, function);
            let line = format!("{}: {} at {}", function.name, worst.error, worst.place);
            println!("{line}");
            if worst.error > MAX_ERROR {
                bad.push(line);
            }
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn single_functions_are_accurate() {
    check_all::<f32>();
}

#[test]
fn double_functions_are_accurate() {
    check_all::<f64>();
}
