//! Trees of blocks that grow at their leaves, with ancestors found in logarithmic time.
//!
//! Every block keeps one *jump* to an ancestor, chosen by the lengths of the jumps above it (skew-binary
//! jump pointers, Myers 1983), so that a hundred thousand nested conditionals cost no quadratic walks.
//! A block has a higher number than its parent, and the two branches of a conditional follow each other.

use std::cmp::Ordering;
use std::collections::BTreeSet;

/// A position in a [`Tree`].
pub(super) type BlockId = u32;

/// What stands between a block and the block around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing that is known.
    Root,
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
    /// The block around this one; itself for a root. The same holds for `jump`.
    parent: BlockId,
    jump: BlockId,
    depth: u32,
}

/// One or several trees of blocks.
#[derive(Debug)]
pub(super) struct Tree {
    blocks: Vec<Block>,
}

impl Tree {
    /// The first root.
    pub(super) const ROOT: BlockId = 0;

    /// A root and nothing else.
    pub(super) fn new() -> Self {
        let mut tree = Self { blocks: vec![] };
        tree.add_root();
        tree
    }

    /// One more tree.
    pub(super) fn add_root(&mut self) -> BlockId {
        let id = self.blocks.len() as BlockId;
        self.blocks.push(Block {
            kind: Kind::Root,
            parent: id,
            jump: id,
            depth: 0,
        });
        id
    }

    /// The two branches of a conditional in `parent`; gives the first, the second has the next number.
    pub(super) fn add_branches(&mut self, parent: BlockId) -> BlockId {
        let then_ = self.blocks.len() as BlockId;
        let else_ = then_ + 1;
        self.add(parent, Kind::Branch { sibling: else_ });
        self.add(parent, Kind::Branch { sibling: then_ });
        then_
    }

    /// The body of a lambda in `parent`.
    pub(super) fn add_body(&mut self, parent: BlockId) -> BlockId {
        self.add(parent, Kind::Body)
    }

    fn add(&mut self, parent: BlockId, kind: Kind) -> BlockId {
        let id = self.blocks.len() as BlockId;
        let above = self.get(parent);
        let first = self.get(above.jump);
        let second = self.get(first.jump);
        let even = above.depth - first.depth == first.depth - second.depth;
        self.blocks.push(Block {
            kind,
            parent,
            jump: if even { first.jump } else { parent },
            depth: above.depth + 1,
        });
        id
    }

    /// Makes a block that has no children yet the root of a tree of its own.
    pub(super) fn detach(&mut self, id: BlockId) {
        self.blocks[id as usize] = Block {
            kind: Kind::Root,
            parent: id,
            jump: id,
            depth: 0,
        };
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

    /// The innermost block that covers both, if they are in one tree.
    pub(super) fn common(&self, a: BlockId, b: BlockId) -> Option<BlockId> {
        let depth = self.get(a).depth.min(self.get(b).depth);
        let (mut a, mut b) = (self.lift(a, depth), self.lift(b, depth));
        while a != b {
            let (above_a, above_b) = (self.get(a), self.get(b));
            if above_a.depth == 0 {
                return None;
            }
            let jump = above_a.jump != above_b.jump;
            a = if jump { above_a.jump } else { above_a.parent };
            b = if jump { above_b.jump } else { above_b.parent };
        }
        Some(a)
    }

    /// Blocks from the outside in, branch by branch. Only for blocks of one tree.
    fn textual_order(&self, a: BlockId, b: BlockId) -> Ordering {
        let depth = self.common(a, b).map_or(0, |block| self.get(block).depth);
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
                Kind::Root => false,
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

    /// Those of `blocks` (of one tree) that are not inside others of them, in textual order.
    pub(super) fn outermost(&self, blocks: BTreeSet<BlockId>) -> Vec<BlockId> {
        let mut sorted: Vec<_> = blocks.into_iter().collect();
        sorted.sort_by(|&a, &b| self.textual_order(a, b));
        sorted.dedup_by(|inner, outer| self.covers(*outer, *inner));
        sorted
    }
}
