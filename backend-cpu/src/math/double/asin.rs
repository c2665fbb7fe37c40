//! Arcsine and arccosine.
//!
//! Up to ½, arcsin x = x + x³ R(x²). Beyond, arccos x = 2 arcsin √((1 − x) ∕ 2) leads back there.

use super::pair::Pair;
use crate::math::bits::polynomial;
use std::f64::consts::FRAC_PI_2;

/// What `FRAC_PI_2` lacks of π∕2.
const FRAC_PI_2_LO: f64 = 6.123233995736766e-17;

/// (arcsin x ∕ x − 1) ∕ x² in x², to 2⁻⁵⁶.
const SERIES: [f64; 13] = [
    0.16666666666666669,
    0.0749999999999824,
    0.04464285714672442,
    0.03038194411088178,
    0.022372174011982295,
    0.017352368308150744,
    0.013971565990040711,
    0.011475818148389718,
    0.010344133031969549,
    0.0053681656609339224,
    0.017638267687622288,
    -0.015214179055402793,
    0.028999720974885703,
];

/// |x| or √((1 − |x|) ∕ 2), whichever is at most ½, and its arcsine less itself.
struct Reduced {
    far: bool,
    s: f64,
    tail: f64,
}

#[inline(always)]
fn reduce(x: f64) -> Reduced {
    let size = x.abs();
    let far = size > 0.5;
    let square = if far { 0.5 - 0.5 * size } else { size * size };
    let root = square.sqrt();
    let s = if far { root } else { size };
    Reduced {
        far,
        s,
        tail: s * (square * polynomial(square, &SERIES)),
    }
}

/// arcsin x, to 1.1 units in the last place.
#[inline(always)]
pub(crate) fn asin(x: f64) -> f64 {
    let Reduced { far, s, tail } = reduce(x);
    let sum = Pair::of_ordered_sum(FRAC_PI_2, -2.0 * s);
    let far_value = sum.hi + (sum.lo + (FRAC_PI_2_LO - 2.0 * tail));
    let near_value = s + tail;
    (if far { far_value } else { near_value }).copysign(x)
}

/// arccos x, to 1.1 units in the last place.
#[inline(always)]
pub(crate) fn acos(x: f64) -> f64 {
    let Reduced { far, s, tail } = reduce(x);
    let far_start = if x < 0.0 { 2.0 } else { 0.0 };
    let start = if far { far_start } else { 1.0 };
    let factor = if far { -2.0 } else { 1.0 } * 1.0_f64.copysign(x);
    let sum = Pair::of_ordered_sum(start * FRAC_PI_2, -(factor * s));
    let value = sum.hi + (sum.lo + (start * FRAC_PI_2_LO - factor * tail));
    // A NaN that went through the sum would get a sign that depends on the order of operands.
    if x.abs() <= 1.0 { value } else { f64::NAN }
}
