//! Values that are added up where the target has few elements: parts of the points have a row of totals each, one total for
//! each element; then rows are added up, by groups, until there is one.
//!
//! So the order of combination depends on the extents alone. Points of a part are as far from each other as there are
//! parts, so that neighbours among invocations read neighbours in memory.

use super::{NO_INDEX, Source};
use crate::body::Text;
use crate::types::of_value;
use crate::{Parameter, Shader};
use cotangent_core::integer_type;
use cotangent_core::schedule::ArrayId;
use cotangent_core::types::ScalarType::{self, I32};

/// The shaders that add up the values of one output by rows of totals.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Table {
    /// Leaves what adds nothing. Points are totals.
    pub clear: Shader,
    /// From indices and values, by point, to totals that are clear. Points are parts.
    pub add: Shader,
    /// From rows to fewer. Points are totals.
    pub merge: Shader,
    /// From rows to elements. Points are elements.
    pub last: Shader,
}

pub(super) fn table(source: &Source, (array, ty): (ArrayId, ScalarType)) -> Table {
    Table {
        clear: clear(source, ty),
        add: add(source, ty),
        merge: merge(source, ty, None),
        last: merge(source, ty, Some(array)),
    }
}

/// What changes nothing that it is added to, negative zeros included.
fn nothing(ty: ScalarType) -> String {
    match ty {
        ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => format!("-{}()", of_value(ty)),
        ScalarType::Bool | integer_type!() => {
            format!("{}()", of_value(ty))
        }
    }
}

fn clear(source: &Source, ty: ScalarType) -> Shader {
    let mut text = source.text();
    text.line(&format!("let nothing = {};", nothing(ty)));
    text.leave(0, ty, "point", "nothing");
    text.finish()
}

fn add(source: &Source, ty: ScalarType) -> Shader {
    let mut text = source.text();
    source.elements(&mut text);
    let (inner, parts) = (text.word(Parameter::Inner), text.word(Parameter::Parts));
    text.line(&format!(
        "for (var i = point; i < {inner}; i += {parts}) {{"
    ));
    let index = text.left(0, I32, "i");
    text.line(&format!("let index = bitcast<u32>({index});"));
    text.line(&format!("if index == {NO_INDEX}u {{ continue; }}"));
    text.line("let at = point * elements + index;");
    let (total, value) = (text.own(0, ty, "at"), text.left(1, ty, "i"));
    text.line(&format!("let sum = {total} + {value};"));
    text.leave(0, ty, "at", "sum");
    text.line("}");
    text.finish()
}

/// Adds up groups of rows, or all rows and an array's elements.
fn merge(source: &Source, ty: ScalarType, array: Option<ArrayId>) -> Shader {
    let mut text = source.text();
    source.elements(&mut text);
    rows(&mut text);
    text.line(&format!("var total = {};", nothing(ty)));
    text.line("for (var row = begin; row < end; row++) {");
    let value = text.left(0, ty, "row * elements + point % elements");
    text.line(&format!("total = total + {value};"));
    text.line("}");
    match array {
        None => text.leave(0, ty, "point", "total"),
        Some(array) => {
            let element = source.element(&mut text, (array, ty), "point");
            text.line(&format!("let sum = {element} + total;"));
            source.store(&mut text, (array, ty), "point", "sum");
        }
    }
    text.finish()
}

/// Declares the rows of a group: `begin` to `end`.
fn rows(text: &mut Text) {
    let (inner, length) = (
        text.word(Parameter::Inner),
        text.word(Parameter::PartLength),
    );
    text.line(&format!("let begin = point / elements * {length};"));
    text.line(&format!("let end = min(begin + {length}, {inner});"));
}
