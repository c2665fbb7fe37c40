//! Sums with one term: the algebra of vectors and matrices that are zero but in one place.
//!
//! The directions of forward mode are unit vectors, and so what it makes of products are sums of which all terms but one are
//! zero. The rules here are those by which paper 004, "Efficient Differentiable Programming in a Functional
//! Array-Processing Language", section 5.1, finds identities of matrix calculus, as far as they pay: loop fusion (figure 8c), for such arrays
//! alone, and a loop that changes its state in one trip (the last rule of figure 8e). So with figure 8d, which is in
//! `simplify/exp/tangent.rs`, d(v·w)/dv is w, and d tr(M·A)/dM is Aᵀ.
//!
//! A *unit* is a `generate` of little code, whose elements are selections of zero unless coordinates are equal to something, negations
//! and sums of such ([`function::Unit`]). What is made of units by maps and moves is one `generate` where that is a unit (`map_unit`, `move_unit`);
//! a sum of a unit along a coordinate that has to be equal to something is its element there (`fold_unit`), under a condition
//! where that may be out of range ([`sum`]). Many units that are zero in all columns but one, added up, are columns side by side ([`beside`]). Each is exact but for the sign of a zero, as `add_zero` is: where a selection gives
//! zero, nothing is multiplied by it.

mod beside;
mod function;
mod position;
mod sum;

use super::Rewriter;
use crate::analysis::fails::moves_safely;
use crate::analysis::shape::Size;
use crate::build::{Arr, FunBuilder};
use crate::loc::Loc;
use crate::simplify::exp;
use crate::term::{AccOp, ArrBind, ArrId, Axis, ExpId, Fun, Labelled, Move};
use crate::types::{ArrayType, ScalarType};
pub(super) use function::is_unit;
use function::of_result;
use std::collections::HashMap;

type Op = AccOp<Labelled>;

impl Rewriter<'_> {
    /// An operation on units as a unit, or a sum of one as its element.
    pub(super) fn unit_rules(
        &mut self,
        op: &Op,
        binds: &[ArrBind<Labelled>],
        loc: Loc,
    ) -> Option<Op> {
        match op {
            AccOp::Map { f, args } => {
                let unit = self.map_unit(f, args, binds);
                unit.or_else(|| self.units_beside((f, args), binds, loc))
            }
            AccOp::Move { how, arg } => self.move_unit(how, *arg),
            AccOp::Fold { f, init, args } => self.fold_unit((f, init.as_ref()), args, op),
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Scan { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Append { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => None,
        }
    }

    /// The function of an array that is a unit.
    fn unit(&self, array: ArrId) -> Option<Fun<Labelled>> {
        let (f, column) = self.generated(array)?;
        is_unit(f, column).then(|| of_result(f, column))
    }

    /// The function that makes the elements of an array from their indices, and which of its results they are.
    fn generated(&self, array: ArrId) -> Option<(&Fun<Labelled>, usize)> {
        match self.facts.definition(array)? {
            (AccOp::Generate { shape: _, f }, column) => Some((f, column)),
            (
                AccOp::Use(_)
                | AccOp::Map { .. }
                | AccOp::Fold { .. }
                | AccOp::Scan { .. }
                | AccOp::Move { .. }
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

    /// A map that gives a unit.
    fn map_unit(
        &mut self,
        f: &Fun<Labelled>,
        args: &[ArrId],
        binds: &[ArrBind<Labelled>],
    ) -> Option<Op> {
        let units: Vec<_> = args.iter().map(|&array| self.unit(array)).collect();
        let [bind] = binds else {
            return None;
        };
        if units.iter().all(Option::is_none) {
            return None;
        }
        let sizes = self.facts.shapes.intersection(args)?;
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; bind.ty.rank]);
        let mut elements = vec![];
        for ((&arg, unit), param) in args.iter().zip(&units).zip(&f.params) {
            elements.push(match unit {
                Some(unit) => b.inline(unit, &index)[0],
                None => {
                    let array = Arr::new(arg, ArrayType::new(param.ty, index.len()));
                    b.index(&array, &index)
                }
            });
        }
        let results = b.inline(f, &elements);
        self.unit_of("map_unit", b.finish(results), &sizes)
    }

    /// A `generate` of these extents by a function, if it is a unit.
    fn unit_of(&mut self, rule: &'static str, f: Fun<Labelled>, sizes: &[Size]) -> Option<Op> {
        let f = self.simplified(f, sizes);
        if !is_unit(&f, 0) || !self.cheap(sizes) {
            return None;
        }
        let shape = self.facts.shapes.emit_fun(sizes);
        self.fired(rule, AccOp::Generate { shape, f })
    }

    /// A function of an index of arrays of these extents, simplified for a look at it.
    fn simplified(&self, f: Fun<Labelled>, sizes: &[Size]) -> Fun<Labelled> {
        let space: Vec<_> = sizes.iter().copied().map(Some).collect();
        let params = exp::Params {
            constants: &HashMap::new(),
            space: &space,
        };
        exp::rewrite(f, &self.facts, &params, &mut Default::default())
    }

    /// A unit that is moved.
    fn move_unit(&mut self, how: &Move<Fun<Labelled>>, arg: ArrId) -> Option<Op> {
        if let Move::Reshape { shape } = how {
            return self.reshape_generate(shape, arg);
        }
        let unit = self.unit(arg)?;
        let sizes = self.facts.shapes.moved(how, arg)?;
        let sizes: Vec<Size> = sizes.into_iter().collect::<Option<_>>()?;
        let space = sizes.iter().copied().map(Some).collect();
        if !moves_safely(how, arg, &mut self.facts.shapes, |_| space) {
            return None;
        }
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; sizes.len()]);
        let from = source(&mut b, how, &index)?;
        let results = b.inline(&unit, &from);
        self.unit_of("move_unit", b.finish(results), &sizes)
    }
}

/// Where the element at an index comes from, if that is a matter of coordinates.
fn source(b: &mut FunBuilder, how: &Move<Fun<Labelled>>, index: &[ExpId]) -> Option<Vec<ExpId>> {
    match how {
        Move::Replicate { axes, extents: _ } => {
            let kept = index.iter().zip(axes);
            let kept = kept.filter(|(_, axis)| **axis == Axis::All);
            Some(kept.map(|(&x, _)| x).collect())
        }
        Move::Slice { axes, indices } => {
            let mut positions = b.inline(indices, &[]).into_iter();
            let mut kept = index.iter().copied();
            let coordinates = axes.iter().map(|axis| match axis {
                Axis::All => kept.next(),
                Axis::Fixed => positions.next(),
            });
            coordinates.collect()
        }
        Move::Backpermute { shape: _, f } => Some(b.inline(f, index)),
        Move::Expect { shape: _ } => Some(index.to_vec()),
        Move::Reshape { .. } | Move::Roll { .. } | Move::Stored => None,
    }
}
