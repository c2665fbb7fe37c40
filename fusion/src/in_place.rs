//! Which permutes of a loop's step may write into the memory of what they start from.
//!
//! A permute starts from a copy of its defaults. Where these are carried by a loop, as a table that gets a row a trip, that
//! copy costs more than the trip; so the permute writes into the carried memory itself, if nobody reads the old elements
//! after it. Engines keep arrays apart that share memory for other reasons, as the first state of a loop may with an array
//! that lives on: they copy what is shared when it is first written into.
//!
//! Arrays that are delayed are computed where they are read, so it does not suffice that a reader of the old elements
//! stands before the permute: what it makes must be used by the permute alone, or by operations that run where they stand.
//! Where it is not, it comes into memory before the permute if that costs less than the copy. A derivative needs that: the
//! adjoint of a value that overwrote another is read before zero is written in its place.

use crate::slice::{all_results, reads};
use crate::uses::{Access, At, Uses};
use cotangent_core::term::{AccBlock, AccClosure, AccLet, AccOp, ArrBind, ArrId, Fun, Labelled};
use std::collections::{HashMap, HashSet};

/// What is updated in place.
#[derive(Default)]
pub(crate) struct Updates {
    /// For each array whose memory a permute may write into, that permute's first result.
    pub permutes: HashMap<ArrId, ArrId>,
    /// Arrays made of elements that are overwritten, which come into memory before they are.
    pub early: HashSet<ArrId>,
}

/// What permutes of the step may write into.
pub(crate) fn updated(step: &AccClosure<Labelled>, uses: &Uses) -> Updates {
    let block = Block::of(&step.body, uses);
    let mut updates = Updates::default();
    let mut candidates: Vec<_> = step.params.iter().skip(1).map(array_of).collect();
    while let Some((array, rank)) = candidates.pop() {
        let Some((let_, early)) = block.permute_of(array, rank) else {
            continue;
        };
        updates.permutes.insert(array, let_.binds[0].name);
        updates.early.extend(early);
        candidates.extend(let_.binds.iter().map(array_of));
    }
    updates
}

/// The array that a binding is of, and its rank.
fn array_of(bind: &ArrBind<Labelled>) -> (ArrId, usize) {
    (bind.name, bind.ty.rank)
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

    /// The permute that starts from the array, and may write into it; and what comes into memory before it.
    fn permute_of(&self, array: ArrId, rank: usize) -> Option<(&'a AccLet<Labelled>, Vec<ArrId>)> {
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
        let early = once.then(|| self.needed_later(array, position))??;
        let as_large = early.iter().filter(|(_, own)| *own >= rank).count();
        // One array as large costs as much to keep as to copy the old one.
        (as_large <= 1).then(|| (let_, early.into_iter().map(|(made, _)| made).collect()))
    }

    /// The arrays with their ranks that are made of elements of `array` where they are read, and read after the permute. `None` if
    /// elements of `array` themselves are.
    fn needed_later(&self, array: ArrId, permute: usize) -> Option<Vec<(ArrId, usize)>> {
        let (mut old, mut later) = (self.made_before(array, permute)?, vec![]);
        let mut seen: HashSet<_> = old.iter().map(|(made, _)| *made).collect();
        seen.insert(array);
        while let Some((made, rank)) = old.pop() {
            let accesses = self.uses.accesses(made).iter();
            let mut readers = accesses.map(|access| self.at.get(&access.consumer));
            // The permute itself may read it: it is written before.
            let is_early = |reader: Option<&usize>| reader.is_some_and(|&r| r <= permute);
            if self.results.contains(&made) || !readers.all(is_early) {
                later.push((made, rank));
                continue;
            }
            let more = self.made_of(made, permute, &seen)?;
            old.extend(more.into_iter().filter(|(a, _)| seen.insert(*a)));
        }
        Some(later)
    }

    /// What is made of the elements of `array` where it is read. `None` if they are read after the permute, or by it.
    fn made_before(&self, array: ArrId, permute: usize) -> Option<Vec<(ArrId, usize)>> {
        let accesses = self.uses.accesses(array).iter();
        let mut others = accesses.filter(|access| access.at != At::Default);
        let is_before =
            |access: &Access| self.at.get(&access.consumer).is_some_and(|&r| r < permute);
        let is_last = !self.results.contains(&array) && others.all(is_before);
        is_last.then(|| self.made_of(array, permute, &HashSet::from([array])))?
    }

    /// What the operations before the permute that read `made` make where it is read; none of it is known to be safe if `None`.
    fn made_of(
        &self,
        made: ArrId,
        permute: usize,
        old: &HashSet<ArrId>,
    ) -> Option<Vec<(ArrId, usize)>> {
        let accesses = self.uses.accesses(made).iter();
        let readers = accesses.filter_map(|access| self.at.get(&access.consumer));
        let readers = readers.filter(|&&reader| reader < permute);
        let delayed = readers.map(|&reader| self.delayed(reader, old));
        Some(delayed.collect::<Option<Vec<_>>>()?.concat())
    }

    /// The results of an operation that are computed where they are read: none if it runs where it stands. `None` for
    /// one whose results may be in the memory that it reads, or whose extents depend on elements of `old`.
    fn delayed(&self, position: usize, old: &HashSet<ArrId>) -> Option<Vec<(ArrId, usize)>> {
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
        is_known.then(|| let_.binds.iter().map(array_of).collect())
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
