//! Tests of the whole system: what generates programs, the engines that run them, and how results compare.

pub mod engines;
pub mod generate;
