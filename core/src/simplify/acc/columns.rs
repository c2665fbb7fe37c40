//! Results of one operation that have nothing to do with each other.
//!
//! Forward mode makes values and tangents by the same operation: a `map` or `generate` of more results, a fold of pairs. The values depend on
//! the point alone, so they may be known already, from the primal or from another derivative at that point; and in a loop over
//! directions every trip would make them anew.

use super::Rewriter;
use super::anonymous;
use super::dead::needed_components;
use crate::analysis::usage::{depending_results, used_params};
use crate::simplify::counts::RuleCounts;
use crate::simplify::exp::clean;
use crate::simplify::keep;
use crate::term::{AccLet, AccOp, ArrBind, ArrId, Fun, Labelled};
use std::collections::HashSet;

/// How many results an operation may have for each of them to be looked at by itself: that takes time in proportion to
/// their number times the length of the function.
const MAX_COLUMNS: usize = 8;

impl Rewriter<'_> {
    /// For each result of an operation another name, if an operation that dominates makes it by itself.
    pub(super) fn known_columns(
        &mut self,
        op: &AccOp<Labelled>,
        binds: &[ArrBind<Labelled>],
    ) -> Vec<Option<ArrId>> {
        if binds.len() > MAX_COLUMNS {
            return self.known_together(op, binds.len());
        }
        let known = |rewriter: &mut Self, column| {
            let alone = rewriter.without_others(op, binds.len(), column)?.0;
            let known = rewriter.available.get(&anonymous(&alone))?.first().copied();
            rewriter.counts.fire("column_cse");
            known
        };
        (0..binds.len()).map(|column| known(self, column)).collect()
    }

    /// The same where there are many: for those that depend on nothing in the innermost loop, if one operation makes them all.
    fn known_together(&mut self, op: &AccOp<Labelled>, count: usize) -> Vec<Option<ArrId>> {
        let wanted = self.of_outside(op).filter(|_| self.is_derived());
        let wanted = wanted.filter(|wanted| wanted.contains(&true) && wanted.contains(&false));
        let some = wanted.and_then(|wanted| Some((self.some_of(op, &wanted)?, wanted)));
        let found = some.and_then(|(alone, wanted)| {
            let known = self.available.get(&anonymous(&alone))?;
            Some((known.clone().into_iter(), wanted))
        });
        let Some((mut known, wanted)) = found else {
            return vec![None; count];
        };
        self.counts.fire("columns_cse");
        let name = |wanted: bool| wanted.then(|| known.next()).flatten();
        wanted.into_iter().map(name).collect()
    }

    /// For each result of a map or `generate` in a loop, whether it depends on nothing in that loop.
    fn of_outside(&self, op: &AccOp<Labelled>) -> Option<Vec<bool>> {
        let outside = self.outside?;
        let is_older = |array: ArrId| self.facts.shapes.is_older(array, outside);
        let (f, known) = match op {
            AccOp::Map { f, args } => (f, args.iter().map(|&a| is_older(a)).collect()),
            AccOp::Generate { shape: _, f } => (f, vec![true; f.params.len()]),
            AccOp::Fold { .. } | AccOp::Scan { .. } => return None,
            AccOp::Use(_) | AccOp::Move { .. } | AccOp::Permute { .. } => return None,
            AccOp::Unpack { .. } | AccOp::Append { .. } | AccOp::Cond { .. } => return None,
            AccOp::Argsort { .. } | AccOp::FoldSegments { .. } => return None,
            AccOp::Derivative { .. } | AccOp::Custom { .. } | AccOp::Loop { .. } => return None,
        };
        let depends: Vec<bool> = depending_results(f, (&known, is_older));
        Some(depends.into_iter().map(|depends| !depends).collect())
    }

    /// Moves the results of an operation in the step of a loop that depend on nothing `inside` in front of the loop.
    pub(super) fn move_columns_out(
        &mut self,
        let_: &mut AccLet<Labelled>,
        inside: &HashSet<ArrId>,
    ) {
        for column in (0..let_.binds.len()).rev() {
            let count = let_.binds.len();
            let Some((op, others)) = self.without_others(&let_.op, count, column) else {
                continue;
            };
            let alone = AccLet {
                binds: vec![let_.binds[column].clone()],
                op,
                loc: let_.loc,
            };
            let is_bound = alone.op.free().iter().any(|array| inside.contains(array));
            if !is_bound && self.is_total(&alone) {
                self.counts.fire("loop_invariant_column");
                let_.binds.remove(column);
                let_.op = others;
                self.lets.push(alone);
            }
        }
    }

    /// An operation for one of its results, and one for all others, of the same shapes; `None` where they need each other.
    fn without_others(
        &mut self,
        op: &AccOp<Labelled>,
        count: usize,
        column: usize,
    ) -> Option<(AccOp<Labelled>, AccOp<Labelled>)> {
        if !self.is_derived() || !(2..=MAX_COLUMNS).contains(&count) {
            return None;
        }
        let alone: Vec<bool> = (0..count).map(|other| other == column).collect();
        let others: Vec<bool> = alone.iter().map(|own| !own).collect();
        Some((self.some_of(op, &alone)?, self.some_of(op, &others)?))
    }

    /// The operation for some of its results; `None` where these need others, or the others' arguments for their shape.
    fn some_of(&mut self, op: &AccOp<Labelled>, wanted: &[bool]) -> Option<AccOp<Labelled>> {
        match op {
            AccOp::Map { f, args } => {
                let mut f = some_results(f, wanted);
                let used = used_params(&f);
                keep(&mut f.params, &used);
                let args = self.some_args(args, &used)?;
                Some(AccOp::Map { f, args })
            }
            AccOp::Generate { shape, f } => {
                let (shape, f) = (shape.clone(), some_results(f, wanted));
                Some(AccOp::Generate { shape, f })
            }
            AccOp::Fold { f, init, args } => {
                let args = self.some_args(args, wanted)?;
                let f = some_components(f, wanted)?;
                let init = init.as_ref().map(|init| some_results(init, wanted));
                Some(AccOp::Fold { f, init, args })
            }
            AccOp::Scan {
                direction,
                f,
                init,
                args,
            } => {
                let args = self.some_args(args, wanted)?;
                let f = some_components(f, wanted)?;
                let init = init.as_ref().map(|init| some_results(init, wanted));
                let direction = *direction;
                Some(AccOp::Scan {
                    direction,
                    f,
                    init,
                    args,
                })
            }
            AccOp::Use(_)
            | AccOp::Move { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Append { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => None,
        }
    }

    /// Some of the arguments, if they have the intersection of all.
    fn some_args(&mut self, args: &[ArrId], wanted: &[bool]) -> Option<Vec<ArrId>> {
        let mut kept = args.to_vec();
        keep(&mut kept, wanted);
        let all = self.facts.shapes.intersection(args)?;
        (self.facts.shapes.intersection(&kept)? == all).then_some(kept)
    }
}

/// A function for some of its results.
fn some_results(f: &Fun<Labelled>, wanted: &[bool]) -> Fun<Labelled> {
    let mut f = f.clone();
    keep(&mut f.body.results, wanted);
    // What is dropped here was not there before.
    clean(&mut f, &mut RuleCounts::default());
    f
}

/// An operator for some components, if these need no others.
fn some_components(f: &Fun<Labelled>, wanted: &[bool]) -> Option<Fun<Labelled>> {
    if needed_components(f, wanted.to_vec()) != wanted {
        return None;
    }
    let mut f = f.clone();
    keep(&mut f.params, &[wanted, wanted].concat());
    Some(some_results(&f, wanted))
}
