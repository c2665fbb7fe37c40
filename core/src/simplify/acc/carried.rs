//! Scatters that are updates in place: into what a loop carries.
//!
//! A `permute` of a loop's step may write into the memory of the carried array that it starts from, and touches only
//! what it writes. A gather in its place would make the whole array anew, on each trip. So such a scatter stays
//! one, unless it sends as many elements as the array has: all of it is gone over anyway then.
//!
//! Carried are the parameters of a step, and what a `permute` or another loop makes of something carried, in a branch of a
//! conditional, too.
//!
//! Nobody may read the old elements after that. Sharing recovery puts a read where its result is used first, which may be after
//! the update: such a read moves in front of it. AD then meets the update first on its way back, and adds to the adjoint of the
//! array in place, too. An update whose own target reads the array would read what it has just written: its targets are computed
//! before.

use super::Rewriter;
use super::gather::{Scatter, Spaces};
use crate::build::{Arr, FunBuilder};
use crate::loc::Loc;
use crate::term::{AccLet, AccOp, ArrBind, ArrId, ExpOp, Fun, Labelled, Slot};
use crate::types::ArrayType;
use std::collections::{BTreeSet, HashMap, HashSet};

impl Rewriter<'_> {
    /// Notes the state that an operation carries, if it is a loop, and how many trips it makes at most.
    pub(super) fn enter_loop(&mut self, op: &AccOp<Labelled>) {
        if let AccOp::Loop { trips, step, .. } = op {
            let trips = self.facts.shapes.of_function(trips)[0];
            let number = step.params.first().zip(trips);
            self.facts
                .numbers
                .extend(number.map(|(number, trips)| (number.name, trips)));
            // The first parameter is the number of the trip.
            let state = step.params.iter().skip(1);
            self.facts.carried.extend(state.map(|param| param.name));
        }
    }

    /// Notes the results of an operation that are made of carried arrays.
    pub(super) fn note_updates(&mut self, op: &AccOp<Labelled>, binds: &[ArrBind<Labelled>]) {
        let is_carried = |array: &ArrId| self.facts.carried.contains(array);
        let updates: Vec<ArrId> = if let AccOp::Cond { then_, else_, .. } = op {
            let columns = binds.iter().zip(then_.results.iter().zip(&else_.results));
            let updates = columns.filter(|(_, (t, e))| is_carried(t) || is_carried(e));
            updates.map(|(bind, _)| bind.name).collect()
        } else {
            let updates = op.updates(binds).filter(|(start, _)| is_carried(start));
            updates.map(|(_, bind)| bind.name).collect()
        };
        self.facts.carried.extend(updates);
    }

    /// Whether a scatter is an update of something carried that touches a part of it.
    pub(super) fn is_update(&self, scatter: &Scatter<'_>, spaces: &Spaces) -> bool {
        let is_carried = |default| self.facts.carried.contains(default);
        scatter.defaults.iter().any(is_carried) && !spaces.are_equal_in_size()
    }
}

