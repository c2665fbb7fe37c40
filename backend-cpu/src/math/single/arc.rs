//! Arcsine, arccosine and arctangent.

use crate::math::bits::polynomial;
use crate::math::double::atan::{atan_by, atan2_by};
use std::f64::consts::{FRAC_PI_2, PI};

/// (arcsin x ∕ x − 1) ∕ x² in x², to 2⁻³².
const ASIN: [f64; 7] = [
    0.16666666688652473,
    0.0749999165793446,
    0.04464801474979171,
    0.030263119014132187,
    0.023658447156439562,
    0.010408061891425823,
    0.03119696514486243,
];

/// (1 − arctan t ∕ t) ∕ t² in t², to 2⁻³⁰.
const ATAN: [f64; 6] = [
    0.3333333324113917,
    -0.19999964368465808,
    0.14283478390473378,
    -0.11059370312184054,
    0.08538934779745697,
    -0.04836503360473855,
];

/// Whether |x| is above ½, and the arcsine of |x| or else of √((1 − |x|) ∕ 2).
#[inline(always)]
fn reduced_asin(x: f32) -> (bool, f64) {
    let size = f64::from(x.abs());
    let far = size > 0.5;
    let square = if far { 0.5 - 0.5 * size } else { size * size };
    let root = square.sqrt();
    let s = if far { root } else { size };
    (far, s + s * (square * polynomial(square, &ASIN)))
}

/// arcsin x, to 0.01 units.
#[inline(always)]
pub(crate) fn asin(x: f32) -> f32 {
    let (far, angle) = reduced_asin(x);
    ((if far { FRAC_PI_2 - 2.0 * angle } else { angle }) as f32).copysign(x)
}

/// arccos x, to 0.01 units.
#[inline(always)]
pub(crate) fn acos(x: f32) -> f32 {
    let (far, angle) = reduced_asin(x);
    let far_angle = angle + angle;
    let (positive, negative) = if far {
        (far_angle, PI - far_angle)
    } else {
        (FRAC_PI_2 - angle, FRAC_PI_2 + angle)
    };
    (if x < 0.0 { negative } else { positive }) as f32
}

/// arctan x, to 0.01 units.
#[inline(always)]
pub(crate) fn atan(x: f32) -> f32 {
    atan_by(f64::from(x), &ATAN) as f32
}

/// The angle of the point (x, y), to 0.01 units.
#[inline(always)]
pub(crate) fn atan2(y: f32, x: f32) -> f32 {
    atan2_by(f64::from(y), f64::from(x), &ATAN) as f32
}
