//! States that trips update in place: the dual undoes the updates.
//!
//! Where a trip writes a few elements into an array that a loop carries, a stack of all states would cost its whole size on each
//! trip. Instead the primal keeps what it overwrites; the dual carries the array, too, from the last state on, and writes back on
//! each trip what was there before. So both cost what they touch.
//!
//! That is done for results that are made of the state by `permute` alone ([`Update`]), or by loops that do so ([`Nest`]), or that make
//! one trip at most, in which they make all of the array new ([`Whole`]). The state may be another column: arrays may change places. On the
//! way from the state after a trip to the one before it the dual comes by what such a loop has made. Where it needs more of the loop than
//! that, it makes it once more, from the state before the trip, which takes the array forward again ([`again`]).

mod again;
mod nest;
mod rows;
mod update;
mod whole;

use super::{Counted, Trip};
use crate::acc::reverse::Reverse;
use crate::rename::ArrMap;
pub(super) use again::Again;
use cotangent_core::build::Arr;
use cotangent_core::term::{AccClosure, AccLet, ArrId, Fun, Labelled};
use nest::Nest;
use update::Update;
use whole::Whole;

/// How trips make one column of the state.
pub(super) struct Undo {
    /// The column that it is made of: another one where arrays change places.
    start: usize,
    /// What is done to that, in order.
    changes: Vec<Change>,
}

enum Change {
    Update(Update),
    Loop(Nest),
    /// In a loop of one trip alone.
    Whole(Whole),
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
    /// By column of those that can be kept: how trips make it, if by no more than updates, of the column itself or of one of which no other
    /// is made and that can be undone, too.
    pub(super) fn of_columns(
        reverse: &mut Reverse,
        step: &AccClosure<Labelled>,
        is_kept: impl Fn(usize) -> bool,
    ) -> Vec<Option<Self>> {
        let columns = 0..step.body.results.len();
        let mut undo: Vec<Option<Self>> = columns
            .map(|at| is_kept(at).then(|| Self::of(reverse, step, at)).flatten())
            .collect();
        while let Some(wrong) = without_start(&undo) {
            undo[wrong] = None;
        }
        undo
    }

    fn of(reverse: &mut Reverse, step: &AccClosure<Labelled>, column: usize) -> Option<Self> {
        let (changes, start) = changes_of(reverse, (&[], step), column)?;
        let is_changed = !changes.is_empty() || start != column;
        is_changed.then_some(Self { start, changes })
    }

    /// The column that it is made of.
    pub(super) const fn start(&self) -> usize {
        self.start
    }

    /// Whether loops in the step make some of the updates.
    pub(super) fn has_loops(&self) -> bool {
        let is_loop = |change: &Change| matches!(change, Change::Loop(_));
        self.changes.iter().any(is_loop)
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
        (column, again): (usize, &Again),
        names: &mut ArrMap,
    ) {
        let back = Back::of(trip, counted);
        let made_again = self.made_again(trip, again);
        let mut state = trip.after[column].clone();
        for (at, change) in self.changes.iter().enumerate().rev() {
            if at >= made_again {
                let made = trip.names.get(&change.result());
                names.extend(made.map(|&made| (made, state.name)));
            }
            state = change.undo(reverse, &back, state);
        }
        names.insert(trip.before[self.start].name, state.name);
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
            Self::Whole(whole) => whole.undo(reverse, back),
        }
    }

    /// The array before a loop as the dual of the loop gives it back. That of a loop which does not read the array, such as one that
    /// undoes another, has no need of it.
    fn returned<'r>(&self, reverse: &'r Reverse, trip: &Trip) -> Option<&'r Arr> {
        match self {
            Self::Update(_) | Self::Whole(_) => None,
            Self::Loop(nest) => {
                let before = trip.names.get(&nest.default)?;
                reverse.restored.get(before)
            }
        }
    }

    /// The array after the change.
    fn result(&self) -> ArrId {
        match self {
            Self::Update(update) => update.result,
            Self::Loop(nest) => nest.result,
            Self::Whole(whole) => whole.result,
        }
    }

    /// The array before the change.
    fn default(&self) -> ArrId {
        match self {
            Self::Update(update) => update.default,
            Self::Loop(nest) => nest.default,
            Self::Whole(whole) => whole.before.name,
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

/// A column that is made of another one which is not undone, or of which others are made, too.
fn without_start(undo: &[Option<Undo>]) -> Option<usize> {
    let of = |start: usize| undo.iter().flatten().filter(move |own| own.start == start);
    let is_wrong = |(at, own): (usize, &Option<Undo>)| {
        let start = own.as_ref()?.start;
        let is_alone = undo[start].is_some() && of(start).count() == 1;
        (start != at && !is_alone).then_some(at)
    };
    undo.iter().enumerate().find_map(is_wrong)
}

/// What a step does to make a column of its state, and to which one.
fn changes_of(
    reverse: &mut Reverse,
    (around, step): (&Scopes, &AccClosure<Labelled>),
    column: usize,
) -> Option<(Vec<Change>, usize)> {
    let state = &step.params[column + 1];
    let mut name = step.body.results[column];
    let mut changes = vec![];
    loop {
        let own = step.params[1..].iter().position(|param| param.name == name);
        if let Some(start) = own {
            changes.reverse();
            return Some((changes, start));
        }
        let binds = |let_: &AccLet<Labelled>| let_.binds.iter().any(|bind| bind.name == name);
        let at = step.body.lets.iter().position(binds)?;
        let scopes = [around, &[(step, at)]].concat();
        let change = Change::of(reverse, &scopes, (name, state))?;
        name = change.default();
        changes.push(change);
    }
}

fn write_all(
    changes: &[Change],
    reverse: &mut Reverse,
    (counted, level): (&Counted, &Level),
    let_: &mut AccLet<Labelled>,
) {
    for change in changes {
        match change {
            Change::Update(update) => update.write(reverse, (counted, level), let_),
            Change::Loop(nest) => nest.write(reverse, (counted, level), let_),
            Change::Whole(whole) => whole.write(reverse, (counted, level), let_),
        }
    }
}
