//! Sets of binders, each kept once.
//!
//! A node's set is that of its operands nearly always, so sets are shared and unions are remembered; in a
//! program without mistakes a set holds no more than the lambdas around a node.

use crate::graph::Binder;
use std::collections::HashMap;

/// A position in [`BinderSets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SetId(u32);

/// All sets in use.
#[derive(Debug)]
pub(super) struct BinderSets {
    sets: Vec<Vec<Binder>>,
    ids: HashMap<Vec<Binder>, SetId>,
    unions: HashMap<(SetId, SetId), SetId>,
}

impl BinderSets {
    /// The set without elements.
    pub(super) const EMPTY: SetId = SetId(0);

    /// The empty set and no other.
    pub(super) fn new() -> Self {
        Self {
            sets: vec![vec![]],
            ids: HashMap::from([(vec![], Self::EMPTY)]),
            unions: HashMap::new(),
        }
    }

    /// The elements, in order.
    pub(super) fn get(&self, id: SetId) -> &[Binder] {
        &self.sets[id.0 as usize]
    }

    /// The set of one element.
    pub(super) fn singleton(&mut self, binder: Binder) -> SetId {
        self.intern(vec![binder])
    }

    /// Everything in either set.
    pub(super) fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == Self::EMPTY {
            return a;
        }
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        let mut set = [self.get(a), self.get(b)].concat();
        set.sort_unstable();
        set.dedup();
        let union = self.intern(set);
        self.unions.insert((a, b), union);
        union
    }

    /// A set with an element left out.
    pub(super) fn without(&mut self, id: SetId, binder: Binder) -> SetId {
        let mut set = self.get(id).to_vec();
        set.retain(|&element| element != binder);
        self.intern(set)
    }

    fn intern(&mut self, set: Vec<Binder>) -> SetId {
        if let Some(&known) = self.ids.get(&set) {
            return known;
        }
        let id = SetId(self.sets.len() as u32);
        self.sets.push(set.clone());
        self.ids.insert(set, id);
        id
    }
}
