//! The backward walk: drops operations, and results of operations, that nothing uses. What may fail for a reason
//! that its documentation names stays: Note \[Failures\] at [`AccOp`].

use crate::analysis::fails::may_fail;
use crate::analysis::shape::Shapes;
use crate::analysis::usage::{captures_of_results, params_of_results};
use crate::build::FunBuilder;
use crate::constant::Const;
use crate::simplify::counts::RuleCounts;
use crate::simplify::exp::{GradientPlan, clean, keep_pairs};
use crate::simplify::keep;
use crate::term::{
    AccBlock, AccClosure, AccLet, AccOp, ArrBind, ArrId, ExpId, Fun, Labelled, Mode, States,
};
use crate::types::ScalarType;
use std::collections::{HashMap, HashSet};
use std::iter::successors;

/// Removes what the results of `body` do not depend on.
pub fn remove(body: &mut AccBlock<Labelled>, shapes: &mut Shapes, counts: &mut RuleCounts) {
    let mut dead = Dead {
        used: HashSet::new(),
        arguments: HashMap::new(),
        shapes,
        counts,
    };
    dead.block(body);
    if !dead.arguments.is_empty() {
        dead.substitute(body);
    }
}

struct Dead<'a> {
    used: HashSet<ArrId>,
    /// Parameters of gradients that are differentiated by in vain: they become their arguments.
    arguments: HashMap<ArrId, ArrId>,
    shapes: &'a mut Shapes,
    counts: &'a mut RuleCounts,
}

