//! Array conditionals: both branches become lists of steps, and what they result in is merged.
//!
//! Results of branches are arrays with memory of their own. Extents that are one value of the host in both
//! branches stay that value; the others become symbols that the `If` defines.

use crate::code::{HOST, HostValue};
use crate::draft::Draft;
use crate::env::Storage;
use crate::lower::Lowering;
use crate::memory::Origin;
use crate::sites::site_of;
use cotangent_core::constant::Const;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::schedule::{ArrayId, Step, SymbolId};
use cotangent_core::term::{AccBlock, AccLet, Fun, Labelled};
use std::collections::HashMap;

/// What an `If` defines.
#[derive(Default)]
struct Merge {
    symbols: Vec<(SymbolId, SymbolId, SymbolId)>,
    known: HashMap<(SymbolId, SymbolId), HostValue>,
    arrays: Vec<(ArrayId, ArrayId, ArrayId)>,
}

impl<'p> Lowering<'p> {
    pub(crate) fn conditional(
        &mut self,
        let_: &'p AccLet<Labelled>,
        cond: &'p Fun<Labelled>,
        (then_, else_): (&'p AccBlock<Labelled>, &'p AccBlock<Labelled>),
    ) {
        let cond = self.inliner().closed(cond)[0];
        let read = self.uses.read_results(let_);
        for branch in [then_, else_] {
            self.draft.reasons.ask_all(&branch.results, Kept::Branch);
        }
        let literal = self.draft.codes.as_const(HOST, cond.0);
        if let Some(holds) = literal.and_then(Const::as_bool) {
            self.draft.codes.fire("decide conditional");
            return self.taken(let_, if holds { then_ } else { else_ }, &read);
        }
        let cond = self.draft.symbols(&[cond])[0];
        let (then_ids, then_steps) = self.branch(|me| me.branch_results(let_, then_, &read));
        let (else_ids, else_steps) = self.branch(|me| me.branch_results(let_, else_, &read));
        let mut merge = Merge::default();
        for ((&r, then_id), else_id) in read.iter().zip(then_ids).zip(else_ids) {
            let bind = &let_.binds[r];
            let draft = &mut self.draft;
            let extents = merge.extents(draft, then_id, else_id);
            let id = draft.array(bind.ty.elem, extents.clone(), site_of(let_), Origin::Given);
            draft.reasons.made_for(id, Kept::Conditional);
            merge.arrays.push((id, then_id, else_id));
            self.env
                .define(bind.name, bind.ty.elem, extents, Storage::Manifest(id));
        }
        self.draft.steps.push(Step::If {
            cond,
            then_: then_steps,
            else_: else_steps,
            symbols: merge.symbols,
            arrays: merge.arrays,
        });
    }

    /// Lowers a branch that is always taken, as if it stood here.
    fn taken(&mut self, let_: &AccLet<Labelled>, block: &'p AccBlock<Labelled>, read: &[usize]) {
        self.block(block);
        for &r in read {
            let (bind, result) = (&let_.binds[r], block.results[r]);
            let id = self.materialise(result);
            let extents = self.env.extents(result).to_vec();
            self.env
                .define(bind.name, bind.ty.elem, extents, Storage::Manifest(id));
        }
    }

    /// Lowers a branch; gives the memory of the results that are read.
    fn branch_results(
        &mut self,
        let_: &'p AccLet<Labelled>,
        block: &'p AccBlock<Labelled>,
        read: &[usize],
    ) -> Vec<ArrayId> {
        self.block(block);
        let apart = |&r: &usize| self.materialise_apart(block.results[r], let_);
        read.iter().map(apart).collect()
    }
}

impl Merge {
    /// The extents of an array that is one of two.
    fn extents(&mut self, draft: &mut Draft, then_: ArrayId, else_: ArrayId) -> Vec<HostValue> {
        let sides = [then_, else_].map(|id| {
            let extents = draft.memory.extents(id).iter().copied();
            let symbols = draft.memory.symbols(id).iter().copied();
            extents.zip(symbols).collect::<Vec<_>>()
        });
        let [then_, else_] = sides;
        let pairs = then_.into_iter().zip(else_);
        pairs
            .map(|((x, x_symbol), (y, y_symbol))| {
                if x == y {
                    return x;
                }
                let known = self.known.get(&(x_symbol, y_symbol)).copied();
                known.unwrap_or_else(|| {
                    let (symbol, value) = draft.fresh_extent(false);
                    self.symbols.push((symbol, x_symbol, y_symbol));
                    self.known.insert((x_symbol, y_symbol), value);
                    value
                })
            })
            .collect()
    }
}
