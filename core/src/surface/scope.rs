//! Which closures are open, and whether what a node depends on is.
//!
//! Closures nest, so a node's set of binders ([`graph::sets`](crate::graph::sets)) is sorted by nesting. Two errors
//! follow from it: a value used after one of its closures is done (it *escaped*), and an array operation that depends
//! on a scalar closure's parameter, which would have to run once per element.

use crate::graph::Binder;

#[derive(Clone, Copy, Debug)]
struct Scope {
    is_open: bool,
    is_element: bool,
}

/// The binders of a program.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    binders: Vec<Scope>,
}

impl Scopes {
    /// Notes the next binder; `is_element` where its parameters are scalars.
    pub(crate) fn open(&mut self, Binder(position): Binder, is_element: bool) {
        debug_assert_eq!(position as usize, self.binders.len());
        self.binders.push(Scope {
            is_open: true,
            is_element,
        });
    }

    /// Notes that the closure is done.
    pub(crate) fn close(&mut self, Binder(position): Binder) {
        self.binders[position as usize].is_open = false;
    }

    /// A closure that is done, among those that a node depends on: all were open when the node was made, so the
    /// innermost is done first.
    pub(crate) fn closed_in(&self, free: &[Binder]) -> Option<Binder> {
        let innermost = free.last().copied();
        innermost.filter(|&binder| !self.get(binder).is_open)
    }

    /// The innermost scalar closure of the set.
    pub(crate) fn element_binder(&self, free: &[Binder]) -> Option<Binder> {
        let mut binders = free.iter().rev().copied();
        binders.find(|&binder| self.get(binder).is_element)
    }

    fn get(&self, Binder(position): Binder) -> Scope {
        self.binders[position as usize]
    }
}
