//! The rules of scalar functions and expressions.

use super::{Checker, Checks, Problem, Step, Stratum, derivative, fits, same};
use crate::label::Numbered;
use crate::prim::Prim;
use crate::term::{ExpBind, ExpBlock, ExpClosure, ExpLet, ExpOp, Fun, Mode, Slot};
use crate::types::{ArrayType, ScalarType};
use std::collections::HashSet;

impl Checker {
    /// Checks a function where it stands; gives the types of its results.
    pub(super) fn fun<N: Numbered>(
        &mut self,
        name: &'static str,
        fun: &Fun<N>,
        params: &[ScalarType],
    ) -> Checks<Vec<ScalarType>> {
        self.part(name, |c| {
            let captures = c.capture_list(fun)?;
            same("parameters", params.to_vec(), fun.param_types())?;
            c.closed_fun(fun, captures)
        })
    }

    /// Checks a function where it stands, its results included.
    pub(super) fn fun_to<N: Numbered>(
        &mut self,
        name: &'static str,
        fun: &Fun<N>,
        params: &[ScalarType],
        results: &[ScalarType],
    ) -> Checks<()> {
        let found = self.fun(name, fun, params)?;
        self.part(name, |_| same("results", results.to_vec(), found))
    }

    fn capture_list<N: Numbered>(&self, fun: &Fun<N>) -> Checks<Vec<ArrayType>> {
        let mut seen = HashSet::new();
        let capture = |&array: &N::Arr| {
            if seen.insert(array) {
                return self.array::<N>(array);
            }
            Err(Problem::CapturedTwice {
                variable: format!("{array:?}"),
            })
        };
        fun.captures.iter().map(capture).collect()
    }

    /// Checks a function that captures arrays of the given types.
    pub(super) fn closed_fun<N: Numbered>(
        &mut self,
        fun: &Fun<N>,
        captures: Vec<ArrayType>,
    ) -> Checks<Vec<ScalarType>> {
        let Fun {
            captures: _,
            params,
            body,
        } = fun;
        self.captures = captures;
        self.scalars = Stratum::default();
        self.exp_binds(params)?;
        self.exp_block(body)
    }

    fn exp_binds<N: Numbered>(&mut self, binds: &[ExpBind<N>]) -> Checks<()> {
        for ExpBind { name, ty } in binds {
            self.meet(*ty)?;
            self.scalars.bind(N::exp_label(*name), *ty, name)?;
        }
        Ok(())
    }

    fn scalar<N: Numbered>(&self, name: N::Exp) -> Checks<ScalarType> {
        let found = N::find(&self.scalars.scope, N::exp(name));
        found.copied().ok_or_else(|| Problem::Unbound {
            variable: format!("{name:?}"),
        })
    }

    fn scalar_types<N: Numbered>(&self, names: &[N::Exp]) -> Checks<Vec<ScalarType>> {
        names.iter().map(|&x| self.scalar::<N>(x)).collect()
    }

    fn slot(&self, slot: Slot) -> Checks<ArrayType> {
        let found = self.captures.get(slot.0 as usize);
        found.copied().ok_or(Problem::NoSuchSlot {
            given: slot.0,
            captures: self.captures.len(),
        })
    }

    /// Checks a block; gives the types of its results.
    fn exp_block<N: Numbered>(&mut self, block: &ExpBlock<N>) -> Checks<Vec<ScalarType>> {
        let ExpBlock { lets, results } = block;
        let depth = self.scalars.scope.depth();
        for (position, let_) in lets.iter().enumerate() {
            self.exp_let(position, let_)?;
        }
        let types = self.scalar_types::<N>(results)?;
        self.scalars.scope.leave(depth);
        Ok(types)
    }

    fn exp_let<N: Numbered>(&mut self, position: usize, let_: &ExpLet<N>) -> Checks<()> {
        let ExpLet { binds, op, loc } = let_;
        let outer = self.loc;
        self.loc = loc.or(outer);
        let label = binds.first().filter(|b| N::exp_label(b.name).is_some());
        let step = || Step::Let {
            position,
            operation: op.name(),
            label: label.map(|b| format!("{:?}", b.name)),
        };
        self.at(step, |c| {
            let types = c.exp_op(op)?;
            same(
                "bindings",
                types,
                binds.iter().map(|bind| bind.ty).collect(),
            )?;
            c.exp_binds(binds)
        })?;
        self.loc = outer;
        Ok(())
    }

