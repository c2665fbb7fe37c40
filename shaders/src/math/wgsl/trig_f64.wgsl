// Sine, cosine and tangent of f64.
//
// x = k pi / 2 + r with |r| <= pi / 4: polynomials give sine and cosine of r, and k modulo 4 says which
// is meant. Up to a limit pi / 2 is subtracted in parts whose products with k are exact; beyond, x is
// multiplied by the bits of 2 / pi that matter (Payne and Hanek), in integers.

// The lower half of a word.
const HALF_f64: u64 = 0x00000000fffffffflu;
// The upper bit of a word.
const TOP_BIT_f64: u64 = 0x8000000000000000lu;
// The first bits of a word.
const FIRST_f64: u64 = 0xfffff00000000000lu;
// Up to here the products with k are exact.
const TRIG_LIMIT_f64: f64 = 1048576.0lf;
// Below, sine and tangent are x.
const TRIG_SMALL_f64: f64 = 1e-9lf;
// The weight of the last bit of the upper word.
const UPPER_UNIT_f64: f64 = 5.421010862427522e-20lf;
// The weight of the last bit of the lower word.
const LOWER_UNIT_f64: f64 = 2.938735877055719e-39lf;
// 2 / pi.
const FRAC_2_PI_f64: f64 = 0.6366197723675814lf;
// The upper bits of pi / 2.
const PI_2_1_f64: f64 = 1.5707963267341256lf;
// The next.
const PI_2_2_f64: f64 = 6.077100506303966e-11lf;
// The next.
const PI_2_3_f64: f64 = 2.0222662487111665e-21lf;
// The rest of pi / 2.
const PI_2_4_f64: f64 = 8.4784276603689e-32lf;

// (sin r / r - 1) / r^2 in r^2, to 2^-55.
fn sin_series_f64(x: f64) -> f64 {
    var sum = 1.591811451157248e-10lf;
    sum = sum * x + -2.505113166029247e-08lf;
    sum = sum * x + 2.755731610178906e-06lf;
    sum = sum * x + -0.00019841269836757408lf;
    sum = sum * x + 0.008333333333330948lf;
    return sum * x + -0.16666666666666666lf;
}

// (cos r - 1 + r^2 / 2) / r^4 in r^2, to 2^-59.
fn cos_series_f64(x: f64) -> f64 {
    var sum = -1.1382622252384216e-11lf;
    sum = sum * x + 2.087614613858505e-09lf;
    sum = sum * x + -2.7557317271175225e-07lf;
    sum = sum * x + 2.4801587298764788e-05lf;
    sum = sum * x + -0.0013888888888887398lf;
    return sum * x + 0.041666666666666664lf;
}

struct Angle_f64 {
    r: f64,
    // What r lacks.
    rest: f64,
    quadrant: u32,
}

fn near_angle_f64(x: f64) -> Angle_f64 {
    let k = floor(x * FRAC_2_PI_f64 + 0.5lf);
    let start = (x - k * PI_2_1_f64) - k * PI_2_2_f64;
    let third = k * PI_2_3_f64;
    let r = cut_f64(start - third);
    let rest = ((start - r) - third) - k * PI_2_4_f64;
    return Angle_f64(r, rest, bitcast<u32>(i32(k)));
}

// 64 bits of 2 / pi, after a word of zeros.
fn word_of_two_over_pi_f64(index: u32) -> u64 {
    switch index {
        case 1u { return 0xa2f9836e4e441529lu; }
        case 2u { return 0xfc2757d1f534ddc0lu; }
        case 3u { return 0xdb6295993c439041lu; }
        case 4u { return 0xfe5163abdebbc561lu; }
        case 5u { return 0xb7246e3a424dd2e0lu; }
        case 6u { return 0x06492eea09d1921clu; }
        case 7u { return 0xfe1deb1cb129a73elu; }
        case 8u { return 0xe88235f52ebb4484lu; }
        case 9u { return 0xe99c7026b45f7e41lu; }
        case 10u { return 0x3991d639835339f4lu; }
        case 11u { return 0x9c845f8bbdf9283blu; }
        case 12u { return 0x1ff897ffde05980flu; }
        case 13u { return 0xef2f118b5a0a6d1flu; }
        case 14u { return 0x6d367ecf27cb09b7lu; }
        case 15u { return 0x4f463f669e5fea2dlu; }
        case 16u { return 0x7527bac7ebe5f17blu; }
        case 17u { return 0x3d0739f78a5292ealu; }
        case 18u { return 0x6bfb5fb11f8d5d08lu; }
        case 19u { return 0x56033046fc7b6bablu; }
        case 20u { return 0xf0cfbc209af4361dlu; }
        default { return 0lu; }
    }
}

// 64 bits of 2 / pi from a place on.
fn bits_of_two_over_pi_f64(place: u32) -> u64 {
    let word = place >> 6u;
    let shift = place & 63u;
    let low = (word_of_two_over_pi_f64(word + 1u) >> 1u) >> (63u - shift);
    return (word_of_two_over_pi_f64(word) << shift) | low;
}

