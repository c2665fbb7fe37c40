//! Loops without a state: what the trips put out is made for all trips at once, by operations on one more dimension, the
//! outermost one.
//!
//! `vmap`, and with it Jacobians and Hessians, are loops of array code whose steps write a row each of arrays that nobody reads
//! meanwhile ([`stacks`]). Of each operation of such a step there is one that does the same for all rows ([`step`]): maps,
//! moves, folds, scans and scatters with a leading dimension. In scalar code the number of the trip becomes a coordinate ([`rows`]).
//! Arrays from outside have no such dimension, and are read as they are. What has no such operation leaves the whole loop
//! as it stands: loops that carry a state, conditionals, folds whose operator reads what differs from trip to trip; and so do extents
//! that are not known in front of the loop, and positions of slices that may be out of range.
//!
//! Note \[Memory of all trips\]. A loop holds what one trip makes, all trips at once hold it for all. What is computed where it is read
//! costs nothing: maps and moves with one reader, and so what is reduced. All else must be no larger than an array
//! that is there in any case, an output or one from outside ([`memory`]).
//!
//! Failures: what one trip may fail by, so may all trips at once, and no more than that; shapes that may be impossible leave the
//! loop as it stands, since it may make no trip. An index out of range that was found in a trip is found in a row: it is the
//! first one of the operation, not of the first trip, and its place is told by the index.

mod memory;
mod moves;
mod rows;
mod stacks;
mod step;

use super::Rewriter;
use super::pointwise::trips_made;
use crate::loc::Loc;
use crate::simplify::ArrayLoops;
use crate::term::{AccLet, AccOp, ArrBind, ArrId, Labelled};
use rows::Rows;
use stacks::Stacks;

impl Rewriter<'_> {
    /// Puts operations on all rows in the place of a loop over rows, if that is possible. Whether it did.
    pub(super) fn batched(
        &mut self,
        op: &AccOp<Labelled>,
        binds: &[ArrBind<Labelled>],
        loc: Loc,
    ) -> bool {
        let AccOp::Loop {
            trips,
            test: None,
            step,
            states: _,
            args,
        } = op
        else {
            return false;
        };
        let stacks = match self.loops {
            ArrayLoops::ByElement => self.stacks_of(trips, step, args),
            ArrayLoops::Stay => None,
        };
        let next = self.next;
        let made = stacks.and_then(|stacks| self.all_rows(&stacks, loc));
        let Some((lets, stacked)) = made else {
            self.next = next;
            return false;
        };
        self.counts.fire("loop_batched");
        lets.into_iter().for_each(|let_| self.let_(let_));
        let stacked: Vec<_> = stacked.into_iter().map(|a| Some(self.name(a))).collect();
        self.rename(&binds[1..], &stacked);
        self.simple(trips_made(trips), vec![binds[0].clone()], loc);
        true
    }

    /// The operations on all rows, and what becomes of the columns of the state.
    fn all_rows(
        &mut self,
        stacks: &Stacks<'_>,
        loc: Loc,
    ) -> Option<(Vec<AccLet<Labelled>>, Vec<ArrId>)> {
        if !self.fits(stacks) {
            return None;
        }
        let mut rows = Rows::of(stacks, loc);
        for let_ in &stacks.lets {
            self.let_of_all(let_, &mut rows)?;
        }
        let mut stacked = vec![];
        for row in &stacks.outputs {
            stacked.push(self.lead(row, &mut rows)?.name);
        }
        Some((rows.lets, stacked))
    }
}
