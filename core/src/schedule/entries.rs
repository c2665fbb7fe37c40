//! Arrays `[T; N]` that loops of scalar code carry, as rows of memory.
//!
//! The surface writes `x.with_entry(at, value)` as N selections, `entry k ↦ at = k ? value : entry k`, and `x.entry(at)` as a chain of
//! them, `at ≤ 0 ? entry 0 : at ≤ 1 ? entry 1 : …`. A loop on whose state that is done N times a trip is here made to be one
//! that holds the entries in memory of its own: a trip reads and replaces what it touches.
//!
//! Who runs such a loop gives each point a row of N entries for each of [`InRows::rows`], filled from the initial values. A trip
//! reads entries by loads from the array that [`ArrayId::of_rows`] names, at one index, which the reader clamps to the
//! row. What it replaces goes into the row when the trip has been made, one after the other, where there is such a place.
//! An array from the code around the loop that trips only read is such a row, too, of which nothing is replaced.
//!
//! `ad/src/exp/entries.rs` looks for the same in terms, for reverse mode: there a conditional is an operation, and a place
//! has to be one that the step computes for all.

mod find;
#[cfg(test)]
mod tests;

use super::{ArrayId, Body, Inst, Load, Loop, Op, ValueId};
use crate::constant::Const;
use crate::prim::Prim;
use crate::types::ScalarType;
use find::{Array, Change, Finder, Place, Table};
use std::collections::HashSet;

/// A loop has fewer rows than that, and a schedule has less than all other numbers of arrays.
const MOST_ROWS: usize = 1 << 16;

impl ArrayId {
    /// What names the rows number `n` of a loop where its trips read them.
    pub fn of_rows(n: usize) -> Self {
        Self(u32::MAX - n as u32)
    }

    /// The rows that this names, if it is no array of the schedule.
    pub fn as_rows(self) -> Option<usize> {
        let n = (u32::MAX - self.0) as usize;
        (n < MOST_ROWS).then_some(n)
    }
}

/// A loop that holds entries in rows.
#[derive(Clone, Debug)]
pub struct InRows {
    /// The loop, which carries the other values.
    pub of: Loop,
    /// The positions of those in the state of the loop that it is made from.
    pub plain: Vec<usize>,
    /// The rows.
    pub rows: Vec<Rows>,
}

/// A row for each point.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The position of each entry in the state of the loop that it is made from; of entries that are only read, none.
    pub states: Vec<usize>,
    /// Their type.
    pub ty: ScalarType,
    /// What each entry is at first.
    pub init: Vec<Initial>,
    /// Place, an `i32`, and value of what a trip replaces, one after the other.
    pub updates: Vec<[ValueId; 2]>,
}

/// What an entry is at first.
#[derive(Clone, Copy, Debug)]
pub enum Initial {
    /// A value of the code around the loop.
    Value(ValueId),
    /// A number.
    Const(Const),
}

impl Loop {
    /// The loop with arrays of at least so many entries in rows, if it carries any of which it replaces entries at places that it
    /// computes, or reads any at such places.
    pub fn in_rows(&self, least: usize) -> Option<InRows> {
        if self.region.body.len() < least {
            return None;
        }
        let mut finder = Finder::new(&self.region, self.init.len());
        let arrays = finder.arrays(least);
        let tables = finder.tables(least);
        let rows = arrays.len() + tables.len();
        if rows == 0 || rows >= MOST_ROWS {
            return None;
        }
        let plain = |at: &usize| !arrays.iter().any(|array| array.states.contains(at));
        let plain: Vec<usize> = (0..self.init.len()).filter(plain).collect();
        Some(Writer::new(finder, arrays, tables).write(self, plain))
    }
}

/// Writes the code of trips that read and replace entries of rows.
struct Writer<'a> {
    finder: Finder<'a>,
    arrays: Vec<Array>,
    tables: Vec<Table>,
    body: Body,
    /// What has become of each value.
    new: Vec<ValueId>,
}

impl<'a> Writer<'a> {
    fn new(finder: Finder<'a>, arrays: Vec<Array>, tables: Vec<Table>) -> Self {
        Self {
            finder,
            arrays,
            tables,
            body: Body::default(),
            new: vec![],
        }
    }

