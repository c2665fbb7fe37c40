//! Floating-point operations of kernels.
//!
//! What counts is what an element takes by its code, whatever a backend makes of it: an instruction counts
//! at every point of the space; in folds and scans those that depend on no inner coordinate count once a
//! row, and those that depend on no coordinate at all once a kernel. The factors of a contraction count at
//! the points of the coordinates that they may depend on, its product and sum at all. A loop counts a trip as often as
//! it makes trips, and once where the number of these is not known before it runs. A fold of n values
//! combines n times if it has an initial value, and n − 1 times otherwise; so does a scan.

use crate::amount::Amount;
use crate::extents::Extents;
use cotangent_core::constant::Const;
use cotangent_core::prim::{Effort, Prim};
use cotangent_core::schedule::{
    Body, Kernel, KernelKind, Loop, Op, Operator, Output, Role, SymbolId, ValueId,
};
use std::collections::BTreeSet;

/// What a transcendental function counts: about what it takes in additions. The second kind computes
/// with one of the first, or two.
const TRANSCENDENTAL: u64 = 20;
/// See [`TRANSCENDENTAL`].
const COMPOSED: u64 = 30;

/// The floating-point operations that a primitive counts on floats: 1 for what is one instruction of a
/// processor (division and square root included), 0 for what moves, selects or converts; 20 for exponentials,
/// logarithms, sine and cosine; 30 for the functions that are made of those. On other operands it counts 0.
pub(crate) fn of_prim(prim: Prim) -> u64 {
    match prim.effort() {
        Effort::Move | Effort::Conversion => 0,
        Effort::Simple | Effort::Division => 1,
        Effort::Elementary => TRANSCENDENTAL,
        Effort::Composed => COMPOSED,
    }
}

fn of_inst(body: &Body, value: ValueId) -> u64 {
    match body.op(value) {
        Op::Prim(prim, operands) => {
            let floats = operands.iter().any(|&v| body.type_of(v).is_float());
            if floats { of_prim(*prim) } else { 0 }
        }
        Op::Loop(of) => {
            let values = of.region.body.iter();
            let trip: u64 = values.map(|(v, _)| of_inst(&of.region.body, v)).sum();
            trip.saturating_mul(trips(body, of))
        }
        Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) => 0,
        Op::Load(_) | Op::Out(..) => 0,
    }
}

/// The trips of a loop; one, where the number is not known before it runs.
fn trips(body: &Body, of: &Loop) -> u64 {
    let known = body.op(of.trips).as_const().and_then(Const::as_i32);
    known.map_or(1, |trips| u64::try_from(trips).unwrap_or(0))
}

/// The coordinates that each value depends on.
pub(crate) fn dependences(body: &Body) -> Vec<BTreeSet<u32>> {
    let mut all: Vec<BTreeSet<u32>> = vec![];
    for (_, inst) in body.iter() {
        let mut coords: BTreeSet<u32> = inst.op.as_coord().into_iter().collect();
        for operand in inst.op.operands() {
            coords.extend(&all[operand.index()]);
        }
        all.push(coords);
    }
    all
}

/// The values that a kernel's body is there for.
pub(crate) fn roots(kernel: &Kernel) -> Vec<ValueId> {
    let mut roots: Vec<_> = kernel.outputs().iter().map(|o| o.value).collect();
    match &kernel.kind {
        KernelKind::Scatter { guard, target, .. } => {
            roots.push(*guard);
            roots.extend(target);
        }
        KernelKind::Map { .. }
        | KernelKind::Reduce { .. }
        | KernelKind::Contract { .. }
        | KernelKind::Scan { .. } => {}
    }
    roots
}

/// What a kernel takes.
pub(crate) fn of_kernel(kernel: &Kernel, extents: &Extents<'_>) -> Amount {
    match &kernel.kind {
        KernelKind::Map { .. } | KernelKind::Scatter { .. } => of_body(kernel, extents),
        KernelKind::Reduce {
            inner: _,
            body: _,
            operator,
            init,
            outputs: _,
        }
        | KernelKind::Scan {
            inner: _,
            direction: _,
            body: _,
            operator,
            init,
            outputs: _,
        } => {
            let once = Amount::constant(of_operator(operator).into());
            let combined = combinations(kernel, init.is_some(), extents).times(&once);
            of_body(kernel, extents).plus(&combined)
        }
        KernelKind::Contract {
            semiring,
            inner: _,
            body,
            roles,
            left,
            right,
            init,
            structure: _,
            output: Output { .. },
        } => {
            let points = extents.product(kernel.space.iter().chain(kernel.inner()));
            let terms = points.times(&Amount::constant(of_prim(semiring.times()).into()));
            let factors = [(left, Role::Right), (right, Role::Left)].map(|(&factor, foreign)| {
                let own = kernel.space.iter().zip(roles);
                let own = own.filter(|(_, role)| **role != foreign);
                let own: Vec<_> = own
                    .map(|(&s, _)| s)
                    .chain(kernel.inner().to_vec())
                    .collect();
                of_factor(body, factor, &own, extents)
            });
            let sums = combinations(kernel, init.is_some(), extents);
            let sums = sums.times(&Amount::constant(of_prim(semiring.plus()).into()));
            factors[0].plus(&factors[1]).plus(&terms).plus(&sums)
        }
    }
}

/// How often two values are combined.
fn combinations(kernel: &Kernel, has_init: bool, extents: &Extents<'_>) -> Amount {
    let values = extents.product(kernel.space.iter().chain(kernel.inner()));
    match has_init {
        true => values,
        false => values.minus(&extents.product(&kernel.space)),
    }
}

fn of_operator(operator: &Operator) -> u64 {
    let needed = operator.body.needed(&operator.results);
    needed.map(|(v, _)| of_inst(&operator.body, v)).sum()
}

fn of_body(kernel: &Kernel, extents: &Extents<'_>) -> Amount {
    let body = kernel.body();
    let depends = dependences(body);
    let rank = kernel.space.len() as u32;
    let (mut once, mut per_row, mut per_point) = (0, 0, 0);
    for (v, _) in body.needed(&roots(kernel)) {
        let count = match depends[v.index()].last() {
            None => &mut once,
            Some(&last) if last < rank => &mut per_row,
            Some(_) => &mut per_point,
        };
        *count += i128::from(of_inst(body, v));
    }
    let rows = extents.product(&kernel.space);
    let points = rows.times(&extents.product(kernel.inner()));
    let per_row = rows.times(&Amount::constant(per_row));
    let per_point = points.times(&Amount::constant(per_point));
    Amount::constant(once).plus(&per_row).plus(&per_point)
}

fn of_factor(body: &Body, factor: ValueId, own: &[SymbolId], extents: &Extents<'_>) -> Amount {
    let depends = dependences(body);
    let (mut once, mut per_point) = (0, 0);
    for (v, _) in body.needed(&[factor]) {
        let count = if depends[v.index()].is_empty() {
            &mut once
        } else {
            &mut per_point
        };
        *count += i128::from(of_inst(body, v));
    }
    let per_point = extents.product(own).times(&Amount::constant(per_point));
    Amount::constant(once).plus(&per_point)
}
