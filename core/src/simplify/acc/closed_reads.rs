//! Reads, in a loop inside of a loop or in a branch, of elements that an update in front of it or the loop itself overwrites.
//!
//! `let x = v[i]; for k { v.set(k, v[k] · x) }` reads an element of the array as it was before the inner loop, in each of its trips.
//! So the inner loop would have to start from a copy. Where the index is the same on all its trips, the element becomes an array of
//! rank 0 in front of the update. That reads it even if the loop makes no trip. So the index must be seen to be in range, or the
//! element is read in any case: by what stands in front of the loop, or by a loop that makes a trip for sure.
//!
//! What a branch behind the update reads for sure is read before the update if the condition holds, and is zero otherwise.

use super::Rewriter;
use super::early_reads::is_known;
use crate::analysis::fails::reads_inside;
use crate::build::{Arr, FunBuilder};
use crate::constant::Const;
use crate::loc::Loc;
use crate::simplify::exp::{anonymous_fun, clean};
use crate::term::{
    AccBlock, AccLet, AccOp, ArrId, ExpBind, ExpId, ExpLet, ExpOp, Fun, InnerFun, Labelled, Runs,
    Slot,
};
use crate::types::ArrayType;
use std::collections::HashSet;

/// Elements that are read in any case: of which arrays, and at which indices.
type Certain = HashSet<(ArrId, Fun<Labelled>)>;

/// Lets of elements, by the array and the index.
type Made = Vec<(ArrId, Fun<Labelled>, AccLet<Labelled>)>;

/// What holds where an element is read: the result of a function without parameters, or that it does not.
type Guard<'a> = Option<(&'a Fun<Labelled>, bool)>;

/// An element that a function reads, at an index that does not depend on its parameters.
struct ClosedRead {
    array: Arr,
    /// The function without parameters that gives the index.
    index: Fun<Labelled>,
    /// What the element is called in the function.
    element: ExpId,
    /// Where it was written.
    loc: Loc,
}

