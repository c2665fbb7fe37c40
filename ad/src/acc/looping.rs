//! Loops of arrays: a loop that goes through the trips backwards.
//!
//! Of sᵢ₊₁ = f(i, sᵢ; c), i < n, where c is what the step reads from outside, the dual carries the adjoints of the state and of
//! c; its trip for i starts from sᵢ, makes sᵢ₊₁ anew as far as the dual of the step needs what is computed on the way, and goes
//! through that dual.
//!
//! * The states come from *stacks*: the primal loop carries, for each column of the state that is needed, an array with a row
//!   for each state from s₁ to sₙ, and from s₀ where that has the same shape, and writes the next row on each trip ([`stacks`]).
//!   So sᵢ₊₁ is there, too, and what the dual needs of it is not computed again.
//! * What trips update in place, they keep; the dual undoes the updates ([`undo`]).
//! * A loop with a test makes an unknown number of trips: the dual runs it a second time, for as many trips as were made. Where it
//!   is in the step of another loop, that one keeps the number ([`lengths`]), so that the dual need not run it a third time.
//! * A user may ask for less memory: for checkpoints instead of stacks ([`checkpoints`]), or for the way back by an inverse of the step,
//!   from the last state, which the dual carries ([`Stacks`]).
//! * Where extents may go on changing from trip to trip there are no stacks: the dual starts from s₀ on each trip. That takes time
//!   quadratic in the number of trips.
//! * The adjoints of what is indexed, c or the state, are updated where they are ([`Reverse::scatter`]): a trip costs what it
//!   touches.

mod checkpoints;
mod lengths;
mod restrict;
mod rows;
mod settle;
mod stacks;
mod undo;

use super::reverse::Reverse;
use crate::error::AdError;
use crate::rename::{ArrMap, renaming};
use cotangent_core::analysis::shape::TripExtents;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{
    AccBlock, AccClosure, AccLet, AccOp, ArrId, ExpId, Fun, Labelled, States,
};
use cotangent_core::types::{ArrayType, ScalarType};
use restrict::restrict;
use settle::{settle_extents, trim};
use stacks::Stacks;
use std::collections::{BTreeSet, HashMap, HashSet};
use undo::Undo;

/// The type of the number of a trip.
const NUMBER: ArrayType = ArrayType::new(ScalarType::I32, 0);

/// A loop without a test.
pub(super) struct Counted {
    /// The number of trips, at least 0.
    trips: Fun<Labelled>,
    step: AccClosure<Labelled>,
    args: Vec<ArrId>,
    /// Where the states come from.
    states: States<AccClosure<Labelled>>,
    /// The same for the dual, where it is differentiated in turn.
    states_of_dual: States<AccClosure<Labelled>>,
    /// By column of the state: whether its adjoint is needed.
    useful: Vec<bool>,
    /// By column of the state: its shapes.
    extents: Vec<TripExtents>,
    /// By column of the state: whether it is written row by row, see [`rows`].
    apart: Vec<bool>,
    /// By column of the state: what trips do to it, where the dual can undo that.
    undo: Vec<Option<Undo>>,
}

/// The step of a loop, as the dual makes it once more, and its dual.
struct Trip {
    /// The number of the trip.
    number: Arr,
    /// The state before it.
    before: Vec<Arr>,
    /// The state after it, where the dual needs it.
    after: Vec<Arr>,
    /// What the arrays of the step are called here.
    names: ArrMap,
    body: AccBlock<Labelled>,
    /// What the body is given: the adjoints of the state after the trip, then those so far of captured arrays.
    adjoints: Vec<Arr>,
    /// The captured arrays.
    captured: Vec<Arr>,
}

