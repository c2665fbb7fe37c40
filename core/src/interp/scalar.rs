//! Evaluates scalar functions.

use super::array::{Array, to_integers};
use super::bug;
use super::need::Lenient;
use super::value::{DIRECTION, Level, Value, apply, with_partials};
use super::watch::Watch;
use crate::backend::{RunError, Site};
use crate::constant::Const;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::{ExpBind, ExpBlock, ExpClosure, ExpId, ExpLet, ExpOp, Fun, Labelled, Mode, Slot};
use crate::types::ScalarType;

/// A scalar function with the arrays it captures, ready to be called for each element of an array.
#[derive(Debug)]
pub(super) struct Function<'p> {
    fun: &'p Fun<Labelled>,
    /// In a run that goes on after failures, or why there is none.
    captures: Vec<Result<Array, RunError>>,
    level: Level,
    lenient: Option<Lenient>,
    watch: Option<Watch>,
    /// The variables by label; kept between calls for its memory only.
    variables: Vec<Option<Value>>,
}

impl<'p> Function<'p> {
    /// A function to be called inside `level` gradients.
    pub(super) fn new(
        fun: &'p Fun<Labelled>,
        captures: Vec<Result<Array, RunError>>,
        level: Level,
    ) -> Self {
        Self {
            fun,
            captures,
            level,
            lenient: None,
            watch: None,
            variables: vec![],
        }
    }

    /// The same in a run that goes on after failures.
    pub(super) fn going_on(self, lenient: &Lenient) -> Self {
        Self {
            lenient: Some(lenient.clone()),
            ..self
        }
    }

    /// The same in a run that may be watched.
    pub(super) fn watched(self, watch: Option<&Watch>) -> Self {
        Self {
            watch: watch.cloned(),
            ..self
        }
    }

    /// The results for the given arguments.
    pub(super) fn call(&mut self, args: Vec<Value>) -> Result<Vec<Value>, RunError> {
        let fun = self.fun;
        self.variables.clear();
        self.bind_all(&fun.params, args)?;
        self.block(&fun.body)
    }

    /// The one result, a `bool`, for no arguments.
    pub(super) fn decide(&mut self) -> Result<bool, RunError> {
        match self.call(vec![])?.as_slice() {
            [condition] => truth(condition),
            results => Err(bug(format!("a condition of {} results", results.len()))),
        }
    }

    fn block(&mut self, block: &ExpBlock<Labelled>) -> Result<Vec<Value>, RunError> {
        for ExpLet { binds, op, loc } in &block.lets {
            self.evaluate(binds, op, *loc)?;
        }
        self.list(&block.results)
    }

    /// Evaluates one operation and binds its results.
    fn evaluate(
        &mut self,
        binds: &[ExpBind<Labelled>],
        op: &ExpOp<Labelled>,
        loc: Loc,
    ) -> Result<(), RunError> {
        let values = match op {
            ExpOp::Const(constant) => return self.bind_one(binds, Value::Plain(*constant)),
            ExpOp::Prim(op, operands) => {
                let result = self.prim(*op, operands)?;
                if let Some(watch) = &self.watch {
                    watch.see([&result], || op.name(), loc);
                }
                return self.bind_one(binds, result);
            }
            ExpOp::Index { array, index } => {
                let element = self.index(*array, index, loc);
                let ty = binds.first().map_or(ScalarType::I32, |b| b.ty);
                let element = Lenient::element_or(self.lenient.as_ref(), element, ty)?;
                return self.bind_one(binds, element);
            }
            ExpOp::Extent { array, axis } => {
                let extent = self.extent(*array, *axis);
                let lenient = self.lenient.as_ref();
                let extent = extent.or_else(|error| {
                    let lenient = lenient.filter(|lenient| lenient.takes(&error));
                    lenient.map(Lenient::extent).ok_or(error)
                })?;
                return self.bind_one(binds, extent);
            }
            ExpOp::Cond { cond, then_, else_ } => {
                let holds = truth(&self.get(*cond)?)?;
                self.block(if holds { then_ } else { else_ })?
            }
            ExpOp::Derivative {
                mode: Mode::Jvp,
                params,
                body,
                args,
            } => self.jvp(params, body, args)?,
            ExpOp::Derivative {
                mode: Mode::Gradient { with_value },
                params,
                body,
                args,
            } => self.gradient(*with_value, params, body, args)?,
            ExpOp::WithPartials(args) => {
                let value = with_partials(&self.list(args)?);
                let value = value.ok_or_else(|| bug("partial derivatives of another type"))?;
                return self.bind_one(binds, value);
            }
            ExpOp::Loop { test, step, args } => self.run_loop(test.as_ref(), step, args)?,
        };
        self.bind_all(binds, values)
    }

