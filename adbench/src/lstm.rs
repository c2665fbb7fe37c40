//! D-LSTM: a recurrent network with diagonal weights that predicts the next character of a text, and the gradient of its loss.
//!
//! The layout is that of ADBench's files: see [`input`] for it and [`mod@reference`] for the formula. Appendix B of paper 003
//! has the task.

pub mod input;
pub mod model;
pub mod reference;
#[cfg(test)]
mod tests;

pub use input::LstmInput;
