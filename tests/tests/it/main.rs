//! Tests of the whole system, in one binary.

mod adbench;
mod appendix_a;
mod data;
mod errors;
mod explain;
mod failures;
mod floats;
mod generated;
mod gpu;
mod gpu_runs;
mod half;
mod issues;
mod memory;
mod operations;
mod padding;
mod passes;
mod semirings;
mod strips;
mod structure;
mod together;
mod wgsl;
mod wrong_programs;
