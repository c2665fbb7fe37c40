//! Which of many elements stay, where they overwrite each other: by sorting them by where they go.
//!
//! That costs what there is of elements, times the logarithm of that; to look for the winner of each place would cost the size of the array
//! that they go to, which may be much larger.

use super::Scatter;
use crate::acc::layout::position;
use crate::acc::reverse::Reverse;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{Combine, ExpId, Fun, Labelled, SortOrder};
use cotangent_core::types::ScalarType;

impl Reverse<'_> {
    /// By source index: whether no later element is sent to the same place. Elements that are sent nowhere count as sent to one place.
    pub(super) fn last_by_order(&mut self, scatter: &Scatter) -> Arr {
        let like = &scatter.args[0];
        let keys = self.keys(scatter, like);
        let order = self.sorted(&keys);
        let last = self.last_of_runs(&keys, &order);
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; like.ty.rank]);
        let extents = b.shape(like);
        let place = position(&mut b, &extents, &index);
        let stays = b.index(&last, &[place]);
        let f = b.finish(vec![stays]);
        self.b.generate(Fun::shape_of(like), f).remove(0)
    }

    /// The coordinates of where each element goes, by its position; negative where it goes nowhere.
    fn keys(&mut self, scatter: &Scatter, like: &Arr) -> Vec<Arr> {
        let mut b = FunBuilder::new();
        let at = b.param(ScalarType::I32);
        let extents = b.shape(like);
        let index = index_of(&mut b, &extents, at);
        let target = b.inline(scatter.target, &index);
        let nowhere = b.constant(-1);
        let key = |&place: &ExpId| b.prim(Prim::Select, &[target[0], place, nowhere]);
        let keys = target[1..].iter().map(key).collect();
        let f = b.finish(keys);
        self.b.generate(Fun::merged(like, 0), f)
    }

    /// The positions of the elements in order of their keys; of those with equal keys in order. The last key is the first to be sorted by.
    fn sorted(&mut self, keys: &[Arr]) -> Arr {
        let (others, last) = keys.split_at(keys.len() - 1);
        let mut order = self.b.argsort(SortOrder::Ascending, &last[0]);
        for key in others.iter().rev() {
            let key = self.by_order(key, &order);
            let next = self.b.argsort(SortOrder::Ascending, &key);
            order = self.by_order(&order, &next);
        }
        order
    }

    fn by_order(&mut self, array: &Arr, order: &Arr) -> Arr {
        let mut b = FunBuilder::new();
        let at = b.param(ScalarType::I32);
        let at = b.index(order, &[at]);
        let element = b.index(array, &[at]);
        let f = b.finish(vec![element]);
        self.b.generate(Fun::shape_of(order), f).remove(0)
    }

    /// By position of an element: whether it is the last of those that have its keys.
    fn last_of_runs(&mut self, keys: &[Arr], order: &Arr) -> Arr {
        let mut b = FunBuilder::new();
        let at = b.param(ScalarType::I32);
        let (one, size) = (b.constant(1), b.extent(order.name, 0));
        let next = b.prim(Prim::Add, &[at, one]);
        let is_inside = b.prim(Prim::Lt, &[next, size]);
        let differs = |b: &mut FunBuilder| {
            let [own, other] = [at, next].map(|at| b.index(order, &[at]));
            let mut same = b.constant(true);
            for key in keys {
                let [own, other] = [own, other].map(|at| b.index(key, &[at]));
                let equal = b.prim(Prim::Eq, &[own, other]);
                same = b.prim(Prim::And, &[same, equal]);
            }
            vec![b.prim(Prim::Not, &[same])]
        };
        let is_last = b.cond(is_inside, differs, |b| vec![b.constant(true)]);
        let f = b.finish(is_last);
        let is_last = self.b.generate(Fun::shape_of(order), f).remove(0);
        let none = self.b.fill_like(&is_last, Const::Bool(false));
        let mut b = FunBuilder::new();
        let at = b.param(ScalarType::I32);
        let (sent, place) = (b.constant(true), b.index(order, &[at]));
        let target: Fun<Labelled> = b.finish(vec![sent, place]);
        let marks = self
            .b
            .permute(Combine::Overwrite, &[none], target, &[is_last]);
        marks[0].clone()
    }
}

/// The index of a position.
fn index_of(b: &mut FunBuilder, extents: &[ExpId], position: ExpId) -> Vec<ExpId> {
    let mut rest = position;
    let mut index = vec![];
    for &extent in extents.iter().rev() {
        index.push(b.prim(Prim::Rem, &[rest, extent]));
        rest = b.prim(Prim::Quot, &[rest, extent]);
    }
    index.reverse();
    index
}
