//! Derivatives against finite differences: the road to a derivative that knows nothing of derivatives.
//!
//! [`verdict`] takes a smooth [case](Case::smooth_from_seed), makes it a function from its inputs to one
//! number (`objective`), and compares the derivative in one random direction, by reverse mode and by dual
//! numbers, with symmetric differences of values. `f32` is computed as `f64`, since differences of `f32` say
//! nothing.
//!
//! Note [Where differences count]: a program may be smooth nowhere near its inputs, for it compares, rounds
//! and selects. It counts as smooth where Richardson's extrapolation from the steps h and h/2 agrees with that
//! from h/2 and h/4, much closer than derivatives have to agree with it. A jump within the steps makes the two
//! differ by a factor. So does a kink, in the error that it makes, unless it is very close to the point
//! (closer than h by the tolerance over the error), which random inputs make improbable; or at the point itself, where
//! there are ties among the inputs: then differences to one side and to the other disagree. What is not smooth is
//! counted and must not be much. Reverse mode and dual numbers have to agree there, too: both keep the conventions.
//!
//! Of a third of the cases, the gradient is taken for a program of its own, and differentiated once more.

mod agree;
mod double;
mod objective;
#[cfg(test)]
mod tests;

use crate::engines::{Disagreement, Fault, Stages, Stop, guarded, shrunk_by};
use crate::generate::Case;
use cotangent_core::constant::Const;
use cotangent_core::host::HostArray;
use cotangent_core::integer_const;
use cotangent_core::interp;
use cotangent_core::term::{Labelled, Program};
use objective::Objective;
use std::fmt;

pub use agree::{all_agree, all_agree_between_jumps};
pub use double::in_double;

/// Between a derivative and differences, relative to the scale ([`scale`]), which is what bounds the
/// rounding errors of differences.
const TOLERANCE: f64 = 1e-6;
/// The same between derivatives by two roads.
const EXACT: f64 = 1e-9;
/// Between two extrapolations; see Note [Where differences count].
const SMOOTH: f64 = 1e-8;
/// The largest step.
const STEP: f64 = 1e-4;
/// Between differences to either side.
const KINK: f64 = 1e-7;
/// Of one in so many cases, second derivatives are compared.
const SECOND: u64 = 3;

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All roads lead to the same derivative, which is not zero.
    Agrees,
    /// And to the same second derivative.
    AgreesTwice,
    /// The derivative is zero by all roads.
    Constant,
    /// The program has no value to differentiate: it fails, or gives no finite floats.
    NoValue,
    /// It is not smooth around the inputs, see Note [Where differences count].
    NotSmooth,
}

/// How often there was which verdict.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    agreeing: usize,
    twice: usize,
    constant: usize,
    no_value: usize,
    not_smooth: usize,
}

impl Tally {
    /// Counts one more.
    pub fn add(&mut self, verdict: Verdict) {
        let count = match verdict {
            Verdict::Agrees => &mut self.agreeing,
            Verdict::AgreesTwice => &mut self.twice,
            Verdict::Constant => &mut self.constant,
            Verdict::NoValue => &mut self.no_value,
            Verdict::NotSmooth => &mut self.not_smooth,
        };
        *count += 1;
    }

    /// The share of cases with a derivative other than zero that was compared.
    pub fn compared(&self) -> f64 {
        let Self {
            agreeing,
            twice,
            constant,
            no_value,
            not_smooth,
        } = *self;
        let compared = agreeing + twice;
        let all = compared + constant + no_value + not_smooth;
        compared as f64 / all.max(1) as f64
    }

    /// The number of cases with a second derivative that was compared.
    pub fn compared_twice(&self) -> usize {
        self.twice
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} derivatives are those by differences, {} of them second ones, too; besides, {} are zero, {} programs have \
             no value, {} are not smooth",
            self.agreeing + self.twice,
            self.twice,
            self.constant,
            self.no_value,
            self.not_smooth
        )
    }
}

/// Compares the derivative of a case in the direction of that seed by all roads, and for some seeds the second one.
///
/// # Errors
/// Where they disagree.
pub fn verdict(case: &Case, seed: u64) -> Result<Verdict, Box<Disagreement>> {
    let Some(objective) = objective::objective(case, seed) else {
        return Ok(Verdict::NoValue);
    };
    let first = verdict_on(case, &objective, "")?;
    if first != Verdict::Agrees || !seed.is_multiple_of(SECOND) {
        return Ok(first);
    }
    let Some(second) = second(&objective, seed) else {
        return Ok(first);
    };
    Ok(match verdict_on(case, &second, " of the gradient")? {
        Verdict::Agrees => Verdict::AgreesTwice,
        Verdict::AgreesTwice | Verdict::Constant | Verdict::NoValue | Verdict::NotSmooth => first,
    })
}

/// The gradient of an objective, as reverse mode has it, weighted and added up.
fn second(objective: &Objective, seed: u64) -> Option<Objective> {
    let gradient = objective.gradient();
    let program = Stages::new(&gradient).derived().ok()?;
    let case = Case {
        program,
        inputs: gradient.inputs,
    };
    objective::objective(&case, !seed)
}

