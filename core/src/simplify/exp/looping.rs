//! Loops.
//!
//! What a loop carries without need becomes a value of the code around it: what no trip changes, and integers to which
//! every trip adds the same. What every trip computes anew moves in front of the loop, if it is total. A loop of no trips
//! is its first state, one of one trip the code of that.

use super::Rewriter;
use crate::algebra::ScalarCode;
use crate::analysis::cost::can_fail;
use crate::constant::Const;
use crate::prim::Prim;
use crate::term::{ExpBind, ExpBlock, ExpClosure, ExpId, ExpLet, ExpOp, Labelled};
use crate::types::ScalarType;
use std::collections::{HashMap, HashSet};

type Closure = ExpClosure<Labelled>;

/// What becomes of a scalar that a loop carries.
#[derive(Clone, Copy)]
enum Carried {
    /// It is carried.
    Still,
    /// Every trip leaves it as it was, the one value.
    Same(ExpId),
    /// Every trip adds the same to it.
    Adds { first: ExpId, every: Every },
}

/// What every trip adds.
#[derive(Clone, Copy)]
enum Every {
    Literal(Const),
    /// A value of the code around the loop.
    Outside(ExpId),
}

impl Rewriter<'_> {
    /// The results of a loop.
    pub(super) fn loop_(
        &mut self,
        test: Option<Closure>,
        step: Closure,
        args: &[ExpId],
        binds: &[ExpBind<Labelled>],
    ) -> Vec<ExpId> {
        let args = self.list(args);
        match self.constant_of(args[0]) {
            Some(Const::I32(trips)) if trips <= 0 => self.no_trip(&args),
            // Where it can fail, the failure is one of trip 0.
            Some(Const::I32(1)) if !fails(&test, &step) => self.one_trip(test, step, &args, binds),
            Some(_) | None => self.trips(test, step, &args, binds),
        }
    }

    fn no_trip(&mut self, args: &[ExpId]) -> Vec<ExpId> {
        self.counts.fire("loop_no_trips");
        let none = self.constant(Const::I32(0));
        [&[none], &args[1..]].concat()
    }

    /// The code of the one trip, under its test.
    fn one_trip(
        &mut self,
        test: Option<Closure>,
        step: Closure,
        args: &[ExpId],
        binds: &[ExpBind<Labelled>],
    ) -> Vec<ExpId> {
        self.counts.fire("loop_one_trip");
        let loc = self.loc;
        let [none, one] = [0, 1].map(|trip| self.constant(Const::I32(trip)));
        let given = [&[none], &args[1..]].concat();
        let Some(test) = test else {
            self.bind_to(&step.params, &given);
            self.lets(step.body.lets);
            return [&[one], &self.list(&step.body.results)[..]].concat();
        };
        self.bind_to(&test.params, &given);
        self.lets(test.body.lets);
        let holds = self.name(test.body.results[0]);
        self.loc = loc;
        self.bind_to(&step.params, &given);
        let unchanged = ExpBlock {
            lets: vec![],
            results: step.params[1..].iter().map(|p| p.name).collect(),
        };
        let state = self.cond_on(holds, step.body, unchanged, &binds[1..]);
        let trips = self.prim(Prim::Select, &[holds, one, none]);
        [&[trips], &state[..]].concat()
    }

    /// Old names stand for new labels.
    fn bind_to(&mut self, params: &[ExpBind<Labelled>], values: &[ExpId]) {
        let names = params.iter().map(|p| p.name);
        self.names.extend(names.zip(values.iter().copied()));
    }

    fn trips(
        &mut self,
        test: Option<Closure>,
        step: Closure,
        args: &[ExpId],
        binds: &[ExpBind<Labelled>],
    ) -> Vec<ExpId> {
        let (loc, outside) = (self.loc, self.values.len() as u32);
        let carried = self.carried(&step, args);
        let test = test.map(|test| self.trip(&carried, test, |_| true));
        let test = test.filter(|test| !self.always_holds(test));
        let step = self.trip(&carried, step, |k| matches!(carried[k], Carried::Still));
        self.loc = loc;
        if let Some(test) = &test
            && self.never_holds(test)
        {
            return self.no_trip(args);
        }
        let mut invariant = Invariant::new(outside);
        let test = test.map(|test| self.moved_out(&mut invariant, test));
        let step = self.moved_out(&mut invariant, step);
        self.pushed(test, step, (args, &carried), binds)
    }

    /// Pushes a loop of what is still carried; gives the values of all results.
    fn pushed(
        &mut self,
        test: Option<Closure>,
        step: Closure,
        (args, carried): (&[ExpId], &[Carried]),
        binds: &[ExpBind<Labelled>],
    ) -> Vec<ExpId> {
        let still = carried.iter().map(|c| matches!(c, Carried::Still));
        let kept: Vec<bool> = std::iter::once(true).chain(still).collect();
        let pick = |x: (&ExpId, &bool)| x.1.then_some(*x.0);
        let args: Vec<_> = args.iter().zip(&kept).filter_map(pick).collect();
        let types = binds.iter().zip(&kept).filter(|(_, kept)| **kept);
        let types: Vec<_> = types.map(|(b, _)| b.ty).collect();
        let made = match (&test, &args[..]) {
            (None, &[trips]) => vec![self.as_many(trips)],
            (Some(_), _) | (None, [..]) => {
                self.emit_blocks(ExpOp::Loop { test, step, args }, &types)
            }
        };
        let (trips, mut state) = (made[0], made[1..].iter());
        let result = |(c, bind): (&Carried, &ExpBind<Labelled>)| match *c {
            Carried::Still => state.next().copied().unwrap_or(trips),
            Carried::Same(value) => value,
            Carried::Adds { first, every } => self.after(trips, (first, every), bind.ty),
        };
        let state: Vec<_> = carried.iter().zip(&binds[1..]).map(result).collect();
        [&[trips], &state[..]].concat()
    }

    /// The trips of a loop that carries nothing and asks nothing.
    fn as_many(&mut self, trips: ExpId) -> ExpId {
        self.counts.fire("loop_of_nothing");
        let none = self.constant(Const::I32(0));
        self.prim(Prim::Max, &[trips, none])
    }

    /// Reads the code of a trip; `kept` says which of its results stay.
    fn trip(
        &mut self,
        carried: &[Carried],
        closure: Closure,
        kept: impl Fn(usize) -> bool,
    ) -> Closure {
        let Closure { params, body } = closure;
        let number = self.bind(&params[0]);
        // The number of a trip is never negative.
        self.space.insert(number.name, None);
        let mut still = vec![number.clone()];
        let body = self.scoped(|r| {
            for (param, c) in params[1..].iter().zip(carried) {
                match *c {
                    Carried::Still => still.push(r.bind(param)),
                    Carried::Same(value) => drop(r.names.insert(param.name, value)),
                    Carried::Adds { first, every } => {
                        let value = r.after(number.name, (first, every), param.ty);
                        r.names.insert(param.name, value);
                    }
                }
            }
            r.lets(body.lets);
            let results = body.results.iter().enumerate();
            let kept = results.filter(|(k, _)| kept(*k));
            kept.map(|(_, &x)| r.name(x)).collect()
        });
        let params = still;
        Closure { params, body }
    }

    /// What became of a sum after so many trips.
    fn after(&mut self, trips: ExpId, (first, every): (ExpId, Every), ty: ScalarType) -> ExpId {
        let every = match every {
            Every::Literal(value) => self.constant(value),
            Every::Outside(value) => value,
        };
        let trips = match ty == ScalarType::I32 {
            true => trips,
            false => self.prim(Prim::Convert(ty), &[trips]),
        };
        let added = self.prim(Prim::Mul, &[trips, every]);
        self.prim(Prim::Add, &[first, added])
    }

    /// What becomes of each scalar that is carried.
    fn carried(&mut self, step: &Closure, args: &[ExpId]) -> Vec<Carried> {
        let inside: HashSet<ExpId> = {
            let bound = step.params.iter().chain(step.body.bindings());
            bound.map(|b| b.name).collect()
        };
        let single = |l: &'_ ExpLet<Labelled>| l.binds.len() == 1;
        let lets = step.body.lets.iter().filter(|l| single(l));
        let own: HashMap<ExpId, &ExpOp<Labelled>> =
            lets.map(|l| (l.binds[0].name, &l.op)).collect();
        let columns = step.params[1..].iter().zip(&step.body.results);
        let mut carried = vec![];
        for ((param, &result), &first) in columns.zip(&args[1..]) {
            let literal = own.get(&result).and_then(|op| op.as_const());
            let same =
                result == param.name || literal.is_some_and(|value| self.is_constant(first, value));
            carried.push(if same {
                self.counts.fire("loop_unchanged_state");
                Carried::Same(first)
            } else if let Some(by) = added(param, own.get(&result))
                && let Some(every) = self.every(by, &own, &inside)
            {
                self.counts.fire("loop_affine_state");
                Carried::Adds { first, every }
            } else {
                Carried::Still
            });
        }
        carried
    }

    /// A value of a trip that is the same in all.
    fn every(
        &self,
        by: ExpId,
        own: &HashMap<ExpId, &ExpOp<Labelled>>,
        inside: &HashSet<ExpId>,
    ) -> Option<Every> {
        if !inside.contains(&by) {
            return Some(Every::Outside(self.name(by)));
        }
        own.get(&by)?.as_const().map(Every::Literal)
    }

    fn always_holds(&mut self, test: &Closure) -> bool {
        let holds = self.is_constant(test.body.results[0], Const::Bool(true));
        if holds {
            self.counts.fire("loop_test_holds");
        }
        holds
    }

    fn never_holds(&self, test: &Closure) -> bool {
        self.is_constant(test.body.results[0], Const::Bool(false))
    }

    /// Pushes what a trip computes from nothing that is bound in the loop, if it is total; gives the rest.
    fn moved_out(&mut self, invariant: &mut Invariant, closure: Closure) -> Closure {
        let Closure { params, mut body } = closure;
        for let_ in std::mem::take(&mut body.lets) {
            if !invariant.is(&let_) {
                body.lets.push(let_);
                continue;
            }
            if let_.op.as_const().is_none() {
                self.counts.fire("loop_invariant");
            }
            let bound = let_.binds.iter().map(|b| b.name);
            invariant.moved.extend(bound);
            self.lets.push(let_);
        }
        Closure { params, body }
    }
}