impl Reverse<'_> {
    /// The dual of a loop of arrays. The primal gets the stacks that it needs.
    pub(super) fn looping(
        &mut self,
        let_: &mut AccLet<Labelled>,
        adjoints: &[Option<Arr>],
    ) -> Result<(), AdError> {
        let AccOp::Loop { test, states, .. } = &let_.op else {
            return Err(AdError::Bug("not a loop".to_owned()));
        };
        if test.is_some() {
            let again = self.as_often(let_);
            return self.through(again, adjoints);
        }
        if *states == States::Stored {
            self.keep_lengths(let_);
        }
        let mut adjoints = adjoints.to_vec();
        adjoints.resize(let_.binds.len(), None);
        self.without_test(let_, &adjoints)
    }

    /// The dual of a loop without a test.
    fn without_test(
        &mut self,
        let_: &mut AccLet<Labelled>,
        adjoints: &[Option<Arr>],
    ) -> Result<(), AdError> {
        let AccOp::Loop {
            trips,
            test: _,
            step,
            states,
            args,
        } = &let_.op
        else {
            return Err(AdError::Bug("not a loop".to_owned()));
        };
        let extents = self.shapes.trip_extents(step, args);
        let states_of_dual = states_of_dual((trips, states));
        let possible = as_possible((trips, states), &extents);
        let is_apart = |column| match possible {
            // A loop that may make no trip results in what it starts from.
            States::Closed => makes_one_trip(trips) && is_new(step, column),
            States::Stored | States::Checkpoints(_) | States::Inverse(_) => {
                self.is_written_apart((step, args), column)
            }
        };
        let counted = Counted {
            trips: at_least_none(trips),
            step: step.clone(),
            args: args.clone(),
            useful: self.useful(step, &adjoints[1..]),
            apart: (0..args.len()).map(is_apart).collect(),
            undo: self.changes(step, (&possible, &extents)),
            extents,
            states: possible,
            states_of_dual,
        };
        self.counted(let_, &counted, &adjoints[1..])
    }

    /// What the trips of a loop that keeps its states do to each column, where that can be undone.
    fn changes(
        &mut self,
        step: &AccClosure<Labelled>,
        (states, extents): (&States<AccClosure<Labelled>>, &[TripExtents]),
    ) -> Vec<Option<Undo>> {
        let is_kept = |at: usize| *states == States::Stored && extents[at] == TripExtents::Kept;
        Undo::of_columns(self, step, is_kept)
    }

    /// A loop that makes as many trips as the given one has made, without its test.
    fn as_often(&mut self, let_: &AccLet<Labelled>) -> AccBlock<Labelled> {
        let made = let_.binds[0].clone();
        let mut again = let_.clone();
        if let AccOp::Loop { test, .. } = &mut again.op {
            *test = None;
        }
        let results = let_.binds.iter().map(|bind| bind.name).collect();
        let lets = vec![again];
        let mut again = self
            .b
            .copied(&AccBlock { lets, results }, &mut HashMap::new());
        for let_ in &mut again.lets {
            if let AccOp::Loop { trips, .. } = &mut let_.op {
                *trips = element(&made);
            }
        }
        again
    }

    /// The columns of the state on which something depends that has an adjoint: after the loop, or after some trip.
    fn useful(&self, step: &AccClosure<Labelled>, adjoints: &[Option<Arr>]) -> Vec<bool> {
        let state = &step.params[1..];
        let mut useful: Vec<bool> = adjoints.iter().map(Option::is_some).collect();
        loop {
            let needed = self.needed(&step.body, &useful);
            let next = state.iter().zip(&useful);
            let next: Vec<bool> = next
                .map(|(param, &known)| known || needed.contains(&param.name))
                .collect();
            if next == useful {
                return next;
            }
            useful = next;
        }
    }

    /// The active arrays that the chosen results of a block depend on.
    fn needed(&self, block: &AccBlock<Labelled>, which: &[bool]) -> BTreeSet<ArrId> {
        let results = block.results.iter().zip(which).filter(|(_, which)| **which);
        let mut needed: BTreeSet<ArrId> = results.map(|(&result, _)| result).collect();
        for let_ in block.lets.iter().rev() {
            if let_.binds.iter().any(|bind| needed.contains(&bind.name)) {
                needed.extend(let_.op.free());
            }
        }
        needed.retain(|&array| self.is_active(array));
        needed
    }

    fn counted(
        &mut self,
        let_: &mut AccLet<Labelled>,
        counted: &Counted,
        adjoints: &[Option<Arr>],
    ) -> Result<(), AdError> {
        let number = self.b.fresh(NUMBER);
        self.b.open();
        let mut trip = self.trip(counted, &number, adjoints)?;
        let loc = let_.loc;
        let stacks = Stacks::of(self, counted, &trip);
        self.b.set_loc(loc);
        let again = stacks.again(self, (&trip, counted));
        let mut names = stacks.undo(self, (&trip, counted), &again);
        let states = stacks.read(self, counted, (&trip, &number), &mut names);
        stacks.push_trip(self, (&mut trip, counted), (&again, &mut names));
        let mut body = self.b.close(&[]);
        let results = std::mem::take(&mut trip.body.results).into_iter();
        let results = results.chain(states.iter().map(|array| array.name));
        body.results = results.map(renaming(&names)).collect();
        trim(&mut body);
        stacks.write(self, counted, let_);
        let params = stacks.params(counted, &trip);
        let step = AccClosure {
            params: [&[number], &trip.adjoints[..], &params].concat(),
            body,
        };
        let first = stacks.first(self, counted, &let_.binds[1..]);
        let last = self.push_dual(counted, (let_, adjoints), (&trip, &first), step);
        // What an inverse gives is the same up to rounding only.
        if counted.states.inverse().is_none() {
            let carried = stacks.carried(counted).into_iter().zip(last);
            let restored = carried.map(|(at, state)| (counted.args[at], state));
            self.restored.extend(restored);
        }
        Ok(())
    }

    /// Makes the code of one trip.
    fn trip(
        &mut self,
        counted: &Counted,
        dual_number: &Arr,
        last: &[Option<Arr>],
    ) -> Result<Trip, AdError> {
        let step = &counted.step;
        let state = &step.params[1..];
        let number = self.number(counted, dual_number);
        let mut names = ArrMap::from([(step.params[0].name, number.name)]);
        let before = self.before(counted, &mut names);
        let mut body = self.b.copied(&step.body, &mut names);
        let after: Vec<Arr> = state.iter().map(|p| self.b.fresh(p.ty)).collect();
        self.repeat_as_often(counted, &after, &mut body);
        let apart = state.iter().zip(&counted.apart);
        let apart = apart.filter(|(_, apart)| **apart);
        let apart: Vec<ArrId> = apart.map(|(param, _)| param.name).collect();
        let copies = names.iter().filter(|(name, _)| !apart.contains(name));
        self.activity.copy(copies);
        self.enter(&body);
        let around = std::mem::take(&mut self.contributions);
        let carried = self.carry(&body, &before);
        let stored = (0..before.len()).filter(|&at| counted.is_there_after(at));
        let stored = stored.map(|at| body.results[at]).collect();
        let stored = std::mem::replace(&mut self.stored, stored);
        let (mut adjoints, captured) = self.start(counted, &body, (&before, last));
        let block = body.clone();
        self.b.open();
        self.apart(|reverse| reverse.walk(&mut body))?;
        let (results, captured) = self.end(counted, &before, (&mut adjoints, captured));
        let dual = self.b.close(&results);
        self.contributions = around;
        self.carried = carried;
        self.stored = stored;
        body.lets.extend(dual.lets);
        body.results = dual.results;
        self.after(counted, (&block, &after), &mut body);
        settle_extents(&mut body, self.shapes);
        trim(&mut body);
        Ok(Trip {
            number,
            before,
            after,
            names,
            body,
            adjoints,
            captured,
        })
    }

    /// The state before a trip. Says in `names` what it is called.
    fn before(&mut self, counted: &Counted, names: &mut ArrMap) -> Vec<Arr> {
        let state = &counted.step.params[1..];
        let before: Vec<Arr> = state.iter().map(|p| self.b.fresh(p.ty)).collect();
        for (at, (param, before)) in state.iter().zip(&before).enumerate() {
            let first = counted.args[at];
            let name = if counted.stays(at) {
                first
            } else {
                before.name
            };
            names.insert(param.name, name);
            self.enter_array(before);
            match &counted.extents[at] {
                TripExtents::Kept => self.shapes.like(before, first),
                TripExtents::Settled(_) | TripExtents::Open => self.shapes.root(before),
            }
        }
        before
    }

    /// The number of the trip of the primal that a trip of the dual goes back through.
    fn number(&mut self, counted: &Counted, dual_number: &Arr) -> Arr {
        let mut b = FunBuilder::new();
        let row = counted.row(&mut b, dual_number, -1);
        let f = b.finish(vec![row]);
        let number = self.b.generate(Fun::constants(&[]), f).remove(0);
        self.enter_array(&number);
        self.shapes.root(&number);
        number
    }

    /// Notes which arrays of a trip have adjoints that are updated in place: the state, and what a `permute` or a loop makes of it.
    /// Gives those that were noted before.
    fn carry(&mut self, body: &AccBlock<Labelled>, before: &[Arr]) -> HashSet<ArrId> {
        let outer = self.carried.clone();
        self.carried = before.iter().map(|array| array.name).collect();
        for let_ in &body.lets {
            let updates = let_.op.updates(&let_.binds);
            let updated = updates.filter(|(start, _)| self.carried.contains(start));
            let updated: Vec<_> = updated.map(|(_, bind)| bind.name).collect();
            self.carried.extend(updated);
        }
        outer
    }

    /// Contributes what a trip of the dual is given: the adjoints of the state after it, and those so far of what it captures.
    fn start(
        &mut self,
        counted: &Counted,
        body: &AccBlock<Labelled>,
        (before, last): (&[Arr], &[Option<Arr>]),
    ) -> (Vec<Arr>, Vec<(Arr, Arr)>) {
        let own: BTreeSet<ArrId> = before.iter().map(|array| array.name).collect();
        let captured = self.needed(body, &counted.useful);
        let free = body.free();
        let captured = captured.into_iter();
        let captured: Vec<ArrId> = captured
            .filter(|name| free.contains(name) && !own.contains(name))
            .collect();
        let captured = self.arrays(&captured).unwrap_or_default().into_iter();
        let captured: Vec<(Arr, Arr)> = captured
            .map(|array| (array.clone(), self.b.fresh(array.ty)))
            .collect();
        for (array, total) in &captured {
            self.carried.insert(array.name);
            self.contribute(array.name, total.clone());
        }
        let mut adjoints = vec![];
        for (at, &result) in body.results.iter().enumerate() {
            if counted.has_adjoint(at) {
                let d = self.b.fresh(before[at].ty);
                self.contribute(result, d.clone());
                adjoints.push(d);
            } else if let (true, Some(d)) = (counted.is_apart(at), &last[at]) {
                self.contribute(result, d.clone());
            }
        }
        (adjoints, captured)
    }

    /// What a trip of the dual results in: the adjoints of the state before it, and of what was captured and contributed to.
    fn end(
        &mut self,
        counted: &Counted,
        before: &[Arr],
        (adjoints, captured): (&mut Vec<Arr>, Vec<(Arr, Arr)>),
    ) -> (Vec<Arr>, Vec<Arr>) {
        let mut results = vec![];
        for (at, array) in before.iter().enumerate() {
            if counted.has_adjoint(at) {
                let d = self.take(array.name);
                results.push(d.unwrap_or_else(|| self.zeros(array)));
            }
        }
        let mut arrays = vec![];
        for (array, so_far) in captured {
            let known = self.contributions.get(&array.name);
            if known.is_some_and(|all| all.is_just(&so_far)) {
                continue;
            }
            if let Some(total) = self.take(array.name) {
                adjoints.push(so_far);
                results.push(total);
                arrays.push(array);
            }
        }
        (results, arrays)
    }

    /// Lets a trip read the state after it, as far as there are stacks, instead of making it once more.
    fn after(
        &mut self,
        counted: &Counted,
        (block, after): (&AccBlock<Labelled>, &[Arr]),
        body: &mut AccBlock<Labelled>,
    ) {
        let made = block.lets.iter().flat_map(|let_| &let_.binds);
        let made: BTreeSet<ArrId> = made.map(|bind| bind.name).collect();
        let mut names = ArrMap::new();
        for (at, &result) in block.results.iter().enumerate() {
            let after = &after[at];
            if !counted.is_there_after(at) {
                continue;
            }
            match &counted.extents[at] {
                TripExtents::Kept => self.shapes.like(after, counted.args[at]),
                TripExtents::Settled(sizes) => {
                    let sizes = sizes.iter().copied().map(Some).collect();
                    self.shapes.record(after, sizes);
                }
                TripExtents::Open => self.shapes.root(after),
            }
            if made.contains(&result) {
                names.entry(result).or_insert(after.name);
            }
        }
        body.rename(&renaming(&names));
    }

    /// What the adjoint of a captured array begins as: where it is updated in place, with what was contributed before, which counts as
    /// taken. To add a whole array of which a loop touches a few elements would cost its size.
    fn so_far(&mut self, array: &Arr) -> Arr {
        let is_updated = self.is_updated(array.name);
        let total = is_updated.then(|| self.take(array.name)).flatten();
        total.unwrap_or_else(|| self.zeros(array))
    }

    /// Pushes the dual loop, and contributes what it gives. Results in what it has made of the states.
    fn push_dual(
        &mut self,
        counted: &Counted,
        (let_, adjoints): (&AccLet<Labelled>, &[Option<Arr>]),
        (trip, states): (&Trip, &[Arr]),
        step: AccClosure<Labelled>,
    ) -> Vec<Arr> {
        let results = &let_.binds[1..];
        let mut args = vec![];
        let mut receivers = vec![];
        for (at, result) in results.iter().take(trip.before.len()).enumerate() {
            match (&adjoints[at], counted.has_adjoint(at)) {
                (Some(d), false) if counted.stays(at) => {
                    self.contribute(counted.args[at], d.clone());
                }
                (d, true) => {
                    let d = d.clone();
                    args.push(d.unwrap_or_else(|| self.zeros(result)));
                    receivers.push(counted.args[at]);
                }
                // A column that is written apart, or made anew, has nothing of an argument that has an adjoint.
                (Some(_) | None, false) => {}
            }
        }
        for array in &trip.captured {
            args.push(self.so_far(array));
            receivers.push(array.name);
        }
        args.extend(states.iter().cloned());
        let mut types = vec![NUMBER];
        types.extend(args.iter().map(|arg| arg.ty));
        let op = AccOp::Loop {
            trips: counted.trips.clone(),
            test: None,
            step,
            states: counted.states_of_dual.clone(),
            args: args.iter().map(|arg| arg.name).collect(),
        };
        let mut made = self.b.push(op, &types);
        let states = made.split_off(1 + receivers.len());
        for (receiver, d) in receivers.into_iter().zip(&made[1..]) {
            self.contribute(receiver, d.clone());
        }
        states
    }
}

