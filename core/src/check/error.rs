//! What the checker reports.

use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::ParamAxis;
use crate::types::{ArrayType, ScalarType, ScalarTypes};
use std::fmt;

/// One step on the way from the program to the place of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A let of a block, by position, with the name of its operation and the label it binds first.
    Let {
        /// The position, from 0.
        position: usize,
        /// The operation, as the text form calls it.
        operation: String,
        /// The label that it binds first, such as `a7`; none in the de Bruijn form.
        label: Option<String>,
    },
    /// A part of an operation, such as `f`, `init` or `then`.
    Part(&'static str),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Let {
                position,
                operation,
                label: Some(label),
            } => write!(f, "let {position} ({label} = {operation})"),
            Self::Let {
                position,
                operation,
                label: None,
            } => write!(f, "let {position} ({operation})"),
            Self::Part(name) => f.write_str(name),
        }
    }
}

/// A list of types, displayed as such.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Types {
    /// Of scalars.
    Scalars(Vec<ScalarType>),
    /// Of arrays.
    Arrays(Vec<ArrayType>),
}

impl From<Vec<ScalarType>> for Types {
    fn from(types: Vec<ScalarType>) -> Self {
        Self::Scalars(types)
    }
}

impl From<Vec<ArrayType>> for Types {
    fn from(types: Vec<ArrayType>) -> Self {
        Self::Arrays(types)
    }
}

impl fmt::Display for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = match self {
            Self::Scalars(types) => types.iter().map(ToString::to_string).collect(),
            Self::Arrays(types) => types.iter().map(ToString::to_string).collect(),
        };
        write!(f, "({})", names.join(", "))
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A variable that is not bound here.
    #[error("{variable} is not in scope")]
    Unbound {
        /// The variable.
        variable: String,
    },
    /// A label that is bound twice.
    #[error("{variable} is bound a second time; give every binding a fresh label")]
    Rebound {
        /// The label.
        variable: String,
    },
    /// A host array that the program does not have.
    #[error("use #{given} is out of range: the program has {uses} host arrays")]
    NoSuchUse {
        /// The position.
        given: u32,
        /// The number of host arrays.
        uses: usize,
    },
    /// A slot beyond the capture list.
    #[error("slot ${given} is out of range: the function captures {captures} arrays")]
    NoSuchSlot {
        /// The slot.
        given: u32,
        /// The length of the capture list.
        captures: usize,
    },
    /// An array that stands twice in one capture list.
    #[error("{variable} is captured twice; use one slot for both")]
    CapturedTwice {
        /// The array.
        variable: String,
    },
    /// An extent of a dimension that the array does not have.
    #[error("there is no axis {axis} in an array of type {ty}")]
    NoSuchAxis {
        /// The axis.
        axis: usize,
        /// The array's type.
        ty: ArrayType,
    },
    /// A primitive on operands that it is not defined on.
    #[error("`{prim}` is not defined on operands of types {found}")]
    Operands {
        /// The primitive.
        prim: Prim,
        /// The operands' types.
        found: Types,
    },
    /// Types that should be others.
    #[error("{what}: expected types {expected}, found {found}")]
    Mismatch {
        /// Whose types.
        what: &'static str,
        /// What they should be.
        expected: Types,
        /// What they are.
        found: Types,
    },
    /// Types that do not fulfil a condition.
    #[error("{what}: expected {expected}, found types {found}")]
    Unfit {
        /// Whose types.
        what: &'static str,
        /// The condition.
        expected: &'static str,
        /// What they are.
        found: Types,
    },
    /// A type that the source program does not have.
    #[error("computes with {ty}, and the source program with {allowed} only")]
    Foreign {
        /// The type.
        ty: ScalarType,
        /// Those that the program may have.
        allowed: ScalarTypes,
    },
    /// A list of axes that does not describe an array of the rank at hand.
    #[error("axes describe an array of rank {described}, the argument has rank {rank}")]
    Axes {
        /// The rank that the axes describe.
        described: usize,
        /// The argument's.
        rank: usize,
    },
    /// Extents of parameters are said to be equal that cannot be.
    #[error(
        "dimension {} of parameter {} cannot be said to be as long as dimension {} of parameter {}",
        of.axis, of.param, first.axis, first.param
    )]
    AlikeExtents {
        /// The one.
        of: ParamAxis,
        /// The other, which comes first.
        first: ParamAxis,
    },
    /// Inputs that cannot have one shape, or not by way of the first of a group.
    #[error("{what} {of} cannot be said to have the shape of {what} {first}")]
    Alike {
        /// What the inputs are.
        what: &'static str,
        /// The position of one.
        of: u32,
        /// The position of the other.
        first: u32,
    },
}

/// A place where a program breaks a rule of the language.
///
/// A program that comes from this library, and not from [text](crate::parse), breaks none, so there this is always a
/// defect here: of the pass named, if the check was asked for [after a pass](super::check_after).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct CheckError {
    /// The pass that made the program, if known.
    pub pass: Option<&'static str>,
    /// The way to the place, outermost first.
    pub path: Vec<Step>,
    /// Where the user wrote what stands there.
    pub loc: Loc,
    /// What is wrong there.
    pub problem: Box<Problem>,
    /// The program, if a pass is known.
    pub dump: String,
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pass,
            path,
            loc,
            problem,
            dump,
        } = self;
        if let Some(pass) = pass {
            write!(f, "ill-formed program after pass `{pass}`: ")?;
        }
        for step in path {
            write!(f, "{step}: ")?;
        }
        write!(f, "{problem}")?;
        if loc.is_known() {
            write!(f, " (written at {loc})")?;
        }
        match dump.as_str() {
            "" => Ok(()),
            dump => write!(f, "\n{dump}"),
        }
    }
}

impl From<Problem> for CheckError {
    /// The problem, at no place in particular.
    fn from(problem: Problem) -> Self {
        Self {
            pass: None,
            path: vec![],
            loc: Loc::UNKNOWN,
            problem: Box::new(problem),
            dump: String::new(),
        }
    }
}
