// The inverse trigonometric functions of F.

// From here on the arc tangent does not change.
const ATAN_LARGE_F: F = $(1e15|1e20)F;
// 2^60.
const SCALE_UP_F: F = 1152921504606846976.0F;
// Points nearer than this are scaled up.
const POINT_SMALL_F: F = $(1e-20|1e-300)F;
// Points farther than this are scaled down.
const POINT_LARGE_F: F = $(1e37|1e300)F;
// What the number nearest to pi / 2 lacks of it.
const FRAC_PI_2_LO_F: F = $(-4.371139e-08|6.123233995736766e-17)F;
// pi / 4.
const FRAC_PI_4_F: F = $(0.7853982|0.7853981633974483)F;
// What that lacks of pi / 4.
const FRAC_PI_4_LO_F: F = $(-2.1855694e-08|3.061616997868383e-17)F;
// pi.
const PI_F: F = $(3.1415927|3.141592653589793)F;
// What that lacks of pi.
const PI_LO_F: F = $(-8.742278e-08|1.2246467991473532e-16)F;
// arctan 1/2.
const ATAN_HALF_F: F = $(0.4636476|0.4636476090008061)F;
// What that lacks of arctan 1/2.
const ATAN_HALF_LO_F: F = $(5.0121587e-09|2.2698777452961687e-17)F;
// arctan 3/2.
const ATAN_THREE_HALVES_F: F = $(0.98279375|0.982793723247329)F;
// What that lacks of arctan 3/2.
const ATAN_THREE_HALVES_LO_F: F = $(-2.5131424e-08|1.3903311031230998e-17)F;

// (arcsin x / x - 1) / x^2 in x^2, to 2^$(-32|-56).
polynomial asin_series_F
    -               0.028999720974885703
    -               -0.015214179055402793
    -               0.017638267687622288
    -               0.0053681656609339224
    -               0.010344133031969549
    -               0.011475818148389718
    0.031196965     0.013971565990040711
    0.010408062     0.017352368308150744
    0.023658447     0.022372174011982295
    0.030263118     0.03038194411088178
    0.044648014     0.04464285714672442
    0.07499991      0.0749999999999824
    0.16666667      0.16666666666666669

// (1 - arctan t / t) / t^2 in t^2, to 2^$(-30|-57).
polynomial atan_series_F
    -               -0.014822128745089458
    -               0.033179706537310824
    -               -0.04494606094139784
    -               0.052172832849521504
    -               -0.05877042847857503
    -               0.06666251813696945
    -0.048365034    -0.0769228620670754
    0.085389346     0.09090908382388681
    -0.11059371     -0.11111111097287384
    0.14283478      0.1428571428557471
    -0.19999965     -0.1999999999999945
    0.33333334      0.3333333333333333

struct ArcSine_F {
    far: bool,
    s: F,
    tail: F,
}

// |x| or the root of (1 - |x|) / 2, whichever is at most 1/2, and its arc sine less itself.
fn arc_sine_parts_F(x: F) -> ArcSine_F {
    let size = abs(x);
    let far = size > 0.5F;
    let square = select(size * size, 0.5F - 0.5F * size, far);
    let s = select(size, sqrt(clamp_F(square, 0.0F, 1.0F)), far);
    return ArcSine_F(far, s, s * (square * asin_series_F(square)));
}

fn asin_F(x: F) -> F {
    let parts = arc_sine_parts_F(x);
    let double = 2.0F * (parts.s + (parts.tail - FRAC_PI_4_LO_F));
    let value = select(parts.s + parts.tail, FRAC_PI_2_F - double, parts.far);
    return select(nan_F(), with_sign_F(value, x), abs(x) <= 1.0F);
}

fn acos_F(x: F) -> F {
    let parts = arc_sine_parts_F(x);
    let angle = parts.s + parts.tail;
    let negative = PI_F - 2.0F * (parts.s + (parts.tail - FRAC_PI_2_LO_F));
    let far = select(angle + angle, negative, x < 0.0F);
    let signed_tail = select(parts.tail, -parts.tail, x < 0.0F);
    let near = FRAC_PI_2_F - (x + (signed_tail - FRAC_PI_2_LO_F));
    return select(nan_F(), select(near, far, parts.far), abs(x) <= 1.0F);
}

// The angle of the point (x, y) of the first quadrant, or of (-x, y) where mirrored. For the nearest c
// of 0, 1/2, 1, 1 1/2 and infinity, arctan (y / x) = arctan c + arctan t with t = (y - c x) / (x + c y).
fn angle_of_F(y: F, x: F, mirrored: bool) -> F {
    var c = 0.0F;
    var angle = 0.0F;
    var rest = 0.0F;
    if y > 0.4375F * x {
        c = 0.5F;
        angle = ATAN_HALF_F;
        rest = ATAN_HALF_LO_F;
    }
    if y > 0.6875F * x {
        c = 1.0F;
        angle = FRAC_PI_4_F;
        rest = FRAC_PI_4_LO_F;
    }
    if y > 1.1875F * x {
        c = 1.5F;
        angle = ATAN_THREE_HALVES_F;
        rest = ATAN_THREE_HALVES_LO_F;
    }
    var numerator = y - c * x;
    var denominator = x + c * y;
    if y > 2.4375F * x {
        numerator = -x;
        denominator = y;
        angle = FRAC_PI_2_F;
        rest = FRAC_PI_2_LO_F;
    }
    var t = select(numerator / denominator, 0.0F, y == 0.0F);
    if mirrored {
        t = -t;
        let supplement = cut_F(PI_F - angle);
        rest = ((PI_F - supplement) - angle) + (PI_LO_F - rest);
        angle = supplement;
    }
    let square = t * t;
    let tail = t * (square * atan_series_F(square));
    return angle - ((tail - rest) - t);
}

fn atan_F(x: F) -> F {
    let value = angle_of_F(clamp_F(abs(x), 0.0F, ATAN_LARGE_F), 1.0F, false);
    return select(with_sign_F(value, x), x, is_nan_F(x));
}

fn atan2_F(y: F, x: F) -> F {
    let size = max(abs(y), abs(x));
    let small = select(1.0F, SCALE_UP_F, size < POINT_SMALL_F);
    let scale = select(small, 0.0625F, size > POINT_LARGE_F);
    var height = abs(y) * scale;
    var width = abs(x) * scale;
    if is_infinite_F(x) || is_infinite_F(y) {
        height = select(0.0F, 1.0F, is_infinite_F(y));
        width = select(0.0F, 1.0F, is_infinite_F(x));
    }
    let mirrored = bits_F(x) >= SIGN_F;
    let value = with_sign_F(angle_of_F(height, width, mirrored), y);
    return select(value, nan_F(), is_nan_F(x) || is_nan_F(y));
}