/// Whether a trip can fail.
fn fails(test: &Option<Closure>, step: &Closure) -> bool {
    let mut closures = test.iter().chain([step]);
    closures.any(|closure| can_fail(&closure.body))
}

/// What is added to a parameter to make its next value, an integer.
fn added(param: &ExpBind<Labelled>, next: Option<&&ExpOp<Labelled>>) -> Option<ExpId> {
    let operands = next?.operands_of(Prim::Add)?;
    match *operands {
        [x, by] | [by, x] if x == param.name && by != x && !param.ty.is_float() => Some(by),
        _ => None,
    }
}

/// What is known to be the same in all trips of a loop.
struct Invariant {
    /// The first label of the loop's code.
    outside: u32,
    /// Labels of code that was moved out.
    moved: HashSet<ExpId>,
}

impl Invariant {
    fn new(outside: u32) -> Self {
        let moved = HashSet::new();
        Self { outside, moved }
    }

    /// Whether an operation may run in front of the loop, which may make no trip.
    fn is(&self, let_: &ExpLet<Labelled>) -> bool {
        is_total(let_) && self.free(let_).all(|x| self.is_known(x))
    }

    fn is_known(&self, x: ExpId) -> bool {
        x.0 < self.outside || self.moved.contains(&x)
    }

    /// What an operation reads that it does not bind.
    fn free(&self, let_: &ExpLet<Labelled>) -> impl Iterator<Item = ExpId> {
        let inside = let_.op.blocks().into_iter();
        let inside = inside.flat_map(|inner| {
            let binds: Vec<_> = inner.binds.iter().map(|b| b.name).collect();
            let free = inner.block.free().into_iter();
            free.filter(move |x| !binds.contains(x)).collect::<Vec<_>>()
        });
        let_.op.operands().iter().copied().chain(inside)
    }
}

/// Whether an operation comes to an end without failing, whenever it is run.
fn is_total(let_: &ExpLet<Labelled>) -> bool {
    let ends = |op: &ExpOp<Labelled>| match op {
        ExpOp::Loop {
            test,
            step: _,
            args: _,
        } => test.is_none(),
        ExpOp::Index { .. } => false,
        ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Extent { .. } => true,
        ExpOp::Cond { .. } | ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => true,
    };
    let mut blocks = let_.op.blocks().into_iter();
    let inside =
        |block: &ExpBlock<Labelled>| !can_fail(block) && block.all_lets().all(|l| ends(&l.op));
    ends(&let_.op) && blocks.all(|inner| inside(inner.block))
}