impl Rewriter<'_> {
    /// An update whose target reads what it updates as one that reads its targets, which are made before.
    pub(super) fn target_before(
        &mut self,
        scatter: &Scatter<'_>,
        loc: Loc,
    ) -> Option<AccOp<Labelled>> {
        let is_carried = |d: &&ArrId| self.facts.carried.contains(d);
        let mut updated = scatter.defaults.iter().filter(is_carried);
        let (target, first) = (scatter.target, *scatter.args.first()?);
        let alike = scatter
            .args
            .iter()
            .all(|&a| self.facts.shapes.same(a, first));
        if !alike || !updated.any(|&d| reads_elements(target, d)) {
            return None;
        }
        let (types, rank) = (target.result_types(), target.params.len());
        let space = Arr::new(first, ArrayType::new(types[0], rank));
        let made = AccOp::Generate {
            shape: Fun::shape_of(&space),
            f: target.clone(),
        };
        let made = self.pushed(made, &types, rank, loc);
        let mut b = FunBuilder::new();
        let index = b.params(&target.param_types());
        let results = made.iter().map(|array| b.index(array, &index)).collect();
        let permute = AccOp::Permute {
            combine: scatter.combine,
            outside: scatter.outside,
            defaults: scatter.defaults.to_vec(),
            target: b.finish(results),
            args: scatter.args.to_vec(),
        };
        self.fired("target_before_update", permute)
    }

    /// Moves what reads a carried array in front of the update that starts from it.
    pub(super) fn reads_first(&mut self, lets: &mut Vec<AccLet<Labelled>>) {
        // Outside of loops there is nothing to be done, however deep conditionals are nested.
        let mut position = if self.facts.carried.is_empty() {
            lets.len()
        } else {
            0
        };
        while position < lets.len() {
            let updated = self.updated_by(&lets[position].op);
            let moved = match updated.is_empty() {
                true => BTreeSet::new(),
                false => self.reads_after(lets, position, &updated),
            };
            for (count, &from) in moved.iter().enumerate() {
                self.counts.fire("read_before_update");
                let let_ = lets.remove(from);
                lets.insert(position + count, let_);
            }
            position += moved.len();
            if !updated.is_empty() {
                position = self.split_reads(lets, position, &updated);
            }
            position += 1;
        }
    }

    /// The carried arrays that an operation updates, be it in a branch.
    pub(super) fn updated_by(&self, op: &AccOp<Labelled>) -> Vec<ArrId> {
        if let AccOp::Cond { then_, else_, .. } = op {
            let inside = [then_, else_].into_iter().flat_map(|branch| &branch.lets);
            return inside.flat_map(|let_| self.updated_by(&let_.op)).collect();
        }
        let starts = op.starts().iter().copied();
        starts
            .filter(|start| self.facts.carried.contains(start))
            .collect()
    }

    /// The positions of what reads elements of the updated arrays after the update, and of what that needs from after it: without what
    /// depends on the update.
    fn reads_after(
        &self,
        lets: &[AccLet<Labelled>],
        update: usize,
        updated: &[ArrId],
    ) -> BTreeSet<usize> {
        let names = |at: usize| lets[at].binds.iter().map(|bind| bind.name);
        let mut made: HashSet<ArrId> = names(update).collect();
        let mut read: HashSet<ArrId> = lets[update].op.free().into_iter().collect();
        let (mut movable, mut wanted) = (HashMap::new(), vec![]);
        for (at, let_) in lets.iter().enumerate().skip(update + 1) {
            let free = let_.op.free();
            let depends = free.iter().any(|array| made.contains(array));
            if depends || !self.may_move(&let_.op, &read) {
                made.extend(names(at));
            } else {
                movable.extend(names(at).map(|array| (array, at)));
                wanted.extend(free.iter().any(|a| updated.contains(a)).then_some(at));
            }
            read.extend(free);
        }
        let mut moved = BTreeSet::new();
        while let Some(at) = wanted.pop() {
            if moved.insert(at) {
                let free = lets[at].op.free();
                wanted.extend(free.iter().filter_map(|array| movable.get(array).copied()));
            }
        }
        moved
    }

    /// Whether an operation may come before others that it does not depend on and that read some arrays: it updates none of these.
    fn may_move(&self, op: &AccOp<Labelled>, read: &HashSet<ArrId>) -> bool {
        match op {
            AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Move { .. }
            | AccOp::Unpack { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Append { .. }
            | AccOp::Permute { .. }
            | AccOp::Cond { .. }
            | AccOp::Loop { .. } => !self.updated_by(op).iter().any(|a| read.contains(a)),
            AccOp::Use(_) | AccOp::Derivative { .. } | AccOp::Custom { .. } => false,
        }
    }
}

/// Whether a function reads elements of an array.
fn reads_elements(fun: &Fun<Labelled>, array: ArrId) -> bool {
    let is_read = |slot: &Slot| fun.captures[slot.0 as usize] == array;
    let mut lets = fun.body.all_lets();
    lets.any(|let_| matches!(&let_.op, ExpOp::Index { array, .. } if is_read(array)))
}
