//! Where each node of a flow is at home, and how far up it may move: the analysis before placement.
//!
//! See Note "Placement" in the parent module. Blocks are *static* here: one per branch and body in the flow,
//! however often its conditional or gradient ends up copied.

use super::flow::{Flow, FlowBlock, FlowNode};
use super::tree::{BlockId, Tree};
use crate::graph::Binder;
use crate::graph::sets::SetId;
use crate::term::Runs;
use std::collections::{BTreeSet, HashMap};

/// How far up a node may be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// To this static block, whatever is demanded there.
    Block(BlockId),
    /// Only where it is demanded for certain.
    Demand,
}

/// What placement needs to know.
#[derive(Debug)]
pub(super) struct Homes {
    /// Per node, how far up it may be placed, failure and scope considered.
    pub(super) limits: Vec<Limit>,
    /// Per node, the innermost body that binds a parameter which the node depends on, or the root.
    pub(super) scopes: Vec<BlockId>,
    /// Per node, its static blocks.
    pub(super) blocks: Vec<Vec<BlockId>>,
    /// The number of static blocks.
    pub(super) block_count: usize,
}

/// Which block a node is needed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Home {
    /// The innermost block around all demands.
    block: BlockId,
    /// Whether it is demanded for certain whenever that block runs.
    certain: bool,
}

/// Analyses a flow.
pub(super) fn homes(flow: &Flow) -> Homes {
    let mut search = Search::new(flow);
    search.find_homes();
    let guards = search.find_guards();
    let scopes = search.scopes();
    let limit = |(&guard, &scope)| search.meet(guard, Limit::Block(scope));
    Homes {
        limits: guards.iter().zip(&scopes).map(limit).collect(),
        scopes,
        block_count: search.tree.len(),
        blocks: search.blocks,
    }
}

struct Search<'a> {
    flow: &'a Flow<'a>,
    /// Per node, whether it or anything that it depends on can fail.
    fallible: Vec<bool>,
    tree: Tree,
    homes: Vec<Home>,
    blocks: Vec<Vec<BlockId>>,
    bodies: HashMap<Binder, BlockId>,
}

impl<'a> Search<'a> {
    fn new(flow: &'a Flow<'a>) -> Self {
        let nowhere = Home {
            block: Tree::ROOT,
            certain: false,
        };
        Self {
            flow,
            fallible: fallible(flow),
            tree: Tree::new(),
            homes: vec![nowhere; flow.nodes.len()],
            blocks: vec![vec![]; flow.nodes.len()],
            bodies: HashMap::new(),
        }
    }

    /// Finds the home of each node from those of its users, which are later nodes.
    fn find_homes(&mut self) {
        let mut demands: Vec<Vec<Home>> = vec![vec![]; self.flow.nodes.len()];
        demand(&mut demands, &self.flow.results, certain(Tree::ROOT));
        for node in (0..self.flow.nodes.len()).rev() {
            let home = self.join(std::mem::take(&mut demands[node]));
            self.homes[node] = home;
            let parts = &self.flow.nodes[node].parts;
            demand(&mut demands, &parts.operands, home);
            for inner in &parts.blocks {
                let block = self.open(home, inner);
                self.blocks[node].push(block);
                demand(&mut demands, &inner.results, certain(block));
            }
        }
    }

    /// The home that a number of demands make.
    fn join(&self, mut demands: Vec<Home>) -> Home {
        demands.sort_unstable();
        demands.dedup();
        if let [home] = demands[..] {
            return home;
        }
        let blocks = demands.iter().map(|home| home.block);
        let hull = blocks.reduce(|a, b| self.tree.common(a, b));
        let block = hull.unwrap_or(Tree::ROOT);
        let certain = demands.iter().filter(|home| home.certain);
        let certain = BTreeSet::from_iter(certain.map(|home| home.block));
        Home {
            block,
            certain: self.tree.anticipate(certain, block).contains(&block),
        }
    }

