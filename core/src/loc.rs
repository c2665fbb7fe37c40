//! Where in the user's program a node was written.

use std::fmt;
use std::panic::Location;

/// A place in the user's source, or none for code that no user wrote.
///
/// Derived code (adjoints, fused kernels) keeps the location of what it was derived from, so that an
/// error at run time can always name a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Loc(Option<Origin>);

/// What a program was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Origin {
    /// Closures in Rust.
    Rust(&'static Location<'static>),
    /// The text form; lines and columns count from 1.
    Text { line: u32, column: u32 },
}

impl Loc {
    /// No location.
    pub const UNKNOWN: Loc = Loc(None);

    /// The caller's place, through every `#[track_caller]` function in between.
    #[track_caller]
    pub fn caller() -> Self {
        Self(Some(Origin::Rust(Location::caller())))
    }

    /// A place in the text of a program; both count from 1.
    pub fn in_text(line: u32, column: u32) -> Self {
        Self(Some(Origin::Text { line, column }))
    }

    /// The place as the standard library gives it, where it is one in Rust.
    pub fn location(self) -> Option<&'static Location<'static>> {
        match self.0? {
            Origin::Rust(location) => Some(location),
            Origin::Text { line: _, column: _ } => None,
        }
    }

    /// Line and column, where it is a place in the text of a program.
    pub fn text_place(self) -> Option<(u32, u32)> {
        match self.0? {
            Origin::Rust(_) => None,
            Origin::Text { line, column } => Some((line, column)),
        }
    }

    /// Whether it is a place at all.
    pub fn is_known(self) -> bool {
        self.0.is_some()
    }

    /// This place, or `other` where this is unknown.
    pub fn or(self, other: Loc) -> Loc {
        Loc(self.0.or(other.0))
    }
}

impl fmt::Display for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(Origin::Rust(l)) => write!(f, "{}:{}:{}", l.file(), l.line(), l.column()),
            Some(Origin::Text { line, column }) => write!(f, "text:{line}:{column}"),
            None => f.write_str("(derived code)"),
        }
    }
}
