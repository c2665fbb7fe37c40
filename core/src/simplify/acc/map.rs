//! Rules for `map` and `zip_with`.

use super::Rewriter;
use crate::analysis::shape::Size;
use crate::analysis::usage::used_params;
use crate::build::FunBuilder;
use crate::constant::Const;
use crate::simplify::keep;
use crate::term::{AccOp, ArrId, ExpId, Fun, Labelled};
use crate::types::ScalarType;
use std::collections::HashMap;

impl Rewriter<'_> {
    /// The parameters of the first function of `op` that are constants, as the arguments are filled with one.
    pub(super) fn constant_params(&mut self, op: &AccOp<Labelled>) -> HashMap<ExpId, Const> {
        let AccOp::Map { f, args } = op else {
            return HashMap::new();
        };
        let fills: Vec<_> = args.iter().map(|&a| self.facts.fill_of(a)).collect();
        if fills.iter().all(Option::is_none) {
            return HashMap::new();
        }
        let mut constants = HashMap::new();
        for ((param, used), fill) in f.params.iter().zip(used_params(f)).zip(fills) {
            if let (true, Some(value)) = (used, fill) {
                self.counts.fire("map_fill_argument");
                constants.insert(param.name, value);
            }
        }
        constants
    }

    pub(super) fn map_rules(
        &mut self,
        f: Fun<Labelled>,
        args: Vec<ArrId>,
    ) -> Option<AccOp<Labelled>> {
        let used = used_params(&f);
        if !used.contains(&true) {
            return self.map_to_generate(&f, &args);
        }
        if let Some((i, j)) = duplicate(&args) {
            return Some(self.merge_arguments(f, args, i, j));
        }
        self.drop_arguments(f, args, &used)
    }

    /// A function that ignores its arguments only needs their shape.
    fn map_to_generate(&mut self, f: &Fun<Labelled>, args: &[ArrId]) -> Option<AccOp<Labelled>> {
        let sizes = self.facts.shapes.intersection(args)?;
        let op = self.generate_uniform(&sizes, f)?;
        self.fired("map_to_generate", op)
    }

    /// Arrays of the given size, if that is cheap to compute, whose elements are all what `f` gives, which
    /// uses none of its parameters.
    pub(super) fn generate_uniform(
        &self,
        sizes: &[Size],
        f: &Fun<Labelled>,
    ) -> Option<AccOp<Labelled>> {
        let shape = self
            .cheap(sizes)
            .then(|| self.facts.shapes.emit_fun(sizes))?;
        let mut builder = FunBuilder::new();
        builder.params(&vec![ScalarType::I32; sizes.len()]);
        let results = builder.inline(f, &[]);
        let f = builder.finish(results);
        Some(AccOp::Generate { shape, f })
    }

    /// Makes one of the arguments at positions `i` and `j`, which are the same array.
    fn merge_arguments(
        &mut self,
        f: Fun<Labelled>,
        mut args: Vec<ArrId>,
        i: usize,
        j: usize,
    ) -> AccOp<Labelled> {
        self.counts.fire("map_duplicate_argument");
        let mut builder = FunBuilder::new();
        let mut types = f.param_types();
        types.remove(j);
        args.remove(j);
        let mut params = builder.params(&types);
        params.insert(j, params[i]);
        let results = builder.inline(&f, &params);
        let f = builder.finish(results);
        AccOp::Map { f, args }
    }

    /// Drops arguments that are not used, if the others have the same shape.
    fn drop_arguments(
        &mut self,
        mut f: Fun<Labelled>,
        mut args: Vec<ArrId>,
        used: &[bool],
    ) -> Option<AccOp<Labelled>> {
        let all = self.facts.shapes.intersection(&args)?;
        let mut wanted = vec![true; args.len()];
        for j in (0..args.len()).filter(|&j| !used[j]) {
            wanted[j] = false;
            let kept: Vec<_> = args.iter().zip(&wanted).filter(|(_, w)| **w).collect();
            let kept: Vec<ArrId> = kept.into_iter().map(|(&a, _)| a).collect();
            wanted[j] = self.facts.shapes.intersection(&kept).as_ref() != Some(&all);
        }
        if !wanted.contains(&false) {
            return None;
        }
        keep(&mut f.params, &wanted);
        keep(&mut args, &wanted);
        self.fired("map_unused_argument", AccOp::Map { f, args })
    }
}

/// The first two positions with the same array.
fn duplicate(args: &[ArrId]) -> Option<(usize, usize)> {
    let mut seen = HashMap::new();
    for (j, &arg) in args.iter().enumerate() {
        if let Some(i) = seen.insert(arg, j) {
            return Some((i, j));
        }
    }
    None
}