impl Rewriter<'_> {
    /// Puts the elements of updated arrays that a loop reads from outside in front of an update; gives these lets. None of that may
    /// need what is bound late. `before` are the lets in front of the update.
    pub(super) fn closed_reads(
        &mut self,
        (before, let_): (&[AccLet<Labelled>], &mut AccLet<Labelled>),
        updated: &[ArrId],
        late: &HashSet<ArrId>,
    ) -> Vec<AccLet<Labelled>> {
        let AccOp::Loop { .. } = &let_.op else {
            return vec![];
        };
        let loc = let_.loc;
        let blocks = || let_.op.blocks().into_iter();
        if !blocks().any(|inner| inner.block.reads().any(|array| updated.contains(&array))) {
            return vec![];
        }
        let mut late = late.clone();
        for inner in blocks() {
            late.extend(inner.binds.iter().map(|bind| bind.name));
            late.extend(inner.block.bindings().map(|bind| bind.name));
        }
        let mut certain = Certain::new();
        for let_ in before {
            certain_reads(let_, (updated, &late), &mut certain);
        }
        if let_.op.asks_for_trips() {
            // The test comes first, and the step is made if there is none.
            let first = let_.op.blocks().into_iter().take(1);
            let lets = first.flat_map(|inner| &inner.block.lets);
            for let_ in lets {
                certain_reads(let_, (updated, &late), &mut certain);
            }
        }
        let mut made = Made::new();
        for inner in let_.op.blocks_mut() {
            let reads = (updated, &late, &certain);
            self.read_before(inner.block, reads, (loc, None), &mut made);
        }
        made.into_iter().map(|(_, _, let_)| let_).collect()
    }

    /// The same for what the branches of a conditional read behind the update.
    pub(super) fn reads_of_branches(
        &mut self,
        let_: &mut AccLet<Labelled>,
        updated: &[ArrId],
        late: &HashSet<ArrId>,
    ) -> Vec<AccLet<Labelled>> {
        let loc = let_.loc;
        let AccOp::Cond { cond, then_, else_ } = &mut let_.op else {
            return vec![];
        };
        if cond.captures.iter().any(|array| late.contains(array)) {
            return vec![];
        }
        let mut early = vec![];
        for (branch, holds) in [(then_, true), (else_, false)] {
            let mut late = late.clone();
            late.extend(branch.bindings().map(|bind| bind.name));
            let mut certain = Certain::new();
            for let_ in &branch.lets {
                certain_reads(let_, (updated, &late), &mut certain);
            }
            let mut made = Made::new();
            let reads = (updated, &late, &certain);
            self.read_before(branch, reads, (loc, Some((cond, holds))), &mut made);
            early.extend(made.into_iter().map(|(_, _, let_)| let_));
        }
        early
    }

    /// Makes the functions of a block read elements of updated arrays from arrays that have no others; adds the lets of these.
    fn read_before(
        &mut self,
        block: &mut AccBlock<Labelled>,
        (updated, late, certain): (&[ArrId], &HashSet<ArrId>, &Certain),
        (loc, guard): (Loc, Guard),
        made: &mut Made,
    ) {
        block.each_fun_mut(&mut |fun| {
            for read in reads_of(fun, fun.body.all_lets(), (updated, late)) {
                let key = anonymous_fun(&read.index);
                let is_certain = certain.contains(&(read.array.name, key.clone()));
                if !is_certain && !self.is_in_range(&read) {
                    continue;
                }
                let is_it = |(array, index, _): &(ArrId, Fun<Labelled>, _)| {
                    *array == read.array.name && *index == key
                };
                let at = made.iter().position(is_it).unwrap_or_else(|| {
                    let let_ = self.element_of(&read, loc, guard);
                    made.push((read.array.name, key, let_));
                    made.len() - 1
                });
                read.replace(fun, made[at].2.binds[0].name);
                clean(fun, self.counts);
            }
        });
    }

    /// Whether an index is in range, whatever the numbers of the trips are that it depends on.
    fn is_in_range(&self, read: &ClosedRead) -> bool {
        let mut index = read.index.clone();
        let mut space = vec![];
        for let_ in std::mem::take(&mut index.body.lets) {
            let number = match &let_.op {
                ExpOp::Index { array, .. } => index.captures.get(array.0 as usize),
                ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Extent { .. } => None,
                ExpOp::Cond { .. } | ExpOp::Loop { .. } => None,
                ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => None,
            };
            match number.and_then(|number| self.facts.numbers.get(number)) {
                Some(&trips) => {
                    space.push(Some(trips));
                    index.params.extend(let_.binds);
                }
                None => index.body.lets.push(let_),
            }
        }
        reads_inside(&index, &space, read.array.name, &self.facts.shapes)
    }

    /// The let of an element: zero, where it is not read.
    fn element_of(&mut self, read: &ClosedRead, loc: Loc, guard: Guard) -> AccLet<Labelled> {
        let elem = read.array.ty.elem;
        let element = |b: &mut FunBuilder| {
            let index = b.inline(&read.index, &[]);
            b.set_loc(read.loc);
            vec![b.index(&read.array, &index)]
        };
        let zero = |b: &mut FunBuilder| vec![b.constant(Const::zero(elem))];
        let mut b = FunBuilder::new();
        let results = match guard {
            None => {
                self.counts.fire("element_before_loop");
                element(&mut b)
            }
            Some((cond, holds)) => {
                self.counts.fire("element_before_branch");
                let cond = b.inline(cond, &[])[0];
                match holds {
                    true => b.cond(cond, element, zero),
                    false => b.cond(cond, zero, element),
                }
            }
        };
        let f = b.finish(results);
        let shape = Fun::constants(&[]);
        let let_ = AccLet {
            binds: vec![self.fresh(ArrayType::new(elem, 0))],
            op: AccOp::Generate { shape, f },
            loc,
        };
        self.facts.shapes.let_(&let_);
        let_
    }
}

impl ClosedRead {
    /// Makes the function read the element from an array that has no other.
    fn replace(&self, fun: &mut Fun<Labelled>, array: ArrId) {
        let slot = Slot(fun.captures.len() as u32);
        fun.captures.push(array);
        fun.body.each_block_mut(&mut |block| {
            let mut lets = block.lets.iter_mut();
            let is_it = |bind: &ExpBind<Labelled>| bind.name == self.element;
            if let Some(let_) = lets.find(|let_| let_.binds.first().is_some_and(is_it)) {
                let index = vec![];
                let_.op = ExpOp::Index { array: slot, index };
            }
        });
    }
}

