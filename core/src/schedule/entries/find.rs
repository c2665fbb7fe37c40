//! Finds the arrays among what a loop carries: which values are the entries of one, and what happens to it.

use crate::constant::Const;
use crate::prim::Prim;
use crate::schedule::{InRows, Loop, Op, Region, ValueId};
use crate::types::ScalarType;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// Of more updates than that, one after the other, an array is left as it is.
const MOST_UPDATES: usize = 64;
/// So many selections inside of each other are looked at: chains of any length are no updates, and would take the stack.
const DEEPEST: usize = 4 * MOST_UPDATES;
/// So many conditions, each in the one before, are looked at for a place.
const DEEPEST_PLACE: usize = 8;

/// Which entry an update replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The one at a place that is computed, if there is one.
    Of(ValueId),
    /// That one.
    Entry(i32),
    /// All of them: the value is a loop that carries them on, in its rows of that number.
    Loop(usize),
}

/// Values, and what they have to be.
type Conditions = Vec<(ValueId, bool)>;

/// An entry that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Update {
    pub place: Place,
    pub value: ValueId,
    /// What has to be, and how, for it to happen.
    pub conditions: Conditions,
}

/// What an update does to an array.
#[derive(Debug)]
pub(super) struct Change {
    pub of: Update,
    /// Entries that stay: the code does not compare the place with their numbers, as it is known to be another.
    pub except: Vec<i32>,
}

/// An array that a loop carries.
#[derive(Debug)]
pub(super) struct Array {
    /// The position of each entry in the state.
    pub states: Vec<usize>,
    pub ty: ScalarType,
    /// What a trip replaces, one after the other.
    pub updates: Vec<Change>,
}

/// An array that a loop only reads.
#[derive(Debug)]
pub(super) struct Table {
    /// Its entries, which are what the loop captures, or numbers.
    pub entries: Vec<ValueId>,
    pub ty: ScalarType,
}

/// What one entry has become.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct History {
    /// What it was set to as the first thing that matters, if it was set.
    set: Option<ValueId>,
    /// What was done since to the entries, one after the other.
    updates: Vec<Update>,
    /// The number that places are compared with, if any was.
    number: Option<i32>,
}

/// Looks for arrays in a region.
pub(super) struct Finder<'a> {
    pub region: &'a Region,
    states: usize,
    /// Arrays have at least so many entries.
    least: usize,
    /// The loops within, as they hold entries in rows.
    within: BTreeMap<ValueId, InRows>,
    /// For a value of the state, by its position, and a value of the region: the history of that entry.
    known: HashMap<(usize, ValueId), Rc<History>>,
    /// Ends of chains of selections, which are no chains of their own.
    continued: HashSet<ValueId>,
    /// The selections around what is being looked at.
    depth: usize,
}

impl<'a> Finder<'a> {
    /// For arrays of at least so many entries. Loops within may go on with what the loop holds where `shares` says so.
    pub fn new(of: &'a Loop, least: usize, shares: bool) -> Self {
        let region = &of.region;
        let mut finder = Self {
            region,
            states: of.init.len(),
            least,
            within: BTreeMap::new(),
            known: HashMap::new(),
            continued: HashSet::new(),
            depth: 0,
        };
        let selections = region.body.iter().map(|(v, _)| v);
        finder.continued = selections.filter_map(|v| finder.link(v)?.1).collect();
        let loops = region.body.iter().filter(|_| shares);
        let loops = loops.filter_map(|(v, inst)| Some((v, inst.op.as_loop()?.in_rows(least)?)));
        finder.within = loops.collect();
        finder
    }

    /// The loops within that hold entries in rows.
    pub fn loops_within(&self) -> impl Iterator<Item = ValueId> {
        self.within.keys().copied()
    }

    /// A loop within, if it holds entries in rows.
    pub fn loop_within(&self, v: ValueId) -> Option<&InRows> {
        self.within.get(&v)
    }

