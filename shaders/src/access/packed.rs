//! Elements of which several are in a word: integers of 8 and 16 bits, the first one in the lowest bits.
//!
//! Other invocations may write the other elements of a word at the same time, so words that are written are atomic: one
//! function makes the element's bits zeros, one sets those that are to be ones, and neither touches other bits. An element
//! is written by one invocation at a time, as it is wherever elements are words, so that nobody sees it in between.

use crate::types::{is_packed, of_value};
use cotangent_core::types::ScalarType;

/// How elements of a type lie in words.
#[derive(Clone, Copy)]
pub(super) struct Packed(ScalarType);

impl Packed {
    /// Of a type whose elements do.
    pub fn of(ty: ScalarType) -> Option<Self> {
        is_packed(ty).then_some(Self(ty))
    }

    fn bits(self) -> usize {
        8 * self.0.bytes()
    }

    /// The number of the word of element `at`.
    pub fn word(self, at: &str) -> String {
        format!("({at} >> {}u)", (32 / self.bits()).ilog2())
    }

    /// Declares `shift`: the lowest bit of element `at` in its word.
    fn shift(self, at: &str) -> String {
        let (mask, log) = (32 / self.bits() - 1, self.bits().ilog2());
        format!("let shift = ({at} & {mask}u) << {log}u;")
    }

    /// Returns an element of a word, which is atomic where the shader writes to the memory.
    pub fn read(self, (at, word): (&str, &str), is_atomic: bool) -> String {
        let (shift, bits, ty) = (self.shift(at), self.bits(), of_value(self.0));
        let word = match is_atomic {
            true => format!("atomicLoad(&{word})"),
            false => word.to_owned(),
        };
        format!("{shift} return extractBits({ty}({word}), shift, {bits}u);")
    }

    /// Makes `value` an element of a word.
    pub fn write(self, (at, word): (&str, &str)) -> String {
        let (shift, ones) = (self.shift(at), (1_u64 << self.bits()) - 1);
        format!(
            "{shift} atomicAnd(&{word}, ~({ones}u << shift)); \
             atomicOr(&{word}, (u32(value) & {ones}u) << shift);"
        )
    }

    /// Adds `value` to an element of a word, by trying until nobody else came between.
    pub fn add(self, (at, word): (&str, &str)) -> String {
        let (shift, bits) = (self.shift(at), self.bits());
        let sum = format!("extractBits(old, shift, {bits}u) + u32(value)");
        format!(
            "{shift} var old = atomicLoad(&{word}); loop {{ let sum = insertBits(old, {sum}, shift, {bits}u); \
             let found = atomicCompareExchangeWeak(&{word}, old, sum); \
             if found.exchanged {{ break; }} old = found.old_value; }}"
        )
    }
}
