//! Maps: one invocation a point.

use crate::Shader;
use crate::body::Text;
use crate::target::{Target, Unsupported};
use cotangent_core::schedule::{Kernel, KernelKind, Schedule};

/// The shader of a map.
///
/// # Errors
/// Where the kernel is of another form, and where the device lacks a type or a function.
pub fn map(schedule: &Schedule, kernel: &Kernel, target: &Target) -> Result<Shader, Unsupported> {
    let (body, outputs) = match &kernel.kind {
        KernelKind::Map { body, outputs } => (body, outputs),
        KernelKind::Reduce { .. }
        | KernelKind::Contract { .. }
        | KernelKind::Scan { .. }
        | KernelKind::Scatter { .. } => {
            return Err(Unsupported::form(kernel));
        }
    };
    let mut text = Text::new(schedule, kernel, target);
    text.begin();
    text.coordinates("point", 0, &kernel.space);
    let roots: Vec<_> = outputs.iter().map(|output| output.value).collect();
    text.values(body, &roots)?;
    text.store(outputs, "point");
    Ok(text.finish())
}
