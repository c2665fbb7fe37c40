// Powers of F.
//
// The exponential of y ln x, where logarithm and product are sums of two numbers, because the product
// needs more bits than one has. The special cases are those of IEEE 754.

// The bits of 1.
const ONE_F: U = $(0x3f800000|0x3ff0000000000000)U;
// 2 / 3, the first coefficient of the series of 2 artanh s.
const TWO_THIRDS_F: F = $(0.6666667|0.6666666666666666)F;
// What that lacks of 2 / 3.
const TWO_THIRDS_LO_F: F = $(-1.9868216e-08|3.700743415417188e-17)F;

// ((2 artanh s / s - 2) / s^2 - 2 / 3) / s^2 in s^2, to 2^$(-37|-51).
polynomial pow_ln_series_F
    -               0.1291587834639015
    -               0.13285765805968022
    -               0.15385580877426505
    0.19365472      0.18181808158771623
    0.22191244      0.2222222227168678
    0.28571758      0.28571428571337104
    0.39999998      0.4000000000000003

struct Pair_F {
    hi: F,
    lo: F,
}

// x + y, where |x| >= |y|.
fn ordered_sum_F(x: F, y: F) -> Pair_F {
    let hi = cut_F(x + y);
    return Pair_F(hi, (x - hi) + y);
}

// The same sum with half the bits in hi, so that a product of two such is exact.
fn split_F(x: Pair_F) -> Pair_F {
    let hi = top_F(x.hi + x.lo);
    return Pair_F(hi, (x.hi - hi) + x.lo);
}

// The product of two split pairs. It is not split.
fn product_F(x: Pair_F, y: Pair_F) -> Pair_F {
    return Pair_F(x.hi * y.hi, x.hi * y.lo + x.lo * (y.hi + y.lo));
}

// The quotient of a number and a pair, split.
fn quotient_F(x: F, y: Pair_F) -> Pair_F {
    let inverse = 1.0F / y.hi;
    let hi = top_F(x * inverse);
    let divisor_hi = top_F(y.hi);
    let divisor_lo = (y.hi - divisor_hi) + y.lo;
    return Pair_F(hi, ((x - hi * divisor_hi) - hi * divisor_lo) * inverse);
}

// The logarithm of a positive finite number.
fn ln_pair_F(x: F) -> Pair_F {
    let scaled = scaled_F(x);
    let s = quotient_F(scaled.m - 1.0F, ordered_sum_F(1.0F, scaled.m));
    let square = split_F(product_F(s, s));
    let argument = square.hi + square.lo;
    let sum = ordered_sum_F(TWO_THIRDS_F, argument * pow_ln_series_F(argument));
    let factor = split_F(Pair_F(sum.hi, sum.lo + TWO_THIRDS_LO_F));
    let cubic = product_F(s, split_F(product_F(square, factor)));
    let start = ordered_sum_F(scaled.k * LN_2_HI_F, s.hi + s.hi);
    let total = ordered_sum_F(start.hi, cubic.hi);
    let rest = (s.lo + s.lo) + cubic.lo + scaled.k * LN_2_LO_F;
    return Pair_F(total.hi, (start.lo + total.lo) + rest);
}

// The power of a positive finite number.
fn regular_pow_F(size: F, y: F) -> F {
    let log = split_F(ln_pair_F(size));
    let estimate = y * (log.hi + log.lo);
    let inside = estimate > EXP_LOW_F && estimate < EXP_HIGH_F;
    // Outside, the parts of the product may be out of range.
    let factor = split_F(Pair_F(select(0.0F, y, inside), 0.0F));
    let product = product_F(factor, log);
    let exponent = ordered_sum_F(product.hi, product.lo);
    let hi = select(estimate, exponent.hi, inside);
    return exp_scaled_F(hi, select(0.0F, exponent.lo, inside), 0i);
}

fn is_integer_F(x: F) -> bool {
    return floor(x) == x;
}

// The power of the size of x.
fn pow_of_size_F(size: F, y: F) -> F {
    let is_zero = size_bits_F(size) == 0U;
    let falls = is_zero != (bits_F(y) >= SIGN_F);
    let edge = select(infinity_F(), 0.0F, falls);
    if is_zero || is_infinite_F(size) {
        return edge;
    }
    if is_infinite_F(y) {
        return select(infinity_F(), 0.0F, (size < 1.0F) != (bits_F(y) >= SIGN_F));
    }
    return regular_pow_F(size, y);
}

fn pow_F(x: F, y: F) -> F {
    let size = abs(x);
    let exponent = abs(y);
    if size_bits_F(y) == 0U || bits_F(x) == ONE_F {
        return 1.0F;
    }
    if is_nan_F(x) || is_nan_F(y) {
        return nan_F();
    }
    if size == 1.0F && is_infinite_F(y) {
        return 1.0F;
    }
    let value = pow_of_size_F(size, y);
    let is_negative = bits_F(x) >= SIGN_F;
    let integer = is_infinite_F(y) || is_integer_F(exponent);
    let is_finite = size_bits_F(x) != 0U && !is_infinite_F(x);
    if is_negative && !integer && is_finite {
        return nan_F();
    }
    let odd = integer && !is_infinite_F(y) && !is_integer_F(0.5F * exponent);
    return select(value, -value, is_negative && odd);
}
