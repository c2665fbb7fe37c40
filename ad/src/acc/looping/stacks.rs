//! The states of a loop for its dual: rows of stacks that the primal loop writes, or made again from the first one, from
//! checkpoints, or from the last one by the inverse of the step.

use super::checkpoints::Checkpoints;
use super::undo::{Again, Undo, partners};
use super::{Counted, NUMBER, Trip, element};
use crate::acc::reverse::Reverse;
use crate::rename::ArrMap;
use cotangent_core::analysis::shape::{Size, TripExtents};
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{
    AccBlock, AccClosure, AccLet, AccOp, ArrId, Axis, Combine, ExpId, Fun, Labelled, States,
};
use cotangent_core::types::{ArrayType, ScalarType};
use std::collections::{BTreeSet, HashMap};

/// Where the states come from that the dual of a loop needs.
pub(super) struct Stacks {
    /// By column of the state: the stack that the primal results in, where there is one.
    stacks: Vec<Option<Arr>>,
    /// What a trip of the dual reads, bound by nothing yet.
    needed: BTreeSet<ArrId>,
    /// Whether a column is needed that has no stack.
    starts_again: bool,
    /// By column: whether the dual carries it and undoes what trips have done to it.
    undone: Vec<bool>,
    /// What the dual keeps to make states again.
    checkpoints: Option<Checkpoints>,
}

impl Stacks {
    /// Finds out what a trip of the dual needs of the state.
    pub(super) fn of(reverse: &mut Reverse, counted: &Counted, trip: &Trip) -> Self {
        let needed = trip.body.free();
        let undone = undone(counted, trip, &needed);
        let mut stacks = vec![];
        let mut starts_again = false;
        for (at, &undone) in undone.iter().enumerate() {
            let has_rows = counted.is_stored(at);
            let (before, after) = (&trip.before[at], &trip.after[at]);
            let is_needed = needed.contains(&before.name) || needed.contains(&after.name);
            let ty = ArrayType::new(before.ty.elem, before.ty.rank + 1);
            let has_stack = is_needed && has_rows && !undone;
            stacks.push(has_stack.then(|| reverse.b.fresh(ty)));
            starts_again |= is_needed && !has_rows;
        }
        let checkpoints = match counted.states {
            States::Checkpoints(slots) => Checkpoints::of(reverse, (counted, slots), &needed, trip),
            States::Stored | States::Inverse(_) | States::Closed => None,
        };
        Self {
            stacks,
            needed,
            starts_again: starts_again && counted.states == States::Stored,
            undone,
            checkpoints,
        }
    }

    /// The columns of the state that the dual carries: those of which it undoes what trips make of them.
    pub(super) fn carried(&self, counted: &Counted) -> Vec<usize> {
        let is_carried = |at: &usize| counted.states.inverse().is_some() || self.undone[*at];
        (0..self.undone.len()).filter(is_carried).collect()
    }

