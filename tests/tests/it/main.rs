//! Tests of the whole system, in one binary.

mod adbench;
mod appendix_a;
mod data;
mod errors;
mod explain;
mod generated;
mod issues;
mod operations;
mod strips;
mod together;
mod wrong_programs;