    fn prim(&self, op: Prim, operands: &[ExpId]) -> Result<Value, RunError> {
        let result = match operands {
            [x] => apply(op, &[self.get(*x)?]),
            [x, y] => apply(op, &[self.get(*x)?, self.get(*y)?]),
            [x, y, z] => apply(op, &[self.get(*x)?, self.get(*y)?, self.get(*z)?]),
            _ => None,
        };
        result.ok_or_else(|| bug(format!("`{op}` on operands that do not fit")))
    }

    fn index(&self, array: Slot, index: &[ExpId], loc: Loc) -> Result<Value, RunError> {
        let site = Site {
            construct: "at",
            loc,
        };
        let index = to_integers(&self.list(index)?)?;
        self.capture(array)?.at(&index, site)
    }

    fn extent(&self, array: Slot, axis: usize) -> Result<Value, RunError> {
        let extent = self.capture(array)?.shape().get(axis);
        let extent = extent.ok_or_else(|| bug(format!("no dimension {axis}")))?;
        Ok(Value::Plain(Const::I32(*extent as i32)))
    }

    /// Evaluates the body at duals of a level of its own, of which nothing is left in the results.
    fn gradient(
        &mut self,
        with_value: bool,
        params: &[ExpBind<Labelled>],
        body: &ExpBlock<Labelled>,
        args: &[ExpId],
    ) -> Result<Vec<Value>, RunError> {
        self.level += 1;
        let level = self.level;
        let point = self.list(args)?;
        let seeded = point.iter().enumerate().map(|(i, x)| x.seed(level, i));
        self.bind_all(params, seeded.collect())?;
        let results = self.block(body)?;
        self.level -= 1;
        let [result] = results.as_slice() else {
            return Err(bug("a gradient of several results"));
        };
        let partials = params.iter().enumerate().map(|(i, param)| {
            let partial = result.partial(level, i, param.ty);
            partial.ok_or_else(|| bug("a derivative that is not a number"))
        });
        let value = with_value.then(|| Ok(result.primal(level)));
        value.into_iter().chain(partials).collect()
    }

    /// The results of `body` and their tangents, at the point and along the tangents that are `args`.
    fn jvp(
        &mut self,
        params: &[ExpBind<Labelled>],
        body: &ExpBlock<Labelled>,
        args: &[ExpId],
    ) -> Result<Vec<Value>, RunError> {
        let mut point = self.list(args)?;
        let tangents = point.split_off(params.len().min(args.len()));
        let level = self.level + 1;
        let seeded = point.iter().zip(tangents);
        let seeded = seeded.map(|(x, x_tan)| x.along(level, x_tan)).collect();
        self.bind_all(params, seeded)?;
        self.level = level;
        let results = self.block(body)?;
        self.level -= 1;
        let values = results.iter().map(|y| Ok(y.primal(level)));
        let tangents = results.iter().map(|y| {
            let tangent = y.partial(level, DIRECTION, y.scalar_type());
            tangent.ok_or_else(|| bug("a tangent that is not a number"))
        });
        values.chain(tangents).collect()
    }

