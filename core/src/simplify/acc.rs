//! Simplifying array programs: a forward walk that rewrites, then a backward one ([`dead`]) that drops what
//! is not used.
//!
//! The forward walk takes each operation through these steps: its functions are simplified, with what is
//! known of the arrays they capture ([`facts`]); rules replace it by a simpler one ([`map`], [`movement`],
//! [`reduction`], [`gather`]), until none applies; results that are copies of arrays take their names ([`copies`]); an equal operation
//! that dominates takes its place. Labels of arrays stay as they are, so nothing is renumbered; a rule may make
//! more arrays, with labels of their own.

mod anonymous;
mod batch;
mod carried;
mod closed_reads;
mod columns;
mod copies;
mod dead;
mod early_reads;
mod facts;
mod gather;
mod looping;
mod map;
mod movement;
mod pointwise;
mod reduction;
mod uniform;
mod units;

use super::ArrayLoops;
use super::counts::RuleCounts;
use super::exp;
use super::table::ScopedTable;
use crate::analysis::fails::may_fail;
use crate::analysis::shape::Size;
use crate::build::Arr;
use crate::constant::Const;
use crate::loc::Loc;
use crate::term::{AccBlock, AccLet, AccOp, ArrBind, ArrId, Fun, Labelled, Program};
use crate::types::{ArrayType, ScalarType};
use anonymous::anonymous;
use facts::Facts;
use gather::{Scatter, Shifted};
use looping::is_closed;
use std::collections::HashMap;
use std::rc::Rc;

/// How often in one pass an operation may be replaced by another: a bound for rules that would go round in
/// circles, far above what a sensible program needs.
const MAX_STEPS: usize = 16;

/// One forward and one backward walk.
pub(super) fn pass(
    program: Program<Labelled>,
    loops: ArrayLoops,
    counts: &mut RuleCounts,
) -> Program<Labelled> {
    let Program {
        params,
        uses,
        alike,
        body,
    } = program;
    let mut rewriter = Rewriter {
        facts: Facts::of(has_gradient(&body)),
        names: HashMap::new(),
        shifted: HashMap::new(),
        available: ScopedTable::default(),
        lets: vec![],
        loops,
        outside: None,
        next: first_free(&params, &body),
        counts,
    };
    rewriter.facts.shapes.params(&params, &alike);
    let starts = body.all_lets().flat_map(|let_| let_.op.starts());
    rewriter.facts.overwritten = starts.copied().collect();
    let mut body = rewriter.block(body);
    let mut shapes = rewriter.facts.shapes;
    dead::remove(&mut body, &mut shapes, counts);
    Program {
        params,
        uses,
        alike,
        body,
    }
}

/// The forward walk.
struct Rewriter<'a> {
    facts: Facts,
    /// Arrays that are copies, and of what.
    names: HashMap<ArrId, ArrId>,
    /// Arrays that were scatters to neighbours.
    shifted: HashMap<ArrId, Shifted>,
    available: ScopedTable<AccOp<Labelled>, Vec<ArrId>>,
    lets: Vec<AccLet<Labelled>>,
    /// What becomes of loops of array code whose trips or elements are apart.
    loops: ArrayLoops,
    /// Where the innermost loop around begins, among what has a shape.
    outside: Option<usize>,
    /// The first label that no array has.
    next: u32,
    counts: &'a mut RuleCounts,
}

