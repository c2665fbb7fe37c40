//! The exponential function and its like, the hyperbolic functions, and powers.

use super::ln::wide_ln;
use crate::math::bits::{at_most, nearest, polynomial, power_of_two};
use crate::math::double::pow::with_special_cases;
use std::f64::consts::{LN_2, LOG2_E};

/// (eʳ − 1 − r) ∕ r² in r, to 2⁻²⁹.
const SERIES: [f64; 6] = [
    0.5000000013547783,
    0.1666666675694132,
    0.041666464137220534,
    0.008333285836560053,
    0.0013933735716771243,
    0.00019907704448986996,
];

/// Beyond ± this, eˣ is not a finite positive `f32`.
const LIMIT: f64 = 200.0;

/// 2ᵏ and eʳ − 1 for x = k ln 2 + r, |r| ≤ ½ ln 2.
#[inline(always)]
fn parts(x: f64) -> (f64, f64) {
    let x = at_most(x, LIMIT);
    let x = if x < -LIMIT { -LIMIT } else { x };
    let (k, bits) = nearest(x * LOG2_E, 1023);
    let r = x - k * LN_2;
    (power_of_two(bits), r + r * r * polynomial(r, &SERIES))
}

/// eˣ to 2⁻³², or a number beyond the range of `f32`.
#[inline(always)]
fn wide_exp(x: f64) -> f64 {
    let (scale, rest) = parts(x);
    scale + scale * rest
}

/// eˣ − 1 to 2⁻³⁰, or a number beyond the range of `f32`; 0 for −0.
#[inline(always)]
fn wide_exp_m1(x: f64) -> f64 {
    let (scale, rest) = parts(x);
    (scale - 1.0) + scale * rest
}

/// eˣ, to 0.01 units.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    wide_exp(f64::from(x)) as f32
}

/// eˣ − 1, to 0.02 units.
#[inline(always)]
pub(crate) fn exp_m1(x: f32) -> f32 {
    (wide_exp_m1(f64::from(x)) as f32).copysign(x)
}

/// sinh x, to 0.02 units.
#[inline(always)]
pub(crate) fn sinh(x: f32) -> f32 {
    let rest = wide_exp_m1(f64::from(x.abs()));
    ((0.5 * (rest + rest / (rest + 1.0))) as f32).copysign(x)
}

/// cosh x, to 0.01 units.
#[inline(always)]
pub(crate) fn cosh(x: f32) -> f32 {
    let power = wide_exp(f64::from(x.abs()));
    (0.5 * (power + 1.0 / power)) as f32
}

/// tanh x, to 0.02 units.
#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    let rest = wide_exp_m1(2.0 * f64::from(x.abs()));
    ((rest / (rest + 2.0)) as f32).copysign(x)
}

/// xʸ, to 0.05 units.
#[inline(always)]
pub(crate) fn pow(x: f32, y: f32) -> f32 {
    let (x, y) = (f64::from(x), f64::from(y));
    with_special_cases(x, y, wide_exp(y * wide_ln(x.abs()))) as f32
}
