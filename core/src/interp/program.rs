//! Evaluates blocks of array operations.

use super::array::{Array, Results, intersect, to_integers};
use super::bug;
use super::need::Lenient;
use super::scalar::{Function, truth};
use super::value::{Level, Value};
use super::watch::Watch;
use crate::backend::{RunError, Site};
use crate::constant::Const;
use crate::host::HostArray;
use crate::term::{
    AccBlock, AccClosure, AccLet, AccOp, ArrBind, ArrId, Fun, Labelled, Mode, UseId,
};
use std::collections::HashMap;

/// The state of a run.
#[derive(Debug)]
pub(super) struct Interpreter<'p> {
    uses: &'p [HostArray],
    /// The arrays bound so far; in a run that goes on after failures, or why there is none.
    arrays: HashMap<ArrId, Result<Array, RunError>>,
    /// How many derivatives are being computed around the code at hand.
    pub(super) level: Level,
    /// Set in a run that goes on after failures.
    pub(super) lenient: Option<Lenient>,
    /// Set in a run that looks for numbers that are not finite.
    pub(super) watch: Option<Watch>,
}

impl<'p> Interpreter<'p> {
    /// Ready to run code that uses the given host arrays, inside `level` gradients.
    pub(super) fn new(uses: &'p [HostArray], level: Level) -> Self {
        Self {
            uses,
            arrays: HashMap::new(),
            level,
            lenient: None,
            watch: None,
        }
    }

    /// Gives variables their values.
    pub(super) fn bind_all(
        &mut self,
        binds: &[ArrBind<Labelled>],
        values: Vec<Array>,
    ) -> Result<(), RunError> {
        if binds.len() != values.len() {
            let given = values.len();
            return Err(bug(format!("{given} arrays for {} variables", binds.len())));
        }
        for (bind, value) in binds.iter().zip(values) {
            if bind.ty != value.array_type() {
                let (name, given) = (bind.name, value.array_type());
                return Err(bug(format!("{name} of {} bound to {given}", bind.ty)));
            }
            self.arrays.insert(bind.name, Ok(value));
        }
        Ok(())
    }

    /// Evaluates a block.
    pub(super) fn block(&mut self, block: &'p AccBlock<Labelled>) -> Result<Vec<Array>, RunError> {
        self.lets(block)?;
        self.list(&block.results)
    }

    /// Evaluates the operations of a block.
    pub(super) fn lets(&mut self, block: &'p AccBlock<Labelled>) -> Result<(), RunError> {
        block.lets.iter().try_for_each(|let_| self.let_(let_))
    }

    fn let_(&mut self, let_: &'p AccLet<Labelled>) -> Result<(), RunError> {
        let AccLet { binds, op, loc } = let_;
        let site = Site {
            construct: op.name(),
            loc: *loc,
        };
        let done = match (&self.lenient, op) {
            (Some(_), AccOp::Cond { cond, then_, else_ }) => {
                self.taken(cond, (then_, else_), binds)
            }
            (
                Some(_),
                AccOp::Derivative {
                    mode: Mode::Jvp,
                    params,
                    body,
                    args,
                },
            ) => self.jvp(params, body, args).map(|results| {
                let names = binds.iter().map(|bind| bind.name);
                self.arrays.extend(names.zip(results));
            }),
            (_, op) => {
                let values = self.evaluate(op, Results { site, binds });
                values.and_then(|values| {
                    if let Some(watch) = &self.watch {
                        let elements = values.iter().flat_map(Array::elements);
                        watch.see(elements, || op.name().to_owned(), *loc);
                    }
                    self.bind_all(binds, values)
                })
            }
        };
        done.or_else(|error| self.fail(let_, error))
    }

    /// Binds variables to a failure, if the run can go on.
    fn fail(&mut self, let_: &'p AccLet<Labelled>, error: RunError) -> Result<(), RunError> {
        let AccLet { binds, op, loc: _ } = let_;
        let Some(lenient) = self.lenient.clone().filter(|l| l.takes(&error)) else {
            return Err(error);
        };
        if let (true, AccOp::Permute { defaults, .. }) = (lenient.keeps_scatters(), op)
            && let Ok((kept, _)) = self
                .list(defaults)
                .and_then(|defaults| intersect(&defaults))
        {
            return self.bind_all(binds, kept);
        }
        let failed = binds.iter().map(|b| (b.name, Err(error.clone())));
        self.arrays.extend(failed);
        Ok(())
    }

