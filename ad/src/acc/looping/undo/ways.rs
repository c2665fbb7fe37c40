//! The ways of columns back through what a trip has done to them.
//!
//! The states of a column are numbered: 0 is that before all changes, 1 that after the first one. Columns go back one by one; those
//! that a loop has made of each other wait for each other after it, and it is undone to all of them at once.

use super::nest::Part;
use super::{Back, Change, Undo};
use crate::acc::reverse::Reverse;
use cotangent_core::build::Arr;

/// The way of one column.
pub(super) struct Way<'a> {
    pub undo: &'a Undo,
    /// The states that other code needs, in order: at each, the last one first, the column stops.
    pub stops: Vec<usize>,
    /// The state where it is, if that is there.
    pub place: Option<(usize, Arr)>,
}

/// The ways of several columns.
pub(super) struct Ways<'a> {
    pub ways: Vec<Way<'a>>,
    pub back: Back<'a>,
}

/// Is told which column has come to which state.
pub(super) type Note<'a> = &'a mut dyn FnMut(usize, usize, &Arr);

impl<'a> Way<'a> {
    /// A way from the state after all changes, without stops.
    pub(super) fn whole(undo: &'a Undo, last: Arr) -> Self {
        Self {
            undo,
            stops: vec![],
            place: Some((undo.changes.len(), last)),
        }
    }

    /// The state where it is, or is going to be as soon as that is there.
    pub(super) fn state(&self) -> Option<usize> {
        let place = self.place.as_ref().map(|(state, _)| *state);
        place.or_else(|| self.stops.last().copied())
    }

    /// Whether it stops where it is.
    pub(super) fn is_at_stop(&self) -> bool {
        self.state().is_some() && self.state() == self.stops.last().copied()
    }

    /// The change that is the next to undo.
    pub(super) fn next(&self) -> Option<&'a Change> {
        let last = self.state()?.checked_sub(1)?;
        Some(&self.undo.changes[last])
    }

    /// What a loop has made of it, if that is the next to undo.
    fn next_part(&self) -> Option<&'a Part> {
        self.next()?.part()
    }

    /// Whether it has come to where it can go on.
    fn is_ready(&self) -> bool {
        self.place.is_some() && !self.is_at_stop()
    }
}

impl Ways<'_> {
    /// Notes where all columns are, and goes on as far as there are no stops.
    pub(super) fn start(&mut self, reverse: &mut Reverse, note: Note) {
        for (at, way) in self.ways.iter().enumerate() {
            if let Some((state, array)) = &way.place {
                note(at, *state, array);
            }
        }
        self.go_on(reverse, note);
    }

    /// Goes on as far as there are no stops.
    pub(super) fn go_on(&mut self, reverse: &mut Reverse, note: Note) {
        let mut is_on = true;
        while is_on {
            is_on = false;
            for at in 0..self.ways.len() {
                while let Some(group) = self.ready_group(at) {
                    self.undo(reverse, &group, note);
                    is_on = true;
                }
            }
        }
    }

    /// A column comes to a state.
    pub(super) fn arrive(&mut self, at: usize, (state, array): (usize, Arr), note: Note) {
        note(at, state, &array);
        self.ways[at].place = Some((state, array));
    }

    /// The columns of which the next change of one has to be undone at once, if all of them have come to it.
    pub(super) fn group(&self, at: usize) -> Option<Vec<usize>> {
        let Some(Part { nest, .. }) = self.ways[at].next()?.part() else {
            return Some(vec![at]);
        };
        let of_column = |column| {
            let is_it = |way: &Way| way.next_part().is_some_and(|part| part.is(nest, column));
            self.ways.iter().position(is_it)
        };
        (0..nest.columns.len()).map(of_column).collect()
    }

    fn ready_group(&self, at: usize) -> Option<Vec<usize>> {
        let group = self.group(at)?;
        let is_ready = group.iter().all(|&at| self.ways[at].is_ready());
        is_ready.then_some(group)
    }

    /// A column for which another one waits: it has to come to the same change.
    pub(super) fn awaited(&self, at: usize) -> Option<usize> {
        let own = self.ways[at].next_part()?;
        let has_it = |way: &Way| way.undo.parts().any(|part| part.is_beside(own));
        let is_there = |way: &Way| way.next_part().is_some_and(|part| part.is_beside(own));
        let is_awaited = |way: &Way| has_it(way) && !is_there(way);
        self.ways.iter().position(is_awaited)
    }

    /// Undoes the next change of columns that go together.
    fn undo(&mut self, reverse: &mut Reverse, group: &[usize], note: Note) {
        let places = group.iter().filter_map(|&at| self.ways[at].place.clone());
        let (states, arrays): (Vec<usize>, Vec<Arr>) = places.unzip();
        let Some(change) = self.ways[group[0]].next() else {
            return;
        };
        let before = change.undo(reverse, &self.back, &arrays);
        for ((&at, state), before) in group.iter().zip(states).zip(before) {
            self.arrive(at, (state - 1, before), note);
        }
    }
}
