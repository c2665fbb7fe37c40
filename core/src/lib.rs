//! The language of cotangent.
//!
//! From the user's closures to checked programs: the surface (typed handles), the syntax trees
//! ([`term`]), the checker, the reference interpreter, the simplifier, and the vocabulary of the
//! [`schedule`] that backends run. No AD, no fusion and no code generation here.

pub mod algebra;
pub mod analysis;
pub mod backend;
pub mod build;
pub mod check;
pub mod constant;
pub mod deep;
pub mod graph;
pub mod hash;
pub mod host;
pub mod interp;
pub mod label;
pub mod loc;
pub mod parse;
pub mod prim;
pub mod print;
pub mod recover;
pub mod rounding;
pub mod schedule;
pub mod segments;
pub mod simplify;
pub mod surface;
pub mod term;
pub mod typed;
pub mod types;
