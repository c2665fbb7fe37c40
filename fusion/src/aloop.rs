//! Loops of array code become loops of steps.
//!
//! What is carried has memory of its own. An extent of it that no trip changes is the one that it has before the loop, so
//! all that is known of that holds inside, too; others are symbols that change from trip to trip. The number of a trip is a
//! value of the host.

use crate::code::{HOST, HostValue};
use crate::facts::Range;
use crate::groups::Item;
use crate::in_place::updated;
use crate::lower::{Lowering, Storage};
use crate::memory::Origin;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::schedule::{ArrayId, Carried, Layout, Repeat, Step, SymbolId};
use cotangent_core::term::{AccClosure, AccLet, ArrId, Fun, Labelled};
use cotangent_core::types::ScalarType;

/// The parts of a loop.
pub(crate) struct ArrayLoop<'p> {
    /// The most trips.
    pub trips: &'p Fun<Labelled>,
    /// Whether to make a trip.
    pub test: Option<&'p AccClosure<Labelled>>,
    /// What a trip does.
    pub step: &'p AccClosure<Labelled>,
    /// What it begins with.
    pub args: &'p [ArrId],
}

/// What is carried, as far as it is known before the code of a trip.
struct State {
    /// The memory of the arrays before the loop, and inside.
    arrays: Vec<(ArrayId, ArrayId)>,
    /// The extents that may change: which array, which dimension; before the loop, and inside.
    extents: Vec<(usize, usize, SymbolId, SymbolId)>,
}

impl<'p> Lowering<'p> {
    pub(crate) fn array_loop(&mut self, let_: &'p AccLet<Labelled>, of: &ArrayLoop<'p>) {
        let kept = self.uses.kept_extents(of.step, of.args);
        if self.options.fuse {
            self.updated.extend(updated(of.step, &self.uses));
        }
        let trips = self.closed(of.trips)[0];
        let first = self.apart(of.args, let_);
        let most = self.symbols(&[trips])[0];
        let state = self.state(let_, &first, &kept);
        let (number, k) = self.counted(trips);
        let test = of.test.map(|test| {
            self.given(let_, test, k, &state);
            let (holds, steps) = self.branch(|me| {
                me.block(&test.body);
                me.truth(test.body.results[0], let_)
            });
            (steps, holds)
        });
        self.given(let_, of.step, k, &state);
        for &result in &of.step.body.results {
            self.reasons.ask(result, Kept::Carried);
        }
        let (next, body) = self.branch(|me| {
            me.block(&of.step.body);
            let next = me.apart(&of.step.body.results, let_);
            let arrays = next.into_iter().enumerate();
            let fitting =
                arrays.map(|(i, array)| me.fitting(array, state.arrays[i].1, &kept[i], let_));
            fitting.collect::<Vec<_>>()
        });
        let (made, made_value) = self.fresh_extent(false);
        let (symbols, arrays) = self.carried(let_, &state, &next);
        self.define(
            let_.binds[0].name,
            ScalarType::I32,
            vec![],
            Storage::Known(let_, made_value),
        );
        let site = self.site(Self::site_of(let_));
        self.steps.push(Step::Repeat(Repeat {
            site: Some(site),
            most,
            number,
            made,
            test,
            body,
            symbols,
            arrays,
        }));
    }

    /// Memory of its own for each array.
    fn apart(&mut self, arrays: &[ArrId], let_: &'p AccLet<Labelled>) -> Vec<ArrayId> {
        let own = |&array: &ArrId| {
            let id = self.materialise(array);
            match self.arrays[id.index()].layout {
                Layout::Own => id,
                Layout::View { .. } => self.copy_of(id, let_),
            }
        };
        arrays.iter().map(own).collect()
    }

