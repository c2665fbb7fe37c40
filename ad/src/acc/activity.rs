//! Which arrays depend, through floats, on what is differentiated by.
//!
//! Only these get adjoints.

use crate::exp::active_results;
use cotangent_core::build::Arr;
use cotangent_core::term::{AccBlock, AccClosure, AccLet, AccOp, ArrId, Fun, Labelled};
use std::collections::HashSet;

/// The active arrays of one gradient.
#[derive(Debug, Default)]
pub(super) struct Activity {
    arrays: HashSet<ArrId>,
}

impl Activity {
    /// Whether `array` depends on what is differentiated by.
    pub(super) fn is_active(&self, array: ArrId) -> bool {
        self.arrays.contains(&array)
    }

    /// Makes those of the given variables active that are floats.
    pub(super) fn seed(&mut self, params: &[Arr]) {
        let floats = params.iter().filter(|p| p.ty.elem.is_float());
        self.arrays.extend(floats.map(|p| p.name));
    }

    /// Spreads activity through a block.
    pub(super) fn spread(&mut self, block: &AccBlock<Labelled>) {
        for let_ in &block.lets {
            if let AccOp::Loop { step, args, .. } = &let_.op {
                self.spread_loop(step, args);
            } else if let AccOp::Custom { .. } = let_.op {
                // Rules are not differentiated where they stand.
            } else {
                let inside = let_.op.blocks().into_iter();
                inside.for_each(|inner| self.spread(inner.block));
            }
            let reached = self.reached(let_);
            for (bind, reached) in let_.binds.iter().zip(reached) {
                if reached && bind.ty.elem.is_float() {
                    self.arrays.insert(bind.name);
                }
            }
        }
    }

    /// Spreads activity through the step of a loop, until no further trip would make more of the state active.
    fn spread_loop(&mut self, step: &AccClosure<Labelled>, args: &[ArrId]) {
        let state = step.params.get(1..).unwrap_or_default();
        let mut known = None;
        loop {
            for ((param, &arg), &next) in state.iter().zip(args).zip(&step.body.results) {
                if param.ty.elem.is_float() && (self.is_active(arg) || self.is_active(next)) {
                    self.arrays.insert(param.name);
                }
            }
            let active = state.iter().filter(|p| self.is_active(p.name)).count();
            if known.replace(active) == Some(active) {
                return;
            }
            self.spread(&step.body);
        }
    }

    /// Makes each of these arrays active whose original is; the pairs are of original and copy.
    pub(super) fn copy<'a>(&mut self, copies: impl IntoIterator<Item = (&'a ArrId, &'a ArrId)>) {
        for (original, &copy) in copies {
            if self.is_active(*original) {
                self.arrays.insert(copy);
            }
        }
    }

    /// By result of `let_`: whether it depends on something active.
    fn reached(&self, let_: &AccLet<Labelled>) -> Vec<bool> {
        let all = |active: bool| vec![active; let_.binds.len()];
        match &let_.op {
            AccOp::Use(_) | AccOp::Derivative { .. } => all(false),
            // Positions have no derivative.
            AccOp::Argsort { .. } => all(false),
            // None is left in what a derivative is taken of.
            AccOp::FoldSegments { .. } => all(false),
            AccOp::Custom {
                values,
                rules: _,
                args,
            } => all(self.any(args.get(*values..).unwrap_or_default())),
            AccOp::Loop { step, .. } => {
                let state = step.params.get(1..).unwrap_or_default();
                let state = state.iter().map(|param| self.is_active(param.name));
                std::iter::once(false).chain(state).collect()
            }
            AccOp::Generate { shape: _, f } => self.results(f, &[]),
            AccOp::Map { f, args } => self.results(f, &self.flags(args)),
            AccOp::Fold { f, init, args }
            | AccOp::Scan {
                direction: _,
                f,
                init,
                args,
            } => all(self.any(args)
                || self.results(f, &[]).contains(&true)
                || init
                    .iter()
                    .any(|init| self.results(init, &[]).contains(&true))),
            AccOp::Move { how: _, arg } => all(self.is_active(*arg)),
            AccOp::Permute {
                combine: _,
                outside: _,
                defaults,
                target: _,
                args,
            } => {
                let (defaults, args) = (self.flags(defaults), self.flags(args));
                defaults.iter().zip(args).map(|(&d, a)| d || a).collect()
            }
            AccOp::Unpack { args } | AccOp::Append { args } => all(self.any(args)),
            AccOp::Cond {
                cond: _,
                then_,
                else_,
            } => {
                let pairs = then_.results.iter().zip(&else_.results);
                pairs
                    .map(|(&t, &e)| self.is_active(t) || self.is_active(e))
                    .collect()
            }
        }
    }

    fn any(&self, arrays: &[ArrId]) -> bool {
        arrays.iter().any(|&a| self.is_active(a))
    }

    /// For each array, whether it is active.
    pub(super) fn flags(&self, arrays: &[ArrId]) -> Vec<bool> {
        arrays.iter().map(|&a| self.is_active(a)).collect()
    }

    /// For each result of `fun`, whether it is active; `params` says which parameters are.
    pub(super) fn results(&self, fun: &Fun<Labelled>, params: &[bool]) -> Vec<bool> {
        active_results(fun, params, |a| self.is_active(a))
    }
}
