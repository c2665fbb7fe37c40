// The natural logarithm of f64 and its like.
//
// x = 2^k m with m between the roots of 1/2 and 2; with f = m - 1 and s = f / (2 + f), the logarithm
// of m is 2 artanh s = 2 s + s R(s^2); as 2 s = f - s f, that is f - s (f - R).

// The bits of the root of 1/2.
const ROOT_f64: u64 = 0x3fe6a09e667f3bcdlu;
// The bits of 1 less those of the root of 1/2.
const ONE_LESS_ROOT_f64: u64 = 0x00095f619980c433lu;
// ln 2.
const LN_2_f64: f64 = 0.6931471805599453lf;
// Below, ln (1 + x) is x.
const LN_SMALL_f64: f64 = 1e-17lf;
// Above, the root of x^2 + 1 is x.
const LARGE_f64: f64 = 1e9lf;

// (2 artanh s / s - 2) / s^2 in s^2, to 2^-51.
fn ln_series_f64(x: f64) -> f64 {
    var sum = 0.14619094526316423lf;
    sum = sum * x + 0.15331497981299366lf;
    sum = sum * x + 0.18182896201535054lf;
    sum = sum * x + 0.22222211031808245lf;
    sum = sum * x + 0.2857142862665123lf;
    sum = sum * x + 0.3999999999989789lf;
    return sum * x + 0.666666666666667lf;
}

struct Scaled_f64 {
    k: f64,
    m: f64,
}

// A positive finite number as 2^k m. A subnormal number is the integer of its bits, scaled.
fn scaled_f64(x: f64) -> Scaled_f64 {
    let bits = bits_f64(x);
    let tiny = bits < LEAST_f64;
    let normal = select(bits, bits_f64(f64(bits)), tiny);
    let shifted = normal + ONE_LESS_ROOT_f64;
    let exponent = bitcast<i32>(u32(shifted >> 52u)) - 1023;
    let k = exponent - select(0i, 1074, tiny);
    return Scaled_f64(f64(k), bitcast<f64>((shifted & FRACTION_f64) + ROOT_f64));
}

// The logarithm of 2^k m, and rest.
fn ln_of_scaled_f64(scaled: Scaled_f64, rest: f64) -> f64 {
    let f = scaled.m - 1.0lf;
    let s = f / (2.0lf + f);
    let square = s * s;
    let series = square * ln_series_f64(square);
    return scaled.k * LN_2_HI_f64 + (f - (s * (f - series) - (scaled.k * LN_2_LO_f64 + rest)));
}

// The value, the logarithm of a positive finite x, or what the logarithm of another x is.
fn with_ln_edges_f64(x: f64, value: f64) -> f64 {
    let size = size_bits_f64(x);
    let positive = select(value, x, size >= INF_f64);
    let signed = select(positive, nan_f64(), bits_f64(x) > SIGN_f64);
    return select(signed, -infinity_f64(), size == 0lu);
}

fn ln_f64(x: f64) -> f64 {
    return with_ln_edges_f64(x, ln_of_scaled_f64(scaled_f64(x), 0.0lf));
}

fn ln_1p_f64(x: f64) -> f64 {
    let sum = cut_f64(1.0lf + x);
    let low = select((1.0lf - sum) + x, (x - sum) + 1.0lf, x > 1.0lf);
    let value = ln_of_scaled_f64(scaled_f64(sum), low / sum);
    return select(with_ln_edges_f64(1.0lf + x, value), x, abs(x) < LN_SMALL_f64 || is_nan_f64(x));
}

fn asinh_f64(x: f64) -> f64 {
    let size = abs(x);
    let near = clamp_f64(size, 0.0lf, LARGE_f64);
    let square = near * near;
    let value = ln_1p_f64(near + square / (1.0lf + sqrt(1.0lf + square)));
    let far = ln_f64(size) + LN_2_f64;
    return select(with_sign_f64(select(value, far, size > LARGE_f64), x), x, is_nan_f64(x));
}

fn acosh_f64(x: f64) -> f64 {
    let above = clamp_f64(x, 1.0lf, LARGE_f64) - 1.0lf;
    let value = ln_1p_f64(above + sqrt(above * (above + 2.0lf)));
    let far = ln_f64(abs(x)) + LN_2_f64;
    let both = select(select(value, far, x > LARGE_f64), x, is_nan_f64(x));
    return select(both, nan_f64(), x < 1.0lf);
}

fn atanh_f64(x: f64) -> f64 {
    let size = abs(x);
    let inside = select(0.0lf, size, size < 1.0lf);
    let value = 0.5lf * ln_1p_f64((inside + inside) / (1.0lf - inside));
    let limit = select(value, infinity_f64(), size == 1.0lf);
    let signed = with_sign_f64(limit, x);
    return select(signed, nan_f64(), size > 1.0lf || is_nan_f64(x));
}
