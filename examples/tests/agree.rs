//! Each example on small sizes: cotangent agrees with plain Rust on the CPU, to the bit the same on any number of threads,
//! and on the GPU where there is one.

#![allow(clippy::unwrap_used)] // A test may unwrap, also in its helpers.

#[path = "agree/adjoint.rs"]
mod adjoint;
#[path = "agree/devices.rs"]
mod devices;
#[path = "agree/grids.rs"]
mod grids;
#[path = "agree/motion.rs"]
mod motion;
#[path = "agree/pictures.rs"]
mod pictures;
#[path = "agree/search.rs"]
mod search;
