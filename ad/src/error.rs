//! What can go wrong while differentiating.

/// Why a program could not be differentiated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdError {
    /// The program breaks a rule that the checker guarantees, or this pass is wrong. Please report it.
    #[error("internal error in differentiation: {0}; please report this")]
    Bug(String),
}
