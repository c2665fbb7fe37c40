// 0. Each Invocation; parameters [First, End, Symbol(s0)]
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

// The exponential function of f32 and its like.
//
// x = k ln 2 + r with |r| <= ln 2 / 2; a polynomial gives the exponential of r.

// 1 / ln 2.
const LOG2_E_f32: f32 = 1.442695f;
// Above, the exponential less 1 is infinite.
const EXP_M1_HIGH_f32: f32 = 89.0f;
// Below, the functions that are 0 at 0 are x.
const EXP_SMALL_f32: f32 = 1e-8f;

// (exp r - 1 - r) / r^2 in r, to 2^-29.
fn exp_series_f32(x: f32) -> f32 {
    var sum = 0.00019907704f;
    sum = sum * x + 0.0013933736f;
    sum = sum * x + 0.008333286f;
    sum = sum * x + 0.041666463f;
    sum = sum * x + 0.16666667f;
    return sum * x + 0.5f;
}

struct Exp_f32 {
    k: i32,
    r: f32,
    tail: f32,
}

// k, r, and the exponential less 1 + r of what r stands for, for x + lo, where lo is far smaller.
fn exp_parts_f32(x: f32, lo: f32) -> Exp_f32 {
    let k = floor(x * LOG2_E_f32 + 0.5f);
    let high = x - k * LN_2_HI_f32;
    let low = k * LN_2_LO_f32 - lo;
    let r = cut_f32(high - low);
    let rest = (high - r) - low;
    let square = r * r;
    let tail = square * exp_series_f32(r);
    return Exp_f32(i32(k), r, tail + rest);
}

// The exponential of x + lo, times 2 to the power of shift.
fn exp_scaled_f32(x: f32, lo: f32, shift: i32) -> f32 {
    let parts = exp_parts_f32(clamp_f32(x, EXP_LOW_f32, EXP_HIGH_f32), lo);
    // The power of two may be out of range while the result is not: it is multiplied by in two halves.
    let k = parts.k + shift;
    let half = k >> 1u;
    let fraction = 1.0f + (parts.r + parts.tail);
    return fraction * power_of_two_f32(half) * power_of_two_f32(k - half);
}

fn exp_f32(x: f32) -> f32 {
    return select(exp_scaled_f32(x, 0.0f, 0i), x, is_nan_f32(x));
}

fn exp_m1_f32(x: f32) -> f32 {
    let parts = exp_parts_f32(clamp_f32(x, -40.0f, EXP_M1_HIGH_f32), 0.0f);
    // Half the result, because the power of two may be out of range while the result is not.
    let scale = power_of_two_f32(parts.k - 1i);
    let half = ((scale - 0.5f) + scale * parts.r) + scale * parts.tail;
    let value = select(half + half, parts.r + parts.tail, parts.k == 0i);
    return select(value, x, abs(x) < EXP_SMALL_f32 || is_nan_f32(x));
}

fn sinh_f32(x: f32) -> f32 {
    let size = abs(x);
    let rest = exp_m1_f32(size);
    let near = 0.5f * (rest + rest / (rest + 1.0f));
    let value = select(near, exp_scaled_f32(size, 0.0f, -1i), size > 40.0f);
    return select(with_sign_f32(value, x), x, is_nan_f32(x));
}

fn cosh_f32(x: f32) -> f32 {
    let half = exp_scaled_f32(abs(x), 0.0f, -1i);
    return select(half + 0.25f / half, x, is_nan_f32(x));
}

fn tanh_f32(x: f32) -> f32 {
    let size = clamp_f32(abs(x), 0.0f, 22.0f);
    let rest = exp_m1_f32(size + size);
    let numerator = select(-2.0f, rest, size < 0.55f);
    let quotient = numerator / (rest + 2.0f);
    let value = select(1.0f + quotient, quotient, size < 0.55f);
    return select(with_sign_f32(value, x), x, abs(x) < EXP_SMALL_f32 || is_nan_f32(x));
}
@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, 1>;
@group(0) @binding(1) var<storage, read> a0: array<f32>;
@group(0) @binding(2) var<storage, read_write> a1: array<f32>;
fn read_a0(at: u32) -> f32 { return a0[at]; }
fn write_a1(at: u32, value: f32) { a1[at] = value; }

@compute @workgroup_size(64)
fn main(@builtin(num_workgroups) groups: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    for (var number = id.x; number < parameters[0].y - parameters[0].x; number += groups.x * 64u) {
    let point = parameters[0].x + number;
    var rest0 = point;
    let c0 = i32(rest0);
    let v0 = c0;
    let v1 = read_a0(u32(v0));
    let v2 = tanh_f32(v1);
    write_a1(point, v2);
    }
}

