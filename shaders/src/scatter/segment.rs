//! Segmented sums: updates of one element are added up, once they are neighbours.
//!
//! The sequence is cut into parts, one invocation each. A segment, which is a run of updates of one index, is done with if it
//! lies within a part: its total is added to the element, by nobody else. Only the first and the last segment of a part may go
//! on in other parts: their totals are left as a sequence of updates, two a part and still sorted, that the same is done with,
//! until there is one part. So each element is written once, and the order of combination depends on the indices alone.
//!
//! One part may be of any order: its segments are added up, one after the other.

use super::sort::{Sorting, part, sorting};
use super::table::{Table, table};
use super::{NO_INDEX, Source};
use crate::body::Text;
use crate::types::{of_sum, of_value};
use crate::{Parameter, Shader};
use cotangent_core::schedule::{ArrayId, Output};
use cotangent_core::types::ScalarType::{self, I32};

/// The shaders of a scatter that adds in an order that is the same each time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ordered {
    /// What sorts points by their indices.
    pub sorting: Sorting,
    /// What adds up, for each output.
    pub adding: Vec<Adding>,
}

/// The shaders that add up the values of one output. Points are parts, those of tables apart.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Adding {
    /// From sorted indices, values by point, and the points in the order of their indices, to elements, and to updates: indices
    /// and totals.
    pub points: Shader,
    /// From updates to elements, and to fewer updates.
    pub totals: Shader,
    /// The way without sorting.
    pub table: Table,
    /// The type of values and totals.
    pub ty: ScalarType,
}

pub(super) fn ordered(source: &Source) -> Ordered {
    let adding = |output: &Output| {
        let ty = of_sum(source.body.type_of(output.value));
        Adding {
            points: segments(source, (output.array, ty), true),
            totals: segments(source, (output.array, ty), false),
            table: table(source, (output.array, ty)),
            ty,
        }
    };
    Ordered {
        sorting: sorting(source),
        adding: source.outputs.iter().map(adding).collect(),
    }
}

fn segments(source: &Source, (array, ty): (ArrayId, ScalarType), of_points: bool) -> Shader {
    let mut text = source.text();
    part(&mut text);
    let parts = text.word(Parameter::Parts);
    let no_index = format!("bitcast<i32>({NO_INDEX}u)");
    text.line(&format!("let is_alone = {parts} == 1u;"));
    text.line("let first = 2u * point;");
    text.line("let last = first + 1u;");
    text.line(&format!("let no_index = {no_index};"));
    text.leave(0, I32, "first", "no_index");
    text.leave(0, I32, "last", "no_index");
    text.line("var has_total = false;");
    text.line("var is_first = true;");
    text.line("var index = 0i;");
    text.line(&format!("var total = {}();", of_value(ty)));
    text.line("for (var i = begin; i < end; i++) {");
    let next = text.left(0, I32, "i");
    text.line(&format!("let next = {next};"));
    text.line("if next == no_index { continue; }");
    let position = match of_points {
        true => format!("bitcast<u32>({})", text.left(2, I32, "i")),
        false => "i".to_owned(),
    };
    let value = text.left(1, ty, &position);
    text.line(&format!("let value = {value};"));
    text.line("if has_total & (next == index) { total = total + value; continue; }");
    text.line("if has_total {");
    done(
        source,
        &mut text,
        (array, ty),
        ("is_alone | !is_first", "first"),
    );
    text.line("is_first = false;");
    text.line("}");
    text.line("has_total = true;");
    text.line("index = next;");
    text.line("total = value;");
    text.line("}");
    text.line("if !has_total { return; }");
    done(source, &mut text, (array, ty), ("is_alone", "last"));
    text.finish()
}

/// Adds the total to its element if it is complete, else leaves it.
fn done(
    source: &Source,
    text: &mut Text,
    (array, ty): (ArrayId, ScalarType),
    (is_complete, position): (&str, &str),
) {
    text.line(&format!("if {is_complete} {{"));
    let index = "bitcast<u32>(index)";
    let element = source.element(text, (array, ty), index);
    text.line(&format!("let sum = {element} + total;"));
    source.store(text, (array, ty), index, "sum");
    text.line("} else {");
    text.leave(0, I32, position, "index");
    text.leave(1, ty, position, "total");
    text.line("}");
}
