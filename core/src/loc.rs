//! Where in the user's program a node was written.

use std::fmt;
use std::panic::Location;

/// A place in the user's source, or none for code that no user wrote.
///
/// Derived code (adjoints, fused kernels) keeps the location of what it was derived from, so that an
/// error at run time can always name a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Loc(Option<&'static Location<'static>>);

impl Loc {
    /// No location.
    pub const UNKNOWN: Loc = Loc(None);

    /// The caller's place, through every `#[track_caller]` function in between.
    #[track_caller]
    pub fn caller() -> Self {
        Self(Some(Location::caller()))
    }

    /// The place as the standard library gives it.
    pub fn location(self) -> Option<&'static Location<'static>> {
        self.0
    }

    /// This place, or `other` where this is unknown.
    pub fn or(self, other: Loc) -> Loc {
        Loc(self.0.or(other.0))
    }
}

impl fmt::Display for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(l) => write!(f, "{}:{}:{}", l.file(), l.line(), l.column()),
            None => f.write_str("(derived code)"),
        }
    }
}
