//! Which scalars depend, through floats, on what is differentiated by.
//!
//! Only these get adjoints.

use super::guard::Singular;
use super::prim::is_smooth;
use cotangent_core::term::{
    ExpBind, ExpBlock, ExpClosure, ExpId, ExpLet, ExpOp, Fun, Labelled, Slot,
};
use std::collections::HashSet;

/// The active scalars of one function.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    scalars: HashSet<ExpId>,
    /// By slot: whether the captured array is active.
    arrays: Vec<bool>,
    singular: Singular,
}

impl Activity {
    /// Nothing is active but the arrays at the given slots.
    pub(crate) fn new(arrays: Vec<bool>) -> Self {
        Self {
            scalars: HashSet::new(),
            arrays,
            singular: Singular::default(),
        }
    }

    /// What the function computes that may be infinite.
    pub(crate) fn singular(&self) -> &Singular {
        &self.singular
    }

    /// Whether `x` depends on what is differentiated by.
    pub(crate) fn is_active(&self, x: ExpId) -> bool {
        self.scalars.contains(&x)
    }

    /// Makes those of the given variables active that are floats.
    pub(crate) fn seed<'a>(&mut self, binds: impl IntoIterator<Item = &'a ExpBind<Labelled>>) {
        let floats = binds.into_iter().filter(|b| b.ty.is_float());
        self.scalars.extend(floats.map(|b| b.name));
    }

    /// Spreads activity through the body of a function or gradient.
    pub(crate) fn spread_body(&mut self, body: &ExpBlock<Labelled>) {
        self.spread(body);
        self.singular.spread(body);
    }

    fn spread(&mut self, block: &ExpBlock<Labelled>) {
        for let_ in &block.lets {
            if let ExpOp::Loop {
                test: _,
                step,
                args,
            } = &let_.op
            {
                self.spread_loop(step, args);
            } else {
                let inside = let_.op.blocks().into_iter();
                inside.for_each(|inner| self.spread(inner.block));
            }
            for (position, bind) in let_.binds.iter().enumerate() {
                if bind.ty.is_float() && self.reaches(let_, position) {
                    self.scalars.insert(bind.name);
                }
            }
        }
    }

    /// Spreads activity through the step of a loop, until no further trip would make more of the state active.
    fn spread_loop(&mut self, step: &ExpClosure<Labelled>, args: &[ExpId]) {
        let mut known = None;
        loop {
            // The number of the trip is no float.
            for ((param, &arg), &next) in step.params.iter().zip(args).zip(after(step)) {
                if param.ty.is_float() && (self.is_active(arg) || self.is_active(next)) {
                    self.scalars.insert(param.name);
                }
            }
            let active = step.params.iter().filter(|p| self.is_active(p.name));
            let active = active.count();
            if known.replace(active) == Some(active) {
                return;
            }
            self.spread(&step.body);
        }
    }

    /// Whether the result of `let_` at `position` depends on something active.
    fn reaches(&self, let_: &ExpLet<Labelled>, position: usize) -> bool {
        match &let_.op {
            ExpOp::Prim(op, xs) => is_smooth(*op) && xs.iter().any(|&x| self.is_active(x)),
            ExpOp::Index { array, index: _ } => self.is_read_active(*array),
            ExpOp::Cond {
                cond: _,
                then_,
                else_,
            } => self.is_active(then_.results[position]) || self.is_active(else_.results[position]),
            ExpOp::Loop { step, .. } => {
                let carried = position.checked_sub(1);
                carried.is_some_and(|_| self.is_active(step.params[position].name))
            }
            ExpOp::WithPartials(args) => inputs(args).any(|(x, _)| self.is_active(x)),
            ExpOp::Const(_) | ExpOp::Extent { .. } | ExpOp::Derivative { .. } => false,
        }
    }

    fn is_read_active(&self, array: Slot) -> bool {
        self.arrays[array.0 as usize]
    }
}

/// By parameter of a step: what takes its place in the next trip; of the number of the trip, itself.
fn after(step: &ExpClosure<Labelled>) -> impl Iterator<Item = &ExpId> {
    let number = step.params.iter().take(1).map(|p| &p.name);
    number.chain(&step.body.results)
}

/// The scalars that a value has partial derivatives by, with those.
pub(super) fn inputs(args: &[ExpId]) -> impl Iterator<Item = (ExpId, ExpId)> {
    let pairs = args.get(1..).unwrap_or_default().chunks_exact(2);
    pairs.map(|pair| (pair[0], pair[1]))
}

/// For each result of `fun`, whether it depends on an active parameter or array.
pub(crate) fn active_results(
    fun: &Fun<Labelled>,
    params: &[bool],
    is_active: impl Fn(cotangent_core::term::ArrId) -> bool,
) -> Vec<bool> {
    let activity = of_fun(fun, params, is_active);
    let results = fun.body.results.iter();
    results.map(|&x| activity.is_active(x)).collect()
}

/// The active scalars of `fun`; `params` says which of its parameters are, those beyond its end not.
pub(crate) fn of_fun(
    fun: &Fun<Labelled>,
    params: &[bool],
    is_active: impl Fn(cotangent_core::term::ArrId) -> bool,
) -> Activity {
    let arrays = fun.captures.iter().map(|&a| is_active(a)).collect();
    let mut activity = Activity::new(arrays);
    let seeds = fun.params.iter().zip(params).filter(|(_, active)| **active);
    activity.seed(seeds.map(|(p, _)| p));
    activity.spread_body(&fun.body);
    activity
}
