//! Emission: a flow whose nodes are placed, written down as nested blocks of lets with de Bruijn indices.

use super::flow::Flow;
use super::place::Layout;
use super::tree::{BlockId, Tree};
use crate::graph::{Binder, SurfaceError};
use std::collections::HashMap;

/// How one stratum is written down.
pub(super) trait Text {
    /// A let.
    type Let;
    /// A block of lets.
    type Block;

    /// The number of variables a node binds.
    fn width(&self, node: u32) -> u32;
    /// The let of a node, given its blocks.
    fn let_(
        &mut self,
        scope: &Scope,
        node: u32,
        blocks: Vec<Self::Block>,
    ) -> Result<Self::Let, SurfaceError>;
    /// A block, given its lets: that of `owner` at `position`, or the function's body.
    fn block(
        &self,
        scope: &Scope,
        owner: Option<(u32, usize)>,
        lets: Vec<Self::Let>,
    ) -> Self::Block;
}

/// The variables in scope, by their distance from the outside.
///
/// Entries are overwritten, never removed. That is sound since the blocks are walked depth first and no
/// block that binds a node is inside another one that does: where a node is used, the entry made last is
/// the one in scope.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    flow: &'a Flow<'a>,
    depth: u32,
    levels: Vec<u32>,
    params: HashMap<Binder, u32>,
}

impl<'a> Scope<'a> {
    /// Nothing but the parameters of the function.
    pub(super) fn new(flow: &'a Flow<'a>, params: Option<(Binder, u32)>) -> Self {
        let mut scope = Self {
            flow,
            depth: 0,
            levels: vec![0; flow.nodes.len()],
            params: HashMap::new(),
        };
        if let Some((binder, count)) = params {
            scope.bind_params(binder, count);
        }
        scope
    }

    /// The de Bruijn index of one result of a node, by its number in the graph.
    pub(super) fn index(&self, node: u32, output: u32) -> u32 {
        self.depth - 1 - (self.levels[self.flow.position(node)] + output)
    }

    /// The de Bruijn index of a parameter.
    pub(super) fn param(&self, binder: Binder, position: u32) -> u32 {
        self.depth - 1 - (self.params[&binder] + position)
    }

    fn bind(&mut self, position: u32, width: u32) {
        self.levels[position as usize] = self.depth;
        self.depth += width;
    }

    fn bind_params(&mut self, binder: Binder, count: u32) {
        self.params.insert(binder, self.depth);
        self.depth += count;
    }
}

/// A block being written.
struct Frame<T: Text> {
    block: BlockId,
    /// The node it belongs to, by position, and which of its blocks it is.
    owner: Option<(u32, usize)>,
    /// The number of variables around the lets still to be written.
    depth: u32,
    lets: Vec<T::Let>,
    /// Blocks of the next let.
    inner: Vec<T::Block>,
}

impl<T: Text> Frame<T> {
    fn new(block: BlockId, owner: Option<(u32, usize)>, depth: u32) -> Self {
        Self {
            block,
            owner,
            depth,
            lets: vec![],
            inner: vec![],
        }
    }
}

/// Writes a placed flow. Blocks being written are on an explicit stack, so that nesting costs no recursion.
pub(super) fn emit<T: Text>(
    text: &mut T,
    mut scope: Scope,
    layout: &Layout,
) -> Result<T::Block, SurfaceError> {
    let flow = scope.flow;
    let mut outer: Vec<Frame<T>> = vec![];
    let mut frame = Frame::new(Tree::ROOT, None, scope.depth);
    loop {
        scope.depth = frame.depth;
        let Some(placed) = layout[frame.block as usize].get(frame.lets.len()) else {
            let owner = frame.owner;
            let owner = owner.map(|(node, at)| (flow.nodes[node as usize].name, at));
            let block = text.block(&scope, owner, frame.lets);
            let Some(around) = outer.pop() else {
                return Ok(block);
            };
            frame = around;
            frame.inner.push(block);
            continue;
        };
        let node = &flow.nodes[placed.node as usize];
        let written = frame.inner.len();
        if let Some(opened) = node.parts.blocks.get(written) {
            if let Some((binder, count)) = opened.binds {
                scope.bind_params(binder, count);
            }
            let block = placed.first_block + written as BlockId;
            let inner = Frame::new(block, Some((placed.node, written)), scope.depth);
            outer.push(std::mem::replace(&mut frame, inner));
        } else {
            let blocks = std::mem::take(&mut frame.inner);
            frame.lets.push(text.let_(&scope, node.name, blocks)?);
            scope.bind(placed.node, text.width(node.name));
            frame.depth = scope.depth;
        }
    }
}
