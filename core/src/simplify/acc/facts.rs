//! What the forward walk knows of the arrays bound so far.

use super::uniform::is_uniform_number;
use super::units::is_unit;
use crate::analysis::cost;
use crate::analysis::shape::{Shapes, Size, SizeNode};
use crate::constant::Const;
use crate::simplify::exp::{ArrayFacts, Element};
use crate::term::{AccOp, ArrBind, ArrId, Fun, Labelled, MoveFails};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// An extent is computed from other arrays if that takes at most this many operations, so that shapes do
/// not keep arrays alive.
pub const MAX_EXTENT_OPERATIONS: usize = 8;

/// How many operations that move elements are looked through for what all elements are.
const MAX_MOVES: usize = 16;

/// Reading the only element of an array of rank 0 becomes computing it, up to this many operations.
pub const MAX_SCALAR_OPERATIONS: usize = 3;

/// Shapes, and how arrays came about.
#[derive(Default)]
pub struct Facts {
    /// Whether there are derivatives still.
    pub differentiates: bool,
    /// The shapes of all arrays bound so far.
    pub shapes: Shapes,
    definitions: HashMap<ArrId, (Rc<AccOp<Labelled>>, usize)>,
    /// Numbers of trips, and how many there are.
    pub numbers: HashMap<ArrId, Size>,
    /// Arrays that a loop carries, and what is made of them by updates ([`super::carried`]).
    pub carried: HashSet<ArrId>,
    /// Arrays that updates start from, be it later.
    pub overwritten: HashSet<ArrId>,
}

impl Facts {
    /// What is known before the first operation of a program with derivatives, or without.
    pub fn of(differentiates: bool) -> Self {
        Self {
            differentiates,
            ..Self::default()
        }
    }

    /// Takes note of an operation without blocks.
    pub fn define(&mut self, binds: &[ArrBind<Labelled>], op: Rc<AccOp<Labelled>>) {
        for (column, bind) in binds.iter().enumerate() {
            self.definitions.insert(bind.name, (Rc::clone(&op), column));
        }
    }

    /// The operation that computes `array`, and the position of `array` among its results.
    pub fn definition(&self, array: ArrId) -> Option<(&AccOp<Labelled>, usize)> {
        let (op, column) = self.definitions.get(&array)?;
        Some((op, *column))
    }

    /// The value of all elements of `array`, if that is known.
    pub fn fill_of(&self, array: ArrId) -> Option<Const> {
        self.moved_fill(array, MAX_MOVES)
    }

    /// The same, looking through so many operations that move elements, of which some were left for what they
    /// may fail by.
    fn moved_fill(&self, array: ArrId, moves: usize) -> Option<Const> {
        match self.definition(array)? {
            (AccOp::Generate { shape: _, f }, column) => f.constant_result(column),
            (AccOp::Move { how, arg }, _) => match how.fails() {
                MoveFails::Never
                | MoveFails::ByShape
                | MoveFails::BySize
                | MoveFails::ByExtents
                | MoveFails::ByPositions(..) => self.moved_fill(*arg, moves.checked_sub(1)?),
                MoveFails::ByElement(_) => None,
            },
            (
                AccOp::Use(_)
                | AccOp::Map { .. }
                | AccOp::Fold { .. }
                | AccOp::Scan { .. }
                | AccOp::Permute { .. }
                | AccOp::Unpack { .. }
                | AccOp::Argsort { .. }
                | AccOp::FoldSegments { .. }
                | AccOp::Append { .. }
                | AccOp::Cond { .. }
                | AccOp::Derivative { .. }
                | AccOp::Custom { .. }
                | AccOp::Loop { .. },
                _,
            ) => None,
        }
    }
}

impl Facts {
    /// Whether elements of what a function makes stay where they are made, since an update overwrites what it reads.
    fn is_read_before(&self, f: &Fun<Labelled>) -> bool {
        let is_overwritten =
            |array| self.overwritten.contains(array) && self.carried.contains(array);
        f.captures.iter().any(is_overwritten)
    }
}

impl ArrayFacts for Facts {
    fn extent(&self, array: ArrId, axis: usize) -> Option<(&Shapes, Size)> {
        let size = *self.shapes.sizes(array)?.get(axis)?;
        let own = SizeNode::Extent { array, axis };
        let better = *self.shapes.node(size) != own;
        let cheap = self.shapes.cost(size) <= MAX_EXTENT_OPERATIONS;
        (better && cheap).then_some((&self.shapes, size))
    }

    fn sizes(&self, array: ArrId) -> Option<(&Shapes, &[Size])> {
        Some((&self.shapes, self.shapes.sizes(array)?))
    }

    fn bound(&self, array: ArrId) -> Option<(&Shapes, Size)> {
        Some((&self.shapes, *self.numbers.get(&array)?))
    }

    fn element(&self, array: ArrId) -> Element<'_> {
        if let Some(value) = self.fill_of(array) {
            return Element::Fill(value);
        }
        match self.definition(array) {
            Some((AccOp::Generate { shape: _, f }, _)) if self.is_read_before(f) => Element::Opaque,
            Some((AccOp::Generate { shape: _, f }, column)) if f.params.is_empty() => {
                let stays = self.differentiates && is_uniform_number(f, column);
                let is_small = cost::operations(f) <= MAX_SCALAR_OPERATIONS;
                if is_small && cost::is_straight(&f.body) && !stays {
                    Element::Scalar(f, column)
                } else {
                    Element::Opaque
                }
            }
            Some((AccOp::Generate { shape: _, f }, column)) if is_unit(f, column) => {
                Element::Unit(f, column)
            }
            Some((AccOp::Move { how, arg }, _)) => match how.replicated() {
                Some(axes) => Element::Replicated(axes, *arg),
                None => Element::Opaque,
            },
            Some(_) | None => Element::Opaque,
        }
    }
}
