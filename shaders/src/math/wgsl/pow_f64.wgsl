// Powers of f64.
//
// The exponential of y ln x, where logarithm and product are sums of two numbers, because the product
// needs more bits than one has. The special cases are those of IEEE 754.

// The bits of 1.
const ONE_f64: u64 = 0x3ff0000000000000lu;
// 2 / 3, the first coefficient of the series of 2 artanh s.
const TWO_THIRDS_f64: f64 = 0.6666666666666666lf;
// What that lacks of 2 / 3.
const TWO_THIRDS_LO_f64: f64 = 3.700743415417188e-17lf;

// ((2 artanh s / s - 2) / s^2 - 2 / 3) / s^2 in s^2, to 2^-51.
fn pow_ln_series_f64(x: f64) -> f64 {
    var sum = 0.1291587834639015lf;
    sum = sum * x + 0.13285765805968022lf;
    sum = sum * x + 0.15385580877426505lf;
    sum = sum * x + 0.18181808158771623lf;
    sum = sum * x + 0.2222222227168678lf;
    sum = sum * x + 0.28571428571337104lf;
    return sum * x + 0.4000000000000003lf;
}

struct Pair_f64 {
    hi: f64,
    lo: f64,
}

// x + y, where |x| >= |y|.
fn ordered_sum_f64(x: f64, y: f64) -> Pair_f64 {
    let hi = cut_f64(x + y);
    return Pair_f64(hi, (x - hi) + y);
}

// The same sum with half the bits in hi, so that a product of two such is exact.
fn split_f64(x: Pair_f64) -> Pair_f64 {
    let hi = top_f64(x.hi + x.lo);
    return Pair_f64(hi, (x.hi - hi) + x.lo);
}

// The product of two split pairs. It is not split.
fn product_f64(x: Pair_f64, y: Pair_f64) -> Pair_f64 {
    return Pair_f64(x.hi * y.hi, x.hi * y.lo + x.lo * (y.hi + y.lo));
}

// The quotient of a number and a pair, split.
fn quotient_f64(x: f64, y: Pair_f64) -> Pair_f64 {
    let inverse = 1.0lf / y.hi;
    let hi = top_f64(x * inverse);
    let divisor_hi = top_f64(y.hi);
    let divisor_lo = (y.hi - divisor_hi) + y.lo;
    return Pair_f64(hi, ((x - hi * divisor_hi) - hi * divisor_lo) * inverse);
}

// The logarithm of a positive finite number.
fn ln_pair_f64(x: f64) -> Pair_f64 {
    let scaled = scaled_f64(x);
    let s = quotient_f64(scaled.m - 1.0lf, ordered_sum_f64(1.0lf, scaled.m));
    let square = split_f64(product_f64(s, s));
    let argument = square.hi + square.lo;
    let sum = ordered_sum_f64(TWO_THIRDS_f64, argument * pow_ln_series_f64(argument));
    let factor = split_f64(Pair_f64(sum.hi, sum.lo + TWO_THIRDS_LO_f64));
    let cubic = product_f64(s, split_f64(product_f64(square, factor)));
    let start = ordered_sum_f64(scaled.k * LN_2_HI_f64, s.hi + s.hi);
    let total = ordered_sum_f64(start.hi, cubic.hi);
    let rest = (s.lo + s.lo) + cubic.lo + scaled.k * LN_2_LO_f64;
    return Pair_f64(total.hi, (start.lo + total.lo) + rest);
}

// The power of a positive finite number.
fn regular_pow_f64(size: f64, y: f64) -> f64 {
    let log = split_f64(ln_pair_f64(size));
    let estimate = y * (log.hi + log.lo);
    let inside = estimate > EXP_LOW_f64 && estimate < EXP_HIGH_f64;
    // Outside, the parts of the product may be out of range.
    let factor = split_f64(Pair_f64(select(0.0lf, y, inside), 0.0lf));
    let product = product_f64(factor, log);
    let exponent = ordered_sum_f64(product.hi, product.lo);
    let hi = select(estimate, exponent.hi, inside);
    return exp_scaled_f64(hi, select(0.0lf, exponent.lo, inside), 0i);
}

fn is_integer_f64(x: f64) -> bool {
    return floor(x) == x;
}

// The power of the size of x.
fn pow_of_size_f64(size: f64, y: f64) -> f64 {
    let is_zero = size_bits_f64(size) == 0lu;
    let falls = is_zero != (bits_f64(y) >= SIGN_f64);
    let edge = select(infinity_f64(), 0.0lf, falls);
    if is_zero || is_infinite_f64(size) {
        return edge;
    }
    if is_infinite_f64(y) {
        return select(infinity_f64(), 0.0lf, (size < 1.0lf) != (bits_f64(y) >= SIGN_f64));
    }
    return regular_pow_f64(size, y);
}

fn pow_f64(x: f64, y: f64) -> f64 {
    let size = abs(x);
    let exponent = abs(y);
    if size_bits_f64(y) == 0lu || bits_f64(x) == ONE_f64 {
        return 1.0lf;
    }
    if is_nan_f64(x) || is_nan_f64(y) {
        return nan_f64();
    }
    if size == 1.0lf && is_infinite_f64(y) {
        return 1.0lf;
    }
    let value = pow_of_size_f64(size, y);
    let is_negative = bits_f64(x) >= SIGN_f64;
    let integer = is_infinite_f64(y) || is_integer_f64(exponent);
    let is_finite = size_bits_f64(x) != 0lu && !is_infinite_f64(x);
    if is_negative && !integer && is_finite {
        return nan_f64();
    }
    let odd = integer && !is_infinite_f64(y) && !is_integer_f64(0.5lf * exponent);
    return select(value, -value, is_negative && odd);
}
