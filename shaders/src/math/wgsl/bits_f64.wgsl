// The bits of f64 numbers, and what can only be told by them: compilers of shaders may assume that
// there are no NaNs, and some flush subnormal numbers to zero.
// Also what several families need.

// All bits but the sign.
const ABS_f64: u64 = 0x7ffffffffffffffflu;
// The bits of infinity.
const INF_f64: u64 = 0x7ff0000000000000lu;
// The bits of a NaN.
const NAN_f64: u64 = 0x7ff8000000000000lu;
// The bit of the sign.
const SIGN_f64: u64 = 0x8000000000000000lu;
// All bits but the last.
const CUT_f64: u64 = 0xfffffffffffffffelu;
// The upper half of the significand, and what is above.
const TOP_f64: u64 = 0xfffffffff8000000lu;
// The bits of the least number that is not subnormal.
const LEAST_f64: u64 = 0x0010000000000000lu;
// The bits of the fraction.
const FRACTION_f64: u64 = 0x000ffffffffffffflu;
// ln 2, short enough that its product with an exponent is exact.
const LN_2_HI_f64: f64 = 0.6931471805598903lf;
// The rest of ln 2.
const LN_2_LO_f64: f64 = 5.497923018708371e-14lf;
// Below, the exponential is 0.
const EXP_LOW_f64: f64 = -750.0lf;
// Above, the exponential is infinite.
const EXP_HIGH_f64: f64 = 711.0lf;
// pi / 2.
const FRAC_PI_2_f64: f64 = 1.5707963267948966lf;

fn bits_f64(x: f64) -> u64 {
    return bitcast<u64>(x);
}

fn size_bits_f64(x: f64) -> u64 {
    return bitcast<u64>(x) & ABS_f64;
}

fn is_nan_f64(x: f64) -> bool {
    return size_bits_f64(x) > INF_f64;
}

fn is_infinite_f64(x: f64) -> bool {
    return size_bits_f64(x) == INF_f64;
}

// The language evaluates constants when it parses them, and has none that are not finite.
fn infinity_f64() -> f64 {
    var bits = INF_f64;
    return bitcast<f64>(bits);
}

fn nan_f64() -> f64 {
    var bits = NAN_f64;
    return bitcast<f64>(bits);
}

// The size of x with the sign of y.
fn with_sign_f64(x: f64, y: f64) -> f64 {
    return bitcast<f64>(size_bits_f64(x) | (bitcast<u64>(y) & SIGN_f64));
}

// 2 to the power of k, for the exponents of normal numbers.
fn power_of_two_f64(k: i32) -> f64 {
    return bitcast<f64>(u64(bitcast<u32>(k + 1023)) << 52u);
}

// x, or the limit that it is beyond.
fn clamp_f64(x: f64, low: f64, high: f64) -> f64 {
    let below = select(x, high, x > high);
    return select(below, low, below < low);
}

// x without its last bit. No compiler sees through this, so none simplifies (x + y) - x.
fn cut_f64(x: f64) -> f64 {
    return bitcast<f64>(bitcast<u64>(x) & CUT_f64);
}

// The upper half of the bits of x.
fn top_f64(x: f64) -> f64 {
    return bitcast<f64>(bitcast<u64>(x) & TOP_f64);
}
