// Functions of F without series.

// From here on all numbers are integers.
const ALL_INTEGERS_F: F = $(8388608.0|4503599627370496.0)F;

fn round_F(x: F) -> F {
    let size = abs(x);
    let below = floor(size);
    let value = with_sign_F(below + select(0.0F, 1.0F, size - below >= 0.5F), x);
    return select(x, value, size < ALL_INTEGERS_F);
}

fn signum_F(x: F) -> F {
    let is_number = !is_nan_F(x) && size_bits_F(x) != 0U;
    return select(x, with_sign_F(1.0F, x), is_number);
}

fn max_F(x: F, y: F) -> F {
    return select(y, x, x >= y || is_nan_F(x));
}

fn min_F(x: F, y: F) -> F {
    return select(y, x, x <= y || is_nan_F(x));
}
