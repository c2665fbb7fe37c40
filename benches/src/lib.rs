//! What the benchmarks share: peers as processes, timing, tables.

pub mod peer;
pub mod timing;
