//! The dual of an array conditional: a conditional of duals (§3.4.4 of paper 003, "Conditionals").
//!
//! The dual of a branch is built first; what it turns out to need of the primal branch, the primal
//! conditional then exports as further results, empty arrays where the other branch is taken: the dual
//! does not look at those, since it takes the same branch.
//!
//! Where adjoints are updated in place, as in a loop, a branch goes on with what has been contributed to them before the conditional:
//! to add zeros with a few exceptions would cost their whole size.

use super::reverse::Reverse;
use crate::error::AdError;
use crate::rename::{ArrMap, renaming};
use cotangent_core::build::{AccBuilder, Arr};
use cotangent_core::constant::Const;
use cotangent_core::term::{AccBlock, AccLet, AccOp, ArrId, Fun, Labelled};
use cotangent_core::types::ScalarType;
use std::collections::{BTreeMap, BTreeSet};

/// The dual of one branch: its code, and the adjoints it has for arrays around the conditional.
struct Branch {
    block: AccBlock<Labelled>,
    adjoints: BTreeMap<ArrId, Arr>,
}

impl Reverse<'_> {
    /// Pushes the dual of a conditional whose results have the given adjoints.
    pub(super) fn cond(
        &mut self,
        let_: &mut AccLet<Labelled>,
        adjoints: &[Option<Arr>],
    ) -> Result<(), AdError> {
        let loc = let_.loc;
        let AccOp::Cond { cond, then_, else_ } = &mut let_.op else {
            return Err(AdError::Bug("not a conditional".to_owned()));
        };
        let totals = self.updated_inside([then_, else_]);
        let mut then_dual = self.branch(then_, (adjoints, &totals))?;
        let mut else_dual = self.branch(else_, (adjoints, &totals))?;
        self.b.set_loc(loc);
        self.leave_unchanged(totals, [&mut then_dual, &mut else_dual]);
        let keys = then_dual.adjoints.keys().chain(else_dual.adjoints.keys());
        let keys: BTreeSet<ArrId> = keys.copied().collect();
        let outer = self.arrays(&keys.into_iter().collect::<Vec<_>>())?;
        self.complete(&mut then_dual, &outer);
        self.complete(&mut else_dual, &outer);
        export(
            self.b,
            &mut let_.binds,
            (then_, else_),
            &mut then_dual.block,
        );
        export(
            self.b,
            &mut let_.binds,
            (else_, then_),
            &mut else_dual.block,
        );
        self.push_cond(cond.clone(), then_dual.block, else_dual.block, &outer);
        Ok(())
    }

    /// The adjoints so far of the arrays that branches read and whose adjoints are updated in place; they count as taken.
    fn updated_inside(&mut self, branches: [&AccBlock<Labelled>; 2]) -> Vec<(ArrId, Arr)> {
        let read: BTreeSet<ArrId> = branches.iter().flat_map(|block| block.free()).collect();
        let updated = read.into_iter().filter(|&array| self.is_updated(array));
        let updated: Vec<_> = updated.collect();
        let totals = updated.into_iter();
        totals
            .filter_map(|array| Some((array, self.take(array)?)))
            .collect()
    }

    /// Contributes again what no branch has added to.
    fn leave_unchanged(&mut self, totals: Vec<(ArrId, Arr)>, mut branches: [&mut Branch; 2]) {
        for (array, total) in totals {
            let is_same = |branch: &Branch| branch.adjoints.get(&array) == Some(&total);
            if branches.iter().all(|branch| is_same(branch)) {
                for branch in &mut branches {
                    branch.adjoints.remove(&array);
                }
                self.contribute(array, total);
            }
        }
    }

    /// The dual of one branch; contributions start afresh, but for those to what is updated in place.
    fn branch(
        &mut self,
        primal: &mut AccBlock<Labelled>,
        (adjoints, totals): (&[Option<Arr>], &[(ArrId, Arr)]),
    ) -> Result<Branch, AdError> {
        let around = std::mem::take(&mut self.contributions);
        self.b.open();
        for (array, total) in totals {
            self.contribute(*array, total.clone());
        }
        for (&result, adjoint) in primal.results.iter().zip(adjoints) {
            if let Some(result_adj) = adjoint {
                self.contribute(result, result_adj.clone());
            }
        }
        self.walk(primal)?;
        let outer: Vec<ArrId> = self.contributions.keys().copied().collect();
        let sums = outer.into_iter().filter_map(|a| Some((a, self.take(a)?)));
        let adjoints = sums.collect();
        self.contributions = around;
        Ok(Branch {
            block: self.b.close(&[]),
            adjoints,
        })
    }

    /// Makes the adjoints of `outer` the results of a branch, zeros where it has none.
    fn complete(&mut self, branch: &mut Branch, outer: &[Arr]) {
        self.b.open();
        for array in outer {
            let array_adj = match branch.adjoints.get(&array.name) {
                Some(adjoint) => adjoint.clone(),
                None => self.zeros(array),
            };
            branch.block.results.push(array_adj.name);
        }
        branch.block.lets.extend(self.b.close(&[]).lets);
    }

    /// Pushes the dual conditional, whose results are adjoints of `outer`.
    fn push_cond(
        &mut self,
        cond: Fun<Labelled>,
        then_: AccBlock<Labelled>,
        else_: AccBlock<Labelled>,
        outer: &[Arr],
    ) {
        if outer.is_empty() {
            return;
        }
        let types: Vec<_> = outer.iter().map(|a| a.ty).collect();
        let adjoints = self.b.push(AccOp::Cond { cond, then_, else_ }, &types);
        for (array, array_adj) in outer.iter().zip(adjoints) {
            self.contribute(array.name, array_adj);
        }
    }
}

/// Makes the primal conditional export what `dual`, the dual of its branch `taken`, uses of it.
fn export(
    b: &mut AccBuilder,
    binds: &mut Vec<Arr>,
    (taken, other): (&mut AccBlock<Labelled>, &mut AccBlock<Labelled>),
    dual: &mut AccBlock<Labelled>,
) {
    let used: BTreeSet<ArrId> = dual.reads().collect();
    let bound: Vec<Arr> = taken.lets.iter().flat_map(|l| l.binds.clone()).collect();
    let mut map = ArrMap::new();
    b.open();
    let mut empties = vec![];
    for array in bound.iter().filter(|a| used.contains(&a.name)) {
        let exported = b.fresh(array.ty);
        map.insert(array.name, exported.name);
        binds.push(exported);
        taken.results.push(array.name);
        empties.push(empty(b, array));
    }
    let made = b.close(&empties);
    other.lets.extend(made.lets);
    other.results.extend(made.results);
    dual.rename(&renaming(&map));
}

/// An array of the type of `like` without elements; of rank 0, a zero.
fn empty(b: &mut AccBuilder, like: &Arr) -> Arr {
    let rank = like.ty.rank;
    let mut f = cotangent_core::build::FunBuilder::new();
    f.params(&vec![ScalarType::I32; rank]);
    let zero = f.constant(Const::zero(like.ty.elem));
    let shape = Fun::constants(&vec![Const::I32(0); rank]);
    b.generate(shape, f.finish(vec![zero])).remove(0)
}
