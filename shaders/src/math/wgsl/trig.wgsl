// Sine, cosine and tangent of F.
//
// x = k pi / 2 + r with |r| <= pi / 4: polynomials give sine and cosine of r, and k modulo 4 says which
// is meant. Up to a limit pi / 2 is subtracted in parts whose products with k are exact; beyond, x is
// multiplied by the bits of 2 / pi that matter (Payne and Hanek), in integers.

// The lower half of a word.
const HALF_F: U = $(0x0000ffff|0x00000000ffffffff)U;
// The upper bit of a word.
const TOP_BIT_F: U = $(0x80000000|0x8000000000000000)U;
// The first bits of a word.
const FIRST_F: U = $(0xfff00000|0xfffff00000000000)U;
// Up to here the products with k are exact.
const TRIG_LIMIT_F: F = $(8192.0|1048576.0)F;
// Below, sine and tangent are x.
const TRIG_SMALL_F: F = $(1e-5|1e-9)F;
// The weight of the last bit of the upper word.
const UPPER_UNIT_F: F = $(2.3283064e-10|5.421010862427522e-20)F;
// The weight of the last bit of the lower word.
const LOWER_UNIT_F: F = $(5.421011e-20|2.938735877055719e-39)F;
// 2 / pi.
const FRAC_2_PI_F: F = $(0.63661975|0.6366197723675814)F;
// The upper bits of pi / 2.
const PI_2_1_F: F = $(1.5703125|1.5707963267341256)F;
// The next.
const PI_2_2_F: F = $(0.00048351288|6.077100506303966e-11)F;
// The next.
const PI_2_3_F: F = $(3.138557e-07|2.0222662487111665e-21)F;
// The rest of pi / 2.
const PI_2_4_F: F = $(6.0771006e-11|8.4784276603689e-32)F;

// (sin r / r - 1) / r^2 in r^2, to 2^$(-35|-55).
polynomial sin_series_F
    -               1.591811451157248e-10
    -               -2.505113166029247e-08
    2.7249941e-06   2.755731610178906e-06
    -0.00019840087  -0.00019841269836757408
    0.008333332     0.008333333333330948
    -0.16666667     -0.16666666666666666

// (cos r - 1 + r^2 / 2) / r^4 in r^2, to 2^$(-38|-59).
polynomial cos_series_F
    -               -1.1382622252384216e-11
    -               2.087614613858505e-09
    -2.7300962e-07  -2.7557317271175225e-07
    2.48006e-05     2.4801587298764788e-05
    -0.0013888888   -0.0013888888888887398
    0.041666668     0.041666666666666664

struct Angle_F {
    r: F,
    // What r lacks.
    rest: F,
    quadrant: u32,
}

fn near_angle_F(x: F) -> Angle_F {
    let k = floor(x * FRAC_2_PI_F + 0.5F);
    let start = (x - k * PI_2_1_F) - k * PI_2_2_F;
    let third = k * PI_2_3_F;
    let r = cut_F(start - third);
    let rest = ((start - r) - third) - k * PI_2_4_F;
    return Angle_F(r, rest, bitcast<u32>(i32(k)));
}

// $(32|64) bits of 2 / pi, after a word of zeros.
fn word_of_two_over_pi_F(index: u32) -> U {
    switch index {
        case 1u { return $(0xa2f9836e|0xa2f9836e4e441529)U; }
        case 2u { return $(0x4e441529|0xfc2757d1f534ddc0)U; }
        case 3u { return $(0xfc2757d1|0xdb6295993c439041)U; }
        case 4u { return $(0xf534ddc0|0xfe5163abdebbc561)U; }
        case 5u { return $(0xdb629599|0xb7246e3a424dd2e0)U; }
        case 6u { return $(0x3c439041|0x06492eea09d1921c)U; }
        case 7u { return $(0xfe5163ab|0xfe1deb1cb129a73e)U; }
f64:        case 8u { return 0xe88235f52ebb4484U; }
f64:        case 9u { return 0xe99c7026b45f7e41U; }
f64:        case 10u { return 0x3991d639835339f4U; }
f64:        case 11u { return 0x9c845f8bbdf9283bU; }
f64:        case 12u { return 0x1ff897ffde05980fU; }
f64:        case 13u { return 0xef2f118b5a0a6d1fU; }
f64:        case 14u { return 0x6d367ecf27cb09b7U; }
f64:        case 15u { return 0x4f463f669e5fea2dU; }
f64:        case 16u { return 0x7527bac7ebe5f17bU; }
f64:        case 17u { return 0x3d0739f78a5292eaU; }
f64:        case 18u { return 0x6bfb5fb11f8d5d08U; }
f64:        case 19u { return 0x56033046fc7b6babU; }
f64:        case 20u { return 0xf0cfbc209af4361dU; }
        default { return 0U; }
    }
}

