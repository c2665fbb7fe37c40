//! The functions against those of the standard library, which are within a unit in the last place.

use super::{double, single};

mod accuracy;
mod isa;
mod special;

/// A function on `f64`, on slices of `f64`, on `f32`, on slices of `f32`, and what to compare it with.
struct Unary {
    name: &'static str,
    double: fn(f64) -> f64,
    double_lanes: fn(&mut [f64], &[f64]),
    single: fn(f32) -> f32,
    single_lanes: fn(&mut [f32], &[f32]),
    reference: fn(f64) -> f64,
    /// Where to look closely.
    range: (f64, f64),
    /// The largest distance to the reference, in floats; both are inexact.
    distance: u64,
}

/// A function of two arguments.
struct Binary {
    name: &'static str,
    double: fn(f64, f64) -> f64,
    double_lanes: fn(&mut [f64], &[f64], &[f64]),
    single: fn(f32, f32) -> f32,
    single_lanes: fn(&mut [f32], &[f32], &[f32]),
    reference: fn(f64, f64) -> f64,
}

macro_rules! unary {
    ($($name:ident $lanes:ident $reference:expr, $range:expr, $distance:expr;)*) => {
        [$(Unary {
            name: stringify!($name),
            double: double::$name,
            double_lanes: double::$lanes,
            single: single::$name,
            single_lanes: single::$lanes,
            reference: $reference,
            range: $range,
            distance: $distance,
        }),*]
    };
}

macro_rules! binary {
    ($($name:ident $lanes:ident $reference:expr;)*) => {
        [$(Binary {
            name: stringify!($name),
            double: double::$name,
            double_lanes: double::$lanes,
            single: single::$name,
            single_lanes: single::$lanes,
            reference: $reference,
        }),*]
    };
}

const UNARY: [Unary; 16] = unary! {
    exp exp_lanes f64::exp, (-750.0, 750.0), 2;
    exp_m1 exp_m1_lanes f64::exp_m1, (-3.0, 3.0), 2;
    ln ln_lanes f64::ln, (0.0, 3.0), 2;
    ln_1p ln_1p_lanes f64::ln_1p, (-1.0, 3.0), 2;
    sin sin_lanes f64::sin, (-100.0, 100.0), 2;
    cos cos_lanes f64::cos, (-100.0, 100.0), 2;
    tan tan_lanes f64::tan, (-100.0, 100.0), 2;
    asin asin_lanes f64::asin, (-1.0, 1.0), 2;
    acos acos_lanes f64::acos, (-1.0, 1.0), 2;
    atan atan_lanes f64::atan, (-5.0, 5.0), 2;
    sinh sinh_lanes f64::sinh, (-3.0, 3.0), 3;
    cosh cosh_lanes f64::cosh, (-3.0, 3.0), 3;
    tanh tanh_lanes f64::tanh, (-3.0, 3.0), 3;
    asinh asinh_lanes asinh, (-3.0, 3.0), 4;
    acosh acosh_lanes acosh, (1.0, 3.0), 4;
    atanh atanh_lanes atanh, (-1.0, 1.0), 4;
};

const BINARY: [Binary; 2] = binary! {
    atan2 atan2_lanes f64::atan2;
    pow pow_lanes f64::powf;
};

/// arsinh x; that of the standard library may overflow.
fn asinh(x: f64) -> f64 {
    if x.abs() > 1e9 {
        (x.abs().ln() + std::f64::consts::LN_2).copysign(x)
    } else {
        x.asinh()
    }
}

/// artanh x; that of the standard library is off by several units.
fn atanh(x: f64) -> f64 {
    0.5 * (x.ln_1p() - (-x).ln_1p())
}

/// arcosh x; that of the standard library is inexact near 1.
fn acosh(x: f64) -> f64 {
    let above = x - 1.0;
    if x < 1.0 {
        f64::NAN
    } else if x > 1e9 {
        x.ln() + std::f64::consts::LN_2
    } else {
        (above + (above * (above + 2.0)).sqrt()).ln_1p()
    }
}

/// Arguments at the edges of something.
const EDGES: [f64; 50] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    2.5,
    -2.5,
    0.55,
    1e-5,
    -1e-5,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e-310,
    -1e-310,
    1e-200,
    1e200,
    -1e200,
    1e-17,
    -1e-17,
    1e17,
    -1e17,
    1e10,
    -1e10,
    709.782712893384,
    709.782712893385,
    -745.1332191019411,
    -745.1332191019412,
    710.475860073944,
    88.8,
    4503599627370497.0,
    -4503599627370497.0,
    9007199254740991.0,
    -9007199254740992.0,
    std::f64::consts::FRAC_PI_2,
    std::f64::consts::PI,
    1048576.0,
    1048577.0,
    0.9999999999999999,
];

/// Pseudo-random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn between(&mut self, (low, high): (f64, f64)) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

/// The edges, `n` arguments between two, and `n` of any size, subnormal, infinite or none at all.
fn arguments(range: (f64, f64), n: usize) -> Vec<f64> {
    let mut random = Random(n as u64);
    let mut all = EDGES.to_vec();
    all.extend((0..n).map(|_| random.between(range)));
    all.extend((0..n).map(|_| f64::from_bits(random.bits())));
    all
}

/// The same as `f32`: those of any size are `f32` of any size.
fn single_arguments(range: (f64, f64), n: usize) -> Vec<f32> {
    let mut random = Random(n as u64);
    let mut all: Vec<f32> = EDGES.iter().map(|x| *x as f32).collect();
    all.extend((0..n).map(|_| random.between(range) as f32));
    all.extend((0..n).map(|_| f32::from_bits(random.bits() as u32)));
    all
}

/// How many floats lie between two, and one more; none, if both are no numbers.
fn distance(x: f64, y: f64) -> u64 {
    let order = |x: f64| {
        let size = (x.to_bits() & (u64::MAX >> 1)).cast_signed();
        if x.is_sign_negative() { -size } else { size }
    };
    match (x.is_nan(), y.is_nan()) {
        (true, true) => 0,
        (true, false) | (false, true) => u64::MAX,
        (false, false) if x == 0.0 && y == 0.0 && x.is_sign_negative() != y.is_sign_negative() => {
            u64::MAX
        }
        (false, false) => order(x).abs_diff(order(y)),
    }
}

/// The same for `f32`.
fn single_distance(x: f32, y: f32) -> u32 {
    let order = |x: f32| {
        let size = (x.to_bits() & (u32::MAX >> 1)).cast_signed();
        if x.is_sign_negative() { -size } else { size }
    };
    match (x.is_nan(), y.is_nan()) {
        (true, true) => 0,
        (true, false) | (false, true) => u32::MAX,
        (false, false) if x == 0.0 && y == 0.0 && x.is_sign_negative() != y.is_sign_negative() => {
            u32::MAX
        }
        (false, false) => order(x).abs_diff(order(y)),
    }
}
