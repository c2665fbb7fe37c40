//! GMM: the negative-prior log posterior of a Gaussian mixture model, and its gradient.
//!
//! Appendix B.1 of paper 003, with the layout and the constants of ADBench's golden module: see
//! [`input`] for the layout and [`mod@reference`] for the formula.

pub mod input;
pub mod model;
pub mod reference;
#[cfg(test)]
mod tests;

pub use input::GmmInput;
