//! The GPU backend on whatever device there is: what a submit costs, how near kernels come to the device's bandwidth
//! and arithmetic, and ADBench's tasks; against the CPU backend on the same input in the same run and, where python has
//! them, JAX and PyTorch. `cotangent_benches::gpu` says what is measured.

use clap::Parser;
use cotangent_benches::Failure;
use cotangent_benches::gpu::{self, Options};

fn main() -> Result<(), Failure> {
    gpu::run(Options::parse())
}
