// The inverse trigonometric functions of f64.

// From here on the arc tangent does not change.
const ATAN_LARGE_f64: f64 = 1e20lf;
// 2^60.
const SCALE_UP_f64: f64 = 1152921504606846976.0lf;
// Points nearer than this are scaled up.
const POINT_SMALL_f64: f64 = 1e-300lf;
// Points farther than this are scaled down.
const POINT_LARGE_f64: f64 = 1e300lf;
// What the number nearest to pi / 2 lacks of it.
const FRAC_PI_2_LO_f64: f64 = 6.123233995736766e-17lf;
// pi / 4.
const FRAC_PI_4_f64: f64 = 0.7853981633974483lf;
// What that lacks of pi / 4.
const FRAC_PI_4_LO_f64: f64 = 3.061616997868383e-17lf;
// pi.
const PI_f64: f64 = 3.141592653589793lf;
// What that lacks of pi.
const PI_LO_f64: f64 = 1.2246467991473532e-16lf;
// arctan 1/2.
const ATAN_HALF_f64: f64 = 0.4636476090008061lf;
// What that lacks of arctan 1/2.
const ATAN_HALF_LO_f64: f64 = 2.2698777452961687e-17lf;
// arctan 3/2.
const ATAN_THREE_HALVES_f64: f64 = 0.982793723247329lf;
// What that lacks of arctan 3/2.
const ATAN_THREE_HALVES_LO_f64: f64 = 1.3903311031230998e-17lf;

// (arcsin x / x - 1) / x^2 in x^2, to 2^-56.
fn asin_series_f64(x: f64) -> f64 {
    var sum = 0.028999720974885703lf;
    sum = sum * x + -0.015214179055402793lf;
    sum = sum * x + 0.017638267687622288lf;
    sum = sum * x + 0.0053681656609339224lf;
    sum = sum * x + 0.010344133031969549lf;
    sum = sum * x + 0.011475818148389718lf;
    sum = sum * x + 0.013971565990040711lf;
    sum = sum * x + 0.017352368308150744lf;
    sum = sum * x + 0.022372174011982295lf;
    sum = sum * x + 0.03038194411088178lf;
    sum = sum * x + 0.04464285714672442lf;
    sum = sum * x + 0.0749999999999824lf;
    return sum * x + 0.16666666666666669lf;
}

// (1 - arctan t / t) / t^2 in t^2, to 2^-57.
fn atan_series_f64(x: f64) -> f64 {
    var sum = -0.014822128745089458lf;
    sum = sum * x + 0.033179706537310824lf;
    sum = sum * x + -0.04494606094139784lf;
    sum = sum * x + 0.052172832849521504lf;
    sum = sum * x + -0.05877042847857503lf;
    sum = sum * x + 0.06666251813696945lf;
    sum = sum * x + -0.0769228620670754lf;
    sum = sum * x + 0.09090908382388681lf;
    sum = sum * x + -0.11111111097287384lf;
    sum = sum * x + 0.1428571428557471lf;
    sum = sum * x + -0.1999999999999945lf;
    return sum * x + 0.3333333333333333lf;
}

struct ArcSine_f64 {
    far: bool,
    s: f64,
    tail: f64,
}

// |x| or the root of (1 - |x|) / 2, whichever is at most 1/2, and its arc sine less itself.
fn arc_sine_parts_f64(x: f64) -> ArcSine_f64 {
    let size = abs(x);
    let far = size > 0.5lf;
    let square = select(size * size, 0.5lf - 0.5lf * size, far);
    let s = select(size, sqrt(clamp_f64(square, 0.0lf, 1.0lf)), far);
    return ArcSine_f64(far, s, s * (square * asin_series_f64(square)));
}

fn asin_f64(x: f64) -> f64 {
    let parts = arc_sine_parts_f64(x);
    let double = 2.0lf * (parts.s + (parts.tail - FRAC_PI_4_LO_f64));
    let value = select(parts.s + parts.tail, FRAC_PI_2_f64 - double, parts.far);
    return select(nan_f64(), with_sign_f64(value, x), abs(x) <= 1.0lf);
}

fn acos_f64(x: f64) -> f64 {
    let parts = arc_sine_parts_f64(x);
    let angle = parts.s + parts.tail;
    let negative = PI_f64 - 2.0lf * (parts.s + (parts.tail - FRAC_PI_2_LO_f64));
    let far = select(angle + angle, negative, x < 0.0lf);
    let signed_tail = select(parts.tail, -parts.tail, x < 0.0lf);
    let near = FRAC_PI_2_f64 - (x + (signed_tail - FRAC_PI_2_LO_f64));
    return select(nan_f64(), select(near, far, parts.far), abs(x) <= 1.0lf);
}

// The angle of the point (x, y) of the first quadrant, or of (-x, y) where mirrored. For the nearest c
// of 0, 1/2, 1, 1 1/2 and infinity, arctan (y / x) = arctan c + arctan t with t = (y - c x) / (x + c y).
fn angle_of_f64(y: f64, x: f64, mirrored: bool) -> f64 {
    var c = 0.0lf;
    var angle = 0.0lf;
    var rest = 0.0lf;
    if y > 0.4375lf * x {
        c = 0.5lf;
        angle = ATAN_HALF_f64;
        rest = ATAN_HALF_LO_f64;
    }
    if y > 0.6875lf * x {
        c = 1.0lf;
        angle = FRAC_PI_4_f64;
        rest = FRAC_PI_4_LO_f64;
    }
    if y > 1.1875lf * x {
        c = 1.5lf;
        angle = ATAN_THREE_HALVES_f64;
        rest = ATAN_THREE_HALVES_LO_f64;
    }
    var numerator = y - c * x;
    var denominator = x + c * y;
    if y > 2.4375lf * x {
        numerator = -x;
        denominator = y;
        angle = FRAC_PI_2_f64;
        rest = FRAC_PI_2_LO_f64;
    }
    var t = select(numerator / denominator, 0.0lf, y == 0.0lf);
    if mirrored {
        t = -t;
        let supplement = cut_f64(PI_f64 - angle);
        rest = ((PI_f64 - supplement) - angle) + (PI_LO_f64 - rest);
        angle = supplement;
    }
    let square = t * t;
    let tail = t * (square * atan_series_f64(square));
    return angle - ((tail - rest) - t);
}

fn atan_f64(x: f64) -> f64 {
    let value = angle_of_f64(clamp_f64(abs(x), 0.0lf, ATAN_LARGE_f64), 1.0lf, false);
    return select(with_sign_f64(value, x), x, is_nan_f64(x));
}

fn atan2_f64(y: f64, x: f64) -> f64 {
    let size = max(abs(y), abs(x));
    let small = select(1.0lf, SCALE_UP_f64, size < POINT_SMALL_f64);
    let scale = select(small, 0.0625lf, size > POINT_LARGE_f64);
    var height = abs(y) * scale;
    var width = abs(x) * scale;
    if is_infinite_f64(x) || is_infinite_f64(y) {
        height = select(0.0lf, 1.0lf, is_infinite_f64(y));
        width = select(0.0lf, 1.0lf, is_infinite_f64(x));
    }
    let mirrored = bits_f64(x) >= SIGN_f64;
    let value = with_sign_f64(angle_of_f64(height, width, mirrored), y);
    return select(value, nan_f64(), is_nan_f64(x) || is_nan_f64(y));
}
