//! Reads of what an update overwrites, by operations that cannot move in front of it.
//!
//! `v.set(i, a).set(j, v[i] + …)` reads an element of the first `v` beside what was made after the first update. Sharing recovery
//! puts both reads into one function. Where that stays as it is, the first update has to start from a copy of the array. So the
//! elements that it reads of the old one become an array of their own, which is made before the update.
//!
//! The function must read them in any case, at an index that can be known before, or what cannot be read would fail where nobody
//! asked for it.

use super::Rewriter;
use crate::simplify::exp::clean;
use crate::term::{
    AccLet, AccOp, ArrBind, ArrId, ExpBind, ExpId, ExpLet, ExpOp, Fun, Labelled, Slot,
};
use crate::types::ArrayType;
use std::collections::HashSet;

impl Rewriter<'_> {
    /// Puts what later operations read of the updated arrays in front of the update. Results in where that is then.
    pub(super) fn split_reads(
        &mut self,
        lets: &mut Vec<AccLet<Labelled>>,
        mut update: usize,
        updated: &[ArrId],
    ) -> usize {
        let mut late: HashSet<ArrId> = HashSet::new();
        let mut at = update;
        while at < lets.len() {
            let is_update = at == update;
            let (before, from) = lets.split_at_mut(update);
            let let_ = &mut from[at - update];
            let mut early = self.closed_reads((before, let_), updated, &late);
            if !is_update {
                early.extend(self.reads_of_branches(let_, updated, &late));
                early.extend(self.early(let_, updated, &late));
            }
            late.extend(lets[at].binds.iter().map(|bind| bind.name));
            let count = early.len();
            lets.splice(update..update, early);
            update += count;
            at += count + 1;
        }
        update
    }

    /// What an operation reads of the updated arrays as one of its own, from which the first one reads it then. None of it may need
    /// what is bound late.
    fn early(
        &mut self,
        let_: &mut AccLet<Labelled>,
        updated: &[ArrId],
        late: &HashSet<ArrId>,
    ) -> Option<AccLet<Labelled>> {
        let loc = let_.loc;
        let rank = let_.binds[0].ty.rank;
        let (shape, fun) = function(&mut let_.op, rank)?;
        let index = &fun.params[..shape.body.results.len()];
        let index: Vec<ExpId> = index.iter().map(|param| param.name).collect();
        let reads = Reads::of((fun, &index), updated, late)?;
        let is_late = shape.captures.iter().any(|array| late.contains(array));
        if is_late || self.is_as_large(&shape, &reads.arrays) {
            return None;
        }
        let mut f = fun.clone();
        f.params.truncate(index.len());
        f.body.results = reads.elements.iter().map(|bind| bind.name).collect();
        clean(&mut f, self.counts);
        let binds = reads.elements.iter();
        let binds: Vec<_> = binds
            .map(|bind| self.fresh(ArrayType::new(bind.ty, index.len())))
            .collect();
        reads.replace(fun, &binds, &index);
        clean(fun, self.counts);
        let op = AccOp::Generate { shape, f };
        let early = AccLet { binds, op, loc };
        self.counts.fire("read_part_before_update");
        self.facts.shapes.let_(&early);
        Some(early)
    }

    /// Whether a shape is that of one of some arrays: what is read of those is as much as they have.
    fn is_as_large(&mut self, shape: &Fun<Labelled>, arrays: &HashSet<ArrId>) -> bool {
        let sizes = self.facts.shapes.of_function(shape);
        let sizes: Option<Vec<_>> = sizes.into_iter().collect();
        let is_it = |array: &ArrId| self.facts.shapes.sizes(*array) == sizes.as_deref();
        sizes.is_some() && arrays.iter().any(is_it)
    }
}

