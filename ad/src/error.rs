//! What can go wrong while differentiating.

use cotangent_core::loc::Loc;

/// Why a program could not be differentiated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdError {
    /// Forward mode has to go through a function that has a rule for reverse mode alone.
    #[error(
        "{loc}: `custom_vjp` says the derivative for reverse mode only, and `jvp_a`, `hvp_a` or another derivative along a direction needs that of forward mode: use `custom_rules`, which takes a rule for each mode, or `custom_jvp`, which serves both"
    )]
    NoForwardRule {
        /// Where the function is.
        loc: Loc,
    },
    /// The program breaks a rule that the checker guarantees, or this pass is wrong. Please report it.
    #[error("internal error in differentiation: {0}; please report this")]
    Bug(String),
}

impl AdError {
    /// Derivatives are taken of what folds of segments are made of.
    pub(crate) fn segments_left() -> Self {
        Self::Bug("a fold of segments is left".to_owned())
    }
}