impl Counted {
    /// Whether the dual carries the adjoint of a column. What no trip changes is captured instead, and what is written row by row
    /// has the adjoint of the last state on all trips.
    fn has_adjoint(&self, at: usize) -> bool {
        self.useful[at] && !self.apart[at] && !self.stays(at)
    }

    /// Whether no trip changes a column.
    fn stays(&self, at: usize) -> bool {
        self.step.body.results[at] == self.step.params[at + 1].name
    }

    /// Whether the primal keeps the states of a column, or what it overwrites of them.
    fn is_stored(&self, at: usize) -> bool {
        self.states == States::Stored && self.extents[at] != TripExtents::Open
    }

    /// Whether a trip of the dual can read a column of the state after it.
    fn is_there_after(&self, at: usize) -> bool {
        let is_made_again = self.undo[at].as_ref().is_some_and(Undo::has_loops);
        self.is_stored(at) && !is_made_again || self.states.inverse().is_some()
    }

    /// The row of the state before a trip that the dual makes as the one with the given number, but for `by + 1`: n + by − k.
    fn row(&self, b: &mut FunBuilder, dual_number: &Arr, by: i32) -> ExpId {
        let n = b.inline(&self.trips, &[])[0];
        let (k, by) = (b.index(dual_number, &[]), b.constant(by));
        let last = b.prim(Prim::Add, &[n, by]);
        b.prim(Prim::Sub, &[last, k])
    }
}

