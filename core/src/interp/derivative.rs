//! Derivatives of whole programs, without gradient nodes: what AD is tested against.

use super::array::Array;
use super::forward::{along, tangent_of};
use super::program::{partials, scalar, seed};
use super::value::Level;
use super::{bug, check_inputs, results_of, run};
use crate::backend::RunError;
use crate::constant::Const;
use crate::deep::with_deep_stack;
use crate::host::{Column, HostArray};
use crate::term::{Labelled, Program};

/// The level of the outermost gradient.
const OUTERMOST: Level = 1;

/// The gradient, by the parameter at position `param`, of a program whose one result is a float of rank 0.
/// An array of the parameter's type and shape; zeros where that is no float.
///
/// # Errors
/// As for [`run`]; [`RunError::Bug`] where there is no such parameter or the result is something else.
pub fn gradient_by_duals(
    program: &Program<Labelled>,
    inputs: &[HostArray],
    param: usize,
) -> Result<HostArray, RunError> {
    check_inputs(program, inputs)?;
    let input = inputs.get(param).ok_or_else(|| no_param(param))?;
    with_deep_stack(|| {
        let point = Array::from_host(input)?;
        let arguments = inputs.iter().map(Array::from_host);
        let mut arguments: Vec<_> = arguments.collect::<Result<_, _>>()?;
        arguments[param] = seed(&point, OUTERMOST, 0)?;
        let results = results_of(program, arguments, OUTERMOST)?;
        partials(scalar(&results)?, &point, OUTERMOST, 0)?.to_host()
    })
}

/// The results of a program and their derivatives along the given direction: one tangent per input, of its
/// type and shape, and one per result; what is no float has zeros.
///
/// # Errors
/// As for [`run`], for the tangents as for the inputs; [`RunError::Bug`] where a tangent has another shape
/// than its input.
pub fn jvp(
    program: &Program<Labelled>,
    inputs: &[HostArray],
    inputs_tan: &[HostArray],
) -> Result<(Vec<HostArray>, Vec<HostArray>), RunError> {
    check_inputs(program, inputs)?;
    check_inputs(program, inputs_tan)?;
    with_deep_stack(|| {
        let arguments = inputs
            .iter()
            .zip(inputs_tan)
            .map(|(x, x_tan)| directed(x, x_tan));
        let results = results_of(program, arguments.collect::<Result<_, _>>()?, OUTERMOST)?;
        let values = results
            .iter()
            .map(Array::to_host)
            .collect::<Result<_, _>>()?;
        let tangents = results.iter().map(|y| tangent_of(y, OUTERMOST)?.to_host());
        Ok((values, tangents.collect::<Result<_, _>>()?))
    })
}

/// The input with its tangent.
fn directed(input: &HostArray, input_tan: &HostArray) -> Result<Array, RunError> {
    let (x, x_tan) = (Array::from_host(input)?, Array::from_host(input_tan)?);
    match x.shape() == x_tan.shape() {
        true => along(&x, &x_tan, OUTERMOST),
        false => Err(bug("a tangent of another shape than its input")),
    }
}

/// The same as [`gradient_by_duals`], by symmetric differences: each element is moved by `h` both ways.
///
/// # Errors
/// As for [`gradient_by_duals`].
pub fn finite_differences(
    program: &Program<Labelled>,
    inputs: &[HostArray],
    param: usize,
    h: f64,
) -> Result<HostArray, RunError> {
    let input = inputs.get(param).ok_or_else(|| no_param(param))?;
    let value_with = |i: usize, x: Const| {
        let mut inputs = inputs.to_vec();
        inputs[param] = with_element(input, i, x)?;
        match run(program, &inputs)?.as_slice() {
            [result] => result.column().get(0).and_then(Const::as_f64),
            _ => None,
        }
        .ok_or_else(|| bug("a derivative of something that is not a number"))
    };
    let column = input.column();
    let quotient = |(i, x): (usize, Const)| {
        let (Some((below, at_below)), Some((above, at_above))) = (moved(x, -h), moved(x, h)) else {
            return Ok(Const::zero(x.scalar_type()));
        };
        let rise = value_with(i, above)? - value_with(i, below)?;
        Ok(Const::float(x.scalar_type(), rise / (at_above - at_below)))
    };
    let elements = (0..column.len()).filter_map(|i| column.get(i)).enumerate();
    let quotients: Vec<_> = elements.map(quotient).collect::<Result<_, RunError>>()?;
    host_like(input, quotients)
}

/// A float moved by `step`, and where it has come to after rounding.
fn moved(x: Const, step: f64) -> Option<(Const, f64)> {
    let there = Const::float(x.scalar_type(), x.as_f64()? + step);
    Some((there, there.as_f64()?))
}

fn with_element(array: &HostArray, position: usize, x: Const) -> Result<HostArray, RunError> {
    let column = array.column();
    let old = (0..column.len()).filter_map(|i| column.get(i)).enumerate();
    host_like(
        array,
        old.map(|(i, old)| if i == position { x } else { old }),
    )
}

fn host_like(
    like: &HostArray,
    elements: impl IntoIterator<Item = Const>,
) -> Result<HostArray, RunError> {
    let column = Column::from_consts(like.array_type().elem, elements)
        .ok_or_else(|| bug("elements of several types"))?;
    HostArray::new(like.shape().to_vec(), column).map_err(|error| bug(error.to_string()))
}

fn no_param(param: usize) -> RunError {
    bug(format!("there is no parameter {param} to differentiate by"))
}
