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
//!
//! A loop in the step goes on with the memory of what it starts from, under the same conditions.

use crate::slice::{all_results, reads};
use crate::uses::{Access, At, Uses};
use cotangent_core::term::{AccBlock, AccClosure, AccOp, ArrBind, ArrId, Fun, Labelled};
use std::collections::{HashMap, HashSet};

/// What is updated in place.
#[derive(Default)]
pub(crate) struct Updates {
    /// Arrays, and permutes that may write into their memory, by their first results.
    pub permutes: HashSet<(ArrId, ArrId)>,
    /// Arrays made of elements that are overwritten, which come into memory before they are.
    pub early: HashSet<ArrId>,
}

/// What permutes of the step may write into.
pub(crate) fn updated(step: &AccClosure<Labelled>, uses: &Uses) -> Updates {
    let mut updates = Updates::default();
    let carried: Vec<_> = step.params.iter().skip(1).map(array_of).collect();
    Block::of(&step.body, uses, false).updates(carried, &mut updates);
    updates
}

/// The array that a binding is of, and its rank.
fn array_of(bind: &ArrBind<Labelled>) -> (ArrId, usize) {
    (bind.name, bind.ty.rank)
}

/// The body of a step, or a branch of a conditional in one.
struct Block<'a> {
    body: &'a AccBlock<Labelled>,
    uses: &'a Uses,
    results: HashSet<ArrId>,
    /// The let at the top of the block that binds each array, inside or not.
    at: HashMap<ArrId, usize>,
    /// Whether it is a branch: what is around it has seen to the readers there.
    is_branch: bool,
}