    /// By column: what the dual undoes of it.
    pub(super) fn undone<'a>(
        &'a self,
        counted: &'a Counted,
    ) -> impl Iterator<Item = Option<&'a Undo>> {
        let undone = self.undone.iter().zip(&counted.undo);
        undone.map(|(undone, undo)| undo.as_ref().filter(|_| *undone))
    }

    /// What a trip of the dual is given beside adjoints: columns of the state after it, and what it makes states again from.
    pub(super) fn params(&self, counted: &Counted, trip: &Trip) -> Vec<Arr> {
        let carried = self.carried(counted).into_iter();
        let states = carried.map(|at| trip.after[at].clone());
        let kept = self.checkpoints.iter().flat_map(Checkpoints::params);
        states.chain(kept).collect()
    }

    /// What the first trip of the dual is given, where `last` is the state after all trips.
    pub(super) fn first(&self, reverse: &mut Reverse, counted: &Counted, last: &[Arr]) -> Vec<Arr> {
        let carried = self.carried(counted).into_iter();
        let mut first: Vec<Arr> = carried.map(|at| last[at].clone()).collect();
        if let Some(checkpoints) = &self.checkpoints {
            first.extend(checkpoints.first(reverse, counted));
        }
        first
    }

    /// Pushes the code by which a trip of the dual gets the states before it and after it, or says in `names` what is the same; gives
    /// what is carried on. The states of which it undoes what trips have done come from [`undo`](Self::undo).
    pub(super) fn read(
        &self,
        reverse: &mut Reverse,
        counted: &Counted,
        (trip, number): (&Trip, &Arr),
        names: &mut ArrMap,
    ) -> Vec<Arr> {
        for (at, stack) in self.stacks.iter().enumerate() {
            let Some(stack) = stack else { continue };
            let (before, after) = (&trip.before[at], &trip.after[at]);
            let first = match &counted.extents[at] {
                TripExtents::Kept => 0,
                TripExtents::Settled(_) | TripExtents::Open => 1,
            };
            if self.needed.contains(&after.name) {
                let row = row_of(reverse, counted, (stack, after), (number, -first));
                reverse.b.push_let(row);
            }
            if self.needed.contains(&before.name) {
                let row = match &counted.extents[at] {
                    TripExtents::Kept => row_of(reverse, counted, (stack, before), (number, -1)),
                    TripExtents::Settled(sizes) => {
                        let first = Arr::new(counted.args[at], before.ty);
                        let last = |b: &mut FunBuilder| {
                            let (i, one) = (b.index(&trip.number, &[]), b.constant(1));
                            b.prim(Prim::Sub, &[i, one])
                        };
                        let state = (stack, &first, before);
                        first_or_row(reverse, state, (&trip.number, &last), sizes)
                    }
                    TripExtents::Open => continue,
                };
                reverse.b.push_let(row);
            }
        }
        if self.starts_again {
            let again = self.again_from_the_first(reverse, counted, trip);
            reverse.b.push_let(again);
        }
        if let Some(inverse) = counted.states.inverse() {
            let before = step_back(reverse, inverse, trip);
            names.extend(is_called(&trip.before, before));
            return trip.before.clone();
        }
        if counted.states == States::Closed {
            names.extend(is_called(&trip.before, counted.args.clone()));
        }
        let carried = self.carried(counted).into_iter();
        let mut carried: Vec<Arr> = carried.map(|at| trip.before[at].clone()).collect();
        if let Some(checkpoints) = &self.checkpoints {
            carried.extend(checkpoints.read(reverse, counted, trip));
        }
        carried
    }

    /// Pushes the code by which a trip of the dual undoes what the trip has done; says what the states before it are called,
    /// and others on the way.
    pub(super) fn undo(
        &self,
        reverse: &mut Reverse,
        (trip, counted): (&Trip, &Counted),
        again: &Again,
    ) -> ArrMap {
        let undone = self.undone(counted).zip(&trip.after);
        let undone = undone.filter_map(|(undo, after)| Some((undo?, after)));
        again.undo(reverse, (trip, counted), undone)
    }

    /// The loop that makes the state before a trip from the first one.
    fn again_from_the_first(
        &self,
        reverse: &mut Reverse,
        counted: &Counted,
        trip: &Trip,
    ) -> AccLet<Labelled> {
        let made = reverse.b.fresh(NUMBER);
        let mut binds = vec![made];
        for (at, before) in trip.before.iter().enumerate() {
            let is_there = self.stacks[at].is_some() || self.undone[at];
            binds.push(match is_there {
                true => reverse.b.fresh(before.ty),
                false => before.clone(),
            });
        }
        let op = AccOp::Loop {
            trips: element(&trip.number),
            test: None,
            step: counted.step.clone(),
            states: States::Stored,
            args: counted.args.clone(),
        };
        let loc = reverse.b.loc();
        let lets = vec![AccLet {
            binds: vec![],
            op,
            loc,
        }];
        let block = AccBlock {
            lets,
            results: vec![],
        };
        let mut again = reverse.b.copied(&block, &mut HashMap::new()).lets.remove(0);
        again.binds = binds;
        again
    }

    /// Makes the primal loop write the stacks.
    pub(super) fn write(
        &self,
        reverse: &mut Reverse,
        counted: &Counted,
        let_: &mut AccLet<Labelled>,
    ) {
        for undo in self.undone(counted).flatten() {
            undo.write(reverse, counted, let_);
        }
        for (at, stack) in self.stacks.iter().enumerate() {
            let Some(stack) = stack else { continue };
            let Ok(first) = reverse.array(counted.args[at]) else {
                continue;
            };
            let rows = first_rows(reverse, counted, at, &first);
            let first_row = i32::from(counted.extents[at] == TripExtents::Kept);
            let AccOp::Loop { step, args, .. } = &mut let_.op else {
                continue;
            };
            let param = reverse.b.fresh(stack.ty);
            reverse.b.open();
            let result = Arr::new(step.body.results[at], first.ty);
            let target = next_row((&step.params[0], first_row), first.ty.rank);
            let next = reverse.b.permute(
                Combine::Overwrite,
                std::slice::from_ref(&param),
                target,
                &[result],
            );
            let written = reverse.b.close(&next);
            step.body.lets.extend(written.lets);
            step.body.results.extend(written.results);
            reverse.shapes.like(&param, rows.name);
            reverse.shapes.like(stack, rows.name);
            step.params.push(param);
            args.push(rows.name);
            let_.binds.push(stack.clone());
        }
    }
}