    /// All arrays of which some entries are replaced at places that are computed.
    pub fn arrays(&mut self) -> Vec<Array> {
        let mut histories: Vec<_> = (0..self.states)
            .map(|state| (state, self.history(state, self.region.next[state])))
            .collect();
        // The ends of an array may lack updates that cannot reach them.
        histories.sort_by_key(|(_, history)| std::cmp::Reverse(history.updates.len()));
        // By updates, those entries that nothing else happens to.
        let mut found: Vec<(Rc<History>, BTreeMap<i32, usize>)> = vec![];
        for (state, history) in histories {
            let (None, Some(number)) = (history.set, history.number) else {
                continue;
            };
            let same = found.iter_mut();
            let mut same =
                same.filter(|(other, _)| missing(&history.updates, &other.updates).is_some());
            match same.find(|(_, entries)| !entries.contains_key(&number)) {
                Some((_, entries)) => {
                    entries.insert(number, state);
                }
                None => found.push((history, BTreeMap::from([(number, state)]))),
            }
        }
        let arrays = found.into_iter();
        let arrays = arrays.filter_map(|(_, entries)| self.whole(&entries));
        arrays.collect()
    }

    /// The array of some of whose entries the position in the state is known. The others are where these suggest.
    fn whole(&mut self, entries: &BTreeMap<i32, usize>) -> Option<Array> {
        let mut known = entries.iter().map(|(&k, &at)| (i64::from(k), at as i64));
        let ((k, at), (l, other)) = (known.next()?, known.next()?);
        let apart = (other - at) / (l - k);
        let last = *entries.last_key_value()?.0;
        let state = |n: i32| usize::try_from(at + (i64::from(n) - k) * apart).ok();
        let position = |n: i32| entries.get(&n).copied().or_else(|| state(n));
        let is_possible = *entries.first_key_value()?.0 >= 0 && (last as usize) < self.states;
        let states: Vec<usize> = (0..=last)
            .filter(|_| is_possible)
            .map(position)
            .collect::<Option<_>>()?;
        let ty = |&at: &usize| self.type_of(at);
        let first = states.first().and_then(ty)?;
        if states.len() < self.least || states.iter().any(|at| ty(at) != Some(first)) {
            return None;
        }
        let names: Vec<ValueId> = states.iter().map(|&at| self.region.next[at]).collect();
        let updates = self.updates(&states, (0, &names))?;
        Some(Array {
            states,
            ty: first,
            updates,
        })
    }

    fn type_of(&self, state: usize) -> Option<ScalarType> {
        let next = self.region.next.get(state)?;
        Some(self.region.body.type_of(*next))
    }

    /// What has happened to the entries of an array, from number `first` on, that have some names now.
    fn updates(
        &mut self,
        states: &[usize],
        (first, names): (usize, &[ValueId]),
    ) -> Option<Vec<Change>> {
        let entries = states.iter().zip(names).enumerate();
        let histories =
            entries.map(|(k, (&state, &name))| ((first + k) as i32, self.history(state, name)));
        let histories: Vec<_> = histories.collect();
        let has_other_number = |(k, history): &(i32, Rc<History>)| {
            let number = history.number;
            number.is_some_and(|number| number != *k)
        };
        if histories.iter().any(has_other_number) {
            return None;
        }
        let unset = histories
            .iter()
            .filter(|(_, history)| history.set.is_none());
        let all = unset.max_by_key(|(_, history)| history.updates.len());
        let all = all?.1.updates.clone();
        let mut except = vec![vec![]; all.len()];
        let mut sets = vec![];
        for (k, history) in &histories {
            match history.set {
                Some(value) if all.ends_with(&history.updates) => {
                    sets.push((all.len() - history.updates.len(), *k, value));
                }
                Some(_) => return None,
                None => missing(&history.updates, &all)?
                    .into_iter()
                    .for_each(|at| except[at].push(*k)),
            }
        }
        let for_some = |(of, except): (&Update, &Vec<i32>)| {
            of.is_loop() && !(of.conditions.is_empty() && except.is_empty())
        };
        if all.iter().zip(&except).any(for_some) {
            return None;
        }
        let changes = all.into_iter().zip(except);
        let mut changes: Vec<_> = changes.map(|(of, except)| Change { of, except }).collect();
        // Those that were set go in from the last to the first, so that the places of the others stay.
        sets.sort_by_key(|&(at, k, _)| std::cmp::Reverse((at, k)));
        for (at, k, value) in sets {
            let of = Update {
                place: Place::Entry(k),
                value,
                conditions: vec![],
            };
            changes.insert(at, Change { of, except: vec![] });
        }
        (changes.len() <= MOST_UPDATES).then_some(changes)
    }

    /// What has been done to an entry of the given position in the state until it is `v`.
    fn history(&mut self, state: usize, v: ValueId) -> Rc<History> {
        if let Some(known) = self.known.get(&(state, v)) {
            return Rc::clone(known);
        }
        self.depth += 1;
        let found = match self.depth <= DEEPEST {
            true => self.new_history(state, v),
            false => None,
        };
        self.depth -= 1;
        let found = found.filter(|found| found.updates.len() <= MOST_UPDATES);
        let found = Rc::new(found.unwrap_or(History {
            set: Some(v),
            ..History::default()
        }));
        self.known.insert((state, v), Rc::clone(&found));
        found
    }

