//! Derivatives of a function at a point, found three ways.

use crate::error::Error;
use crate::program::{columns, compile};
use cotangent_ad::AdError;
use cotangent_backend_cpu::Cpu;
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::integer_type;
use cotangent_core::surface::{Arrays, jvp_a, vjp_a};
use cotangent_core::types::ScalarType;
use std::fmt;

/// How many elements are differentiated by at most: evenly chosen among all.
const MOST: usize = 256;

/// The derivative by one element of the input, found three ways.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Derivative {
    /// Which column of the input: arrays of tuples have several.
    pub column: usize,
    /// Where in that array.
    pub index: Vec<usize>,
    /// By reverse mode.
    pub reverse: f64,
    /// By forward mode; none where a function has a rule for reverse mode only.
    pub forward: Option<f64>,
    /// By symmetric differences for two steps, extrapolated (Richardson).
    pub differences: f64,
    /// How far the differences for the two steps are from each other.
    pub uncertainty: f64,
}

/// What [`check_grad`] finds.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "it says whether the derivatives agree: ask `agrees()`, or print it"]
#[non_exhaustive]
pub struct GradCheck {
    /// The derivatives.
    pub derivatives: Vec<Derivative>,
    /// How much reverse and forward mode may differ, and how much differences from them, relative to the greatest derivative:
    /// by default what the precision of the floats leaves.
    pub tolerances: (f64, f64),
}

impl GradCheck {
    /// Whether all three agree everywhere.
    pub fn agrees(&self) -> bool {
        self.disagreeing().next().is_none()
    }

    /// The derivatives on which they do not agree.
    pub fn disagreeing(&self) -> impl Iterator<Item = &Derivative> {
        let size = self.size();
        let all = self.derivatives.iter();
        all.filter(move |d| !self.is_agreed(d, size))
    }

    /// The magnitude of the greatest derivative, at least 1.
    fn size(&self) -> f64 {
        let all = self.derivatives.iter();
        let sizes = all.flat_map(|d| [d.reverse.abs(), d.differences.abs()]);
        sizes.filter(|size| size.is_finite()).fold(1.0, f64::max)
    }

    fn is_agreed(&self, d: &Derivative, size: f64) -> bool {
        let (exact, rough) = self.tolerances;
        let same = |a: f64, b: f64, room: f64| a == b || (a - b).abs() <= room;
        let rough = rough * size + 2.0 * d.uncertainty;
        let forward = d.forward.unwrap_or(d.reverse);
        same(d.reverse, forward, exact * size) && same(d.reverse, d.differences, rough)
    }
}

impl fmt::Display for GradCheck {
    /// How many agree; of those that do not, all numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (all, wrong) = (self.derivatives.len(), self.disagreeing().count());
        write!(f, "{} of {all} derivatives agree", all - wrong)?;
        for d in self.disagreeing() {
            let Derivative {
                column,
                index,
                reverse,
                forward,
                differences,
                uncertainty,
            } = d;
            write!(
                f,
                "\n  by input {column} at {index:?}: reverse {reverse:e}, "
            )?;
            if let Some(forward) = forward {
                write!(f, "forward {forward:e}, ")?;
            }
            write!(f, "differences {differences:e} ± {uncertainty:e}")?;
        }
        Ok(())
    }
}

/// Compares the derivatives of a function at a point by reverse mode, by forward mode and by differences.
///
/// What is differentiated is a sum of all results with weights that are neither equal nor zero; the only element of a result
/// without dimensions has the weight 1. Up to 256 elements of the input are differentiated by. The function runs on the CPU, five times
/// for each. Where it is not smooth, differences are something else; and they are rough for steep functions, of which the
/// [uncertainty](Derivative::uncertainty) tells.
///
/// # Errors
/// As [`compile`] and [`Program::run`](crate::Program::run).
///
/// ```
/// use cotangent::prelude::*;
/// use cotangent::check_grad;
/// let x = || Array::vector(vec![0.3, 0.7]);
/// let check = check_grad(|x: Acc<Ix1, f64>| x.map(|x| x.sin() * x).sum(), x()?)?;
/// assert!(check.agrees(), "{check}");
///
/// // A rule that is wrong by a factor.
/// let wrong = |x: Acc<Ix1, f64>| {
///     let rule = |x: Acc<Ix1, f64>, _, dx: Acc<Ix1, f64>| x.zip_with(dx, |x, dx| x * dx);
///     custom_jvp(|x: Acc<Ix1, f64>| x.map(|x| x * x), rule, x)
/// };
/// let check = check_grad(wrong, x()?)?;
/// assert_eq!(check.disagreeing().count(), 2);
/// println!("{check}"); // … by input 0 at [0]: reverse 2.4e-1, forward 2.4e-1, differences 4.8e-1 ± …
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_grad<X: Arrays, Y: Arrays>(
    f: impl Fn(X) -> Y + Copy,
    x: X::Host,
) -> Result<GradCheck, Error> {
    let cpu = Cpu::default();
    let value = compile(move |x: X| f(x))?;
    let along = match compile(move |(x, dx): (X, X)| jvp_a(f, x, dx).1) {
        Err(Error::Ad(AdError::NoForwardRule { .. })) => None,
        along => Some(along?),
    };
    let back = compile(move |(x, dy): (X, Y)| vjp_a(f, x, dy))?;
    let point = columns::<X>(x);
    let host = |columns: Vec<HostArray>| of_columns::<X>(columns);
    let at = |point: Vec<HostArray>| -> Result<Vec<HostArray>, Error> {
        Ok(columns::<Y>(value.run(&cpu, host(point)?)?))
    };
    let results = at(point.clone())?;
    let weights = results.iter().map(weights).collect::<Result<Vec<_>, _>>()?;
    let cotangents = of_columns::<Y>(weights.clone())?;
    let gradient = columns::<X>(back.run(&cpu, (host(point.clone())?, cotangents))?);
    let zeros = point.iter().map(|x| filled(x, |_| 0.0));
    let zeros = zeros.collect::<Result<Vec<_>, _>>()?;
    let mut derivatives = vec![];
    for (column, position) in places(&point) {
        let mut direction = zeros.clone();
        direction[column] = filled(&point[column], |i| f64::from(u8::from(i == position)))?;
        let tangents = match &along {
            Some(along) => Some(along.run(&cpu, (host(point.clone())?, host(direction)?))?),
            None => None,
        };
        let quotient = |step: f64| -> Result<f64, Error> {
            let (below, low) = moved(&point, (column, position), -step)?;
            let (above, high) = moved(&point, (column, position), step)?;
            let rise = product(&weights, &at(above)?) - product(&weights, &at(below)?);
            Ok(rise / (high - low))
        };
        let step = step(&point[column], position);
        let (wide, narrow) = (quotient(step)?, quotient(step / 2.0)?);
        derivatives.push(Derivative {
            column,
            index: index(position, point[column].shape()),
            reverse: number(&gradient[column], position),
            forward: tangents.map(|dy| product(&weights, &columns::<Y>(dy))),
            differences: narrow + (narrow - wide) / 3.0,
            uncertainty: (narrow - wide).abs(),
        });
    }
    Ok(GradCheck {
        derivatives,
        tolerances: tolerances(&point, &results),
    })
}

