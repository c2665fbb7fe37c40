//! Rules for moves: what is moved twice is moved once, what is everywhere the same is not moved at all, and what stays where
//! it is is a copy.

use super::Rewriter;
use super::facts::MAX_EXTENT_OPERATIONS;
use crate::analysis::cost;
use crate::analysis::fails::moves_safely;
use crate::analysis::index_map::IndexMap;
use crate::analysis::shape::{Shapes, Size, SizeNode};
use crate::build::FunBuilder;
use crate::constant::Const;
use crate::term::{AccOp, ArrId, Axis, ExpId, Fun, Labelled, Move};
use crate::types::ScalarType;

/// Index functions of at most this many operations are composed.
pub const MAX_COMPOSED_OPERATIONS: usize = 16;

type Op = AccOp<Labelled>;
type How = Move<Fun<Labelled>>;

/// An extent of what is moved.
#[derive(Clone, Copy)]
enum Extent {
    /// One of the argument's.
    Own(Size),
    /// One that the move says.
    Said(ExpId),
}

impl Rewriter<'_> {
    pub(super) fn movement_rules(&mut self, how: &How, arg: ArrId) -> Option<Op> {
        if let Some(value) = self.facts.fill_of(arg).filter(|_| self.is_safe(how, arg)) {
            let shape = self.shape_of_result(how, arg)?;
            return self.fired("move_fill", fill(shape, value));
        }
        match how {
            Move::Reshape { shape } => self.reshape_reshape(shape, arg),
            Move::Backpermute { shape, f } => self.compose(how, (shape, f), arg),
            Move::Expect { .. }
            | Move::Slice { .. }
            | Move::Replicate { .. }
            | Move::Roll { .. }
            | Move::Stored => None,
        }
    }

    /// Whether a move fails only as making an array of its shape does.
    fn is_safe(&mut self, how: &How, arg: ArrId) -> bool {
        let space = |shapes: &mut Shapes| shapes.moved(how, arg).unwrap_or_default();
        moves_safely(how, arg, &mut self.facts.shapes, space)
    }

    /// The shape that moving `arg` gives, as a function.
    fn shape_of_result(&self, how: &How, arg: ArrId) -> Option<Fun<Labelled>> {
        if !how.keeps_extents() {
            return how.said().cloned();
        }
        let mut builder = FunBuilder::new();
        let said = how.said().map(|said| builder.inline(said, &[]));
        let said = said.into_iter().flatten().map(Extent::Said).collect();
        let own = self.facts.shapes.sizes(arg)?.iter().copied();
        let own: Vec<_> = own.map(Extent::Own).collect();
        let mut results = vec![];
        for extent in how.extents(said, &own) {
            results.push(match extent {
                Extent::Own(size) if !self.cheap(&[size]) => return None,
                Extent::Own(size) => self.facts.shapes.emit(&mut builder, size),
                Extent::Said(extent) => extent,
            });
        }
        Some(builder.finish(results))
    }

    /// The array that the result of a move, whose shape is recorded, is a copy of.
    pub(super) fn moved_copy(&mut self, how: &How, arg: ArrId, result: ArrId) -> Option<ArrId> {
        let is_same = |rewriter: &Self| rewriter.facts.shapes.same(result, arg);
        match how {
            Move::Backpermute { shape: _, f } => {
                let identity = IndexMap::alone(f).is_identity(f.params.len());
                self.copy("backpermute_identity", identity && is_same(self), arg)
            }
            Move::Reshape { shape: _ } => self.copy("reshape_same", is_same(self), arg),
            Move::Expect { shape: _ } => self.copy("expect_same", is_same(self), arg),
            Move::Replicate { axes, extents: _ } => {
                self.copy("replicate_nothing", !axes.contains(&Axis::Fixed), arg)
            }
            Move::Slice { axes, indices } => {
                let copies = self.is_safe(how, arg);
                copies.then(|| self.sliced(axes, indices, arg, result))?
            }
            Move::Roll { axes: _, amounts } => {
                let mut amounts =
                    (0..amounts.body.results.len()).map(|k| amounts.constant_result(k));
                let still = amounts.all(|amount| amount.is_some_and(Const::is_zero));
                self.copy("roll_nothing", still, arg)
            }
            Move::Stored => self.copy("compute_stored", self.is_stored(arg), arg),
        }
    }

    /// Whether an array is in memory, whatever is made of the program: arguments and states of loops are.
    fn is_stored(&self, array: ArrId) -> bool {
        match self.facts.definition(array) {
            None => true,
            Some((op, _)) => matches!(
                op,
                AccOp::Use(_)
                    | AccOp::Loop { .. }
                    | AccOp::Move {
                        how: Move::Stored,
                        arg: _,
                    }
            ),
        }
    }

    fn sliced(
        &mut self,
        axes: &[Axis],
        indices: &Fun<Labelled>,
        arg: ArrId,
        result: ArrId,
    ) -> Option<ArrId> {
        if !axes.contains(&Axis::Fixed) {
            return self.copy("slice_nothing", true, arg);
        }
        let (rule, original) = match self.facts.definition(arg)?.0 {
            AccOp::Move { how, arg } => {
                let replicated = how.replicated()?;
                ("slice_replicate", (axes == replicated).then_some(*arg)?)
            }
            AccOp::Unpack { args } => {
                let (last, others) = axes.split_last()?;
                let inner = *last == Axis::Fixed && !others.contains(&Axis::Fixed);
                let Some(Const::I32(k)) = indices.constant_result(0) else {
                    return None;
                };
                let chosen = usize::try_from(k).ok().and_then(|k| args.get(k));
                ("slice_unpack", inner.then_some(*chosen?)?)
            }
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Permute { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Append { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => return None,
        };
        let same = self.facts.shapes.same(result, original);
        self.copy(rule, same, original)
    }

    pub(super) fn cheap(&self, sizes: &[Size]) -> bool {
        let shapes = &self.facts.shapes;
        sizes
            .iter()
            .all(|&s| shapes.cost(s) <= MAX_EXTENT_OPERATIONS)
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
        let (AccOp::Move { how, arg }, _) = self.facts.definition(arg)? else {
            return None;
        };
        let (true, arg) = (how.keeps_order() && *how != Move::Stored, *arg) else {
            return None;
        };
        let shape = shape.clone();
        let how = Move::Reshape { shape };
        self.fired("reshape_reshape", AccOp::Move { how, arg })
    }

    /// A backpermutation of a backpermutation, inside of whose result the outer one stays.
    fn compose(
        &mut self,
        how: &How,
        (shape, outer): (&Fun<Labelled>, &Fun<Labelled>),
        arg: ArrId,
    ) -> Option<Op> {
        if !self.is_safe(how, arg) {
            return None;
        }
        let (AccOp::Move { how, arg }, _) = self.facts.definition(arg)? else {
            return None;
        };
        let Move::Backpermute { shape: _, f } = how else {
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
        let how = Move::Backpermute {
            shape: shape.clone(),
            f: builder.finish(results),
        };
        self.fired("backpermute_backpermute", AccOp::Move { how, arg })
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
