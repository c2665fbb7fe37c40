//! The ADBench tasks.
//!
//! For each task: its input (read from ADBench's files, or made by the published recipe), its objective
//! written with cotangent's combinators, its derivative by cotangent's AD, and a reference in plain Rust
//! that shares no code with the compiler.

pub mod ba;
pub mod compare;
pub mod gmm;
pub mod hand;
pub mod host;
pub mod input;
pub mod lstm;
