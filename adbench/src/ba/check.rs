//! Whether results agree with the reference, as far as the scene lets the precision tell.
//!
//! By how much rounding may change a number depends on what it is computed from: a coordinate in pixels is a difference
//! of numbers that may be large, and close to a camera's plane all is divided by little. So the reference carries a bound
//! of the rounding errors along ([`Bounded`]), and each number has the tolerance that follows from its own. Where a scene
//! leaves no digits at all that would let everything pass; that is a failure, and says so.

use super::input::BaInput;
use super::model::Residuals;
use super::numbers::Bounded;
use super::reference;
use super::sparse::{self, Csr, column_count};
use crate::compare::Verdict;
use crate::host::{HostFloat, Norm};

/// How much larger differences may be than the reference's bounds: programs compute the same in another order. Over
/// scenes of all kinds the largest quotient is below 1.
const SAFETY: f64 = 2.0;
/// ADBench's tolerance: differences are compared with no less.
const LEAST: f64 = 1e-8;
/// So many units of roundoff are no less than that, in narrower types.
const LEAST_UNITS: f64 = 16.0;
/// The part of the Jacobian's norm that roundings may amount to.
const MEANINGFUL: f64 = 1e-2;

/// The tolerances of a precision.
struct Tolerances {
    /// Half the distance from 1 to the next number.
    unit: f64,
}

impl Tolerances {
    fn least(&self) -> f64 {
        LEAST.max(LEAST_UNITS * self.unit)
    }

    /// By how much rounding may change a number.
    fn absolute(&self, expected: Bounded) -> f64 {
        SAFETY * self.unit * expected.error
    }

    /// A number with its tolerance, by ADBench's rule.
    fn of(&self, expected: Bounded) -> (f64, f64) {
        let relative = self.absolute(expected) / (2.0 * expected.value.abs()).max(1.0);
        // A bound that is no number is no tolerance.
        let tolerance = match relative.is_nan() {
            true => f64::NAN,
            false => relative.max(self.least()),
        };
        (expected.value, tolerance)
    }
}

/// Compares residuals and Jacobian, computed in `T`, with the reference.
pub fn check<T: HostFloat>(input: &BaInput, residuals: &Residuals, jacobian: &Csr) -> Verdict {
    let tolerances = Tolerances {
        unit: 0.5 * T::EPSILON,
    };
    let mut verdict = Verdict::new(tolerances.least());
    let of = |bounded| tolerances.of(bounded);
    verdict.bounded(
        "the residuals",
        &residuals.errors,
        reference::residuals(input).map(of),
    );
    verdict.bounded(
        "the weight errors",
        &residuals.weight_errors,
        reference::weight_errors(input).map(of),
    );
    verdict.finite("the sum of squares", residuals.sum_of_squares());
    let (mut size, mut roundings) = (Norm::default(), Norm::default());
    let values = reference::values::<Bounded>(input).inspect(|expected| {
        size.add(expected.value);
        roundings.add(tolerances.absolute(*expected));
    });
    verdict.bounded("the Jacobian", &jacobian.values, values.map(of));
    verdict.finite("the Jacobian's norm", jacobian.norm());
    sparsity(&mut verdict, input, jacobian);
    condition(&mut verdict, size.get(), roundings.get());
    verdict
}

fn sparsity(verdict: &mut Verdict, input: &BaInput, found: &Csr) {
    let p = input.observations.len();
    let same = found.columns == column_count(input)
        && sparse::row_starts(p).eq(found.rows.iter().copied())
        && sparse::columns(input).eq(found.cols.iter().copied());
    if !same {
        verdict.fail(f64::INFINITY, "the Jacobian's sparsity is another one");
    }
}

/// Fails where `roundings` may amount to a large part of a Jacobian of that `size`.
fn condition(verdict: &mut Verdict, size: f64, roundings: f64) {
    let is_meaningful = roundings <= MEANINGFUL * size;
    if !is_meaningful {
        let reason = format!(
            "roundings may amount to {:.1e} times the Jacobian of this scene, in this precision",
            roundings / size
        );
        verdict.fail(verdict.max_error, reason);
    }
}
