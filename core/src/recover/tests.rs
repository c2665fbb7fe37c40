//! Sharing recovery on graphs made by hand. What is asserted is the text of the recovered program, which
//! must pass the checker.

mod arrays;
mod copies;
mod errors;
mod graphs;
mod guards;
pub(crate) mod random;
mod scalars;
mod scale;
mod tree;
