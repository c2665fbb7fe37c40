//! The words that stand beside operations: one list for the printer and the [parser](crate::parse).

use crate::term::{Axis, Combine, Outside};

/// What is said by words. No two values of a type begin with the same word; one may be said by none.
pub(crate) trait Words: Copy + 'static {
    /// Every value.
    const ALL: &'static [Self];

    /// The words that say it.
    fn words(self) -> &'static [&'static str];
}

impl Words for Axis {
    const ALL: &'static [Self] = &[Self::All, Self::Fixed];

    fn words(self) -> &'static [&'static str] {
        match self {
            Self::All => &["all"],
            Self::Fixed => &["fixed"],
        }
    }
}

impl Words for Combine {
    const ALL: &'static [Self] = &[Self::Add, Self::Overwrite];

    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Add => &["add"],
            Self::Overwrite => &["overwrite"],
        }
    }
}

impl Words for Outside {
    const ALL: &'static [Self] = &[Self::Fails, Self::MayDrop];

    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Fails => &[],
            Self::MayDrop => &["inside"],
        }
    }
}

/// Whether the value comes first among the results of a gradient.
#[derive(Clone, Copy)]
pub(crate) struct WithValue(pub(crate) bool);

impl Words for WithValue {
    const ALL: &'static [Self] = &[Self(false), Self(true)];

    fn words(self) -> &'static [&'static str] {
        match self.0 {
            false => &[],
            true => &["with", "value"],
        }
    }
}
