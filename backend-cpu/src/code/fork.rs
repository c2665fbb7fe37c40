//! Code for blocks in which a condition has the same outcome in every lane.
//!
//! All of a body runs for all lanes, both arms of every select included. Where a condition rarely holds, as two
//! numbers are rarely equal, that is mostly for nothing. So the body is written twice: as it is, for blocks
//! in which the condition holds somewhere, and without it, for the others. What the condition itself needs is
//! computed before the fork.
//!
//! The same for conditions that hold inside an array and not at its border (`inside.rs`): blocks in which all have the
//! outcome that they have inside go without them. Nothing is computed before such a fork.

use super::Nest;
use super::inside::{Comparison, comparisons};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Body, Inst, Load, Op, ValueId};
use cotangent_core::types::ScalarType;
use std::collections::HashMap;

/// The fewest instructions that a fork must save which looks at all lanes.
const LEAST_SAVING: usize = 8;
/// The fewest that one must save which looks at the ends of a block.
const LEAST_SAVING_INSIDE: usize = 4;
/// Such a part of all instructions must be saved.
const LEAST_PART: usize = 8;
/// What a load is worth whose lanes have guards of their own: it looks at them, and copies elements that others read where they lie.
const GUARDED_LOAD: usize = 4;
/// The most conditions that are tried.
const MAX_TRIED: usize = 4;

/// A body and its simpler form.
pub(super) struct Forked {
    /// The instructions of the body, then those of the simpler form that differ.
    pub body: Body,
    /// Which blocks the simpler form is for.
    pub test: Test,
    /// The values that both forms have in common: all that the condition depends on. An index among them may
    /// not be needed as a column for the condition, but be so for either form.
    pub before: Vec<ValueId>,
    /// How many instructions the body has.
    pub len: usize,
    /// The outputs of the simpler form.
    pub outputs: Vec<ValueId>,
}

/// The blocks for which the simpler form is right.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// Those in which a condition has the outcome `rare` nowhere.
    Nowhere { cond: ValueId, rare: bool },
    /// Those in which all comparisons have their outcome everywhere.
    Everywhere(Vec<Comparison>),
}

impl Test {
    /// The values that are known in the simpler form.
    fn known(&self) -> HashMap<ValueId, bool> {
        match self {
            Self::Nowhere { cond, rare } => HashMap::from([(*cond, !rare)]),
            Self::Everywhere(all) => all.iter().map(|c| (c.value, c.outcome)).collect(),
        }
    }

    /// The columns that it is made on.
    fn columns(&self) -> Vec<ValueId> {
        match self {
            Self::Nowhere { cond, .. } => vec![*cond],
            Self::Everywhere(_) => vec![],
        }
    }
}

/// Writes a body twice, if that saves much; `outputs` are its results.
pub(super) fn fork(body: &Body, nest: &Nest, outputs: &[ValueId]) -> Option<Forked> {
    let in_lanes = in_lanes(body, nest);
    let mut tried: Vec<(usize, ValueId, bool)> = candidates(body, &in_lanes);
    tried.sort_by_key(|&(uses, ..)| std::cmp::Reverse(uses));
    tried.truncate(MAX_TRIED);
    let tried = tried.into_iter();
    let tests = tried.map(|(_, cond, rare)| Test::Nowhere { cond, rare });
    let inside = Some(comparisons(body, nest)).filter(|all| !all.is_empty());
    let all = work(body, outputs, &in_lanes);
    let forks = tests.chain(inside.map(Test::Everywhere)).map(|test| {
        // What a test is made on is among what is needed first.
        let first = test.columns();
        let forked = Writer::new(body, &in_lanes, test).write(outputs);
        let lanes = self::in_lanes(&forked.body, nest);
        let simple = work(
            &forked.body,
            &[&forked.outputs[..], &first].concat(),
            &lanes,
        );
        (all.saturating_sub(simple), forked)
    });
    let (saved, best) = forks.max_by_key(|(saved, _)| *saved)?;
    let least = match best.test {
        Test::Nowhere { .. } => LEAST_SAVING,
        Test::Everywhere(_) => LEAST_SAVING_INSIDE,
    };
    (saved >= least && saved * LEAST_PART >= all).then_some(best)
}

/// Whether each value differs from lane to lane.
fn in_lanes(body: &Body, nest: &Nest) -> Vec<bool> {
    let mut in_lanes: Vec<bool> = Vec::with_capacity(body.len());
    for (_, Inst { op, ty: _ }) in body.iter() {
        in_lanes.push(match op {
            Op::Coord(c) => nest.lane.contains(&(*c as usize)),
            Op::Arg(_) => true,
            Op::Const(_) | Op::Symbol(_) => false,
            Op::Prim(..) | Op::Load(_) | Op::Loop(_) | Op::Out(..) => {
                op.operands().iter().any(|v| in_lanes[v.index()])
            }
        });
    }
    in_lanes
}

/// Conditions that rarely have one of their outcomes, with the number of their uses and that outcome.
fn candidates(body: &Body, in_lanes: &[bool]) -> Vec<(usize, ValueId, bool)> {
    let mut uses = vec![0; body.len()];
    for (_, inst) in body.iter() {
        if let Op::Prim(Prim::Select, operands) = &inst.op {
            uses[operands[0].index()] += 1;
        }
    }
    let used = body
        .iter()
        .filter(|(v, _)| uses[v.index()] > 0 && in_lanes[v.index()]);
    let rare = used.filter_map(|(v, inst)| {
        let (prim, _) = inst.op.as_prim()?;
        let is_equality = matches!(prim, Prim::Eq | Prim::Ne);
        is_equality.then_some((uses[v.index()], v, prim == Prim::Eq))
    });
    rare.collect()
}

