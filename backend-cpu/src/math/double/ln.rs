//! The natural logarithm and its like.
//!
//! x = 2ᵏ m with √½ ≤ m < √2, and for f = m − 1 and s = f ∕ (2 + f), ln m = 2 artanh s = 2 s + s R(s²);
//! as 2 s = f − s f, that is f − s (f − R), where only the small term is rounded more than once.

use super::exp::{LN_2_HI, LN_2_LO};
use super::pair::Pair;
use crate::math::bits::{Scaled, polynomial, power_of_two, scaled};

/// (2 artanh s ∕ s − 2) ∕ s² in s², to 2⁻⁵¹.
pub(super) const SERIES: [f64; 7] = [
    0.666666666666667,
    0.3999999999989789,
    0.2857142862665123,
    0.22222211031808245,
    0.18182896201535054,
    0.15331497981299366,
    0.14619094526316423,
];

/// A number below which all subnormal numbers are. It is no power of two, lest the compiler see a test
/// for subnormal numbers and make it one of bits, which takes more instructions.
const TINY: f64 = 1e-300;
/// The negative number nearest to 0.
const LARGEST_NEGATIVE: f64 = -5e-324;
/// 2⁵⁴, which makes every subnormal number normal.
const TWO_54: f64 = 18_014_398_509_481_984.0;

/// Splits a positive number, as k and m.
#[inline(always)]
pub(super) fn scaled_subnormal(x: f64) -> (f64, f64) {
    let tiny = x < TINY;
    let Scaled { k, m, .. } = scaled(if tiny { x * TWO_54 } else { x });
    (k - if tiny { 54.0 } else { 0.0 }, m)
}

/// ln (2ᵏ m) + `rest`.
#[inline(always)]
fn ln_of_scaled(k: f64, m: f64, rest: f64) -> f64 {
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let square = s * s;
    let series = square * polynomial(square, &SERIES);
    k * LN_2_HI + (f - (s * (f - series) - (k * LN_2_LO + rest)))
}

/// ln (2ʲ (u + c)), for a normal u ≥ 2⁻⁵³ and a c that is at most about a unit in its last place.
#[inline(always)]
pub(super) fn ln_of_pair(u: f64, c: f64, j: f64) -> f64 {
    let Scaled { k, bits, m } = scaled(u);
    // c ∕ u: 1 ∕ m only roughly, as c is small already, but the better the smaller the result is. Twice
    // 2⁻ᵏ is never out of range.
    let f = m - 1.0;
    let inverse = 1.0 - f * (1.0 - f * (1.0 - f));
    let scale = power_of_two(2047_u64.wrapping_sub(bits));
    ln_of_scaled(k + j, m, 0.5 * (c * scale * inverse))
}

/// `value`, the logarithm of a positive finite `x`, or what the logarithm of another `x` is.
#[inline(always)]
fn with_edges(x: f64, value: f64) -> f64 {
    // The comparisons are with the last finite numbers for the reason given at `TINY`.
    let value = if x <= f64::MAX { value } else { x };
    let value = if x == 0.0 { f64::NEG_INFINITY } else { value };
    if x <= LARGEST_NEGATIVE {
        f64::NAN
    } else {
        value
    }
}

/// ln x, to 0.9 units in the last place.
#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    let (k, m) = scaled_subnormal(x);
    with_edges(x, ln_of_scaled(k, m, 0.0))
}

/// ln (1 + x), to 0.9 units in the last place.
#[inline(always)]
pub(crate) fn ln_1p(x: f64) -> f64 {
    let sum = Pair::of_sum(1.0, x);
    let value = with_edges(sum.hi, ln_of_pair(sum.hi, sum.lo, 0.0));
    if x.abs() < 1e-17 { x } else { value }
}
