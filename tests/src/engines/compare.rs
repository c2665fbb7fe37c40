//! When two results count as the same.
//!
//! Truth values and integers are equal; floats are NaN in both, equal, or differ by at most
//! tolerance · (magnitude + scale), where *scale* is the largest magnitude that occurs among the arrays of
//! the program (as far as it is not huge: values that large come from exact code): so an error relative to
//! the terms of a sum is no disagreement where the sum cancels. This is sound only for programs that keep
//! errors from growing and from reaching what is not continuous, which generated ones do.

use cotangent_core::constant::Const;
use cotangent_core::host::HostArray;
use cotangent_core::integer_const;
use cotangent_core::interp;
use cotangent_core::term::{Labelled, Program};

/// The tolerances in `f64`, `f32` and `f16`; the last has 11 bits, and sums of some terms are off by a few units.
const TOLERANCE: (f64, f64, f64) = (1e-10, 1e-3, 1e-2);

/// Values beyond this do not count for the scale.
const HUGE: f64 = 1e6;

/// What is wrong with `found`, where `expected` is right.
pub fn compare(expected: &[HostArray], found: &[HostArray], scale: f64) -> Option<String> {
    if expected.len() != found.len() {
        return Some(format!(
            "{} results instead of {}",
            found.len(),
            expected.len()
        ));
    }
    let mut pairs = expected.iter().zip(found).enumerate();
    pairs.find_map(|(position, (expected, found))| {
        let problem = compare_arrays(expected, found, scale)?;
        Some(format!("result {position}: {problem}"))
    })
}

fn compare_arrays(expected: &HostArray, found: &HostArray, scale: f64) -> Option<String> {
    if expected.array_type() != found.array_type() {
        return Some(format!(
            "type {} instead of {}",
            found.array_type(),
            expected.array_type()
        ));
    }
    if expected.shape() != found.shape() {
        return Some(format!(
            "shape {:?} instead of {:?}",
            found.shape(),
            expected.shape()
        ));
    }
    (0..expected.column().len()).find_map(|i| {
        let (x, y) = (expected.column().get(i)?, found.column().get(i)?);
        (!agree(x, y, scale))
            .then(|| format!("element {i} is {y} instead of {x} (scale {scale:e})"))
    })
}

fn agree(x: Const, y: Const, scale: f64) -> bool {
    match (x, y) {
        (Const::F64(x), Const::F64(y)) => close(x, y, TOLERANCE.0, scale),
        (Const::F32(x), Const::F32(y)) => close(x.into(), y.into(), TOLERANCE.1, scale),
        (Const::F16(x), Const::F16(y)) => close(x.into(), y.into(), TOLERANCE.2, scale),
        (x, y) => x == y,
    }
}

fn close(x: f64, y: f64, tolerance: f64, scale: f64) -> bool {
    let alike = x == y || (x.is_nan() && y.is_nan());
    alike
        || (x - y).abs() <= tolerance * (x.abs().max(y.abs()).min(f64::MAX) + scale)
            && x.is_finite()
            && y.is_finite()
}

/// The results of the program and the scale of the values that lead there.
///
/// # Errors
/// Where the program fails.
pub fn scale(
    program: &Program<Labelled>,
    inputs: &[HostArray],
) -> Result<(Vec<HostArray>, f64), cotangent_core::backend::RunError> {
    let mut exposed = program.clone();
    let bound = program.body.lets.iter().flat_map(|l| &l.binds);
    exposed.body.results.extend(bound.map(|b| b.name));
    let mut values = interp::run(&exposed, inputs)?;
    let scale = inputs
        .iter()
        .chain(&program.uses)
        .chain(&values)
        .map(largest)
        .fold(1.0, f64::max);
    values.truncate(program.body.results.len());
    Ok((values, scale))
}

pub(super) fn largest(array: &HostArray) -> f64 {
    let magnitude = |i| match array.column().get(i) {
        Some(Const::F64(x)) => x.abs(),
        Some(Const::F16(x)) => x.to_f64().abs(),
        Some(Const::F32(x)) => f64::from(x.abs()),
        Some(Const::Bool(_) | integer_const!()) | None => 0.0,
    };
    let magnitudes = (0..array.column().len()).map(magnitude);
    magnitudes.filter(|&m| m <= HUGE).fold(0.0, f64::max)
}
