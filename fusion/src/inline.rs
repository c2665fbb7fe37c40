//! Scalar functions become straight-line code.
//!
//! A conditional becomes both its branches and a select; what is loaded in a branch gets the condition as
//! its guard. Everything else is total, so this changes no value and no failure. Where the condition is
//! known, only one branch becomes code.

use crate::code::{CodeId, Codes, HOST, HostValue};
use crate::draft::Draft;
use crate::env::Environment;
use crate::looping::Trip;
use crate::slice;
use cotangent_core::backend::Site;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::ValueId;
use cotangent_core::term::{ArrId, ExpBlock, ExpClosure, ExpId, ExpLet, ExpOp, Fun, Labelled};
use std::collections::HashMap;

/// The values of a function's variables.
pub(crate) type Variables = HashMap<ExpId, ValueId>;

/// Where the code of a function goes.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The piece of code.
    pub code: CodeId,
    /// The arrays of the function's slots.
    pub captures: &'a [ArrId],
    /// Where the function's results are needed.
    pub guard: Option<ValueId>,
}

/// Writes the code of scalar functions, and of elements of arrays (`element.rs`): what lowering may ask at any time, as that
/// changes nothing of what is known of arrays.
pub(crate) struct Inliner<'e, 'p> {
    pub env: &'e Environment<'p>,
    pub draft: &'e mut Draft,
}

impl<'e, 'p> Inliner<'e, 'p> {
    pub(crate) fn new(env: &'e Environment<'p>, draft: &'e mut Draft) -> Self {
        Self { env, draft }
    }

    /// The values of the given results of a function; `variables` holds the parameters that they need.
    pub(crate) fn inline(
        &mut self,
        code: CodeId,
        fun: &Fun<Labelled>,
        results: &[usize],
        variables: &mut Variables,
        guard: Option<ValueId>,
    ) -> Vec<ValueId> {
        let needed = slice::needed(fun, results);
        let place = Place {
            code,
            captures: &fun.captures,
            guard,
        };
        for let_ in &fun.body.lets {
            if slice::is_needed(let_, &needed) {
                self.inline_let(place, let_, variables);
            }
        }
        let result = |&r: &usize| variables[&fun.body.results[r]];
        results.iter().map(result).collect()
    }

    /// The values of all results of a function, applied to `args`.
    pub(crate) fn apply(
        &mut self,
        code: CodeId,
        fun: &Fun<Labelled>,
        args: &[ValueId],
        guard: Option<ValueId>,
    ) -> Vec<ValueId> {
        let params = fun.params.iter().map(|p| p.name);
        let mut variables = params.zip(args.iter().copied()).collect();
        self.inline(code, fun, &slice::all_results(fun), &mut variables, guard)
    }

    /// The values of a function without parameters, computed by the host.
    pub(crate) fn closed(&mut self, fun: &Fun<Labelled>) -> Vec<HostValue> {
        let values = self.apply(HOST, fun, &[], None);
        values.into_iter().map(HostValue).collect()
    }

    fn inline_let(&mut self, place: Place<'_>, let_: &ExpLet<Labelled>, vars: &mut Variables) {
        let values = match &let_.op {
            ExpOp::Const(value) => vec![self.draft.codes.constant(place.code, *value)],
            ExpOp::Prim(op, operands) => {
                let operands: Vec<_> = operands.iter().map(|x| vars[x]).collect();
                vec![self.draft.codes.prim(place.code, *op, &operands)]
            }
            ExpOp::Index { array, index } => {
                let array = place.captures[array.0 as usize];
                let index: Vec<_> = index.iter().map(|x| vars[x]).collect();
                let site = self.draft.sites.id(Site {
                    construct: "at",
                    loc: let_.loc,
                });
                vec![self.element(place.code, array, &index, place.guard, site)]
            }
            ExpOp::Extent { array, axis } => {
                let array = place.captures[array.0 as usize];
                let extent = self.env.extents(array)[*axis];
                vec![self.draft.codes.leaf(place.code, extent)]
            }
            ExpOp::Cond { cond, then_, else_ } => {
                self.inline_cond(place, vars[cond], (then_, else_), vars)
            }
            ExpOp::Loop { test, step, args } => {
                self.inline_loop(place, (test.as_ref(), step), args, vars)
            }
            ExpOp::Derivative { .. } | ExpOp::WithPartials(_) => {
                unreachable!("programs with gradients are turned down before lowering")
            }
        };
        vars.extend(let_.binds.iter().map(|b| b.name).zip(values));
    }

