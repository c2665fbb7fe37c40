//! Writes the code of trips that read and replace entries of rows.

use super::find::{Array, Change, Finder, Place, Table};
use super::nested::{Nested, Use, common};
use super::{InRows, Initial, Rows};
use crate::constant::Const;
use crate::prim::Prim;
use crate::schedule::{ArrayId, Body, Inst, Load, Loop, Op, Region, ValueId};
use crate::types::ScalarType;

/// Writes the code of trips that read and replace entries of rows.
pub(super) struct Writer<'a> {
    finder: Finder<'a>,
    arrays: Vec<Array>,
    tables: Vec<Table>,
    nested: Nested,
    body: Body,
    /// What has become of each value.
    new: Vec<ValueId>,
    /// How many of the updates of each array are in memory by now.
    made: Vec<usize>,
}

impl<'a> Writer<'a> {
    pub fn new(finder: Finder<'a>, arrays: Vec<Array>, tables: Vec<Table>, nested: Nested) -> Self {
        let len = finder.region.body.len();
        Self {
            made: vec![0; arrays.len() + tables.len()],
            finder,
            arrays,
            tables,
            nested,
            body: Body::default(),
            new: vec![ValueId(0); len],
        }
    }

    pub fn write(mut self, of: &Loop, plain: Vec<usize>) -> InRows {
        let states = of.init.len();
        for v in std::mem::take(&mut self.nested.order) {
            let inst = of.region.body.inst(v);
            let new = match inst.op.as_arg() {
                Some(arg) if arg > states => {
                    let arg = arg - states + plain.len();
                    self.body.push(Op::Arg(arg as u32), inst.ty)
                }
                Some(arg) if arg > 0 => self.state(arg - 1, inst.ty, &plain),
                Some(_) | None => self.value(v, inst),
            };
            self.new[v.index()] = new;
        }
        let arrays = 0..self.arrays.len();
        let mut rows: Vec<Rows> = arrays.map(|n| self.rows(of, n)).collect();
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
        if let (Some(of), Some(uses)) = (inst.op.as_loop(), self.nested.uses.get(&v).cloned()) {
            return self.nested_loop(v, of, &uses);
        }
        if let &Op::Out(of, which) = &inst.op
            && let Some((n, entry)) = self.carried_out(of, which as usize)
        {
            let entry = self.int(entry as i32);
            return self.entry(n, entry, inst.ty);
        }
        if let Some((at, first, names)) = self.finder.chain(v) {
            let at = self.new[at.index()];
            if let Some(n) = self.tables.iter().position(|table| table.entries == names) {
                let at = self.moved(at, first);
                return self.entry(self.arrays.len() + n, at, inst.ty);
            }
            if let Some((n, updates)) = self.later((first, &names)) {
                let at = self.within(at, (first, first + names.len()), n);
                return self.read(n, at, &updates);
            }
        }
        let op = inst.op.renamed(&|v| self.new[v.index()]);
        self.body.push(op, inst.ty)
    }

    /// Of which array such are the entries from number `first` on, and what has been replaced beside what is in memory.
    fn later(&mut self, entries: (usize, &[ValueId])) -> Option<(usize, Vec<Change>)> {
        let (n, updates) = self.finder.version(entries, &self.arrays)?;
        let made = self.made[n];
        let is_later = common(&updates, &self.arrays[n]) >= made;
        let later = updates.into_iter().skip(made);
        let later: Vec<_> = later.filter(|_| is_later).collect();
        let is_seen = is_later && !later.iter().any(|change| change.of.is_loop());
        is_seen.then_some((n, later))
    }

    /// The rows of the loop around, and the entry in them, that a loop within has carried on.
    fn carried_out(&self, of: ValueId, which: usize) -> Option<(usize, usize)> {
        let (own, entry) = self.finder.loop_within(of)?.entry(which)?;
        let mut uses = self.nested.uses.get(&of)?.iter();
        let found = uses.find(|of| of.own == own && of.replaces)?;
        Some((found.rows, entry))
    }

    /// A loop within that goes on with rows.
    fn nested_loop(&mut self, v: ValueId, of: &Loop, uses: &[Use]) -> ValueId {
        for of in uses {
            self.make_updates(of.rows, of.after);
        }
        let operands = of.operands().into_iter().map(|v| self.new[v.index()]);
        let mut new = of.on(&operands.collect::<Vec<_>>());
        let within = self
            .finder
            .loop_within(v)
            .map_or(vec![], |within| within.rows.clone());
        let mut acts = false;
        for &Use {
            own,
            rows,
            after: _,
            replaces,
        } in uses
        {
            let all = self.all_entries(rows, within[own].ty);
            acts |= replaces;
            let is_read = within[own].entries_read().unwrap_or_default();
            let captures = of.captures.iter().zip(&mut new.captures);
            let captures = captures.filter(|(was, _)| is_read.contains(was));
            captures.for_each(|(_, capture)| *capture = all);
            let states = within[own].states.iter();
            states.for_each(|&at| new.init[at] = all);
        }
        if acts {
            new.trips = self.if_made(new.trips);
        }
        let new = self.body.push(Op::Loop(Box::new(new)), ScalarType::I32);
        for of in uses.iter().filter(|of| of.replaces) {
            self.made[of.rows] += 1;
        }
        new
    }

