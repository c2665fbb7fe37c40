//! The backward walk: drops what is not used, then numbers what is left.

use super::relabel::Relabel;
use crate::simplify::counts::RuleCounts;
use crate::simplify::keep;
use crate::term::{ExpBind, ExpBlock, ExpClosure, ExpId, ExpLet, ExpOp, Fun, Labelled, Mode};
use std::collections::{HashMap, HashSet};

/// Restores the invariants of `fun`: every let is used, so is every capture, captures are distinct; labels
/// count from 0 in order of binding, captures are in order of first use.
pub fn clean(fun: &mut Fun<Labelled>, counts: &mut RuleCounts) {
    let mut dead = Dead {
        used: HashSet::new(),
        arguments: HashMap::new(),
        counts,
    };
    dead.block(&mut fun.body);
    let mut relabel = Relabel::from(0);
    relabel.arguments = dead.arguments;
    relabel.fun(fun);
    fun.clean_captures();
}

struct Dead<'a> {
    used: HashSet<ExpId>,
    /// Parameters of gradients that are differentiated by in vain: they become their arguments.
    arguments: HashMap<ExpId, ExpId>,
    counts: &'a mut RuleCounts,
}

impl Dead<'_> {
    fn block(&mut self, block: &mut ExpBlock<Labelled>) {
        self.used.extend(&block.results);
        let mut kept = vec![];
        for mut let_ in std::mem::take(&mut block.lets).into_iter().rev() {
            if let_.binds.iter().any(|b| self.used.contains(&b.name)) {
                self.let_(&mut let_);
                kept.push(let_);
            } else {
                self.counts.fire("dce");
            }
        }
        kept.reverse();
        block.lets = kept;
    }

    fn let_(&mut self, let_: &mut ExpLet<Labelled>) {
        let ExpLet { binds, op, loc: _ } = let_;
        let used: Vec<bool> = binds.iter().map(|b| self.used.contains(&b.name)).collect();
        let mut vain = vec![];
        if used.contains(&false) {
            vain = self.unused_results(binds, op, used);
        }
        for inner in op.blocks_mut() {
            self.block(inner.block);
        }
        self.used.extend(op.operands());
        for (param, arg) in vain {
            if self.used.contains(&param) {
                self.used.insert(arg);
            }
            self.arguments.insert(param, arg);
        }
    }

    /// Drops the results that nothing uses of an operation with blocks; gives the parameters of a gradient
    /// that are dropped with them, and their arguments.
    fn unused_results(
        &mut self,
        binds: &mut Vec<ExpBind<Labelled>>,
        op: &mut ExpOp<Labelled>,
        used: Vec<bool>,
    ) -> Vec<(ExpId, ExpId)> {
        match op {
            ExpOp::Cond { then_, else_, .. } => {
                self.counts.fire("cond_unused_result");
                keep(binds, &used);
                keep(&mut then_.results, &used);
                keep(&mut else_.results, &used);
                vec![]
            }
            ExpOp::Derivative {
                mode: Mode::Jvp,
                params: _,
                body,
                args: _,
            } => {
                keep_pairs(binds, &mut body.results, &used, self.counts);
                vec![]
            }
            ExpOp::Derivative {
                mode: Mode::Gradient { with_value },
                params,
                body: _,
                args,
            } => {
                let plan = GradientPlan::new(*with_value, used, self.counts);
                *with_value = plan.with_value;
                let vain = (0..args.len()).filter(|&k| !plan.params[k]);
                let vain = vain.map(|k| (params[k].name, args[k])).collect();
                keep(binds, &plan.results);
                keep(params, &plan.params);
                keep(args, &plan.params);
                vain
            }
            ExpOp::Loop { test, step, args } => {
                let live = live_state(test.as_ref(), step, &used[1..]);
                if live.contains(&false) {
                    self.counts.fire("loop_unused_state");
                    let all = [&[true], &live[..]].concat();
                    keep(binds, &all);
                    keep(args, &all);
                    keep(&mut step.body.results, &live);
                    let closures = test.iter_mut().chain([step]);
                    closures.for_each(|closure| keep(&mut closure.params, &all));
                }
                vec![]
            }
            ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Index { .. } | ExpOp::Extent { .. } => {
                vec![]
            }
            ExpOp::WithPartials(_) => vec![],
        }
    }
}

/// Which scalars a loop has to carry: those that are used after it, asked for by its test, or needed to make such.
fn live_state(
    test: Option<&ExpClosure<Labelled>>,
    step: &ExpClosure<Labelled>,
    used: &[bool],
) -> Vec<bool> {
    let mut live = used.to_vec();
    if let Some(test) = test {
        let asked: HashSet<ExpId> = test.body.reads().collect();
        let params = live.iter_mut().zip(&test.params[1..]);
        params.for_each(|(live, p)| *live |= asked.contains(&p.name));
    }
    loop {
        let needed = needed(&step.body, &live);
        let grown = live.iter().zip(&step.params[1..]);
        let grown: Vec<bool> = grown
            .map(|(live, p)| *live || needed.contains(&p.name))
            .collect();
        if grown == live {
            return live;
        }
        live = grown;
    }
}

/// What some results of a block depend on.
fn needed(block: &ExpBlock<Labelled>, results: &[bool]) -> HashSet<ExpId> {
    let roots = block.results.iter().zip(results).filter(|(_, live)| **live);
    let mut needed: HashSet<ExpId> = roots.map(|(x, _)| *x).collect();
    for let_ in block.lets.iter().rev() {
        if let_.binds.iter().any(|b| needed.contains(&b.name)) {
            needed.extend(let_.op.reads());
        }
    }
    needed
}

/// Drops what a forward derivative makes where neither the value nor its tangent is used.
pub fn keep_pairs<B, R>(
    binds: &mut Vec<B>,
    results: &mut Vec<R>,
    used: &[bool],
    counts: &mut RuleCounts,
) {
    let (values, tangents) = used.split_at(results.len());
    let pairs = values.iter().zip(tangents);
    let wanted: Vec<bool> = pairs.map(|(value, tangent)| *value || *tangent).collect();
    if wanted.contains(&false) {
        counts.fire("jvp_unused_result");
    }
    keep(binds, &wanted.repeat(2));
    keep(results, &wanted);
}

/// Which parts of a gradient stay.
pub struct GradientPlan {
    /// Whether the value stays among the results.
    pub with_value: bool,
    /// Which results stay.
    pub results: Vec<bool>,
    /// Which parameters stay.
    pub params: Vec<bool>,
}

impl GradientPlan {
    /// The plan for a gradient of which the results marked in `used` are used. One parameter stays in any
    /// case: a gradient by nothing is none.
    pub fn new(with_value: bool, mut used: Vec<bool>, counts: &mut RuleCounts) -> Self {
        let mut params = used.split_off(usize::from(with_value));
        if with_value && !used[0] {
            counts.fire("gradient_unused_value");
        }
        if let (false, Some(first)) = (params.contains(&true), params.first_mut()) {
            *first = true;
        }
        if params.contains(&false) {
            counts.fire("gradient_unused_partial");
        }
        let with_value = with_value && used[0];
        let results = [used, params.clone()].concat();
        Self {
            with_value,
            results,
            params,
        }
    }
}
