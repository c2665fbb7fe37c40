//! Constants from their text: what `Display` writes comes back to the bit.
//!
//! The suffix tells the type; without one, digits alone are an `i32`, anything else an `f64`. A float may have more digits
//! than it has room for and is rounded; one beyond the greatest is refused rather than taken for an infinity.

use super::Const;
use crate::integer_const;
use crate::integer_type;
use crate::rounding::{f16, f16_of_f64};
use crate::types::ScalarType;
use std::str::FromStr;

/// Why a text is no constant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstError {
    /// It is not written as one of that type.
    #[error("`{text}` is no constant of type {ty}")]
    Form {
        /// The text.
        text: String,
        /// The type that its suffix, or its having none, stands for.
        ty: ScalarType,
    },
    /// The type has no such number.
    #[error("`{text}` is beyond the numbers of type {ty}")]
    Range {
        /// The text.
        text: String,
        /// The type that its suffix, or its having none, stands for.
        ty: ScalarType,
    },
}

/// What stands before the bits of a NaN.
const NAN: &str = "nan:";
/// The types whose constants end with their names. `f64` is not among them, nor are NaNs of it.
const SUFFIXES: [ScalarType; 9] = [
    ScalarType::I8,
    ScalarType::I16,
    ScalarType::I64,
    ScalarType::U8,
    ScalarType::U16,
    ScalarType::U32,
    ScalarType::U64,
    ScalarType::F16,
    ScalarType::F32,
];

impl FromStr for Const {
    type Err = ConstError;

    /// The constant that `Display` writes so.
    ///
    /// ```
    /// use cotangent_core::constant::Const;
    /// for (text, value) in [("-1", Const::I32(-1)), ("7u32", Const::U32(7)), ("-0.0", Const::F64(-0.0))] {
    ///     assert_eq!(text.parse(), Ok(value));
    ///     assert_eq!(value.to_string(), text);
    /// }
    /// assert!("4294967296u32".parse::<Const>().is_err());
    /// ```
    fn from_str(text: &str) -> Result<Self, ConstError> {
        let (digits, ty) = suffix(text);
        if ty == ScalarType::Bool {
            return Ok(Self::Bool(digits == "true"));
        }
        let read = match digits.strip_prefix(NAN) {
            Some(bits) => nan(bits, ty),
            None => number(digits, ty),
        };
        let text = text.to_owned();
        read.map_err(|wrong| match wrong {
            Wrong::Form => ConstError::Form { text, ty },
            Wrong::Range => ConstError::Range { text, ty },
        })
    }
}

/// What can be wrong.
enum Wrong {
    Form,
    Range,
}

/// The text before the suffix, and the type.
fn suffix(text: &str) -> (&str, ScalarType) {
    let is_whole = || digits_only(text.strip_prefix('-').unwrap_or(text));
    let mut suffixes = SUFFIXES.into_iter();
    let with_suffix = |ty: ScalarType| {
        let digits = text.strip_suffix(ty.name())?;
        // The bits of a NaN may end as the suffix of another type does; their number tells.
        let is_other = digits
            .strip_prefix(NAN)
            .is_some_and(|bits| bits.len() != 2 * ty.bytes());
        (!is_other).then_some((digits, ty))
    };
    match suffixes.find_map(with_suffix) {
        Some(found) => found,
        None if matches!(text, "true" | "false") => (text, ScalarType::Bool),
        None if is_whole() => (text, ScalarType::I32),
        None => (text, ScalarType::F64),
    }
}

