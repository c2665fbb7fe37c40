//! Entries of arrays `[T; N]` as rows: a loop of arrays carries one array for all entries, with a row for each element of the
//! others ([`Entries`]).
//!
//! A step replaces an entry of each row by a `permute` that overwrites, which engines do in place; reverse mode keeps what was
//! overwritten. Functions of a trip read entries of their row. They are written before there is an array of rows to read,
//! and so capture a name that stands for it.

use super::parts::Parts;
use crate::exp::{Entries, Ops, builder_beside, trim};
use cotangent_core::build::{AccBuilder, Arr, FunBuilder};
use cotangent_core::prim::Prim;
use cotangent_core::term::{
    ArrId, Combine, ExpBind, ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled, Slot,
};
use cotangent_core::types::ScalarType;
use std::collections::HashSet;

/// What stands for the array of rows number `n` where functions capture it.
fn placeholder(n: usize) -> ArrId {
    ArrId(u32::MAX - n as u32)
}

/// The function with arrays of rows in their places.
pub(super) fn with_rows(f: &Fun<Labelled>, rows: &[Arr]) -> Fun<Labelled> {
    let mut f = f.clone();
    f.rename_captures(|array| {
        let mut places = 0..rows.len();
        places
            .find(|&n| placeholder(n) == array)
            .map_or(array, |n| rows[n].name)
    });
    f
}

impl Parts {
    /// The arrays `[T; N]` that the step updates.
    pub fn entries(&self) -> Vec<Entries> {
        let states = &self.step.params[1..=self.state];
        Entries::of(states, &self.step.body, &Ops::all(&self.step.body))
    }

    /// The states that are no entries, as positions.
    pub fn plain(&self, entries: &[Entries]) -> Vec<usize> {
        let is_plain = |at: &usize| !entries.iter().any(|e| e.states.contains(at));
        (0..self.state).filter(is_plain).collect()
    }

    /// The same parts where entries are in rows: functions do not take them, but, after all else, the index of so many
    /// dimensions. The step's results are the plain states, then position and value of each update.
    pub fn in_rows(mut self, entries: &[Entries], rank: usize) -> Self {
        let plain = self.plain(entries);
        let next = plain.iter().map(|&at| self.step.body.results[at]);
        let updates = entries.iter().flat_map(|e| &e.updates);
        let results = next.chain(updates.flat_map(|update| [update.at, update.value]));
        let results = results.collect();
        let states = self.state;
        let change = |f: &Fun<Labelled>, later| Rewrite::of(f, (entries, states), later).run(rank);
        self.test = self.test.as_ref().map(|test| change(test, false));
        self.rest = change(&self.rest, false);
        self.step.body.results = results;
        self.step = change(&self.step, true);
        self.state = plain.len();
        self
    }
}

/// A function on its way to reading rows.
struct Rewrite<'a> {
    f: &'a Fun<Labelled>,
    b: FunBuilder,
    ops: Ops<'a>,
    entries: &'a [Entries],
    states: usize,
    /// The names of the entries of each array: before the trip and, in the step, after each update.
    versions: Vec<Vec<Vec<ExpId>>>,
    index: Vec<ExpBind<Labelled>>,
}

