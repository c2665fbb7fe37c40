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
    /// How they begin.
    pub begin: Begin,
    /// Fills a column with a scalar.
    pub fill: LaneFn,
    /// Where they are left; nowhere if nothing replaces them, or they are rows of the loop around.
    pub dst: Vec<Slot>,
    /// What a trip replaces, one after the other.
    pub updates: Vec<Update>,
}

/// How rows begin.
#[derive(Debug)]
pub(crate) enum Begin {
    /// As new ones, with such entries.
    New(Vec<Given>),
    /// As the rows of that number of the loop around, which they are.
    Around {
        number: usize,
        /// Whether some are replaced.
        replaced: bool,
    },
}

impl Begin {
    /// The entries of new ones.
    pub fn given(&self) -> &[Given] {
        match self {
            Self::New(given) => given,
            Self::Around { .. } => &[],
        }
    }

    /// The rows of the loop around that these are.
    pub fn around(&self) -> Option<usize> {
        match self {
            Self::New(_) => None,
            Self::Around { number, .. } => Some(*number),
        }
    }

    /// Those that are replaced.
    fn replaced(&self) -> Option<usize> {
        match self {
            Self::New(_) => None,
            Self::Around { number, replaced } => replaced.then_some(*number),
        }
    }
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
            let begin = self.begin(rows);
            let updates = values.map(|value| Update {
                place: value + all,
                place_is_column: code.is_column[code.outputs[value + all] as usize],
                value,
            });
            rows_of.push(RowsCode {
                ty: rows.ty,
                fill: lanes::fill(self.target.isa, rows.ty),
                dst: match begin {
                    Begin::New(_) => rows.states.iter().map(|_| self.slot()).collect(),
                    Begin::Around { .. } => vec![],
                },
                begin,
                updates: updates.collect(),
            });
        }
        rows_of
    }

    fn begin(&mut self, rows: &Rows) -> Begin {
        match rows.around(&self.analysis.body) {
            Some(number) => Begin::Around {
                number,
                replaced: !rows.states.is_empty(),
            },
            None => Begin::New(rows.init.iter().map(|&init| self.initial(init)).collect()),
        }
    }

    fn initial(&mut self, init: Initial) -> Given {
        match init {
            Initial::Value(v) => self.given(v),
            Initial::Const(number) => self.given_number(number),
        }
    }
}

impl Code {
    /// Has entries copied that are outputs, or of rows that loops within change.
    pub(super) fn copy_entries_given(&mut self) {
        let within = self.loops.iter().flat_map(|of| &of.rows);
        let replaced: Vec<_> = within.filter_map(|rows| rows.begin.replaced()).collect();
        for entry in &mut self.entries {
            let is_replaced = replaced.contains(&(entry.rows as usize));
            entry.is_copied = is_replaced || self.outputs.contains(&entry.dst);
        }
    }
}
