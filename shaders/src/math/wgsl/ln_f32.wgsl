// The natural logarithm of f32 and its like.
//
// x = 2^k m with m between the roots of 1/2 and 2; with f = m - 1 and s = f / (2 + f), the logarithm
// of m is 2 artanh s = 2 s + s R(s^2); as 2 s = f - s f, that is f - s (f - R).

// The bits of the root of 1/2.
const ROOT_f32: u32 = 0x3f3504f3u;
// The bits of 1 less those of the root of 1/2.
const ONE_LESS_ROOT_f32: u32 = 0x004afb0du;
// ln 2.
const LN_2_f32: f32 = 0.6931472f;
// Below, ln (1 + x) is x.
const LN_SMALL_f32: f32 = 1e-8f;
// Above, the root of x^2 + 1 is x.
const LARGE_f32: f32 = 1e9f;

// (2 artanh s / s - 2) / s^2 in s^2, to 2^-37.
fn ln_series_f32(x: f32) -> f32 {
    var sum = 0.19365472f;
    sum = sum * x + 0.22191244f;
    sum = sum * x + 0.28571758f;
    sum = sum * x + 0.39999998f;
    return sum * x + 0.6666667f;
}

struct Scaled_f32 {
    k: f32,
    m: f32,
}

// A positive finite number as 2^k m. A subnormal number is the integer of its bits, scaled.
fn scaled_f32(x: f32) -> Scaled_f32 {
    let bits = bits_f32(x);
    let tiny = bits < LEAST_f32;
    let normal = select(bits, bits_f32(f32(bits)), tiny);
    let shifted = normal + ONE_LESS_ROOT_f32;
    let exponent = bitcast<i32>(u32(shifted >> 23u)) - 127;
    let k = exponent - select(0i, 149, tiny);
    return Scaled_f32(f32(k), bitcast<f32>((shifted & FRACTION_f32) + ROOT_f32));
}

// The logarithm of 2^k m, and rest.
fn ln_of_scaled_f32(scaled: Scaled_f32, rest: f32) -> f32 {
    let f = scaled.m - 1.0f;
    let s = f / (2.0f + f);
    let square = s * s;
    let series = square * ln_series_f32(square);
    return scaled.k * LN_2_HI_f32 + (f - (s * (f - series) - (scaled.k * LN_2_LO_f32 + rest)));
}

// The value, the logarithm of a positive finite x, or what the logarithm of another x is.
fn with_ln_edges_f32(x: f32, value: f32) -> f32 {
    let size = size_bits_f32(x);
    let positive = select(value, x, size >= INF_f32);
    let signed = select(positive, nan_f32(), bits_f32(x) > SIGN_f32);
    return select(signed, -infinity_f32(), size == 0u);
}

fn ln_f32(x: f32) -> f32 {
    return with_ln_edges_f32(x, ln_of_scaled_f32(scaled_f32(x), 0.0f));
}

fn ln_1p_f32(x: f32) -> f32 {
    let sum = cut_f32(1.0f + x);
    let low = select((1.0f - sum) + x, (x - sum) + 1.0f, x > 1.0f);
    let value = ln_of_scaled_f32(scaled_f32(sum), low / sum);
    return select(with_ln_edges_f32(1.0f + x, value), x, abs(x) < LN_SMALL_f32 || is_nan_f32(x));
}

fn asinh_f32(x: f32) -> f32 {
    let size = abs(x);
    let near = clamp_f32(size, 0.0f, LARGE_f32);
    let square = near * near;
    let value = ln_1p_f32(near + square / (1.0f + sqrt(1.0f + square)));
    let far = ln_f32(size) + LN_2_f32;
    return select(with_sign_f32(select(value, far, size > LARGE_f32), x), x, is_nan_f32(x));
}

fn acosh_f32(x: f32) -> f32 {
    let above = clamp_f32(x, 1.0f, LARGE_f32) - 1.0f;
    let value = ln_1p_f32(above + sqrt(above * (above + 2.0f)));
    let far = ln_f32(abs(x)) + LN_2_f32;
    let both = select(select(value, far, x > LARGE_f32), x, is_nan_f32(x));
    return select(both, nan_f32(), x < 1.0f);
}

fn atanh_f32(x: f32) -> f32 {
    let size = abs(x);
    let inside = select(0.0f, size, size < 1.0f);
    let value = 0.5f * ln_1p_f32((inside + inside) / (1.0f - inside));
    let limit = select(value, infinity_f32(), size == 1.0f);
    let signed = with_sign_f32(limit, x);
    return select(signed, nan_f32(), size > 1.0f || is_nan_f32(x));
}
