// The inverse trigonometric functions of f64.

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
    return ArcSine_f64(far, s, s * (square * ((((((((((((0.028999720974885703lf * square + -0.015214179055402793lf) * square + 0.017638267687622288lf) * square + 0.0053681656609339224lf) * square + 0.010344133031969549lf) * square + 0.011475818148389718lf) * square + 0.013971565990040711lf) * square + 0.017352368308150744lf) * square + 0.022372174011982295lf) * square + 0.03038194411088178lf) * square + 0.04464285714672442lf) * square + 0.0749999999999824lf) * square + 0.16666666666666669lf)));
}

fn asin_f64(x: f64) -> f64 {
    let parts = arc_sine_parts_f64(x);
    let double = 2.0lf * (parts.s + (parts.tail - 3.061616997868383e-17lf));
    let value = select(parts.s + parts.tail, 1.5707963267948966lf - double, parts.far);
    return select(nan_f64(), with_sign_f64(value, x), abs(x) <= 1.0lf);
}

fn acos_f64(x: f64) -> f64 {
    let parts = arc_sine_parts_f64(x);
    let angle = parts.s + parts.tail;
    let negative = 3.141592653589793lf - 2.0lf * (parts.s + (parts.tail - 6.123233995736766e-17lf));
    let far = select(angle + angle, negative, x < 0.0lf);
    let signed_tail = select(parts.tail, -parts.tail, x < 0.0lf);
    let near = 1.5707963267948966lf - (x + (signed_tail - 6.123233995736766e-17lf));
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
        angle = 0.4636476090008061lf;
        rest = 2.2698777452961687e-17lf;
    }
    if y > 0.6875lf * x {
        c = 1.0lf;
        angle = 0.7853981633974483lf;
        rest = 3.061616997868383e-17lf;
    }
    if y > 1.1875lf * x {
        c = 1.5lf;
        angle = 0.982793723247329lf;
        rest = 1.3903311031230998e-17lf;
    }
    var numerator = y - c * x;
    var denominator = x + c * y;
    if y > 2.4375lf * x {
        numerator = -x;
        denominator = y;
        angle = 1.5707963267948966lf;
        rest = 6.123233995736766e-17lf;
    }
    var t = select(numerator / denominator, 0.0lf, y == 0.0lf);
    if mirrored {
        t = -t;
        let supplement = cut_f64(3.141592653589793lf - angle);
        rest = ((3.141592653589793lf - supplement) - angle) + (1.2246467991473532e-16lf - rest);
        angle = supplement;
    }
    let square = t * t;
    let tail = t * (square * (((((((((((-0.014822128745089458lf * square + 0.033179706537310824lf) * square + -0.04494606094139784lf) * square + 0.052172832849521504lf) * square + -0.05877042847857503lf) * square + 0.06666251813696945lf) * square + -0.0769228620670754lf) * square + 0.09090908382388681lf) * square + -0.11111111097287384lf) * square + 0.1428571428557471lf) * square + -0.1999999999999945lf) * square + 0.3333333333333333lf));
    return angle - ((tail - rest) - t);
}

fn atan_f64(x: f64) -> f64 {
    let value = angle_of_f64(clamp_f64(abs(x), 0.0lf, 1e20lf), 1.0lf, false);
    return select(with_sign_f64(value, x), x, is_nan_f64(x));
}

fn atan2_f64(y: f64, x: f64) -> f64 {
    let size = max(abs(y), abs(x));
    let small = select(1.0lf, 1152921504606846976.0lf, size < 1e-300lf);
    let scale = select(small, 0.0625lf, size > 1e300lf);
    var height = abs(y) * scale;
    var width = abs(x) * scale;
    if is_infinite_f64(x) || is_infinite_f64(y) {
        height = select(0.0lf, 1.0lf, is_infinite_f64(y));
        width = select(0.0lf, 1.0lf, is_infinite_f64(x));
    }
    let mirrored = bits_f64(x) >= 0x8000000000000000lu;
    let value = with_sign_f64(angle_of_f64(height, width, mirrored), y);
    return select(value, nan_f64(), is_nan_f64(x) || is_nan_f64(y));
}
