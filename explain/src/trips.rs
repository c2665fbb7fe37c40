//! How many trips loops in expressions make: a literal, an extent or what else the host knows, or an unknown of its own
//! where elements of arrays, coordinates or the trips of other loops decide.

use crate::amount::Amount;
use crate::extents::Extents;
use cotangent_core::constant::Const;
use cotangent_core::schedule::{Body, Kernel, Loop, Op, Schedule, Step, SymbolId, ValueId, steps};

/// A loop whose trips are not known before it runs.
pub(crate) struct Unknown<'a> {
    pub of: &'a Loop,
    /// What users read of it.
    pub meaning: String,
}

/// All loops of a schedule's kernels whose trips are not known, in order.
pub(crate) fn unknown(schedule: &Schedule) -> Vec<Unknown<'_>> {
    let kernels = steps::all(&schedule.steps).flat_map(Step::kernels);
    let mut found = vec![];
    for kernel in kernels {
        let bodies = [Some(kernel.body()), kernel.operator()];
        for body in bodies.into_iter().flatten() {
            collect(kernel, body, &mut found);
        }
    }
    found
}

fn collect<'a>(kernel: &Kernel, body: &'a Body, found: &mut Vec<Unknown<'a>>) {
    for (_, inst) in body.iter() {
        let Some(of) = inst.op.as_loop() else {
            continue;
        };
        if matches!(count(body, of.trips), Count::Unknown) {
            let Kernel { name, loc, .. } = kernel;
            let meaning = format!("trips that a loop in `{name}` at {loc} makes, on average");
            found.push(Unknown { of, meaning });
        }
        collect(kernel, &of.region.body, found);
    }
}

/// What is known of a number of trips.
enum Count {
    Literal(i128),
    Symbol(SymbolId),
    Unknown,
}

fn count(body: &Body, trips: ValueId) -> Count {
    match body.op(trips) {
        Op::Const(Const::I32(trips)) => Count::Literal((*trips).max(0).into()),
        Op::Symbol(symbol) => Count::Symbol(*symbol),
        Op::Const(_) | Op::Coord(_) | Op::Arg(_) | Op::Prim(..) => Count::Unknown,
        Op::Load(_) | Op::Loop(_) | Op::Out(..) => Count::Unknown,
    }
}

impl Extents<'_> {
    /// The trips that a loop makes at most.
    pub(crate) fn trips(&self, body: &Body, of: &Loop) -> Amount {
        match count(body, of.trips) {
            Count::Literal(trips) => Amount::constant(trips),
            Count::Symbol(symbol) => self.amount(symbol),
            Count::Unknown => self.unknown_trips(of),
        }
    }
}
