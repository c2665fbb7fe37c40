// The bits of f32 numbers, and what can only be told by them: compilers of shaders may assume that
// there are no NaNs, and some flush subnormal numbers to zero.

fn bits_f32(x: f32) -> u32 {
    return bitcast<u32>(x);
}

fn size_bits_f32(x: f32) -> u32 {
    return bitcast<u32>(x) & 0x7fffffffu;
}

fn is_nan_f32(x: f32) -> bool {
    return size_bits_f32(x) > 0x7f800000u;
}

fn is_infinite_f32(x: f32) -> bool {
    return size_bits_f32(x) == 0x7f800000u;
}

// The language evaluates constants when it parses them, and has none that are not finite.
fn infinity_f32() -> f32 {
    var bits = 0x7f800000u;
    return bitcast<f32>(bits);
}

fn nan_f32() -> f32 {
    var bits = 0x7fc00000u;
    return bitcast<f32>(bits);
}

// The size of x with the sign of y.
fn with_sign_f32(x: f32, y: f32) -> f32 {
    return bitcast<f32>(size_bits_f32(x) | (bitcast<u32>(y) & 0x80000000u));
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
    return bitcast<f32>(bitcast<u32>(x) & 0xfffffffeu);
}

// The upper half of the bits of x.
fn top_f32(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u);
}
