//! Examples of programs with loops: simulations, solvers and pictures.
//!
//! Each module is one example. It has the program as it is written with cotangent, compiled once and run for any
//! sizes; the same in plain scalar Rust, which shares no code with it and is the reference; and the tolerance within
//! which both are to agree. The binary `cotangent-examples` runs them, times both sides, and draws pictures.
//! The files in `src/fifteen/` are no modules of this library but short programs to copy; the test `fifteen` has them beside the same for JAX.
//!
//! | module | loops | agreement |
//! |---|---|---|
//! | [`mandelbrot`] | `iterate_while` for each pixel | share of pixels that differ |
//! | [`nbody`] | `iterate` for each system | energy |
//! | [`heat`] | `aiterate` of a grid | temperatures |
//! | [`ode`] | `iterate` for each start | states |
//! | [`newton`] | `while_` for each equation | residuals |
//! | [`kmeans`] | `aiterate_while` around `fold_in_order` | trips and centres |
//! | [`pagerank`] | `aiterate_while` around `iterate` | trips and ranks |
//! | [`cg`] | `aiterate_while` | residual |
//! | [`adjoint`] | the gradient of an `aiterate` with checkpoints | gradient |

pub mod adjoint;
pub mod cg;
pub mod device;
pub mod error;
pub mod fifteen;
pub mod heat;
pub mod kmeans;
pub mod mandelbrot;
pub mod nbody;
pub mod newton;
pub mod ode;
pub mod pagerank;
pub mod picture;
pub mod sparse;