impl Dead<'_> {
    fn block(&mut self, block: &mut AccBlock<Labelled>) {
        self.used.extend(&block.results);
        let mut kept = vec![];
        for mut let_ in std::mem::take(&mut block.lets).into_iter().rev() {
            if let_.binds.iter().any(|b| self.used.contains(&b.name)) {
                self.let_(&mut let_);
                kept.push(let_);
            } else if may_fail(&let_.op, self.shapes) {
                without_elements(&mut let_);
                self.let_(&mut let_);
                kept.push(let_);
            } else {
                self.counts.fire("array_dce");
            }
        }
        kept.reverse();
        block.lets = kept;
    }

    fn let_(&mut self, let_: &mut AccLet<Labelled>) {
        let AccLet { binds, op, loc: _ } = let_;
        let used: Vec<bool> = binds.iter().map(|b| self.used.contains(&b.name)).collect();
        let mut vain = vec![];
        if used.contains(&false) && used.contains(&true) {
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

    /// Drops results, as far as the operation allows; gives the parameters of a gradient that are dropped
    /// with them, and their arguments.
    fn unused_results(
        &mut self,
        binds: &mut Vec<ArrBind<Labelled>>,
        op: &mut AccOp<Labelled>,
        used: Vec<bool>,
    ) -> Vec<(ArrId, ArrId)> {
        match op {
            AccOp::Map { f, args: _ } | AccOp::Generate { shape: _, f } => {
                self.counts.fire("unused_result");
                keep(binds, &used);
                self.keep_results(f, &used);
            }
            AccOp::Cond { then_, else_, .. } => {
                self.counts.fire("acond_unused_result");
                keep(binds, &used);
                keep(&mut then_.results, &used);
                keep(&mut else_.results, &used);
            }
            AccOp::Fold { f, init, args } | AccOp::Scan { f, init, args, .. } => {
                self.reduction(binds, f, init.as_mut(), args, used);
            }
            AccOp::FoldSegments { f, init, args, .. } => {
                self.reduction(binds, f, Some(init), args, used);
            }
            AccOp::Permute { defaults, args, .. } => self.scatter(binds, (defaults, args), &used),
            AccOp::Derivative {
                mode: Mode::Jvp,
                params: _,
                body,
                args: _,
            } => keep_pairs(binds, &mut body.results, &used, self.counts),
            AccOp::Derivative {
                mode: Mode::Gradient { with_value },
                params,
                body: _,
                args,
            } => return self.partials(binds, with_value, (params, args), used),
            AccOp::Loop {
                trips: _,
                test,
                step,
                states: States::Stored | States::Checkpoints(_) | States::Closed,
                args,
            } => self.state(binds, (test.as_mut(), step), args, used),
            // The way back is from the whole state.
            AccOp::Loop {
                states: States::Inverse(_),
                ..
            } => {}
            // The rules are functions of all values.
            AccOp::Custom { .. } | AccOp::Use(_) | AccOp::Move { .. } => {}
            AccOp::Unpack { .. } | AccOp::Append { .. } | AccOp::Argsort { .. } => {}
        }
        vec![]
    }

    /// Drops what a `permute` sends that nobody reads.
    fn scatter(
        &mut self,
        binds: &mut Vec<ArrBind<Labelled>>,
        (defaults, args): (&mut Vec<ArrId>, &mut Vec<ArrId>),
        used: &[bool],
    ) {
        if self.same_shape_without(defaults, used) && self.same_shape_without(args, used) {
            self.counts.fire("permute_unused_result");
            keep(binds, used);
            keep(defaults, used);
            keep(args, used);
        }
    }

    /// Drops derivatives; gives the parameters that are dropped with them, and their arguments.
    fn partials(
        &mut self,
        binds: &mut Vec<ArrBind<Labelled>>,
        with_value: &mut bool,
        (params, args): (&mut Vec<ArrBind<Labelled>>, &mut Vec<ArrId>),
        used: Vec<bool>,
    ) -> Vec<(ArrId, ArrId)> {
        let plan = GradientPlan::new(*with_value, used, self.counts);
        *with_value = plan.with_value;
        let vain = (0..args.len()).filter(|&k| !plan.params[k]);
        let vain = vain.map(|k| (params[k].name, args[k])).collect();
        keep(binds, &plan.results);
        keep(params, &plan.params);
        keep(args, &plan.params);
        vain
    }

    fn keep_results(&mut self, f: &mut Fun<Labelled>, used: &[bool]) {
        keep(&mut f.body.results, used);
        clean(f, self.counts);
    }

    /// Whether the arrays that stay have the intersection of all.
    fn same_shape_without(&mut self, arrays: &[ArrId], wanted: &[bool]) -> bool {
        let mut kept = arrays.to_vec();
        keep(&mut kept, wanted);
        let all = self.shapes.intersection(arrays);
        all.is_some() && all == self.shapes.intersection(&kept)
    }

    /// Drops the components of a fold or scan that neither the results in use nor their operator need.
    fn reduction(
        &mut self,
        binds: &mut Vec<ArrBind<Labelled>>,
        f: &mut Fun<Labelled>,
        init: Option<&mut Fun<Labelled>>,
        args: &mut Vec<ArrId>,
        used: Vec<bool>,
    ) {
        let needed = needed_components(f, used);
        if !needed.contains(&false) || !self.same_shape_without(args, &needed) {
            return;
        }
        self.counts.fire("fold_unused_component");
        keep(binds, &needed);
        keep(args, &needed);
        keep(&mut f.params, &[needed.as_slice(), &needed].concat());
        self.keep_results(f, &needed);
        if let Some(init) = init {
            self.keep_results(init, &needed);
        }
    }

    /// Drops the arrays that a loop carries in vain.
    fn state(
        &mut self,
        binds: &mut Vec<ArrBind<Labelled>>,
        (mut test, step): (Option<&mut AccClosure<Labelled>>, &mut AccClosure<Labelled>),
        args: &mut Vec<ArrId>,
        used: Vec<bool>,
    ) {
        let live = self.live_state(test.as_deref(), step, &used[1..]);
        if !live.contains(&false) {
            return;
        }
        self.counts.fire("loop_unused_state");
        let all = [&[true], &live[..]].concat();
        keep(binds, &all);
        keep(args, &live);
        keep(&mut step.body.results, &live);
        keep(&mut step.params, &all);
        if let Some(test) = &mut test {
            keep(&mut test.params, &all);
        }
    }

    /// Which arrays a loop has to carry: those that are used after it, asked for by its test, or needed for such or for
    /// what may fail.
    fn live_state(
        &mut self,
        test: Option<&AccClosure<Labelled>>,
        step: &AccClosure<Labelled>,
        used: &[bool],
    ) -> Vec<bool> {
        let mut live = used.to_vec();
        if let Some(test) = test {
            let asked: HashSet<ArrId> = test.body.reads().collect();
            grow(&mut live, test, &asked);
        }
        loop {
            let before = live.clone();
            let needed = self.needed(&step.body, &live);
            grow(&mut live, step, &needed);
            if live == before {
                return live;
            }
        }
    }

    /// What some results of a block depend on, and what may fail in it.
    fn needed(&mut self, block: &AccBlock<Labelled>, results: &[bool]) -> HashSet<ArrId> {
        let roots = block.results.iter().zip(results).filter(|(_, live)| **live);
        let mut needed: HashSet<ArrId> = roots.map(|(a, _)| *a).collect();
        for let_ in block.lets.iter().rev() {
            let used: Vec<bool> = let_
                .binds
                .iter()
                .map(|b| needed.contains(&b.name))
                .collect();
            if used.contains(&true) || may_fail(&let_.op, self.shapes) {
                needed.extend(reads_of_results(&let_.op, &used));
            }
        }
        needed
    }

    /// Replaces parameters that are gone by their arguments.
    fn substitute(&mut self, body: &mut AccBlock<Labelled>) {
        body.rename(&|array| self.replaced(array));
        body.each_fun_mut(&mut |fun| clean(fun, self.counts));
    }

    fn replaced(&self, array: ArrId) -> ArrId {
        let argument = |array: &ArrId| self.arguments.get(array).copied();
        successors(Some(array), argument).last().unwrap_or(array)
    }
}

/// The arrays that some results of an operation depend on.
fn reads_of_results(op: &AccOp<Labelled>, used: &[bool]) -> Vec<ArrId> {
    let elements = |f| captures_of_results(f, used);
    match op {
        AccOp::Map { f, args } => [args.as_slice(), &elements(f)].concat(),
        AccOp::Generate { shape, f } => [shape.captures.as_slice(), &elements(f)].concat(),
        AccOp::Use(_)
        | AccOp::Move { .. }
        | AccOp::Unpack { .. }
        | AccOp::Argsort { .. }
        | AccOp::FoldSegments { .. }
        | AccOp::Append { .. }
        | AccOp::Fold { .. }
        | AccOp::Scan { .. }
        | AccOp::Permute { .. }
        | AccOp::Cond { .. }
        | AccOp::Loop { .. }
        | AccOp::Derivative { .. }
        | AccOp::Custom { .. } => op.reads().collect(),
    }
}

/// Has an operation whose results nobody reads compute nothing for them that costs anything.
fn without_elements(let_: &mut AccLet<Labelled>) {
    if let AccOp::Generate { shape: _, f } = &mut let_.op {
        let mut nothing = FunBuilder::new();
        nothing.params(&f.param_types());
        let mut zeros: Vec<(ScalarType, ExpId)> = vec![];
        let mut zero = |ty: ScalarType| match zeros.iter().find(|(known, _)| *known == ty) {
            Some(&(_, zero)) => zero,
            None => {
                let zero = nothing.constant(Const::zero(ty));
                zeros.push((ty, zero));
                zero
            }
        };
        let results = let_.binds.iter().map(|b| zero(b.ty.elem)).collect();
        *f = nothing.finish(results);
    }
}

/// Adds those arrays of a loop's state to some that a closure needs.
fn grow(live: &mut [bool], closure: &AccClosure<Labelled>, needed: &HashSet<ArrId>) {
    let params = live.iter_mut().zip(closure.params.iter().skip(1));
    params.for_each(|(live, p)| *live |= needed.contains(&p.name));
}

/// The components that an operator needs to compute those in use, these included.
pub(super) fn needed_components(f: &Fun<Labelled>, mut needed: Vec<bool>) -> Vec<bool> {
    loop {
        let params = params_of_results(f, &needed);
        let (left, right) = params.split_at(params.len() / 2);
        let operands = left.iter().zip(right).map(|(l, r)| *l || *r);
        let more: Vec<bool> = needed.iter().zip(operands).map(|(n, o)| *n || o).collect();
        if more == needed {
            return needed;
        }
        needed = more;
    }
}
