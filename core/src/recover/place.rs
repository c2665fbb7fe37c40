//! Placement: which block binds each node. See Note "Placement" in the parent module.

use super::flow::Flow;
use super::home::{Homes, Limit, homes};
use super::tree::{BlockId, Tree};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How many copies placement may make in all before it gives up. Copies are made of what can fail and is
/// needed in branches of different conditionals; only conditionals that each need the one before twice
/// come anywhere near.
pub(super) const MOST_COPIES: usize = 1 << 18;

/// A node in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    /// The position of the node in the flow.
    pub(super) node: u32,
    /// The first of its blocks, if it has any; the others follow.
    pub(super) first_block: BlockId,
}

/// The nodes in each block, in topological order. Block 0 is the function's body.
pub(super) type Layout = Vec<Vec<Placed>>;

/// The node that would have had to be copied too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManyCopies {
    /// Its number in the graph.
    pub(super) node: u32,
}

/// Places every node of a flow.
pub(super) fn place(flow: &Flow) -> Result<Layout, TooManyCopies> {
    let mut placement = Placement::new(flow, homes(flow));
    let mut copies = 0;
    for node in (0..flow.nodes.len()).rev() {
        if flow.nodes[node].parts.is_param {
            continue;
        }
        let blocks = placement.blocks_for(node);
        copies += blocks.len().saturating_sub(1);
        if copies > MOST_COPIES {
            let node = flow.nodes[node].name;
            return Err(TooManyCopies { node });
        }
        for block in blocks {
            placement.put(node, block);
        }
    }
    placement.layout.iter_mut().for_each(|lets| lets.reverse());
    Ok(placement.layout)
}

struct Placement<'a> {
    flow: &'a Flow<'a>,
    homes: Homes,
    tree: Tree,
    /// Per static block, the blocks made from it, in textual order.
    copies: Vec<Vec<BlockId>>,
    /// Per node, the blocks that need it.
    demands: Vec<Vec<BlockId>>,
    /// Per block of a loop or of a derivative: the block around that, and the first node that was made inside.
    closures: HashMap<BlockId, (BlockId, u32)>,
    /// Per block, the innermost of those that it is, or is in.
    closure_of: Vec<Option<BlockId>>,
    layout: Layout,
}

impl<'a> Placement<'a> {
    fn new(flow: &'a Flow<'a>, homes: Homes) -> Self {
        let mut copies = vec![vec![]; homes.block_count];
        copies[Tree::ROOT as usize].push(Tree::ROOT);
        let mut placement = Self {
            flow,
            homes,
            tree: Tree::new(),
            copies,
            demands: vec![vec![]; flow.nodes.len()],
            closures: HashMap::new(),
            closure_of: vec![None],
            layout: vec![vec![]],
        };
        placement.demand(&flow.results, Tree::ROOT);
        placement
    }

    fn demand(&mut self, nodes: &[u32], block: BlockId) {
        for &node in nodes {
            self.demands[node as usize].push(block);
        }
    }

    /// The blocks that bind a node, none inside another.
    fn blocks_for(&mut self, node: usize) -> Vec<BlockId> {
        let mut demands = std::mem::take(&mut self.demands[node]);
        for demand in &mut demands {
            *demand = self.outside_of_closures(node, *demand);
        }
        demands.sort_unstable();
        demands.dedup();
        if demands.len() == 1 {
            return demands;
        }
        // Each copy of the body around the node binds parameters of its own.
        let Some(scopes) = self.grouped(self.homes.scopes[node], &demands) else {
            unreachable!("`facts` refuses programs that use a parameter outside its lambda")
        };
        let limit = self.homes.limits[node];
        let blocks = scopes.into_iter().flat_map(|demands| match limit {
            Limit::Block(limit) => self.within(limit, demands),
            Limit::Demand => self.anticipated(demands),
        });
        blocks.collect()
    }

    /// The block around the loops and derivatives that a block is of, as long as the node was made outside of these. What cannot fail
    /// goes there from the branches in them, too.
    fn outside_of_closures(&self, node: usize, mut block: BlockId) -> BlockId {
        let name = self.flow.nodes[node].name;
        while let Some(closure) = self.closure_of[block as usize]
            && let Some(&(around, first_inside)) = self.closures.get(&closure)
            && name < first_inside
            && (closure == block || self.is_limited_around(node, around))
        {
            block = around;
        }
        block
    }

    /// Whether a node may be placed in a block, whatever is demanded there.
    fn is_limited_around(&self, node: usize, block: BlockId) -> bool {
        match self.homes.limits[node] {
            Limit::Block(limit) => self.copy_around(limit, block).is_some(),
            Limit::Demand => false,
        }
    }

    /// The innermost block around all demands, in each copy of the block that is the limit. If a demand is
    /// in no copy, demands alone decide, which is always right.
    fn within(&self, limit: BlockId, demands: Vec<BlockId>) -> Vec<BlockId> {
        match self.grouped(limit, &demands) {
            Some(copies) => copies.iter().filter_map(|group| self.hull(group)).collect(),
            None => self.anticipated(demands),
        }
    }

    /// Blocks by the copy of a static block that they are in, if all are in one.
    fn grouped(&self, origin: BlockId, blocks: &[BlockId]) -> Option<Vec<Vec<BlockId>>> {
        let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for &block in blocks {
            let copy = self.copy_around(origin, block)?;
            groups.entry(copy).or_default().push(block);
        }
        Some(groups.into_values().collect())
    }

    /// The copy of a static block that covers a block.
    fn copy_around(&self, limit: BlockId, block: BlockId) -> Option<BlockId> {
        let copies = &self.copies[limit as usize];
        let next = copies.partition_point(|&copy| self.tree.textual_order(copy, block).is_le());
        let copy = copies[..next].last().copied();
        copy.filter(|&copy| self.tree.covers(copy, block))
    }

    /// Notes a block made from a static one, in textual order.
    fn add_copy(&mut self, origin: BlockId, copy: BlockId) {
        let copies = &mut self.copies[origin as usize];
        let place = copies.partition_point(|&other| self.tree.textual_order(other, copy).is_le());
        copies.insert(place, copy);
    }

    fn hull(&self, blocks: &[BlockId]) -> Option<BlockId> {
        let blocks = blocks.iter().copied();
        blocks.reduce(|a, b| self.tree.common(a, b))
    }

    /// The outermost blocks that need the node for certain.
    fn anticipated(&self, demands: Vec<BlockId>) -> Vec<BlockId> {
        let hull = self.hull(&demands).unwrap_or(Tree::ROOT);
        let certain = BTreeSet::from_iter(demands);
        if certain.contains(&hull) {
            return vec![hull];
        }
        self.tree.outermost(self.tree.anticipate(certain, hull))
    }

    /// Puts a node into a block: what it depends on is needed there, and in its own blocks.
    fn put(&mut self, node: usize, block: BlockId) {
        let parts = &self.flow.nodes[node].parts;
        self.demand(&parts.operands, block);
        let first_block = self.tree.len() as BlockId;
        let origins = self.homes.blocks[node].clone();
        for (inner, origin) in parts.blocks.iter().zip(origins) {
            let copy = self.tree.open(block, inner.runs);
            self.add_copy(origin, copy);
            let closure = inner.first_inside.map(|first| (copy, (block, first)));
            self.closures.extend(closure);
            let own = closure.map(|(copy, _)| copy);
            self.closure_of
                .push(own.or(self.closure_of[block as usize]));
            self.demand(&inner.results, copy);
            self.layout.push(vec![]);
        }
        self.layout[block as usize].push(Placed {
            node: node as u32,
            first_block,
        });
    }
}
