//! Sine, cosine and tangent.
//!
//! x = k π∕2 + r with |r| ≤ π∕4, where r is a sum of two floats: π∕2 is subtracted in four parts, three of
//! 33 bits, whose products with k are exact up to [`LIMIT`], and the rest. Polynomials give sine and
//! cosine of r, and k modulo 4 says which of them is the result. Beyond the limit the standard library
//! takes over, out of line.

use super::pair::Pair;
use crate::math::bits::{nearest, pick, polynomial, spread_bit};
use std::f64::consts::FRAC_2_PI;

/// Up to which |x| the reduction is right: 2²⁰.
pub(super) const LIMIT: f64 = 1_048_576.0;

/// π∕2 to 32, 65 and 98 binary places, each less those before, and the rest.
const FRAC_PI_2: [f64; 4] = [
    1.5707963267341256,
    6.077100506303966e-11,
    2.0222662487111665e-21,
    8.4784276603689e-32,
];

/// (sin r ∕ r − 1) ∕ r² in r², to 2⁻⁵⁵.
const SIN: [f64; 6] = [
    -0.16666666666666666,
    0.008333333333330948,
    -0.00019841269836757408,
    2.755731610178906e-06,
    -2.505113166029247e-08,
    1.591811451157248e-10,
];

/// (cos r − 1 + r² ∕ 2) ∕ r⁴ in r², to 2⁻⁵⁹.
const COS: [f64; 6] = [
    0.041666666666666664,
    -0.0013888888888887398,
    2.4801587298764788e-05,
    -2.7557317271175225e-07,
    2.087614613858505e-09,
    -1.1382622252384216e-11,
];

/// Sine and cosine of r, and the multiple of π∕2 that was taken off.
struct Reduced {
    /// k + `turns` modulo 4 in the low bits.
    quadrant: u64,
    /// sin r in two parts, as they come.
    sin: (f64, f64),
    /// cos r in two parts, as they come.
    cos: (f64, f64),
}

/// Takes off the multiple of π∕2 nearest to x, for |x| ≤ `LIMIT`, and counts `turns` more.
#[inline(always)]
fn reduce(x: f64, turns: u64) -> Reduced {
    let (k, quadrant) = nearest(x * FRAC_2_PI, turns);
    // Each sum is exact where its terms are not ordered by size: both are then multiples of one power
    // of two and smaller than 2⁵³ times that.
    let first = x - k * FRAC_PI_2[0];
    let second = Pair::of_ordered_sum(first, -(k * FRAC_PI_2[1]));
    let third = Pair::of_ordered_sum(second.hi, -(k * FRAC_PI_2[2]));
    let rest = (second.lo + third.lo) - k * FRAC_PI_2[3];
    let r = Pair::of_ordered_sum(third.hi, rest);
    let square = r.hi * r.hi;
    let half = 0.5 * square;
    let start = 1.0 - half;
    let sin_tail = r.hi * square * polynomial(square, &SIN) + r.lo * start;
    let cos_tail = square * square * polynomial(square, &COS) - r.hi * r.lo;
    Reduced {
        quadrant,
        sin: (r.hi, sin_tail),
        cos: (start, ((1.0 - start) - half) + cos_tail),
    }
}

/// sin x or cos x for |x| ≤ `LIMIT`: the sine of x + `turns` · π∕2.
#[inline(always)]
fn sine(x: f64, turns: u64) -> f64 {
    let Reduced { quadrant, sin, cos } = reduce(x, turns);
    let value = pick(spread_bit(quadrant), cos.0 + cos.1, sin.0 + sin.1);
    f64::from_bits(value.to_bits() ^ ((quadrant >> 1) << 63))
}

/// sin x for |x| ≤ `LIMIT`, to 0.9 units in the last place.
#[inline(always)]
pub(super) fn near_sin(x: f64) -> f64 {
    let value = sine(x, 0);
    if x == 0.0 { x } else { value }
}

/// cos x for |x| ≤ `LIMIT`, to 0.9 units in the last place.
#[inline(always)]
pub(super) fn near_cos(x: f64) -> f64 {
    sine(x, 1)
}

/// sin x and cos x for |x| ≤ `LIMIT`, with the bits of [`near_sin`] and [`near_cos`].
#[inline(always)]
pub(super) fn near_sin_cos(x: f64) -> (f64, f64) {
    let Reduced { quadrant, sin, cos } = reduce(x, 0);
    let (sin, cos) = (sin.0 + sin.1, cos.0 + cos.1);
    let turned = |quadrant: u64| {
        let value = pick(spread_bit(quadrant), cos, sin);
        f64::from_bits(value.to_bits() ^ ((quadrant >> 1) << 63))
    };
    let sine = if x == 0.0 { x } else { turned(quadrant) };
    (sine, turned(quadrant.wrapping_add(1)))
}

/// tan x for |x| ≤ `LIMIT`, to 1.0 units in the last place.
#[inline(always)]
pub(super) fn near_tan(x: f64) -> f64 {
    let Reduced { quadrant, sin, cos } = reduce(x, 0);
    let sin = Pair::of_ordered_sum(sin.0, sin.1);
    let cos = Pair::of_ordered_sum(cos.0, cos.1);
    let odd = spread_bit(quadrant);
    let numerator = Pair {
        hi: pick(odd, cos.hi, sin.hi),
        lo: pick(odd, cos.lo, sin.lo),
    };
    let denominator = Pair {
        hi: pick(odd, sin.hi, cos.hi),
        lo: pick(odd, sin.lo, cos.lo),
    };
    let ratio = numerator.over(denominator).sum();
    let value = f64::from_bits(ratio.to_bits() ^ (quadrant << 63));
    // Where x is tiny, the products in the division may underflow.
    if x.abs() < 1e-9 { x } else { value }
}

/// Whether x is out of reach of the reduction.
#[inline(always)]
pub(super) fn is_far(x: f64) -> bool {
    x.abs() > LIMIT
}

/// The function of the standard library, kept out of line.
#[cold]
#[inline(never)]
fn far(x: f64, function: fn(f64) -> f64) -> f64 {
    function(x)
}

/// sin x, to 0.9 units in the last place.
#[inline(always)]
pub(crate) fn sin(x: f64) -> f64 {
    if is_far(x) {
        far(x, f64::sin)
    } else {
        near_sin(x)
    }
}

/// cos x, to 0.9 units in the last place.
#[inline(always)]
pub(crate) fn cos(x: f64) -> f64 {
    if is_far(x) {
        far(x, f64::cos)
    } else {
        near_cos(x)
    }
}

/// tan x, to 1.0 units in the last place.
#[inline(always)]
pub(crate) fn tan(x: f64) -> f64 {
    if is_far(x) {
        far(x, f64::tan)
    } else {
        near_tan(x)
    }
}
