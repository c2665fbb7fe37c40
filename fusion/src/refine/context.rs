//! Selects, and loads, under a condition that is known.
//!
//! A value *matters* at a point if what is observed there depends on it: outputs matter everywhere, the
//! coordinates of a load where its guard holds, an arm of a select where the select matters and the condition
//! picks that arm, the second operand of `and` and `or` where the first does not decide. Going backwards, each value gets its [`Context`]: conditions that hold wherever it matters;
//! of several uses, what their contexts have in common. Where the context of a use decides the condition of a
//! select, the use reads the arm instead of the select, and a condition that it decides is a literal.
//!
//! A load whose guard the context decides reads what a load without a guard reads that came before: such a one happens at
//! every point, whatever its context.
//!
//! This is what makes exports of derived conditionals free: a dual conditional reads a temporary `x` of the
//! primal one as `select [c, x, 0]`, and only where `c` holds.
//!
//! Note \[Soundness\]: *at each point where the context of `x` holds, the new `x` has the old value.* By
//! induction over the code: where the context of `x` holds, so does that of each operand that decides the value
//! of `x`, as it is a part of the former together with what the use adds. The arm `a` of an operand
//! `select [c, a, b]` matters wherever that operand does and `c` holds, so the claim covers it as well. Guards
//! have the empty context, and coordinates no other than their guard: so the same loads happen at the same
//! places, also where the loaded value does not matter, be it that the load may fail or is proved not to.
//! A context that forgets conditions is still one.

use super::Observed;
use crate::code::{CodeId, Codes};
use cotangent_core::algebra::consequences;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{ArrayId, Body, Load, Op, ValueId};
use cotangent_core::types::ScalarType;
use std::collections::HashMap;

/// How many conditions a context remembers: the innermost ones.
const MAX_LITERALS: usize = 16;

/// How deep a condition is looked into for parts that a context decides.
const MAX_DEPTH: usize = 4;

/// Conditions and their outcomes that hold wherever a value matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Context(Vec<(ValueId, bool)>);

/// What a use reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    Value(ValueId),
    Truth(bool),
}

/// Code and the contexts of its values: none where a value does not matter at all.
struct Contexts<'a> {
    body: &'a Body,
    of: Vec<Option<Context>>,
    /// The first load without a guard of each element.
    everywhere: HashMap<(ArrayId, &'a [ValueId]), ValueId>,
}

/// What each needed value reads, and each root.
struct Plan {
    values: Vec<Option<Vec<Read>>>,
    roots: Vec<Read>,
    /// The number of uses that read something else than before.
    changes: usize,
}

impl Codes {
    /// Writes code again without selects under a condition that is known; none if there are no such.
    pub(super) fn select_once(&mut self, c: CodeId, observed: &Observed) -> Option<Vec<ValueId>> {
        let body = self[c].body();
        if !body.iter().any(|(_, inst)| is_select(&inst.op)) {
            return None;
        }
        let plan = Contexts::of(body, observed).plan(observed);
        (plan.changes > 0).then(|| self.carry_out(c, plan))
    }

    fn carry_out(&mut self, c: CodeId, plan: Plan) -> Vec<ValueId> {
        let to = self.open_like(c);
        let mut new = vec![ValueId(0); plan.values.len()];
        for (v, reads) in plan.values.iter().enumerate() {
            if let Some(reads) = reads {
                let operands: Vec<_> = reads.iter().map(|&r| self.read(to, r, &new)).collect();
                new[v] = self.again((c, ValueId(v as u32)), to, &operands);
            }
        }
        let roots = plan.roots.iter().map(|&r| self.read(to, r, &new)).collect();
        for _ in 0..plan.changes {
            self.fire("select under a known condition");
        }
        self.replace(c, to);
        roots
    }

    fn read(&mut self, to: CodeId, read: Read, new: &[ValueId]) -> ValueId {
        match read {
            Read::Value(v) => new[v.index()],
            Read::Truth(holds) => self.constant(to, holds),
        }
    }
}

impl<'a> Contexts<'a> {
    fn of(body: &'a Body, observed: &Observed) -> Self {
        let mut all = Self {
            body,
            of: vec![None; body.len()],
            everywhere: HashMap::new(),
        };
        for &root in observed.roots {
            let context = all.of_root(observed, root);
            all.meet(root, context);
        }
        for (user, inst) in body.iter().rev() {
            if let Some(context) = all.of[user.index()].clone() {
                for (position, operand) in inst.op.operands().into_iter().enumerate() {
                    let context = all.of_use(user, position, &context);
                    all.meet(operand, context);
                }
            }
        }
        all.find_loads();
        all
    }

    /// Notes the loads that happen at every point.
    fn find_loads(&mut self) {
        for (v, inst) in self.body.iter() {
            if self.of[v.index()].is_some()
                && let Some(load) = inst.op.as_load()
                && load.guard.is_none()
            {
                let element = (load.array, load.index.as_slice());
                self.everywhere.entry(element).or_insert(v);
            }
        }
    }

