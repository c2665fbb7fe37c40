//! Reverse-mode automatic differentiation as a rewrite of programs: §3.4 and §3.5 of paper 003.
//!
//! [`differentiate`] replaces every gradient, innermost first, by ordinary code: the body of the gradient
//! (the *primal*), then its *dual*, which walks the same lets backwards and passes adjoints from results to
//! operands. The result is an ordinary program, which may be differentiated again.
//!
//! * Both strata work alike: the dual refers to the primal by name; a symbolic zero is an adjoint that is
//!   not there; only what depends on the variables of the gradient through floats gets an adjoint.
//! * A conditional becomes two: the primal one exports what the dual one needs of its branches.
//! * Temporaries of scalar functions are computed again, not stored (`exp/dual.rs`).
//! * Each `Index` on an active array becomes a `permute` with + of the elements' adjoints, or a gather
//!   where its coordinates are a permutation of the own ones (`acc/site.rs`).
//!
//! There is one file per construct in `acc`, and one table of partial derivatives, `exp/prim.rs`.

mod acc;
mod custom;
mod error;
mod exp;
mod forward;
mod gradient;
mod rename;
#[cfg(test)]
mod tests;
mod unbranch;

pub use error::AdError;

use cotangent_core::deep::with_deep_stack;
use cotangent_core::term::{Labelled, Program};

/// Replaces every gradient of `program`, of both strata, by code that computes it.
///
/// The result is a program of the same meaning without `Gradient` nodes. Its failures are those of
/// `program`: derived code indexes only where the primal did.
///
/// ```
/// use cotangent_core::host::HostArray;
/// use cotangent_core::surface::prelude::*;
/// use cotangent_core::{interp, label::label, recover::recover};
///
/// let traced = trace(|x: Acc<Ix1, f64>| gradient_a(|x: Acc<Ix1, f64>| x.product(), x))?;
/// let program = label(&recover(&traced.graph, &traced.lambda)?);
/// let derived = cotangent_ad::differentiate(program)?;
///
/// let x = HostArray::new(vec![3], vec![2.0, 0.0, 5.0].into())?;
/// let dx = interp::run(&derived, &[x])?;
/// assert_eq!(dx, [HostArray::new(vec![3], vec![0.0, 10.0, 0.0].into())?]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`AdError::NoForwardRule`] where forward mode meets a function whose derivative the user has given for reverse mode only; of
/// everything else every well-typed program has a derivative. [`AdError::Bug`] where the program breaks a rule that the checker
/// guarantees.
pub fn differentiate(program: Program<Labelled>) -> Result<Program<Labelled>, AdError> {
    with_deep_stack(|| gradient::eliminate(program))
}
