//! Scatters of which the last point wins: points claim elements, the greatest number wins, and the winners write.
//!
//! A claim is a point's number plus one. Nothing is cleared but the claims of elements that have updates, so the cost depends
//! on the number of points alone.

use super::{NO_INDEX, Source};
use crate::Shader;
use crate::target::Unsupported;
use cotangent_core::types::ScalarType;

/// The shaders of a scatter of which the last point wins. Points are those of the kernel's space.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Last {
    /// Leaves what [`Updates`](super::Updates) does; and zero, the least claim, at the indices of the component after that,
    /// which has a word for each element of the target.
    pub updates: Shader,
    /// From indices to claims.
    pub claim: Shader,
    /// From indices, claims and values to elements, for each output.
    pub write: Vec<Shader>,
}

pub(super) fn last(source: &Source) -> Result<Last, Unsupported> {
    Ok(Last {
        updates: updates(source)?,
        claim: claim(source),
        write: (0..source.outputs.len())
            .map(|n| write(source, n))
            .collect(),
    })
}

fn updates(source: &Source) -> Result<Shader, Unsupported> {
    let mut text = source.text();
    source.update(&mut text)?;
    source.leave(&mut text);
    let claims = source.outputs.len() + 1;
    let clear = text.clear(claims, "index");
    text.line(&format!("if index != {NO_INDEX}u {{ {clear} }}"));
    Ok(text.finish())
}

fn claim(source: &Source) -> Shader {
    let mut text = source.text();
    let index = text.left(0, ScalarType::I32, "point");
    text.line(&format!("let index = bitcast<u32>({index});"));
    let claim = text.raise(0, "index", "point + 1u");
    text.line(&format!("if index != {NO_INDEX}u {{ {claim} }}"));
    text.finish()
}

/// What writes output number `n`.
fn write(source: &Source, n: usize) -> Shader {
    let mut text = source.text();
    let index = text.left(0, ScalarType::I32, "point");
    text.line(&format!("let index = bitcast<u32>({index});"));
    text.line(&format!("if index == {NO_INDEX}u {{ continue; }}"));
    let claim = text.left(1, ScalarType::I32, "index");
    text.line(&format!(
        "if bitcast<u32>({claim}) != point + 1u {{ continue; }}"
    ));
    let output = source.outputs[n];
    let value = text.left(n + 2, source.body.type_of(output.value), "point");
    text.store_variable(output.array, "index", &value);
    text.finish()
}
