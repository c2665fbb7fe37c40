//! What placement sees of a stratum: which nodes depend on which, through which blocks, and which can fail.
//!
//! A [`Flow`] holds the nodes that the results of one function depend on, renumbered from 0 in topological
//! order. Expressions and array operations both become flows, so that placement is written once.

use crate::graph::Binder;
use crate::graph::parts::Code;
use crate::graph::sets::{BinderSets, SetId};
use crate::term::Runs;
use std::collections::HashSet;

/// One stratum of a graph.
pub(super) trait Stratum<'a> {
    /// What a node depends on within the stratum, by the numbers of the graph.
    fn parts(&self, node: u32) -> Parts;
    /// Whether the operation itself, nodes of this stratum aside, can fail.
    fn can_fail(&self, node: u32) -> bool;
    /// The binders whose parameters the node depends on without binding them.
    fn free_binders(&self, node: u32) -> SetId;
    /// All sets of binders.
    fn sets(&self) -> &'a BinderSets;
}

/// The dependencies of one node.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Parts {
    /// Whether it is a parameter, bound by the block of its lambda, and no operation.
    pub(super) is_param: bool,
    /// Nodes needed in the block that the node is in.
    pub(super) operands: Vec<u32>,
    /// Nodes needed in other blocks.
    pub(super) blocks: Vec<FlowBlock>,
}

impl Parts {
    /// Everything that the node depends on.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> {
        let inner = self.blocks.iter().flat_map(|block| &block.results);
        self.operands.iter().chain(inner).copied()
    }
}

/// A block of a node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FlowBlock {
    /// How often it runs where the node does.
    pub(super) runs: Runs,
    /// Who binds its parameters, and how many there are.
    pub(super) binds: Option<(Binder, u32)>,
    /// Its results.
    pub(super) results: Vec<u32>,
    /// For the body of a derivative, and for what a loop runs in each trip: the first node that was made in there. Those before it were
    /// written outside.
    pub(super) first_inside: Option<u32>,
}

impl FlowBlock {
    /// The block that results in certain nodes.
    pub(super) fn new<Ref>(code: Code<'_, Ref>, numbers: impl Fn(&[Ref]) -> Vec<u32>) -> Self {
        let Code {
            runs,
            binds,
            results,
        } = code;
        Self {
            runs,
            binds,
            results: numbers(results),
            first_inside: None,
        }
    }

    /// The same, inside of which this node was made first.
    pub(super) fn with_first(self, first_inside: Option<u32>) -> Self {
        Self {
            first_inside,
            ..self
        }
    }
}

/// A node of a flow.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FlowNode {
    /// Its number in the graph.
    pub(super) name: u32,
    /// What it depends on, by position in the flow.
    pub(super) parts: Parts,
    /// Whether the operation itself can fail.
    pub(super) can_fail: bool,
    /// The binders on whose parameters it depends without binding them.
    pub(super) free: SetId,
}

/// The nodes that some results depend on, each after what it depends on itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Flow<'a> {
    /// The nodes.
    pub(super) nodes: Vec<FlowNode>,
    /// The results, by position.
    pub(super) results: Vec<u32>,
    /// The sets of binders.
    pub(super) sets: &'a BinderSets,
}

impl<'a> Flow<'a> {
    /// The flow of a function with the given results.
    pub(super) fn new(stratum: &impl Stratum<'a>, results: &[u32]) -> Self {
        let mut reached = reach(stratum, results);
        reached.sort_unstable_by_key(|&(name, _)| name);
        let names: Vec<u32> = reached.iter().map(|&(name, _)| name).collect();
        let node = |(name, mut parts): (u32, Parts)| {
            renumber(&names, &mut parts.operands);
            for block in &mut parts.blocks {
                renumber(&names, &mut block.results);
            }
            FlowNode {
                name,
                parts,
                can_fail: stratum.can_fail(name),
                free: stratum.free_binders(name),
            }
        };
        let nodes = reached.into_iter().map(node).collect();
        let mut results = results.to_vec();
        renumber(&names, &mut results);
        Self {
            nodes,
            results,
            sets: stratum.sets(),
        }
    }

    /// The position of a node of the flow, by its number in the graph.
    pub(super) fn position(&self, name: u32) -> usize {
        self.nodes.partition_point(|node| node.name < name)
    }
}

/// The nodes that `results` depend on, in no particular order.
pub(super) fn reach<'a>(stratum: &impl Stratum<'a>, results: &[u32]) -> Vec<(u32, Parts)> {
    let (mut reached, mut seen, mut todo) = (vec![], HashSet::new(), results.to_vec());
    while let Some(node) = todo.pop() {
        if seen.insert(node) {
            let parts = stratum.parts(node);
            todo.extend(parts.all());
            reached.push((node, parts));
        }
    }
    reached
}

/// Replaces numbers of the graph by positions in `names`, which holds them all in order.
fn renumber(names: &[u32], nodes: &mut [u32]) {
    for node in nodes {
        *node = names.partition_point(|name| name < node) as u32;
    }
}