/// The elements to differentiate by, as columns and positions.
fn places(point: &[HostArray]) -> Vec<(usize, usize)> {
    let floats = point.iter().enumerate();
    let floats = floats.filter(|(_, x)| x.array_type().elem.is_float());
    let all: Vec<_> = floats
        .flat_map(|(at, x)| (0..x.column().len()).map(move |i| (at, i)))
        .collect();
    let count = all.len().min(MOST);
    (0..count).map(|k| all[k * all.len() / count]).collect()
}

/// What rounding leaves, by the floats with the fewest digits.
fn tolerances(point: &[HostArray], results: &[HostArray]) -> (f64, f64) {
    let types = point.iter().chain(results).map(|x| x.array_type().elem);
    let narrowest = types.filter(|ty| ty.is_float()).min_by_key(|ty| ty.bytes());
    match narrowest {
        Some(ScalarType::F16) => (2e-2, 1e-1),
        Some(ScalarType::F32) => (1e-4, 1e-2),
        Some(_) | None => (1e-10, 1e-6),
    }
}

/// How far an element is moved.
fn step(x: &HostArray, position: usize) -> f64 {
    let relative = match x.array_type().elem {
        ScalarType::F16 => 2e-1,
        ScalarType::F32 => 2e-2,
        ScalarType::F64 => 1e-3,
        ScalarType::Bool | integer_type!() => 0.0,
    };
    relative * number(x, position).abs().max(1.0)
}

/// The point with one element moved, and where that has come to.
fn moved(
    point: &[HostArray],
    (column, position): (usize, usize),
    step: f64,
) -> Result<(Vec<HostArray>, f64), Error> {
    let mut point = point.to_vec();
    let old = point[column].clone();
    let to = |i| number(&old, i) + if i == position { step } else { 0.0 };
    point[column] = filled(&old, to)?;
    let there = number(&point[column], position);
    Ok((point, there))
}

/// The weights of results.
fn weights(result: &HostArray) -> Result<HostArray, Error> {
    let is_scalar = result.shape().is_empty();
    let weight = |i: usize| {
        if is_scalar {
            1.0
        } else {
            0.5 + (0.754_877 * (i + 1) as f64).fract()
        }
    };
    filled(result, weight)
}

/// An array of the type and shape of another; itself if that has no floats.
fn filled(like: &HostArray, element: impl Fn(usize) -> f64) -> Result<HostArray, Error> {
    let elem = like.array_type().elem;
    if !elem.is_float() {
        return Ok(like.clone());
    }
    let elements = (0..like.column().len()).map(|i| Const::float(elem, element(i)));
    let column = Column::from_consts(elem, elements);
    let column = column.ok_or_else(|| RunError::Bug("elements of several types".into()))?;
    Ok(HostArray::new(like.shape().to_vec(), column)?)
}

/// The sum of products of floats.
fn product(a: &[HostArray], b: &[HostArray]) -> f64 {
    let pairs = a.iter().zip(b);
    let floats = pairs.filter(|(a, _)| a.array_type().elem.is_float());
    let sums = floats.map(|(a, b)| -> f64 {
        let all = 0..a.column().len().min(b.column().len());
        all.map(|i| number(a, i) * number(b, i)).sum()
    });
    sums.sum()
}

fn number(array: &HostArray, position: usize) -> f64 {
    let element = array.column().get(position);
    element.and_then(Const::as_f64).unwrap_or(0.0)
}

fn index(mut position: usize, shape: &[usize]) -> Vec<usize> {
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&extent| {
            let coordinate = position % extent.max(1);
            position /= extent.max(1);
            coordinate
        })
        .collect();
    index.reverse();
    index
}

fn of_columns<A: Arrays>(columns: Vec<HostArray>) -> Result<A::Host, Error> {
    let host = A::to_host(&mut columns.into_iter());
    let wrong = || RunError::Bug("columns of another type".into());
    Ok(host.ok_or_else(wrong)?)
}
