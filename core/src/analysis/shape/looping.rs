//! The shapes of what loops carry.

use super::{Shapes, Size, SizeNode};
use crate::build::Arr;
use crate::term::{AccClosure, AccOp, ArrId, Labelled, LoopClosures};
use std::collections::HashSet;

/// How often the code of a loop is gone through at most, to find the extents that no trip changes.
const MAX_ROUNDS: usize = 4;

/// The shapes that a column of a loop's state has after the trips.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TripExtents {
    /// Those of the first state.
    Kept,
    /// After any trip these, which are known before the loop; they may differ from those of the first state.
    Settled(Vec<Size>),
    /// They may change from trip to trip.
    Open,
}

impl Shapes {
    /// Records what the code of a trip is given. An extent is that of the first state if the step keeps it.
    pub(super) fn trip(
        &mut self,
        (test, step, inverse): LoopClosures<'_, Labelled>,
        args: &[ArrId],
    ) {
        let kept = self.kept_extents(step, args);
        for closure in test.into_iter().chain(inverse).chain([step]) {
            self.given(closure, args, &kept);
        }
    }

    /// Records the parameters of a closure of a loop, given which extents no trip changes.
    fn given(&mut self, closure: &AccClosure<Labelled>, args: &[ArrId], kept: &[Vec<bool>]) {
        let Some((number, state)) = closure.params.split_first() else {
            return;
        };
        self.root(number);
        for ((param, arg), kept) in state.iter().zip(args).zip(kept) {
            let sizes = self.kept_sizes(*arg, kept);
            self.record(param, sizes);
        }
    }

    /// Records the results of a loop.
    pub(super) fn after_trips(&mut self, binds: &[Arr], op: &AccOp<Labelled>) {
        let AccOp::Loop {
            test, step, args, ..
        } = op
        else {
            return;
        };
        let Some((trips, state)) = binds.split_first() else {
            return;
        };
        let makes_a_trip = test.is_none() && op.asks_for_trips();
        let settled = makes_a_trip.then(|| self.settled_sizes(step, args));
        let kept = self.kept_extents(step, args);
        self.root(trips);
        for (at, (bind, arg)) in state.iter().zip(args).enumerate() {
            let settled = settled.as_ref().and_then(|sizes| sizes[at].clone());
            let sizes = match settled {
                Some(sizes) => sizes.into_iter().map(Some).collect(),
                None => self.kept_sizes(*arg, &kept[at]),
            };
            self.record(bind, sizes);
        }
    }

    pub(super) fn kept_sizes(&self, first: ArrId, kept: &[bool]) -> Vec<Option<Size>> {
        let sizes = self.arrays.get(&first).into_iter().flatten().zip(kept);
        sizes.map(|(&size, kept)| kept.then_some(size)).collect()
    }

    /// Which extents of a loop's state no trip changes: those of which that follows if it is assumed of them.
    pub fn kept_extents(&mut self, step: &AccClosure<Labelled>, args: &[ArrId]) -> Vec<Vec<bool>> {
        let state = step.params.get(1..).unwrap_or_default();
        let mut kept: Vec<Vec<bool>> = state.iter().map(|p| vec![true; p.ty.rank]).collect();
        for _ in 0..MAX_ROUNDS {
            self.given(step, args, &kept);
            self.block(&step.body);
            let next = step.body.results.iter().zip(state).zip(&kept);
            let next: Vec<Vec<bool>> = next
                .map(|((&after, before), kept)| self.equal_extents(after, before.name, kept))
                .collect();
            if next == kept {
                return kept;
            }
            kept = next;
        }
        kept.iter()
            .map(|extents| vec![false; extents.len()])
            .collect()
    }

    /// Which of some extents two arrays have in common.
    fn equal_extents(&self, x: ArrId, y: ArrId, which: &[bool]) -> Vec<bool> {
        let both = self.arrays.get(&x).zip(self.arrays.get(&y));
        let equal = |k: usize| both.is_some_and(|(x, y)| x.get(k) == y.get(k));
        let which = which.iter().enumerate();
        which.map(|(k, &kept)| kept && equal(k)).collect()
    }

    /// The shapes that the columns of a loop's state have after the trips.
    pub fn trip_extents(
        &mut self,
        step: &AccClosure<Labelled>,
        args: &[ArrId],
    ) -> Vec<TripExtents> {
        let settled = self.settled_sizes(step, args);
        let kept = self.kept_extents(step, args);
        let pairs = kept.into_iter().zip(settled);
        let extents = pairs.map(|(kept, settled)| match (kept.contains(&false), settled) {
            (false, _) => TripExtents::Kept,
            (true, Some(sizes)) => TripExtents::Settled(sizes),
            (true, None) => TripExtents::Open,
        });
        extents.collect()
    }

    /// The sizes that columns of the state have after any trip: those after the first one, if a trip from there gives the same.
    fn settled_sizes(
        &mut self,
        step: &AccClosure<Labelled>,
        args: &[ArrId],
    ) -> Vec<Option<Vec<Size>>> {
        let first = args
            .iter()
            .map(|&arg| self.sizes(arg).map(<[Size]>::to_vec));
        let first = first.collect();
        let mut settled = self.sizes_after(step, first);
        for _ in 0..MAX_ROUNDS {
            let next = self.sizes_after(step, settled.clone());
            if next == settled {
                return settled;
            }
            for (known, next) in settled.iter_mut().zip(next) {
                *known = known.take().filter(|known| Some(known) == next.as_ref());
            }
        }
        vec![None; args.len()]
    }

    /// The sizes of the state after a trip from given ones, as far as they are known before the loop.
    fn sizes_after(
        &mut self,
        step: &AccClosure<Labelled>,
        before: Vec<Option<Vec<Size>>>,
    ) -> Vec<Option<Vec<Size>>> {
        if let Some((number, state)) = step.params.split_first() {
            self.root(number);
            for (param, sizes) in state.iter().zip(before) {
                let sizes = sizes.map_or(vec![None; param.ty.rank], |sizes| {
                    sizes.into_iter().map(Some).collect()
                });
                self.record(param, sizes);
            }
        }
        self.block(&step.body);
        let results = step.body.results.iter();
        results
            .map(|&result| self.sizes_outside(step, result))
            .collect()
    }

    /// The extents of an array of a step, if they are known before the loop and the same on all trips.
    pub fn sizes_outside(&self, step: &AccClosure<Labelled>, array: ArrId) -> Option<Vec<Size>> {
        let inside = step.params.iter().chain(step.body.bindings());
        let inside: HashSet<ArrId> = inside.map(|bind| bind.name).collect();
        let sizes = self.sizes_without(array, &|array| inside.contains(&array));
        sizes.map(<[Size]>::to_vec)
    }

    /// The extents of an array, if none of them is that of an array of which `is_inside` holds, or computed from one.
    pub fn sizes_without(
        &self,
        array: ArrId,
        is_inside: &impl Fn(ArrId) -> bool,
    ) -> Option<&[Size]> {
        let sizes = self.sizes(array)?;
        let mut inside = sizes.iter().filter(|&&size| self.mentions(size, is_inside));
        inside.next().is_none().then_some(sizes)
    }

    /// Whether a size is that of an array of which `is_meant` holds, or computed from one.
    pub fn mentions(&self, size: Size, is_meant: &impl Fn(ArrId) -> bool) -> bool {
        match self.node(size) {
            SizeNode::Const(_) => false,
            SizeNode::Extent { array, axis: _ } => is_meant(*array),
            SizeNode::Prim(_, operands) => operands.iter().any(|&s| self.mentions(s, is_meant)),
        }
    }
}
