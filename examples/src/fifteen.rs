//! Fifteen short programs, each in a file of its own, beside the same for `jax.numpy` in a file of the same name.
//!
//! Each file is complete but for its inputs: what a user would write and copy. `run.py` makes inputs and runs the programs in JAX; what they
//! give is in `golden.json`. The test `tests/fifteen.rs` compares with that, and counts the tokens of both sides.

pub mod heat;
pub mod hessian_vector_product;
pub mod histogram;
pub mod k_means;
pub mod linear_regression;
pub mod logistic_regression;
pub mod mandelbrot;
pub mod mlp;
pub mod n_body;
pub mod newton;
pub mod prefix_sums;
pub mod softmax_regression;
pub mod sparse_product;
pub mod struct_of_parameters;
pub mod top_k;