impl<'a> Rewrite<'a> {
    /// Of a function whose parameters begin with a number and the states; whether it is the step.
    fn of(f: &'a Fun<Labelled>, (entries, states): (&'a [Entries], usize), is_step: bool) -> Self {
        let versions = entries.iter().map(|e| {
            let first = e.states.iter().map(|&at| f.params[1 + at].name).collect();
            let later = e.after.iter().filter(|_| is_step).cloned();
            [first].into_iter().chain(later).collect()
        });
        Self {
            f,
            b: builder_beside(f),
            ops: Ops::all(&f.body),
            entries,
            states,
            versions: versions.collect(),
            index: vec![],
        }
    }

    fn run(mut self, rank: usize) -> Fun<Labelled> {
        self.index = (0..rank).map(|_| self.b.fresh(ScalarType::I32)).collect();
        let mut f = self.f.clone();
        self.block(&mut f.body);
        let mut lets = self.first_entries(&f.body);
        lets.append(&mut f.body.lets);
        f.body.lets = lets;
        let is_entry = |at: usize| self.entries.iter().any(|e| e.states.contains(&at));
        let params = std::mem::take(&mut f.params).into_iter().enumerate();
        let params = params.filter(|(at, _)| *at == 0 || *at > self.states || !is_entry(at - 1));
        f.params = params
            .map(|(_, param)| param)
            .chain(self.index.clone())
            .collect();
        let rows = (0..self.entries.len()).map(placeholder);
        f.captures.extend(rows);
        trim(f)
    }

    /// Reads of an entry at a position that is computed become reads of rows, in all blocks.
    fn block(&mut self, block: &mut ExpBlock<Labelled>) {
        for mut let_ in std::mem::take(&mut block.lets) {
            if let Some(mut lets) = self.read(&let_) {
                block.lets.append(&mut lets);
                continue;
            }
            let blocks = let_.op.blocks_mut().into_iter();
            blocks.for_each(|inner| self.block(inner.block));
            block.lets.push(let_);
        }
    }

    /// What reads from rows what a let reads from entries, if it does.
    fn read(&mut self, let_: &ExpLet<Labelled>) -> Option<Vec<ExpLet<Labelled>>> {
        let [bind] = &let_.binds[..] else { return None };
        let (at, entries) = self.ops.entry(&let_.op)?;
        let mut arrays = self.versions.iter().enumerate();
        let (n, updates) = arrays.find_map(|(n, versions)| {
            let version = versions.iter().position(|names| *names == entries)?;
            Some((n, version))
        })?;
        self.b.set_loc(let_.loc);
        self.b.open();
        let [first, last] = [0, entries.len() as i32 - 1].map(|k| self.b.constant(k));
        let at = self.b.prim(Prim::Max, &[at, first]);
        let at = self.b.prim(Prim::Min, &[at, last]);
        let mut found = self.of_row(n, at);
        for update in &self.entries[n].updates[..updates] {
            let is_new = self.b.prim(Prim::Eq, &[at, update.at]);
            found = self.b.prim(Prim::Select, &[is_new, update.value, found]);
        }
        let mut lets = self.b.close(vec![found]).lets;
        lets.last_mut()?.binds = vec![bind.clone()];
        Some(lets)
    }

    /// The entry of a row before the trip.
    fn of_row(&mut self, n: usize, at: ExpId) -> ExpId {
        let index = self.index.iter().map(|bind| bind.name).chain([at]);
        let op = ExpOp::Index {
            array: Slot((self.f.captures.len() + n) as u32),
            index: index.collect(),
        };
        self.b.push(op, &[self.entries[n].ty])[0]
    }

    /// What defines the entries before the trip that are read by their names.
    fn first_entries(&mut self, body: &ExpBlock<Labelled>) -> Vec<ExpLet<Labelled>> {
        let read: HashSet<ExpId> = body.reads().collect();
        let mut lets = vec![];
        for n in 0..self.entries.len() {
            for (k, name) in self.versions[n][0].clone().into_iter().enumerate() {
                if read.contains(&name) {
                    self.b.open();
                    let at = self.b.constant(k as i32);
                    let found = self.of_row(n, at);
                    let mut own = self.b.close(vec![found]).lets;
                    own[1].binds[0].name = name;
                    lets.append(&mut own);
                }
            }
        }
        lets
    }
}

/// Rows of which one entry each is replaced, where there is one at its position.
pub(super) fn replaced(
    b: &mut AccBuilder,
    (rows, len): (&Arr, usize),
    (at, value): (&Arr, &Arr),
) -> Arr {
    let mut f = FunBuilder::new();
    let mut target = f.params(&vec![ScalarType::I32; at.ty.rank]);
    let at = f.index(at, &target);
    let [first, end] = [0, len as i32].map(|k| f.constant(k));
    let is_from = f.prim(Prim::Ge, &[at, first]);
    let is_below = f.prim(Prim::Lt, &[at, end]);
    let is_there = f.prim(Prim::And, &[is_from, is_below]);
    target.push(at);
    let results = [is_there].into_iter().chain(target).collect();
    let target = f.finish(results);
    let [rows, value] = [rows, value].map(std::slice::from_ref);
    b.permute(Combine::Overwrite, rows, target, value).remove(0)
}