    fn write(mut self, of: &Loop, plain: Vec<usize>) -> InRows {
        let states = of.init.len();
        for (v, inst) in of.region.body.iter() {
            let new = match inst.op.as_arg() {
                Some(arg) if arg > states => {
                    let arg = arg - states + plain.len();
                    self.body.push(Op::Arg(arg as u32), inst.ty)
                }
                Some(arg) if arg > 0 => self.state(arg - 1, inst.ty, &plain),
                Some(_) | None => self.value(v, inst),
            };
            self.new.push(new);
        }
        let arrays = std::mem::take(&mut self.arrays);
        let mut rows: Vec<Rows> = arrays.iter().map(|array| self.rows(of, array)).collect();
        rows.extend(self.tables.iter().map(|table| table.rows(of)));
        let mut result = InRows {
            of: of.clone(),
            plain,
            rows,
        };
        let only_plain = |all: &[ValueId]| result.plain.iter().map(|&at| all[at]).collect();
        result.of.init = only_plain(&of.init);
        result.of.region.next = only_plain(&of.region.next);
        let region = &mut result.of.region;
        let results = region.test.iter_mut().chain(&mut region.next);
        results.for_each(|v| *v = self.new[v.index()]);
        region.body = self.body;
        result.prune();
        result
    }

    /// What is carried in place of a value of the state: itself, or an entry of a row.
    fn state(&mut self, at: usize, ty: ScalarType, plain: &[usize]) -> ValueId {
        if let Some(position) = plain.iter().position(|&p| p == at) {
            return self.body.push(Op::Arg(1 + position as u32), ty);
        }
        let entry = |array: &Array| array.states.iter().position(|&state| state == at);
        let mut arrays = self.arrays.iter().enumerate();
        let found = arrays.find_map(|(n, array)| Some((n, entry(array)?)));
        let (n, entry) = found.unwrap_or_default();
        let entry = self.int(entry as i32);
        self.entry(n, entry, ty)
    }

    fn value(&mut self, v: ValueId, inst: &Inst) -> ValueId {
        if let Some((at, first, names)) = self.finder.chain(v) {
            let at = self.new[at.index()];
            if let Some(n) = self.tables.iter().position(|table| table.entries == names) {
                let at = self.moved(at, first);
                return self.entry(self.arrays.len() + n, at, inst.ty);
            }
            if let Some((n, updates)) = self.finder.version((first, &names), &self.arrays) {
                let at = self.within(at, (first, first + names.len()), n);
                return self.read(n, at, &updates);
            }
        }
        let op = inst.op.renamed(&|v| self.new[v.index()]);
        self.body.push(op, inst.ty)
    }

    /// A place in a table whose first entry has that number.
    fn moved(&mut self, at: ValueId, first: usize) -> ValueId {
        if first == 0 {
            return at;
        }
        let first = self.int(first as i32);
        // A difference from far below would wrap around.
        let at = self.prim(Prim::Max, &[at, first], ScalarType::I32);
        self.prim(Prim::Sub, &[at, first], ScalarType::I32)
    }

    /// The entry nearest to a place among those of rows number `n` that have numbers from `first` to before `end`.
    fn within(&mut self, mut at: ValueId, (first, end): (usize, usize), n: usize) -> ValueId {
        if first > 0 {
            let first = self.int(first as i32);
            at = self.prim(Prim::Max, &[at, first], ScalarType::I32);
        }
        if end < self.arrays[n].states.len() {
            let last = self.int(end as i32 - 1);
            at = self.prim(Prim::Min, &[at, last], ScalarType::I32);
        }
        at
    }

    fn int(&mut self, value: i32) -> ValueId {
        self.body
            .push(Op::Const(Const::I32(value)), ScalarType::I32)
    }

    fn prim(&mut self, prim: Prim, operands: &[ValueId], ty: ScalarType) -> ValueId {
        self.body.push(Op::Prim(prim, operands.to_vec()), ty)
    }

    /// An entry of rows number `n`, as it was before the trip.
    fn entry(&mut self, n: usize, at: ValueId, ty: ScalarType) -> ValueId {
        let load = Load {
            array: ArrayId::of_rows(n),
            index: vec![at],
            guard: None,
            site: None,
        };
        self.body.push(Op::Load(load), ty)
    }

