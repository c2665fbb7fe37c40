//! Sets of binders, each kept once, and which of them each node depends on.
//!
//! A node's set is found once, when it is added to its graph. It is that of its operands nearly always, so sets are
//! shared and unions are remembered; in a program without mistakes a set holds no more than the lambdas around a
//! node.

use super::parts::{Node, References};
use super::{AccNodeOp, Binder, ExpNodeOp};
use std::collections::HashMap;

/// A position in [`BinderSets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SetId(u32);

/// All sets in use.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BinderSets {
    sets: Vec<Vec<Binder>>,
    ids: HashMap<Vec<Binder>, SetId>,
    unions: HashMap<(SetId, SetId), SetId>,
}

impl Default for BinderSets {
    fn default() -> Self {
        Self {
            sets: vec![vec![]],
            ids: HashMap::from([(vec![], Self::EMPTY)]),
            unions: HashMap::new(),
        }
    }
}

impl BinderSets {
    /// The set without elements.
    pub(crate) const EMPTY: SetId = SetId(0);

    /// The elements, in order of their numbers: of nested lambdas, the outer one first.
    pub(crate) fn get(&self, id: SetId) -> &[Binder] {
        &self.sets[id.0 as usize]
    }

    /// Everything in either set.
    fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == Self::EMPTY {
            return a;
        }
        if a == Self::EMPTY {
            return b;
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
    fn without(&mut self, id: SetId, binder: Binder) -> SetId {
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

/// For each node of a graph, the binders on whose parameters it depends without binding them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FreeBinders {
    sets: BinderSets,
    exps: Vec<SetId>,
    accs: Vec<SetId>,
}

impl FreeBinders {
    /// The sets.
    pub(crate) fn sets(&self) -> &BinderSets {
        &self.sets
    }

    /// The set of a node.
    pub(crate) fn of(&self, node: Node) -> SetId {
        match node {
            Node::Exp(node) => self.exps[node as usize],
            Node::Acc(node) => self.accs[node as usize],
        }
    }

    /// The binders that a node depends on, of either stratum.
    pub(crate) fn get(&self, node: Node) -> &[Binder] {
        self.sets.get(self.of(node))
    }

    /// Finds the set of the next expression node.
    pub(super) fn add_exp(&mut self, op: &ExpNodeOp) {
        let set = self.find(op.param(), || op.references());
        self.exps.push(set);
    }

    /// Finds the set of the next array node.
    pub(super) fn add_acc(&mut self, op: &AccNodeOp) {
        let set = self.find(op.param(), || op.references());
        self.accs.push(set);
    }

    fn find(&mut self, param: Option<Binder>, references: impl Fn() -> References) -> SetId {
        if let Some(binder) = param {
            return self.sets.intern(vec![binder]);
        }
        let References { plain, lambdas } = references();
        let mut free = self.union(&plain);
        for (binder, results) in lambdas {
            let inside = self.union(&results);
            let inside = self.sets.without(inside, binder);
            free = self.sets.union(free, inside);
        }
        free
    }

    /// What any of the nodes depends on.
    fn union(&mut self, nodes: &[Node]) -> SetId {
        nodes.iter().fold(BinderSets::EMPTY, |union, &node| {
            let set = self.of(node);
            self.sets.union(union, set)
        })
    }
}