    fn op(&self, v: ValueId) -> &'a Op {
        self.body.op(v)
    }

    fn of_root(&self, observed: &Observed, root: ValueId) -> Context {
        match observed.guard {
            Some(guard) if guard != root => self.with(&Context::default(), guard, true),
            Some(_) | None => Context::default(),
        }
    }

    /// The context of an operand of `user`, by position, given that of `user`.
    fn of_use(&self, user: ValueId, position: usize, context: &Context) -> Context {
        match self.op(user) {
            Op::Prim(Prim::Select, operands) if position > 0 => {
                self.with(context, operands[0], position == 1)
            }
            Op::Prim(op @ (Prim::And | Prim::Or), operands) if position == 1 => {
                self.with(context, operands[0], *op == Prim::And)
            }
            Op::Load(Load {
                array: _,
                index,
                guard: Some(guard),
                site: _,
            }) if position < index.len() => self.with(&Context::default(), *guard, true),
            // It runs whatever the context, and must neither fail nor take longer for that.
            Op::Load(_) | Op::Loop(_) => Context::default(),
            Op::Prim(..) | Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) => {
                context.clone()
            }
            Op::Out(..) => context.clone(),
        }
    }

    /// Notes a further use.
    fn meet(&mut self, v: ValueId, context: Context) {
        match &mut self.of[v.index()] {
            Some(Context(known)) => known.retain(|literal| context.0.contains(literal)),
            none => *none = Some(context),
        }
    }

    /// The context in which moreover `condition` has the given outcome, and what follows from that.
    fn with(&self, context: &Context, condition: ValueId, holds: bool) -> Context {
        let mut new = vec![(condition, holds)];
        let mut next = 0;
        while next < new.len() && new.len() < MAX_LITERALS {
            new.extend(self.consequences(new[next]));
            next += 1;
        }
        new.truncate(MAX_LITERALS);
        let mut all = context.0.clone();
        all.retain(|literal| !new.contains(literal));
        all.extend(new);
        let too_many = all.len().saturating_sub(MAX_LITERALS);
        Context(all.split_off(too_many))
    }

    /// What follows from the outcome of a condition about its operands.
    fn consequences(&self, (condition, holds): (ValueId, bool)) -> Vec<(ValueId, bool)> {
        let known = self.op(condition).as_prim();
        known.map_or(vec![], |(op, operands)| {
            consequences(op, operands, holds).collect()
        })
    }

    /// The outcome of a condition, where the context decides it.
    fn outcome(&self, context: &Context, condition: ValueId, depth: usize) -> Option<bool> {
        let known = context.0.iter().find(|(v, _)| *v == condition);
        if known.is_some() || depth == 0 {
            return known.map(|&(_, holds)| holds);
        }
        let inner = |v: ValueId| self.outcome(context, v, depth - 1);
        let Op::Prim(op, operands) = self.op(condition) else {
            return None;
        };
        match (op, &operands[..]) {
            (Prim::Not, &[x]) => inner(x).map(|holds| !holds),
            (Prim::And, &[x, y]) => match (inner(x), inner(y)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                (Some(true) | None, Some(true) | None) => None,
            },
            (Prim::Or, &[x, y]) => match (inner(x), inner(y)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                (Some(false) | None, Some(false) | None) => None,
            },
            (&op, operands) => self.outcome_of_test(context, op, operands),
        }
    }

    /// The outcome of a comparison whose opposite the context knows. Of floats, both may fail, but for
    /// equality.
    fn outcome_of_test(&self, context: &Context, op: Prim, operands: &[ValueId]) -> Option<bool> {
        let opposite = op.negated()?;
        let is_opposite = |v: ValueId| self.op(v).as_prim() == Some((opposite, operands));
        let found = context.0.iter().find(|(v, _)| is_opposite(*v));
        let exact = op.opposite(self.type_of(operands[0])).is_some();
        let &(_, holds) = found?;
        (holds || exact).then_some(!holds)
    }

    fn type_of(&self, v: ValueId) -> ScalarType {
        self.body.type_of(v)
    }

    /// What a use of `v` in a context may read instead of it.
    fn read(&self, context: &Context, mut v: ValueId) -> Read {
        let outcome = |v| self.outcome(context, v, MAX_DEPTH);
        while !context.0.is_empty() {
            if self.type_of(v) == ScalarType::Bool
                && let Some(holds) = outcome(v)
            {
                return Read::Truth(holds);
            }
            let Some(decided) = self.decided(v, outcome) else {
                break;
            };
            v = decided;
        }
        Read::Value(v)
    }

    /// The operand, or the load, that `v` equals, given the outcomes of conditions; that of `v` is not known.
    fn decided(&self, v: ValueId, outcome: impl Fn(ValueId) -> Option<bool>) -> Option<ValueId> {
        let op = self.op(v);
        if let Some(&[c, x, y]) = op.operands_of(Prim::Select) {
            return outcome(c).map(|holds| if holds { x } else { y });
        }
        if let Some(load) = op.as_load() {
            let is_on = outcome(load.guard?)?;
            let element = (load.array, load.index.as_slice());
            let same = self.everywhere.get(&element).copied();
            return same.filter(|&first| is_on && first < v);
        }
        let junction = op
            .operands_of(Prim::And)
            .or_else(|| op.operands_of(Prim::Or));
        let &[x, y] = junction?;
        // One side is neutral, or the outcome would be known.
        let by_second = || outcome(y).map(|_| x);
        outcome(x).map(|_| y).or_else(by_second)
    }

    /// What every needed value reads.
    fn plan(&self, observed: &Observed) -> Plan {
        let mut changes = 0;
        let mut read = |context: &Context, v| {
            let read = self.read(context, v);
            changes += usize::from(read != Read::Value(v));
            read
        };
        let mut values = vec![];
        for (user, context) in self.of.iter().enumerate() {
            let user = ValueId(user as u32);
            let mut reads = |context: &Context| {
                let operands = self.op(user).operands().into_iter().enumerate();
                operands
                    .map(|(position, v)| read(&self.of_use(user, position, context), v))
                    .collect()
            };
            values.push(context.as_ref().map(&mut reads));
        }
        let roots = observed.roots.iter();
        let roots = roots
            .map(|&r| read(&self.of_root(observed, r), r))
            .collect();
        Plan {
            values,
            roots,
            changes,
        }
    }
}

fn is_select(op: &Op) -> bool {
    op.as_prim().is_some_and(|(op, _)| op == Prim::Select)
}
