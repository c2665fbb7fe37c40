//! `fold` by `max` or `min`: the whole adjoint goes to the first extremal element.
//!
//! Which one that is, the primal fold finds on its way: it gets one more column, the position of the
//! extremum so far, by the conventions of [`Prim::Max`]: the first of equals, and the first NaN. An `init` has
//! position −1. The columns that it had stay what they were, so that one pass gives value and position.
//!
//! Of a single long row a second fold finds it: the least position of an element that is as extreme as the result. Two simple
//! folds are faster there than one of pairs.

use super::recurrence::Recurrence;
use super::reverse::Reverse;
use crate::error::AdError;
use crate::exp::picks_first;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccLet, AccOp, ArrId, ExpId, Fun, Labelled};
use cotangent_core::types::{ArrayType, ScalarType};

/// The position of an `init`.
const BEFORE_FIRST: i32 = -1;

/// A column of a fold that `op` alone combines.
#[derive(Clone, Copy)]
pub(super) struct Extremum {
    pub at: usize,
    pub op: Prim,
}

impl Reverse<'_> {
    /// The dual of a fold of which `winner` has the positions of the first extremal elements.
    pub(super) fn extremum(
        &mut self,
        fold: &Recurrence,
        winner: &Arr,
        d: &Arr,
    ) -> Result<(), AdError> {
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; fold.arg.ty.rank]);
        let (outer, inner) = index.split_at(index.len() - 1);
        let won = b.index(winner, outer);
        let here = b.prim(Prim::Eq, &[won, inner[0]]);
        let d_here = b.index(d, outer);
        let zero = b.small(d.ty.elem, 0);
        let x_adj = b.prim(Prim::Select, &[here, d_here, zero]);
        let f = b.finish(vec![x_adj]);
        let arg_adj = self.b.generate(Fun::shape_of(&fold.arg), f).remove(0);
        self.contribute(fold.arg.name, arg_adj);
        let init_adj = where_equal(Const::I32(BEFORE_FIRST), d.ty.elem);
        fold.contribute_init(self, |reverse| {
            let pairs = [winner.clone(), d.clone()];
            reverse.b.map(init_adj, &pairs).remove(0)
        })
    }

    /// The position of the first extremal element of the only row, whose extremum is `value`.
    pub(super) fn found(&mut self, fold: &Recurrence, value: &Arr, op: Prim) -> Arr {
        let mut b = FunBuilder::new();
        let index = b.params(&[ScalarType::I32]);
        let x = b.index(&fold.arg, &index);
        let position = position_where(&mut b, (op, x, value), index[0]);
        let f = b.finish(vec![position]);
        let positions = self.b.generate(Fun::shape_of(&fold.arg), f);
        let mut b = FunBuilder::new();
        let nowhere = match &fold.init {
            None => b.constant(i32::MAX),
            Some(init) => {
                let init = b.inline(init, &[]).remove(0);
                let before = b.constant(BEFORE_FIRST);
                position_where(&mut b, (op, init, value), before)
            }
        };
        let init = b.finish(vec![nowhere]);
        let least = Fun::prim(Prim::Min, &[ScalarType::I32; 2]);
        self.b.fold(least, Some(init), &positions).remove(0)
    }

    /// The inner position of the first extremal element, a further result of the primal fold.
    ///
    /// # Errors
    /// Where the let is no fold.
    pub(super) fn winner(
        &mut self,
        let_: &mut AccLet<Labelled>,
        arg: &Arr,
        extremum: Extremum,
    ) -> Result<Arr, AdError> {
        let positions = self.positions(arg);
        let AccOp::Fold { f, init, args } = &mut let_.op else {
            return Err(AdError::Bug("not a fold".to_owned()));
        };
        *f = with_position(f, extremum);
        *init = init.as_ref().map(with_first_position);
        args.push(positions);
        let ty = ArrayType::new(ScalarType::I32, arg.ty.rank - 1);
        let winner = self.b.fresh(ty);
        self.shapes.like(&winner, let_.binds[extremum.at].name);
        let_.binds.push(winner.clone());
        Ok(winner)
    }

    /// The inner position of each element, an array of the primal.
    fn positions(&mut self, arg: &Arr) -> ArrId {
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; arg.ty.rank]);
        let position = b.finish(index[index.len() - 1..].to_vec());
        let shape = Fun::shape_of(arg);
        let positions = self.in_primal(|b| b.generate(shape, position).remove(0));
        self.shapes.like(&positions, arg.name);
        positions.name
    }
}

/// The operator with one more column: the position of the value that the extremum picks; associative if
/// the operator is.
fn with_position(f: &Fun<Labelled>, extremum: Extremum) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let columns = f.body.results.len();
    let mut types = f.param_types();
    types.insert(columns, ScalarType::I32);
    types.push(ScalarType::I32);
    let mut x = b.params(&types);
    let mut y = x.split_off(columns + 1);
    let positions = [x.pop(), y.pop()].into_iter().flatten();
    let operands = [&x[..], &y].concat();
    let mut results = b.inline(f, &operands);
    let first = picks_first(&mut b, extremum.op, x[extremum.at], y[extremum.at]);
    let choice: Vec<_> = std::iter::once(first).chain(positions).collect();
    results.push(b.prim(Prim::Select, &choice));
    b.finish(results)
}

/// A position, if `x` is as extreme as the one element of `value`, else one beyond all.
fn position_where(
    b: &mut FunBuilder,
    (op, x, value): (Prim, ExpId, &Arr),
    position: ExpId,
) -> ExpId {
    let extreme = b.index(value, &[]);
    let is_it = picks_first(b, op, x, extreme);
    let nowhere = b.constant(i32::MAX);
    b.prim(Prim::Select, &[is_it, position, nowhere])
}

/// The initial values, and their position.
fn with_first_position(init: &Fun<Labelled>) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let mut results = b.inline(init, &[]);
    results.push(b.constant(BEFORE_FIRST));
    b.finish(results)
}

/// From (x, d): d where x is `value`, zero elsewhere.
pub(super) fn where_equal(value: Const, elem: ScalarType) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let x = b.param(value.scalar_type());
    let d = b.param(elem);
    let (value, zero) = (b.constant(value), b.small(elem, 0));
    let equal = b.prim(Prim::Eq, &[x, value]);
    let chosen = b.prim(Prim::Select, &[equal, d, zero]);
    b.finish(vec![chosen])
}
