//! Derivatives by decree.
//!
//! A rule says what becomes of the tangents of one level, or what a cotangent does to it. It runs on numbers of lower levels:
//! what it reads counts as constant for the derivative at hand, and not for those around.

use super::array::{Array, coordinates, offset};
use super::bug;
use super::program::Interpreter;
use super::value::{Level, Value};
use crate::backend::RunError;
use crate::constant::Const;
use crate::term::{AccClosure, ArrId, Labelled, Rules};
use std::collections::BTreeSet;

impl<'p> Interpreter<'p> {
    /// The values of [`AccOp::Custom`](crate::term::AccOp::Custom), with the derivatives that the rules say.
    pub(super) fn custom(
        &mut self,
        values: usize,
        rules: &'p Rules<AccClosure<Labelled>>,
        args: &[ArrId],
    ) -> Result<Vec<Array>, RunError> {
        let mut values_and_inputs = self.list(args)?;
        let inputs = values_and_inputs.split_off(values.min(args.len()));
        self.by_rules(rules, values_and_inputs, inputs)
    }

    /// The same: of the highest level that the inputs depend on first, then of those below.
    fn by_rules(
        &mut self,
        rules: &'p Rules<AccClosure<Labelled>>,
        values: Vec<Array>,
        inputs: Vec<Array>,
    ) -> Result<Vec<Array>, RunError> {
        let levels = inputs.iter().flat_map(Array::elements).map(Value::level);
        let level = levels.max().unwrap_or(0);
        if level == 0 {
            return self.traced_by_rules(rules, &values, &inputs);
        }
        let low = inputs.iter().map(|x| below(x, level));
        let results = self.by_rules(rules, values, low.collect::<Result<_, _>>()?)?;
        match (rules.jvp(), rules.vjp()) {
            (Some(jvp), _) => self.pushed(jvp, level, results, &inputs),
            (None, Some(vjp)) => self.pulled(vjp, level, results, &inputs),
            (None, None) => Err(bug("no rule")),
        }
    }

    /// The results with tangents at `level`, by the rule of forward mode: one call for each coordinate.
    fn pushed(
        &mut self,
        jvp: &'p AccClosure<Labelled>,
        level: Level,
        mut results: Vec<Array>,
        inputs: &[Array],
    ) -> Result<Vec<Array>, RunError> {
        let elements = inputs.iter().flat_map(Array::elements);
        let tangents = elements.flat_map(|x| x.tangent(level));
        let all: BTreeSet<usize> = tangents.map(|(coordinate, _)| *coordinate).collect();
        let primals = results.clone();
        for coordinate in all {
            let mut args = primals.clone();
            for x in inputs {
                args.push(x.with_elements(|(_, x)| partial(x, level, coordinate))?);
            }
            let made = self.rule(jvp, level, args)?;
            for ((y, like), y_tan) in results.iter_mut().zip(&primals).zip(&made) {
                let y_tan = fitted(y_tan, like)?;
                *y = y.with_elements(|(i, y)| {
                    let y_tan = y_tan.element(i)?;
                    Ok(y.with_tangent(level, coordinate, y_tan))
                })?;
            }
        }
        Ok(results)
    }

    /// The results with tangents at `level`, by the rule of reverse mode: one call for each element of them.
    fn pulled(
        &mut self,
        vjp: &'p AccClosure<Labelled>,
        level: Level,
        results: Vec<Array>,
        inputs: &[Array],
    ) -> Result<Vec<Array>, RunError> {
        let zeros = results.iter().map(zeros).collect::<Result<Vec<_>, _>>()?;
        let mut done = results.clone();
        for (at, y) in results.iter().enumerate() {
            let elem = y.array_type().elem;
            if !elem.is_float() {
                continue;
            }
            let mut elements = vec![];
            for (i, value) in y.elements().iter().enumerate() {
                let one = Value::Plain(Const::small(elem, 1));
                let mut args = [results.clone(), zeros.clone()].concat();
                args[results.len() + at] = zeros[at].with_elements(|(j, zero)| {
                    Ok(if i == j { one.clone() } else { zero.clone() })
                })?;
                let row = self.rule(vjp, level, args)?;
                elements.push(along_row(value, level, &row, inputs)?);
            }
            done[at] = y.with_elements(|(i, _)| Ok(elements[i].clone()))?;
        }
        Ok(done)
    }

    /// What a rule gives; what it reads from around is without derivatives from `level` on.
    pub(super) fn rule(
        &mut self,
        rule: &'p AccClosure<Labelled>,
        level: Level,
        args: Vec<Array>,
    ) -> Result<Vec<Array>, RunError> {
        let mut outside = vec![];
        for array in rule.body.free() {
            if !rule.params.iter().any(|param| param.name == array) {
                let own = self.get(array)?;
                self.bind(array, below(&own, level)?);
                outside.push((array, own));
            }
        }
        let made = self.closure(rule, args);
        for (array, own) in outside {
            self.bind(array, own);
        }
        made
    }
}

/// The array without derivatives from `level` on.
fn below(array: &Array, level: Level) -> Result<Array, RunError> {
    array.with_elements(|(_, x)| Ok(x.below(level)))
}

fn zeros(like: &Array) -> Result<Array, RunError> {
    let zero = Value::Plain(Const::zero(like.array_type().elem));
    like.with_elements(|_| Ok(zero.clone()))
}

fn partial(x: &Value, level: Level, coordinate: usize) -> Result<Value, RunError> {
    let partial = x.partial(level, coordinate, x.scalar_type());
    partial.ok_or_else(|| bug("a tangent that is not a number"))
}

/// A tangent cut or filled up with zeros to a shape.
pub(super) fn fitted(tangent: &Array, like: &Array) -> Result<Array, RunError> {
    let zero = Value::Plain(Const::zero(like.array_type().elem));
    like.with_elements(|(i, _)| {
        let index = coordinates(i, like.shape());
        let mut pairs = index.iter().zip(tangent.shape());
        match pairs.all(|(i, extent)| i < extent) {
            true => tangent.element(offset(&index, tangent.shape())),
            false => Ok(zero.clone()),
        }
    })
}

/// A result whose partial derivatives by the inputs are a row of the Jacobian.
fn along_row(
    value: &Value,
    level: Level,
    row: &[Array],
    inputs: &[Array],
) -> Result<Value, RunError> {
    let mut pairs = vec![];
    for (x, partials) in inputs.iter().zip(row) {
        if x.array_type().elem.is_float() {
            let partials = fitted(partials, x)?;
            let partials = partials.elements().iter().cloned();
            pairs.extend(x.elements().iter().cloned().zip(partials));
        }
    }
    let made = value.with_partials(level, &pairs);
    made.ok_or_else(|| bug("partial derivatives of another type"))
}