impl<'a> Block<'a> {
    fn of(body: &'a AccBlock<Labelled>, uses: &'a Uses, is_branch: bool) -> Self {
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
            is_branch,
        }
    }

    /// Notes the permutes that may write into the memory of arrays, and those that may write into what these make. Gives what is in
    /// that memory then.
    fn updates(&self, mut arrays: Vec<(ArrId, usize)>, updates: &mut Updates) -> HashSet<ArrId> {
        let mut same = HashSet::new();
        while let Some((array, rank)) = arrays.pop() {
            // Each column of a permute gives them all: without this, a chain of them is gone through once for each way along it.
            if same.insert(array) {
                arrays.extend(self.update(array, rank, updates).unwrap_or_default());
            }
        }
        same
    }

    /// Notes the permute that may write into the memory of an array. Gives the arrays that are in that memory then, and others that
    /// are made with them.
    fn update(
        &self,
        array: ArrId,
        rank: usize,
        updates: &mut Updates,
    ) -> Option<Vec<(ArrId, usize)>> {
        let accesses = self.uses.accesses(array).iter();
        let starts = accesses.filter(|access| access.at == At::Start);
        let mut starts = starts.filter_map(|access| self.at.get(&access.consumer));
        let &position = starts.next()?;
        if starts.any(|&other| other != position) {
            return None;
        }
        let let_ = &self.body.lets[position];
        let array = (array, rank);
        match &let_.op {
            AccOp::Permute { defaults, args, .. } => {
                self.update_by_permute(array, position, (defaults, args[0]), updates)
            }
            AccOp::Cond {
                cond: _,
                then_,
                else_,
            } => self.update_in_branches(array, position, [then_, else_], updates),
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Move { .. }
            | AccOp::Unpack { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Append { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. } => None,
            AccOp::Loop { args, .. } => self.update_by_loop(array, position, args, updates),
        }
    }

    /// The same for one that a loop carries on.
    fn update_by_loop(
        &self,
        (array, rank): (ArrId, usize),
        position: usize,
        args: &[ArrId],
        updates: &mut Updates,
    ) -> Option<Vec<(ArrId, usize)>> {
        let is_it = |at: &usize| args[*at] == array;
        let column = (0..args.len()).find(is_it)?;
        if args[column + 1..].contains(&array) {
            return None;
        }
        self.read_before((array, rank), position, updates)?;
        let last = &self.body.lets[position].binds[column + 1];
        Some(vec![array_of(last)])
    }

    /// The same for an array that a permute starts from.
    fn update_by_permute(
        &self,
        (array, rank): (ArrId, usize),
        position: usize,
        (defaults, arg): (&[ArrId], ArrId),
        updates: &mut Updates,
    ) -> Option<Vec<(ArrId, usize)>> {
        if defaults.iter().filter(|&&d| d == array).count() > 1 {
            return None;
        }
        let early = self.needed_later(array, position, position + 1)?;
        let as_touched = |made: ArrId| self.uses.have_same_shape(made, arg);
        // What may be smaller is taken to be: a copy costs more than a trip may.
        let is_as_large = |made: ArrId| self.uses.have_same_shape(made, array);
        let is_large = |&&(made, own): &&(ArrId, usize)| {
            !as_touched(made) && (own > rank || own == rank && is_as_large(made))
        };
        // One array as large costs as much to keep as to copy the old one.
        if early.iter().filter(is_large).count() > 1 {
            return None;
        }
        let binds = &self.body.lets[position].binds;
        updates.permutes.insert((array, binds[0].name));
        updates.early.extend(early.iter().map(|(made, _)| *made));
        Some(binds.iter().map(array_of).collect())
    }

    /// The same for one that permutes in the branches of a conditional start from.
    fn update_in_branches(
        &self,
        (array, rank): (ArrId, usize),
        position: usize,
        branches: [&AccBlock<Labelled>; 2],
        updates: &mut Updates,
    ) -> Option<Vec<(ArrId, usize)>> {
        self.read_before((array, rank), position, updates)?;
        let same = branches
            .map(|branch| Block::of(branch, self.uses, true).updates(vec![(array, rank)], updates));
        // The other branch may result in what others have, too.
        let is_same = |r: &usize| {
            let mut sides = branches.iter().zip(&same);
            sides.all(|(branch, same)| is_only(&branch.results, *r, same))
        };
        let binds = &self.body.lets[position].binds;
        let columns = (0..binds.len()).filter(is_same);
        Some(columns.map(|r| array_of(&binds[r])).collect())
    }

    /// Notes what is to be read of an array before an operation with blocks, which goes on with its memory. `None` if that is as much as
    /// the array may have, or if elements are read after it.
    fn read_before(
        &self,
        (array, rank): (ArrId, usize),
        position: usize,
        updates: &mut Updates,
    ) -> Option<()> {
        let early = self.needed_later(array, position, position)?;
        if early.iter().any(|(_, own)| *own >= rank) {
            return None;
        }
        updates.early.extend(early.iter().map(|(made, _)| *made));
        Some(())
    }

    /// The arrays with their ranks that are made of elements of `array` where they are read, by operations before the update, and that
    /// operations from `late` on read. `None` if elements of `array` themselves are read after the update.
    fn needed_later(
        &self,
        array: ArrId,
        update: usize,
        late: usize,
    ) -> Option<Vec<(ArrId, usize)>> {
        let (mut old, mut later) = (self.made_before(array, update)?, vec![]);
        let mut seen: HashSet<_> = old.iter().map(|(made, _)| *made).collect();
        seen.insert(array);
        while let Some((made, rank)) = old.pop() {
            // An argument of a permute is written before where that needs it.
            let is_early = |access: &Access| {
                let reader = self.at.get(&access.consumer);
                reader.is_some_and(|&r| r < update || (r < late && access.at == At::Own))
            };
            let all_early = self.uses.accesses(made).iter().all(is_early);
            if self.results.contains(&made) || !all_early {
                later.push((made, rank));
                continue;
            }
            let more = self.made_of(made, update, &seen)?;
            old.extend(more.into_iter().filter(|(a, _)| seen.insert(*a)));
        }
        Some(later)
    }

    /// What is made of the elements of `array` where it is read. `None` if they are read after the update, or by it, unless that is a
    /// conditional: its branches are looked at by themselves.
    fn made_before(&self, array: ArrId, update: usize) -> Option<Vec<(ArrId, usize)>> {
        let accesses = self.uses.accesses(array).iter();
        let mut others = accesses.filter(|access| access.at != At::Start);
        let has_branches = matches!(self.body.lets[update].op, AccOp::Cond { .. });
        let is_before = |access: &Access| match self.at.get(&access.consumer) {
            Some(&reader) if reader < update => !self.is_view(reader),
            Some(&reader) => reader == update && has_branches,
            None => self.is_branch,
        };
        let is_last = !self.results.contains(&array) && others.all(is_before);
        is_last.then(|| self.made_of(array, update, &HashSet::from([array])))?
    }

    /// What the operations before the update that read `made` make where it is read; none of it is known to be safe if `None`.
    fn made_of(
        &self,
        made: ArrId,
        update: usize,
        old: &HashSet<ArrId>,
    ) -> Option<Vec<(ArrId, usize)>> {
        let accesses = self.uses.accesses(made).iter();
        let readers = accesses.filter_map(|access| self.at.get(&access.consumer));
        let readers = readers.filter(|&&reader| reader < update);
        let delayed = readers.map(|&reader| self.delayed(reader, old));
        Some(delayed.collect::<Option<Vec<_>>>()?.concat())
    }

    /// Whether the result of an operation may be in the memory that it reads.
    fn is_view(&self, position: usize) -> bool {
        let op = &self.body.lets[position].op;
        matches!(op, AccOp::Move { how, arg: _ } if how.keeps_order())
    }

    /// The results of an operation that are computed where they are read: none if it runs where it stands. `None` for
    /// one whose extents depend on elements of `old`.
    fn delayed(&self, position: usize, old: &HashSet<ArrId>) -> Option<Vec<(ArrId, usize)>> {
        let let_ = &self.body.lets[position];
        let by_host = match &let_.op {
            AccOp::Map { .. } => vec![],
            AccOp::Generate { shape, f: _ } => vec![shape],
            AccOp::Move { how, arg: _ } => how.closed().collect(),
            AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Permute { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
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

/// Whether a result is one of these arrays, and no other result is it, too.
fn is_only(results: &[ArrId], result: usize, arrays: &HashSet<ArrId>) -> bool {
    let array = results[result];
    arrays.contains(&array) && results.iter().filter(|&&r| r == array).count() == 1
}

/// Whether a function reads elements of one of the arrays.
fn reads_any(fun: &Fun<Labelled>, arrays: &HashSet<ArrId>) -> bool {
    let reads = reads(fun, &all_results(fun));
    reads
        .elements
        .iter()
        .any(|(array, _)| arrays.contains(array))
}
