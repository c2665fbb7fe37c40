//! `permute`: adjoints are gathered from where the elements went.
//!
//! Where values overwrite each other, the coordinates of the sources travel with them, so that each target knows its
//! winner. Coordinates are `i32` as all indices are: a position in row-major order would need a wider type, which the
//! program may not have and devices may lack.

use super::extremum::where_equal;
use super::layout::is_inside;
use super::reverse::{Node, Reverse};
use crate::error::AdError;
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
    /// Whether the arguments provably have one shape.
    alike: bool,
    /// By target index: the coordinates of the source of the value that stayed; `None` if all count.
    winner: Option<Vec<Arr>>,
}

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
            alike: args.iter().all(|&a| self.shapes.same(a, args[0])),
            winner: None,
        };
        let defaults = self.arrays(defaults)?;
        if combine == Combine::Overwrite {
            scatter.winner = Some(self.winner_of(&scatter, &defaults));
        }
        let like = node.binds[0].name;
        for (at, adjoint) in node.adjoints.iter().enumerate() {
            if let Some(d) = adjoint {
                self.permute_source(&scatter, &scatter.args[at], d);
                self.permute_default(&scatter, &defaults[at], like, d);
            }
        }
        Ok(())
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
    fn permute_default(&mut self, scatter: &Scatter, default: &Arr, like: ArrId, d: &Arr) {
        if !self.is_active(default.name) {
            return;
        }
        let part = match &scatter.winner {
            None => d.clone(),
            Some(winner) => {
                let f = where_equal(Const::I32(NOBODY), d.ty.elem);
                self.b.map(f, &[winner[0].clone(), d.clone()]).remove(0)
            }
        };
        let default_adj = self.extend(&part, like, default);
        self.contribute(default.name, default_adj);
    }
}

impl Scatter<'_> {
    /// The element of `d` where the source at `index` went; zero if it went nowhere or did not stay.
    fn gather(&self, b: &mut FunBuilder, index: &[ExpId], d: &Arr) -> ExpId {
        let target = b.inline(self.target, index);
        let read = |b: &mut FunBuilder| {
            let element = b.index(d, &target[1..]);
            let Some(winner) = &self.winner else {
                return vec![element];
            };
            let mut stays = b.constant(true);
            for (here, stayed) in coordinates(b, index).into_iter().zip(winner) {
                let stayed = b.index(stayed, &target[1..]);
                let same = b.prim(Prim::Eq, &[here, stayed]);
                stays = b.prim(Prim::And, &[stays, same]);
            }
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

/// The coordinates of an index; one that is always 0 where there is none, so that there is something to tell a winner
/// from [`NOBODY`] by.
fn coordinates(b: &mut FunBuilder, index: &[ExpId]) -> Vec<ExpId> {
    match index {
        [] => vec![b.constant(0)],
        index => index.to_vec(),
    }
}
