//! The hyperbolic tangent.
//!
//! Near 0 it is a rational function, elsewhere 1 − 2 ∕ (e²ˣ + 1); the two share their division.

use super::exp::exp_in_range;
use crate::math::bits::{at_most, polynomial};

/// Where the rational function ends.
const NEAR: f64 = 0.55;

/// Numerator of the Padé approximant of (tanh x ∕ x − 1) ∕ x² in x², of order 3, which errs by 2⁻⁵⁷.
const NUMERATOR: [f64; 4] = [
    -0.3333333333333333,
    -0.02142857142857143,
    -0.0002442002442002442,
    -1.7619065238112858e-08,
];

/// Its denominator.
const DENOMINATOR: [f64; 4] = [
    1.0,
    0.4642857142857143,
    0.02454212454212454,
    0.0002553002553002553,
];

/// tanh x, to 1.5 units in the last place.
#[inline(always)]
pub(crate) fn tanh(x: f64) -> f64 {
    let size = at_most(x.abs(), 22.0);
    let near = size < NEAR;
    let square = size * size;
    let near_numerator = size * square * polynomial(square, &NUMERATOR);
    let near_denominator = polynomial(square, &DENOMINATOR);
    let far_denominator = exp_in_range(size + size) + 1.0;
    let start = if near { size } else { 1.0 };
    let numerator = if near { near_numerator } else { -2.0 };
    let denominator = if near {
        near_denominator
    } else {
        far_denominator
    };
    (start + numerator / denominator).copysign(x)
}