    /// The same, unless it has been set to `v`.
    fn new_history(&mut self, state: usize, v: ValueId) -> Option<History> {
        let region = self.region;
        let op = region.body.op(v);
        if op.as_arg() == Some(1 + state) {
            return Some(History::default());
        }
        if let Op::Out(of, which) = op {
            return self.carried_on(state, (*of, *which as usize));
        }
        let &[cond, x, y] = op.operands_of(Prim::Select)?;
        match self.place(cond, DEEPEST_PLACE) {
            Some((at, number, conditions)) => {
                let mut history = self.history(state, y).as_ref().clone();
                if *history.number.get_or_insert(number) != number {
                    return None;
                }
                history.updates.push(Update {
                    place: Place::Of(at),
                    value: x,
                    conditions,
                });
                Some(history)
            }
            None => {
                let [x, y] = [x, y].map(|branch| self.history(state, branch));
                let mut history = x.or(&y, cond)?;
                // A loop of a branch makes no trips where the other is taken, so it may run there.
                let loops = history.updates.iter_mut();
                for update in loops.filter(|update| update.is_loop()) {
                    let of = update.value;
                    update
                        .conditions
                        .retain(|&needed| !self.is_stopped_unless(of, needed));
                }
                Some(history)
            }
        }
    }

    /// What has been done to an entry of the given position in the state when a loop within has carried it on.
    fn carried_on(&mut self, state: usize, (of, which): (ValueId, usize)) -> Option<History> {
        let before = *self.region.body.op(of).as_loop()?.init.get(which)?;
        let (rows, entry) = self.within.get(&of)?.entry(which)?;
        let mut history = self.history(state, before).as_ref().clone();
        if *history.number.get_or_insert(entry as i32) != entry as i32 {
            return None;
        }
        history.updates.push(Update {
            place: Place::Loop(rows),
            value: of,
            conditions: vec![],
        });
        Some(history)
    }

    /// Whether a loop makes no trips unless a condition has an outcome.
    fn is_stopped_unless(&self, of: ValueId, needed: (ValueId, bool)) -> bool {
        let body = &self.region.body;
        let trips = body.op(of).as_loop().map(|of| body.op(of.trips));
        let Some(&[guard, _, none]) = trips.and_then(|trips| trips.operands_of(Prim::Select))
        else {
            return false;
        };
        body.op(none).as_const() == Some(Const::I32(0)) && self.asks(guard, needed, DEEPEST_PLACE)
    }

    /// Whether a condition asks for another to have an outcome; so deep in it.
    fn asks(&self, guard: ValueId, (cond, outcome): (ValueId, bool), depth: usize) -> bool {
        if (guard, true) == (cond, outcome) {
            return true;
        }
        let op = self.region.body.op(guard);
        if let Some(&[opposite]) = op.operands_of(Prim::Not) {
            return (opposite, false) == (cond, outcome);
        }
        let both = op.operands_of(Prim::And).filter(|_| depth > 0);
        both.is_some_and(|both: &[_; 2]| {
            both.iter()
                .any(|&part| self.asks(part, (cond, outcome), depth - 1))
        })
    }

    /// A place that a condition compares with a number, and what else it asks for; so deep in it.
    fn place(&self, cond: ValueId, depth: usize) -> Option<(ValueId, i32, Conditions)> {
        if let Some((at, number)) = self.comparison(Prim::Eq, cond) {
            return Some((at, number, vec![]));
        }
        let &[x, y] = self.region.body.op(cond).operands_of(Prim::And)?;
        let found = |of, other| {
            let (at, number, mut conditions) = self.place(of, depth.checked_sub(1)?)?;
            conditions.push((other, true));
            Some((at, number, conditions))
        };
        found(x, y).or_else(|| found(y, x))
    }

    /// What a value compares, if that is a number that is computed and a literal.
    fn comparison(&self, by: Prim, v: ValueId) -> Option<(ValueId, i32)> {
        let body = &self.region.body;
        let &[at, number] = body.op(v).operands_of(by)?;
        let number = body.op(number).as_const().and_then(Const::as_i32)?;
        Some((at, number))
    }

