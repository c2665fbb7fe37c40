//! Facts about terms that several passes use: how large arrays are ([`shape`]), how index functions move elements and where
//! a `permute` sends them ([`index_map`], in terms of [`polynomial`]), how expensive
//! code is ([`cost`]), which operations may fail whatever their elements are ([`fails`]), and which parameters
//! matter ([`usage`]).
//!
//! An analysis reads and never rewrites. All are conservative: "unknown" is always a right answer.

pub mod cost;
pub mod equal_extents;
pub mod fails;
pub mod index_map;
pub mod polynomial;
pub mod shape;
pub mod usage;

#[cfg(test)]
mod tests;
