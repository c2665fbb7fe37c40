//! `permute`: adjoints are gathered from where the elements went.
//!
//! Where values overwrite each other, the coordinates of the sources travel with them, so that each target knows its
//! winner. Coordinates are `i32` as all indices are: a position in row-major order would need a wider type, which the
//! program may not have and devices may lack.

mod order;

use super::extremum::where_equal;
use super::layout::is_inside;
use super::reverse::{Node, Reverse};
use crate::error::AdError;
use cotangent_core::analysis::index_map::IndexMap;
use cotangent_core::analysis::shape::{Shapes, SizeNode};
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{ArrId, Combine, ExpId, Fun, Labelled};
use cotangent_core::types::ScalarType;

/// The first coordinate of the winner where no element arrived.
const NOBODY: i32 = -1;

/// A `permute` of the primal.
struct Scatter<'a> {
    target: &'a Fun<Labelled>,
    args: Vec<Arr>,
    defaults: Vec<Arr>,
    /// Whether the arguments provably have one shape.
    alike: bool,
    stays: Stays,
}

/// What is left of the values that are sent to one target.
enum Stays {
    /// All: they are added to the default.
    All,
    /// The only one that there is: no two are sent to one target.
    Only,
    /// The last one. By target index: the coordinates of its source.
    Winner(Vec<Arr>),
    /// The last one. By source index: whether it is that.
    Marked(Arr),
}

/// Of so many elements, each is compared with all others: what is proportional to the array that they are sent to costs more.
const FEW: i32 = 32;

impl Reverse<'_> {
    /// The dual of `permute`, where `arrays` are its defaults and arguments.
    pub(super) fn permute(
        &mut self,
        node: &Node,
        combine: Combine,
        (defaults, args): (&[ArrId], &[ArrId]),
        target: &Fun<Labelled>,
    ) -> Result<(), AdError> {
        let mut scatter = Scatter {
            target,
            args: self.arrays(args)?,
            defaults: self.arrays(defaults)?,
            alike: args.iter().all(|&a| self.shapes.same(a, args[0])),
            stays: Stays::All,
        };
        scatter.stays = match combine {
            Combine::Add => Stays::All,
            Combine::Overwrite if scatter.alike && is_injective(target) => Stays::Only,
            Combine::Overwrite => match self.few_sources(&scatter) {
                Some(count) => Stays::Marked(self.last_of_few(&scatter, count)),
                None if self.are_part(&scatter) => Stays::Marked(self.last_by_order(&scatter)),
                None => Stays::Winner(self.winner_of(&scatter, &scatter.defaults)),
            },
        };
        for (at, adjoint) in node.adjoints.iter().enumerate() {
            if let Some(d) = adjoint {
                self.permute_source(&scatter, &scatter.args[at], d);
                self.permute_default(&scatter, at, node.binds, d);
            }
        }
        Ok(())
    }

    /// Whether elements go to an array whose adjoint is updated in place.
    fn is_in_place(&self, scatter: &Scatter) -> bool {
        let is_carried = |default: &Arr| self.is_carried(default.name);
        scatter.alike && scatter.defaults.iter().any(is_carried)
    }

    /// Whether the elements that go to such an array may be fewer than it has.
    fn are_part(&self, scatter: &Scatter) -> bool {
        let is_all = self
            .shapes
            .same(scatter.args[0].name, scatter.defaults[0].name);
        self.is_in_place(scatter) && !is_all && scatter.defaults[0].ty.rank > 0
    }

    /// The number of elements, if they are few and go to an array whose adjoint is updated in place.
    fn few_sources(&self, scatter: &Scatter) -> Option<i32> {
        let in_place = self.is_in_place(scatter);
        let &[size] = self
            .shapes
            .sizes(scatter.args[0].name)
            .filter(|_| in_place)?
        else {
            return None;
        };
        let SizeNode::Const(Const::I32(count)) = *self.shapes.node(size) else {
            return None;
        };
        (count <= FEW).then_some(count)
    }

    /// Of few elements: whether none after it is sent to the same place.
    fn last_of_few(&mut self, scatter: &Scatter, count: i32) -> Arr {
        let mut b = FunBuilder::new();
        let own = b.param(ScalarType::I32);
        let places = b.inline(scatter.target, &[own]);
        let [last, stays] = [b.constant(count - 1), b.constant(true)];
        let others = b.prim(Prim::Sub, &[last, own]);
        let step = b.closure(&[ScalarType::I32, ScalarType::Bool], |b, args| {
            let one = b.constant(1);
            let next = b.prim(Prim::Add, &[own, one]);
            let other = b.prim(Prim::Add, &[next, args[0]]);
            let target = b.inline(scatter.target, &[other]);
            let mut same = target[0];
            for (&place, &own) in target[1..].iter().zip(&places[1..]) {
                let equal = b.prim(Prim::Eq, &[place, own]);
                same = b.prim(Prim::And, &[same, equal]);
            }
            let differs = b.prim(Prim::Not, &[same]);
            vec![b.prim(Prim::And, &[args[1], differs])]
        });
        let stays = b.loop_(&[others, stays], None, step)[1];
        let f = b.finish(vec![stays]);
        self.b
            .generate(Fun::shape_of(&scatter.args[0]), f)
            .remove(0)
    }

    /// Where values overwrite each other: which source element stayed.
    fn winner_of(&mut self, scatter: &Scatter, defaults: &[Arr]) -> Vec<Arr> {
        let first = &scatter.args[0];
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; first.ty.rank]);
        let coordinates = coordinates(&mut b, &index);
        let count = coordinates.len();
        let f = b.finish(coordinates);
        let mut values = self.b.generate(Fun::shape_of(first), f);
        let nobody = self.b.fill_like(&defaults[0], Const::I32(NOBODY));
        let mut initial = vec![nobody; count];
        // Where shapes may differ, the other columns take part so as to cut them down alike.
        if !scatter.alike || defaults.len() > 1 {
            values.extend_from_slice(&scatter.args);
            initial.extend_from_slice(defaults);
        }
        let target = scatter.target.clone();
        let mut found = self
            .b
            .permute_back(Combine::Overwrite, &initial, target, &values);
        found.truncate(count);
        found
    }

    /// Contributes to an argument: what its elements find at their targets.
    fn permute_source(&mut self, scatter: &Scatter, arg: &Arr, d: &Arr) {
        if !self.is_active(arg.name) {
            return;
        }
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; arg.ty.rank]);
        let x_adj = if scatter.alike {
            scatter.gather(&mut b, &index, d)
        } else {
            let inside = scatter.is_source(&mut b, &index);
            let gather = |b: &mut FunBuilder| vec![scatter.gather(b, &index, d)];
            b.cond(inside, gather, |b| vec![b.small(d.ty.elem, 0)])[0]
        };
        let f = b.finish(vec![x_adj]);
        let arg_adj = self.b.generate(Fun::shape_of(arg), f).remove(0);
        self.contribute(arg.name, arg_adj);
    }

    /// Contributes to a default: all that is not overwritten. The results have the shape of `like`.
    fn permute_default(&mut self, scatter: &Scatter, at: usize, like: &[Arr], d: &Arr) {
        let (default, arg) = (&scatter.defaults[at], &scatter.args[at]);
        if !self.is_active(default.name) {
            return;
        }
        // Where elements are few beside the adjoint, to look for the winner of each target would cost the size of that.
        let in_place = scatter.alike && self.is_carried(default.name);
        let part = match &scatter.stays {
            Stays::All => d.clone(),
            Stays::Winner(winner) if !in_place => {
                let f = where_equal(Const::I32(NOBODY), d.ty.elem);
                self.b.map(f, &[winner[0].clone(), d.clone()]).remove(0)
            }
            Stays::Only | Stays::Winner(_) | Stays::Marked(_) => {
                let zeros = self.zeros(arg);
                let (target, defaults) = (scatter.target.clone(), std::slice::from_ref(d));
                self.b
                    .permute_back(Combine::Overwrite, defaults, target, &[zeros])
                    .remove(0)
            }
        };
        let default = default.clone();
        let default_adj = self.extend(&part, like[at].name, &default);
        self.contribute(default.name, default_adj);
    }
}

