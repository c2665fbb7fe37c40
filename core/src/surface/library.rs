//! Operations that are ordinary programs of the others: what users of Accelerate, JAX and ndarray reach for.
//!
//! They fuse, differentiate and run as what they consist of does, which is what explanations name, at the place of the user's call.
//! Functions of this crate's own that are given to other operations are called by `Call::throughout`, so that this place is
//! that of all they consist of.

mod axes;
mod combining;
mod conjugate;
mod decompositions;
mod determinants;
mod einsum;
mod linear;
mod making;
mod parts;
mod random;
mod running;
mod scores;
mod segments;
mod selection;
mod small;
mod solving;
mod sorting;
mod statistics;
mod stencil;
mod updates;

pub use axes::{concat, stack};
pub use conjugate::conjugate_gradients;
pub use einsum::{Factors, einsum};
pub use making::{enum_from_n, enum_from_step_n, eye, iota};
pub use random::{RandomKey, fold_in, random_bits, random_key, random_normal, random_uniform};
pub use small::{det_small, inverse_small, solve_small};
pub use solving::Sides;
pub use stencil::{Boundary, Stencil};
pub use updates::Entries;
