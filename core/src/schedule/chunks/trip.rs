//! Loops made trip by trip, each by kernels of its own, so that the loops inside of a trip can be cut.

use super::guard::{both, guarded, select};
use super::step::{There, int, there};
use super::{Cutter, Subject};
use crate::prim::Prim;
use crate::schedule::{ArrayId, Body, Op, Step, ValueId};
use crate::types::ScalarType::{Bool, I32};

impl Cutter {
    /// Makes one trip more from what is there, and the loops in it ahead of it.
    pub(super) fn single_trip(
        &mut self,
        subject: &Subject,
        inside: &[ArrayId],
        steps: &mut Vec<Step>,
    ) -> Vec<ArrayId> {
        self.numbers
            .single
            .push((inside[inside.len() - 1], inside[0]));
        let mut body = Body::default();
        let values = trip(&mut body, subject, inside);
        let (mut kernel, arrays) = self.map_kernel(subject, (body, &values));
        self.kernel(&mut kernel, &subject.within, steps);
        steps.push(Step::Kernel(kernel));
        arrays
    }
}

/// The code of a trip, where one is to be made: the trips made then, what is carried on, and whether there are more to make.
fn trip(body: &mut Body, subject: &Subject, inside: &[ArrayId]) -> Vec<ValueId> {
    let from = there(body, subject, inside);
    let region = &subject.of.region;
    let new = body.append(&region.body, |body, (_, inst), new| match inst.op {
        Op::Arg(n) => Some(argument(&from, n as usize)),
        Op::Load(_) | Op::Loop(_) => guarded(body, inst, new, from.on),
        Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Prim(..) | Op::Out(..) => None,
    });
    let goes_on = match region.test {
        None => from.on,
        Some(test) => both(body, from.on, new[test.index()]),
    };
    let one = int(body, 1);
    let more = body.push(Op::Prim(Prim::Add, vec![from.before, one]), I32);
    let made = select(body, (goes_on, more, from.before));
    let next = region.next.iter().zip(&from.carried);
    let next = next.map(|(next, &now)| select(body, (goes_on, new[next.index()], now)));
    let mut values = vec![made];
    values.extend(next.collect::<Vec<_>>());
    let open = body.push(Op::Prim(Prim::Lt, vec![made, from.trips]), Bool);
    values.push(both(body, goes_on, open));
    values
}

/// What an argument of the trip's code is.
fn argument(from: &There, n: usize) -> ValueId {
    let all = [&from.before].into_iter().chain(&from.carried);
    let mut all = all.chain(&from.captures);
    *all.nth(n).unwrap_or(&from.before)
}
