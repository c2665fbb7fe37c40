//! Scatters: each point says where it sends what.
//!
//! What arrives at one place is combined in the order of the points, which no invocation knows of another; so the shader
//! puts down what is sent, and whoever runs it does the rest.

use crate::body::{Text, name};
use crate::target::{Target, Unsupported};
use crate::{Parameter, Shader};
use cotangent_core::schedule::{Kernel, KernelKind, Schedule};
use cotangent_core::types::ScalarType;

/// The position that a point leaves which sends nothing.
pub const NOWHERE: u32 = u32::MAX;

/// The shader of a scatter. Points are those of the kernel's space.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sending {
    /// Leaves, for each point, the row-major position in the target as component 0, or [`NOWHERE`], and the values as
    /// the components that follow. An index out of range is a failure.
    pub shader: Shader,
    /// The types of what is left: that of positions first.
    pub types: Vec<ScalarType>,
}

/// The shader of a scatter.
///
/// # Errors
/// Where the kernel is of another form, and where the device lacks a type or a function.
pub fn scatter(
    schedule: &Schedule,
    kernel: &Kernel,
    target: &Target,
) -> Result<Sending, Unsupported> {
    let (body, guard, index, outputs) = match &kernel.kind {
        KernelKind::Scatter {
            body,
            guard,
            target,
            site: _,
            combine: _,
            outputs,
        } => (body, *guard, target, outputs),
        KernelKind::Map { .. }
        | KernelKind::Reduce { .. }
        | KernelKind::Contract { .. }
        | KernelKind::Scan { .. } => {
            return Err(Unsupported::form(kernel));
        }
    };
    let mut text = Text::new(schedule, kernel, target);
    text.begin();
    text.coordinates("point", 0, &kernel.space);
    let values = outputs.iter().map(|output| output.value);
    let roots: Vec<_> = values.chain([guard]).chain(index.iter().copied()).collect();
    text.values(body, &roots)?;
    let extents = outputs
        .first()
        .map(|o| &schedule.arrays[o.array.index()].extents);
    let extents = extents.into_iter().flatten();
    let extents: Vec<_> = extents.map(|&s| text.word(Parameter::Symbol(s))).collect();
    let index: Vec<_> = index.iter().map(|&v| name(v)).collect();
    text.place(&name(guard), &index, &extents);
    text.leave(0, ScalarType::I32, "point", "bitcast<i32>(place)");
    for (n, output) in outputs.iter().enumerate() {
        let ty = body.type_of(output.value);
        text.leave(n + 1, ty, "point", &name(output.value));
    }
    let types = outputs.iter().map(|output| body.type_of(output.value));
    Ok(Sending {
        types: [ScalarType::I32].into_iter().chain(types).collect(),
        shader: text.finish(),
    })
}