    /// An entry as it is after some updates.
    fn read(&mut self, n: usize, at: ValueId, updates: &[Change]) -> ValueId {
        let ty = self.arrays[n].ty;
        let mut found = self.entry(n, at, ty);
        if updates.is_empty() {
            return found;
        }
        let last = self.arrays[n].states.len() as i32 - 1;
        let [first, last] = [0, last].map(|place| self.int(place));
        let at = self.prim(Prim::Max, &[at, first], ScalarType::I32);
        let at = self.prim(Prim::Min, &[at, last], ScalarType::I32);
        for update in updates {
            let place = self.place(update);
            let is_new = self.prim(Prim::Eq, &[at, place], ScalarType::Bool);
            let value = self.new[update.of.value.index()];
            found = self.prim(Prim::Select, &[is_new, value, found], ty);
        }
        found
    }

    /// The place that an update replaces; one below zero where its conditions do not hold, or the entry stays.
    fn place(&mut self, update: &Change) -> ValueId {
        let mut place = match update.of.place {
            Place::Of(at) => self.new[at.index()],
            Place::Entry(k) => self.int(k),
        };
        for &number in &update.except {
            let [number, none] = [number, -1].map(|number| self.int(number));
            let stays = self.prim(Prim::Eq, &[place, number], ScalarType::Bool);
            place = self.prim(Prim::Select, &[stays, none, place], ScalarType::I32);
        }
        for &(cond, outcome) in &update.of.conditions {
            let cond = self.new[cond.index()];
            let none = self.int(-1);
            let [x, y] = if outcome {
                [place, none]
            } else {
                [none, place]
            };
            place = self.prim(Prim::Select, &[cond, x, y], ScalarType::I32);
        }
        place
    }

    fn rows(&mut self, of: &Loop, array: &Array) -> Rows {
        let update = |change: &Change| [self.place(change), self.new[change.of.value.index()]];
        Rows {
            updates: array.updates.iter().map(update).collect(),
            init: array
                .states
                .iter()
                .map(|&at| Initial::Value(of.init[at]))
                .collect(),
            states: array.states.clone(),
            ty: array.ty,
        }
    }
}

impl Table {
    fn rows(&self, of: &Loop) -> Rows {
        let body = &of.region.body;
        let init = |&v: &ValueId| match body.op(v).as_const() {
            Some(number) => Initial::Const(number),
            None => {
                let arg = body.op(v).as_arg().unwrap_or_default();
                Initial::Value(of.captures[arg - 1 - of.init.len()])
            }
        };
        Rows {
            states: vec![],
            ty: self.ty,
            init: self.entries.iter().map(init).collect(),
            updates: vec![],
        }
    }
}

impl InRows {
    /// Drops what nothing needs any more, and cannot fail.
    fn prune(&mut self) {
        let region = &mut self.of.region;
        let failing = region.body.iter().filter(|(_, inst)| inst.op.may_fail());
        let mut failing: Vec<ValueId> = failing.map(|(v, _)| v).collect();
        let carried = region.test.iter_mut().chain(&mut region.next);
        let updates = self.rows.iter_mut().flat_map(|rows| &mut rows.updates);
        let all = carried.chain(updates.flatten()).chain(&mut failing);
        region.body.prune(all);
        self.drop_captures();
    }

    /// Drops the captures that a trip no longer reads: what is now in rows.
    fn drop_captures(&mut self) {
        let Loop {
            init,
            captures,
            region,
            trips: _,
        } = &mut self.of;
        let args = region.body.iter().filter_map(|(_, inst)| inst.op.as_arg());
        let args: HashSet<usize> = args.collect();
        let first = 1 + init.len();
        let kept = (first..first + captures.len()).filter(|arg| args.contains(arg));
        let kept: Vec<usize> = kept.collect();
        *captures = kept.iter().map(|&arg| captures[arg - first]).collect();
        region.body.change(|op| {
            let position = op.as_arg().and_then(|arg| kept.binary_search(&arg).ok());
            if let Some(position) = position {
                *op = Op::Arg((first + position) as u32);
            }
        });
    }
}
