//! Tests of the whole system, in one binary.

mod accuracy;
mod adbench;
mod appendix_a;
mod associativity;
mod conventions;
mod data;
mod errors;
mod explain;
mod floats;
mod generated;
mod gpu;
mod gpu_runs;
mod gpu_sums;
mod half;
mod issues;
mod memory;
mod narrow;
mod operations;
mod padding;
mod passes;
mod semirings;
mod strips;
mod structure;
mod together;
mod wgsl;
mod wrong_programs;
