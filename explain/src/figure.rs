//! Numbers of an explanation, as users see them.

use serde::{Serialize, Serializer};
use std::fmt;

/// A number of an explanation.
///
/// In JSON a number, a string with a formula, the string `more than 18446744073709551615`, or `null` where it depends
/// on data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// The number.
    Number(u64),
    /// A formula over extents: those of inputs are called `x2.0` (parameter 2, dimension 0), those that the
    /// host computes `s7`.
    Formula(String),
    /// A number of more than 64 bits.
    TooLarge,
    /// Not known before the program runs, although the extents of its inputs are.
    DependsOnData,
}

impl Figure {
    /// A number, which may be too large, as `BEYOND` is.
    pub(crate) fn of(number: i128) -> Self {
        u64::try_from(number.max(0)).map_or(Self::TooLarge, Self::Number)
    }

    /// The number, where it is known.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Number(n) => Some(*n),
            Self::Formula(_) | Self::TooLarge | Self::DependsOnData => None,
        }
    }
}

impl fmt::Display for Figure {
    /// Digits are grouped by thousands.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(n) => f.pad(&grouped(*n)),
            Self::Formula(formula) => f.pad(formula),
            Self::TooLarge => f.pad(&format!("more than {}", grouped(u64::MAX))),
            Self::DependsOnData => f.pad("depends on data"),
        }
    }
}

fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(n) => serializer.serialize_u64(*n),
            Self::Formula(formula) => serializer.serialize_str(formula),
            Self::TooLarge => serializer.serialize_str(&format!("more than {}", u64::MAX)),
            Self::DependsOnData => serializer.serialize_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        let text = |n| Figure::Number(n).to_string();
        assert_eq!([text(0), text(999), text(1000)], ["0", "999", "1 000"]);
        assert_eq!(text(12_345_678), "12 345 678");
    }

    #[test]
    fn what_is_too_large_is_not_shown_as_exact() {
        assert_eq!(Figure::of(u64::MAX.into()), Figure::Number(u64::MAX));
        let large = Figure::of(i128::from(u64::MAX) + 1);
        assert_eq!(large, Figure::TooLarge);
        assert_eq!(large.to_string(), "more than 18 446 744 073 709 551 615");
        let json = serde_json::to_string(&large).unwrap();
        assert_eq!(json, "\"more than 18446744073709551615\"");
    }
}
