// The bits of F numbers, and what can only be told by them: compilers of shaders may assume that
// there are no NaNs, and some flush subnormal numbers to zero.
// Also what several families need.

// All bits but the sign.
const ABS_F: U = $(0x7fffffff|0x7fffffffffffffff)U;
// The bits of infinity.
const INF_F: U = $(0x7f800000|0x7ff0000000000000)U;
// The bits of a NaN.
const NAN_F: U = $(0x7fc00000|0x7ff8000000000000)U;
// The bit of the sign.
const SIGN_F: U = $(0x80000000|0x8000000000000000)U;
// All bits but the last.
const CUT_F: U = $(0xfffffffe|0xfffffffffffffffe)U;
// The upper half of the significand, and what is above.
const TOP_F: U = $(0xfffff000|0xfffffffff8000000)U;
// The bits of the least number that is not subnormal.
const LEAST_F: U = $(0x00800000|0x0010000000000000)U;
// The bits of the fraction.
const FRACTION_F: U = $(0x007fffff|0x000fffffffffffff)U;
// ln 2, short enough that its product with an exponent is exact.
const LN_2_HI_F: F = $(0.69314575|0.6931471805598903)F;
// The rest of ln 2.
const LN_2_LO_F: F = $(1.4286068e-06|5.497923018708371e-14)F;
// Below, the exponential is 0.
const EXP_LOW_F: F = $(-105.0|-750.0)F;
// Above, the exponential is infinite.
const EXP_HIGH_F: F = $(90.0|711.0)F;
// pi / 2.
const FRAC_PI_2_F: F = $(1.5707964|1.5707963267948966)F;

fn bits_F(x: F) -> U {
    return bitcast<U>(x);
}

fn size_bits_F(x: F) -> U {
    return bitcast<U>(x) & ABS_F;
}

fn is_nan_F(x: F) -> bool {
    return size_bits_F(x) > INF_F;
}

fn is_infinite_F(x: F) -> bool {
    return size_bits_F(x) == INF_F;
}

// The language evaluates constants when it parses them, and has none that are not finite.
fn infinity_F() -> F {
    var bits = INF_F;
    return bitcast<F>(bits);
}

fn nan_F() -> F {
    var bits = NAN_F;
    return bitcast<F>(bits);
}

// The size of x with the sign of y.
fn with_sign_F(x: F, y: F) -> F {
    return bitcast<F>(size_bits_F(x) | (bitcast<U>(y) & SIGN_F));
}

// 2 to the power of k, for the exponents of normal numbers.
fn power_of_two_F(k: i32) -> F {
    return bitcast<F>(U(bitcast<u32>(k + $(127|1023))) << $(23|52)u);
}

// x, or the limit that it is beyond.
fn clamp_F(x: F, low: F, high: F) -> F {
    let below = select(x, high, x > high);
    return select(below, low, below < low);
}

// x without its last bit. No compiler sees through this, so none simplifies (x + y) - x.
fn cut_F(x: F) -> F {
    return bitcast<F>(bitcast<U>(x) & CUT_F);
}

// The upper half of the bits of x.
fn top_F(x: F) -> F {
    return bitcast<F>(bitcast<U>(x) & TOP_F);
}