impl Scatter<'_> {
    /// The element of `d` where the source at `index` went; zero if it went nowhere or did not stay.
    fn gather(&self, b: &mut FunBuilder, index: &[ExpId], d: &Arr) -> ExpId {
        let target = b.inline(self.target, index);
        let read = |b: &mut FunBuilder| {
            let element = b.index(d, &target[1..]);
            let stays = match &self.stays {
                Stays::All | Stays::Only => return vec![element],
                Stays::Winner(winner) => is_winner(b, index, (winner, &target[1..])),
                Stays::Marked(marks) => b.index(marks, index),
            };
            let zero = b.small(d.ty.elem, 0);
            vec![b.prim(Prim::Select, &[stays, element, zero])]
        };
        b.cond(target[0], read, |b| vec![b.small(d.ty.elem, 0)])[0]
    }

    /// Whether all arguments have an element at `index`.
    fn is_source(&self, b: &mut FunBuilder, index: &[ExpId]) -> ExpId {
        let mut inside = b.constant(true);
        for arg in &self.args {
            let this = is_inside(b, index, arg);
            inside = b.prim(Prim::And, &[inside, this]);
        }
        inside
    }
}

/// Whether the element at an index is the one that stayed at its place.
fn is_winner(b: &mut FunBuilder, index: &[ExpId], (winner, place): (&[Arr], &[ExpId])) -> ExpId {
    let mut stays = b.constant(true);
    for (here, stayed) in coordinates(b, index).into_iter().zip(winner) {
        let stayed = b.index(stayed, place);
        let same = b.prim(Prim::Eq, &[here, stayed]);
        stays = b.prim(Prim::And, &[stays, same]);
    }
    stays
}

/// Whether `target` is seen to send no two elements to one place.
pub(super) fn is_injective(target: &Fun<Labelled>) -> bool {
    IndexMap::of(target, &Shapes::default()).is_injective(target.params.len())
}

/// The coordinates of an index; one that is always 0 where there is none, so that there is something to tell a winner
/// from [`NOBODY`] by.
fn coordinates(b: &mut FunBuilder, index: &[ExpId]) -> Vec<ExpId> {
    match index {
        [] => vec![b.constant(0)],
        index => index.to_vec(),
    }
}
