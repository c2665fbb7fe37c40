//! Tests of the whole system: the corpus of programs that every engine is tried on, what generates
//! programs, the engines that run them, and how results compare.

pub mod corpus;
pub mod engines;
pub mod generate;