    /// All arrays that are only read, at places that are computed, be it by loops within.
    pub fn tables(&self) -> Vec<Table> {
        let own = self.region.body.iter().filter_map(|(v, inst)| {
            let (_, _, entries) = self.chain(v)?;
            let ty = inst.ty;
            Some(Table { entries, ty })
        });
        let within = self.within.values().flat_map(|within| &within.rows);
        let within = within.filter_map(|rows| {
            let (entries, ty) = (rows.entries_read()?, rows.ty);
            Some(Table { entries, ty })
        });
        let is_constant = |&entry: &ValueId| self.is_constant(entry);
        let is_table = |table: &Table| {
            table.entries.len() >= self.least && table.entries.iter().all(is_constant)
        };
        let mut seen = HashSet::new();
        let tables = own.chain(within).filter(is_table);
        tables
            .filter(|table| seen.insert(table.entries.clone()))
            .collect()
    }

    /// Whether a value is the same in all trips, and known before the first.
    fn is_constant(&self, v: ValueId) -> bool {
        let op = self.region.body.op(v);
        op.as_const().is_some() || op.as_arg().is_some_and(|arg| arg > self.states)
    }

    /// Of which of the arrays such are the entries from number `first` on, and what had been replaced by then.
    pub fn version(
        &mut self,
        (first, names): (usize, &[ValueId]),
        arrays: &[Array],
    ) -> Option<(usize, Vec<Change>)> {
        arrays.iter().enumerate().find_map(|(n, of)| {
            let states = of.states.get(first..first + names.len())?;
            let updates = self.updates(states, (first, names))?;
            Some((n, updates))
        })
    }

    /// The place by which a chain of selections chooses, what it chooses from, and the number of the first of these: the last place
    /// that chooses it. A chain goes from entry to entry; at its ends places may be left out that are known not to occur.
    pub fn chain(&self, v: ValueId) -> Option<(ValueId, usize, Vec<ValueId>)> {
        if self.continued.contains(&v) {
            return None;
        }
        let ((at, first), mut next) = self.link(v)?;
        let mut names = vec![self.selection(v)?[1]];
        let mut last = v;
        while let Some(v) = next {
            names.push(self.selection(v)?[1]);
            (last, next) = (v, self.link(v)?.1);
        }
        names.push(self.selection(last)?[2]);
        Some((at, usize::try_from(first).ok()?, names))
    }

    fn selection(&self, v: ValueId) -> Option<[ValueId; 3]> {
        self.region.body.op(v).operands_of(Prim::Select).copied()
    }

    /// The place and the number that a selection compares, and the selection that goes on with the next number, if it is
    /// one of a chain.
    fn link(&self, v: ValueId) -> Option<((ValueId, i32), Option<ValueId>)> {
        let [cond, _, others] = self.selection(v)?;
        let (at, number) = self.comparison(Prim::Le, cond)?;
        let next = self.selection(others).and_then(|[cond, ..]| {
            let after = Some((at, number.checked_add(1)?));
            (self.comparison(Prim::Le, cond) == after).then_some(others)
        });
        Some(((at, number), next))
    }
}

/// The positions of those of all updates, in their order, that are not among some of them; none if these are others.
fn missing(some: &[Update], all: &[Update]) -> Option<Vec<usize>> {
    let (mut some, mut missing) = (some.iter().peekable(), vec![]);
    for (at, update) in all.iter().enumerate() {
        if some.next_if_eq(&update).is_none() {
            missing.push(at);
        }
    }
    some.next().is_none().then_some(missing)
}

impl Update {
    /// Whether a loop within replaces entries.
    pub fn is_loop(&self) -> bool {
        matches!(self.place, Place::Loop(_))
    }
}

impl History {
    /// What happens to an entry where one of two things does, the first if a condition holds; none if that is not said by updates.
    fn or(&self, other: &Self, cond: ValueId) -> Option<Self> {
        let number = match (self.number, other.number) {
            (Some(n), Some(m)) if n != m => return None,
            (n, m) => n.or(m),
        };
        if self.set.is_some() || other.set.is_some() || number.is_none() {
            return None;
        }
        let both = self.updates.iter().zip(&other.updates);
        let before = both.take_while(|(x, y)| x == y).count();
        let mut updates = self.updates[..before].to_vec();
        for (branch, outcome) in [(self, true), (other, false)] {
            let later = branch.updates[before..].iter().cloned();
            updates.extend(later.map(|mut update| {
                update.conditions.push((cond, outcome));
                update
            }));
        }
        Some(Self {
            set: None,
            updates,
            number,
        })
    }
}
