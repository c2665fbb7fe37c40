//! What the benchmarks share: peers as processes, timing.

pub mod peer;
pub mod timing;

/// Why a benchmark stops.
pub type Failure = Box<dyn std::error::Error>;
