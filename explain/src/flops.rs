//! Floating-point operations of kernels.
//!
//! What counts is what an element takes by its code, whatever a backend makes of it: an instruction counts
//! at every point of the space; in folds and scans those that depend on no inner coordinate count once a
//! row, and those that depend on no coordinate at all once a kernel. The factors of a contraction count at
//! the points of the coordinates that they may depend on, its product and sum at all. A loop counts a trip as often as
//! it makes trips at most; where only data tell how many, an unknown stands for them (`trips.rs`). A fold of n values
//! combines n times if it has an initial value, and n − 1 times otherwise; so does a scan.

use crate::amount::Amount;
use crate::extents::Extents;
use cotangent_core::prim::{Effort, Prim};
use cotangent_core::schedule::{
    Body, Kernel, KernelKind, Op, Operator, Output, Role, SymbolId, ValueId,
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

/// What some values take, each once.
fn of_values(body: &Body, values: &[ValueId], extents: &Extents<'_>) -> Amount {
    let (mut prims, mut loops) = (0, Amount::default());
    for &value in values {
        match body.op(value) {
            Op::Prim(prim, operands) => {
                let floats = operands.iter().any(|&v| body.type_of(v).is_float());
                prims += i128::from(if floats { of_prim(*prim) } else { 0 });
            }
            Op::Loop(of) => {
                let region = &of.region.body;
                let all: Vec<_> = region.iter().map(|(v, _)| v).collect();
                let trip = of_values(region, &all, extents);
                loops = loops.plus(&trip.times(&extents.trips(body, of)));
            }
            Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) => {}
            Op::Load(_) | Op::Out(..) => {}
        }
    }
    Amount::constant(prims).plus(&loops)
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
        KernelKind::Segments { bounds, .. } => roots.extend(bounds),
        KernelKind::Map { .. }
        | KernelKind::Reduce { .. }
        | KernelKind::Contract { .. }
        | KernelKind::Scan { .. }
        | KernelKind::Sort { .. } => {}
    }
    roots
}

/// What a kernel takes.
pub(crate) fn of_kernel(kernel: &Kernel, extents: &Extents<'_>) -> Amount {
    match &kernel.kind {
        // Comparisons are no operations.
        KernelKind::Sort { .. } => of_body(kernel, extents),
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
            let once = of_operator(operator, extents);
            let combined = combinations(kernel, init.is_some(), extents).times(&once);
            of_body(kernel, extents).plus(&combined)
        }
        // At most: elements beyond the segments are left out.
        KernelKind::Segments { operator, .. } => {
            let once = of_operator(operator, extents);
            let combined = points(kernel, extents).times(&once);
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

/// The points at which there are values to combine.
fn points(kernel: &Kernel, extents: &Extents<'_>) -> Amount {
    let rows = match &kernel.kind {
        // All segments of a row have its points together.
        KernelKind::Segments { .. } => &kernel.space[..kernel.space.len().saturating_sub(1)],
        KernelKind::Map { .. }
        | KernelKind::Reduce { .. }
        | KernelKind::Contract { .. }
        | KernelKind::Scan { .. }
        | KernelKind::Sort { .. }
        | KernelKind::Scatter { .. } => &kernel.space[..],
    };
    extents.product(rows.iter().chain(kernel.inner()))
}

/// How often two values are combined.
fn combinations(kernel: &Kernel, has_init: bool, extents: &Extents<'_>) -> Amount {
    let values = points(kernel, extents);
    match has_init {
        true => values,
        false => values.minus(&extents.product(&kernel.space)),
    }
}

fn of_operator(operator: &Operator, extents: &Extents<'_>) -> Amount {
    let needed = operator.body.needed(&operator.results);
    let needed: Vec<_> = needed.map(|(v, _)| v).collect();
    of_values(&operator.body, &needed, extents)
}

fn of_body(kernel: &Kernel, extents: &Extents<'_>) -> Amount {
    let body = kernel.body();
    let depends = dependences(body);
    let rank = kernel.space.len() as u32;
    let (mut once, mut per_row, mut per_point) = (vec![], vec![], vec![]);
    for (v, _) in body.needed(&roots(kernel)) {
        let values = match depends[v.index()].last() {
            None => &mut once,
            Some(&last) if last < rank => &mut per_row,
            Some(_) => &mut per_point,
        };
        values.push(v);
    }
    let of = |values: Vec<ValueId>| of_values(body, &values, extents);
    let rows = extents.product(&kernel.space);
    let points = points(kernel, extents);
    let per_row = rows.times(&of(per_row));
    let per_point = points.times(&of(per_point));
    of(once).plus(&per_row).plus(&per_point)
}

fn of_factor(body: &Body, factor: ValueId, own: &[SymbolId], extents: &Extents<'_>) -> Amount {
    let depends = dependences(body);
    let needed = body.needed(&[factor]).map(|(v, _)| v);
    let (once, per_point): (Vec<_>, Vec<_>) = needed.partition(|v| depends[v.index()].is_empty());
    let of = |values: Vec<ValueId>| of_values(body, &values, extents);
    of(once).plus(&extents.product(own).times(&of(per_point)))
}