fn verdict_on(case: &Case, objective: &Objective, of: &str) -> Result<Verdict, Box<Disagreement>> {
    let report = |road: &str, fault, expected: String| {
        Box::new(Disagreement {
            engine: format!("{road}{of}"),
            fault,
            case: case.clone(),
            expected,
        })
    };
    let both = guarded(|| by_both_modes(objective));
    let both = both.map_err(|fault| report("a derivative", fault, String::new()))?;
    let (by_duals, reverse) = match both {
        Ok(both) => both,
        Err(Stop::Broken(text) | Stop::Unsupported(text)) => {
            return Err(report("a derivative", Fault::Broken(text), String::new()));
        }
    };
    let scale = scale(&reverse.all, &[]);
    let judge =
        |road, expected, found, tolerance: f64| match close(expected, found, tolerance * scale) {
            true => Ok(()),
            false => Err(report(
                road,
                Fault::Values(found.to_string()),
                format!("{expected}, scale {scale}"),
            )),
        };
    if by_duals.is_finite() && reverse.derivative.is_finite() {
        let road = "reverse mode against dual numbers";
        judge(road, by_duals, reverse.derivative, EXACT)?;
    }
    let Some(difference) = smooth_difference(objective, scale) else {
        return Ok(Verdict::NotSmooth);
    };
    judge("dual numbers", difference, by_duals, TOLERANCE)?;
    judge("reverse mode", difference, reverse.derivative, TOLERANCE)?;
    Ok(match reverse.derivative == 0.0 {
        true => Verdict::Constant,
        false => Verdict::Agrees,
    })
}

/// A smaller case with the same disagreement.
pub fn shrunk(found: Box<Disagreement>, seed: u64) -> Box<Disagreement> {
    shrunk_by(found, |case| verdict(case, seed).err())
}

fn close(x: f64, y: f64, tolerance: f64) -> bool {
    (x - y).abs() <= tolerance
}

/// What reverse mode gives.
struct Reverse {
    /// The value and all partial derivatives.
    all: Vec<HostArray>,
    /// The derivative in the direction.
    derivative: f64,
}

/// The derivative in the direction, by dual numbers and by reverse mode.
fn by_both_modes(objective: &Objective) -> Result<(f64, Reverse), Stop> {
    let Objective {
        value,
        inputs,
        direction,
        ..
    } = objective;
    let broken = |error: cotangent_core::backend::RunError| Stop::Broken(error.to_string());
    let (_, tangents) = interp::jvp(value, inputs, direction).map_err(broken)?;
    let gradient = Stages::new(&objective.gradient()).derived()?;
    let all = interp::run(&gradient, inputs).map_err(broken)?;
    let pairs = floats(&all[1..]).into_iter().zip(floats(direction));
    let derivative = pairs
        .map(|(partial, along)| if along == 0.0 { 0.0 } else { partial * along })
        .sum();
    Ok((floats(&tangents)[0], Reverse { all, derivative }))
}

/// The derivative by differences, if the function is smooth there.
fn smooth_difference(objective: &Objective, scale: f64) -> Option<f64> {
    let (program, inputs) = objective.along_direction();
    let difference = |h| {
        let quotient = interp::finite_differences(&program, &inputs, 0, h).ok()?;
        floats(&[quotient]).first().copied()
    };
    let (whole, half, quarter) = (
        difference(STEP)?,
        difference(STEP / 2.0)?,
        difference(STEP / 4.0)?,
    );
    let extrapolated = |coarse: f64, fine: f64| (4.0 * fine - coarse) / 3.0;
    let (first, second) = (extrapolated(whole, half), extrapolated(half, quarter));
    let smooth = second.is_finite()
        && close(first, second, SMOOTH * scale)
        && !is_kink(&program, &inputs, scale)?;
    smooth.then_some(second)
}

/// Whether the slopes to either side differ, by what the first input is; each is extrapolated from two steps.
fn is_kink(program: &Program<Labelled>, inputs: &[HostArray], scale: f64) -> Option<bool> {
    let value = |at: f64| {
        let mut inputs = inputs.to_vec();
        inputs[0] = HostArray::new(vec![], vec![at].into()).ok()?;
        let values = interp::run(program, &inputs).ok()?;
        floats(&values).first().copied()
    };
    let here = value(0.0)?;
    let slope = |h: f64| Some((value(h)? - here) / h);
    let side = |h: f64| Some(2.0 * slope(h / 2.0)? - slope(h)?);
    let (left, right) = (side(-STEP / 4.0)?, side(STEP / 4.0)?);
    Some(!close(left, right, KINK * scale.max(here.abs())))
}

/// The largest of 1, the gradient and the value.
pub fn scale(gradient: &[HostArray], value: &[HostArray]) -> f64 {
    let all = floats(gradient).into_iter().chain(floats(value));
    all.fold(1.0, |scale, x| scale.max(x.abs()))
}

/// The first partial derivative that is not the one by differences, for numbers of that scale.
pub fn difference_in(scale: f64, found: &[HostArray], expected: &[HostArray]) -> Option<String> {
    let pairs = floats(found).into_iter().zip(floats(expected));
    pairs
        .enumerate()
        .find(|&(_, (x, y))| !close(x, y, TOLERANCE * scale))
        .map(|(i, (x, y))| format!("partial {i} is {y}, {x} by differences"))
}

/// All elements of all arrays that are floats.
pub fn floats(arrays: &[HostArray]) -> Vec<f64> {
    let columns = arrays.iter().map(HostArray::column);
    let elements = columns.flat_map(|c| (0..c.len()).filter_map(|i| c.get(i)));
    elements
        .filter_map(|x| match x {
            Const::F64(x) => Some(x),
            Const::F16(x) => Some(x.to_f64()),
            Const::F32(x) => Some(f64::from(x)),
            Const::Bool(_) | integer_const!() => None,
        })
        .collect()
}
