// Sine, cosine and tangent of f32.
//
// x = k pi / 2 + r with |r| <= pi / 4: polynomials give sine and cosine of r, and k modulo 4 says which
// is meant. Up to a limit pi / 2 is subtracted in parts whose products with k are exact; beyond, x is
// multiplied by the bits of 2 / pi that matter (Payne and Hanek), in integers.

// The lower half of a word.
const HALF_f32: u32 = 0x0000ffffu;
// The upper bit of a word.
const TOP_BIT_f32: u32 = 0x80000000u;
// The first bits of a word.
const FIRST_f32: u32 = 0xfff00000u;
// Up to here the products with k are exact.
const TRIG_LIMIT_f32: f32 = 8192.0f;
// Below, sine and tangent are x.
const TRIG_SMALL_f32: f32 = 1e-5f;
// The weight of the last bit of the upper word.
const UPPER_UNIT_f32: f32 = 2.3283064e-10f;
// The weight of the last bit of the lower word.
const LOWER_UNIT_f32: f32 = 5.421011e-20f;
// 2 / pi.
const FRAC_2_PI_f32: f32 = 0.63661975f;
// The upper bits of pi / 2.
const PI_2_1_f32: f32 = 1.5703125f;
// The next.
const PI_2_2_f32: f32 = 0.00048351288f;
// The next.
const PI_2_3_f32: f32 = 3.138557e-07f;
// The rest of pi / 2.
const PI_2_4_f32: f32 = 6.0771006e-11f;

// (sin r / r - 1) / r^2 in r^2, to 2^-35.
fn sin_series_f32(x: f32) -> f32 {
    var sum = 2.7249941e-06f;
    sum = sum * x + -0.00019840087f;
    sum = sum * x + 0.008333332f;
    return sum * x + -0.16666667f;
}

// (cos r - 1 + r^2 / 2) / r^4 in r^2, to 2^-38.
fn cos_series_f32(x: f32) -> f32 {
    var sum = -2.7300962e-07f;
    sum = sum * x + 2.48006e-05f;
    sum = sum * x + -0.0013888888f;
    return sum * x + 0.041666668f;
}

struct Angle_f32 {
    r: f32,
    // What r lacks.
    rest: f32,
    quadrant: u32,
}

fn near_angle_f32(x: f32) -> Angle_f32 {
    let k = floor(x * FRAC_2_PI_f32 + 0.5f);
    let start = (x - k * PI_2_1_f32) - k * PI_2_2_f32;
    let third = k * PI_2_3_f32;
    let r = cut_f32(start - third);
    let rest = ((start - r) - third) - k * PI_2_4_f32;
    return Angle_f32(r, rest, bitcast<u32>(i32(k)));
}

// 32 bits of 2 / pi, after a word of zeros.
fn word_of_two_over_pi_f32(index: u32) -> u32 {
    switch index {
        case 1u { return 0xa2f9836eu; }
        case 2u { return 0x4e441529u; }
        case 3u { return 0xfc2757d1u; }
        case 4u { return 0xf534ddc0u; }
        case 5u { return 0xdb629599u; }
        case 6u { return 0x3c439041u; }
        case 7u { return 0xfe5163abu; }
        default { return 0u; }
    }
}

// 32 bits of 2 / pi from a place on.
fn bits_of_two_over_pi_f32(place: u32) -> u32 {
    let word = place >> 5u;
    let shift = place & 31u;
    let low = (word_of_two_over_pi_f32(word + 1u) >> 1u) >> (31u - shift);
    return (word_of_two_over_pi_f32(word) << shift) | low;
}

// The upper half of a product.
fn multiply_high_f32(x: u32, y: u32) -> u32 {
    let low = (x & HALF_f32) * (y & HALF_f32);
    let first = (x >> 16u) * (y & HALF_f32) + (low >> 16u);
    let second = (x & HALF_f32) * (y >> 16u) + (first & HALF_f32);
    return (x >> 16u) * (y >> 16u) + (first >> 16u) + (second >> 16u);
}