// $(32|64) bits of 2 / pi from a place on.
fn bits_of_two_over_pi_F(place: u32) -> U {
    let word = place >> $(5|6)u;
    let shift = place & $(31|63)u;
    let low = (word_of_two_over_pi_F(word + 1u) >> 1u) >> ($(31|63)u - shift);
    return (word_of_two_over_pi_F(word) << shift) | low;
}

// The upper half of a product.
fn multiply_high_F(x: U, y: U) -> U {
    let low = (x & HALF_F) * (y & HALF_F);
    let first = (x >> $(16|32)u) * (y & HALF_F) + (low >> $(16|32)u);
    let second = (x & HALF_F) * (y >> $(16|32)u) + (first & HALF_F);
    return (x >> $(16|32)u) * (y >> $(16|32)u) + (first >> $(16|32)u) + (second >> $(16|32)u);
}

fn far_angle_F(x: F) -> Angle_F {
    let size = size_bits_F(x);
    let significand = (size & FRACTION_F) | LEAST_F;
    // The first bit of 2 / pi whose product with the significand is not a multiple of 4.
    let place = u32(size >> $(23|52)u) - $(120|1013)u;
    let middle = bits_of_two_over_pi_F(place + $(32|64)u);
    let carry = multiply_high_F(significand, bits_of_two_over_pi_F(place + $(64|128)u));
    let product = significand * middle;
    let low = product + carry;
    let carried = multiply_high_F(significand, middle) + select(0U, 1U, low < product);
    let high = significand * bits_of_two_over_pi_F(place) + carried;
    // The two bits above the point count quadrants; the rest is a fraction of one.
    let fraction_high = (high << 2u) | (low >> $(30|62)u);
    let fraction_low = low << 2u;
    let is_above = fraction_high >= TOP_BIT_F;
    let quadrant = u32(high >> $(30|62)u) + select(0u, 1u, is_above);
    let rest_low = select(fraction_low, ~fraction_low + 1U, is_above);
    let carry_up = select(0U, 1U, rest_low == 0U);
    let rest_high = select(fraction_high, ~fraction_high + carry_up, is_above);
    // The product of the first bits with those of pi / 2 is exact.
    let first = F(rest_high & FIRST_F) * UPPER_UNIT_F;
    let others = F(rest_high & ~FIRST_F) * UPPER_UNIT_F + F(rest_low) * LOWER_UNIT_F;
    let start = first * PI_2_1_F;
    let tail = first * (PI_2_2_F + PI_2_3_F) + others * FRAC_PI_2_F;
    let r = cut_F(start + tail);
    let rest = (start - r) + tail;
    let is_negative = x < 0.0F;
    let is_opposite = is_above != is_negative;
    return Angle_F(
        select(r, -r, is_opposite),
        select(rest, -rest, is_opposite),
        select(quadrant, ~quadrant + 1u, is_negative),
    );
}

fn angle_F(x: F) -> Angle_F {
    if abs(x) > TRIG_LIMIT_F {
        return far_angle_F(x);
    }
    return near_angle_F(x);
}

// A number as a sum of two.
struct Sum_F {
    hi: F,
    lo: F,
}

fn sine_F(angle: Angle_F) -> Sum_F {
    let square = angle.r * angle.r;
    let tail = angle.r * (square * sin_series_F(square));
    return Sum_F(angle.r, tail + angle.rest * (1.0F - 0.5F * square));
}

fn cosine_F(angle: Angle_F) -> Sum_F {
    let square = angle.r * angle.r;
    let half = 0.5F * square;
    let hi = cut_F(1.0F - half);
    let tail = square * (square * cos_series_F(square)) - angle.r * angle.rest;
    return Sum_F(hi, ((1.0F - hi) - half) + tail);
}

// The sine of an angle; of one with a quadrant more it is the cosine.
fn sine_of_angle_F(angle: Angle_F, turns: u32) -> F {
    let quadrant = angle.quadrant + turns;
    let sine = sine_F(angle);
    let cosine = cosine_F(angle);
    let value = select(sine.hi + sine.lo, cosine.hi + cosine.lo, (quadrant & 1u) == 1u);
    return select(value, -value, (quadrant & 2u) == 2u);
}

fn sin_F(x: F) -> F {
    let value = sine_of_angle_F(angle_F(x), 0u);
    let edge = select(value, x, abs(x) < TRIG_SMALL_F);
    return select(edge, nan_F(), size_bits_F(x) >= INF_F);
}

fn cos_F(x: F) -> F {
    let value = sine_of_angle_F(angle_F(x), 1u);
    return select(value, nan_F(), size_bits_F(x) >= INF_F);
}

fn tan_F(x: F) -> F {
    let angle = angle_F(x);
    let sines = sine_F(angle);
    let cosines = cosine_F(angle);
    let sine = sines.hi + sines.lo;
    let cosine = cosines.hi + cosines.lo;
    let is_odd = (angle.quadrant & 1u) == 1u;
    let value = select(sine, -cosine, is_odd) / select(cosine, sine, is_odd);
    let edge = select(value, x, abs(x) < TRIG_SMALL_F);
    return select(edge, nan_F(), size_bits_F(x) >= INF_F);
}