fn digits_only(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn nan(bits: &str, ty: ScalarType) -> Result<Const, Wrong> {
    if bits.len() != 2 * ty.bytes() {
        return Err(Wrong::Form);
    }
    let bits = u64::from_str_radix(bits, 16).map_err(|_| Wrong::Form)?;
    let value = match ty {
        ScalarType::F16 => Const::F16(f16::from_bits(bits as u16)),
        ScalarType::F32 => Const::F32(f32::from_bits(bits as u32)),
        ScalarType::F64 => Const::F64(f64::from_bits(bits)),
        ScalarType::Bool | integer_type!() => {
            return Err(Wrong::Form);
        }
    };
    match value {
        Const::F16(x) if x.is_nan() => Ok(value),
        Const::F32(x) if x.is_nan() => Ok(value),
        Const::F64(x) if x.is_nan() => Ok(value),
        Const::Bool(_) | integer_const!() => Err(Wrong::Form),
        Const::F16(_) | Const::F32(_) | Const::F64(_) => Err(Wrong::Range),
    }
}

fn number(text: &str, ty: ScalarType) -> Result<Const, Wrong> {
    match ty {
        ScalarType::I8 => integer(text).map(Const::I8),
        ScalarType::I16 => integer(text).map(Const::I16),
        ScalarType::I32 => integer(text).map(Const::I32),
        ScalarType::I64 => integer(text).map(Const::I64),
        ScalarType::U8 => integer(text).map(Const::U8),
        ScalarType::U16 => integer(text).map(Const::U16),
        ScalarType::U32 => integer(text).map(Const::U32),
        ScalarType::U64 => integer(text).map(Const::U64),
        ScalarType::F16 => float(text, |t| Ok(f16_of_f64(t.parse()?)), f16::is_infinite),
        ScalarType::F32 => float(text, f32::from_str, f32::is_infinite),
        ScalarType::F64 => float(text, f64::from_str, f64::is_infinite),
        ScalarType::Bool => Err(Wrong::Form),
    }
}

fn integer<T: FromStr>(text: &str) -> Result<T, Wrong> {
    if !digits_only(text.strip_prefix('-').unwrap_or(text)) {
        return Err(Wrong::Form);
    }
    text.parse().map_err(|_| Wrong::Range)
}

fn float<T: Copy>(
    text: &str,
    read: impl Fn(&str) -> Result<T, std::num::ParseFloatError>,
    is_infinite: impl Fn(T) -> bool,
) -> Result<Const, Wrong>
where
    Const: From<T>,
{
    let magnitude = text.strip_prefix('-').unwrap_or(text);
    let infinite = magnitude == "inf";
    // Of the words that Rust reads as floats, `inf` is the only one; nor is there a plus, or a point in front.
    if !infinite && !magnitude.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(Wrong::Form);
    }
    let value = read(text).map_err(|_| Wrong::Form)?;
    match is_infinite(value) == infinite {
        true => Ok(Const::from(value)),
        false => Err(Wrong::Range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(value: Const) {
        assert_eq!(value.to_string().parse(), Ok(value), "{value}");
    }

    #[test]
    fn every_half_comes_back() {
        for bits in 0..=u16::MAX {
            back(Const::F16(f16::from_bits(bits)));
        }
    }

    #[test]
    fn numbers_come_back_to_the_bit() {
        let mut bits = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..20_000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            back(Const::F64(f64::from_bits(bits)));
            back(Const::F32(f32::from_bits(bits as u32)));
            back(Const::I64(bits as i64));
            back(Const::U32(bits as u32));
            back(Const::U64(bits));
            back(Const::I32(bits as i32));
            back(Const::I16(bits as i16));
            back(Const::U16(bits as u16));
            back(Const::I8(bits as i8));
            back(Const::U8(bits as u8));
        }
    }

    #[test]
    fn the_ends_come_back() {
        for x in [0.0, -0.0, 1.0, 1e16, 1e-7, f64::MAX, 5e-324, f64::INFINITY] {
            for x in [x, -x] {
                back(Const::F64(x));
                back(Const::F32(x as f32));
            }
        }
        for x in [u64::MAX, 0x7ff0_0000_0000_0001, 0xfff0_0000_0000_0f32] {
            back(Const::F64(f64::from_bits(x)));
        }
        for x in [u32::MAX, 0x7f80_0001] {
            back(Const::F32(f32::from_bits(x)));
        }
        for value in [i32::MIN, i32::MAX].map(Const::I32) {
            back(value);
        }
        for value in [i64::MIN, i64::MAX].map(Const::I64) {
            back(value);
        }
        for value in [true, false].map(Const::Bool) {
            back(value);
        }
        back(Const::U32(u32::MAX));
    }

    #[test]
    fn what_is_no_constant_is_refused() {
        for text in [
            "",
            "-",
            "x",
            "+1",
            ".5",
            "1.5i64",
            "infinity",
            "NaN",
            "nan",
            "nan:",
            "nan:7ff8",
            "--1",
            "1e",
            "5f64",
            "-nan:7fc00000f32",
            "i64",
            "nan:7fcx0000f32",
            "1_000",
            "0x10",
            "-true",
        ] {
            let error = text.parse::<Const>();
            assert!(matches!(error, Err(ConstError::Form { .. })), "{text}");
        }
        for text in [
            "2147483648",
            "-2147483649",
            "9223372036854775808i64",
            "-1u32",
            "1e400",
            "1e39f32",
            "65520.0f16",
            "-1e400",
            "nan:7c00f16",
            "nan:7ff0000000000000",
        ] {
            let error = text.parse::<Const>();
            assert!(matches!(error, Err(ConstError::Range { .. })), "{text}");
        }
    }

    #[test]
    fn messages_name_type_and_text() {
        let message = |text: &str| text.parse::<Const>().unwrap_err().to_string();
        assert_eq!(
            message("-1u32"),
            "`-1u32` is beyond the numbers of type u32"
        );
        assert_eq!(message("1x"), "`1x` is no constant of type f64");
    }
}