// The upper half of a product.
fn multiply_high_f64(x: u64, y: u64) -> u64 {
    let low = (x & HALF_f64) * (y & HALF_f64);
    let first = (x >> 32u) * (y & HALF_f64) + (low >> 32u);
    let second = (x & HALF_f64) * (y >> 32u) + (first & HALF_f64);
    return (x >> 32u) * (y >> 32u) + (first >> 32u) + (second >> 32u);
}

fn far_angle_f64(x: f64) -> Angle_f64 {
    let size = size_bits_f64(x);
    let significand = (size & FRACTION_f64) | LEAST_f64;
    // The first bit of 2 / pi whose product with the significand is not a multiple of 4.
    let place = u32(size >> 52u) - 1013u;
    let middle = bits_of_two_over_pi_f64(place + 64u);
    let carry = multiply_high_f64(significand, bits_of_two_over_pi_f64(place + 128u));
    let product = significand * middle;
    let low = product + carry;
    let carried = multiply_high_f64(significand, middle) + select(0lu, 1lu, low < product);
    let high = significand * bits_of_two_over_pi_f64(place) + carried;
    // The two bits above the point count quadrants; the rest is a fraction of one.
    let fraction_high = (high << 2u) | (low >> 62u);
    let fraction_low = low << 2u;
    let is_above = fraction_high >= TOP_BIT_f64;
    let quadrant = u32(high >> 62u) + select(0u, 1u, is_above);
    let rest_low = select(fraction_low, ~fraction_low + 1lu, is_above);
    let carry_up = select(0lu, 1lu, rest_low == 0lu);
    let rest_high = select(fraction_high, ~fraction_high + carry_up, is_above);
    // The product of the first bits with those of pi / 2 is exact.
    let first = f64(rest_high & FIRST_f64) * UPPER_UNIT_f64;
    let others = f64(rest_high & ~FIRST_f64) * UPPER_UNIT_f64 + f64(rest_low) * LOWER_UNIT_f64;
    let start = first * PI_2_1_f64;
    let tail = first * (PI_2_2_f64 + PI_2_3_f64) + others * FRAC_PI_2_f64;
    let r = cut_f64(start + tail);
    let rest = (start - r) + tail;
    let is_negative = x < 0.0lf;
    let is_opposite = is_above != is_negative;
    return Angle_f64(
        select(r, -r, is_opposite),
        select(rest, -rest, is_opposite),
        select(quadrant, ~quadrant + 1u, is_negative),
    );
}

fn angle_f64(x: f64) -> Angle_f64 {
    if abs(x) > TRIG_LIMIT_f64 {
        return far_angle_f64(x);
    }
    return near_angle_f64(x);
}

// A number as a sum of two.
struct Sum_f64 {
    hi: f64,
    lo: f64,
}

fn sine_f64(angle: Angle_f64) -> Sum_f64 {
    let square = angle.r * angle.r;
    let tail = angle.r * (square * sin_series_f64(square));
    return Sum_f64(angle.r, tail + angle.rest * (1.0lf - 0.5lf * square));
}

fn cosine_f64(angle: Angle_f64) -> Sum_f64 {
    let square = angle.r * angle.r;
    let half = 0.5lf * square;
    let hi = cut_f64(1.0lf - half);
    let tail = square * (square * cos_series_f64(square)) - angle.r * angle.rest;
    return Sum_f64(hi, ((1.0lf - hi) - half) + tail);
}

// The sine of an angle; of one with a quadrant more it is the cosine.
fn sine_of_angle_f64(angle: Angle_f64, turns: u32) -> f64 {
    let quadrant = angle.quadrant + turns;
    let sine = sine_f64(angle);
    let cosine = cosine_f64(angle);
    let value = select(sine.hi + sine.lo, cosine.hi + cosine.lo, (quadrant & 1u) == 1u);
    return select(value, -value, (quadrant & 2u) == 2u);
}

fn sin_f64(x: f64) -> f64 {
    let value = sine_of_angle_f64(angle_f64(x), 0u);
    let edge = select(value, x, abs(x) < TRIG_SMALL_f64);
    return select(edge, nan_f64(), size_bits_f64(x) >= INF_f64);
}

fn cos_f64(x: f64) -> f64 {
    let value = sine_of_angle_f64(angle_f64(x), 1u);
    return select(value, nan_f64(), size_bits_f64(x) >= INF_f64);
}

fn tan_f64(x: f64) -> f64 {
    let angle = angle_f64(x);
    let sines = sine_f64(angle);
    let cosines = cosine_f64(angle);
    let sine = sines.hi + sines.lo;
    let cosine = cosines.hi + cosines.lo;
    let is_odd = (angle.quadrant & 1u) == 1u;
    let value = select(sine, -cosine, is_odd) / select(cosine, sine, is_odd);
    let edge = select(value, x, abs(x) < TRIG_SMALL_f64);
    return select(edge, nan_f64(), size_bits_f64(x) >= INF_f64);
}
