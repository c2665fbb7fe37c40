// The exponential function of f64 and its like.
//
// x = k ln 2 + r with |r| <= ln 2 / 2; a polynomial gives the exponential of r.

// 1 / ln 2.
const LOG2_E_f64: f64 = 1.4426950408889634lf;
// Above, the exponential less 1 is infinite.
const EXP_M1_HIGH_f64: f64 = 710.0lf;
// Below, the functions that are 0 at 0 are x.
const EXP_SMALL_f64: f64 = 1e-17lf;

// (cosh r - 1) / r^2 in r^2, to 2^-53.
fn cosh_series_f64(x: f64) -> f64 {
    var sum = 2.762020367160025e-07lf;
    sum = sum * x + 2.4801521052860206e-05lf;
    sum = sum * x + 0.0013888888917370848lf;
    sum = sum * x + 0.04166666666662381lf;
    return sum * x + 0.5000000000000001lf;
}

// (sinh r / r - 1) / r^2 in r^2, to 2^-57.
fn sinh_series_f64(x: f64) -> f64 {
    var sum = 2.510047389245446e-08lf;
    sum = sum * x + 2.7557268273567713e-06lf;
    sum = sum * x + 0.00019841269863174067lf;
    sum = sum * x + 0.008333333333330037lf;
    return sum * x + 0.16666666666666669lf;
}

struct Exp_f64 {
    k: i32,
    r: f64,
    tail: f64,
}

// k, r, and the exponential less 1 + r of what r stands for, for x + lo, where lo is far smaller.
fn exp_parts_f64(x: f64, lo: f64) -> Exp_f64 {
    let k = floor(x * LOG2_E_f64 + 0.5lf);
    let high = x - k * LN_2_HI_f64;
    let low = k * LN_2_LO_f64 - lo;
    let r = cut_f64(high - low);
    let rest = (high - r) - low;
    let square = r * r;
    let tail = square * (cosh_series_f64(square) + r * sinh_series_f64(square));
    return Exp_f64(i32(k), r, tail + rest);
}

// The exponential of x + lo, times 2 to the power of shift.
fn exp_scaled_f64(x: f64, lo: f64, shift: i32) -> f64 {
    let parts = exp_parts_f64(clamp_f64(x, EXP_LOW_f64, EXP_HIGH_f64), lo);
    // The power of two may be out of range while the result is not: it is multiplied by in two halves.
    let k = parts.k + shift;
    let half = k >> 1u;
    let fraction = 1.0lf + (parts.r + parts.tail);
    return fraction * power_of_two_f64(half) * power_of_two_f64(k - half);
}

fn exp_f64(x: f64) -> f64 {
    return select(exp_scaled_f64(x, 0.0lf, 0i), x, is_nan_f64(x));
}

fn exp_m1_f64(x: f64) -> f64 {
    let parts = exp_parts_f64(clamp_f64(x, -40.0lf, EXP_M1_HIGH_f64), 0.0lf);
    // Half the result, because the power of two may be out of range while the result is not.
    let scale = power_of_two_f64(parts.k - 1i);
    let half = ((scale - 0.5lf) + scale * parts.r) + scale * parts.tail;
    let value = select(half + half, parts.r + parts.tail, parts.k == 0i);
    return select(value, x, abs(x) < EXP_SMALL_f64 || is_nan_f64(x));
}

fn sinh_f64(x: f64) -> f64 {
    let size = abs(x);
    let rest = exp_m1_f64(size);
    let near = 0.5lf * (rest + rest / (rest + 1.0lf));
    let value = select(near, exp_scaled_f64(size, 0.0lf, -1i), size > 40.0lf);
    return select(with_sign_f64(value, x), x, is_nan_f64(x));
}

fn cosh_f64(x: f64) -> f64 {
    let half = exp_scaled_f64(abs(x), 0.0lf, -1i);
    return select(half + 0.25lf / half, x, is_nan_f64(x));
}

fn tanh_f64(x: f64) -> f64 {
    let size = clamp_f64(abs(x), 0.0lf, 22.0lf);
    let rest = exp_m1_f64(size + size);
    let numerator = select(-2.0lf, rest, size < 0.55lf);
    let quotient = numerator / (rest + 2.0lf);
    let value = select(1.0lf + quotient, quotient, size < 0.55lf);
    return select(with_sign_f64(value, x), x, abs(x) < EXP_SMALL_f64 || is_nan_f64(x));
}