    /// The arrays that the code of a trip sees.
    fn state(&mut self, let_: &AccLet<Labelled>, first: &[ArrayId], kept: &[Vec<bool>]) -> State {
        let mut state = State {
            arrays: vec![],
            extents: vec![],
        };
        for (position, (&first, kept)) in first.iter().zip(kept).enumerate() {
            let (elem, mut extents, symbols) = {
                let array = &self.arrays[first.index()];
                (array.elem, array.extents.clone(), array.symbols.clone())
            };
            for axis in (0..extents.len()).filter(|&axis| !kept[axis]) {
                let (symbol, value) = self.fresh_extent(false);
                extents[axis] = value;
                state.extents.push((position, axis, symbols[axis], symbol));
            }
            let inside = self.array(elem, extents, Self::site_of(let_), Origin::Given);
            self.reasons.made_for(inside, Kept::Carried);
            state.arrays.push((first, inside));
        }
        state
    }

    /// The number of a trip: at least 0, and below their number.
    fn counted(&mut self, trips: HostValue) -> (SymbolId, HostValue) {
        let (number, k) = self.fresh_extent(false);
        let below = Range::below(trips, self.codes.range(HOST, trips.0));
        self.codes.narrow(HOST, k.0, below);
        (number, k)
    }

    /// Defines the parameters of a closure.
    fn given(
        &mut self,
        let_: &'p AccLet<Labelled>,
        closure: &'p AccClosure<Labelled>,
        k: HostValue,
        state: &State,
    ) {
        for (position, param) in closure.params.iter().enumerate() {
            let (extents, storage) = match position.checked_sub(1) {
                None => (vec![], Storage::Known(let_, k)),
                Some(i) => {
                    let inside = state.arrays[i].1;
                    let extents = self.arrays[inside.index()].extents.clone();
                    (extents, Storage::Manifest(inside))
                }
            };
            self.define(param.name, param.ty.elem, extents, storage);
        }
    }

    /// The symbol of the one element of an array.
    fn truth(&mut self, array: ArrId, let_: &AccLet<Labelled>) -> SymbolId {
        let site = self.site(Self::site_of(let_));
        let value = self.element(HOST, array, &[], None, site);
        self.symbols(&[HostValue(value)])[0]
    }

    /// The array, or a copy of the extents that it is known to have.
    fn fitting(
        &mut self,
        array: ArrayId,
        inside: ArrayId,
        kept: &[bool],
        let_: &'p AccLet<Labelled>,
    ) -> ArrayId {
        let (own, wanted) = (&self.arrays[array.index()], &self.arrays[inside.index()]);
        let extents = (0..kept.len()).map(|axis| match kept[axis] {
            true => wanted.extents[axis],
            false => own.extents[axis],
        });
        let extents: Vec<_> = extents.collect();
        let symbols = own.symbols.iter().zip(&wanted.symbols).zip(kept);
        let fits = symbols.map(|((own, wanted), kept)| !kept || own == wanted);
        if fits.into_iter().all(|fits| fits) {
            return array;
        }
        let elem = own.elem;
        let origin = Origin::Kernel(self.steps.depth());
        let id = self.array(elem, extents.clone(), Self::site_of(let_), origin);
        self.reasons.made_for(id, Kept::Carried);
        self.write(&[(Item::Move(array, let_), id)], &extents);
        id
    }

    /// What the loop carries, and its results.
    fn carried(
        &mut self,
        let_: &AccLet<Labelled>,
        state: &State,
        next: &[ArrayId],
    ) -> (Vec<Carried<SymbolId>>, Vec<Carried<ArrayId>>) {
        let (mut symbols, mut arrays) = (vec![], vec![]);
        for (position, (&(first, inside), &next)) in state.arrays.iter().zip(next).enumerate() {
            let bind = &let_.binds[position + 1];
            let mut extents = self.arrays[inside.index()].extents.clone();
            for &(of, axis, first, inside) in &state.extents {
                if of == position {
                    let (last, value) = self.fresh_extent(false);
                    let next = self.arrays[next.index()].symbols[axis];
                    extents[axis] = value;
                    symbols.push(Carried {
                        first,
                        inside,
                        next,
                        last,
                    });
                }
            }
            let last = self.array(
                bind.ty.elem,
                extents.clone(),
                Self::site_of(let_),
                Origin::Given,
            );
            self.reasons.made_for(last, Kept::Carried);
            self.define(bind.name, bind.ty.elem, extents, Storage::Manifest(last));
            arrays.push(Carried {
                first,
                inside,
                next,
                last,
            });
        }
        (symbols, arrays)
    }
}
