// The inverse trigonometric functions of f32.

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
    return ArcSine_f32(far, s, s * (square * ((((((0.031196965f * square + 0.010408062f) * square + 0.023658447f) * square + 0.030263118f) * square + 0.044648014f) * square + 0.07499991f) * square + 0.16666667f)));
}

fn asin_f32(x: f32) -> f32 {
    let parts = arc_sine_parts_f32(x);
    let double = 2.0f * (parts.s + (parts.tail - -2.1855694e-08f));
    let value = select(parts.s + parts.tail, 1.5707964f - double, parts.far);
    return select(nan_f32(), with_sign_f32(value, x), abs(x) <= 1.0f);
}

fn acos_f32(x: f32) -> f32 {
    let parts = arc_sine_parts_f32(x);
    let angle = parts.s + parts.tail;
    let negative = 3.1415927f - 2.0f * (parts.s + (parts.tail - -4.371139e-08f));
    let far = select(angle + angle, negative, x < 0.0f);
    let signed_tail = select(parts.tail, -parts.tail, x < 0.0f);
    let near = 1.5707964f - (x + (signed_tail - -4.371139e-08f));
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
        angle = 0.4636476f;
        rest = 5.0121587e-09f;
    }
    if y > 0.6875f * x {
        c = 1.0f;
        angle = 0.7853982f;
        rest = -2.1855694e-08f;
    }
    if y > 1.1875f * x {
        c = 1.5f;
        angle = 0.98279375f;
        rest = -2.5131424e-08f;
    }
    var numerator = y - c * x;
    var denominator = x + c * y;
    if y > 2.4375f * x {
        numerator = -x;
        denominator = y;
        angle = 1.5707964f;
        rest = -4.371139e-08f;
    }
    var t = select(numerator / denominator, 0.0f, y == 0.0f);
    if mirrored {
        t = -t;
        let supplement = cut_f32(3.1415927f - angle);
        rest = ((3.1415927f - supplement) - angle) + (-8.742278e-08f - rest);
        angle = supplement;
    }
    let square = t * t;
    let tail = t * (square * (((((-0.048365034f * square + 0.085389346f) * square + -0.11059371f) * square + 0.14283478f) * square + -0.19999965f) * square + 0.33333334f));
    return angle - ((tail - rest) - t);
}

fn atan_f32(x: f32) -> f32 {
    let value = angle_of_f32(clamp_f32(abs(x), 0.0f, 1e15f), 1.0f, false);
    return select(with_sign_f32(value, x), x, is_nan_f32(x));
}

fn atan2_f32(y: f32, x: f32) -> f32 {
    let size = max(abs(y), abs(x));
    let small = select(1.0f, 1152921504606846976.0f, size < 1e-20f);
    let scale = select(small, 0.0625f, size > 1e37f);
    var height = abs(y) * scale;
    var width = abs(x) * scale;
    if is_infinite_f32(x) || is_infinite_f32(y) {
        height = select(0.0f, 1.0f, is_infinite_f32(y));
        width = select(0.0f, 1.0f, is_infinite_f32(x));
    }
    let mirrored = bits_f32(x) >= 0x80000000u;
    let value = with_sign_f32(angle_of_f32(height, width, mirrored), y);
    return select(value, nan_f32(), is_nan_f32(x) || is_nan_f32(y));
}
