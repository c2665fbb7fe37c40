//! How many trips the loops with a test make that are in the step of another loop: columns of its state.
//!
//! The dual of a loop with a test has to know. Of a loop inside of a step it would have to run that loop to find out, once for
//! each trip of the loop around, only to run it once more for its states. The primal knows, so it keeps the numbers beside the
//! states: a few bytes a trip. Where a trip is made once more, its loops ask no test.

use super::{Counted, NUMBER, element};
use crate::acc::reverse::Reverse;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::term::{AccBlock, AccClosure, AccLet, AccOp, ArrId, Fun, Labelled};

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

    /// Makes loops with a test in a trip that is made once more repeat as often as they did, as far as the state after the trip says that.
    pub(super) fn repeat_as_often(
        &mut self,
        counted: &Counted,
        after: &[Arr],
        body: &mut AccBlock<Labelled>,
    ) {
        for let_ in &mut body.lets {
            let AccOp::Loop { trips, test, .. } = &mut let_.op else {
                continue;
            };
            let made = let_.binds[0].name;
            let column = body.results.iter().position(|&result| result == made);
            let column = column.filter(|&at| test.is_some() && counted.is_there_after(at));
            if let Some(at) = column {
                self.enter_array(&after[at]);
                *test = None;
                *trips = element(&after[at]);
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
        AccOp::Unpack { .. }
        | AccOp::Append { .. }
        | AccOp::Argsort { .. }
        | AccOp::FoldSegments { .. } => false,
        AccOp::Cond { .. } | AccOp::Derivative { .. } | AccOp::Custom { .. } => false,
    };
    let loops = step.body.lets.iter().filter(has_test);
    loops.map(|let_| let_.binds[0].name).collect()
}
