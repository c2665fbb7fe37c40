//! Evaluates blocks of array operations.

use super::array::{Array, Results, to_integers};
use super::bug;
use super::scalar::Function;
use super::value::{Level, Value};
use crate::backend::{RunError, Site};
use crate::host::HostArray;
use crate::term::{AccBlock, AccLet, AccOp, ArrBind, ArrId, Fun, Labelled, UseId};
use std::collections::HashMap;

/// The state of a run.
#[derive(Debug)]
pub(super) struct Interpreter<'p> {
    uses: &'p [HostArray],
    arrays: HashMap<ArrId, Array>,
    level: Level,
}

impl<'p> Interpreter<'p> {
    /// Ready to run code that uses the given host arrays, inside `level` gradients.
    pub(super) fn new(uses: &'p [HostArray], level: Level) -> Self {
        Self {
            uses,
            arrays: HashMap::new(),
            level,
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
            self.arrays.insert(bind.name, value);
        }
        Ok(())
    }

    /// Evaluates a block.
    pub(super) fn block(&mut self, block: &'p AccBlock<Labelled>) -> Result<Vec<Array>, RunError> {
        for AccLet { binds, op, loc } in &block.lets {
            let site = Site {
                construct: op.name(),
                loc: *loc,
            };
            let values = self.evaluate(op, Results { site, binds })?;
            self.bind_all(binds, values)?;
        }
        self.list(&block.results)
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
            AccOp::Scan {
                direction,
                f,
                init,
                args,
            } => self.scan(results, *direction, f, init.as_ref(), args),
            AccOp::Reshape { shape, arg } => self.reshape(results, shape, *arg),
            AccOp::Replicate { axes, extents, arg } => self.replicate(results, axes, extents, *arg),
            AccOp::Slice { axes, indices, arg } => self.slice(results, axes, indices, *arg),
            AccOp::Backpermute { shape, f, arg } => self.backpermute(results, shape, f, *arg),
            AccOp::Permute {
                combine,
                defaults,
                target,
                args,
            } => self.permute(results, *combine, defaults, target, args),
            AccOp::Unpack { args } => self.unpack(results, args),
            AccOp::Append { args } => self.append(results, args),
            AccOp::Cond { cond, then_, else_ } => {
                let holds = self.function(cond)?.decide()?;
                self.block(if holds { then_ } else { else_ })
            }
            AccOp::Gradient {
                with_value,
                params,
                body,
                args,
            } => self.gradient(*with_value, params, body, args),
        }
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
        with_value: bool,
        params: &'p [ArrBind<Labelled>],
        body: &'p AccBlock<Labelled>,
        args: &[ArrId],
    ) -> Result<Vec<Array>, RunError> {
        self.level += 1;
        let level = self.level;
        let (point, mut first) = (self.list(args)?, 0);
        let seeded = point.iter().map(|array| {
            first += array.elements().len();
            seed(array, level, first - array.elements().len())
        });
        let seeded = seeded.collect::<Result<_, _>>()?;
        self.bind_all(params, seeded)?;
        let results = self.block(body)?;
        self.level -= 1;
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
        let captures = self.list(&fun.captures)?;
        Ok(Function::new(fun, captures, self.level))
    }

    /// The results of a function without parameters: extents or positions.
    pub(super) fn integers(&self, fun: &'p Fun<Labelled>) -> Result<Vec<i64>, RunError> {
        to_integers(&self.function(fun)?.call(vec![])?)
    }

    /// The value of a variable.
    pub(super) fn get(&self, array: ArrId) -> Result<Array, RunError> {
        let value = self.arrays.get(&array).cloned();
        value.ok_or_else(|| bug(format!("array variable {array} is not bound")))
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

/// The one element of the one array.
pub(super) fn scalar(arrays: &[Array]) -> Result<&Value, RunError> {
    match arrays.first().map(Array::elements) {
        Some([value]) if arrays.len() == 1 => Ok(value),
        Some(_) | None => Err(bug("a gradient of something that is not one number")),
    }
}