/// Where the states of a loop come from: those that go on changing their extents cannot be kept by their places. The state before a
/// single trip is what the loop starts from. A loop of one trip that keeps none is a function to be made again.
fn as_possible(
    (trips, states): (&Fun<Labelled>, &States<AccClosure<Labelled>>),
    extents: &[TripExtents],
) -> States<AccClosure<Labelled>> {
    match states {
        States::Checkpoints(_) if makes_one_trip(trips) => States::Closed,
        States::Checkpoints(_) if extents.contains(&TripExtents::Open) => States::Stored,
        States::Stored if trips.is_at_most(1) => States::Closed,
        States::Stored | States::Checkpoints(_) => states.clone(),
        States::Inverse(_) | States::Closed => states.clone(),
    }
}

/// How the dual of a loop gets its own states, where it is differentiated in turn.
fn states_of_dual(
    (trips, states): (&Fun<Labelled>, &States<AccClosure<Labelled>>),
) -> States<AccClosure<Labelled>> {
    match states {
        States::Closed => States::Closed,
        States::Checkpoints(_) if makes_one_trip(trips) => States::Closed,
        States::Stored | States::Checkpoints(_) | States::Inverse(_) => States::Stored,
    }
}

fn makes_one_trip(trips: &Fun<Labelled>) -> bool {
    trips.constant_result(0) == Some(Const::I32(1))
}

/// Whether a step makes a column without reading it.
fn is_new(step: &AccClosure<Labelled>, column: usize) -> bool {
    let state = step.params[column + 1].name;
    let is_result = step.body.results.contains(&state);
    !is_result && step.body.reads().all(|read| read != state)
}

/// The number of trips that a loop makes.
fn at_least_none(trips: &Fun<Labelled>) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let (n, zero) = (b.inline(trips, &[])[0], b.constant(0));
    let n = b.prim(Prim::Max, &[n, zero]);
    b.finish(vec![n])
}

/// The function without parameters that gives the element of an array of rank 0.
fn element(array: &Arr) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let x = b.index(array, &[]);
    b.finish(vec![x])
}