/// The number of instructions that run for every lane, or as many as take as long.
fn work(body: &Body, outputs: &[ValueId], in_lanes: &[bool]) -> usize {
    let needed = body.reachable(outputs);
    let runs = |v: ValueId| needed[v.index()] && in_lanes[v.index()];
    let guard = |inst: &Inst| inst.op.as_load().and_then(|load| load.guard);
    let work = |inst: &Inst| match guard(inst) {
        Some(guard) if in_lanes[guard.index()] => GUARDED_LOAD,
        Some(_) | None => 1,
    };
    let needed = body.iter().filter(|(v, _)| runs(*v));
    needed.map(|(_, inst)| work(inst)).sum()
}

/// Writes the simpler form.
struct Writer<'a> {
    body: Body,
    in_lanes: &'a [bool],
    /// What is computed before the fork.
    before: Vec<bool>,
    test: Test,
    /// The conditions that the simpler form is without.
    known: HashMap<ValueId, bool>,
    /// The value in the simpler form of each value.
    new: Vec<ValueId>,
    /// The instructions of the simpler form: without conditions, some that differed are the same.
    written: HashMap<(Op, ScalarType), ValueId>,
}

impl<'a> Writer<'a> {
    fn new(body: &Body, in_lanes: &'a [bool], test: Test) -> Self {
        Self {
            body: body.clone(),
            in_lanes,
            before: body.reachable(&test.columns()),
            known: test.known(),
            test,
            new: vec![],
            written: HashMap::new(),
        }
    }

    fn write(mut self, outputs: &[ValueId]) -> Forked {
        let len = self.body.len();
        for v in 0..len {
            let new = self.rewritten(v);
            self.new.push(new);
        }
        let before = (0..len).filter(|&v| self.before[v] && self.in_lanes[v]);
        Forked {
            test: self.test,
            before: before.map(|v| ValueId(v as u32)).collect(),
            len,
            outputs: outputs.iter().map(|v| self.new[v.index()]).collect(),
            body: self.body,
        }
    }

    fn rewritten(&mut self, v: usize) -> ValueId {
        let Inst { op, ty } = self.body.inst(ValueId(v as u32)).clone();
        if let Some(&holds) = self.known.get(&ValueId(v as u32)) {
            return self.truth(holds);
        }
        if self.before[v] {
            return ValueId(v as u32);
        }
        let new = |v: ValueId| self.new[v.index()];
        let operands: Vec<ValueId> = op.operands().into_iter().map(new).collect();
        let is_same = operands == op.operands();
        if is_same && !self.in_lanes[v] {
            return ValueId(v as u32);
        }
        match op {
            Op::Prim(prim, _) => {
                let op = Op::Prim(prim, operands);
                self.known(&op).unwrap_or_else(|| self.push(op, ty))
            }
            Op::Load(load) => self.load(&load, &operands, ty),
            Op::Loop(of) => self.push(Op::Loop(Box::new(of.on(&operands))), ty),
            Op::Out(_, which) => self.push(Op::Out(operands[0], which), ty),
            op @ (Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_)) => self.push(op, ty),
        }
    }

    /// Adds an instruction, if it is new.
    fn push(&mut self, op: Op, ty: ScalarType) -> ValueId {
        let body = &mut self.body;
        let written = self.written.entry((op, ty));
        *written.or_insert_with_key(|(op, ty)| body.push(op.clone(), *ty))
    }

    fn truth(&mut self, holds: bool) -> ValueId {
        self.push(Op::Const(Const::Bool(holds)), ScalarType::Bool)
    }

    /// The value of a literal truth.
    fn literal(&self, v: ValueId) -> Option<bool> {
        self.body.op(v).as_const()?.as_bool()
    }

    /// What an operation gives whose condition is known.
    fn known(&mut self, op: &Op) -> Option<ValueId> {
        if let Some(&[cond, x, y]) = op.operands_of(Prim::Select) {
            return self.literal(cond).map(|holds| if holds { x } else { y });
        }
        if let Some(&[x]) = op.operands_of(Prim::Not) {
            return self.literal(x).map(|holds| self.truth(!holds));
        }
        if let Some(&operands) = op.operands_of(Prim::And) {
            return self.junction(operands, true);
        }
        self.junction(*op.operands_of(Prim::Or)?, false)
    }

    /// What `and` and `or` give where one operand is known: the other one, if that is `neutral`, else that one.
    fn junction(&self, [x, y]: [ValueId; 2], neutral: bool) -> Option<ValueId> {
        match (self.literal(x), self.literal(y)) {
            (Some(known), _) if known == neutral => Some(y),
            (_, Some(known)) if known == neutral => Some(x),
            (Some(_), _) => Some(x),
            (None, Some(_)) => Some(y),
            (None, None) => None,
        }
    }

    fn load(&mut self, load: &Load, operands: &[ValueId], ty: ScalarType) -> ValueId {
        let (index, guard) = operands.split_at(load.index.len());
        let guard = guard.first().copied();
        let holds = guard.and_then(|g| self.literal(g));
        if holds == Some(false) {
            return self.push(Op::Const(Const::zero(ty)), ty);
        }
        let load = Load {
            array: load.array,
            index: index.to_vec(),
            guard: guard.filter(|_| holds.is_none()),
            site: load.site,
        };
        self.push(Op::Load(load), ty)
    }
}
