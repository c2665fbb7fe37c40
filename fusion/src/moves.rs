//! Moves: where an element comes from, what it costs to find that, and by what a move fails whatever its elements are.

use crate::code::{CodeId, HOST, HostValue};
use crate::cost;
use crate::lower::Lowering;
use crate::slice::all_results;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Check, SiteId, ValueId};
use cotangent_core::term::{AccLet, ArrId, Axis, Fun, Labelled, Move, MoveFails};

/// The cost of one coordinate of a roll.
const ROLLED_COORDINATE: u64 = 4;

impl<'p> Lowering<'p> {
    /// An element of a move of `arg`, computed here.
    pub(crate) fn moved(
        &mut self,
        code: CodeId,
        (let_, how, arg): (&'p AccLet<Labelled>, &'p Move<Fun<Labelled>>, ArrId),
        index: &[ValueId],
        guard: Option<ValueId>,
        mut site: SiteId,
    ) -> ValueId {
        let index = match how {
            Move::Reshape { shape: _ } => self.reshaped(code, let_, arg, index),
            Move::Replicate { axes, extents: _ } => {
                let kept = axes.iter().zip(index);
                let kept = kept.filter(|(axis, _)| **axis == Axis::All);
                kept.map(|(_, &v)| v).collect()
            }
            Move::Slice { axes, indices } => self.sliced(code, axes, indices, index),
            Move::Backpermute { shape: _, f } => {
                let index = self.apply(code, f, index, guard);
                site = self.site(Self::site_of(let_));
                index
            }
            Move::Roll { axes, amounts } => self.rolled(code, (axes, amounts), arg, index),
        };
        self.element(code, arg, &index, guard, site)
    }

    fn sliced(
        &mut self,
        code: CodeId,
        axes: &[Axis],
        indices: &Fun<Labelled>,
        index: &[ValueId],
    ) -> Vec<ValueId> {
        let mut fixed = self.closed(indices).into_iter();
        let mut kept = index.iter().copied();
        let coordinate = |axis: &Axis| match axis {
            Axis::All => kept.next(),
            Axis::Fixed => fixed.next().map(|h| self.codes.leaf(code, h)),
        };
        axes.iter().filter_map(coordinate).collect()
    }

    /// The index into the argument of a roll. An amount is less than the extent, so one addition brings a coordinate back.
    fn rolled(
        &mut self,
        code: CodeId,
        (axes, amounts): (&[Axis], &Fun<Labelled>),
        arg: ArrId,
        index: &[ValueId],
    ) -> Vec<ValueId> {
        let mut amounts = self.closed(amounts).into_iter();
        let extents = self.extents(arg).to_vec();
        let inside = self.codes.is_in_range(code, index, &extents, None);
        let zero = self.codes.constant(code, 0);
        let mut source = index.to_vec();
        for (place, (axis, &extent)) in source.iter_mut().zip(axes.iter().zip(&extents)) {
            let amount = match axis {
                Axis::All => None,
                Axis::Fixed => amounts.next(),
            };
            if let Some(amount) = amount {
                let amount = self.codes.host_prim(Prim::ModFloor, &[amount, extent]);
                let (amount, whole) =
                    (self.codes.leaf(code, amount), self.codes.leaf(code, extent));
                let back = self.codes.prim(code, Prim::Sub, &[*place, amount]);
                let around = self.codes.prim(code, Prim::Add, &[back, whole]);
                let below = self.codes.prim(code, Prim::Lt, &[back, zero]);
                *place = self.codes.prim(code, Prim::Select, &[below, around, back]);
                if inside {
                    self.bound(code, *place, extent);
                }
            }
        }
        source
    }

    /// The cost of finding where an element comes from.
    pub(crate) fn cost_of_place(&self, how: &Move<Fun<Labelled>>, arg: ArrId) -> u64 {
        match how {
            Move::Reshape { shape: _ } => self.extents(arg).len() as u64 * cost::DIVIDED_COORDINATE,
            Move::Replicate { .. } | Move::Slice { .. } => 0,
            Move::Backpermute { shape: _, f } => cost::fun(f, &all_results(f), &|a| self.cost(a)),
            Move::Roll { axes, amounts: _ } => {
                let rolled = axes.iter().filter(|axis| **axis == Axis::Fixed);
                rolled.count() as u64 * ROLLED_COORDINATE
            }
        }
    }

    /// The conditions under which a move fails whatever its elements are.
    pub(crate) fn check_move(
        &mut self,
        let_: &'p AccLet<Labelled>,
        (how, arg): (&'p Move<Fun<Labelled>>, ArrId),
        extents: &[HostValue],
    ) {
        match how.fails() {
            MoveFails::Never => {}
            MoveFails::ByShape | MoveFails::ByElement(_) => self.check_shape(let_, extents),
            MoveFails::BySize => {
                self.check_shape(let_, extents);
                let from = self.extents(arg).to_vec();
                if from != extents {
                    let (from, to) = (self.symbols(&from), self.symbols(extents));
                    self.check(Check::SameSize { from, to }, let_);
                }
            }
            MoveFails::ByPositions(axes, indices) => self.check_slice(let_, axes, indices, arg),
        }
    }

    fn check_slice(
        &mut self,
        let_: &'p AccLet<Labelled>,
        axes: &[Axis],
        indices: &Fun<Labelled>,
        arg: ArrId,
    ) {
        let cut = axes.iter().zip(self.extents(arg));
        let cut = cut.filter(|(axis, _)| **axis == Axis::Fixed);
        let cut: Vec<_> = cut.map(|(_, &extent)| extent).collect();
        for (index, extent) in self.closed(indices).into_iter().zip(cut) {
            let is_inside = self.codes.is_in_range(HOST, &[index.0], &[extent], None);
            if !is_inside || self.is_read(index) {
                let symbols = self.symbols(&[index, extent]);
                let (index_symbol, extent_symbol) = (symbols[0], symbols[1]);
                let check = Check::InRange {
                    index: index_symbol,
                    extent: extent_symbol,
                };
                self.check(check, let_);
                self.codes.checked.push((index, extent));
            }
        }
    }
}
