//! States that trips update in place: the dual undoes the updates.
//!
//! Where a trip writes a few elements into an array that a loop carries, a stack of all states would cost its whole size on each
//! trip. Instead the primal keeps what it overwrites; the dual carries the array, too, from the last state on, and writes back on
//! each trip what was there before. So both cost what they touch.
//!
//! That is done for results that are made of the state by `permute` alone ([`Update`]), or by loops that do so ([`nest`]), or that make
//! one trip at most, in which they make all of the array new ([`Whole`]). The state may be another column: arrays may change places, also
//! in loops inside, each of which is undone for all of these at once ([`ways`]).
//!
//! On the way from the state after a trip to the one before it the dual comes by what such a loop has made. Where it needs more of the
//! loop than that, it makes it once more, from the state before the trip, which takes the array forward again ([`again`]).

mod again;
mod nest;
mod rows;
mod search;
mod update;
mod ways;
mod whole;

use super::{Counted, Trip};
use crate::acc::reverse::Reverse;
use crate::rename::ArrMap;
pub(super) use again::Again;
use cotangent_core::build::Arr;
use cotangent_core::term::{AccClosure, AccLet, ArrId, Fun, Labelled};
use nest::{Column, Part};
use search::Search;
pub(super) use search::partners;
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
    Loop(Part),
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
    /// By column of those that can be kept: how trips make it, if that can be undone.
    pub(super) fn of_columns(
        reverse: &mut Reverse,
        step: &AccClosure<Labelled>,
        is_kept: impl Fn(usize) -> bool,
    ) -> Vec<Option<Self>> {
        Search::new(reverse).columns((&[], step), &is_kept)
    }

    /// What loops in the step do to it.
    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.changes.iter().filter_map(Change::part)
    }

    /// Whether loops in the step make some of the updates.
    pub(super) fn has_loops(&self) -> bool {
        self.parts().next().is_some()
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

    /// What one of its states is called in a trip of the dual.
    fn state(&self, trip: &Trip, state: usize) -> Option<ArrId> {
        let array = match state.checked_sub(1) {
            None => self.changes.first()?.default(),
            Some(last) => self.changes[last].result(),
        };
        trip.names.get(&array).copied()
    }
}

impl Change {
    /// The loop that makes it, if one does.
    const fn part(&self) -> Option<&Part> {
        match self {
            Self::Update(_) | Self::Whole(_) => None,
            Self::Loop(part) => Some(part),
        }
    }

    /// Pushes the code that makes the arrays before the change of those after it: of all columns, if it is a loop.
    fn undo(&self, reverse: &mut Reverse, back: &Back, after: &[Arr]) -> Vec<Arr> {
        match self {
            Self::Update(update) => update.undo(reverse, back, after),
            Self::Loop(part) => part.nest.undo(reverse, back, after),
            Self::Whole(whole) => vec![whole.undo(reverse, back)],
        }
    }

    /// The array before a loop as the dual of the loop gives it back. That of a loop which does not read the array, such as one that
    /// undoes another, has no need of it.
    fn returned<'r>(&self, reverse: &'r Reverse, trip: &Trip) -> Option<&'r Arr> {
        let of = |column: &Column| reverse.restored.get(trip.names.get(&column.default)?);
        let part = self.part()?;
        let is_returned = part.nest.columns.iter().all(|column| of(column).is_some());
        of(part.column()).filter(|_| is_returned)
    }

    /// The array after the change.
    fn result(&self) -> ArrId {
        match self {
            Self::Update(update) => update.result,
            Self::Loop(part) => part.column().result,
            Self::Whole(whole) => whole.result,
        }
    }

    /// The array before the change.
    fn default(&self) -> ArrId {
        match self {
            Self::Update(update) => update.default,
            Self::Loop(part) => part.column().default,
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

fn write_all(
    changes: &[Change],
    reverse: &mut Reverse,
    (counted, level): (&Counted, &Level),
    let_: &mut AccLet<Labelled>,
) {
    for change in changes {
        match change {
            Change::Update(update) => update.write(reverse, (counted, level), let_),
            Change::Loop(part) => part.write(reverse, (counted, level), let_),
            Change::Whole(whole) => whole.write(reverse, (counted, level), let_),
        }
    }
}
