//! Arithmetic and elementary functions.

use super::scalars;
use cotangent::f16;
use cotangent::prelude::*;
use std::f64::consts::{self, FRAC_PI_2, FRAC_PI_4, LN_2, PI, SQRT_2};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

scalars! {
    abs(x: (f64, i32)) { (x.0.abs(), x.1.abs()) }
        [(-1.5, -3), (0.0, 4), (-INF, i32::MIN)] => [(1.5, 3), (0.0, 4), (INF, i32::MIN)];
    signum(x: (f64, i64)) { (x.0.signum(), x.1.signum()) }
        [(-1.5, -3), (0.0, 0), (INF, 9), (NAN, 1)] => [(-1.0, -1), (0.0, 0), (1.0, 1), (NAN, 1)];
    sqrt(x: f64) { x.sqrt() } [4.0, 2.0, 0.0, -1.0] => [2.0, SQRT_2, 0.0, NAN];
    exp(x: f64) { x.exp() } [0.0, 1.0, -INF, 1000.0] => [1.0, consts::E, 0.0, INF];
    exp_m1(x: f64) { x.exp_m1() } [0.0, 1e-20, LN_2] => [0.0, 1e-20, 1.0];
    ln(x: f64) { x.ln() } [1.0, consts::E, 0.0, -1.0] => [0.0, 1.0, -INF, NAN];
    ln_1p(x: f64) { x.ln_1p() } [0.0, 1e-20, 1.0] => [0.0, 1e-20, LN_2];
    sin(x: f64) { x.sin() } [0.0, FRAC_PI_2, PI / 6.0] => [0.0, 1.0, 0.5];
    cos(x: f64) { x.cos() } [0.0, PI, PI / 3.0] => [1.0, -1.0, 0.5];
    tan(x: f64) { x.tan() } [0.0, FRAC_PI_4, -FRAC_PI_4] => [0.0, 1.0, -1.0];
    asin(x: f64) { x.asin() } [0.0, 1.0, 0.5, 2.0] => [0.0, FRAC_PI_2, PI / 6.0, NAN];
    acos(x: f64) { x.acos() } [1.0, 0.0, -1.0, 2.0] => [0.0, FRAC_PI_2, PI, NAN];
    atan(x: f64) { x.atan() } [0.0, 1.0, -INF] => [0.0, FRAC_PI_4, -FRAC_PI_2];
    sinh(x: f64) { x.sinh() } [0.0, LN_2, -LN_2] => [0.0, 0.75, -0.75];
    cosh(x: f64) { x.cosh() } [0.0, LN_2, -LN_2] => [1.0, 1.25, 1.25];
    tanh(x: f64) { x.tanh() } [0.0, LN_2, -INF] => [0.0, 0.6, -1.0];
    asinh(x: f64) { x.asinh() } [0.0, 0.75, -0.75] => [0.0, LN_2, -LN_2];
    acosh(x: f64) { x.acosh() } [1.0, 1.25, 0.0] => [0.0, LN_2, NAN];
    atanh(x: f64) { x.atanh() } [0.0, 0.6, 1.0] => [0.0, LN_2, INF];
    floor(x: f64) { x.floor() } [1.5, -1.5, 2.0, INF] => [1.0, -2.0, 2.0, INF];
    ceil(x: f64) { x.ceil() } [1.5, -1.5, 2.0, INF] => [2.0, -1.0, 2.0, INF];
    round(x: f64) { x.round() } [1.5, -1.5, 2.4, 0.5] => [2.0, -2.0, 2.0, 1.0];
    trunc(x: f64) { x.trunc() } [1.5, -1.5, 2.9, -0.5] => [1.0, -1.0, 2.0, 0.0];
    floor_to(x: f64) { x.floor_to::<i32>() } [1.5, -1.5, 1e10, NAN] => [1, -2, i32::MAX, 0];
    ceil_to(x: f64) { x.ceil_to::<i64>() } [1.5, -1.5, 1e10] => [2i64, -1, 10_000_000_000];
    round_to(x: f64) { x.round_to::<i32>() } [1.5, -1.5, 0.4] => [2, -2, 0];
    trunc_to(x: f32) { x.trunc_to::<i32>() } [1.5, -1.5, -INF as f32] => [1, -1, i32::MIN];
    max((x, y): (f64, f64)) { x.max(y) } [(1.0, 2.0), (3.0, -1.0), (1.0, NAN)] => [2.0, 3.0, NAN];
    min((x, y): (i32, i32)) { x.min(y) } [(1, 2), (3, -1), (4, 4)] => [1, -1, 4];
    powf((x, y): (f64, f64)) { x.powf(y) }
        [(2.0, 3.0), (4.0, 0.5), (2.0, -1.0), (0.0, 0.0)] => [8.0, 2.0, 0.5, 1.0];
    powi(x: f64) { [x.powi(0), x.powi(1), x.powi(5), x.powi(-2)] }
        [2.0, -1.0] => [[1.0, 2.0, 32.0, 0.25], [1.0, -1.0, -1.0, 1.0]];
    atan2((y, x): (f64, f64)) { y.atan2(x) }
        [(1.0, 1.0), (1.0, 0.0), (0.0, -1.0)] => [FRAC_PI_4, FRAC_PI_2, PI];
    mul_add((x, y, z): (f64, f64, f64)) { x.mul_add(y, z) }
        [(2.0, 3.0, 0.5), (0.1, 0.1, -(0.1 * 0.1)), (INF, 0.0, 1.0)]
        => [6.5, 0.1f64.mul_add(0.1, -(0.1 * 0.1)), NAN];
    recip(x: f64) { x.recip() } [4.0, -0.5, 0.0] => [0.25, -2.0, INF];
    sqr(x: (f64, i32)) { (x.0.sqr(), x.1.sqr()) } [(-1.5, -3)] => [(2.25, 9)];
    log(x: f64) { x.log(2.0) } [8.0, 0.5, 1.0] => [3.0, -1.0, 0.0];
    clamp(x: (f64, i32)) { (x.0.clamp(0.0, 1.0), x.1.clamp(-2, 2)) }
        [(-0.5, 5), (0.5, 1), (7.0, -9)] => [(0.0, 2), (0.5, 1), (1.0, -2)];
    pi(x: f64) { x * pi::<f64>() } [2.0] => [2.0 * PI];
    is_nan(x: f64) { x.is_nan() } [1.0, NAN, INF] => [false, true, false];
    is_infinite(x: f64) { x.is_infinite() } [1.0, NAN, -INF] => [false, false, true];
    add(x: (i32, f64)) { (x.0 + 1, 2.0 + x.1) } [(i32::MAX, 0.5)] => [(i32::MIN, 2.5)];
    sub(x: (i32, f64)) { (x.0 - 1, 2.0 - x.1) } [(i32::MIN, 0.5)] => [(i32::MAX, 1.5)];
    mul(x: (i64, f64)) { (x.0 * 3, 2.0 * x.1) } [(-5, 0.5)] => [(-15, 1.0)];
    div(x: (i32, f64)) { (x.0 / 2, 1.0 / x.1, 7 / x.0) }
        [(-7, 4.0), (0, 0.0), (2, -2.0)] => [(-3, 0.25, -1), (0, INF, 0), (1, -0.5, 3)];
    rem((x, y): (i32, i32)) { (x % y, 9 % y) } [(-7, 2), (7, -2), (7, 0)] => [(-1, 1), (1, 1), (7, 9)];
    div_floor((x, y): (i32, i32)) { x.div_floor(y) } [(-7, 2), (7, -2), (7, 0), (7, 2)] => [-4, -4, 0, 3];
    mod_floor((x, y): (i32, i32)) { x.mod_floor(y) } [(-7, 2), (7, -2), (7, 0), (7, 2)] => [1, -1, 7, 1];
    neg(x: (i32, f64)) { (-x.0, -x.1) } [(3, -0.5), (i32::MIN, INF)] => [(-3, 0.5), (i32::MIN, -INF)];
    unsigned_sums((x, y): (u32, u32)) { [x + y, x - y, x * y, 3 - x, -x] }
        [(1, 2), (u32::MAX, 2)] => [[3, u32::MAX, 2, 2, u32::MAX], [1, u32::MAX - 2, u32::MAX - 1, 4, 1]];
    unsigned_quotients((x, y): (u32, u32)) { [x / y, x % y, x.div_floor(y), x.mod_floor(y), x / 8, x % 8] }
        [(u32::MAX, 2), (7, 0), (7, u32::MAX)]
        => [[i32::MAX as u32, 1, i32::MAX as u32, 1, u32::MAX >> 3, 7], [0, 7, 0, 7, 0, 7], [0, 7, 0, 7, 0, 7]];
    unsigned_order((x, y): (u32, u32)) { ([x.max(y), x.min(y), x.abs(), x.signum()], x.lt(y)) }
        [(u32::MAX, 1), (0, 1)] => [([u32::MAX, 1, u32::MAX, 1], false), ([1, 0, 0, 0], true)];
    assigning((x, n): (f64, i32)) {
        let (mut y, mut m) = (x, n);
        y += 1.0;
        y *= 3.0;
        y -= x;
        y /= 2.0;
        m %= 4;
        (y, m)
    } [(3.0, 7)] => [(4.5, 3)];
    sum(x: [f64; 3]) { (x.iter().copied().sum::<Exp<f64>>(), std::iter::empty().sum::<Exp<f64>>()) }
        [[1.0, 2.0, 4.0]] => [(7.0, 0.0)];
    product(x: [i32; 3]) { (x.iter().copied().product::<Exp<i32>>(), std::iter::empty().product::<Exp<i32>>()) }
        [[3, 2, 4]] => [(24, 1)];
    to(x: (f64, i32, bool)) { ((x.0.to::<i32>(), x.0.to::<bool>()), x.1.to::<bool>(), x.2.to::<f32>()) }
        [(-1.9, 2, true), (NAN, 0, false)] => [((-1, true), true, 1.0f32), ((0, true), false, 0.0)];
    to_f64(x: (i32, bool, f32)) { (x.0.to_f64(), x.1.to_f64(), x.2.to_f64()) }
        [(-3, true, 0.5)] => [(-3.0, 1.0, 0.5)];
    to_f16(x: (f64, i32)) { (x.0.to_f16(), x.1.to_f16()) }
        [(0.5, 2049), (1e300, 65520)] => [(f16::from_f32(0.5), f16::from_f32(2048.0)), (f16::INFINITY, f16::INFINITY)];
    to_f32(x: f64) { x.to_f32() } [0.5, 1e300] => [0.5f32, f32::INFINITY];
    to_i32(x: i64) { x.to_i32() } [-7, (1 << 32) + 5] => [-7, 5];
    to_u32(x: (i32, f64, i64)) { (x.0.to_u32(), x.1.to_u32(), x.2.to_u32()) }
        [(-1, 3e9, 1 << 33), (7, -2.5, -1)] => [(u32::MAX, 3_000_000_000, 0), (7, 0, u32::MAX)];
    from_u32(x: u32) { (x.to_i32(), x.to_i64(), x.to_f64(), x.to_f32(), x.to::<bool>()) }
        [u32::MAX, 0] => [(-1, 4_294_967_295i64, 4_294_967_295.0, 4_294_967_300.0f32, true), (0, 0, 0.0, 0.0, false)];
    to_i64(x: (i32, f64)) { (x.0.to_i64(), x.1.to_i64()) } [(-7, 1e300)] => [(-7i64, i64::MAX)];
}
