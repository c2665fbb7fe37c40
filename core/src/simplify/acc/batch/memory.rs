//! Whether what all trips make at once is no larger than what is there in any case: Note \[Memory of all trips\].
//!
//! Sizes are compared as products of extents, as far as they are known: an array is no larger than another one if
//! each of its extents is, in whatever order, at most one of the other's. A guess of what fusion keeps is made on purpose
//! from the step alone: what it takes for kept and fusion does not costs nothing but a loop that stays.

use super::super::Rewriter;
use super::stacks::Stacks;
use crate::analysis::cost;
use crate::analysis::fails::is_at_most;
use crate::analysis::shape::{Size, SizeNode};
use crate::constant::Const;
use crate::prim::Prim;
use crate::term::{AccLet, AccOp, ArrId, Labelled};
use std::collections::{HashMap, HashSet};

/// Code of at most this many operations is computed for each of several readers.
const MAX_REPEATED_OPERATIONS: usize = 8;

/// How much larger an array may be than one that is there in any case, by extents that are literals.
const MAX_LITERAL_FACTOR: i32 = 16;

impl Rewriter<'_> {
    /// Whether a loop over rows may hold what it makes for all trips at once.
    pub(super) fn fits(&self, stacks: &Stacks<'_>) -> bool {
        let inside = stacks.step.body.bindings().map(|bind| bind.name);
        let inside: HashSet<ArrId> = inside.collect();
        let outside = stacks.step.body.lets.iter().flat_map(|let_| let_.op.free());
        let outside = outside.filter(|array| !inside.contains(array));
        let there: Vec<Vec<Size>> = outside
            .chain(stacks.targets.iter().copied())
            .map(|array| self.factors(self.facts.shapes.sizes(array).unwrap_or_default()))
            .collect();
        let readers = readers(stacks);
        let mut kept = stacks.lets.iter().filter(|let_| is_kept(let_, &readers));
        kept.all(|let_| {
            let sizes = self.facts.shapes.sizes(let_.binds[0].name);
            let sizes = [&[stacks.trips], sizes.unwrap_or_default()].concat();
            let factors = self.factors(&sizes);
            there.iter().any(|there| self.is_no_larger(&factors, there))
        })
    }

    /// Extents of which the product of extents is the product, give or take literals that are added to one, as by scans.
    fn factors(&self, sizes: &[Size]) -> Vec<Size> {
        let mut factors = vec![];
        let mut pending = sizes.to_vec();
        while let Some(size) = pending.pop() {
            match self.facts.shapes.node(size) {
                SizeNode::Prim(Prim::Mul, operands) => pending.extend(operands),
                SizeNode::Prim(Prim::Add, operands) if self.is_literal(operands[1]) => {
                    pending.push(operands[0]);
                }
                SizeNode::Const(_) | SizeNode::Extent { .. } | SizeNode::Prim(..) => {
                    factors.push(size);
                }
            }
        }
        factors
    }

    fn is_literal(&self, size: Size) -> bool {
        matches!(self.facts.shapes.node(size), SizeNode::Const(_))
    }

    /// Whether each of some extents is at most one of an array's, but for literals that come to little.
    fn is_no_larger(&self, factors: &[Size], there: &[Size]) -> bool {
        let shapes = &self.facts.shapes;
        let mut left = there.to_vec();
        let mut literal = 1i32;
        for &factor in factors {
            let bound = left
                .iter()
                .position(|&size| is_at_most(factor, size, shapes));
            match (bound, shapes.node(factor)) {
                (Some(position), _) => {
                    left.swap_remove(position);
                }
                (None, SizeNode::Const(Const::I32(c))) => literal = literal.saturating_mul(*c),
                (None, SizeNode::Const(_) | SizeNode::Extent { .. } | SizeNode::Prim(..)) => {
                    return false;
                }
            }
        }
        literal <= MAX_LITERAL_FACTOR
    }
}

/// How often the arrays of a step are read: by an operation once, by a function any number of times.
fn readers(stacks: &Stacks<'_>) -> HashMap<ArrId, usize> {
    let mut readers = HashMap::new();
    for let_ in &stacks.step.body.lets {
        let arguments = let_.op.arguments().into_iter().map(|array| (array, 1));
        let captures = let_.op.funs().into_iter().flat_map(|f| &f.captures);
        for (array, times) in arguments.chain(captures.map(|&array| (array, 2))) {
            *readers.entry(array).or_default() += times;
        }
    }
    readers
}

/// Whether the results of an operation are kept in memory, rather than computed where they are read.
fn is_kept(let_: &AccLet<Labelled>, readers: &HashMap<ArrId, usize>) -> bool {
    let read: usize = let_
        .binds
        .iter()
        .filter_map(|bind| readers.get(&bind.name))
        .sum();
    match &let_.op {
        AccOp::Generate { shape: _, f } | AccOp::Map { f, args: _ } => {
            read > 1 && cost::operations(f) > MAX_REPEATED_OPERATIONS
        }
        AccOp::Use(_) | AccOp::Move { .. } => false,
        AccOp::Fold { .. }
        | AccOp::Scan { .. }
        | AccOp::Permute { .. }
        | AccOp::Unpack { .. }
        | AccOp::Argsort { .. }
        | AccOp::FoldSegments { .. }
        | AccOp::Append { .. }
        | AccOp::Cond { .. }
        | AccOp::Derivative { .. }
        | AccOp::Custom { .. }
        | AccOp::Loop { .. } => true,
    }
}