/// What a function reads of updated arrays by some of its lets, at an index that does not depend on its parameters, nor on what is bound
/// late.
fn reads_of<'a>(
    fun: &Fun<Labelled>,
    lets: impl Iterator<Item = &'a ExpLet<Labelled>>,
    (updated, late): (&[ArrId], &HashSet<ArrId>),
) -> Vec<ClosedRead> {
    if !fun.captures.iter().any(|array| updated.contains(array)) {
        return vec![];
    }
    let mut closed: Vec<&ExpLet<Labelled>> = vec![];
    let mut names: HashSet<ExpId> = HashSet::new();
    let mut reads = vec![];
    for let_ in lets {
        let [bind] = &let_.binds[..] else { continue };
        if let ExpOp::Index { array, index } = &let_.op
            && updated.contains(&fun.captures[array.0 as usize])
        {
            if !index.is_empty() && index.iter().all(|x| names.contains(x)) {
                let array = fun.captures[array.0 as usize];
                let array = Arr::new(array, ArrayType::new(bind.ty, index.len()));
                let index = only(fun, &closed, index);
                let element = bind.name;
                reads.push(ClosedRead {
                    array,
                    index,
                    element,
                    loc: let_.loc,
                });
            }
        } else if !may_fail(let_)
            && is_known(let_, &names, &|slot| {
                late.contains(&fun.captures[slot.0 as usize])
            })
        {
            closed.push(let_);
            names.insert(bind.name);
        }
    }
    reads
}

/// Adds the elements of updated arrays that an operation reads in any case, whatever elements it meets.
fn certain_reads(
    let_: &AccLet<Labelled>,
    (updated, late): (&[ArrId], &HashSet<ArrId>),
    certain: &mut Certain,
) {
    let has_one_point = let_.binds.iter().all(|bind| bind.ty.rank == 0);
    // Whether the functions that run once do so in any case, and those that run for each point.
    let (once, repeatedly) = match &let_.op {
        AccOp::Generate { .. } | AccOp::Map { .. } => (true, has_one_point),
        AccOp::Permute { target, .. } => (true, target.params.is_empty()),
        AccOp::Move { .. } | AccOp::Cond { .. } | AccOp::Loop { .. } => (true, false),
        AccOp::Use(_) | AccOp::Fold { .. } | AccOp::Scan { .. } => (false, false),
        AccOp::Unpack { .. }
        | AccOp::Append { .. }
        | AccOp::Argsort { .. }
        | AccOp::FoldSegments { .. } => (false, false),
        AccOp::Derivative { .. } | AccOp::Custom { .. } => (false, false),
    };
    for InnerFun { runs, fun, .. } in let_.op.functions() {
        let is_run = match runs {
            Runs::Once => once,
            Runs::Repeatedly => repeatedly,
            Runs::Alternative => false,
        };
        if is_run {
            let reads = reads_of(fun, fun.body.lets.iter(), (updated, late));
            let reads = reads.into_iter();
            certain.extend(reads.map(|read| (read.array.name, anonymous_fun(&read.index))));
        }
    }
}

/// The function without parameters of some results, made of closed lets.
fn only(fun: &Fun<Labelled>, closed: &[&ExpLet<Labelled>], results: &[ExpId]) -> Fun<Labelled> {
    let mut only = Fun::constants(&[]);
    only.captures = fun.captures.clone();
    only.body.results = results.to_vec();
    let mut needed: HashSet<ExpId> = results.iter().copied().collect();
    for let_ in closed.iter().rev() {
        if needed.contains(&let_.binds[0].name) {
            needed.extend(let_.op.reads());
            only.body.lets.insert(0, (*let_).clone());
        }
    }
    only.clean_captures();
    only
}

/// Whether a let reads at an index that may be out of range.
fn may_fail(let_: &ExpLet<Labelled>) -> bool {
    matches!(&let_.op, ExpOp::Index { index, .. } if !index.is_empty())
}