/// The columns of which the dual undoes what trips make of them: those that it needs, and those that these change places with.
fn undone(counted: &Counted, trip: &Trip, needed: &BTreeSet<ArrId>) -> Vec<bool> {
    let is_needed = |at: usize| {
        let states = [&trip.before[at], &trip.after[at]];
        states.iter().any(|state| needed.contains(&state.name))
    };
    let columns = counted.undo.iter().enumerate();
    let mut undone: Vec<bool> = columns
        .map(|(at, undo)| undo.is_some() && is_needed(at))
        .collect();
    loop {
        let known = (0..undone.len()).filter(|&at| undone[at]);
        let more = known.flat_map(|at| partners(&counted.undo, at));
        let more: Vec<usize> = more.filter(|&at| !undone[at]).collect();
        if more.is_empty() {
            return undone;
        }
        more.into_iter().for_each(|at| undone[at] = true);
    }
}

/// Pushes the inverse of a step; gives the state before the trip.
fn step_back(reverse: &mut Reverse, inverse: &AccClosure<Labelled>, trip: &Trip) -> Vec<ArrId> {
    let given = [std::slice::from_ref(&trip.number), &trip.after[..]].concat();
    let params = inverse.params.iter().zip(&given);
    let mut names = params
        .map(|(param, array)| (param.name, array.name))
        .collect();
    let copy = reverse.b.copied(&inverse.body, &mut names);
    copy.lets
        .into_iter()
        .for_each(|let_| reverse.b.push_let(let_));
    copy.results
}

/// What arrays are called that are the same as others.
fn is_called(arrays: &[Arr], names: Vec<ArrId>) -> impl Iterator<Item = (ArrId, ArrId)> {
    arrays.iter().map(|array| array.name).zip(names)
}

/// The let of a row of a stack.
pub(super) fn row_of(
    reverse: &mut Reverse,
    counted: &Counted,
    (stack, row): (&Arr, &Arr),
    (number, by): (&Arr, i32),
) -> AccLet<Labelled> {
    let mut axes = vec![Axis::All; stack.ty.rank];
    axes[0] = Axis::Fixed;
    let mut b = FunBuilder::new();
    let at = counted.row(&mut b, number, by);
    let indices = b.finish(vec![at]);
    reverse.b.open();
    reverse.b.slice(axes, indices, stack);
    let mut slice = reverse.b.close(&[]).lets.remove(0);
    slice.binds = vec![row.clone()];
    slice
}