    /// Makes trips; gives their number and the last state.
    fn run_loop(
        &mut self,
        test: Option<&ExpClosure<Labelled>>,
        step: &ExpClosure<Labelled>,
        args: &[ExpId],
    ) -> Result<Vec<Value>, RunError> {
        let mut state = self.list(args)?;
        let most = match state.first().map(Value::constant) {
            Some(Const::I32(most)) => self.bounded(most),
            most => return Err(bug(format!("{most:?} as a number of trips"))),
        };
        let mut trip = 0;
        state[0] = Value::Plain(Const::I32(trip));
        let within = |error: RunError, trip: i32| error.in_trip(trip.into());
        self.watch.iter().for_each(Watch::enter_loop);
        while trip < most && self.goes_on(test, &state).map_err(|e| within(e, trip))? {
            let next = self.closure(step, state).map_err(|e| within(e, trip))?;
            trip += 1;
            self.watch.iter().for_each(Watch::next_trip);
            state = vec![Value::Plain(Const::I32(trip))];
            state.extend(next);
        }
        self.watch.iter().for_each(Watch::leave_loop);
        Ok(state)
    }

    /// As many trips, or so few that a run that goes on after failures comes to an end.
    fn bounded(&self, trips: i32) -> i32 {
        let most = self.lenient.as_ref().map(|_| Lenient::MOST_TRIPS);
        trips.min(most.unwrap_or(trips))
    }

    fn goes_on(
        &mut self,
        test: Option<&ExpClosure<Labelled>>,
        state: &[Value],
    ) -> Result<bool, RunError> {
        let Some(test) = test else {
            return Ok(true);
        };
        match self.closure(test, state.to_vec())?.as_slice() {
            [holds] => truth(holds),
            results => Err(bug(format!("a test of {} results", results.len()))),
        }
    }

    fn closure(
        &mut self,
        ExpClosure { params, body }: &ExpClosure<Labelled>,
        args: Vec<Value>,
    ) -> Result<Vec<Value>, RunError> {
        self.bind_all(params, args)?;
        self.block(body)
    }

    fn capture(&self, slot: Slot) -> Result<&Array, RunError> {
        match self.captures.get(slot.0 as usize) {
            Some(Ok(array)) => Ok(array),
            Some(Err(error)) => Err(error.clone()),
            None => Err(bug(format!("no capture {}", slot.0))),
        }
    }

    fn get(&self, x: ExpId) -> Result<Value, RunError> {
        let value = self.variables.get(x.0 as usize).cloned().flatten();
        value.ok_or_else(|| bug(format!("scalar variable {x} is not bound")))
    }

    fn list(&self, xs: &[ExpId]) -> Result<Vec<Value>, RunError> {
        xs.iter().map(|&x| self.get(x)).collect()
    }

    fn bind_one(&mut self, binds: &[ExpBind<Labelled>], value: Value) -> Result<(), RunError> {
        let [bind] = binds else {
            return Err(bug(format!("{} variables for one result", binds.len())));
        };
        let position = bind.name.0 as usize;
        if self.variables.len() <= position {
            self.variables.resize(position + 1, None);
        }
        self.variables[position] = Some(value);
        Ok(())
    }

    fn bind_all(
        &mut self,
        binds: &[ExpBind<Labelled>],
        values: Vec<Value>,
    ) -> Result<(), RunError> {
        if binds.len() != values.len() {
            let given = values.len();
            return Err(bug(format!("{given} values for {} variables", binds.len())));
        }
        for (bind, value) in binds.iter().zip(values) {
            self.bind_one(std::slice::from_ref(bind), value)?;
        }
        Ok(())
    }
}

/// The outcome of a condition.
pub(super) fn truth(value: &Value) -> Result<bool, RunError> {
    let condition = value.constant();
    let holds = condition.as_bool();
    holds.ok_or_else(|| bug(format!("{condition} as a condition")))
}
