//! A loop in a step that updates what the loop around carries.
//!
//! Of columns that change places in it, it depends on the number of its trips which one each is made of. So these are undone by one
//! loop, which carries all of them.
//!
//! What its trips overwrite, in all trips of the loops around, lies in one stack, a row for each. How many rows there are is
//! counted before the loop ([`Nest::count`]); where those of one trip of the loop around end is kept for each of these (`ends`): they
//! begin where those of the trip before it end.

use super::ways::{Way, Ways};
use super::{Back, Change, Level, Undo, write_all};
use crate::acc::looping::stacks::{next_row, zero_rows};
use crate::acc::looping::{Counted, NUMBER, at_least_none, element, restrict};
use crate::acc::reverse::Reverse;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{
    AccBlock, AccClosure, AccLet, AccOp, ArrId, Combine, ExpId, Fun, Labelled, States,
};
use cotangent_core::types::{ArrayType, ScalarType};
use std::collections::HashMap;
use std::rc::Rc;

/// A loop that updates columns of the loop around.
pub(super) struct Nest {
    /// How many trips it made.
    pub made: Arr,
    /// The columns that are undone with it, all that need each other.
    pub columns: Vec<Column>,
    /// The number of its trip.
    number: Arr,
    /// How many trips it makes, where it has no test.
    trips: Option<Fun<Labelled>>,
    /// Which of all its trips the present one is, in its step.
    row: Arr,
    /// For each trip of the loop around: how many trips it had made after that, in all.
    ends: Arr,
}

/// A column of such a loop.
pub(super) struct Column {
    /// Which one of the loop.
    at: usize,
    /// The array after the loop.
    pub result: ArrId,
    /// The array before it.
    pub default: ArrId,
    /// What a trip does to make it.
    undo: Undo,
}

/// One of the columns.
#[derive(Clone)]
pub(super) struct Part {
    pub nest: Rc<Nest>,
    column: usize,
}

impl Column {
    /// A column of a loop that starts from the given array.
    pub(super) fn of(let_: &AccLet<Labelled>, (at, default): (usize, ArrId), undo: Undo) -> Self {
        Self {
            at,
            result: let_.binds[at + 1].name,
            default,
            undo,
        }
    }
}

impl Part {
    /// The columns of a loop.
    pub(super) fn all(nest: Nest) -> impl Iterator<Item = Self> {
        let nest = Rc::new(nest);
        (0..nest.columns.len()).map(move |column| Self {
            nest: nest.clone(),
            column,
        })
    }

    pub(super) fn column(&self) -> &Column {
        &self.nest.columns[self.column]
    }

    /// Whether it is the given one.
    pub(super) fn is(&self, nest: &Rc<Nest>, column: usize) -> bool {
        Rc::ptr_eq(&self.nest, nest) && self.column == column
    }

    /// Whether it is of the same loop.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.nest, &other.nest)
    }

    /// Makes the primal keep what the loop overwrites, for all of its columns.
    pub(super) fn write(
        &self,
        reverse: &mut Reverse,
        (counted, level): (&Counted, &Level),
        let_: &mut AccLet<Labelled>,
    ) {
        if self.column == 0 {
            self.nest.write(reverse, (counted, level), let_);
        }
    }
}

impl Nest {
    /// A loop that makes the given columns.
    pub(super) fn of(
        reverse: &mut Reverse,
        let_: &AccLet<Labelled>,
        columns: Vec<Column>,
    ) -> Option<Self> {
        let AccOp::Loop {
            trips, test, step, ..
        } = &let_.op
        else {
            return None;
        };
        Some(Self {
            made: let_.binds[0].clone(),
            columns,
            number: step.params[0].clone(),
            trips: test.is_none().then(|| at_least_none(trips)),
            row: reverse.b.fresh(NUMBER),
            ends: reverse.b.fresh(ArrayType::new(ScalarType::I32, 1)),
        })
    }

    fn write(
        &self,
        reverse: &mut Reverse,
        (counted, level): (&Counted, &Level),
        let_: &mut AccLet<Labelled>,
    ) {
        let total = self.rows(reverse, (counted, level));
        let rows = zero_rows(reverse, level.rows, (&[ScalarType::I32], &[]));
        thread(
            reverse,
            (let_, level.path),
            (&rows, std::slice::from_ref(&self.ends)),
            &mut |reverse, step, ends| self.write_ends(reverse, level.row, (step, &ends[0])),
        );
        let path = [level.path, &[self.made.name]].concat();
        let inside = Level {
            path: &path,
            row: &self.row,
            rows: &total,
        };
        for column in &self.columns {
            write_all(&column.undo.changes, reverse, (counted, &inside), let_);
        }
    }

    /// How many rows its stacks have: one for each of its trips. One that makes one trip at most, as a branch does, has a row for each trip
    /// of the loop around, which need not be counted, as an update in a branch has; unless a row is a whole array.
    fn rows(&self, reverse: &mut Reverse, (counted, level): (&Counted, &Level)) -> Fun<Labelled> {
        let is_branch = self.trips.as_ref().is_some_and(|trips| trips.is_at_most(1));
        if is_branch && !self.is_whole() {
            return level.rows.clone();
        }
        let made = |b: &mut FunBuilder| self.trips_made(b);
        element(&count(reverse, (counted, level.path), &made))
    }

