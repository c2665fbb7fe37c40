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
//! A loop within a trip may be given rows of the loop around, by a load that [`ArrayId::of_whole_rows`] names, as what its entries are at
//! first: [`Rows::around`] says so. It has no rows of its own then, but goes on with those. So the values of a trip are to be computed in
//! their order, [the acting ones](Body::acting) among them (`nested.rs`).
//!
//! `ad/src/exp/entries.rs` looks for the same in terms, for reverse mode: there a conditional is an operation, and a place
//! has to be one that the step computes for all.

mod find;
mod nested;
#[cfg(test)]
mod tests;
mod writer;

use super::{ArrayId, Body, Loop, Op, ValueId};
use crate::constant::Const;
use crate::types::ScalarType;
use find::{Finder, Table};
use nested::Nested;
use std::collections::HashSet;
use writer::Writer;

/// A loop has fewer rows than that. Arrays of a schedule have none of the numbers that name rows, which are twice as many and the last.
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

    /// What names all entries of the rows number `n` together, where they are given to a loop within.
    pub fn of_whole_rows(n: usize) -> Self {
        Self(u32::MAX - (MOST_ROWS + n) as u32)
    }

    /// The rows that are given as they are, if this names some.
    pub fn as_whole_rows(self) -> Option<usize> {
        let n = ((u32::MAX - self.0) as usize).checked_sub(MOST_ROWS)?;
        (n < MOST_ROWS).then_some(n)
    }

    /// Whether it is no array of the schedule.
    pub fn is_of_rows(self) -> bool {
        self.as_rows().is_some() || self.as_whole_rows().is_some()
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
        let mut all = self.region.body.iter();
        let shares = all.any(|(_, inst)| inst.op.as_loop().is_some());
        let found = self.in_rows_that(shares, least);
        found.or_else(|| shares.then(|| self.in_rows_that(false, least))?)
    }

    /// The same, where loops within go on with what this one holds if `shares` says so; nothing if they cannot do so together.
    fn in_rows_that(&self, shares: bool, least: usize) -> Option<InRows> {
        let mut finder = Finder::new(self, least, shares);
        let arrays = finder.arrays();
        let tables = finder.tables();
        let rows = arrays.len() + tables.len();
        if rows == 0 || rows >= MOST_ROWS {
            return None;
        }
        let nested = Nested::of(&mut finder, &arrays, &tables)?;
        let plain = |at: &usize| !arrays.iter().any(|array| array.states.contains(at));
        let plain: Vec<usize> = (0..self.init.len()).filter(plain).collect();
        let writer = Writer::new(finder, arrays, tables, nested);
        Some(writer.write(self, plain))
    }

    /// Whether running this changes rows of the loop around, whose code is `around`.
    fn replaces_around(&self, around: &Body) -> bool {
        self.init
            .iter()
            .any(|&init| around.whole_rows(init).is_some())
    }
}

impl Body {
    /// The rows that a value is all entries of.
    fn whole_rows(&self, v: ValueId) -> Option<usize> {
        self.op(v).as_load()?.array.as_whole_rows()
    }

    /// The values that are computed whether or not they are used: that may fail, or replace entries of rows.
    pub fn acting(&self) -> impl Iterator<Item = ValueId> {
        let acting = self.iter().filter(|(_, inst)| {
            let replaces = |of: &Loop| of.replaces_around(self);
            inst.op.may_fail() || inst.op.as_loop().is_some_and(replaces)
        });
        acting.map(|(v, _)| v)
    }
}

impl Rows {
    /// The rows of the loop around, whose code is `around`, that these are.
    pub fn around(&self, around: &Body) -> Option<usize> {
        match self.init.first()? {
            Initial::Value(v) => around.whole_rows(*v),
            Initial::Const(_) => None,
        }
    }

    /// What the entries are, if they are only read, and are values of the code around.
    fn entries_read(&self) -> Option<Vec<ValueId>> {
        let value = |init: &Initial| match init {
            Initial::Value(v) => Some(*v),
            Initial::Const(_) => None,
        };
        let is_read = self.states.is_empty();
        is_read.then(|| self.init.iter().map(value).collect())?
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
    /// The rows and the entry in them that a value is, by its position in the state.
    fn entry(&self, state: usize) -> Option<(usize, usize)> {
        self.rows.iter().enumerate().find_map(|(n, rows)| {
            let entry = rows.states.iter().position(|&at| at == state)?;
            Some((n, entry))
        })
    }

    /// What a trip is run for.
    fn results(&mut self) -> Vec<&mut ValueId> {
        let region = &mut self.of.region;
        let carried = region.test.iter_mut().chain(&mut region.next);
        let updates = self.rows.iter_mut().flat_map(|rows| &mut rows.updates);
        carried.chain(updates.flatten()).collect()
    }

    /// Drops what nothing needs any more, and does nothing.
    fn prune(&mut self) {
        let mut body = std::mem::take(&mut self.of.region.body);
        let mut acting: Vec<ValueId> = body.acting().collect();
        body.prune(self.results().into_iter().chain(&mut acting));
        self.of.region.body = body;
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