impl Rewriter<'_> {
    /// Whether AD is over.
    fn is_derived(&self) -> bool {
        !self.facts.differentiates
    }

    /// A variable that nothing binds yet.
    fn fresh(&mut self, ty: ArrayType) -> ArrBind<Labelled> {
        let name = ArrId(self.next);
        self.next += 1;
        ArrBind { name, ty }
    }

    /// Pushes an operation; gives its results.
    fn pushed(
        &mut self,
        op: AccOp<Labelled>,
        elems: &[ScalarType],
        rank: usize,
        loc: Loc,
    ) -> Vec<Arr> {
        let binds: Vec<_> = elems
            .iter()
            .map(|&elem| self.fresh(ArrayType::new(elem, rank)))
            .collect();
        self.let_(AccLet {
            binds: binds.clone(),
            op,
            loc,
        });
        let known = binds.into_iter().map(|b| Arr::new(self.name(b.name), b.ty));
        known.collect()
    }

    fn name(&self, array: ArrId) -> ArrId {
        self.names.get(&array).copied().unwrap_or(array)
    }

    fn block(&mut self, block: AccBlock<Labelled>) -> AccBlock<Labelled> {
        let mark = self.available.enter();
        let outer = std::mem::take(&mut self.lets);
        block.lets.into_iter().for_each(|l| self.let_(l));
        let results = block.results.iter().map(|&a| self.name(a)).collect();
        let mut lets = std::mem::replace(&mut self.lets, outer);
        self.available.leave(mark);
        self.reads_first(&mut lets);
        AccBlock { lets, results }
    }

    fn let_(&mut self, let_: AccLet<Labelled>) {
        let AccLet { binds, mut op, loc } = let_;
        op.rename(&|array| self.name(array));
        self.functions(&mut op);
        match op {
            AccOp::Cond { cond, then_, else_ } => self.cond(cond, then_, else_, binds, loc),
            AccOp::Derivative { .. } | AccOp::Custom { .. } | AccOp::Loop { .. } => {
                self.with_closures(op, binds, loc)
            }
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Move { .. }
            | AccOp::Permute { .. }
            | AccOp::Unpack { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Append { .. } => self.simple(op, binds, loc),
        }
    }

    /// Simplifies the functions of an operation.
    fn functions(&mut self, op: &mut AccOp<Labelled>) {
        let constants = self.constant_params(op);
        let space = self.space(op);
        let none = HashMap::new();
        for (position, fun) in op.funs_mut().into_iter().enumerate() {
            let constants = if position == 0 { &constants } else { &none };
            let old = std::mem::replace(fun, Fun::constants(&[]));
            // Functions without parameters have no use for the extents of a space.
            let params = exp::Params {
                constants,
                space: &space,
            };
            *fun = exp::rewrite(old, &self.facts, &params, self.counts);
        }
    }

    /// The extents of the space whose indices the function of an operation takes, where it takes indices.
    fn space(&mut self, op: &AccOp<Labelled>) -> Vec<Option<Size>> {
        let shapes = &mut self.facts.shapes;
        match op {
            AccOp::Generate { shape, f: _ } => shapes.of_function(shape),
            AccOp::Move { how, arg } => {
                let takes_index = how.of_index().is_some();
                let space = takes_index.then(|| shapes.moved(how, *arg));
                space.flatten().unwrap_or_default()
            }
            AccOp::Permute { args, .. } => {
                let common = shapes.intersection(args).unwrap_or_default();
                common.into_iter().map(Some).collect()
            }
            AccOp::Use(_)
            | AccOp::Map { .. }
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Unpack { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Append { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => vec![],
        }
    }

    /// An operation without blocks.
    fn simple(&mut self, mut op: AccOp<Labelled>, binds: Vec<ArrBind<Labelled>>, loc: Loc) {
        for _ in 0..MAX_STEPS {
            if !self.rewrite(&mut op, &binds, loc) {
                break;
            }
            self.functions(&mut op);
        }
        let position = self.facts.shapes.position();
        self.facts.shapes.results(&binds, &op, position);
        let copies = self.copies(&op, &binds);
        self.rename(&binds, &copies);
        if copies.iter().all(Option::is_some) {
            return;
        }
        if self.is_available(&op, &binds) {
            return;
        }
        let known = self.known_columns(&op, &binds);
        self.rename(&binds, &known);
        self.note_updates(&op, &binds);
        self.facts.define(&binds, Rc::new(op.clone()));
        self.lets.push(AccLet { binds, op, loc });
    }

    /// Whether an equal operation has been done, whose results take the place of these. If not, this one counts as done.
    fn is_available(&mut self, op: &AccOp<Labelled>, binds: &[ArrBind<Labelled>]) -> bool {
        let key = anonymous(op);
        let known = self.available.get(&key).cloned();
        match &known {
            Some(known) => {
                self.counts.fire("array_cse");
                let known: Vec<_> = known.iter().copied().map(Some).collect();
                self.rename(binds, &known);
            }
            None => {
                let names = binds.iter().map(|bind| bind.name).collect();
                self.available.insert(key, names);
            }
        }
        known.is_some()
    }

    fn rename(&mut self, binds: &[ArrBind<Labelled>], copies: &[Option<ArrId>]) {
        for (bind, copy) in binds.iter().zip(copies) {
            if let Some(original) = *copy {
                self.names.insert(bind.name, original);
            }
        }
    }

    /// Replaces an operation by a simpler one; whether it did.
    fn rewrite(&mut self, op: &mut AccOp<Labelled>, binds: &[ArrBind<Labelled>], loc: Loc) -> bool {
        if let Some(new) = self.unit_rules(op, binds, loc) {
            return replace(op, new);
        }
        if self.uniform_numbers(op, binds, loc) {
            return true;
        }
        match op {
            AccOp::Map { f, args } => {
                let (f, args) = (f.clone(), args.clone());
                let new = self.symmetric_arguments(&f, &args, loc);
                let new = new.or_else(|| self.map_rules(f, args));
                new.is_some_and(|new| replace(op, new))
            }
            AccOp::Move { how, arg } => {
                let new = self.movement_rules(how, *arg);
                new.is_some_and(|new| replace(op, new))
            }
            AccOp::Fold { f, init, args } => {
                let init = init.clone();
                let new = init.and_then(|init| self.fold_fill(f, init, args));
                new.is_some_and(|new| replace(op, new))
            }
            AccOp::Append { args } => {
                let new = self.append_empty(args);
                new.is_some_and(|new| replace(op, new))
            }
            AccOp::Permute {
                combine,
                outside,
                defaults,
                target,
                args,
            } => {
                let scatter = Scatter {
                    combine: *combine,
                    outside: *outside,
                    defaults,
                    target,
                    args,
                };
                let new = self.target_before(&scatter, loc);
                let new = new.or_else(|| {
                    let derived = self.is_derived();
                    derived.then(|| self.permute_rules(&scatter, binds, loc))?
                });
                new.is_some_and(|new| replace(op, new))
            }
            AccOp::Use(_)
            | AccOp::Generate { .. }
            | AccOp::Scan { .. }
            | AccOp::Unpack { .. }
            | AccOp::Argsort { .. }
            | AccOp::FoldSegments { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => false,
        }
    }

    fn fired(&mut self, rule: &'static str, op: AccOp<Labelled>) -> Option<AccOp<Labelled>> {
        self.counts.fire(rule);
        Some(op)
    }

    /// A conditional: the branch taken if that is known, else what is left of both.
    fn cond(
        &mut self,
        cond: Fun<Labelled>,
        then_: AccBlock<Labelled>,
        else_: AccBlock<Labelled>,
        binds: Vec<ArrBind<Labelled>>,
        loc: Loc,
    ) {
        if let Some(Const::Bool(outcome)) = cond.constant_result(0) {
            self.counts.fire("acond_constant");
            let taken = if outcome { then_ } else { else_ };
            taken.lets.into_iter().for_each(|l| self.let_(l));
            let results: Vec<_> = taken.results.iter().map(|&a| Some(self.name(a))).collect();
            return self.rename(&binds, &results);
        }
        let outside = self.facts.shapes.position();
        let then_ = self.block(then_);
        let else_ = self.block(else_);
        let columns = then_.results.iter().zip(&else_.results);
        let common = |(&t, &e): (&ArrId, &ArrId)| {
            (t == e && self.facts.shapes.is_older(t, outside)).then_some(t)
        };
        let mut copies: Vec<_> = columns.map(common).collect();
        let op = AccOp::Cond { cond, then_, else_ };
        // What may fail inside would go with the conditional.
        if copies.iter().all(Option::is_some) && may_fail(&op, &mut self.facts.shapes) {
            copies.fill(None);
        }
        self.facts.shapes.results(&binds, &op, outside);
        self.note_updates(&op, &binds);
        for _ in copies.iter().flatten() {
            self.counts.fire("acond_same");
        }
        self.rename(&binds, &copies);
        if !copies.iter().all(Option::is_some) {
            self.lets.push(AccLet { binds, op, loc });
        }
    }

    /// An operation with blocks that have parameters.
    fn with_closures(&mut self, mut op: AccOp<Labelled>, binds: Vec<ArrBind<Labelled>>, loc: Loc) {
        if self.unrolled(&op, &binds, loc) || self.never_run(&op, &binds, loc) {
            return;
        }
        let position = self.facts.shapes.position();
        self.facts.shapes.enter(&op);
        self.enter_loop(&op);
        let is_closed = is_closed(&op);
        let available = is_closed.then(|| std::mem::take(&mut self.available));
        let outside = self.outside.replace(position);
        for inner in op.blocks_mut() {
            *inner.block = self.block(std::mem::replace(inner.block, AccBlock::EMPTY));
        }
        self.outside = outside;
        if let Some(available) = available {
            self.available = available;
        }
        if let AccOp::Loop { .. } = op
            && !is_closed
        {
            self.move_out(&mut op);
            if self.by_elements(&op, &binds, loc) || self.batched(&op, &binds, loc) {
                return;
            }
        }
        self.facts.shapes.results(&binds, &op, position);
        if let AccOp::Loop { .. } = op
            && self.is_available(&op, &binds)
        {
            return;
        }
        self.note_updates(&op, &binds);
        self.lets.push(AccLet { binds, op, loc });
    }
}

/// A label such that neither it nor a greater one is bound.
fn first_free(binds: &[ArrBind<Labelled>], block: &AccBlock<Labelled>) -> u32 {
    let bound = binds.iter().chain(block.bindings());
    bound.map(|bind| bind.name.0 + 1).max().unwrap_or(0)
}

/// Whether anything is left to differentiate.
fn has_gradient(block: &AccBlock<Labelled>) -> bool {
    let mut lets = block.all_lets();
    lets.any(|let_| matches!(let_.op, AccOp::Derivative { .. }))
}

fn replace<T>(place: &mut T, value: T) -> bool {
    *place = value;
    true
}
