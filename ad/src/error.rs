//! What can go wrong while differentiating.

use cotangent_core::loc::Loc;

/// Why a program could not be differentiated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdError {
    /// There is no rule for a construct, or not for this use of it.
    #[error("{loc}: cannot differentiate `{construct}`: {what}; {way_around}")]
    Unsupported {
        /// The construct, as users know it.
        construct: &'static str,
        /// Where the user wrote it.
        loc: Loc,
        /// What about it has no rule.
        what: &'static str,
        /// What to write instead.
        way_around: &'static str,
    },
    /// The program breaks a rule that the checker guarantees, or this pass is wrong. Please report it.
    #[error("internal error in differentiation: {0}; please report this")]
    Bug(String),
}
