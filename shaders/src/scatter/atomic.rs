//! Scatters that add atomically: integers, of which the order does not show, and floats where it may.

use super::{NO_INDEX, Source};
use crate::Shader;
use crate::access::Atomic;
use crate::body::name;
use crate::target::{Target, Unsupported};
use cotangent_core::integer_type;
use cotangent_core::types::ScalarType;

/// How values of a type are added atomically, where they can be.
fn adding(ty: ScalarType, target: &Target) -> Option<Atomic> {
    match ty {
        ScalarType::I32 | ScalarType::U32 => Some(Atomic::Add),
        ScalarType::I8 | ScalarType::I16 | ScalarType::U8 | ScalarType::U16 => Some(Atomic::Add),
        ScalarType::I64 | ScalarType::U64 if target.has_i64_atomics => Some(Atomic::Add),
        ScalarType::F32 if target.adds_in_any_order && target.has_f32_atomics => Some(Atomic::Add),
        ScalarType::F32 if target.adds_in_any_order => Some(Atomic::Exchange("u32")),
        ScalarType::F64 if target.adds_in_any_order && target.has_i64_atomics => {
            Some(Atomic::Exchange("u64"))
        }
        integer_type!() | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => None,
        ScalarType::Bool => None,
    }
}

/// The shader, if all outputs can be added to atomically. Points are those of the kernel's space.
pub(super) fn atomic(source: &Source) -> Result<Option<Shader>, Unsupported> {
    let adding = source.types().map(|ty| adding(ty, source.target));
    let Some(adding) = adding.collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let mut text = source.text();
    source.update(&mut text)?;
    text.line(&format!("if index == {NO_INDEX}u {{ continue; }}"));
    for (output, adding) in source.outputs.iter().zip(adding) {
        text.add_atomically(output.array, "index", (&name(output.value), adding));
    }
    Ok(Some(text.finish()))
}
