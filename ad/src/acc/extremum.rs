//! `fold` by `max` or `min`: the whole adjoint goes to the first extremal element.
//!
//! Which one that is, a fold over pairs of value and position finds, by the conventions of [`Prim::Max`]:
//! the first of equals, and the first NaN. An `init` has position −1.

use super::recurrence::Recurrence;
use super::reverse::Reverse;
use crate::error::AdError;
use crate::exp::picks_first;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{Fun, Labelled};
use cotangent_core::types::ScalarType;

/// The position of an `init`.
const BEFORE_FIRST: i32 = -1;

impl Reverse<'_> {
    /// The dual of a fold by `op`.
    pub(super) fn extremum(&mut self, fold: &Recurrence, op: Prim, d: &Arr) -> Result<(), AdError> {
        let winner = self.winner(fold, op);
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; fold.arg.ty.rank]);
        let (outer, inner) = index.split_at(index.len() - 1);
        let won = b.index(&winner, outer);
        let here = b.prim(Prim::Eq, &[won, inner[0]]);
        let d_here = b.index(d, outer);
        let zero = b.small(d.ty.elem, 0);
        let x_adj = b.prim(Prim::Select, &[here, d_here, zero]);
        let f = b.finish(vec![x_adj]);
        let arg_adj = self.b.generate(Fun::shape_of(&fold.arg), f).remove(0);
        self.contribute(fold.arg.name, arg_adj);
        let init_adj = where_equal(Const::I32(BEFORE_FIRST), d.ty.elem);
        fold.contribute_init(self, |reverse| {
            reverse.b.map(init_adj, &[winner, d.clone()]).remove(0)
        })
    }

    /// The inner position of the first extremal element.
    fn winner(&mut self, fold: &Recurrence, op: Prim) -> Arr {
        let arg = &fold.arg;
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; arg.ty.rank]);
        let position = b.finish(index[index.len() - 1..].to_vec());
        let positions = self.b.generate(Fun::shape_of(arg), position).remove(0);
        let init = fold.init.as_ref().map(|init| {
            let mut b = FunBuilder::new();
            let mut results = b.inline(init, &[]);
            results.push(b.constant(BEFORE_FIRST));
            b.finish(results)
        });
        let found = self.b.fold(
            first_extremum(op, arg.ty.elem),
            init,
            &[arg.clone(), positions],
        );
        found[1].clone()
    }
}

/// Of two pairs of value and position the one that `op` picks; associative.
fn first_extremum(op: Prim, elem: ScalarType) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let pairs = b.params(&[elem, ScalarType::I32, elem, ScalarType::I32]);
    let first = picks_first(&mut b, op, pairs[0], pairs[2]);
    let value = b.prim(Prim::Select, &[first, pairs[0], pairs[2]]);
    let position = b.prim(Prim::Select, &[first, pairs[1], pairs[3]]);
    b.finish(vec![value, position])
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
