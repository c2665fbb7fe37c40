// The exponential function of f32 and its like.
//
// x = k ln 2 + r with |r| <= ln 2 / 2; a polynomial gives the exponential of r.

// 1 / ln 2.
const LOG2_E_f32: f32 = 1.442695f;
// Above, the exponential less 1 is infinite.
const EXP_M1_HIGH_f32: f32 = 89.0f;
// Below, the functions that are 0 at 0 are x.
const EXP_SMALL_f32: f32 = 1e-8f;

// (exp r - 1 - r) / r^2 in r, to 2^-29.
fn exp_series_f32(x: f32) -> f32 {
    var sum = 0.00019907704f;
    sum = sum * x + 0.0013933736f;
    sum = sum * x + 0.008333286f;
    sum = sum * x + 0.041666463f;
    sum = sum * x + 0.16666667f;
    return sum * x + 0.5f;
}

struct Exp_f32 {
    k: i32,
    r: f32,
    tail: f32,
}

// k, r, and the exponential less 1 + r of what r stands for, for x + lo, where lo is far smaller.
fn exp_parts_f32(x: f32, lo: f32) -> Exp_f32 {
    let k = floor(x * LOG2_E_f32 + 0.5f);
    let high = x - k * LN_2_HI_f32;
    let low = k * LN_2_LO_f32 - lo;
    let r = cut_f32(high - low);
    let rest = (high - r) - low;
    let square = r * r;
    let tail = square * exp_series_f32(r);
    return Exp_f32(i32(k), r, tail + rest);
}

// The exponential of x + lo, times 2 to the power of shift.
fn exp_scaled_f32(x: f32, lo: f32, shift: i32) -> f32 {
    let parts = exp_parts_f32(clamp_f32(x, EXP_LOW_f32, EXP_HIGH_f32), lo);
    // The power of two may be out of range while the result is not: it is multiplied by in two halves.
    let k = parts.k + shift;
    let half = k >> 1u;
    let fraction = 1.0f + (parts.r + parts.tail);
    return fraction * power_of_two_f32(half) * power_of_two_f32(k - half);
}

fn exp_f32(x: f32) -> f32 {
    return select(exp_scaled_f32(x, 0.0f, 0i), x, is_nan_f32(x));
}

fn exp_m1_f32(x: f32) -> f32 {
    let parts = exp_parts_f32(clamp_f32(x, -40.0f, EXP_M1_HIGH_f32), 0.0f);
    // Half the result, because the power of two may be out of range while the result is not.
    let scale = power_of_two_f32(parts.k - 1i);
    let half = ((scale - 0.5f) + scale * parts.r) + scale * parts.tail;
    let value = select(half + half, parts.r + parts.tail, parts.k == 0i);
    return select(value, x, abs(x) < EXP_SMALL_f32 || is_nan_f32(x));
}

fn sinh_f32(x: f32) -> f32 {
    let size = abs(x);
    let rest = exp_m1_f32(size);
    let near = 0.5f * (rest + rest / (rest + 1.0f));
    let value = select(near, exp_scaled_f32(size, 0.0f, -1i), size > 40.0f);
    return select(with_sign_f32(value, x), x, is_nan_f32(x));
}

fn cosh_f32(x: f32) -> f32 {
    let half = exp_scaled_f32(abs(x), 0.0f, -1i);
    return select(half + 0.25f / half, x, is_nan_f32(x));
}

fn tanh_f32(x: f32) -> f32 {
    let size = clamp_f32(abs(x), 0.0f, 22.0f);
    let rest = exp_m1_f32(size + size);
    let numerator = select(-2.0f, rest, size < 0.55f);
    let quotient = numerator / (rest + 2.0f);
    let value = select(1.0f + quotient, quotient, size < 0.55f);
    return select(with_sign_f32(value, x), x, abs(x) < EXP_SMALL_f32 || is_nan_f32(x));
}
