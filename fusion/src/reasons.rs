//! Why each array of the schedule is in memory, noted as it gets there.
//!
//! A reason is first known of an array of the program (`decide.rs` gives it up to memory, or it is a result)
//! and then of the memory made for it. Arrays get other numbers when the schedule is finished; the reasons
//! go with them.

use cotangent_core::schedule::ArrayId;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::term::{AccLet, AccOp, ArrId, Labelled};
use std::collections::{BTreeMap, HashMap};

/// The reasons known.
#[derive(Debug, Default)]
pub(crate) struct Reasons {
    /// Of arrays of the program; the first one stays.
    asked: HashMap<ArrId, Kept>,
    /// Of memory.
    kept: BTreeMap<ArrayId, Kept>,
}

impl Reasons {
    /// Notes why an array of the program will be kept.
    pub(crate) fn ask(&mut self, array: ArrId, reason: Kept) {
        self.asked.entry(array).or_insert(reason);
    }

    /// The same for several arrays.
    pub(crate) fn ask_all(&mut self, arrays: &[ArrId], reason: Kept) {
        arrays.iter().for_each(|&array| self.ask(array, reason));
    }

    /// Notes that memory was made for a result of `let_`.
    pub(crate) fn made(&mut self, id: ArrayId, result: ArrId, let_: &AccLet<Labelled>) {
        let reason = complete_at_end(&let_.op).or_else(|| self.asked.get(&result).copied());
        // Whatever is not asked for, and not complete at the end only, is written for a reshape.
        self.kept.insert(id, reason.unwrap_or(Kept::Reshaped));
    }

    /// Notes why memory was made that belongs to no array of the program.
    pub(crate) fn made_for(&mut self, id: ArrayId, reason: Kept) {
        self.kept.insert(id, reason);
    }

    /// The reasons of memory.
    pub(crate) fn of_memory(self) -> BTreeMap<ArrayId, Kept> {
        self.kept
    }
}

/// The reason of arrays that no choice can delay.
fn complete_at_end(op: &AccOp<Labelled>) -> Option<Kept> {
    match op {
        AccOp::Fold { .. } | AccOp::FoldSegments { .. } => Some(Kept::Fold),
        AccOp::Scan { .. } => Some(Kept::Scan),
        AccOp::Argsort { .. } => Some(Kept::Sort),
        AccOp::Permute { .. } => Some(Kept::Permute),
        AccOp::Cond { .. } => Some(Kept::Conditional),
        AccOp::Append { .. } => Some(Kept::Joined),
        AccOp::Use(_)
        | AccOp::Generate { .. }
        | AccOp::Map { .. }
        | AccOp::Move { .. }
        | AccOp::Unpack { .. }
        | AccOp::Derivative { .. }
        | AccOp::Custom { .. }
        | AccOp::Loop { .. } => None,
    }
}
