//! States that trips update in place: the dual undoes the updates.
//!
//! Where a trip writes a few elements into an array that a loop carries, a stack of all states would cost its whole size on each
//! trip. Instead the primal keeps what it overwrites; the dual carries the array, too, from the last state on, and writes back on
//! each trip what was there before. So both cost what they touch.
//!
//! That is done for results that are made of the state by `permute` alone ([`Update`]), or by loops that do so ([`Nest`]). A step
//! that contains such a loop is made once more by the dual, from the state before the trip: that takes the array forward again, to
//! where the dual of the loop inside starts. What that gives back is the array before the loop inside, and the dual goes on from
//! there ([`Undo::returns`]). Without that, each trip would need a copy of the array.

mod nest;
mod update;

use super::stacks::Stacks;
use super::{Counted, Trip};
use crate::acc::reverse::Reverse;
use crate::rename::{ArrMap, renaming};
use cotangent_core::build::Arr;
use cotangent_core::term::{AccBlock, AccClosure, AccLet, ArrId, Fun, Labelled};
use nest::Nest;
use std::collections::HashMap;
use update::Update;

/// What trips do to one column, in the order in which they do it.
pub(super) struct Undo {
    changes: Vec<Change>,
}

enum Change {
    Update(Update),
    Loop(Nest),
}

/// The code that a let sees: the steps of the loops around it, the outermost first, and where in each the code is.
type Scopes<'a> = [(&'a AccClosure<Labelled>, usize)];

/// Where in a nest of loops the primal keeps something.
struct Level<'a> {
    /// The loops inside of the outermost one, by the array of how many trips they made.
    path: &'a [ArrId],
    /// Which of all trips that the innermost makes in all is the present one.
    row: &'a Arr,
    /// How many there are.
    rows: &'a Fun<Labelled>,
}

/// The same for the dual.
struct Back<'a> {
    row: &'a Arr,
    /// What the numbers of the trips are called there.
    names: ArrMap,
}

impl Undo {
    /// What trips do to a column, if it is no more than updates.
    pub(super) fn of(
        reverse: &mut Reverse,
        step: &AccClosure<Labelled>,
        column: usize,
    ) -> Option<Self> {
        let changes = changes_of(reverse, (&[], step), column)?;
        Some(Self { changes })
    }

    /// Whether loops in the step make some of the updates.
    pub(super) fn has_loops(&self) -> bool {
        self.last_loop().is_some()
    }

    fn last_loop(&self) -> Option<usize> {
        let is_loop = |change: &Change| matches!(change, Change::Loop(_));
        self.changes.iter().rposition(is_loop)
    }

    /// Makes the primal keep what it overwrites.
    pub(super) fn write(
        &self,
        reverse: &mut Reverse,
        counted: &Counted,
        let_: &mut AccLet<Labelled>,
    ) {
        let level = Level {
            path: &[],
            row: &counted.step.params[0],
            rows: &counted.trips,
        };
        write_all(&self.changes, reverse, (counted, &level), let_);
    }

    /// Pushes the code by which a trip of the dual makes the state before it of the one after it. Says in `names` which arrays of the
    /// step it has then, besides: the dual need not make these once more.
    pub(super) fn read(
        &self,
        reverse: &mut Reverse,
        (trip, counted): (&Trip, &Counted),
        column: usize,
        names: &mut ArrMap,
    ) {
        let back = Back::of(trip, counted);
        // A loop is made again, from what is before it, and its dual starts from what it makes.
        let last_loop = self.last_loop();
        let mut state = trip.after[column].clone();
        for (at, change) in self.changes.iter().enumerate().rev() {
            state = change.undo(reverse, &back, state);
            let is_there = last_loop.is_none_or(|last| at > last + 1);
            let before = trip.names.get(&change.default()).filter(|_| is_there);
            names.extend(before.map(|&before| (before, state.name)));
        }
        names.insert(trip.before[column].name, state.name);
    }

    /// The arrays that the dual of a trip has again as they were before a loop, and which of the changes that loop is.
    fn returns(&self, reverse: &Reverse, trip: &Trip) -> Vec<(ArrId, usize)> {
        let mut returns = vec![];
        for (at, change) in self.changes.iter().enumerate() {
            let restored = change.returned(reverse, trip);
            returns.extend(restored.map(|restored| (restored.name, at)));
        }
        returns
    }

