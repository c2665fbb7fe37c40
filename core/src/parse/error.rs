//! What is wrong with a text, and where.

use crate::check::CheckError;
use crate::constant::ConstError;
use crate::host::HostArrayError;
use std::fmt;
use std::ops::Range;

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: u32,
    /// The position in the line in characters, from 1.
    pub column: u32,
    /// The bytes of what stands there; none at the end of the text.
    pub bytes: Range<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a text is no program.
///
/// ```
/// use cotangent_core::term::{DeBruijn, Program};
/// let error = "program () { give () }".parse::<Program<DeBruijn>>().unwrap_err();
/// assert_eq!(error.to_string(), "line 1, column 14: expected `let` or `return`, found `give`");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{at}: {problem}")]
pub struct ParseError {
    /// Where.
    pub at: Place,
    /// What is wrong there.
    pub problem: Box<ParseProblem>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseProblem {
    /// Something else should stand there.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What should.
        expected: String,
        /// What does, in quotes.
        found: String,
    },
    /// There is no operation of that name.
    #[error("there is no operation `{name}` {stratum}")]
    UnknownOperation {
        /// The name.
        name: String,
        /// Where it was looked for: of arrays, or of scalars.
        stratum: &'static str,
    },
    /// A constant that is none, or that its type does not have.
    #[error(transparent)]
    Constant(#[from] ConstError),
    /// A number of a name, a slot, an axis or an extent that is too large to be one.
    #[error("the number in `{text}` is too large; the greatest is {greatest}")]
    TooLarge {
        /// The token.
        text: String,
        /// The greatest number that may stand there.
        greatest: u64,
    },
    /// Blocks inside of blocks, more than [`Parser::max_depth`](super::Parser::max_depth) allows.
    #[error("more than {limit} blocks are inside of each other")]
    TooDeep {
        /// How many may be.
        limit: usize,
    },
    /// A host array that nobody gave.
    #[error("host array #{position} is missing: {given} were given")]
    MissingHost {
        /// Its position.
        position: usize,
        /// How many were given.
        given: usize,
    },
    /// A host array that is not what the text says.
    #[error("host array #{position} is {expected} in the text, {found} was given")]
    Host {
        /// Its position.
        position: usize,
        /// Element and extents as the text has them.
        expected: String,
        /// Those of the array given.
        found: String,
    },
    /// Host arrays that the program does not have.
    #[error("the program has {expected} host arrays, {given} were given")]
    HostCount {
        /// How many it has.
        expected: usize,
        /// How many were given.
        given: usize,
    },
    /// A host array that cannot be.
    #[error("host array #{position}: {source}")]
    HostArray {
        /// Its position.
        position: usize,
        /// Why.
        source: HostArrayError,
    },
    /// The text has a program that breaks a rule of the language.
    #[error(transparent)]
    IllFormed(#[from] CheckError),
}
