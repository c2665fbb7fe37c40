//! Maps: one invocation a point.

use crate::body::Text;
use crate::target::{Target, Unsupported};
use crate::{Parameter, Shader};
use cotangent_core::schedule::{Kernel, KernelKind, Schedule};

/// The shader of a map.
///
/// Invocations count through x, then y; each takes one point from [`Parameter::First`] on, those from
/// [`Parameter::End`] on none.
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
            let (kernel, loc) = (kernel.name, kernel.loc);
            return Err(Unsupported::Form { kernel, loc });
        }
    };
    let mut text = Text::new(schedule, kernel, target);
    let (first, end) = (text.word(Parameter::First), text.word(Parameter::End));
    let workgroup = target.workgroup;
    text.line(&format!(
        "let number = id.x + id.y * groups.x * {workgroup}u;"
    ));
    text.line(&format!("if number >= {end} - {first} {{ return; }}"));
    text.line(&format!("let point = {first} + number;"));
    text.coordinates("point", &kernel.space);
    let roots: Vec<_> = outputs.iter().map(|output| output.value).collect();
    text.values(body, &roots)?;
    text.store(body, outputs, "point");
    Ok(text.finish())
}
