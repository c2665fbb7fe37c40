// Powers of f32.
//
// The exponential of y ln x, where logarithm and product are sums of two numbers, because the product
// needs more bits than one has. The special cases are those of IEEE 754.

// The bits of 1.
const ONE_f32: u32 = 0x3f800000u;
// 2 / 3, the first coefficient of the series of 2 artanh s.
const TWO_THIRDS_f32: f32 = 0.6666667f;
// What that lacks of 2 / 3.
const TWO_THIRDS_LO_f32: f32 = -1.9868216e-08f;

// ((2 artanh s / s - 2) / s^2 - 2 / 3) / s^2 in s^2, to 2^-37.
fn pow_ln_series_f32(x: f32) -> f32 {
    var sum = 0.19365472f;
    sum = sum * x + 0.22191244f;
    sum = sum * x + 0.28571758f;
    return sum * x + 0.39999998f;
}

struct Pair_f32 {
    hi: f32,
    lo: f32,
}

// x + y, where |x| >= |y|.
fn ordered_sum_f32(x: f32, y: f32) -> Pair_f32 {
    let hi = cut_f32(x + y);
    return Pair_f32(hi, (x - hi) + y);
}

// The same sum with half the bits in hi, so that a product of two such is exact.
fn split_f32(x: Pair_f32) -> Pair_f32 {
    let hi = top_f32(x.hi + x.lo);
    return Pair_f32(hi, (x.hi - hi) + x.lo);
}

// The product of two split pairs. It is not split.
fn product_f32(x: Pair_f32, y: Pair_f32) -> Pair_f32 {
    return Pair_f32(x.hi * y.hi, x.hi * y.lo + x.lo * (y.hi + y.lo));
}

// The quotient of a number and a pair, split.
fn quotient_f32(x: f32, y: Pair_f32) -> Pair_f32 {
    let inverse = 1.0f / y.hi;
    let hi = top_f32(x * inverse);
    let divisor_hi = top_f32(y.hi);
    let divisor_lo = (y.hi - divisor_hi) + y.lo;
    return Pair_f32(hi, ((x - hi * divisor_hi) - hi * divisor_lo) * inverse);
}

// The logarithm of a positive finite number.
fn ln_pair_f32(x: f32) -> Pair_f32 {
    let scaled = scaled_f32(x);
    let s = quotient_f32(scaled.m - 1.0f, ordered_sum_f32(1.0f, scaled.m));
    let square = split_f32(product_f32(s, s));
    let argument = square.hi + square.lo;
    let sum = ordered_sum_f32(TWO_THIRDS_f32, argument * pow_ln_series_f32(argument));
    let factor = split_f32(Pair_f32(sum.hi, sum.lo + TWO_THIRDS_LO_f32));
    let cubic = product_f32(s, split_f32(product_f32(square, factor)));
    let start = ordered_sum_f32(scaled.k * LN_2_HI_f32, s.hi + s.hi);
    let total = ordered_sum_f32(start.hi, cubic.hi);
    let rest = (s.lo + s.lo) + cubic.lo + scaled.k * LN_2_LO_f32;
    return Pair_f32(total.hi, (start.lo + total.lo) + rest);
}

// The power of a positive finite number.
fn regular_pow_f32(size: f32, y: f32) -> f32 {
    let log = split_f32(ln_pair_f32(size));
    let estimate = y * (log.hi + log.lo);
    let inside = estimate > EXP_LOW_f32 && estimate < EXP_HIGH_f32;
    // Outside, the parts of the product may be out of range.
    let factor = split_f32(Pair_f32(select(0.0f, y, inside), 0.0f));
    let product = product_f32(factor, log);
    let exponent = ordered_sum_f32(product.hi, product.lo);
    let hi = select(estimate, exponent.hi, inside);
    return exp_scaled_f32(hi, select(0.0f, exponent.lo, inside), 0i);
}

fn is_integer_f32(x: f32) -> bool {
    return floor(x) == x;
}

// The power of the size of x.
fn pow_of_size_f32(size: f32, y: f32) -> f32 {
    let is_zero = size_bits_f32(size) == 0u;
    let falls = is_zero != (bits_f32(y) >= SIGN_f32);
    let edge = select(infinity_f32(), 0.0f, falls);
    if is_zero || is_infinite_f32(size) {
        return edge;
    }
    if is_infinite_f32(y) {
        return select(infinity_f32(), 0.0f, (size < 1.0f) != (bits_f32(y) >= SIGN_f32));
    }
    return regular_pow_f32(size, y);
}

fn pow_f32(x: f32, y: f32) -> f32 {
    let size = abs(x);
    let exponent = abs(y);
    if size_bits_f32(y) == 0u || bits_f32(x) == ONE_f32 {
        return 1.0f;
    }
    if is_nan_f32(x) || is_nan_f32(y) {
        return nan_f32();
    }
    if size == 1.0f && is_infinite_f32(y) {
        return 1.0f;
    }
    let value = pow_of_size_f32(size, y);
    let is_negative = bits_f32(x) >= SIGN_f32;
    let integer = is_infinite_f32(y) || is_integer_f32(exponent);
    let is_finite = size_bits_f32(x) != 0u && !is_infinite_f32(x);
    if is_negative && !integer && is_finite {
        return nan_f32();
    }
    let odd = integer && !is_infinite_f32(y) && !is_integer_f32(0.5f * exponent);
    return select(value, -value, is_negative && odd);
}
