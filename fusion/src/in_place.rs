//! Which permutes of a loop's step may write into the memory of what they start from.
//!
//! A permute starts from a copy of its defaults. Where these are carried by a loop, as a table that gets a row a trip, that
//! copy costs more than the trip; so the permute writes into the carried memory itself, if nobody reads the old elements
//! after it. Engines keep arrays apart that share memory for other reasons, as the first state of a loop may with an array
//! that lives on: they copy what is shared when it is first written into.
//!
//! Arrays that are delayed are computed where they are read, so it does not suffice that a reader of the old elements
//! stands before the permute: what it makes must be used by the permute alone, or by operations that run where they stand.

use crate::slice::{all_results, reads};
use crate::uses::{At, Uses};
use cotangent_core::term::{AccBlock, AccClosure, AccLet, AccOp, ArrId, Fun, Labelled};
use std::collections::{HashMap, HashSet};

/// For each array whose memory a permute of the step may write into, that permute's first result.
pub(crate) fn updated(step: &AccClosure<Labelled>, uses: &Uses) -> HashMap<ArrId, ArrId> {
    let block = Block::of(&step.body, uses);
    let mut updated = HashMap::new();
    let mut candidates: Vec<_> = step.params.iter().skip(1).map(|p| p.name).collect();
    while let Some(array) = candidates.pop() {
        let Some(let_) = block.permute_of(array) else {
            continue;
        };
        updated.insert(array, let_.binds[0].name);
        candidates.extend(let_.binds.iter().map(|bind| bind.name));
    }
    updated
}

/// The body of a step.
struct Block<'a> {
    body: &'a AccBlock<Labelled>,
    uses: &'a Uses,
    results: HashSet<ArrId>,
    /// The let at the top of the block that binds each array, inside or not.
    at: HashMap<ArrId, usize>,
}

impl<'a> Block<'a> {
    fn of(body: &'a AccBlock<Labelled>, uses: &'a Uses) -> Self {
        let mut at = HashMap::new();
        for (position, let_) in body.lets.iter().enumerate() {
            let mut lets = vec![let_];
            while let Some(let_) = lets.pop() {
                at.extend(let_.binds.iter().map(|bind| (bind.name, position)));
                let blocks = let_.op.blocks().into_iter();
                lets.extend(blocks.flat_map(|inner| &inner.block.lets));
            }
        }
        Self {
            body,
            uses,
            results: body.results.iter().copied().collect(),
            at,
        }
    }

    /// The permute that starts from the array, and may write into it.
    fn permute_of(&self, array: ArrId) -> Option<&'a AccLet<Labelled>> {
        let accesses = self.uses.accesses(array).iter();
        let mut starts = accesses.filter(|access| access.at == At::Default);
        let (Some(start), None) = (starts.next(), starts.next()) else {
            return None;
        };
        let position = *self.at.get(&start.consumer)?;
        let let_ = &self.body.lets[position];
        let once = match &let_.op {
            AccOp::Permute { defaults, .. } => {
                defaults.iter().filter(|&&d| d == array).count() == 1
            }
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Move { .. }
            | AccOp::Unpack { .. }
            | AccOp::Append { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => false,
        };
        (once && self.is_last(array, position)).then_some(let_)
    }

    /// Whether nobody needs the elements of `array`, or what is made of them where it is read, after the permute.
    fn is_last(&self, array: ArrId, permute: usize) -> bool {
        let mut old = vec![array];
        let mut seen: HashSet<_> = old.iter().copied().collect();
        while let Some(made) = old.pop() {
            if self.results.contains(&made) {
                return false;
            }
            for access in self.uses.accesses(made) {
                match self.at.get(&access.consumer) {
                    // It may read what is made of the old elements, which is written before; not these themselves.
                    Some(&reader) if reader == permute => {
                        if made == array && access.at != At::Default {
                            return false;
                        }
                    }
                    Some(&reader) if reader < permute => match self.delayed(reader, &seen) {
                        Some(more) => old.extend(more.into_iter().filter(|&a| seen.insert(a))),
                        None => return false,
                    },
                    Some(_) | None => return false,
                }
            }
        }
        true
    }

    /// The results of an operation that are computed where they are read: none if it runs where it stands. `None` for
    /// one whose results may be in the memory that it reads, or whose extents depend on elements of `old`.
    fn delayed(&self, position: usize, old: &HashSet<ArrId>) -> Option<Vec<ArrId>> {
        let let_ = &self.body.lets[position];
        let by_host = match &let_.op {
            AccOp::Map { .. } => vec![],
            AccOp::Generate { shape, f: _ } => vec![shape],
            AccOp::Move { how, arg: _ } if how.keeps_order() => return None,
            AccOp::Move { how, arg: _ } => how.closed().collect(),
            AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Permute { .. }
            | AccOp::Append { .. }
            | AccOp::Cond { .. }
            | AccOp::Loop { .. } => return Some(vec![]),
            AccOp::Use(_)
            | AccOp::Unpack { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. } => return None,
        };
        let is_known = by_host.iter().all(|fun| !reads_any(fun, old));
        is_known.then(|| let_.binds.iter().map(|bind| bind.name).collect())
    }
}

/// Whether a function reads elements of one of the arrays.
fn reads_any(fun: &Fun<Labelled>, arrays: &HashSet<ArrId>) -> bool {
    let reads = reads(fun, &all_results(fun));
    reads
        .elements
        .iter()
        .any(|(array, _)| arrays.contains(array))
}
