//! The code of rows: what loops hold of arrays `[T; N]`, and read and replace entry by entry.
//!
//! Rows lie as columns, one an entry. So what all lanes read at one place is a column that is there already.

use super::compile::Compiler;
use super::looping::Given;
use super::{Code, Instr, Slot};
use crate::lanes::{self, LaneFn};
use cotangent_core::schedule::{InRows, Initial, Rows, ValueId};
use cotangent_core::types::ScalarType;

/// Arrays of fewer entries are carried entry by entry.
pub(super) const LEAST: usize = 9;

/// How an entry of a row is read.
#[derive(Clone, Debug)]
pub(crate) struct EntryCode {
    /// Which rows.
    pub rows: u32,
    /// The place.
    pub at: Slot,
    /// Whether each lane has a place of its own.
    pub at_is_column: bool,
    /// Where the entries go.
    pub dst: Slot,
    /// Whether they are to be elsewhere than in the rows: these change before everybody has read them.
    pub is_copied: bool,
}

impl EntryCode {
    /// The slots that are read, and those that are written.
    pub fn uses(&self) -> (Vec<Slot>, Vec<Slot>) {
        (vec![self.at], vec![self.dst])
    }
}

/// Rows that a loop holds.
#[derive(Debug)]
pub(crate) struct RowsCode {
    /// The type of the entries.
    pub ty: ScalarType,
    /// What they are at first.
    pub init: Vec<Given>,
    /// Fills a column with a scalar.
    pub fill: LaneFn,
    /// Where they are left; nowhere if nothing replaces them.
    pub dst: Vec<Slot>,
    /// What a trip replaces, one after the other.
    pub updates: Vec<Update>,
}

/// An entry that a trip replaces.
#[derive(Debug)]
pub(crate) struct Update {
    /// The output that is the place.
    pub place: usize,
    /// Whether each lane has a place of its own.
    pub place_is_column: bool,
    /// The output that is the value.
    pub value: usize,
}

impl Compiler<'_> {
    /// Reads entries of rows.
    pub(super) fn entry(&mut self, v: ValueId, rows: usize, at: ValueId) {
        let position = self.code.entries.len() as u32;
        self.code.entries.push(EntryCode {
            rows: rows as u32,
            at: at.0,
            at_is_column: self.level(at).is_column(),
            dst: v.0,
            is_copied: false,
        });
        let level = self.level(v);
        self.emit(level, Instr::Entry(position));
    }

    /// The rows of a loop, the code of whose trips this is: before the outputs number `first` are those of the test and of what else
    /// is carried.
    pub(super) fn rows(&mut self, held: &InRows, code: &Code, first: usize) -> Vec<RowsCode> {
        let updates = |rows: &Rows| rows.updates.len();
        let all: usize = held.rows.iter().map(updates).sum();
        let (mut value, mut rows_of) = (first, vec![]);
        for rows in &held.rows {
            let values = value..value + updates(rows);
            value = values.end;
            let init = rows.init.iter().map(|&init| self.initial(init));
            let init = init.collect();
            let updates = values.map(|value| Update {
                place: value + all,
                place_is_column: code.is_column[code.outputs[value + all] as usize],
                value,
            });
            rows_of.push(RowsCode {
                ty: rows.ty,
                init,
                fill: lanes::fill(self.target.isa, rows.ty),
                dst: rows.states.iter().map(|_| self.slot()).collect(),
                updates: updates.collect(),
            });
        }
        rows_of
    }

    fn initial(&mut self, init: Initial) -> Given {
        match init {
            Initial::Value(v) => self.given(v),
            Initial::Const(number) => self.given_number(number),
        }
    }
}

impl Code {
    /// Has entries that are outputs copied.
    pub(super) fn copy_entries_given(&mut self) {
        for entry in &mut self.entries {
            entry.is_copied = self.outputs.contains(&entry.dst);
        }
    }
}
