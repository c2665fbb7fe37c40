//! Sine, cosine and tangent.

use crate::math::bits::{nearest, pick, polynomial, spread_bit};
use std::f64::consts::FRAC_2_PI;

/// Up to which |x| the reduction is right: 2²⁰.
pub(super) const LIMIT: f32 = 1_048_576.0;

/// π∕2 to 32 binary places, and the rest.
const FRAC_PI_2: [f64; 2] = [1.5707963267341256, 6.077100506506192e-11];

/// (sin r ∕ r − 1) ∕ r² in r², to 2⁻³⁵.
const SIN: [f64; 4] = [
    -0.16666666663859755,
    0.008333331875459107,
    -0.00019840086964661774,
    2.724994038181468e-06,
];

/// (cos r − 1 + r² ∕ 2) ∕ r⁴ in r², to 2⁻³⁸.
const COS: [f64; 4] = [
    0.041666666664324274,
    -0.0013888887672447922,
    2.4800600484722262e-05,
    -2.730096231799444e-07,
];

/// Sine and cosine of r, for x = k π∕2 + r with |r| ≤ π∕4, and k + `turns` in the low bits.
#[inline(always)]
fn reduce(x: f32, turns: u64) -> (f64, f64, u64) {
    let x = f64::from(x);
    let (k, quadrant) = nearest(x * FRAC_2_PI, turns);
    let r = (x - k * FRAC_PI_2[0]) - k * FRAC_PI_2[1];
    let square = r * r;
    let sin = r + r * (square * polynomial(square, &SIN));
    let cos = 1.0 + square * (square * polynomial(square, &COS) - 0.5);
    (sin, cos, quadrant)
}

/// The sine of x + `turns` · π∕2, for |x| ≤ `LIMIT`.
#[inline(always)]
fn sine(x: f32, turns: u64) -> f32 {
    let (sin, cos, quadrant) = reduce(x, turns);
    let value = pick(spread_bit(quadrant), cos, sin);
    f64::from_bits(value.to_bits() ^ ((quadrant >> 1) << 63)) as f32
}

/// sin x for |x| ≤ `LIMIT`, to 0.01 units.
#[inline(always)]
pub(super) fn near_sin(x: f32) -> f32 {
    let value = sine(x, 0);
    if x == 0.0 { x } else { value }
}

/// cos x for |x| ≤ `LIMIT`, to 0.01 units.
#[inline(always)]
pub(super) fn near_cos(x: f32) -> f32 {
    sine(x, 1)
}

/// sin x and cos x for |x| ≤ `LIMIT`, with the bits of [`near_sin`] and [`near_cos`].
#[inline(always)]
pub(super) fn near_sin_cos(x: f32) -> (f32, f32) {
    let (sin, cos, quadrant) = reduce(x, 0);
    let turned = |quadrant: u64| {
        let value = pick(spread_bit(quadrant), cos, sin);
        f64::from_bits(value.to_bits() ^ ((quadrant >> 1) << 63)) as f32
    };
    let sine = if x == 0.0 { x } else { turned(quadrant) };
    (sine, turned(quadrant.wrapping_add(1)))
}

/// tan x for |x| ≤ `LIMIT`, to 0.01 units.
#[inline(always)]
pub(super) fn near_tan(x: f32) -> f32 {
    let (sin, cos, quadrant) = reduce(x, 0);
    let odd = spread_bit(quadrant);
    let ratio = pick(odd, cos, sin) / pick(odd, sin, cos);
    let value = f64::from_bits(ratio.to_bits() ^ (quadrant << 63)) as f32;
    if x == 0.0 { x } else { value }
}

/// Whether x is out of reach of the reduction.
#[inline(always)]
pub(super) fn is_far(x: f32) -> bool {
    x.abs() > LIMIT
}

/// The function of the standard library, kept out of line.
#[cold]
#[inline(never)]
fn far(x: f32, function: fn(f32) -> f32) -> f32 {
    function(x)
}

/// sin x, to 0.01 units.
#[inline(always)]
pub(crate) fn sin(x: f32) -> f32 {
    if is_far(x) {
        far(x, f32::sin)
    } else {
        near_sin(x)
    }
}

/// cos x, to 0.01 units.
#[inline(always)]
pub(crate) fn cos(x: f32) -> f32 {
    if is_far(x) {
        far(x, f32::cos)
    } else {
        near_cos(x)
    }
}

/// tan x, to 0.01 units.
#[inline(always)]
pub(crate) fn tan(x: f32) -> f32 {
    if is_far(x) {
        far(x, f32::tan)
    } else {
        near_tan(x)
    }
}
