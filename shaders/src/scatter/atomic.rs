//! Scatters that add atomically: integers, of which the order does not show, and floats where it may.

use super::{NOWHERE, Source};
use crate::Shader;
use crate::body::{Text, name};
use crate::target::{Target, Unsupported};
use cotangent_core::schedule::Output;
use cotangent_core::types::ScalarType;

/// How values of a type are added atomically.
#[derive(Clone, Copy)]
enum Adding {
    /// By a function of the device's, on memory of this type.
    Function(&'static str),
    /// By trying until nobody else came between, on memory of the type `atomic`, of words of the type `bits`.
    Exchange {
        atomic: &'static str,
        bits: &'static str,
    },
}

fn adding(ty: ScalarType, target: &Target) -> Option<Adding> {
    let exchange = |atomic, bits| Adding::Exchange { atomic, bits };
    match ty {
        ScalarType::I32 => Some(Adding::Function("atomic<i32>")),
        ScalarType::U32 => Some(Adding::Function("atomic<u32>")),
        ScalarType::I64 if target.has_i64_atomics => Some(Adding::Function("atomic<i64>")),
        ScalarType::F32 if target.adds_in_any_order && target.has_f32_atomics => {
            Some(Adding::Function("atomic<f32>"))
        }
        ScalarType::F32 if target.adds_in_any_order => Some(exchange("atomic<u32>", "u32")),
        ScalarType::F64 if target.adds_in_any_order && target.has_i64_atomics => {
            Some(exchange("atomic<u64>", "u64"))
        }
        ScalarType::I64 | ScalarType::F32 | ScalarType::F64 | ScalarType::Bool => None,
    }
}

/// The shader, if all outputs can be added to atomically. Points are those of the kernel's space.
pub(super) fn at_once(source: &Source) -> Result<Option<Shader>, Unsupported> {
    let adding = source.types().map(|ty| adding(ty, source.target));
    let Some(adding) = adding.collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let mut text = source.text();
    source.place(&mut text)?;
    text.line(&format!("if place == {NOWHERE}u {{ return; }}"));
    for (output, adding) in source.outputs.iter().zip(adding) {
        let ty = source.body.type_of(output.value);
        add(&mut text, output, (ty, adding));
    }
    Ok(Some(text.finish()))
}

fn add(text: &mut Text, output: &Output, (ty, adding): (ScalarType, Adding)) {
    let value = name(output.value);
    match adding {
        Adding::Function(atomic) => {
            let element = text.atomic_element(output.array, "place", atomic);
            text.line(&format!("atomicAdd({element}, {value});"));
        }
        Adding::Exchange { atomic, bits } => {
            let element = text.atomic_element(output.array, "place", atomic);
            // A scope of its own: other outputs have the same names.
            text.line("{");
            text.line(&format!("var old = atomicLoad({element});"));
            text.line("loop {");
            text.line(&format!(
                "let sum = bitcast<{bits}>(bitcast<{ty}>(old) + {value});"
            ));
            text.line(&format!(
                "let found = atomicCompareExchangeWeak({element}, old, sum);"
            ));
            text.line("if found.exchanged { break; }");
            text.line("old = found.old_value;");
            text.line("}");
            text.line("}");
        }
    }
}
