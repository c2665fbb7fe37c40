//! What closures build, what they may say, and what happens to wrong ones.

mod detection;
mod errors;
mod forward;
mod graphs;
mod host;
mod inference;
mod jacobians;
mod modes;
mod sparsity;
mod values;
