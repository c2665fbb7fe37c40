// The bits of f64 numbers, and what can only be told by them: compilers of shaders may assume that
// there are no NaNs, and some flush subnormal numbers to zero.

fn bits_f64(x: f64) -> u64 {
    return bitcast<u64>(x);
}

fn size_bits_f64(x: f64) -> u64 {
    return bitcast<u64>(x) & 0x7ffffffffffffffflu;
}

fn is_nan_f64(x: f64) -> bool {
    return size_bits_f64(x) > 0x7ff0000000000000lu;
}

fn is_infinite_f64(x: f64) -> bool {
    return size_bits_f64(x) == 0x7ff0000000000000lu;
}

// The language evaluates constants when it parses them, and has none that are not finite.
fn infinity_f64() -> f64 {
    var bits = 0x7ff0000000000000lu;
    return bitcast<f64>(bits);
}

fn nan_f64() -> f64 {
    var bits = 0x7ff8000000000000lu;
    return bitcast<f64>(bits);
}

// The size of x with the sign of y.
fn with_sign_f64(x: f64, y: f64) -> f64 {
    return bitcast<f64>(size_bits_f64(x) | (bitcast<u64>(y) & 0x8000000000000000lu));
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
    return bitcast<f64>(bitcast<u64>(x) & 0xfffffffffffffffelu);
}

// The upper half of the bits of x.
fn top_f64(x: f64) -> f64 {
    return bitcast<f64>(bitcast<u64>(x) & 0xfffffffff8000000lu);
}
