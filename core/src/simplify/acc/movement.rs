//! Rules for operations that move elements: what is moved twice is moved once, and what is everywhere the
//! same is not moved at all.

use super::Rewriter;
use super::facts::MAX_EXTENT_OPERATIONS;
use crate::analysis::cost;
use crate::analysis::fails::{may_fail, reads_inside};
use crate::analysis::shape::{Size, SizeNode};
use crate::build::FunBuilder;
use crate::constant::Const;
use crate::term::{AccOp, ArrId, Axis, Fun, Labelled};
use crate::types::ScalarType;

/// Index functions of at most this many operations are composed.
pub const MAX_COMPOSED_OPERATIONS: usize = 16;

type Op = AccOp<Labelled>;

impl Rewriter<'_> {
    pub(super) fn movement_rules(&mut self, op: &Op) -> Option<Op> {
        let arg = *op.arguments().first()?;
        if let Some(value) = self.facts.fill_of(arg).filter(|_| self.moves_safely(op)) {
            let shape = self.shape_of_result(op, arg)?;
            return self.fired("move_fill", fill(shape, value));
        }
        match op {
            AccOp::Reshape { shape, arg } => self.reshape_reshape(shape, *arg),
            AccOp::Backpermute { shape, f, arg } => self.compose(shape, f, *arg),
            AccOp::Slice { .. }
            | AccOp::Replicate { .. }
            | AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Append { .. }
            | AccOp::Cond { .. }
            | AccOp::Gradient { .. }
            | AccOp::Loop { .. } => None,
        }
    }

    /// Whether an operation that moves elements fails only as making an array of its shape does.
    fn moves_safely(&mut self, op: &Op) -> bool {
        let shapes = &mut self.facts.shapes;
        match op {
            AccOp::Replicate { .. } => true,
            AccOp::Backpermute { shape, f, arg } => {
                let space = shapes.of_function(shape);
                reads_inside(f, &space, *arg, shapes)
            }
            AccOp::Reshape { .. } | AccOp::Slice { .. } => !may_fail(op, shapes),
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Append { .. }
            | AccOp::Cond { .. }
            | AccOp::Gradient { .. }
            | AccOp::Loop { .. } => false,
        }
    }

    /// The shape that moving `arg` gives, as a function.
    fn shape_of_result(&mut self, op: &Op, arg: ArrId) -> Option<Fun<Labelled>> {
        match op {
            AccOp::Reshape { shape, .. } | AccOp::Backpermute { shape, .. } => Some(shape.clone()),
            AccOp::Slice { axes, .. } => {
                let sizes = self.facts.shapes.sizes(arg)?.iter().zip(axes);
                let kept = sizes.filter(|(_, axis)| **axis == Axis::All);
                let kept: Vec<Size> = kept.map(|(&size, _)| size).collect();
                self.cheap(&kept).then(|| self.facts.shapes.emit_fun(&kept))
            }
            AccOp::Replicate { axes, extents, .. } => {
                let own = self.facts.shapes.sizes(arg)?.to_vec();
                self.cheap(&own)
                    .then(|| self.replicated(&own, axes, extents))
            }
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Append { .. }
            | AccOp::Cond { .. }
            | AccOp::Gradient { .. }
            | AccOp::Loop { .. } => None,
        }
    }

    pub(super) fn cheap(&self, sizes: &[Size]) -> bool {
        let shapes = &self.facts.shapes;
        sizes
            .iter()
            .all(|&s| shapes.cost(s) <= MAX_EXTENT_OPERATIONS)
    }

    fn replicated(&self, own: &[Size], axes: &[Axis], extents: &Fun<Labelled>) -> Fun<Labelled> {
        let mut builder = FunBuilder::new();
        let mut added = builder.inline(extents, &[]).into_iter();
        let mut own = own.iter();
        let mut results = vec![];
        for axis in axes {
            results.extend(match axis {
                Axis::All => own.next().map(|&s| self.facts.shapes.emit(&mut builder, s)),
                Axis::Fixed => added.next(),
            });
        }
        builder.finish(results)
    }

    /// Appended arrays without those that are empty.
    pub(super) fn append_empty(&mut self, args: &[ArrId]) -> Option<Op> {
        let shapes = &mut self.facts.shapes;
        let is_empty = |a: &ArrId| {
            let outer = shapes.sizes(*a).and_then(|sizes| sizes.first());
            outer.is_some_and(|&s| *shapes.node(s) == SizeNode::Const(Const::I32(0)))
        };
        let kept: Vec<_> = args.iter().copied().filter(|a| !is_empty(a)).collect();
        if kept.is_empty() || kept.len() == args.len() {
            return None;
        }
        let (all, inner) = (shapes.intersection(args)?, shapes.intersection(&kept)?);
        if all[1..] != inner[1..] {
            return None;
        }
        self.fired("append_empty", AccOp::Append { args: kept })
    }

    fn reshape_reshape(&mut self, shape: &Fun<Labelled>, arg: ArrId) -> Option<Op> {
        let (AccOp::Reshape { shape: _, arg }, _) = self.facts.definition(arg)? else {
            return None;
        };
        let op = AccOp::Reshape {
            shape: shape.clone(),
            arg: *arg,
        };
        self.fired("reshape_reshape", op)
    }

    /// A backpermutation of a backpermutation, inside of whose result the outer one stays.
    fn compose(&mut self, shape: &Fun<Labelled>, outer: &Fun<Labelled>, arg: ArrId) -> Option<Op> {
        let space = self.facts.shapes.of_function(shape);
        if !reads_inside(outer, &space, arg, &self.facts.shapes) {
            return None;
        }
        let (AccOp::Backpermute { shape: _, f, arg }, _) = self.facts.definition(arg)? else {
            return None;
        };
        let (inner, arg) = (f.clone(), *arg);
        let code = cost::operations(&inner).saturating_add(cost::operations(outer));
        if code > MAX_COMPOSED_OPERATIONS {
            return None;
        }
        let mut builder = FunBuilder::new();
        let index = builder.params(&outer.param_types());
        let middle = builder.inline(outer, &index);
        let results = builder.inline(&inner, &middle);
        let op = AccOp::Backpermute {
            shape: shape.clone(),
            f: builder.finish(results),
            arg,
        };
        self.fired("backpermute_backpermute", op)
    }
}

/// An array filled with a constant.
fn fill(shape: Fun<Labelled>, value: Const) -> Op {
    let mut builder = FunBuilder::new();
    builder.params(&vec![ScalarType::I32; shape.body.results.len()]);
    let value = builder.constant(value);
    let f = builder.finish(vec![value]);
    AccOp::Generate { shape, f }
}
