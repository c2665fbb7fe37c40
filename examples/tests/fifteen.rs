//! Fifteen short programs, each in a file of `src/fifteen/`, beside the same for `jax.numpy` in a file of the same name: both give the same, and
//! the programs here take no more tokens in all.
//!
//! Each file is complete but for its inputs: what a user would write in a file of their own, and copy. `run.py` makes inputs and runs the
//! programs in JAX; what they give is in `golden.json`. On both sides loops are part of the program, and compiling is left to who runs the
//! program.
//!
//! Losses and steps have names in JAX, as in its documentation. Where they are lambdas and close over the data, and what is set apart here for
//! the reader is one expression there, JAX takes 1053 tokens: a tenth less than here, which is what types in signatures take.

#![allow(clippy::unwrap_used)] // A test may unwrap, also in its helpers.

#[path = "fifteen/golden.rs"]
mod golden;
#[path = "fifteen/length.rs"]
mod length;
#[path = "fifteen/tokens.rs"]
mod tokens;
#[path = "fifteen/values.rs"]
mod values;