    /// Checks an operation; gives the types of its results.
    fn exp_op<N: Numbered>(&mut self, op: &ExpOp<N>) -> Checks<Vec<ScalarType>> {
        match op {
            ExpOp::Const(value) => Ok(vec![value.scalar_type()]),
            ExpOp::Prim(prim, operands) => {
                let found = self.scalar_types::<N>(operands)?;
                Ok(vec![prim_type(*prim, found)?])
            }
            ExpOp::Index { array, index } => {
                let ArrayType { elem, rank } = self.slot(*array)?;
                let found = self.scalar_types::<N>(index)?;
                same("coordinates", vec![ScalarType::I32; rank], found)?;
                Ok(vec![elem])
            }
            ExpOp::Extent { array, axis } => {
                let (ty, axis) = (self.slot(*array)?, *axis);
                if axis >= ty.rank {
                    return Err(Problem::NoSuchAxis { axis, ty });
                }
                Ok(vec![ScalarType::I32])
            }
            ExpOp::Cond { cond, then_, else_ } => {
                let found = self.scalar::<N>(*cond)?;
                same("condition", vec![ScalarType::Bool], vec![found])?;
                let then_types = self.part("then", |c| c.exp_block(then_))?;
                let else_types = self.part("else", |c| c.exp_block(else_))?;
                same("results of `else`", then_types.clone(), else_types)?;
                Ok(then_types)
            }
            ExpOp::Derivative {
                mode,
                params,
                body,
                args,
            } => {
                let found = self.scalar_types::<N>(args)?;
                let results = self.derivative_body(*mode, params, body)?;
                let params = params.iter().map(|p| p.ty).collect();
                derivative(*mode, (params, results), found)
            }
            ExpOp::WithPartials(args) => with_partials(self.scalar_types::<N>(args)?),
            ExpOp::Loop { test, step, args } => {
                let found = self.scalar_types::<N>(args)?;
                let trips = found.first().copied();
                same("trips", vec![ScalarType::I32], Vec::from_iter(trips))?;
                if let Some(test) = test {
                    self.exp_trip("test", test, &found, &[ScalarType::Bool])?;
                }
                self.exp_trip("step", step, &found, &found[1..])?;
                Ok(found)
            }
        }
    }

    /// Checks code that is given the number of a trip and a state.
    fn exp_trip<N: Numbered>(
        &mut self,
        name: &'static str,
        closure: &ExpClosure<N>,
        given: &[ScalarType],
        results: &[ScalarType],
    ) -> Checks<()> {
        let ExpClosure { params, body } = closure;
        let depth = self.scalars.scope.depth();
        self.part(name, |c| {
            let own = params.iter().map(|p| p.ty).collect();
            same("parameters", given.to_vec(), own)?;
            c.exp_binds(params)?;
            let found = c.exp_block(body)?;
            same("results", results.to_vec(), found)
        })?;
        self.scalars.scope.leave(depth);
        Ok(())
    }

    /// Checks what is differentiated; gives the types of its results.
    fn derivative_body<N: Numbered>(
        &mut self,
        mode: Mode,
        params: &[ExpBind<N>],
        body: &ExpBlock<N>,
    ) -> Checks<Vec<ScalarType>> {
        let depth = self.scalars.scope.depth();
        let types = self.part("body", |c| {
            c.exp_binds(params)?;
            let types = c.exp_block(body)?;
            if let Mode::Gradient { with_value: _ } = mode {
                let one_float = types.len() == 1 && types[0].is_float();
                fits(one_float, "results", "one float", &types)?;
            }
            Ok(types)
        })?;
        self.scalars.scope.leave(depth);
        Ok(types)
    }
}

/// The type of a value with partial derivatives by some scalars.
fn with_partials(found: Vec<ScalarType>) -> Checks<Vec<ScalarType>> {
    let pairs = found.len() % 2 == 1 || found.len() == 2;
    fits(
        pairs,
        "operands",
        "a value, and pairs of a scalar and a partial derivative; or a product and a tangent",
        &found,
    )?;
    fits(found[0].is_float(), "operands", "floats", &found)?;
    same("operands", vec![found[0]; found.len()], found.clone())?;
    Ok(vec![found[0]])
}

fn prim_type(prim: Prim, found: Vec<ScalarType>) -> Checks<ScalarType> {
    prim.result_type(&found).ok_or_else(|| Problem::Operands {
        prim,
        found: found.into(),
    })
}
