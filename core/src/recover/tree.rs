//! A tree of blocks that grows at its leaves, with ancestors found in logarithmic time.
//!
//! Every block keeps one *jump* to an ancestor, chosen by the lengths of the jumps above it (skew-binary
//! jump pointers, Myers 1983), so that a hundred thousand nested conditionals cost no quadratic walks.
//! A block has a higher number than its parent, and the two branches of a conditional follow each other.

use crate::term::Runs;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// A position in a [`Tree`].
pub(super) type BlockId = u32;

/// What stands between a block and the block around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing, or something that may run it or not: what happens inside says nothing about outside.
    Apart,
    /// A conditional; the other branch is `sibling`.
    Branch {
        /// The other branch.
        sibling: BlockId,
    },
    /// A lambda that runs whenever the block around it does.
    Body,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    kind: Kind,
    /// The block around this one; itself for the root. The same holds for `jump`.
    parent: BlockId,
    jump: BlockId,
    depth: u32,
}

/// Blocks, each in another one but for the root.
#[derive(Debug)]
pub(super) struct Tree {
    blocks: Vec<Block>,
}

impl Tree {
    /// The block around all others.
    pub(super) const ROOT: BlockId = 0;

    /// A root and nothing else.
    pub(super) fn new() -> Self {
        let root = Block {
            kind: Kind::Apart,
            parent: Self::ROOT,
            jump: Self::ROOT,
            depth: 0,
        };
        Self { blocks: vec![root] }
    }

    /// A block in `parent` that runs so often where that one does. The two alternatives of an operation are opened
    /// one after the other.
    pub(super) fn open(&mut self, parent: BlockId, runs: Runs) -> BlockId {
        let kind = match runs {
            Runs::Once => Kind::Body,
            Runs::Alternative => self.alternative(),
            Runs::Repeatedly => Kind::Apart,
        };
        self.add(parent, kind)
    }

    /// The next block as an alternative: the second one, if the last block waits for that, else the first.
    fn alternative(&self) -> Kind {
        let next = self.blocks.len() as BlockId;
        let waits = match self.get(next - 1).kind {
            Kind::Branch { sibling } => sibling == next,
            Kind::Apart | Kind::Body => false,
        };
        let sibling = if waits { next - 1 } else { next + 1 };
        Kind::Branch { sibling }
    }

    fn add(&mut self, parent: BlockId, kind: Kind) -> BlockId {
        let block = self.child(parent, kind);
        self.blocks.push(block);
        self.blocks.len() as BlockId - 1
    }

    fn child(&self, parent: BlockId, kind: Kind) -> Block {
        let above = self.get(parent);
        let first = self.get(above.jump);
        let second = self.get(first.jump);
        let even = above.depth - first.depth == first.depth - second.depth;
        Block {
            kind,
            parent,
            jump: if even { first.jump } else { parent },
            depth: above.depth + 1,
        }
    }

    /// Moves a block without children outwards, into a block that also covers `other`, apart from both.
    pub(super) fn widen(&mut self, id: BlockId, other: BlockId) {
        let parent = self.common(self.get(id).parent, other);
        self.blocks[id as usize] = self.child(parent, Kind::Apart);
    }

    /// The number of blocks.
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    fn get(&self, id: BlockId) -> Block {
        self.blocks[id as usize]
    }

    /// The ancestor of `id` at `depth`, or `id` where that is not deeper.
    fn lift(&self, mut id: BlockId, depth: u32) -> BlockId {
        while self.get(id).depth > depth {
            let block = self.get(id);
            let far = self.get(block.jump).depth < depth;
            id = if far { block.parent } else { block.jump };
        }
        id
    }

    /// Whether `outer` is `inner` or around it.
    pub(super) fn covers(&self, outer: BlockId, inner: BlockId) -> bool {
        self.lift(inner, self.get(outer).depth) == outer
    }

    /// The innermost block that covers both.
    pub(super) fn common(&self, a: BlockId, b: BlockId) -> BlockId {
        let depth = self.get(a).depth.min(self.get(b).depth);
        let (mut a, mut b) = (self.lift(a, depth), self.lift(b, depth));
        while a != b {
            let (above_a, above_b) = (self.get(a), self.get(b));
            let jump = above_a.jump != above_b.jump;
            a = if jump { above_a.jump } else { above_a.parent };
            b = if jump { above_b.jump } else { above_b.parent };
        }
        a
    }

    /// Blocks from the outside in, branch by branch.
    pub(super) fn textual_order(&self, a: BlockId, b: BlockId) -> Ordering {
        let depth = self.get(self.common(a, b)).depth;
        match (self.get(a).depth == depth, self.get(b).depth == depth) {
            (true, _) | (_, true) => self.get(a).depth.cmp(&self.get(b).depth),
            (false, false) => self.lift(a, depth + 1).cmp(&self.lift(b, depth + 1)),
        }
    }

    /// What must run whenever `blocks` must: both branches of a conditional make the block around it, and a
    /// lambda's body the one around the lambda. Bodies are left only if they are below `hull`.
    pub(super) fn anticipate(
        &self,
        mut blocks: BTreeSet<BlockId>,
        hull: BlockId,
    ) -> BTreeSet<BlockId> {
        let mut done = BTreeSet::new();
        while let Some(id) = blocks.pop_last() {
            let Block { kind, parent, .. } = self.get(id);
            let leaves = match kind {
                Kind::Apart => false,
                Kind::Branch { sibling } => blocks.remove(&sibling),
                Kind::Body => id != hull,
            };
            if leaves {
                blocks.insert(parent);
            } else {
                done.insert(id);
            }
        }
        done
    }

    /// Those of `blocks` that are not inside others of them, in textual order.
    pub(super) fn outermost(&self, blocks: BTreeSet<BlockId>) -> Vec<BlockId> {
        let mut sorted: Vec<_> = blocks.into_iter().collect();
        sorted.sort_by(|&a, &b| self.textual_order(a, b));
        sorted.dedup_by(|inner, outer| self.covers(*outer, *inner));
        sorted
    }
}
