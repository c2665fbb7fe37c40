//! Bytes that kernels read and write: each distinct element of an array once a kernel, as if caches were
//! large enough for everything.
//!
//! An element that is read under a guard counts as if the guard held, and where an index is computed from
//! data, all of the array counts that the loads could reach: so the figures are exact for reads without
//! guard at coordinates, and bounds from above for all others.

use crate::amount::Amount;
use crate::extents::Extents;
use crate::flops::{dependences, roots};
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{
    ArrayId, Body, Kernel, KernelKind, Load, Loop, Op, Schedule, SymbolId, ValueId,
};
use cotangent_core::term::Combine;
use std::collections::{BTreeMap, BTreeSet};

/// The loads of a kernel that its results need.
pub(crate) fn loads(kernel: &Kernel) -> impl Iterator<Item = &Load> {
    let needed = kernel.body().needed(&roots(kernel));
    needed.filter_map(|(_, inst)| inst.op.as_load())
}

/// The bytes that a kernel reads.
pub(crate) fn read(schedule: &Schedule, kernel: &Kernel, extents: &Extents<'_>) -> Amount {
    let depends = dependences(kernel.body());
    let space: Vec<_> = kernel.space.iter().chain(kernel.inner()).copied().collect();
    let mut by_array: BTreeMap<ArrayId, BTreeMap<&[ValueId], Amount>> = BTreeMap::new();
    for load in loads(kernel) {
        let elements = distinct(kernel.body(), load, (&depends, &space), extents);
        let size = extents.bytes(load.array);
        let bytes = elements.times(&element(schedule, load.array));
        let bytes = match is_direct(kernel.body(), load, &depends) {
            true => bytes,
            false => Amount::least(&[bytes, size]),
        };
        let known = by_array.entry(load.array).or_default();
        known.insert(&load.index, bytes);
    }
    for (array, bytes) in read_by_loops(schedule, kernel, extents) {
        let size = extents.bytes(array);
        let known = by_array.entry(array).or_default();
        known.insert(&[], Amount::least(&[bytes, size]));
    }
    let mut by_owner: BTreeMap<ArrayId, Vec<Amount>> = BTreeMap::new();
    for (array, loads) in by_array {
        let bytes = at_most_all(loads.into_values().collect(), extents.bytes(array));
        by_owner
            .entry(schedule.owner(array))
            .or_default()
            .push(bytes);
    }
    let of_owner = |(owner, parts)| at_most_all(parts, extents.bytes(owner));
    let read = by_owner.into_iter().map(of_owner);
    let read = read.fold(Amount::default(), |sum, bytes| sum.plus(&bytes));
    match &kernel.kind {
        KernelKind::Scatter {
            combine: Combine::Add,
            ..
        } => read.plus(&written(schedule, kernel, extents)),
        KernelKind::Scatter {
            combine: Combine::Overwrite,
            ..
        }
        | KernelKind::Map { .. }
        | KernelKind::Reduce { .. }
        | KernelKind::Segments { .. }
        | KernelKind::Contract { .. }
        | KernelKind::Scan { .. }
        | KernelKind::Sort { .. } => read,
    }
}

/// The bytes that loops in expressions read of each array: an element for each load and trip at each point, wherever it is,
/// which depends on what they carry.
fn read_by_loops(
    schedule: &Schedule,
    kernel: &Kernel,
    extents: &Extents<'_>,
) -> BTreeMap<ArrayId, Amount> {
    let points = extents.product(kernel.space.iter().chain(kernel.inner()));
    let mut found = BTreeMap::new();
    let body = kernel.body();
    for (_, inst) in body.needed(&roots(kernel)) {
        if let Some(of) = inst.op.as_loop() {
            add_trips(body, of, &points, extents, &mut found);
        }
    }
    for (array, elements) in &mut found {
        *elements = elements.times(&element(schedule, *array));
    }
    found
}

