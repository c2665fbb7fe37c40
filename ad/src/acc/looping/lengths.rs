//! How many trips the loops with a test make that are in the step of another loop: columns of its state.
//!
//! The dual of a loop with a test has to know. Of a loop inside of a step it would have to run that loop to find out, once for
//! each trip of the loop around, only to run it once more for its states. The primal knows, so it keeps the numbers beside the
//! states: a few bytes a trip.

use super::NUMBER;
use crate::acc::reverse::Reverse;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::term::{AccClosure, AccLet, AccOp, ArrId, Fun, Labelled};

impl Reverse<'_> {
    /// Adds columns to the state of a loop: the numbers of trips that loops in its step make.
    pub(super) fn keep_lengths(&mut self, let_: &mut AccLet<Labelled>) {
        let AccOp::Loop { step, .. } = &let_.op else {
            return;
        };
        for length in lengths(step) {
            let none = self.no_trips();
            let (before, last) = (self.b.fresh(NUMBER), self.b.fresh(NUMBER));
            self.enter_array(&last);
            self.shapes.root(&last);
            let_.binds.push(last);
            if let AccOp::Loop { step, args, .. } = &mut let_.op {
                step.params.push(before);
                step.body.results.push(length);
                args.push(none.name);
            }
        }
    }

    /// The number of trips before the first one.
    pub(super) fn no_trips(&mut self) -> Arr {
        let mut b = FunBuilder::new();
        let zero = b.constant(0);
        let zero = b.finish(vec![zero]);
        let none = self.in_primal(|b| b.generate(Fun::constants(&[]), zero).remove(0));
        self.enter_array(&none);
        self.shapes.root(&none);
        none
    }
}

/// How many trips the loops with a test made that are in a step.
fn lengths(step: &AccClosure<Labelled>) -> Vec<ArrId> {
    let has_test = |let_: &&AccLet<Labelled>| match &let_.op {
        AccOp::Loop { test, .. } => test.is_some(),
        AccOp::Use(_) | AccOp::Generate { .. } | AccOp::Map { .. } | AccOp::Fold { .. } => false,
        AccOp::Scan { .. } | AccOp::Permute { .. } | AccOp::Move { .. } => false,
        AccOp::Unpack { .. } | AccOp::Append { .. } | AccOp::Argsort { .. } => false,
        AccOp::Cond { .. } | AccOp::Derivative { .. } | AccOp::Custom { .. } => false,
    };
    let loops = step.body.lets.iter().filter(has_test);
    loops.map(|let_| let_.binds[0].name).collect()
}
