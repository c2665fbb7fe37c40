// The exponential function of F and its like.
//
// x = k ln 2 + r with |r| <= ln 2 / 2; a polynomial gives the exponential of r.

// 1 / ln 2.
const LOG2_E_F: F = $(1.442695|1.4426950408889634)F;
// Above, the exponential less 1 is infinite.
const EXP_M1_HIGH_F: F = $(89.0|710.0)F;
// Below, the functions that are 0 at 0 are x.
const EXP_SMALL_F: F = $(1e-8|1e-17)F;

// (exp r - 1 - r) / r^2 in r, to 2^-29.
polynomial exp_series_F
    0.00019907704   -
    0.0013933736    -
    0.008333286     -
    0.041666463     -
    0.16666667      -
    0.5             -

// (cosh r - 1) / r^2 in r^2, to 2^-53.
polynomial cosh_series_F
    -               2.762020367160025e-07
    -               2.4801521052860206e-05
    -               0.0013888888917370848
    -               0.04166666666662381
    -               0.5000000000000001

// (sinh r / r - 1) / r^2 in r^2, to 2^-57.
polynomial sinh_series_F
    -               2.510047389245446e-08
    -               2.7557268273567713e-06
    -               0.00019841269863174067
    -               0.008333333333330037
    -               0.16666666666666669

struct Exp_F {
    k: i32,
    r: F,
    tail: F,
}

// k, r, and the exponential less 1 + r of what r stands for, for x + lo, where lo is far smaller.
fn exp_parts_F(x: F, lo: F) -> Exp_F {
    let k = floor(x * LOG2_E_F + 0.5F);
    let high = x - k * LN_2_HI_F;
    let low = k * LN_2_LO_F - lo;
    let r = cut_F(high - low);
    let rest = (high - r) - low;
    let square = r * r;
f32:    let tail = square * exp_series_F(r);
f64:    let tail = square * (cosh_series_F(square) + r * sinh_series_F(square));
    return Exp_F(i32(k), r, tail + rest);
}

// The exponential of x + lo, times 2 to the power of shift.
fn exp_scaled_F(x: F, lo: F, shift: i32) -> F {
    let parts = exp_parts_F(clamp_F(x, EXP_LOW_F, EXP_HIGH_F), lo);
    // The power of two may be out of range while the result is not: it is multiplied by in two halves.
    let k = parts.k + shift;
    let half = k >> 1u;
    let fraction = 1.0F + (parts.r + parts.tail);
    return fraction * power_of_two_F(half) * power_of_two_F(k - half);
}

fn exp_F(x: F) -> F {
    return select(exp_scaled_F(x, 0.0F, 0i), x, is_nan_F(x));
}

fn exp_m1_F(x: F) -> F {
    let parts = exp_parts_F(clamp_F(x, -40.0F, EXP_M1_HIGH_F), 0.0F);
    // Half the result, because the power of two may be out of range while the result is not.
    let scale = power_of_two_F(parts.k - 1i);
    let half = ((scale - 0.5F) + scale * parts.r) + scale * parts.tail;
    let value = select(half + half, parts.r + parts.tail, parts.k == 0i);
    return select(value, x, abs(x) < EXP_SMALL_F || is_nan_F(x));
}

fn sinh_F(x: F) -> F {
    let size = abs(x);
    let rest = exp_m1_F(size);
    let near = 0.5F * (rest + rest / (rest + 1.0F));
    let value = select(near, exp_scaled_F(size, 0.0F, -1i), size > 40.0F);
    return select(with_sign_F(value, x), x, is_nan_F(x));
}

fn cosh_F(x: F) -> F {
    let half = exp_scaled_F(abs(x), 0.0F, -1i);
    return select(half + 0.25F / half, x, is_nan_F(x));
}

fn tanh_F(x: F) -> F {
    let size = clamp_F(abs(x), 0.0F, 22.0F);
    let rest = exp_m1_F(size + size);
    let numerator = select(-2.0F, rest, size < 0.55F);
    let quotient = numerator / (rest + 2.0F);
    let value = select(1.0F + quotient, quotient, size < 0.55F);
    return select(with_sign_F(value, x), x, abs(x) < EXP_SMALL_F || is_nan_F(x));
}
