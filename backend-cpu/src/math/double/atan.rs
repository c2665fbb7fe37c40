//! Arctangent, of a number and of a point.
//!
//! For y, x ≥ 0 and the nearest c of 0, ½, 1, 1½ and ∞, arctan (y ∕ x) = arctan c + arctan t with
//! t = (y − c x) ∕ (x + c y) and |t| ≤ 7∕16. One division serves both functions.

use super::pair::Pair;
use crate::math::bits::{at_most, polynomial};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// (1 − arctan t ∕ t) ∕ t² in t², to 2⁻⁵⁷.
const SERIES: [f64; 12] = [
    0.3333333333333333,
    -0.1999999999999945,
    0.1428571428557471,
    -0.11111111097287384,
    0.09090908382388681,
    -0.0769228620670754,
    0.06666251813696945,
    -0.05877042847857503,
    0.052172832849521504,
    -0.04494606094139784,
    0.033179706537310824,
    -0.014822128745089458,
];

/// What `PI` lacks of π.
const PI_LO: f64 = 1.2246467991473532e-16;

/// From which y ∕ x on to use c, and arctan c in two parts.
struct Center {
    from: f64,
    c: f64,
    angle: f64,
    rest: f64,
}

/// The finite c but 0.
const CENTERS: [Center; 3] = [
    Center {
        from: 0.4375,
        c: 0.5,
        angle: 0.4636476090008061,
        rest: 2.2698777452961687e-17,
    },
    Center {
        from: 0.6875,
        c: 1.0,
        angle: FRAC_PI_4,
        rest: 0.25 * PI_LO,
    },
    Center {
        from: 1.1875,
        c: 1.5,
        angle: 0.982793723247329,
        rest: 1.3903311031230998e-17,
    },
];

/// 2⁶⁰, which makes subnormal coordinates normal without rounding.
const TWO_60: f64 = 1_152_921_504_606_846_976.0;

/// From which y ∕ x on to use c = ∞.
const STEEP: f64 = 2.4375;

/// A point with finite coordinates ≥ 0, none large enough that STEEP · x or 2 y would overflow.
struct Point {
    y: f64,
    x: f64,
    /// Whether the point is meant whose first coordinate is −x.
    mirrored: bool,
}

/// The angle of the point.
#[inline(always)]
fn angle_of<const N: usize>(point: Point, series: &[f64; N]) -> f64 {
    let Point { y, x, mirrored } = point;
    let (mut c, mut angle, mut rest) = (0.0, 0.0, 0.0);
    for center in &CENTERS {
        let past = y > center.from * x;
        c = if past { center.c } else { c };
        angle = if past { center.angle } else { angle };
        rest = if past { center.rest } else { rest };
    }
    let steep = y > STEEP * x;
    let numerator = if steep { -x } else { y - c * x };
    let denominator = if steep { y } else { x + c * y };
    let angle = if steep { FRAC_PI_2 } else { angle };
    let rest = if steep { 0.5 * PI_LO } else { rest };
    let t = numerator / denominator;
    let t = if y == 0.0 { 0.0 } else { t };
    let supplement = Pair::of_ordered_sum(PI, -angle);
    let t = if mirrored { -t } else { t };
    let angle = if mirrored { supplement.hi } else { angle };
    let rest = if mirrored {
        supplement.lo + (PI_LO - rest)
    } else {
        rest
    };
    let square = t * t;
    let tail = t * (square * polynomial(square, series));
    angle - ((tail - rest) - t)
}

/// arctan x by the given series.
#[inline(always)]
pub(in crate::math) fn atan_by<const N: usize>(x: f64, series: &[f64; N]) -> f64 {
    let point = Point {
        y: at_most(x.abs(), 1e20),
        x: 1.0,
        mirrored: false,
    };
    angle_of(point, series).copysign(x)
}

/// arctan x, to 0.9 units in the last place.
#[inline(always)]
pub(crate) fn atan(x: f64) -> f64 {
    atan_by(x, &SERIES)
}

/// The angle of the point (x, y) by the given series.
#[inline(always)]
pub(in crate::math) fn atan2_by<const N: usize>(y: f64, x: f64, series: &[f64; N]) -> f64 {
    let (height, width) = (y.abs(), x.abs());
    let size = if height > width { height } else { width };
    let scale = if size > 1e300 { 0.0625 } else { 1.0 };
    let scale = if size < 1e-300 { TWO_60 } else { scale };
    let infinite = size == f64::INFINITY;
    let point = Point {
        y: if infinite {
            is_infinite(height)
        } else {
            height * scale
        },
        x: if infinite {
            is_infinite(width)
        } else {
            width * scale
        },
        mirrored: x.is_sign_negative(),
    };
    let value = angle_of(point, series).copysign(y);
    // A sum of the two would be either of them, depending on the order of operands.
    let value = if y.is_nan() { y } else { value };
    if x.is_nan() { x } else { value }
}

/// The angle of the point (x, y), to 1.5 units in the last place.
#[inline(always)]
pub(crate) fn atan2(y: f64, x: f64) -> f64 {
    atan2_by(y, x, &SERIES)
}

/// 1 for ∞, 0 for any other x ≥ 0.
#[inline(always)]
fn is_infinite(x: f64) -> f64 {
    if x == f64::INFINITY { 1.0 } else { 0.0 }
}
