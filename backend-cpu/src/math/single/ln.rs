//! The natural logarithm and its like, and the inverse hyperbolic functions.

use crate::math::bits::{polynomial, scaled};
use std::f64::consts::LN_2;

/// (2 artanh s ∕ s − 2) ∕ s² in s², to 2⁻³⁷.
const SERIES: [f64; 5] = [
    0.6666666666738797,
    0.3999999878233058,
    0.28571757253683244,
    0.22191244000034932,
    0.1936547161083104,
];

/// The negative number nearest to 0.
const LARGEST_NEGATIVE: f64 = -5e-324;

/// k ln 2 + ln (1 + f).
#[inline(always)]
fn combine(k: f64, f: f64) -> f64 {
    let s = f / (2.0 + f);
    let square = s * s;
    k * LN_2 + (2.0 * s + s * (square * polynomial(square, &SERIES)))
}

/// `value`, the logarithm of a positive finite `x`, or what the logarithm of another `x` is.
#[inline(always)]
fn with_edges(x: f64, value: f64) -> f64 {
    let value = if x <= f64::MAX { value } else { x };
    let value = if x == 0.0 { f64::NEG_INFINITY } else { value };
    if x <= LARGEST_NEGATIVE {
        f64::NAN
    } else {
        value
    }
}

/// ln x to 2⁻⁴², where x is not subnormal.
#[inline(always)]
pub(super) fn wide_ln(x: f64) -> f64 {
    let parts = scaled(x);
    with_edges(x, combine(parts.k, parts.m - 1.0))
}

/// ln (1 + x) to 2⁻⁴².
#[inline(always)]
fn wide_ln_1p(x: f64) -> f64 {
    let sum = 1.0 + x;
    let parts = scaled(sum);
    let f = if parts.k == 0.0 { x } else { parts.m - 1.0 };
    with_edges(sum, combine(parts.k, f))
}

/// ln x, to 0.01 units.
#[inline(always)]
pub(crate) fn ln(x: f32) -> f32 {
    wide_ln(f64::from(x)) as f32
}

/// ln (1 + x), to 0.01 units.
#[inline(always)]
pub(crate) fn ln_1p(x: f32) -> f32 {
    let value = wide_ln_1p(f64::from(x)) as f32;
    if x == 0.0 { x } else { value }
}

/// arsinh x, to 0.01 units.
#[inline(always)]
pub(crate) fn asinh(x: f32) -> f32 {
    let size = f64::from(x.abs());
    let square = size * size;
    let value = wide_ln_1p(size + square / (1.0 + (1.0 + square).sqrt())) as f32;
    (if size <= f64::MAX { value } else { x }).copysign(x)
}

/// arcosh x, to 0.01 units.
#[inline(always)]
pub(crate) fn acosh(x: f32) -> f32 {
    let above = f64::from(x) - 1.0;
    let value = wide_ln_1p(above + (above * (above + 2.0)).sqrt()) as f32;
    if x < 1.0 { f32::NAN } else { value }
}

/// artanh x, to 0.01 units.
#[inline(always)]
pub(crate) fn atanh(x: f32) -> f32 {
    let size = f64::from(x.abs());
    ((0.5 * wide_ln_1p((size + size) / (1.0 - size))) as f32).copysign(x)
}
