//! Why an array is in memory, although fusion computes elements where they are read if it can.
//!
//! Fusion notes one reason for each array that it keeps: the first in the order of its rules. Between two
//! kernels of which the second reads what the first wrote, this reason is why they are two.

use std::fmt;

/// Why an array is in memory. Costs are in fusion's units: one addition of a vector lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is a result of the program.
    Result,
    /// A branch of a conditional results in it, or the extents that the conditional gives it are asked for.
    Branch,
    /// A conditional defines it: which branch has run is known when it has run.
    Conditional,
    /// A loop carries it: a trip reads it when the one before is complete.
    Carried,
    /// It is what a fold results in: an element is complete when all of a row has been gone through.
    Fold,
    /// It is what a scan results in: an element needs all before it.
    Scan,
    /// It is what a sort results in: a position is known when all of a row has been compared.
    Sort,
    /// A permute writes into it: an element is complete when all points have sent their values.
    Permute,
    /// It is made of elements that a loop's step then overwrites in place.
    ReadBeforeUpdate,
    /// It is made of several arrays side by side, each written by itself.
    Interleaved,
    /// It is made of several arrays one after the other, each written by itself.
    Joined,
    /// The program asks for it, by `compute`.
    Asked,
    /// A reshape of it is read, and to find an element would cost divisions wherever that happens.
    Reshaped,
    /// One operation reads elements more than once, or may, and computing one again is more expensive than keeping it.
    ReadRepeatedly {
        /// What an element costs.
        cost: u64,
        /// Up to which cost it would be computed again.
        limit: u64,
    },
    /// Several operations read it, and computing an element again is more expensive than keeping it.
    ReadBySeveral {
        /// How many operations read it.
        readers: usize,
        /// What an element costs.
        cost: u64,
        /// Up to which cost it would be computed again.
        limit: u64,
    },
    /// It is computed together with another result of its operation that is kept, or that another operation
    /// reads, and apart they would repeat what they share.
    SharesWork,
    /// The operation that reads it makes several results of it, each cheap, which are read apart: one array in memory in
    /// place of all of these.
    ReadForSeveral,
    /// Its code is so long that a kernel gains nothing from containing it.
    TooLong {
        /// What an element costs.
        cost: u64,
        /// The cost up to which code is inlined.
        limit: u64,
    },
    /// It would nest more delayed arrays in each other than inlining goes through.
    NestedTooDeep {
        /// How many are allowed.
        limit: usize,
    },
    /// Fusion was told to keep every array.
    NotFused,
}

impl Kept {
    /// The name of the reason, in one word: part of the serialised form of explanations.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Branch => "branch",
            Self::Conditional => "conditional",
            Self::Carried => "carried",
            Self::Fold => "fold",
            Self::Scan => "scan",
            Self::Sort => "sort",
            Self::Permute => "permute",
            Self::ReadBeforeUpdate => "read_before_update",
            Self::Interleaved => "interleaved",
            Self::Joined => "joined",
            Self::Asked => "asked",
            Self::Reshaped => "reshaped",
            Self::ReadRepeatedly { .. } => "read_repeatedly",
            Self::ReadBySeveral { .. } => "read_by_several",
            Self::SharesWork => "shares_work",
            Self::ReadForSeveral => "read_for_several",
            Self::TooLong { .. } => "too_long",
            Self::NestedTooDeep { .. } => "nested_too_deep",
            Self::NotFused => "not_fused",
        }
    }
}

impl fmt::Display for Kept {
    /// A clause that can follow "because".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Result => write!(f, "it is a result of the program"),
            Self::Branch => write!(f, "a branch of a conditional results in it"),
            Self::Conditional => write!(f, "it is complete when the conditional has run"),
            Self::Carried => write!(f, "a loop carries it from trip to trip"),
            Self::Fold => write!(f, "a fold is complete when its kernel ends"),
            Self::Scan => write!(f, "a scan is complete when its kernel ends"),
            Self::Sort => write!(f, "a sort is complete when its kernel ends"),
            Self::Permute => write!(
                f,
                "a permute writes into it and is complete when its kernel ends"
            ),
            Self::ReadBeforeUpdate => {
                write!(f, "what it is made of is overwritten in place after it")
            }
            Self::Interleaved => write!(f, "it is made of arrays side by side"),
            Self::Joined => write!(f, "it is made of arrays one after the other"),
            Self::Asked => write!(f, "`compute` asks for it"),
            Self::Reshaped => write!(f, "a reshape of it would cost divisions at every read"),
            Self::ReadRepeatedly { cost, limit } => write!(
                f,
                "its elements are read more than once and cost {cost} (computed again up to {limit})"
            ),
            Self::ReadBySeveral {
                readers,
                cost,
                limit,
            } => write!(
                f,
                "{readers} operations read it and an element costs {cost} (computed again up to {limit})"
            ),
            Self::SharesWork => write!(f, "it shares work with another result of its operation"),
            Self::ReadForSeveral => {
                write!(f, "several cheap results of what reads it are made of it")
            }
            Self::TooLong { cost, limit } => {
                write!(f, "an element costs {cost} (inlined up to {limit})")
            }
            Self::NestedTooDeep { limit } => {
                write!(f, "more than {limit} arrays would be nested in each other")
            }
            Self::NotFused => write!(f, "fusion is off"),
        }
    }
}
