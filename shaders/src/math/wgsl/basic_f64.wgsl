// Functions of f64 without series.

// From here on all numbers are integers.
const ALL_INTEGERS_f64: f64 = 4503599627370496.0lf;

fn round_f64(x: f64) -> f64 {
    let size = abs(x);
    let below = floor(size);
    let value = with_sign_f64(below + select(0.0lf, 1.0lf, size - below >= 0.5lf), x);
    return select(x, value, size < ALL_INTEGERS_f64);
}

fn signum_f64(x: f64) -> f64 {
    let is_number = !is_nan_f64(x) && size_bits_f64(x) != 0lu;
    return select(x, with_sign_f64(1.0lf, x), is_number);
}

fn max_f64(x: f64, y: f64) -> f64 {
    return select(y, x, x >= y || is_nan_f64(x));
}

fn min_f64(x: f64, y: f64) -> f64 {
    return select(y, x, x <= y || is_nan_f64(x));
}