/// The function of an operation that is applied to each index of a space, which are its first parameters, and the shape of the
/// space.
fn function(op: &mut AccOp<Labelled>, rank: usize) -> Option<(Fun<Labelled>, &mut Fun<Labelled>)> {
    match op {
        AccOp::Generate { shape, f } => Some((shape.clone(), f)),
        AccOp::Map { f, .. } if rank == 0 => Some((Fun::constants(&[]), f)),
        AccOp::Permute { target, .. } if target.params.is_empty() => {
            Some((Fun::constants(&[]), target))
        }
        AccOp::Permute { .. }
        | AccOp::Map { .. }
        | AccOp::Use(_)
        | AccOp::Fold { .. }
        | AccOp::Scan { .. }
        | AccOp::Move { .. }
        | AccOp::Unpack { .. }
        | AccOp::Argsort { .. }
        | AccOp::FoldSegments { .. }
        | AccOp::Append { .. }
        | AccOp::Cond { .. }
        | AccOp::Derivative { .. }
        | AccOp::Custom { .. }
        | AccOp::Loop { .. } => None,
    }
}

/// The elements of updated arrays that a function reads.
struct Reads {
    elements: Vec<ExpBind<Labelled>>,
    arrays: HashSet<ArrId>,
}

impl Reads {
    /// All of them, if the function reads them whatever happens, at indices that can be known early.
    fn of(
        (fun, index): (&Fun<Labelled>, &[ExpId]),
        updated: &[ArrId],
        late: &HashSet<ArrId>,
    ) -> Option<Self> {
        let is_late = |array: &ArrId| late.contains(array);
        if !fun.captures.iter().any(|array| updated.contains(array)) {
            return None;
        }
        let mut early: HashSet<ExpId> = index.iter().copied().collect();
        let (mut elements, mut arrays) = (vec![], HashSet::new());
        for let_ in &fun.body.lets {
            let known = is_known(let_, &early, &|slot| {
                is_late(&fun.captures[slot.0 as usize])
            });
            if known {
                early.extend(let_.binds.iter().map(|bind| bind.name));
            }
            for array in read_by(let_).map(|slot| fun.captures[slot.0 as usize]) {
                if updated.contains(&array) {
                    let is_read = known && matches!(let_.op, ExpOp::Index { .. });
                    elements.push(let_.binds.first().filter(|_| is_read)?.clone());
                    arrays.insert(array);
                }
            }
        }
        (!elements.is_empty()).then_some(Self { elements, arrays })
    }

    /// Makes a function read the elements from arrays that have them at its own index.
    fn replace(&self, fun: &mut Fun<Labelled>, arrays: &[ArrBind<Labelled>], index: &[ExpId]) {
        let first = fun.captures.len();
        fun.captures.extend(arrays.iter().map(|array| array.name));
        for let_ in &mut fun.body.lets {
            let bind = let_.binds.first();
            let at = self.elements.iter().position(|e| bind == Some(e));
            if let Some(at) = at {
                let array = Slot((first + at) as u32);
                let index = index.to_vec();
                let_.op = ExpOp::Index { array, index };
            }
        }
    }
}

/// The arrays of which a let reads elements, inside too.
fn read_by(let_: &ExpLet<Labelled>) -> impl Iterator<Item = Slot> {
    let blocks = let_.op.blocks().into_iter();
    let inside = blocks.flat_map(|inner| inner.block.all_lets());
    let ops = std::iter::once(&let_.op).chain(inside.map(|let_| &let_.op));
    ops.filter_map(|op| match op {
        ExpOp::Index { array, index: _ } => Some(*array),
        ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Extent { .. } | ExpOp::Cond { .. } => None,
        ExpOp::Loop { .. } | ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => None,
    })
}

/// Whether what a let needs is there early.
pub(super) fn is_known(
    let_: &ExpLet<Labelled>,
    early: &HashSet<ExpId>,
    is_late: &impl Fn(&Slot) -> bool,
) -> bool {
    match &let_.op {
        ExpOp::Const(_) => true,
        ExpOp::Prim(_, operands) => operands.iter().all(|x| early.contains(x)),
        ExpOp::Extent { array, axis: _ } => !is_late(array),
        ExpOp::Index { array, index } => !is_late(array) && index.iter().all(|x| early.contains(x)),
        ExpOp::Cond { .. } | ExpOp::Loop { .. } => false,
        ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => false,
    }
}
