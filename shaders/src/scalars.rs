//! Scalar code between kernels, on the device: one invocation, so that the host need not wait for what it computes.

use crate::Shader;
use crate::body::{Text, name};
use crate::target::{Target, Unsupported};
use cotangent_core::backend::Site;
use cotangent_core::loc::Loc;
use cotangent_core::schedule::{Body, Schedule, SymbolId, ValueId};
use cotangent_core::types::ScalarType;

/// The shader of scalar code. There is one point.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Scalars {
    /// Leaves the value of each symbol that is defined as the one element of a component, in their order.
    pub shader: Shader,
    /// The types of what is left.
    pub types: Vec<ScalarType>,
}

/// The shader of scalar code that defines symbols.
///
/// # Errors
/// Where the device lacks a type or a function.
pub fn scalars(
    schedule: &Schedule,
    (body, defines): (&Body, &[(SymbolId, ValueId)]),
    target: &Target,
) -> Result<Scalars, Unsupported> {
    let origin = Site {
        construct: "scalar code",
        loc: Loc::UNKNOWN,
    };
    let mut text = Text::of(schedule, origin, target);
    text.begin();
    // All that may fail, whether anything needs it or not: the host evaluates everything, too.
    let loads = body
        .iter()
        .filter(|(_, inst)| inst.op.may_fail())
        .map(|(v, _)| v);
    let roots: Vec<_> = defines.iter().map(|&(_, v)| v).chain(loads).collect();
    text.values(body, &roots)?;
    for (n, &(_, value)) in defines.iter().enumerate() {
        text.leave(n, body.type_of(value), "0u", &name(value));
    }
    let types = defines.iter().map(|&(_, value)| body.type_of(value));
    Ok(Scalars {
        types: types.collect(),
        shader: text.finish(),
    })
}