fn far_angle_f32(x: f32) -> Angle_f32 {
    let size = size_bits_f32(x);
    let significand = (size & FRACTION_f32) | LEAST_f32;
    // The first bit of 2 / pi whose product with the significand is not a multiple of 4.
    let place = u32(size >> 23u) - 120u;
    let middle = bits_of_two_over_pi_f32(place + 32u);
    let carry = multiply_high_f32(significand, bits_of_two_over_pi_f32(place + 64u));
    let product = significand * middle;
    let low = product + carry;
    let carried = multiply_high_f32(significand, middle) + select(0u, 1u, low < product);
    let high = significand * bits_of_two_over_pi_f32(place) + carried;
    // The two bits above the point count quadrants; the rest is a fraction of one.
    let fraction_high = (high << 2u) | (low >> 30u);
    let fraction_low = low << 2u;
    let is_above = fraction_high >= TOP_BIT_f32;
    let quadrant = u32(high >> 30u) + select(0u, 1u, is_above);
    let rest_low = select(fraction_low, ~fraction_low + 1u, is_above);
    let carry_up = select(0u, 1u, rest_low == 0u);
    let rest_high = select(fraction_high, ~fraction_high + carry_up, is_above);
    // The product of the first bits with those of pi / 2 is exact.
    let first = f32(rest_high & FIRST_f32) * UPPER_UNIT_f32;
    let others = f32(rest_high & ~FIRST_f32) * UPPER_UNIT_f32 + f32(rest_low) * LOWER_UNIT_f32;
    let start = first * PI_2_1_f32;
    let tail = first * (PI_2_2_f32 + PI_2_3_f32) + others * FRAC_PI_2_f32;
    let r = cut_f32(start + tail);
    let rest = (start - r) + tail;
    let is_negative = x < 0.0f;
    let is_opposite = is_above != is_negative;
    return Angle_f32(
        select(r, -r, is_opposite),
        select(rest, -rest, is_opposite),
        select(quadrant, ~quadrant + 1u, is_negative),
    );
}

fn angle_f32(x: f32) -> Angle_f32 {
    if abs(x) > TRIG_LIMIT_f32 {
        return far_angle_f32(x);
    }
    return near_angle_f32(x);
}

// A number as a sum of two.
struct Sum_f32 {
    hi: f32,
    lo: f32,
}

fn sine_f32(angle: Angle_f32) -> Sum_f32 {
    let square = angle.r * angle.r;
    let tail = angle.r * (square * sin_series_f32(square));
    return Sum_f32(angle.r, tail + angle.rest * (1.0f - 0.5f * square));
}

fn cosine_f32(angle: Angle_f32) -> Sum_f32 {
    let square = angle.r * angle.r;
    let half = 0.5f * square;
    let hi = cut_f32(1.0f - half);
    let tail = square * (square * cos_series_f32(square)) - angle.r * angle.rest;
    return Sum_f32(hi, ((1.0f - hi) - half) + tail);
}

// The sine of an angle; of one with a quadrant more it is the cosine.
fn sine_of_angle_f32(angle: Angle_f32, turns: u32) -> f32 {
    let quadrant = angle.quadrant + turns;
    let sine = sine_f32(angle);
    let cosine = cosine_f32(angle);
    let value = select(sine.hi + sine.lo, cosine.hi + cosine.lo, (quadrant & 1u) == 1u);
    return select(value, -value, (quadrant & 2u) == 2u);
}

fn sin_f32(x: f32) -> f32 {
    let value = sine_of_angle_f32(angle_f32(x), 0u);
    let edge = select(value, x, abs(x) < TRIG_SMALL_f32);
    return select(edge, nan_f32(), size_bits_f32(x) >= INF_f32);
}

fn cos_f32(x: f32) -> f32 {
    let value = sine_of_angle_f32(angle_f32(x), 1u);
    return select(value, nan_f32(), size_bits_f32(x) >= INF_f32);
}

fn tan_f32(x: f32) -> f32 {
    let angle = angle_f32(x);
    let sines = sine_f32(angle);
    let cosines = cosine_f32(angle);
    let sine = sines.hi + sines.lo;
    let cosine = cosines.hi + cosines.lo;
    let is_odd = (angle.quadrant & 1u) == 1u;
    let value = select(sine, -cosine, is_odd) / select(cosine, sine, is_odd);
    let edge = select(value, x, abs(x) < TRIG_SMALL_f32);
    return select(edge, nan_f32(), size_bits_f32(x) >= INF_f32);
}