    /// Writes where the rows of a trip end, and says in the loop which row is that of one of its trips.
    fn write_ends(
        &self,
        reverse: &mut Reverse,
        around: &Arr,
        (step, ends): (&mut AccClosure<Labelled>, &Arr),
    ) -> Vec<Arr> {
        let mut lets = step.body.lets.iter();
        let at = lets.position(|let_| self.is_it(let_)).unwrap_or_default();
        reverse.b.open();
        let start = number(reverse, |b| start_of(b, ends, around));
        let before = reverse.b.close(&[]).lets;
        reverse.b.open();
        let end = number(reverse, |b| sum(b, &start, &self.made));
        let target = next_row((around, 0), 0);
        let ends = std::slice::from_ref(ends);
        let next = reverse.b.permute(Combine::Overwrite, ends, target, &[end]);
        let after = reverse.b.close(&[]).lets;
        if let AccOp::Loop { step, .. } = &mut step.body.lets[at].op {
            reverse.b.open();
            number(reverse, |b| sum(b, &start, &self.number));
            let mut row = reverse.b.close(&[]).lets.remove(0);
            row.binds = vec![self.row.clone()];
            step.body.lets.insert(0, row);
        }
        step.body.lets.splice(at + 1..at + 1, after);
        step.body.lets.splice(at..at, before);
        next
    }

    fn is_it(&self, let_: &AccLet<Labelled>) -> bool {
        let_.binds.first() == Some(&self.made)
    }

    /// Whether it makes all of an array new.
    pub(super) fn is_whole(&self) -> bool {
        let changes = self.columns.iter().flat_map(|column| &column.undo.changes);
        changes
            .into_iter()
            .any(|change| matches!(change, Change::Whole(_)))
    }

    fn trips_made(&self, b: &mut FunBuilder) -> ExpId {
        match &self.trips {
            Some(trips) => b.inline(trips, &[])[0],
            None => b.index(&self.made, &[]),
        }
    }

    /// Pushes a loop that undoes what this one did to its columns.
    pub(super) fn undo(&self, reverse: &mut Reverse, back: &Back, after: &[Arr]) -> Vec<Arr> {
        let start = number(reverse, |b| start_of(b, &self.ends, back.row));
        let trip = reverse.b.fresh(NUMBER);
        let states: Vec<Arr> = after
            .iter()
            .map(|state| reverse.b.fresh(state.ty))
            .collect();
        reverse.b.open();
        let row = number(reverse, |b| {
            let (end, trip) = (end_of(b, &self.ends, back.row), b.index(&trip, &[]));
            let one = b.constant(1);
            let last = b.prim(Prim::Sub, &[end, one]);
            b.prim(Prim::Sub, &[last, trip])
        });
        let of_loop = number(reverse, |b| difference(b, &row, &start));
        let mut names = back.names.clone();
        names.insert(self.number.name, of_loop.name);
        let first = self.undo_trip(reverse, Back { row: &row, names }, &states);
        let body = reverse.b.close(&first);
        let op = AccOp::Loop {
            trips: self.trips_back(&start, back),
            test: None,
            step: AccClosure {
                params: [&[trip], &states[..]].concat(),
                body,
            },
            states: States::Stored,
            args: after.iter().map(|state| state.name).collect(),
        };
        let types: Vec<_> = after.iter().map(|state| state.ty).collect();
        reverse
            .b
            .push(op, &[&[NUMBER], &types[..]].concat())
            .split_off(1)
    }

    /// Pushes the code that undoes what a trip did, given the columns after it.
    fn undo_trip(&self, reverse: &mut Reverse, back: Back, after: &[Arr]) -> Vec<Arr> {
        let columns = self.columns.iter().zip(after);
        let ways = columns.map(|(column, after)| Way::whole(&column.undo, after.clone()));
        let ways = ways.collect();
        let mut before = after.to_vec();
        Ways { ways, back }.start(reverse, &mut |column, state, array| {
            let start = self.columns[column].undo.start;
            let start = self.columns.iter().position(|column| column.at == start);
            if let (0, Some(start)) = (state, start) {
                before[start] = array.clone();
            }
        });
        before
    }

    /// How many trips undo those of one of the loop around.
    fn trips_back(&self, start: &Arr, back: &Back) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let (end, start) = (end_of(&mut b, &self.ends, back.row), b.index(start, &[]));
        let mut trips = b.prim(Prim::Sub, &[end, start]);
        if self.is_whole() {
            // So it can be seen in turn.
            let one = b.constant(1);
            trips = b.prim(Prim::Min, &[trips, one]);
        }
        b.finish(vec![trips])
    }
}

