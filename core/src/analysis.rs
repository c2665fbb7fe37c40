//! Facts about terms that several passes use: how index functions move elements ([`affine`]), how large
//! arrays are ([`shape`]), and how dear code is ([`cost`]).
//!
//! An analysis reads and never rewrites. All are conservative: "unknown" is always a right answer.

pub mod affine;
pub mod cost;
pub mod shape;

#[cfg(test)]
mod tests;
