//! The functions on `f32`.
//!
//! They compute in `f64`, with series just long enough: the result is then rounded once but for an error
//! of a few hundredths of a unit in the last place, and neither cancellation nor the limits of the range
//! need care. What is stated as an error is that before the last rounding, in addition to half a unit.

mod arc;
mod exp;
mod ln;
mod trig;

pub(crate) use arc::{acos, asin, atan, atan2};
pub(crate) use exp::{cosh, exp, exp_m1, pow, sinh, tanh};
pub(crate) use ln::{acosh, asinh, atanh, ln, ln_1p};
pub(crate) use trig::{cos, sin, tan};

super::lanes! { f32:
    acos_lanes = acos;
    acosh_lanes = acosh;
    asin_lanes = asin;
    asinh_lanes = asinh;
    atan_lanes = atan;
    atanh_lanes = atanh;
    cosh_lanes = cosh;
    exp_lanes = exp;
    exp_m1_lanes = exp_m1;
    ln_lanes = ln;
    ln_1p_lanes = ln_1p;
    sinh_lanes = sinh;
    tanh_lanes = tanh;
}

super::lanes_with_far! { f32, trig::is_far:
    cos_lanes = trig::near_cos, f32::cos;
    sin_lanes = trig::near_sin, f32::sin;
    tan_lanes = trig::near_tan, f32::tan;
}

/// Sine and cosine of each element, with the bits of the functions above.
#[inline(always)]
pub(crate) fn sin_cos_lanes(sin: &mut [f32], cos: &mut [f32], x: &[f32]) {
    for ((sin, cos), x) in sin.iter_mut().zip(cos.iter_mut()).zip(x) {
        (*sin, *cos) = trig::near_sin_cos(*x);
    }
    if x.iter().fold(false, |any, x| any | trig::is_far(*x)) {
        replace_far(sin, x, f32::sin);
        replace_far(cos, x, f32::cos);
    }
}

super::lanes_of_two! { f32:
    atan2_lanes = atan2;
    pow_lanes = pow;
}
