//! Fifteen short programs, each in a file of `src/fifteen/`, beside the same for `jax.numpy` in a file of the same name: both give the same, and
//! the programs here take no more tokens in all.
//!
//! On both sides loops are part of the program, losses and steps have names in JAX, as in its documentation, and compiling is left to who
//! runs the program.

#![allow(clippy::unwrap_used)] // A test may unwrap, also in its helpers.

#[path = "fifteen/golden.rs"]
mod golden;
#[path = "fifteen/length.rs"]
mod length;
#[path = "fifteen/tokens.rs"]
mod tokens;
#[path = "fifteen/values.rs"]
mod values;
