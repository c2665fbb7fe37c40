// Functions of f32 without series.

// From here on all numbers are integers.
const ALL_INTEGERS_f32: f32 = 8388608.0f;

fn round_f32(x: f32) -> f32 {
    let size = abs(x);
    let below = floor(size);
    let value = with_sign_f32(below + select(0.0f, 1.0f, size - below >= 0.5f), x);
    return select(x, value, size < ALL_INTEGERS_f32);
}

fn signum_f32(x: f32) -> f32 {
    let is_number = !is_nan_f32(x) && size_bits_f32(x) != 0u;
    return select(x, with_sign_f32(1.0f, x), is_number);
}

fn max_f32(x: f32, y: f32) -> f32 {
    return select(y, x, x >= y || is_nan_f32(x));
}

fn min_f32(x: f32, y: f32) -> f32 {
    return select(y, x, x <= y || is_nan_f32(x));
}
