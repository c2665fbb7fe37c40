//! Loops of array code become loops of steps.
//!
//! What is carried has memory of its own. An extent of it that no trip changes is the one that it has before the loop, so
//! all that is known of that holds inside, too; others are symbols that change from trip to trip. The number of a trip is a
//! value of the host.

use crate::code::{HOST, HostValue};
use crate::draft::Draft;
use crate::env::{Environment, Storage};
use crate::facts::Range;
use crate::groups::Item;
use crate::in_place::updated;
use crate::inline::Inliner;
use crate::lower::Lowering;
use crate::memory::Origin;
use crate::sites::site_of;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::schedule::{ArrayId, Carried, Repeat, Step, SymbolId};
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

impl<'p> ArrayLoop<'p> {
    pub(crate) fn new(
        trips: &'p Fun<Labelled>,
        test: &'p Option<AccClosure<Labelled>>,
        step: &'p AccClosure<Labelled>,
        args: &'p [ArrId],
    ) -> Self {
        Self {
            trips,
            test: test.as_ref(),
            step,
            args,
        }
    }
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
            let updates = updated(of.step, &self.uses);
            self.uses.needed_early(updates.early);
            self.env.may_update(updates.permutes);
        }
        let trips = self.inliner().closed(of.trips)[0];
        let first = of.args.iter().map(|&a| self.materialise_apart(a, let_));
        let first: Vec<_> = first.collect();
        let most = self.draft.symbols(&[trips])[0];
        let state = State::new(&mut self.draft, let_, &first, &kept);
        let (number, k) = counted(&mut self.draft, trips);
        let test = of.test.map(|test| {
            state.define(&mut self.env, &self.draft, (let_, test), k);
            let (holds, steps) = self.branch(|me| {
                me.block(&test.body);
                truth(&mut me.inliner(), test.body.results[0], let_)
            });
            (steps, holds)
        });
        state.define(&mut self.env, &self.draft, (let_, of.step), k);
        let carried = state.arrays.iter();
        carried.for_each(|&(_, inside)| self.env.carry(inside));
        let results = &of.step.body.results;
        self.draft.reasons.ask_all(results, Kept::Carried);
        let (next, body) = self.branch(|me| {
            me.block(&of.step.body);
            let next = results.iter().map(|&a| me.materialise_apart(a, let_));
            let arrays = next.collect::<Vec<_>>().into_iter().enumerate();
            let fitting =
                arrays.map(|(i, array)| me.fitting(array, state.arrays[i].1, &kept[i], let_));
            fitting.collect::<Vec<_>>()
        });
        let (made, made_value) = self.draft.fresh_extent(false);
        let (symbols, arrays) = state.carried(&mut self.env, &mut self.draft, let_, &next);
        let known = Storage::Known(let_, made_value);
        let count = let_.binds[0].name;
        self.env.define(count, ScalarType::I32, vec![], known);
        let site = self.draft.sites.of(let_);
        self.draft.steps.push(Step::Repeat(Repeat {
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

    /// The array, or a copy of the extents that it is known to have.
    fn fitting(
        &mut self,
        array: ArrayId,
        inside: ArrayId,
        kept: &[bool],
        let_: &'p AccLet<Labelled>,
    ) -> ArrayId {
        let memory = &self.draft.memory;
        let extents = (0..kept.len()).map(|axis| match kept[axis] {
            true => memory.extents(inside)[axis],
            false => memory.extents(array)[axis],
        });
        let extents: Vec<_> = extents.collect();
        let symbols = memory.symbols(array).iter().zip(memory.symbols(inside));
        let fits = |((own, wanted), kept): ((_, _), &bool)| !kept || own == wanted;
        if symbols.zip(kept).all(fits) {
            return array;
        }
        let elem = memory.elem(array);
        let id = self.draft.array_here(elem, extents.clone(), let_);
        self.draft.reasons.made_for(id, Kept::Carried);
        self.write(&[(Item::Move(array, let_), id)], &extents);
        id
    }
}

/// The number of a trip: at least 0, and below their number.
fn counted(draft: &mut Draft, trips: HostValue) -> (SymbolId, HostValue) {
    let (number, k) = draft.fresh_extent(false);
    let below = Range::below(trips, draft.codes.range(HOST, trips.0));
    draft.codes.narrow(HOST, k.0, below);
    (number, k)
}

/// The symbol of the one element of an array.
fn truth(inliner: &mut Inliner<'_, '_>, array: ArrId, let_: &AccLet<Labelled>) -> SymbolId {
    let values = inliner.elements(HOST, (let_, &[array]), &[]);
    inliner.draft.symbols(&[HostValue(values[0])])[0]
}

impl State {
    /// The arrays that the code of a trip sees.
    fn new(
        draft: &mut Draft,
        let_: &AccLet<Labelled>,
        first: &[ArrayId],
        kept: &[Vec<bool>],
    ) -> Self {
        let mut state = Self {
            arrays: vec![],
            extents: vec![],
        };
        for (position, (&first, kept)) in first.iter().zip(kept).enumerate() {
            let mut extents = draft.memory.extents(first).to_vec();
            for axis in (0..extents.len()).filter(|&axis| !kept[axis]) {
                let (symbol, value) = draft.fresh_extent(false);
                extents[axis] = value;
                let before = draft.memory.symbols(first)[axis];
                state.extents.push((position, axis, before, symbol));
            }
            let elem = draft.memory.elem(first);
            let inside = draft.array(elem, extents, site_of(let_), Origin::Given);
            draft.reasons.made_for(inside, Kept::Carried);
            state.arrays.push((first, inside));
        }
        state
    }

    /// Defines the parameters of a closure.
    fn define<'p>(
        &self,
        env: &mut Environment<'p>,
        draft: &Draft,
        (let_, closure): (&'p AccLet<Labelled>, &'p AccClosure<Labelled>),
        k: HostValue,
    ) {
        for (position, param) in closure.params.iter().enumerate() {
            let (extents, storage) = match position.checked_sub(1) {
                None => (vec![], Storage::Known(let_, k)),
                Some(i) => {
                    let inside = self.arrays[i].1;
                    let extents = draft.memory.extents(inside).to_vec();
                    (extents, Storage::Manifest(inside))
                }
            };
            env.define(param.name, param.ty.elem, extents, storage);
        }
    }

    /// What the loop carries, and its results.
    fn carried(
        &self,
        env: &mut Environment<'_>,
        draft: &mut Draft,
        let_: &AccLet<Labelled>,
        next: &[ArrayId],
    ) -> (Vec<Carried<SymbolId>>, Vec<Carried<ArrayId>>) {
        let (mut symbols, mut arrays) = (vec![], vec![]);
        for (position, (&(first, inside), &next)) in self.arrays.iter().zip(next).enumerate() {
            let bind = &let_.binds[position + 1];
            let mut extents = draft.memory.extents(inside).to_vec();
            for &(of, axis, first, inside) in &self.extents {
                if of == position {
                    let (last, value) = draft.fresh_extent(false);
                    let next = draft.memory.symbols(next)[axis];
                    extents[axis] = value;
                    symbols.push(Carried {
                        first,
                        inside,
                        next,
                        last,
                    });
                }
            }
            let elem = bind.ty.elem;
            let last = draft.array(elem, extents.clone(), site_of(let_), Origin::Given);
            draft.reasons.made_for(last, Kept::Carried);
            env.define(bind.name, elem, extents, Storage::Manifest(last));
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
