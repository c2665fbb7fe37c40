//! The search for what the trips of a loop do to its columns.

use super::nest::{Column, Nest, Part};
use super::update::Update;
use super::whole::Whole;
use super::{Change, Scopes, Undo};
use crate::acc::reverse::Reverse;
use cotangent_core::build::Arr;
use cotangent_core::term::{AccClosure, AccLet, AccOp, ArrId, Labelled, States};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Finds what trips do, each loop inside once.
pub(super) struct Search<'r, 'a> {
    reverse: &'r mut Reverse<'a>,
    /// What the loops inside do, by the array of how many trips one made and by column.
    inside: HashMap<ArrId, Vec<Option<Part>>>,
    /// Results of loops inside that come of others which cannot be undone with them.
    refused: HashSet<ArrId>,
}

impl<'r, 'a> Search<'r, 'a> {
    pub(super) fn new(reverse: &'r mut Reverse<'a>) -> Self {
        Self {
            reverse,
            inside: HashMap::new(),
            refused: HashSet::new(),
        }
    }

    /// By column of those that can be kept: how trips make it, if that can be undone.
    ///
    /// It can if it is made of itself, or of another one of which no other is made and that can be undone, too; and if what loops inside
    /// make together is all undone.
    pub(super) fn columns(
        &mut self,
        (around, step): (&Scopes, &AccClosure<Labelled>),
        is_kept: &dyn Fn(usize) -> bool,
    ) -> Vec<Option<Undo>> {
        loop {
            let columns = 0..step.body.results.len();
            let mut undo: Vec<Option<Undo>> = columns
                .map(|at| {
                    is_kept(at)
                        .then(|| self.column((around, step), at))
                        .flatten()
                })
                .collect();
            while let Some(wrong) = without_start(&undo) {
                undo[wrong] = None;
            }
            let Some(nest) = incomplete(&undo) else {
                return undo;
            };
            self.inside.remove(&nest.made.name);
            self.refused.insert(nest.columns[0].result);
        }
    }

    /// What a step does to make a column of its state, and to which one.
    fn column(
        &mut self,
        (around, step): (&Scopes, &AccClosure<Labelled>),
        column: usize,
    ) -> Option<Undo> {
        let state = &step.params[column + 1];
        let mut name = step.body.results[column];
        let mut changes = vec![];
        loop {
            let own = step.params[1..].iter().position(|param| param.name == name);
            if let Some(start) = own {
                changes.reverse();
                let is_changed = !changes.is_empty() || start != column;
                return is_changed.then_some(Undo { start, changes });
            }
            let binds = |let_: &AccLet<Labelled>| let_.binds.iter().any(|bind| bind.name == name);
            let at = step.body.lets.iter().position(binds)?;
            let scopes = [around, &[(step, at)]].concat();
            let change = self.change(&scopes, (name, state))?;
            name = change.default();
            changes.push(change);
        }
    }

    fn change(&mut self, scopes: &Scopes, (name, state): (ArrId, &Arr)) -> Option<Change> {
        if let Some(update) = Update::of(self.reverse, scopes, (name, state)) {
            return Some(Change::Update(update));
        }
        let &(step, at) = scopes.last()?;
        let let_ = &step.body.lets[at];
        let column = let_.binds[1..].iter().position(|bind| bind.name == name)?;
        let made = let_.binds[0].name;
        if !self.inside.contains_key(&made) {
            let parts = self.inside(scopes, let_)?;
            self.inside.insert(made, parts);
        }
        self.inside[&made][column].clone().map(Change::Loop)
    }

    /// What a loop does to each of its columns.
    fn inside(&mut self, scopes: &Scopes, let_: &AccLet<Labelled>) -> Option<Vec<Option<Part>>> {
        let AccOp::Loop {
            trips,
            test,
            step,
            states: States::Stored,
            args,
        } = &let_.op
        else {
            return None;
        };
        let mut undo = self.columns((scopes, step), &|_| true);
        let mut parts: Vec<Option<Part>> = undo.iter().map(|_| None).collect();
        for group in together(&undo) {
            let columns = group.iter().filter_map(|&at| {
                let undo = undo[at].take()?;
                Some(Column::of(let_, (at, args[at]), undo))
            });
            let columns: Vec<Column> = columns.collect();
            if !columns.iter().any(|own| self.refused.contains(&own.result)) {
                let nest = Nest::of(self.reverse, let_, columns);
                let own = nest.map(Part::all).into_iter().flatten();
                group
                    .iter()
                    .zip(own)
                    .for_each(|(&at, part)| parts[at] = Some(part));
            }
        }
        if test.is_none() && trips.is_at_most(1) {
            for (at, part) in parts.iter_mut().enumerate() {
                if part.is_none() {
                    *part = self.whole(scopes, let_, at);
                }
            }
        }
        Some(parts)
    }

    /// A column of a loop of one trip at most, if that makes all of it new.
    fn whole(&mut self, scopes: &Scopes, let_: &AccLet<Labelled>, column: usize) -> Option<Part> {
        let AccOp::Loop { step, args, .. } = &let_.op else {
            return None;
        };
        let whole = Whole::of(self.reverse, (scopes, step), column)?;
        let undo = Undo {
            start: column,
            changes: vec![Change::Whole(whole)],
        };
        let column = Column::of(let_, (column, args[column]), undo);
        let nest = Nest::of(self.reverse, let_, vec![column])?;
        Part::all(nest).next()
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

/// A loop inside that makes columns of each other of which one is not undone.
fn incomplete(undo: &[Option<Undo>]) -> Option<&Rc<Nest>> {
    let parts = || undo.iter().flatten().flat_map(Undo::parts);
    let is_there = |nest: &Rc<Nest>, column| parts().any(|part| part.is(nest, column));
    let is_incomplete =
        |nest: &&Rc<Nest>| (0..nest.columns.len()).any(|column| !is_there(nest, column));
    parts().map(|part| &part.nest).find(is_incomplete)
}

/// The columns without which one cannot be undone: that of which it is made, and those that a loop inside has made of it.
pub(in crate::acc::looping) fn partners(undo: &[Option<Undo>], column: usize) -> Vec<usize> {
    let Some(own) = &undo[column] else {
        return vec![];
    };
    let shares = |other: &Undo| {
        own.parts()
            .any(|part| other.parts().any(|o| o.is_beside(part)))
    };
    let is_partner = |(at, other): &(usize, &Option<Undo>)| {
        own.start == *at || other.as_ref().is_some_and(shares)
    };
    let all = undo.iter().enumerate();
    all.filter(is_partner).map(|(at, _)| at).collect()
}

/// The columns that can be undone, those together that need each other.
fn together(undo: &[Option<Undo>]) -> Vec<Vec<usize>> {
    let partners: Vec<Vec<usize>> = (0..undo.len()).map(|at| partners(undo, at)).collect();
    let need =
        |one: usize, other: usize| partners[one].contains(&other) || partners[other].contains(&one);
    let mut groups: Vec<Vec<usize>> = vec![];
    for at in (0..undo.len()).filter(|&at| undo[at].is_some()) {
        let is_own = |group: &mut Vec<usize>| group.iter().any(|&other| need(at, other));
        let own = groups.extract_if(.., is_own).flatten();
        let mut own: Vec<usize> = own.chain([at]).collect();
        own.sort_unstable();
        groups.push(own);
    }
    groups
}
