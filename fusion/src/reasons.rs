//! Why each array of the schedule is in memory, noted as it gets there.
//!
//! A reason is first known of an array of the program (`decide.rs` gives it up to memory, or it is a result)
//! and then of the memory made for it. Arrays get other numbers when the schedule is finished; the reasons
//! go with them.

use crate::cost;
use crate::lower::Lowering;
use cotangent_core::schedule::ArrayId;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::term::{AccBlock, AccLet, AccOp, ArrId, Labelled};
use std::collections::{BTreeMap, HashMap};

/// The reasons known.
#[derive(Debug, Default)]
pub(crate) struct Reasons {
    /// Of arrays of the program; the first one stays.
    asked: HashMap<ArrId, Kept>,
    /// Of memory.
    pub kept: BTreeMap<ArrayId, Kept>,
}

impl Reasons {
    /// Notes why an array of the program will be kept.
    pub(crate) fn ask(&mut self, array: ArrId, reason: Kept) {
        self.asked.entry(array).or_insert(reason);
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
}

/// The reason of arrays that no choice can delay.
fn complete_at_end(op: &AccOp<Labelled>) -> Option<Kept> {
    match op {
        AccOp::Fold { .. } => Some(Kept::Fold),
        AccOp::Scan { .. } => Some(Kept::Scan),
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

impl<'p> Lowering<'p> {
    /// Notes that the results of a branch will be kept.
    pub(crate) fn ask_for_branch(&mut self, block: &AccBlock<Labelled>) {
        for &result in &block.results {
            self.reasons.ask(result, Kept::Branch);
        }
    }

    /// Notes why `decide` keeps results of `let_` that must be in memory whatever they cost.
    pub(crate) fn ask_for_forced(&mut self, let_: &AccLet<Labelled>, results: &[usize]) {
        let fusing = self.options.fuse;
        for &r in results {
            let name = let_.binds[r].name;
            let reason = match (self.uses.is_forced(name), fusing) {
                (true, _) => Kept::Branch,
                (false, true) => Kept::NestedTooDeep {
                    limit: cost::MAX_DEPTH,
                },
                (false, false) => Kept::NotFused,
            };
            self.reasons.ask(name, reason);
        }
    }

    /// Notes why `decide` keeps results of `let_` that could be delayed; `inlined` says whether their code is
    /// short enough.
    pub(crate) fn ask_for_expensive(
        &mut self,
        let_: &AccLet<Labelled>,
        expensive: &[usize],
        inlined: bool,
    ) {
        for &r in expensive {
            let name = let_.binds[r].name;
            let reason = self.reason_for_expensive(name, inlined);
            self.reasons.ask(name, reason);
        }
    }

    fn reason_for_expensive(&self, array: ArrId, inlined: bool) -> Kept {
        let (cost, limit) = (self.infos[&array].cost, cost::CHEAP);
        let mut readers: Vec<_> = self.uses.accesses(array).iter().collect();
        readers.dedup_by_key(|access| access.consumer);
        match (readers.len(), self.uses.sole_reader(array)) {
            (_, Some(_)) if !inlined => Kept::TooLong {
                cost,
                limit: cost::MAX_INLINED,
            },
            (_, Some(_)) => Kept::SharesWork,
            (0 | 1, None) => Kept::ReadRepeatedly { cost, limit },
            (readers, None) => Kept::ReadBySeveral {
                readers,
                cost,
                limit,
            },
        }
    }
}
