//! Fifteen short programs, each in a file of `src/fifteen/`, beside the same for `jax.numpy` in a file of the same name: both give the same, and
//! the programs here take no more tokens in all.
//!
//! Each file is complete but for its inputs: what a user would write in a file of their own, and copy. `run.py` makes inputs and runs the
//! programs in JAX; what they give is in `golden.json`. On both sides loops are part of the program, functions that are derived have a name,
//! and compiling is left to who runs the program.

#![allow(clippy::unwrap_used)] // A test may unwrap, also in its helpers.

#[path = "fifteen/golden.rs"]
mod golden;
#[path = "fifteen/length.rs"]
mod length;
#[path = "fifteen/tokens.rs"]
mod tokens;
#[path = "fifteen/values.rs"]
mod values;