/// What numbers of the trips of a loop, or of one on a path inside of it, come to in all: the loops are run once for that, as far as
/// these depend on them.
pub(super) fn count(
    reverse: &mut Reverse,
    (counted, path): (&Counted, &[ArrId]),
    of_trip: &dyn Fn(&mut FunBuilder) -> ExpId,
) -> Arr {
    let types = counted.step.params.iter().map(|param| param.ty);
    let mut again = AccLet {
        binds: types.map(|ty| reverse.b.fresh(ty)).collect(),
        op: AccOp::Loop {
            trips: counted.trips.clone(),
            test: None,
            step: counted.step.clone(),
            states: States::Stored,
            args: counted.args.clone(),
        },
        loc: reverse.b.loc(),
    };
    let none = reverse.no_trips();
    let total = reverse.b.fresh(NUMBER);
    thread(
        reverse,
        (&mut again, path),
        (&[none], std::slice::from_ref(&total)),
        &mut |reverse, step, so_far| {
            reverse.b.open();
            let next = number(reverse, |b| {
                let so_far = b.index(&so_far[0], &[]);
                let more = of_trip(b);
                b.prim(Prim::Add, &[so_far, more])
            });
            step.body.lets.extend(reverse.b.close(&[]).lets);
            vec![next]
        },
    );
    let mut block = AccBlock {
        lets: vec![again],
        results: vec![total.name],
    };
    restrict(&mut block);
    let copy = reverse.b.copied(&block, &mut HashMap::new());
    let total = Arr::new(copy.results[0], NUMBER);
    reverse.in_primal(|b| copy.lets.into_iter().for_each(|let_| b.push_let(let_)));
    total
}

/// Makes the next ones of some columns in a step, given the present ones.
type Write<'a> = &'a mut dyn FnMut(&mut Reverse, &mut AccClosure<Labelled>, &[Arr]) -> Vec<Arr>;

/// Gives a loop, and those on a path inside of it, more columns: `write` makes the next ones in the step of the innermost.
pub(super) fn thread(
    reverse: &mut Reverse,
    (let_, path): (&mut AccLet<Labelled>, &[ArrId]),
    (first, last): (&[Arr], &[Arr]),
    write: Write,
) {
    let AccOp::Loop {
        test, step, args, ..
    } = &mut let_.op
    else {
        return;
    };
    let params = alike(reverse, first);
    for (last, first) in last.iter().zip(first) {
        reverse.shapes.like(last, first.name);
    }
    let next = match path.split_first() {
        None => write(reverse, step, &params),
        Some((made, inside)) => {
            let next = alike(reverse, first);
            let is_it = |let_: &&mut AccLet<Labelled>| let_.binds[0].name == *made;
            if let Some(inner) = step.body.lets.iter_mut().find(is_it) {
                thread(reverse, (inner, inside), (&params, &next), write);
            }
            next
        }
    };
    if let Some(test) = test {
        test.params.extend(alike(reverse, first));
    }
    step.params.extend(params);
    step.body
        .results
        .extend(next.iter().map(|array| array.name));
    args.extend(first.iter().map(|array| array.name));
    let_.binds.extend(last.iter().cloned());
}

/// New names for arrays of the types and shapes of others.
fn alike(reverse: &mut Reverse, arrays: &[Arr]) -> Vec<Arr> {
    let alike = arrays.iter().map(|array| {
        let like = reverse.b.fresh(array.ty);
        reverse.shapes.like(&like, array.name);
        like
    });
    alike.collect()
}

/// Pushes an array of one number.
pub(super) fn number(reverse: &mut Reverse, f: impl FnOnce(&mut FunBuilder) -> ExpId) -> Arr {
    let mut b = FunBuilder::new();
    let number = f(&mut b);
    let f = b.finish(vec![number]);
    let number = reverse.b.generate(Fun::constants(&[]), f).remove(0);
    reverse.shapes.root(&number);
    number
}

/// Where the rows of a trip begin.
pub(super) fn start_of(b: &mut FunBuilder, ends: &Arr, trip: &Arr) -> ExpId {
    let (trip, zero, one) = (b.index(trip, &[]), b.constant(0), b.constant(1));
    let is_first = b.prim(Prim::Eq, &[trip, zero]);
    let none = |b: &mut FunBuilder| vec![b.constant(Const::I32(0))];
    let before = |b: &mut FunBuilder| {
        let before = b.prim(Prim::Sub, &[trip, one]);
        vec![b.index(ends, &[before])]
    };
    b.cond(is_first, none, before)[0]
}

/// Where they end.
fn end_of(b: &mut FunBuilder, ends: &Arr, trip: &Arr) -> ExpId {
    let trip = b.index(trip, &[]);
    b.index(ends, &[trip])
}

fn sum(b: &mut FunBuilder, x: &Arr, y: &Arr) -> ExpId {
    let (x, y) = (b.index(x, &[]), b.index(y, &[]));
    b.prim(Prim::Add, &[x, y])
}

fn difference(b: &mut FunBuilder, x: &Arr, y: &Arr) -> ExpId {
    let (x, y) = (b.index(x, &[]), b.index(y, &[]));
    b.prim(Prim::Sub, &[x, y])
}
