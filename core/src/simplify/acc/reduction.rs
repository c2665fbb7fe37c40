//! Rules for folds.

use super::Rewriter;
use crate::constant::Const;
use crate::simplify::exp;
use crate::term::{AccOp, ArrId, Fun, Labelled};
use std::collections::HashMap;

impl Rewriter<'_> {
    /// Reducing what never changes the initial value, such as adding zeros up, gives that value.
    pub(super) fn fold_fill(
        &mut self,
        f: &Fun<Labelled>,
        init: Fun<Labelled>,
        args: &[ArrId],
    ) -> Option<AccOp<Labelled>> {
        let fills = args.iter().map(|&a| self.facts.fill_of(a));
        let fills: Vec<Const> = fills.collect::<Option<_>>()?;
        let start: Vec<Const> = (0..args.len())
            .map(|k| init.constant_result(k))
            .collect::<Option<_>>()?;
        let operands = start.iter().chain(&fills).copied();
        let names = f.params.iter().map(|p| p.name);
        let constants: HashMap<_, _> = names.zip(operands).collect();
        let params = exp::Params {
            constants: &constants,
            space: &[],
        };
        let step = exp::rewrite(f.clone(), &self.facts, &params, &mut Default::default());
        let stays = |k: usize| step.constant_result(k) == Some(start[k]);
        if !(0..args.len()).all(stays) {
            return None;
        }
        let mut sizes = self.facts.shapes.intersection(args)?;
        sizes.pop();
        let op = self.generate_uniform(&sizes, &init)?;
        self.fired("fold_fill", op)
    }
}
