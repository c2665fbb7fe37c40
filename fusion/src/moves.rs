//! Moves: where an element comes from, what it costs to find that, and by what a move fails whatever its elements are.

use crate::code::{CodeId, Codes, HOST, HostValue};
use crate::cost;
use crate::draft::Draft;
use crate::env::Environment;
use crate::inline::Inliner;
use crate::slice::all_results;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Check, SiteId, ValueId};
use cotangent_core::term::{AccLet, ArrId, Axis, Fun, Labelled, Move, MoveFails};

/// The cost of one coordinate of a roll.
const ROLLED_COORDINATE: u64 = 4;

impl<'p> Inliner<'_, 'p> {
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
            Move::Reshape { shape: _ } => {
                let to = self.env.extents(let_.binds[0].name);
                let shapes = (self.env.extents(arg), to);
                self.draft.codes.reshaped(code, shapes, index)
            }
            Move::Expect { shape: _ } | Move::Stored => index.to_vec(),
            Move::Replicate { axes, extents: _ } => {
                let kept = axes.iter().zip(index);
                let kept = kept.filter(|(axis, _)| **axis == Axis::All);
                kept.map(|(_, &v)| v).collect()
            }
            Move::Slice { axes, indices } => self.sliced(code, axes, indices, index),
            Move::Backpermute { shape: _, f } => {
                let index = self.apply(code, f, index, guard);
                site = self.draft.sites.of(let_);
                index
            }
            Move::Roll { axes, amounts } => {
                let (amounts, extents) = (self.closed(amounts), self.env.extents(arg));
                let codes = &mut self.draft.codes;
                codes.rolled(code, (axes, amounts), extents, index)
            }
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
            Axis::Fixed => fixed.next().map(|h| self.draft.codes.leaf(code, h)),
        };
        axes.iter().filter_map(coordinate).collect()
    }
}

impl Codes {
    /// The index into the argument of a roll. An amount is less than the extent, so one addition brings a coordinate back.
    fn rolled(
        &mut self,
        code: CodeId,
        (axes, amounts): (&[Axis], Vec<HostValue>),
        extents: &[HostValue],
        index: &[ValueId],
    ) -> Vec<ValueId> {
        let mut amounts = amounts.into_iter();
        let inside = self.is_in_range(code, index, extents, None);
        let zero = self.constant(code, 0);
        let mut source = index.to_vec();
        for (place, (axis, &extent)) in source.iter_mut().zip(axes.iter().zip(extents)) {
            let amount = match axis {
                Axis::All => None,
                Axis::Fixed => amounts.next(),
            };
            if let Some(amount) = amount {
                let amount = self.host_prim(Prim::ModFloor, &[amount, extent]);
                let (amount, whole) = (self.leaf(code, amount), self.leaf(code, extent));
                let back = self.prim(code, Prim::Sub, &[*place, amount]);
                let around = self.prim(code, Prim::Add, &[back, whole]);
                let below = self.prim(code, Prim::Lt, &[back, zero]);
                *place = self.prim(code, Prim::Select, &[below, around, back]);
                if inside {
                    self.bound(code, *place, extent);
                }
            }
        }
        source
    }
}

/// The cost of finding where an element comes from.
pub(crate) fn cost_of_place(env: &Environment<'_>, how: &Move<Fun<Labelled>>, arg: ArrId) -> u64 {
    match how {
        Move::Reshape { shape: _ } => env.extents(arg).len() as u64 * cost::DIVIDED_COORDINATE,
        Move::Expect { .. } | Move::Replicate { .. } | Move::Slice { .. } | Move::Stored => 0,
        Move::Backpermute { shape: _, f } => cost::fun(f, &all_results(f), &|a| env.cost(a)),
        Move::Roll { axes, amounts: _ } => {
            let rolled = axes.iter().filter(|axis| **axis == Axis::Fixed);
            rolled.count() as u64 * ROLLED_COORDINATE
        }
    }
}

/// The conditions under which a move fails whatever its elements are.
pub(crate) fn check_move(
    env: &Environment<'_>,
    draft: &mut Draft,
    let_: &AccLet<Labelled>,
    (how, arg): (&Move<Fun<Labelled>>, ArrId),
    extents: &[HostValue],
) {
    match how.fails() {
        MoveFails::Never => {}
        MoveFails::ByShape | MoveFails::ByElement(_) => draft.check_shape(let_, extents),
        MoveFails::BySize => {
            draft.check_shape(let_, extents);
            let from = env.extents(arg);
            if from != extents {
                let (from, to) = (draft.symbols(from), draft.symbols(extents));
                draft.check(Check::SameSize { from, to }, let_);
            }
        }
        MoveFails::ByExtents => {
            let found = env.extents(arg);
            if found != extents {
                let (found, expected) = (draft.symbols(found), draft.symbols(extents));
                draft.check(Check::SameShape { found, expected }, let_);
            }
        }
        MoveFails::ByPositions(axes, indices) => {
            let indices = Inliner::new(env, draft).closed(indices);
            check_slice(draft, let_, (axes, indices), env.extents(arg));
        }
    }
}

fn check_slice(
    draft: &mut Draft,
    let_: &AccLet<Labelled>,
    (axes, indices): (&[Axis], Vec<HostValue>),
    extents: &[HostValue],
) {
    let cut = axes.iter().zip(extents);
    let cut = cut.filter(|(axis, _)| **axis == Axis::Fixed);
    for (index, (_, &extent)) in indices.into_iter().zip(cut) {
        let is_inside = draft.codes.is_in_range(HOST, &[index.0], &[extent], None);
        if !is_inside || draft.is_read(index) {
            let symbols = draft.symbols(&[index, extent]);
            let (index_symbol, extent_symbol) = (symbols[0], symbols[1]);
            let check = Check::InRange {
                index: index_symbol,
                extent: extent_symbol,
            };
            draft.check(check, let_);
            draft.codes.note_checked(index, extent);
        }
    }
}