/// Adds the elements that a loop reads which runs so often.
fn add_trips(
    body: &Body,
    of: &Loop,
    runs: &Amount,
    extents: &Extents<'_>,
    found: &mut BTreeMap<ArrayId, Amount>,
) {
    let trips = runs.times(&extents.trips(body, of));
    let region = &of.region.body;
    for (_, inst) in region.iter() {
        if let Some(load) = inst.op.as_load() {
            let elements = found.entry(load.array).or_default();
            *elements = elements.plus(&trips);
        }
        if let Some(inner) = inst.op.as_loop() {
            add_trips(region, inner, &trips, extents, found);
        }
    }
}

/// The sum of parts of a whole that may overlap, which is no more than the whole.
fn at_most_all(mut parts: Vec<Amount>, whole: Amount) -> Amount {
    match (parts.pop(), parts.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            let sum = parts.iter().chain(&last);
            let sum = sum.fold(Amount::default(), |sum, part| sum.plus(part));
            Amount::least(&[sum, whole])
        }
    }
}

fn element(schedule: &Schedule, array: ArrayId) -> Amount {
    Amount::constant(schedule.arrays[array.index()].elem.bytes() as i128)
}

/// The number of different indices of a load, at most.
fn distinct(
    body: &Body,
    load: &Load,
    (depends, space): (&[BTreeSet<u32>], &[SymbolId]),
    extents: &Extents<'_>,
) -> Amount {
    debug_assert_eq!(body.len(), depends.len());
    let coords: BTreeSet<_> = load
        .index
        .iter()
        .flat_map(|v| &depends[v.index()])
        .collect();
    extents.product(coords.into_iter().map(|&c| &space[c as usize]))
}

/// Whether a load reads a different element for each value of the coordinates that its index depends on, and
/// no element that is not there.
fn is_direct(body: &Body, load: &Load, depends: &[BTreeSet<u32>]) -> bool {
    let mut seen = BTreeSet::new();
    let simple = load.index.iter().all(|&v| {
        let coords = &depends[v.index()];
        let new = coords.iter().all(|c| seen.insert(*c));
        new && (coords.is_empty() || is_shifted_coordinate(body, v, depends))
    });
    simple && load.guard.is_none()
}

/// Whether a value is a coordinate, or one plus or minus something that depends on none.
fn is_shifted_coordinate(body: &Body, v: ValueId, depends: &[BTreeSet<u32>]) -> bool {
    let is_coord = |v: ValueId| matches!(body.op(v), Op::Coord(_));
    match body.op(v) {
        Op::Coord(_) => true,
        Op::Prim(Prim::Add | Prim::Sub, operands) => match operands[..] {
            [x, y] => {
                let fixed = |v: ValueId| depends[v.index()].is_empty();
                (is_coord(x) && fixed(y)) || (fixed(x) && is_coord(y))
            }
            [..] => false,
        },
        Op::Const(_) | Op::Symbol(_) | Op::Arg(_) | Op::Prim(..) => false,
        Op::Load(_) | Op::Loop(_) | Op::Out(..) => false,
    }
}

/// The bytes that a kernel writes.
pub(crate) fn written(schedule: &Schedule, kernel: &Kernel, extents: &Extents<'_>) -> Amount {
    let points = extents.product(&kernel.space);
    let of_array = |array: ArrayId| match &kernel.kind {
        KernelKind::Map { .. }
        | KernelKind::Reduce { .. }
        | KernelKind::Segments { .. }
        | KernelKind::Contract { .. } => points.times(&element(schedule, array)),
        KernelKind::Scan { .. } | KernelKind::Sort { .. } => extents.bytes(array),
        KernelKind::Scatter { .. } => {
            let sent = points.times(&element(schedule, array));
            Amount::least(&[sent, extents.bytes(array)])
        }
    };
    let outputs = kernel.outputs().iter();
    outputs.fold(Amount::default(), |sum, o| sum.plus(&of_array(o.array)))
}