    /// The values of a block's results.
    fn inline_block(
        &mut self,
        place: Place<'_>,
        block: &ExpBlock<Labelled>,
        variables: &mut Variables,
    ) -> Vec<ValueId> {
        for let_ in &block.lets {
            self.inline_let(place, let_, variables);
        }
        block.results.iter().map(|x| variables[x]).collect()
    }

    fn inline_cond(
        &mut self,
        place: Place<'_>,
        cond: ValueId,
        (then_, else_): (&ExpBlock<Labelled>, &ExpBlock<Labelled>),
        variables: &mut Variables,
    ) -> Vec<ValueId> {
        let Place { code, guard, .. } = place;
        let not = self.draft.codes.prim(code, Prim::Not, &[cond]);
        if let Some(holds) = self.draft.codes.truth(code, (cond, not), guard) {
            return self.inline_block(place, if holds { then_ } else { else_ }, variables);
        }
        let mut branch = |block, cond| {
            let guard = self.draft.codes.guard_and(code, guard, cond);
            self.inline_block(Place { guard, ..place }, block, variables)
        };
        let (then_, else_) = (branch(then_, cond), branch(else_, not));
        let select = |(x, y)| self.draft.codes.prim(code, Prim::Select, &[cond, x, y]);
        then_.into_iter().zip(else_).map(select).collect()
    }

    /// The number of trips and the last state of a loop.
    fn inline_loop(
        &mut self,
        place: Place<'_>,
        (test, step): (Option<&ExpClosure<Labelled>>, &ExpClosure<Labelled>),
        args: &[ExpId],
        variables: &Variables,
    ) -> Vec<ValueId> {
        let mut args: Vec<_> = args.iter().map(|x| variables[x]).collect();
        let trip = self.draft.codes.open_trip(place.code, place.guard, &args);
        if let Some(guard) = place.guard {
            let none = self.draft.codes.constant(place.code, 0);
            let trips = [guard, args[0], none];
            args[0] = self.draft.codes.prim(place.code, Prim::Select, &trips);
        }
        let inner = |guard| Place {
            code: trip.inner,
            guard,
            ..place
        };
        let test = test.map(|test| {
            let mut inside = self.enter(&trip, test, variables);
            self.inline_block(inner(None), &test.body, &mut inside)[0]
        });
        let test =
            test.filter(|&v| self.draft.codes.as_const(trip.inner, v) != Some(Const::Bool(true)));
        let mut inside = self.enter(&trip, step, variables);
        let next = self.inline_block(inner(test), &step.body, &mut inside);
        self.draft.codes.close_trip(&trip, (test, next), args)
    }

    /// What the code of a trip sees.
    fn enter(
        &mut self,
        trip: &Trip,
        ExpClosure { params, body }: &ExpClosure<Labelled>,
        variables: &Variables,
    ) -> Variables {
        let params = params.iter().map(|p| p.name);
        let mut inside: Variables = params.zip(trip.given.iter().copied()).collect();
        for x in body.free() {
            let capture = || self.draft.codes.capture(trip.inner, variables[&x]);
            inside.entry(x).or_insert_with(capture);
        }
        inside
    }
}

impl Codes {
    /// Whether a condition holds, as far as is known under a guard.
    fn truth(
        &mut self,
        code: CodeId,
        (cond, not): (ValueId, ValueId),
        guard: Option<ValueId>,
    ) -> Option<bool> {
        match self.as_const(code, cond) {
            Some(value) => Some(value == Const::Bool(true)),
            None => {
                let guard = guard?;
                let holds = self.implies(code, guard, cond);
                let fails = self.implies(code, guard, not);
                (holds || fails).then_some(holds)
            }
        }
    }
}
