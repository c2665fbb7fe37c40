//! Results that are arrays which exist already.

use super::Rewriter;
use crate::analysis::fails::may_fail;
use crate::constant::Const;
use crate::term::{AccOp, ArrBind, ArrId, Combine, ExpId, ExpOp, Fun, Labelled};

type Binds<'a> = &'a [ArrBind<Labelled>];

impl Rewriter<'_> {
    /// For each result of `op`, whose shapes are recorded, the array that it is a copy of.
    pub(super) fn copies(&mut self, op: &AccOp<Labelled>, binds: Binds<'_>) -> Vec<Option<ArrId>> {
        match op {
            AccOp::Map { f, args } => {
                let own = |x: ExpId| f.params.iter().position(|p| p.name == x).map(|p| args[p]);
                self.columns(f, binds, "map_identity", own)
            }
            AccOp::Generate { shape: _, f } => {
                self.columns(f, binds, "generate_copy", |x| copied(f, x))
            }
            AccOp::Move { how, arg } => vec![self.moved_copy(how, *arg, binds[0].name)],
            AccOp::Permute {
                combine,
                outside: _,
                defaults,
                target,
                args,
            } => {
                let never = target.constant_result(0) == Some(Const::Bool(false));
                let reports = may_fail(op, &mut self.facts.shapes);
                let columns = defaults.iter().zip(args);
                let copy = |(&default, &arg): (&ArrId, &ArrId)| {
                    let nothing = never || *combine == Combine::Add && self.is_zero(arg);
                    let copy = nothing && !reports && self.has_shape(binds, default);
                    self.copy("permute_nothing", copy, default)
                };
                columns.map(copy).collect()
            }
            AccOp::Append { args } => match args[..] {
                [only] => vec![self.copy("append_one", true, only)],
                [..] => vec![None],
            },
            AccOp::Use(_)
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Unpack { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => vec![None; binds.len()],
        }
    }

    pub(super) fn copy(
        &mut self,
        rule: &'static str,
        holds: bool,
        original: ArrId,
    ) -> Option<ArrId> {
        if holds {
            self.counts.fire(rule);
        }
        holds.then_some(original)
    }

    /// Whether adding the elements of `array` changes nothing; as for the rule `add_zero`.
    pub(super) fn is_zero(&self, array: ArrId) -> bool {
        self.facts.fill_of(array).is_some_and(Const::is_zero)
    }

    /// Whether the first result has the shape of `array`.
    fn has_shape(&self, binds: Binds<'_>, array: ArrId) -> bool {
        self.facts.shapes.same(binds[0].name, array)
    }

    /// The copies among the results of an elementwise operation: of the array that `original` finds for the
    /// variable, and of results before it.
    fn columns(
        &mut self,
        f: &Fun<Labelled>,
        binds: Binds<'_>,
        rule: &'static str,
        original: impl Fn(ExpId) -> Option<ArrId>,
    ) -> Vec<Option<ArrId>> {
        let results = &f.body.results;
        let mut copies: Vec<Option<ArrId>> = vec![];
        for (k, &x) in results.iter().enumerate() {
            let array = original(x).filter(|&a| self.has_shape(binds, a));
            let copy = if let Some(array) = array {
                self.copy(rule, true, array)
            } else if let Some(before) = results[..k].iter().position(|&y| y == x) {
                self.copy("duplicate_result", true, binds[before].name)
            } else {
                None
            };
            copies.push(copy);
        }
        copies
    }
}

/// The array that a function from index to element reads at that very index.
fn copied(f: &Fun<Labelled>, x: ExpId) -> Option<ArrId> {
    let read = f
        .body
        .lets
        .iter()
        .find(|l| l.binds.iter().any(|b| b.name == x))?;
    let ExpOp::Index { array, index } = &read.op else {
        return None;
    };
    let own = f.params.iter().map(|p| p.name);
    own.eq(index.iter().copied())
        .then(|| f.captures[array.0 as usize])
}
