//! Array conditionals: both branches become lists of steps, and what they result in is merged.
//!
//! Results of branches are arrays with memory of their own. Extents that are one value of the host in both
//! branches stay that value; the others become symbols that the `If` defines.

use crate::code::HostValue;
use crate::groups::Item;
use crate::lower::{Lowering, Storage};
use crate::memory::Origin;
use cotangent_core::schedule::kept::Kept;
use cotangent_core::schedule::{ArrayId, Layout, Step, SymbolId};
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
        let cond = self.closed(cond)[0];
        let read = self.uses.read_results(let_);
        self.ask_for_branch(then_);
        self.ask_for_branch(else_);
        if let Some(holds) = self.literal_truth(cond) {
            self.codes.fire("decide conditional");
            return self.taken(let_, if holds { then_ } else { else_ }, &read);
        }
        let cond = self.symbols(&[cond])[0];
        let (then_ids, then_steps) = self.branch(|me| me.branch_results(let_, then_, &read));
        let (else_ids, else_steps) = self.branch(|me| me.branch_results(let_, else_, &read));
        let mut merge = Merge::default();
        for ((&r, then_id), else_id) in read.iter().zip(then_ids).zip(else_ids) {
            let bind = &let_.binds[r];
            let extents = self.merge_extents(then_id, else_id, &mut merge);
            let site = Self::site_of(let_);
            let id = self.array(bind.ty.elem, extents.clone(), site, Origin::Given);
            self.reasons.made_for(id, Kept::Conditional);
            merge.arrays.push((id, then_id, else_id));
            self.define(bind.name, bind.ty.elem, extents, Storage::Manifest(id));
        }
        self.steps.push(Step::If {
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
            let extents = self.extents(result).to_vec();
            self.define(bind.name, bind.ty.elem, extents, Storage::Manifest(id));
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
        let results = read.iter().map(|&r| block.results[r]);
        results
            .map(|result| {
                let id = self.materialise(result);
                match self.arrays[id.index()].layout {
                    Layout::Own => id,
                    Layout::View { .. } => self.copy_of(id, let_),
                }
            })
            .collect()
    }

    /// A copy of an array, in memory of its own.
    pub(crate) fn copy_of(&mut self, of: ArrayId, let_: &'p AccLet<Labelled>) -> ArrayId {
        let (elem, extents) = {
            let array = &self.arrays[of.index()];
            (array.elem, array.extents.clone())
        };
        let origin = Origin::Kernel(self.steps.depth());
        let id = self.array(elem, extents.clone(), Self::site_of(let_), origin);
        self.reasons.made_for(id, Kept::Branch);
        self.write(&[(Item::Move(of, let_), id)], &extents);
        id
    }

    fn merge_extents(
        &mut self,
        then_: ArrayId,
        else_: ArrayId,
        merge: &mut Merge,
    ) -> Vec<HostValue> {
        let sides = [then_, else_].map(|id| {
            let array = &self.arrays[id.index()];
            let extents = array.extents.iter().copied();
            extents.zip(array.symbols.clone()).collect::<Vec<_>>()
        });
        let [then_, else_] = sides;
        let pairs = then_.into_iter().zip(else_);
        pairs
            .map(|((x, x_symbol), (y, y_symbol))| {
                if x == y {
                    return x;
                }
                let known = merge.known.get(&(x_symbol, y_symbol)).copied();
                known.unwrap_or_else(|| {
                    let (symbol, value) = self.fresh_extent(false);
                    merge.symbols.push((symbol, x_symbol, y_symbol));
                    merge.known.insert((x_symbol, y_symbol), value);
                    value
                })
            })
            .collect()
    }
}
