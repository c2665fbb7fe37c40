// The natural logarithm of f64 and its like.
//
// x = 2^k m with m between the roots of 1/2 and 2; with f = m - 1 and s = f / (2 + f), the logarithm
// of m is 2 artanh s = 2 s + s R(s^2); as 2 s = f - s f, that is f - s (f - R).

struct Scaled_f64 {
    k: f64,
    m: f64,
}

// A positive finite number as 2^k m. A subnormal number is the integer of its bits, scaled.
fn scaled_f64(x: f64) -> Scaled_f64 {
    let bits = bits_f64(x);
    let tiny = bits < 0x0010000000000000lu;
    let normal = select(bits, bits_f64(f64(bits)), tiny);
    let shifted = normal + 0x00095f619980c433lu;
    let exponent = bitcast<i32>(u32(shifted >> 52u)) - 1023;
    let k = exponent - select(0i, 1074, tiny);
    return Scaled_f64(f64(k), bitcast<f64>((shifted & 0x000ffffffffffffflu) + 0x3fe6a09e667f3bcdlu));
}

// The logarithm of 2^k m, and rest.
fn ln_of_scaled_f64(scaled: Scaled_f64, rest: f64) -> f64 {
    let f = scaled.m - 1.0lf;
    let s = f / (2.0lf + f);
    let square = s * s;
    let series = square * ((((((0.14619094526316423lf * square + 0.15331497981299366lf) * square + 0.18182896201535054lf) * square + 0.22222211031808245lf) * square + 0.2857142862665123lf) * square + 0.3999999999989789lf) * square + 0.666666666666667lf);
    return scaled.k * 0.6931471805598903lf + (f - (s * (f - series) - (scaled.k * 5.497923018708371e-14lf + rest)));
}

// The value, the logarithm of a positive finite x, or what the logarithm of another x is.
fn with_ln_edges_f64(x: f64, value: f64) -> f64 {
    let size = size_bits_f64(x);
    let positive = select(value, x, size >= 0x7ff0000000000000lu);
    let signed = select(positive, nan_f64(), bits_f64(x) > 0x8000000000000000lu);
    return select(signed, -infinity_f64(), size == 0lu);
}

fn ln_f64(x: f64) -> f64 {
    return with_ln_edges_f64(x, ln_of_scaled_f64(scaled_f64(x), 0.0lf));
}

fn ln_1p_f64(x: f64) -> f64 {
    let sum = cut_f64(1.0lf + x);
    let low = select((1.0lf - sum) + x, (x - sum) + 1.0lf, x > 1.0lf);
    let value = ln_of_scaled_f64(scaled_f64(sum), low / sum);
    return select(with_ln_edges_f64(1.0lf + x, value), x, abs(x) < 1e-17lf || is_nan_f64(x));
}

fn asinh_f64(x: f64) -> f64 {
    let size = abs(x);
    let near = clamp_f64(size, 0.0lf, 1e9lf);
    let square = near * near;
    let value = ln_1p_f64(near + square / (1.0lf + sqrt(1.0lf + square)));
    let far = ln_f64(size) + 0.6931471805599453lf;
    return select(with_sign_f64(select(value, far, size > 1e9lf), x), x, is_nan_f64(x));
}

fn acosh_f64(x: f64) -> f64 {
    let above = clamp_f64(x, 1.0lf, 1e9lf) - 1.0lf;
    let value = ln_1p_f64(above + sqrt(above * (above + 2.0lf)));
    let far = ln_f64(abs(x)) + 0.6931471805599453lf;
    let both = select(select(value, far, x > 1e9lf), x, is_nan_f64(x));
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
