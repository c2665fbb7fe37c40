// The inverse trigonometric functions of f32.

// From here on the arc tangent does not change.
const ATAN_LARGE_f32: f32 = 1e15f;
// 2^60.
const SCALE_UP_f32: f32 = 1152921504606846976.0f;
// Points nearer than this are scaled up.
const POINT_SMALL_f32: f32 = 1e-20f;
// Points farther than this are scaled down.
const POINT_LARGE_f32: f32 = 1e37f;
// What the number nearest to pi / 2 lacks of it.
const FRAC_PI_2_LO_f32: f32 = -4.371139e-08f;
// pi / 4.
const FRAC_PI_4_f32: f32 = 0.7853982f;
// What that lacks of pi / 4.
const FRAC_PI_4_LO_f32: f32 = -2.1855694e-08f;
// pi.
const PI_f32: f32 = 3.1415927f;
// What that lacks of pi.
const PI_LO_f32: f32 = -8.742278e-08f;
// arctan 1/2.
const ATAN_HALF_f32: f32 = 0.4636476f;
// What that lacks of arctan 1/2.
const ATAN_HALF_LO_f32: f32 = 5.0121587e-09f;
// arctan 3/2.
const ATAN_THREE_HALVES_f32: f32 = 0.98279375f;
// What that lacks of arctan 3/2.
const ATAN_THREE_HALVES_LO_f32: f32 = -2.5131424e-08f;

// (arcsin x / x - 1) / x^2 in x^2, to 2^-32.
fn asin_series_f32(x: f32) -> f32 {
    var sum = 0.031196965f;
    sum = sum * x + 0.010408062f;
    sum = sum * x + 0.023658447f;
    sum = sum * x + 0.030263118f;
    sum = sum * x + 0.044648014f;
    sum = sum * x + 0.07499991f;
    return sum * x + 0.16666667f;
}

// (1 - arctan t / t) / t^2 in t^2, to 2^-30.
fn atan_series_f32(x: f32) -> f32 {
    var sum = -0.048365034f;
    sum = sum * x + 0.085389346f;
    sum = sum * x + -0.11059371f;
    sum = sum * x + 0.14283478f;
    sum = sum * x + -0.19999965f;
    return sum * x + 0.33333334f;
}

struct ArcSine_f32 {
    far: bool,
    s: f32,
    tail: f32,
}

// |x| or the root of (1 - |x|) / 2, whichever is at most 1/2, and its arc sine less itself.
fn arc_sine_parts_f32(x: f32) -> ArcSine_f32 {
    let size = abs(x);
    let far = size > 0.5f;
    let square = select(size * size, 0.5f - 0.5f * size, far);
    let s = select(size, sqrt(clamp_f32(square, 0.0f, 1.0f)), far);
    return ArcSine_f32(far, s, s * (square * asin_series_f32(square)));
}

fn asin_f32(x: f32) -> f32 {
    let parts = arc_sine_parts_f32(x);
    let double = 2.0f * (parts.s + (parts.tail - FRAC_PI_4_LO_f32));
    let value = select(parts.s + parts.tail, FRAC_PI_2_f32 - double, parts.far);
    return select(nan_f32(), with_sign_f32(value, x), abs(x) <= 1.0f);
}

fn acos_f32(x: f32) -> f32 {
    let parts = arc_sine_parts_f32(x);
    let angle = parts.s + parts.tail;
    let negative = PI_f32 - 2.0f * (parts.s + (parts.tail - FRAC_PI_2_LO_f32));
    let far = select(angle + angle, negative, x < 0.0f);
    let signed_tail = select(parts.tail, -parts.tail, x < 0.0f);
    let near = FRAC_PI_2_f32 - (x + (signed_tail - FRAC_PI_2_LO_f32));
    return select(nan_f32(), select(near, far, parts.far), abs(x) <= 1.0f);
}

// The angle of the point (x, y) of the first quadrant, or of (-x, y) where mirrored. For the nearest c
// of 0, 1/2, 1, 1 1/2 and infinity, arctan (y / x) = arctan c + arctan t with t = (y - c x) / (x + c y).
fn angle_of_f32(y: f32, x: f32, mirrored: bool) -> f32 {
    var c = 0.0f;
    var angle = 0.0f;
    var rest = 0.0f;
    if y > 0.4375f * x {
        c = 0.5f;
        angle = ATAN_HALF_f32;
        rest = ATAN_HALF_LO_f32;
    }
    if y > 0.6875f * x {
        c = 1.0f;
        angle = FRAC_PI_4_f32;
        rest = FRAC_PI_4_LO_f32;
    }
    if y > 1.1875f * x {
        c = 1.5f;
        angle = ATAN_THREE_HALVES_f32;
        rest = ATAN_THREE_HALVES_LO_f32;
    }
    var numerator = y - c * x;
    var denominator = x + c * y;
    if y > 2.4375f * x {
        numerator = -x;
        denominator = y;
        angle = FRAC_PI_2_f32;
        rest = FRAC_PI_2_LO_f32;
    }
    var t = select(numerator / denominator, 0.0f, y == 0.0f);
    if mirrored {
        t = -t;
        let supplement = cut_f32(PI_f32 - angle);
        rest = ((PI_f32 - supplement) - angle) + (PI_LO_f32 - rest);
        angle = supplement;
    }
    let square = t * t;
    let tail = t * (square * atan_series_f32(square));
    return angle - ((tail - rest) - t);
}

fn atan_f32(x: f32) -> f32 {
    let value = angle_of_f32(clamp_f32(abs(x), 0.0f, ATAN_LARGE_f32), 1.0f, false);
    return select(with_sign_f32(value, x), x, is_nan_f32(x));
}

fn atan2_f32(y: f32, x: f32) -> f32 {
    let size = max(abs(y), abs(x));
    let small = select(1.0f, SCALE_UP_f32, size < POINT_SMALL_f32);
    let scale = select(small, 0.0625f, size > POINT_LARGE_f32);
    var height = abs(y) * scale;
    var width = abs(x) * scale;
    if is_infinite_f32(x) || is_infinite_f32(y) {
        height = select(0.0f, 1.0f, is_infinite_f32(y));
        width = select(0.0f, 1.0f, is_infinite_f32(x));
    }
    let mirrored = bits_f32(x) >= SIGN_f32;
    let value = with_sign_f32(angle_of_f32(height, width, mirrored), y);
    return select(value, nan_f32(), is_nan_f32(x) || is_nan_f32(y));
}
