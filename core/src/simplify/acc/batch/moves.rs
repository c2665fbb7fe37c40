//! Moves of the elements of each row.

use super::super::Rewriter;
use super::rows::Rows;
use crate::analysis::fails::is_at_most;
use crate::analysis::index_map::IndexMap;
use crate::analysis::polynomial::{Atom, Poly};
use crate::analysis::shape::{Shapes, Size};
use crate::build::{Arr, FunBuilder};
use crate::term::{AccOp, ArrId, Axis, Fun, Labelled, Move};
use crate::types::{ArrayType, ScalarType};

type Op = AccOp<Labelled>;
type How = Move<Fun<Labelled>>;

impl Rewriter<'_> {
    /// A move, of elements of a type, to rows of the given extents.
    pub(super) fn moved_rows(
        &mut self,
        how: &How,
        (arg, elem): (ArrId, ScalarType),
        inner: &[Size],
        rows: &mut Rows,
    ) -> Option<Op> {
        let rank = self.facts.shapes.sizes(arg)?.len();
        let own = Arr::new(arg, ArrayType::new(elem, rank));
        match how {
            Move::Reshape { shape: _ } => {
                let shape = self.space_of_all(inner, rows);
                let arg = self.lead(&own, rows)?.name;
                let how = Move::Reshape { shape };
                Some(AccOp::Move { how, arg })
            }
            Move::Expect { shape: _ } => {
                let shape = self.space_of_all(inner, rows);
                let arg = self.lead(&own, rows)?.name;
                let how = Move::Expect { shape };
                Some(AccOp::Move { how, arg })
            }
            Move::Stored => {
                let arg = self.lead(&own, rows)?.name;
                let how = Move::Stored;
                Some(AccOp::Move { how, arg })
            }
            Move::Replicate { axes, extents: _ } => self.replicated_rows(axes, &own, inner, rows),
            Move::Slice { axes, indices } => {
                let from = self.cut(axes, indices, arg, rows)?;
                self.read_rows(&from, &own, inner, rows)
            }
            Move::Backpermute { shape: _, f } => {
                let from = rows.function(f, &self.facts.shapes);
                self.read_rows(&from, &own, inner, rows)
            }
            Move::Roll { axes, amounts } => {
                let axes = [&[Axis::All], &axes[..]].concat();
                let amounts = rows.is_same(amounts).then(|| amounts.clone())?;
                let arg = self.lead(&own, rows)?.name;
                let how = Move::Roll { axes, amounts };
                Some(AccOp::Move { how, arg })
            }
        }
    }

    /// What each row repeats; an array from outside is repeated along rows as well.
    fn replicated_rows(
        &mut self,
        axes: &[Axis],
        arg: &Arr,
        inner: &[Size],
        rows: &mut Rows,
    ) -> Option<Op> {
        let said = axes.iter().zip(inner);
        let said = said.filter(|(axis, _)| **axis == Axis::Fixed);
        let mut extents: Vec<Size> = said.map(|(_, &size)| size).collect();
        let (outer, arg) = if rows.differs(arg.name) {
            (Axis::All, self.lead(arg, rows)?.name)
        } else {
            extents.insert(0, rows.trips);
            (Axis::Fixed, arg.name)
        };
        let how = Move::Replicate {
            axes: [&[outer], axes].concat(),
            extents: self.facts.shapes.emit_fun(&extents),
        };
        Some(AccOp::Move { how, arg })
    }

    /// Where a slice reads the element at an index of it, from the index of that element with its row; `None` unless the positions
    /// are seen to be in range in all trips.
    fn cut(
        &mut self,
        axes: &[Axis],
        indices: &Fun<Labelled>,
        arg: ArrId,
        rows: &Rows,
    ) -> Option<Fun<Labelled>> {
        let mut b = FunBuilder::new();
        let kept = axes.iter().filter(|axis| **axis == Axis::All).count();
        let index = b.params(&vec![ScalarType::I32; kept + 1]);
        let shapes = &self.facts.shapes;
        let mut positions = rows
            .inline(&mut b, indices, index[0], &[], shapes)
            .into_iter();
        let mut kept = index[1..].iter().copied();
        let coordinates = axes.iter().map(|axis| match axis {
            Axis::All => kept.next(),
            Axis::Fixed => positions.next(),
        });
        let results = coordinates.collect::<Option<_>>()?;
        let from = b.finish(results);
        let map = IndexMap::everywhere(&from, shapes);
        let read = map.coordinates.iter().zip(shapes.sizes(arg)?).zip(axes);
        let mut read = read.filter(|(_, axis)| **axis == Axis::Fixed);
        let is_inside = read.all(|((place, &extent), _)| {
            let place = place.as_ref();
            place.is_some_and(|place| is_below(place, extent, rows.trips, shapes))
        });
        is_inside.then_some(from)
    }

    /// The elements that `from` tells the index of, within the same row if the array has rows.
    fn read_rows(
        &mut self,
        from: &Fun<Labelled>,
        arg: &Arr,
        inner: &[Size],
        rows: &mut Rows,
    ) -> Option<Op> {
        let mut f = from.clone();
        let mut arg = arg.clone();
        if rows.differs(arg.name) {
            arg = self.lead(&arg, rows)?;
            f.body.results.insert(0, f.params[0].name);
        }
        let shape = self.space_of_all(inner, rows);
        let how = Move::Backpermute { shape, f };
        Some(AccOp::Move { how, arg: arg.name })
    }
}

/// Whether a position that depends on the row alone is seen to be below an extent: a literal, or the row's, from either end.
fn is_below(place: &Poly, extent: Size, trips: Size, shapes: &Shapes) -> bool {
    if let Some(place) = place.as_constant() {
        let extent = Poly::of_size(shapes, extent).as_constant();
        return extent.is_some_and(|n| (0..n).contains(&place));
    }
    let row = Poly::atom(Atom::Param(0));
    let last = Poly::of_size(shapes, trips).minus(&Poly::constant(1));
    (*place == row || *place == last.minus(&row)) && is_at_most(trips, extent, shapes)
}
