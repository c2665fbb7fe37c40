//! Loops of array code: what every trip makes anew moves in front of the loop.
//!
//! It moves if it is total: a loop may make no trip at all, and what nobody would have asked for must neither fail nor go on
//! for ever.

use super::pointwise::trips_made;
use super::{ArrayLoops, Rewriter};
use crate::analysis::fails::{may_fail, moves_safely};
use crate::constant::Const;
use crate::loc::Loc;
use crate::term::{AccBlock, AccLet, AccOp, ArrBind, ArrId, ExpOp, Fun, Inner, Labelled, States};
use std::collections::HashSet;

impl Rewriter<'_> {
    /// Moves out of the test and the step of a loop what depends on nothing that they bind.
    pub(super) fn move_out(&mut self, op: &mut AccOp<Labelled>) {
        for Inner { binds, block, .. } in op.blocks_mut() {
            self.move_out_of(binds, block);
        }
    }

    /// Puts the code of a trip in the place of a loop that makes one. Whether it did.
    pub(super) fn unrolled(
        &mut self,
        op: &AccOp<Labelled>,
        binds: &[ArrBind<Labelled>],
        loc: Loc,
    ) -> bool {
        let AccOp::Loop {
            trips,
            test: None,
            step,
            states: States::Stored,
            args,
        } = op
        else {
            return false;
        };
        if self.loops == ArrayLoops::Stay || !self.is_derived() || !makes_one_trip(trips) {
            return false;
        }
        self.counts.fire("loop_one_trip_of_arrays");
        let number = Fun::constants(&[Const::I32(0)]);
        let shape = Fun::constants(&[]);
        let number = AccOp::Generate { shape, f: number };
        self.simple(number, vec![step.params[0].clone()], loc);
        let first: Vec<_> = args.iter().map(|&arg| Some(arg)).collect();
        self.rename(&step.params[1..], &first);
        step.body
            .lets
            .iter()
            .cloned()
            .for_each(|let_| self.let_(let_));
        let last = step.body.results.iter();
        let last: Vec<_> = last.map(|&array| Some(self.name(array))).collect();
        self.rename(&binds[1..], &last);
        self.simple(trips_made(trips), vec![binds[0].clone()], loc);
        true
    }

    /// Puts the first state in the place of a loop that makes no trip. Whether it did.
    pub(super) fn never_run(
        &mut self,
        op: &AccOp<Labelled>,
        binds: &[ArrBind<Labelled>],
        loc: Loc,
    ) -> bool {
        let AccOp::Loop { trips, args, .. } = op else {
            return false;
        };
        let constant = trips.constant_result(0).and_then(Const::as_i32);
        if constant.is_none_or(|trips| trips > 0) {
            return false;
        }
        self.counts.fire("loop_no_trip_of_arrays");
        let first: Vec<_> = args.iter().map(|&arg| Some(arg)).collect();
        self.rename(&binds[1..], &first);
        self.simple(trips_made(trips), vec![binds[0].clone()], loc);
        true
    }

    fn move_out_of(&mut self, params: &[ArrBind<Labelled>], block: &mut AccBlock<Labelled>) {
        let mut inside: HashSet<ArrId> = params.iter().map(|param| param.name).collect();
        let mut stays = vec![];
        for mut let_ in std::mem::take(&mut block.lets) {
            let is_bound = let_.op.free().iter().any(|array| inside.contains(array));
            if is_bound || !self.is_total(&let_) {
                self.move_columns_out(&mut let_, &inside);
                inside.extend(let_.binds.iter().map(|bind| bind.name));
                stays.push(let_);
            } else {
                self.counts.fire("loop_invariant_array");
                self.lets.push(let_);
            }
        }
        block.lets = stays;
    }

    /// Whether an operation neither fails nor runs for ever, whatever elements it meets.
    pub(super) fn is_total(&mut self, let_: &AccLet<Labelled>) -> bool {
        let AccLet { binds, op, loc: _ } = let_;
        let reads = match op {
            AccOp::Move { how, arg } => moves_safely(how, *arg, &mut self.facts.shapes, |shapes| {
                let space = shapes.sizes(binds[0].name).unwrap_or_default();
                space.iter().copied().map(Some).collect()
            }),
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Argsort { .. }
            | AccOp::Append { .. } => true,
            AccOp::FoldSegments { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => false,
        };
        reads && op.funs().into_iter().all(is_total) && !may_fail(op, &mut self.facts.shapes)
    }
}

/// Whether nothing may leave a loop: what is to be made once more by a derivative, and the derivative that makes it.
pub(super) fn is_closed(op: &AccOp<Labelled>) -> bool {
    match op {
        AccOp::Loop {
            states: States::Closed,
            ..
        } => true,
        AccOp::Loop {
            trips,
            states: States::Checkpoints(_),
            ..
        } => makes_one_trip(trips),
        AccOp::Loop { .. } | AccOp::Use(_) | AccOp::Generate { .. } | AccOp::Map { .. } => false,
        AccOp::Fold { .. } | AccOp::Scan { .. } | AccOp::Move { .. } => false,
        AccOp::Permute { .. } | AccOp::Unpack { .. } | AccOp::Append { .. } => false,
        AccOp::Argsort { .. } | AccOp::FoldSegments { .. } => false,
        AccOp::Cond { .. } | AccOp::Derivative { .. } | AccOp::Custom { .. } => false,
    }
}

fn makes_one_trip(trips: &Fun<Labelled>) -> bool {
    trips.constant_result(0) == Some(Const::I32(1))
}

/// Whether a function neither reads at an index that may be out of range nor has a loop that may not end.
pub(super) fn is_total(fun: &Fun<Labelled>) -> bool {
    fun.body.all_lets().all(|let_| match &let_.op {
        ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Extent { .. } | ExpOp::Cond { .. } => true,
        ExpOp::Loop { test, .. } => test.is_none(),
        ExpOp::Index { array: _, index } => index.is_empty(),
        ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => false,
    })
}
