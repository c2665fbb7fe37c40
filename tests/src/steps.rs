//! Programs of many steps whose gradients are asked for, each beside plain Rust that takes value and gradient by hand.
//!
//! [`heat`] has a loop within a loop, [`recurrent`] products of matrices within one; [`ode`] is what plain Rust does for the
//! program of that name in [`gradbench`](crate::gradbench). The tests compare derivatives, the benchmark `gradients_of_loops` time and memory.

pub mod heat;
pub mod ode;
pub mod recurrent;