    /// The branch taken of a conditional, of whose results some may be failures: those are bound here.
    fn taken(
        &mut self,
        cond: &'p Fun<Labelled>,
        (then_, else_): (&'p AccBlock<Labelled>, &'p AccBlock<Labelled>),
        binds: &[ArrBind<Labelled>],
    ) -> Result<(), RunError> {
        let holds = self.function(cond)?.decide()?;
        let block = if holds { then_ } else { else_ };
        self.lets(block)?;
        let results: Vec<_> = block.results.iter().map(|&a| self.get(a)).collect();
        for (bind, result) in binds.iter().zip(results) {
            self.arrays.insert(bind.name, result);
        }
        Ok(())
    }

    fn evaluate(
        &mut self,
        op: &'p AccOp<Labelled>,
        results: Results<'p>,
    ) -> Result<Vec<Array>, RunError> {
        match op {
            AccOp::Use(id) => self.use_(*id),
            AccOp::Generate { shape, f } => self.generate(results, shape, f),
            AccOp::Map { f, args } => self.map(results, f, args),
            AccOp::Fold { f, init, args } => self.fold(results, f, init.as_ref(), args),
            AccOp::FoldSegments {
                f,
                init,
                lengths,
                args,
            } => self.fold_segments(results, (f, init), *lengths, args),
            AccOp::Scan {
                direction,
                f,
                init,
                args,
            } => self.scan(results, *direction, f, init.as_ref(), args),
            AccOp::Move { how, arg } => self.moved(results, how, *arg),
            AccOp::Permute {
                combine,
                outside: _,
                defaults,
                target,
                args,
            } => self.permute(results, *combine, defaults, target, args),
            AccOp::Unpack { args } => self.unpack(results, args),
            AccOp::Append { args } => self.append(results, args),
            AccOp::Argsort { order, arg } => self.argsort(results, *order, *arg),
            AccOp::Cond { cond, then_, else_ } => {
                let holds = self.function(cond)?.decide()?;
                self.block(if holds { then_ } else { else_ })
            }
            AccOp::Derivative {
                mode: Mode::Jvp,
                params,
                body,
                args,
            } => self.jvp(params, body, args)?.into_iter().collect(),
            AccOp::Derivative {
                mode: Mode::Gradient { with_value },
                params,
                body,
                args,
            } => self.gradient(results, *with_value, params, body, args),
            AccOp::Custom {
                values,
                rules,
                args,
            } => self.custom(*values, rules, args),
            AccOp::Loop {
                trips,
                test,
                step,
                states: _,
                args,
            } => self.run_loop(trips, test.as_ref(), step, args),
        }
    }

    /// Makes trips; gives their number and the last state.
    fn run_loop(
        &mut self,
        trips: &'p Fun<Labelled>,
        test: Option<&'p AccClosure<Labelled>>,
        step: &'p AccClosure<Labelled>,
        args: &[ArrId],
    ) -> Result<Vec<Array>, RunError> {
        let most = match self.integers(trips)?.as_slice() {
            &[most] => self.bounded(most),
            found => return Err(bug(format!("{found:?} as a number of trips"))),
        };
        let mut state = vec![Array::number(0)];
        state.extend(self.list(args)?);
        let mut trip = 0;
        self.watch.iter().for_each(Watch::enter_loop);
        while trip < most && self.goes_on(test, &state).map_err(|e| e.in_trip(trip))? {
            let next = self.closure(step, state);
            let next = next.map_err(|e| e.in_trip(trip))?;
            trip += 1;
            self.watch.iter().for_each(Watch::next_trip);
            state = vec![Array::number(trip as i32)];
            state.extend(next);
        }
        self.watch.iter().for_each(Watch::leave_loop);
        Ok(state)
    }

    /// As many trips, or so few that a run that goes on after failures comes to an end.
    fn bounded(&self, trips: i64) -> i64 {
        let most = self.lenient.as_ref().map(|_| Lenient::MOST_TRIPS.into());
        trips.min(most.unwrap_or(trips))
    }

    fn goes_on(
        &mut self,
        test: Option<&'p AccClosure<Labelled>>,
        state: &[Array],
    ) -> Result<bool, RunError> {
        let Some(test) = test else {
            return Ok(true);
        };
        let answer = self.closure(test, state.to_vec())?;
        truth(scalar(&answer)?)
    }

    pub(super) fn closure(
        &mut self,
        AccClosure { params, body }: &'p AccClosure<Labelled>,
        args: Vec<Array>,
    ) -> Result<Vec<Array>, RunError> {
        self.bind_all(params, args)?;
        self.block(body)
    }

    fn use_(&self, id: UseId) -> Result<Vec<Array>, RunError> {
        let host = self.uses.get(id.0 as usize);
        let host = host.ok_or_else(|| bug(format!("no host array {}", id.0)))?;
        Ok(vec![Array::from_host(host)?])
    }

