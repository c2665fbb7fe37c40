//! The inverse hyperbolic functions.
//!
//! arsinh and arcosh are logarithms of x + √(x² ± 1), computed to twice the precision, as it is near 1
//! where the result is small. artanh is half the logarithm of (1 + x) ∕ (1 − x) = 2ᵏ m, through
//! s = (m − 1) ∕ (m + 1) = ((1 + x) − 2ᵏ (1 − x)) ∕ ((1 + x) + 2ᵏ (1 − x)).

use super::exp::{LN_2_HI, LN_2_LO};
use super::ln::{SERIES, ln_of_pair};
use super::pair::Pair;
use crate::math::bits::{polynomial, power_of_two, scaled};

/// From here on √(x² ± 1) is x.
const LARGE: f64 = 1e9;
/// Up to here arsinh x and artanh x are x.
const SMALL: f64 = 1e-9;

/// ln (x + √(x² + one)) for x > 0, where `one` is 1 or −1.
#[inline(always)]
fn ln_of_sum_with_root(x: f64, one: f64) -> f64 {
    let product = Pair::of_square(x);
    let radicand = Pair::of_sum(product.hi, one);
    let root = radicand.hi.sqrt();
    let square = Pair::of_square(root);
    let rest = ((radicand.hi - square.hi) - square.lo) + (radicand.lo + product.lo);
    let divisor = if root == 0.0 { 1.0 } else { root + root };
    let sum = Pair::of_sum(x, root);
    let large = x > LARGE;
    ln_of_pair(
        if large { x } else { sum.hi },
        if large { 0.0 } else { sum.lo + rest / divisor },
        if large { 1.0 } else { 0.0 },
    )
}

/// arsinh x, to 1.0 units in the last place.
#[inline(always)]
pub(crate) fn asinh(x: f64) -> f64 {
    let size = x.abs();
    let value = ln_of_sum_with_root(size, 1.0);
    let value = if size < SMALL { size } else { value };
    let value = if size < f64::INFINITY { value } else { size };
    value.copysign(x)
}

/// arcosh x, to 0.9 units in the last place.
#[inline(always)]
pub(crate) fn acosh(x: f64) -> f64 {
    let value = ln_of_sum_with_root(x, -1.0);
    let value = if x < f64::INFINITY { value } else { x };
    if x < 1.0 { f64::NAN } else { value }
}

/// artanh x, to 0.7 units in the last place.
#[inline(always)]
pub(crate) fn atanh(x: f64) -> f64 {
    let size = x.abs();
    let above = Pair::of_ordered_sum(1.0, size);
    let below = Pair::of_ordered_sum(1.0, -size);
    let ratio = scaled(above.hi / below.hi);
    let scale = power_of_two(ratio.bits);
    // The difference has no rounding error, as the quotient of its two terms is near 1.
    let difference = Pair::of_ordered_sum(above.hi - scale * below.hi, above.lo - scale * below.lo);
    let total = Pair::of_ordered_sum(above.hi, scale * below.hi);
    let s = difference.over(Pair {
        lo: total.lo + (above.lo + scale * below.lo),
        ..total
    });
    let square = s.sum() * s.sum();
    let series = 0.5 * s.sum() * (square * polynomial(square, &SERIES));
    let half = 0.5 * ratio.k;
    let start = Pair::of_ordered_sum(half * LN_2_HI, s.hi);
    let value = start.hi + (start.lo + (s.lo + series + half * LN_2_LO));
    let value = if size < SMALL { size } else { value };
    let value = if size == 1.0 { f64::INFINITY } else { value };
    if size > 1.0 {
        f64::NAN
    } else {
        value.copysign(x)
    }
}
