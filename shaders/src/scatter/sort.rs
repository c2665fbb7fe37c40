//! Points sorted by the indices of their updates, those of one index in their order: a radix sort, digit by digit from the
//! lowest.
//!
//! The sequence is cut into parts, one invocation each. A part counts its digits; what comes before each count, in the
//! order of digits and then of parts, is where the part's first key of that digit goes. Counts are added up in blocks, the
//! sums of blocks likewise, until there is one block; then back. No loop is longer than a part, a block, or the digits.
//!
//! Keys are indices; no index counts as that after the last element, so that it comes last.

use super::Source;
use crate::body::Text;
use crate::{Parameter, Shader};
use cotangent_core::types::ScalarType::I32;

/// The bits of a digit.
pub const DIGIT_BITS: u32 = 5;
/// The digits.
const RADIX: u32 = 1 << DIGIT_BITS;

/// The shaders that sort. Points are parts, or blocks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sorting {
    /// From keys to counts: of digit d in part p at d × parts + p, 2 to the [`DIGIT_BITS`] a part.
    pub count: Shader,
    /// From numbers to the sums of their blocks.
    pub sums: Shader,
    /// From numbers that are one block to what comes before each.
    pub before: Shader,
    /// From numbers, and what comes before their blocks, to what comes before each.
    pub before_in_blocks: Shader,
    /// From keys, and what comes before the counts of digits, to keys in order, and the positions they had.
    pub reorder: Shader,
    /// The same from keys, what comes before, and earlier positions, to keys in order, and the earliest positions.
    pub reorder_again: Shader,
}

pub(super) fn sorting(source: &Source) -> Sorting {
    Sorting {
        count: count(source),
        sums: sums(source),
        before: before(source, false),
        before_in_blocks: before(source, true),
        reorder: reorder(source, false),
        reorder_again: reorder(source, true),
    }
}

/// Declares the positions of a part of a sequence: `begin` to `end`.
pub(super) fn part(text: &mut Text) {
    let length = text.word(Parameter::PartLength);
    let inner = text.word(Parameter::Inner);
    text.line(&format!("let begin = point * {length};"));
    text.line(&format!("let end = min(begin + {length}, {inner});"));
}

/// Declares `key`, that of position `i`, and `digit`.
fn digit(text: &mut Text) {
    let key = text.left(0, I32, "i");
    let shift = text.word(Parameter::Digit);
    let most = RADIX - 1;
    text.line(&format!("let key = bitcast<u32>({key});"));
    text.line(&format!(
        "let digit = (min(key, elements) >> {shift}) & {most}u;"
    ));
}

fn count(source: &Source) -> Shader {
    let mut text = source.text();
    part(&mut text);
    source.elements(&mut text);
    text.line(&format!("var counts = array<u32, {RADIX}>();"));
    text.line("for (var i = begin; i < end; i++) {");
    digit(&mut text);
    text.line("counts[digit] += 1u;");
    text.line("}");
    let parts = text.word(Parameter::Parts);
    text.line(&format!("for (var d = 0u; d < {RADIX}u; d++) {{"));
    let position = format!("d * {parts} + point");
    text.leave(0, I32, &position, "bitcast<i32>(counts[d])");
    text.line("}");
    text.finish()
}

fn sums(source: &Source) -> Shader {
    let mut text = source.text();
    part(&mut text);
    text.line("var sum = 0i;");
    text.line("for (var i = begin; i < end; i++) {");
    let number = text.left(0, I32, "i");
    text.line(&format!("sum += {number};"));
    text.line("}");
    text.leave(0, I32, "point", "sum");
    text.finish()
}

fn before(source: &Source, in_blocks: bool) -> Shader {
    let mut text = source.text();
    part(&mut text);
    let first = match in_blocks {
        true => text.left(1, I32, "point"),
        false => "0i".to_owned(),
    };
    text.line(&format!("var sum = {first};"));
    text.line("for (var i = begin; i < end; i++) {");
    text.leave(0, I32, "i", "sum");
    let number = text.left(0, I32, "i");
    text.line(&format!("sum += {number};"));
    text.line("}");
    text.finish()
}

fn reorder(source: &Source, again: bool) -> Shader {
    let mut text = source.text();
    part(&mut text);
    source.elements(&mut text);
    let parts = text.word(Parameter::Parts);
    text.line(&format!("var next = array<u32, {RADIX}>();"));
    text.line(&format!("for (var d = 0u; d < {RADIX}u; d++) {{"));
    let first = text.left(1, I32, &format!("d * {parts} + point"));
    text.line(&format!("next[d] = bitcast<u32>({first});"));
    text.line("}");
    text.line("for (var i = begin; i < end; i++) {");
    digit(&mut text);
    text.line("let at = next[digit];");
    text.line("next[digit] = at + 1u;");
    text.leave(0, I32, "at", "bitcast<i32>(key)");
    let position = match again {
        true => text.left(2, I32, "i"),
        false => "bitcast<i32>(i)".to_owned(),
    };
    text.leave(1, I32, "at", &position);
    text.line("}");
    text.finish()
}