/// The let of the state before a trip of a given number, which is the first state or a row of a stack; the shapes of these may differ.
pub(super) fn first_or_row(
    reverse: &mut Reverse,
    (stack, first, state): (&Arr, &Arr, &Arr),
    (number, row): (&Arr, &dyn Fn(&mut FunBuilder) -> ExpId),
    sizes: &[Size],
) -> AccLet<Labelled> {
    let mut b = FunBuilder::new();
    let starts = is_first(&mut b, number);
    let mut extents = vec![];
    for (axis, &size) in sizes.iter().enumerate() {
        let of_first = b.extent(first.name, axis);
        let of_row = reverse.shapes.emit(&mut b, size);
        extents.push(b.prim(Prim::Select, &[starts, of_first, of_row]));
    }
    let shape = b.finish(extents);
    let mut b = FunBuilder::new();
    let index = b.params(&vec![ScalarType::I32; first.ty.rank]);
    let holds = is_first(&mut b, number);
    let from_first = |b: &mut FunBuilder| vec![b.index(first, &index)];
    let from_row = |b: &mut FunBuilder| {
        let row = row(b);
        vec![b.index(stack, &[&[row], &index[..]].concat())]
    };
    let element = b.cond(holds, from_first, from_row);
    let f = b.finish(element);
    AccLet {
        binds: vec![state.clone()],
        op: AccOp::Generate { shape, f },
        loc: reverse.b.loc(),
    }
}

/// Whether a trip is the first one.
fn is_first(b: &mut FunBuilder, number: &Arr) -> ExpId {
    let (i, zero) = (b.index(number, &[]), b.constant(0));
    b.prim(Prim::Eq, &[i, zero])
}

/// A stack before the loop. Where it has a row for the first state, that is what all rows are; trips overwrite the others.
fn first_rows(reverse: &mut Reverse, counted: &Counted, at: usize, first: &Arr) -> Arr {
    match &counted.extents[at] {
        TripExtents::Settled(inner) => {
            zero_rows(reverse, &counted.trips, (&[first.ty.elem], inner)).remove(0)
        }
        TripExtents::Kept | TripExtents::Open => {
            let mut axes = vec![Axis::All; first.ty.rank + 1];
            axes[0] = Axis::Fixed;
            let mut b = FunBuilder::new();
            let (n, one) = (b.inline(&counted.trips, &[])[0], b.constant(1));
            let rows = b.prim(Prim::Add, &[n, one]);
            let extents = b.finish(vec![rows]);
            let mut sizes = reverse.shapes.of_function(&extents);
            let inner = reverse.shapes.sizes(first.name).unwrap_or_default();
            sizes.extend(inner.iter().copied().map(Some));
            let rows = reverse.in_primal(|b| b.replicate(axes, extents, first));
            reverse.shapes.record(&rows, sizes);
            rows
        }
    }
}

/// Stacks before the loop of so many rows of zeros.
pub(super) fn zero_rows(
    reverse: &mut Reverse,
    rows: &Fun<Labelled>,
    (elems, inner): (&[ScalarType], &[Size]),
) -> Vec<Arr> {
    let mut b = FunBuilder::new();
    let mut extents = vec![b.inline(rows, &[])[0]];
    let mut sizes = reverse.shapes.of_function(rows);
    extents.extend(inner.iter().map(|&size| reverse.shapes.emit(&mut b, size)));
    sizes.extend(inner.iter().copied().map(Some));
    let zeros = zeros(elems, extents.len());
    let shape = b.finish(extents);
    let rows = reverse.in_primal(|b| b.generate(shape, zeros));
    reverse.shapes.record(&rows[0], sizes);
    for others in &rows[1..] {
        reverse.shapes.like(others, rows[0].name);
    }
    rows
}

/// The function of an index that is zeros.
fn zeros(elems: &[ScalarType], rank: usize) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    b.params(&vec![ScalarType::I32; rank]);
    let zero = |&elem: &ScalarType| b.constant(Const::zero(elem));
    let zeros = elems.iter().map(zero).collect();
    b.finish(zeros)
}

/// From an index of the state to its place in a row of a stack: the one at the number of the trip and `by`.
pub(super) fn next_row((number, by): (&Arr, i32), rank: usize) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let index = b.params(&vec![ScalarType::I32; rank]);
    let (k, by) = (b.index(number, &[]), b.constant(by));
    let row = b.prim(Prim::Add, &[k, by]);
    let sent = b.constant(Const::Bool(true));
    b.finish([&[sent, row], &index[..]].concat())
}