    /// Goes on from an array as it was before one of the changes: undoes those in front of that, as far as there is no loop
    /// whose dual gives back what was before it. Says in `names` what is where.
    fn go_on(
        &self,
        reverse: &mut Reverse,
        (trip, back): (&Trip, &Back),
        (restored, at): (ArrId, usize),
        names: &mut ArrMap,
    ) {
        let default = self.changes[at].default();
        let Some(&original) = trip.names.get(&default) else {
            return;
        };
        let Ok(original) = reverse.array(original) else {
            return;
        };
        let mut state = Arr::new(restored, original.ty);
        names.insert(original.name, restored);
        for change in self.changes[..at].iter().rev() {
            if change.returned(reverse, trip).is_some() {
                return;
            }
            state = change.undo(reverse, back, state);
            let before = trip.names.get(&change.default()).copied();
            names.extend(before.map(|before| (before, state.name)));
        }
    }
}

impl Stacks {
    /// Pushes the code of a trip of the dual, in which `names` says what takes the place of other arrays. Where the dual of a loop
    /// gives back an array that the loop had updated, what follows reads that.
    pub(super) fn push_trip(
        &self,
        reverse: &mut Reverse,
        (trip, counted): (&mut Trip, &Counted),
        names: &mut ArrMap,
    ) {
        let lets = std::mem::take(&mut trip.body.lets);
        let trip = &*trip;
        let mut returns = HashMap::new();
        for undo in self.undone(counted).flatten() {
            let arrays = undo.returns(reverse, trip).into_iter();
            returns.extend(arrays.map(|(array, at)| (array, (undo, at))));
        }
        let back = Back::of(trip, counted);
        for let_ in lets {
            let lets = vec![let_];
            let results = vec![];
            let mut block = AccBlock { lets, results };
            block.rename(&renaming(names));
            for let_ in block.lets {
                let binds = let_.binds.clone();
                reverse.b.push_let(let_);
                for bind in binds {
                    if let Some(&(undo, at)) = returns.get(&bind.name) {
                        undo.go_on(reverse, (trip, &back), (bind.name, at), names);
                    }
                }
            }
        }
    }
}

impl Change {
    fn of(reverse: &mut Reverse, scopes: &Scopes, (name, state): (ArrId, &Arr)) -> Option<Self> {
        if let Some(update) = Update::of(reverse, scopes, (name, state)) {
            return Some(Self::Update(update));
        }
        Nest::of(reverse, scopes, name).map(Self::Loop)
    }

    /// Pushes the code that makes the array before the change of the one after it.
    fn undo(&self, reverse: &mut Reverse, back: &Back, state: Arr) -> Arr {
        match self {
            Self::Update(update) => update.undo(reverse, back, state),
            Self::Loop(nest) => nest.undo(reverse, back, &state),
        }
    }

    /// The array before a loop as the dual of the loop gives it back. That of a loop which does not read the array, such as one that
    /// undoes another, has no need of it.
    fn returned<'r>(&self, reverse: &'r Reverse, trip: &Trip) -> Option<&'r Arr> {
        match self {
            Self::Update(_) => None,
            Self::Loop(nest) => {
                let before = trip.names.get(&nest.default)?;
                reverse.restored.get(before)
            }
        }
    }

    /// The array before the change.
    fn default(&self) -> ArrId {
        match self {
            Self::Update(update) => update.default,
            Self::Loop(nest) => nest.default,
        }
    }
}

impl Back<'_> {
    fn of<'t>(trip: &'t Trip, counted: &Counted) -> Back<'t> {
        let number = counted.step.params[0].name;
        Back {
            row: &trip.number,
            names: ArrMap::from([(number, trip.number.name)]),
        }
    }
}

/// What a step does to a column of its state.
fn changes_of(
    reverse: &mut Reverse,
    (around, step): (&Scopes, &AccClosure<Labelled>),
    column: usize,
) -> Option<Vec<Change>> {
    let state = &step.params[column + 1];
    let mut name = step.body.results[column];
    let mut changes = vec![];
    while name != state.name {
        let binds = |let_: &AccLet<Labelled>| let_.binds.iter().any(|bind| bind.name == name);
        let at = step.body.lets.iter().position(binds)?;
        let scopes = [around, &[(step, at)]].concat();
        let change = Change::of(reverse, &scopes, (name, state))?;
        name = change.default();
        changes.push(change);
    }
    changes.reverse();
    (!changes.is_empty()).then_some(changes)
}

fn write_all(
    changes: &[Change],
    reverse: &mut Reverse,
    (counted, level): (&Counted, &Level),
    let_: &mut AccLet<Labelled>,
) {
    for change in changes {
        match change {
            Change::Update(update) => update.write(reverse, level, let_),
            Change::Loop(nest) => nest.write(reverse, (counted, level), let_),
        }
    }
}
