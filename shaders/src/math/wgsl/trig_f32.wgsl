// Sine, cosine and tangent of f32.
//
// x = k pi / 2 + r with |r| <= pi / 4: polynomials give sine and cosine of r, and k modulo 4 says which
// is meant. Up to a limit pi / 2 is subtracted in parts whose products with k are exact; beyond, x is
// multiplied by the bits of 2 / pi that matter (Payne and Hanek), in integers.

struct Angle_f32 {
    r: f32,
    quadrant: u32,
}

fn near_angle_f32(x: f32) -> Angle_f32 {
    let k = floor(x * 0.63661975f + 0.5f);
    let r = (((x - k * 1.5703125f) - k * 0.00048351288f) - k * 3.138557e-07f) - k * 6.0771006e-11f;
    return Angle_f32(r, bitcast<u32>(i32(k)));
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
    let low = (x & 0x0000ffffu) * (y & 0x0000ffffu);
    let first = (x >> 16u) * (y & 0x0000ffffu) + (low >> 16u);
    let second = (x & 0x0000ffffu) * (y >> 16u) + (first & 0x0000ffffu);
    return (x >> 16u) * (y >> 16u) + (first >> 16u) + (second >> 16u);
}

fn far_angle_f32(x: f32) -> Angle_f32 {
    let size = size_bits_f32(x);
    let significand = (size & 0x007fffffu) | 0x00800000u;
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
    let is_above = fraction_high >= 0x80000000u;
    let quadrant = u32(high >> 30u) + select(0u, 1u, is_above);
    let rest_low = select(fraction_low, ~fraction_low + 1u, is_above);
    let carry_up = select(0u, 1u, rest_low == 0u);
    let rest_high = select(fraction_high, ~fraction_high + carry_up, is_above);
    let fraction = f32(rest_high) * 2.3283064e-10f + f32(rest_low) * 5.421011e-20f;
    let r = fraction * 1.5707964f;
    let is_negative = x < 0.0f;
    return Angle_f32(
        select(r, -r, is_above != is_negative),
        select(quadrant, ~quadrant + 1u, is_negative),
    );
}

fn angle_f32(x: f32) -> Angle_f32 {
    if abs(x) > 8192.0f {
        return far_angle_f32(x);
    }
    return near_angle_f32(x);
}

fn sine_of_rest_f32(r: f32) -> f32 {
    let square = r * r;
    return r + r * (square * (((2.7249941e-06f * square + -0.00019840087f) * square + 0.008333332f) * square + -0.16666667f));
}

fn cosine_of_rest_f32(r: f32) -> f32 {
    let square = r * r;
    return 1.0f - (0.5f * square - square * (square * (((-2.7300962e-07f * square + 2.48006e-05f) * square + -0.0013888888f) * square + 0.041666668f)));
}

// The sine of an angle; of one with a quadrant more it is the cosine.
fn sine_of_angle_f32(angle: Angle_f32, turns: u32) -> f32 {
    let quadrant = angle.quadrant + turns;
    let is_cosine = (quadrant & 1u) == 1u;
    let value = select(sine_of_rest_f32(angle.r), cosine_of_rest_f32(angle.r), is_cosine);
    return select(value, -value, (quadrant & 2u) == 2u);
}

fn sin_f32(x: f32) -> f32 {
    let value = sine_of_angle_f32(angle_f32(x), 0u);
    let edge = select(value, x, abs(x) < 1e-5f);
    return select(edge, nan_f32(), size_bits_f32(x) >= 0x7f800000u);
}

fn cos_f32(x: f32) -> f32 {
    let value = sine_of_angle_f32(angle_f32(x), 1u);
    return select(value, nan_f32(), size_bits_f32(x) >= 0x7f800000u);
}

fn tan_f32(x: f32) -> f32 {
    let angle = angle_f32(x);
    let sine = sine_of_rest_f32(angle.r);
    let cosine = cosine_of_rest_f32(angle.r);
    let is_odd = (angle.quadrant & 1u) == 1u;
    let value = select(sine, -cosine, is_odd) / select(cosine, sine, is_odd);
    let edge = select(value, x, abs(x) < 1e-5f);
    return select(edge, nan_f32(), size_bits_f32(x) >= 0x7f800000u);
}