    /// Evaluates the body at duals of a level of its own, of which nothing is left in the results. The
    /// coordinates of the parameters follow each other in the order of declaration.
    fn gradient(
        &mut self,
        derivatives: Results<'p>,
        with_value: bool,
        params: &'p [ArrBind<Labelled>],
        body: &'p AccBlock<Labelled>,
        args: &[ArrId],
    ) -> Result<Vec<Array>, RunError> {
        let (point, mut first) = (self.list(args)?, 0);
        self.level += 1;
        let level = self.level;
        let seeded = point.iter().map(|array| {
            first += array.elements().len();
            seed(array, level, first - array.elements().len())
        });
        let seeded = seeded.collect::<Result<_, _>>()?;
        self.bind_all(params, seeded)?;
        let results = self.block(body);
        self.level -= 1;
        let results = match (results, &self.lenient) {
            (Err(error), Some(lenient)) if lenient.takes(&error) => {
                return unknown_derivatives(lenient, derivatives, with_value, &point);
            }
            (results, _) => results?,
        };
        let result = scalar(&results)?;
        let mut derivatives = vec![];
        if with_value {
            derivatives.push(results[0].with_elements(|(_, value)| Ok(value.primal(level)))?);
        }
        let mut first = 0;
        for array in &point {
            derivatives.push(partials(result, array, level, first)?);
            first += array.elements().len();
        }
        Ok(derivatives)
    }

    /// The function with the arrays it captures.
    pub(super) fn function(&self, fun: &'p Fun<Labelled>) -> Result<Function<'p>, RunError> {
        let captures: Vec<_> = fun.captures.iter().map(|&a| self.get(a)).collect();
        match &self.lenient {
            Some(lenient) => Ok(Function::new(fun, captures, self.level).going_on(lenient)),
            None => {
                let captures = captures.into_iter().map(|array| array.map(Ok));
                let captures = captures.collect::<Result<_, _>>()?;
                Ok(Function::new(fun, captures, self.level).watched(self.watch.as_ref()))
            }
        }
    }

    /// The results of a function without parameters: extents or positions.
    pub(super) fn integers(&self, fun: &'p Fun<Labelled>) -> Result<Vec<i64>, RunError> {
        to_integers(&self.function(fun)?.call(vec![])?)
    }

    /// Gives a variable another value.
    pub(super) fn bind(&mut self, array: ArrId, value: Array) {
        self.arrays.insert(array, Ok(value));
    }

    /// The value of a variable.
    pub(super) fn get(&self, array: ArrId) -> Result<Array, RunError> {
        let value = self.arrays.get(&array).cloned();
        value.unwrap_or_else(|| Err(bug(format!("array variable {array} is not bound"))))
    }

    /// The values of some variables.
    pub(super) fn list(&self, arrays: &[ArrId]) -> Result<Vec<Array>, RunError> {
        arrays.iter().map(|&array| self.get(array)).collect()
    }
}

/// The array as the variables from number `first` on of the gradient at `level`.
pub(super) fn seed(array: &Array, level: Level, first: usize) -> Result<Array, RunError> {
    array.with_elements(|(i, x)| Ok(x.seed(level, first + i)))
}

/// The derivatives of `result` by the elements of what [`seed`] made of `array`.
pub(super) fn partials(
    result: &Value,
    array: &Array,
    level: Level,
    first: usize,
) -> Result<Array, RunError> {
    let elem = array.array_type().elem;
    array.with_elements(|(i, _)| {
        let partial = result.partial(level, first + i, elem);
        partial.ok_or_else(|| bug("a derivative that is not a number"))
    })
}

/// What stands in for the value and the derivatives of what failed, at a point.
fn unknown_derivatives(
    lenient: &Lenient,
    results: Results<'_>,
    with_value: bool,
    point: &[Array],
) -> Result<Vec<Array>, RunError> {
    let (value, _) = results.binds.split_at(usize::from(with_value));
    let column = value.iter().map(|b| vec![lenient.value(b.ty.elem)]);
    let column = column.collect();
    let value = Results {
        binds: value,
        ..results
    };
    let mut derivatives = value.finish(&[], column)?;
    for array in point {
        let elem = array.array_type().elem;
        let partial = match elem.is_float() {
            true => lenient.value(elem),
            false => Value::Plain(Const::zero(elem)),
        };
        derivatives.push(array.with_elements(|_| Ok(partial.clone()))?);
    }
    Ok(derivatives)
}

/// The one element of the one array.
pub(super) fn scalar(arrays: &[Array]) -> Result<&Value, RunError> {
    match arrays.first().map(Array::elements) {
        Some([value]) if arrays.len() == 1 => Ok(value),
        Some(_) | None => Err(bug("one element expected")),
    }
}
