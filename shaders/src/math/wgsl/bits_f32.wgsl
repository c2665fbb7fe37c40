// The bits of f32 numbers, and what can only be told by them: compilers of shaders may assume that
// there are no NaNs, and some flush subnormal numbers to zero.
// Also what several families need.

// All bits but the sign.
const ABS_f32: u32 = 0x7fffffffu;
// The bits of infinity.
const INF_f32: u32 = 0x7f800000u;
// The bits of a NaN.
const NAN_f32: u32 = 0x7fc00000u;
// The bit of the sign.
const SIGN_f32: u32 = 0x80000000u;
// All bits but the last.
const CUT_f32: u32 = 0xfffffffeu;
// The upper half of the significand, and what is above.
const TOP_f32: u32 = 0xfffff000u;
// The bits of the least number that is not subnormal.
const LEAST_f32: u32 = 0x00800000u;
// The bits of the fraction.
const FRACTION_f32: u32 = 0x007fffffu;
// ln 2, short enough that its product with an exponent is exact.
const LN_2_HI_f32: f32 = 0.69314575f;
// The rest of ln 2.
const LN_2_LO_f32: f32 = 1.4286068e-06f;
// Below, the exponential is 0.
const EXP_LOW_f32: f32 = -105.0f;
// Above, the exponential is infinite.
const EXP_HIGH_f32: f32 = 90.0f;
// pi / 2.
const FRAC_PI_2_f32: f32 = 1.5707964f;

fn bits_f32(x: f32) -> u32 {
    return bitcast<u32>(x);
}

fn size_bits_f32(x: f32) -> u32 {
    return bitcast<u32>(x) & ABS_f32;
}

fn is_nan_f32(x: f32) -> bool {
    return size_bits_f32(x) > INF_f32;
}

fn is_infinite_f32(x: f32) -> bool {
    return size_bits_f32(x) == INF_f32;
}

// The language evaluates constants when it parses them, and has none that are not finite.
fn infinity_f32() -> f32 {
    var bits = INF_f32;
    return bitcast<f32>(bits);
}

fn nan_f32() -> f32 {
    var bits = NAN_f32;
    return bitcast<f32>(bits);
}

// The size of x with the sign of y.
fn with_sign_f32(x: f32, y: f32) -> f32 {
    return bitcast<f32>(size_bits_f32(x) | (bitcast<u32>(y) & SIGN_f32));
}

// 2 to the power of k, for the exponents of normal numbers.
fn power_of_two_f32(k: i32) -> f32 {
    return bitcast<f32>(u32(bitcast<u32>(k + 127)) << 23u);
}

// x, or the limit that it is beyond.
fn clamp_f32(x: f32, low: f32, high: f32) -> f32 {
    let below = select(x, high, x > high);
    return select(below, low, below < low);
}

// x without its last bit. No compiler sees through this, so none simplifies (x + y) - x.
fn cut_f32(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & CUT_f32);
}

// The upper half of the bits of x.
fn top_f32(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & TOP_f32);
}
