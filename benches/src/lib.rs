//! What the benchmarks share: inputs, peers as processes, timing; and the benchmark of GPUs, which is tested on few elements.

pub mod entries;
pub mod gpu;
pub mod jax;
pub mod matrices;
pub mod peer;
pub mod plain;
pub mod python;
#[expect(
    clippy::print_stdout,
    reason = "a table on standard output is what this is for"
)]
pub mod ratios;
pub mod timing;

/// Why a benchmark stops.
pub type Failure = Box<dyn std::error::Error>;