    /// Has the first so many updates of an array made in memory: by a loop of one trip.
    fn make_updates(&mut self, n: usize, count: usize) {
        let made = self.made[n];
        if count <= made {
            return;
        }
        let (ty, entries) = (self.arrays[n].ty, self.arrays[n].states.len());
        let all = self.all_entries(n, ty);
        let mut captures = vec![];
        for change in made..count {
            let place = self.place(n, change);
            captures.extend([
                place,
                self.new[self.arrays[n].updates[change].of.value.index()],
            ]);
        }
        let one = self.int(1);
        let trips = self.if_made(one);
        let of = Loop {
            trips,
            init: vec![all; entries],
            captures,
            region: updating(entries, count - made, ty),
        };
        self.body.push(Op::Loop(Box::new(of)), ScalarType::I32);
        self.made[n] = count;
    }

    /// A number of trips, where the trip around is made, and none where it is not.
    fn if_made(&mut self, trips: ValueId) -> ValueId {
        let Some(test) = self.finder.region.test else {
            return trips;
        };
        let none = self.int(0);
        let test = self.new[test.index()];
        self.prim(Prim::Select, &[test, trips, none], ScalarType::I32)
    }

    /// All entries of rows number `n`, for a loop within.
    fn all_entries(&mut self, n: usize, ty: ScalarType) -> ValueId {
        let load = Load {
            array: ArrayId::of_whole_rows(n),
            index: vec![],
            guard: None,
            site: None,
        };
        self.body.push(Op::Load(load), ty)
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

    /// An entry of rows number `n`, as it is in memory.
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
            let place = self.place_of(update);
            let is_new = self.prim(Prim::Eq, &[at, place], ScalarType::Bool);
            let value = self.new[update.of.value.index()];
            found = self.prim(Prim::Select, &[is_new, value, found], ty);
        }
        found
    }

    /// The place of an update of an array, by its number.
    fn place(&mut self, n: usize, change: usize) -> ValueId {
        let array = std::mem::take(&mut self.arrays[n].updates);
        let place = self.place_of(&array[change]);
        self.arrays[n].updates = array;
        place
    }

    /// The place that an update replaces; one below zero where its conditions do not hold, or the entry stays.
    fn place_of(&mut self, update: &Change) -> ValueId {
        let mut place = match update.of.place {
            Place::Of(at) => self.new[at.index()],
            Place::Entry(k) => self.int(k),
            // Those are made by loops, and are not asked for.
            Place::Loop(_) => self.int(-1),
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

    fn rows(&mut self, of: &Loop, n: usize) -> Rows {
        let rest = self.made[n]..self.arrays[n].updates.len();
        let update = |change: usize| {
            let value = self.arrays[n].updates[change].of.value;
            [self.place(n, change), self.new[value.index()]]
        };
        let updates = rest.map(update).collect();
        let array = &self.arrays[n];
        let states = array.states.iter();
        Rows {
            updates,
            init: states.map(|&at| Initial::Value(of.init[at])).collect(),
            states: array.states.clone(),
            ty: array.ty,
        }
    }
}

/// A trip that replaces so many entries of an array, whose places and values it captures.
fn updating(entries: usize, updates: usize, ty: ScalarType) -> Region {
    let mut body = Body::default();
    let mut arg = |n: usize, ty| body.push(Op::Arg(n as u32), ty);
    let mut next: Vec<ValueId> = (1..=entries).map(|n| arg(n, ty)).collect();
    let given = (0..updates).map(|n| 1 + entries + 2 * n);
    let given = given.map(|n| [arg(n, ScalarType::I32), arg(n + 1, ty)]);
    let given: Vec<[ValueId; 2]> = given.collect();
    for [place, value] in given {
        for (k, entry) in next.iter_mut().enumerate() {
            let number = Op::Const(Const::I32(k as i32));
            let number = body.push(number, ScalarType::I32);
            let is_there = Op::Prim(Prim::Eq, vec![place, number]);
            let is_there = body.push(is_there, ScalarType::Bool);
            let new = Op::Prim(Prim::Select, vec![is_there, value, *entry]);
            *entry = body.push(new, ty);
        }
    }
    Region {
        body,
        test: None,
        next,
    }
}
