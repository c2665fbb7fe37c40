//! BA: reprojection residuals of bundle adjustment and their sparse Jacobian.
//!
//! Appendix B.2 of paper 003; the residual is that of [`mod@reference`], the sparsity that of [`sparse`].

pub mod check;
pub mod input;
pub mod model;
pub mod numbers;
pub mod reference;
pub mod sparse;
#[cfg(test)]
mod tests;

pub use input::BaInput;
pub use sparse::Csr;

/// Parameters of one camera: rotation (3), centre (3), focal length, principal point (2), distortion (2).
pub const CAMERA: usize = 11;
/// Parameters that one observation depends on: its camera, its point and its weight.
pub const LOCAL: usize = CAMERA + 3 + 1;
