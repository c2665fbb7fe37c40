// The natural logarithm of F and its like.
//
// x = 2^k m with m between the roots of 1/2 and 2; with f = m - 1 and s = f / (2 + f), the logarithm
// of m is 2 artanh s = 2 s + s R(s^2); as 2 s = f - s f, that is f - s (f - R).

// The bits of the root of 1/2.
const ROOT_F: U = $(0x3f3504f3|0x3fe6a09e667f3bcd)U;
// The bits of 1 less those of the root of 1/2.
const ONE_LESS_ROOT_F: U = $(0x004afb0d|0x00095f619980c433)U;
// ln 2.
const LN_2_F: F = $(0.6931472|0.6931471805599453)F;
// Below, ln (1 + x) is x.
const LN_SMALL_F: F = $(1e-8|1e-17)F;
// Above, the root of x^2 + 1 is x.
const LARGE_F: F = 1e9F;

// (2 artanh s / s - 2) / s^2 in s^2, to 2^$(-37|-51).
polynomial ln_series_F
    -               0.14619094526316423
    -               0.15331497981299366
    0.19365472      0.18182896201535054
    0.22191244      0.22222211031808245
    0.28571758      0.2857142862665123
    0.39999998      0.3999999999989789
    0.6666667       0.666666666666667

struct Scaled_F {
    k: F,
    m: F,
}

// A positive finite number as 2^k m. A subnormal number is the integer of its bits, scaled.
fn scaled_F(x: F) -> Scaled_F {
    let bits = bits_F(x);
    let tiny = bits < LEAST_F;
    let normal = select(bits, bits_F(F(bits)), tiny);
    let shifted = normal + ONE_LESS_ROOT_F;
    let exponent = bitcast<i32>(u32(shifted >> $(23|52)u)) - $(127|1023);
    let k = exponent - select(0i, $(149|1074), tiny);
    return Scaled_F(F(k), bitcast<F>((shifted & FRACTION_F) + ROOT_F));
}

// The logarithm of 2^k m, and rest.
fn ln_of_scaled_F(scaled: Scaled_F, rest: F) -> F {
    let f = scaled.m - 1.0F;
    let s = f / (2.0F + f);
    let square = s * s;
    let series = square * ln_series_F(square);
    return scaled.k * LN_2_HI_F + (f - (s * (f - series) - (scaled.k * LN_2_LO_F + rest)));
}

// The value, the logarithm of a positive finite x, or what the logarithm of another x is.
fn with_ln_edges_F(x: F, value: F) -> F {
    let size = size_bits_F(x);
    let positive = select(value, x, size >= INF_F);
    let signed = select(positive, nan_F(), bits_F(x) > SIGN_F);
    return select(signed, -infinity_F(), size == 0U);
}

fn ln_F(x: F) -> F {
    return with_ln_edges_F(x, ln_of_scaled_F(scaled_F(x), 0.0F));
}

fn ln_1p_F(x: F) -> F {
    let sum = cut_F(1.0F + x);
    let low = select((1.0F - sum) + x, (x - sum) + 1.0F, x > 1.0F);
    let value = ln_of_scaled_F(scaled_F(sum), low / sum);
    return select(with_ln_edges_F(1.0F + x, value), x, abs(x) < LN_SMALL_F || is_nan_F(x));
}

fn asinh_F(x: F) -> F {
    let size = abs(x);
    let near = clamp_F(size, 0.0F, LARGE_F);
    let square = near * near;
    let value = ln_1p_F(near + square / (1.0F + sqrt(1.0F + square)));
    let far = ln_F(size) + LN_2_F;
    return select(with_sign_F(select(value, far, size > LARGE_F), x), x, is_nan_F(x));
}

fn acosh_F(x: F) -> F {
    let above = clamp_F(x, 1.0F, LARGE_F) - 1.0F;
    let value = ln_1p_F(above + sqrt(above * (above + 2.0F)));
    let far = ln_F(abs(x)) + LN_2_F;
    let both = select(select(value, far, x > LARGE_F), x, is_nan_F(x));
    return select(both, nan_F(), x < 1.0F);
}

fn atanh_F(x: F) -> F {
    let size = abs(x);
    let inside = select(0.0F, size, size < 1.0F);
    let value = 0.5F * ln_1p_F((inside + inside) / (1.0F - inside));
    let limit = select(value, infinity_F(), size == 1.0F);
    let signed = with_sign_F(limit, x);
    return select(signed, nan_F(), size > 1.0F || is_nan_F(x));
}
