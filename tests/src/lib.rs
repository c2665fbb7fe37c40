//! Tests of the whole system: the corpus of programs that every engine is tried on, what generates
//! programs, the engines that run them, how results compare, derivatives by differences, and how texts differ.

pub mod corpus;
pub mod differences;
pub mod engines;
pub mod generate;
pub mod gradbench;
pub mod lines;
pub mod papers;
pub mod skip;
pub mod steps;