    /// Makes a block of a node, below its home: if the node is not there for certain, it may end up in several
    /// places further in, and so say nothing about the home.
    fn open(&mut self, Home { block, certain }: Home, inner: &FlowBlock) -> BlockId {
        let known = inner.binds.and_then(|(binder, _)| self.bodies.get(&binder));
        if let Some(&known) = known {
            // One lambda may be the body of several nodes, each of which may run it or not.
            self.tree.widen(known, block);
            return known;
        }
        let opened = match certain {
            true => self.tree.open(block, inner.runs),
            false => self.tree.open(block, Runs::Repeatedly),
        };
        let binder = inner.binds.map(|(binder, _)| (binder, opened));
        self.bodies.extend(binder);
        opened
    }

    /// Finds how far up each node may be placed as far as failure is concerned, from its home and the
    /// limits of what it depends on.
    fn find_guards(&self) -> Vec<Limit> {
        let mut guards: Vec<Limit> = Vec::with_capacity(self.flow.nodes.len());
        for node in 0..self.flow.nodes.len() {
            guards.push(self.guard(node, &guards));
        }
        guards
    }

    /// How far up one node may be placed.
    fn guard(&self, node: usize, guards: &[Limit]) -> Limit {
        let FlowNode {
            parts, can_fail, ..
        } = &self.flow.nodes[node];
        let anywhere = Limit::Block(Tree::ROOT);
        let Home { block, certain } = self.homes[node];
        if !self.fallible[node] {
            return anywhere;
        }
        let limits = parts.all().map(|part| guards[part as usize]);
        let limits = limits.map(|limit| self.seen_from(node, limit));
        let own = if *can_fail { Limit::Demand } else { anywhere };
        match limits.fold(own, |a, b| self.meet(a, b)) {
            Limit::Demand if certain => Limit::Block(block),
            limit => limit,
        }
    }

    /// The limit of a part of a node, as a limit of the node: what may fail in its own blocks only may not
    /// fail wherever the node is put.
    fn seen_from(&self, node: usize, limit: Limit) -> Limit {
        if self.is_inside(node, limit) {
            Limit::Demand
        } else {
            limit
        }
    }

    /// Whether a limit is one of the blocks of a node or inside.
    fn is_inside(&self, node: usize, limit: Limit) -> bool {
        let mut own = self.blocks[node].iter();
        match limit {
            Limit::Block(block) => own.any(|&own| self.tree.covers(own, block)),
            Limit::Demand => false,
        }
    }

    /// Per node, the innermost body that binds a parameter which the node depends on.
    fn scopes(&self) -> Vec<BlockId> {
        let mut known: HashMap<SetId, BlockId> = HashMap::new();
        let nodes = self.flow.nodes.iter();
        let scope = |node: &FlowNode| {
            let known = known.entry(node.free);
            *known.or_insert_with(|| self.scope(node.free))
        };
        nodes.map(scope).collect()
    }

    /// The innermost body of some binders. Such bodies are nested: the gradient of an inner one depends on the
    /// parameters of the outer ones.
    fn scope(&self, binders: SetId) -> BlockId {
        let binders = self.flow.sets.get(binders).iter();
        let bodies = binders.filter_map(|binder| self.bodies.get(binder));
        bodies.fold(Tree::ROOT, |scope, &body| {
            if self.tree.covers(scope, body) {
                body
            } else {
                scope
            }
        })
    }

    /// The inner one of two limits, if one is inside the other.
    fn meet(&self, a: Limit, b: Limit) -> Limit {
        match (a, b) {
            (Limit::Block(a), Limit::Block(b)) if self.tree.covers(a, b) => Limit::Block(b),
            (Limit::Block(a), Limit::Block(b)) if self.tree.covers(b, a) => Limit::Block(a),
            (Limit::Block(_) | Limit::Demand, Limit::Block(_) | Limit::Demand) => Limit::Demand,
        }
    }
}

fn certain(block: BlockId) -> Home {
    Home {
        block,
        certain: true,
    }
}

fn demand(demands: &mut [Vec<Home>], nodes: &[u32], home: Home) {
    for &node in nodes {
        demands[node as usize].push(home);
    }
}

/// Whether each node or anything that it depends on can fail.
fn fallible(flow: &Flow) -> Vec<bool> {
    let mut fallible: Vec<bool> = Vec::with_capacity(flow.nodes.len());
    for node in &flow.nodes {
        let fails = |part: u32| fallible[part as usize];
        fallible.push(node.can_fail || node.parts.all().any(fails));
    }
    fallible
}
