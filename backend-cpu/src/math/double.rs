//! The functions on `f64`.

mod area;
mod asin;
pub(super) mod atan;
mod exp;
mod ln;
mod pair;
pub(super) mod pow;
mod tanh;
mod trig;

pub(crate) use area::{acosh, asinh, atanh};
pub(crate) use asin::{acos, asin};
pub(crate) use atan::{atan, atan2};
pub(crate) use exp::{cosh, exp, exp_m1, sinh};
pub(crate) use ln::{ln, ln_1p};
pub(crate) use pow::pow;
pub(crate) use tanh::tanh;
pub(crate) use trig::{cos, sin, tan};

super::lanes! { f64:
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

super::lanes_with_far! { f64, trig::is_far:
    cos_lanes = trig::near_cos, f64::cos;
    sin_lanes = trig::near_sin, f64::sin;
    tan_lanes = trig::near_tan, f64::tan;
}

/// Sine and cosine of each element, with the bits of the functions above.
#[inline(always)]
pub(crate) fn sin_cos_lanes(sin: &mut [f64], cos: &mut [f64], x: &[f64]) {
    for ((sin, cos), x) in sin.iter_mut().zip(cos.iter_mut()).zip(x) {
        (*sin, *cos) = trig::near_sin_cos(*x);
    }
    if x.iter().fold(false, |any, x| any | trig::is_far(*x)) {
        replace_far(sin, x, f64::sin);
        replace_far(cos, x, f64::cos);
    }
}

super::lanes_of_two! { f64:
    atan2_lanes = atan2;
    pow_lanes = pow;
}
