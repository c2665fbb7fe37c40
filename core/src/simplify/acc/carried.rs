//! Scatters that are updates in place: into what a loop carries.
//!
//! A `permute` of a loop's step may write into the memory of the carried array that it starts from, and touches only
//! what it writes. A gather in its place would make the whole array anew, on each trip. So such a scatter stays
//! one, unless it sends as many elements as the array has: all of it is gone over anyway then.
//!
//! Carried are the parameters of a step, and what a `permute` makes of something carried.

use super::Rewriter;
use super::gather::{Scatter, Spaces};
use crate::term::{AccOp, ArrBind, Labelled};

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
            self.carried.extend(state.map(|param| param.name));
        }
    }

    /// Notes the results of an operation that are made of carried arrays.
    pub(super) fn note_updates(&mut self, op: &AccOp<Labelled>, binds: &[ArrBind<Labelled>]) {
        if let AccOp::Permute { defaults, .. } = op {
            let columns = binds.iter().zip(defaults);
            let updates = columns.filter(|(_, default)| self.carried.contains(default));
            let updates: Vec<_> = updates.map(|(bind, _)| bind.name).collect();
            self.carried.extend(updates);
        }
    }

    /// Whether a scatter is an update of something carried that touches a part of it.
    pub(super) fn is_update(&self, scatter: &Scatter<'_>, spaces: &Spaces) -> bool {
        let is_carried = |default| self.carried.contains(default);
        scatter.defaults.iter().any(is_carried) && !spaces.are_equal_in_size()
    }
}
