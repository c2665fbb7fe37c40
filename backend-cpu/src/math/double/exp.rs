//! The exponential function and its like.
//!
//! x = k ln 2 + r with |r| ≤ ½ ln 2, so that eˣ = 2ᵏ eʳ; and eʳ = cosh r + sinh r, whose two series in r²
//! are the polynomials here.

use super::pair::Pair;
use crate::math::bits::{at_most, nearest, polynomial, power_of_two};
use std::f64::consts::LOG2_E;

/// ln 2 to 42 binary places: its product with an exponent is exact.
pub(super) const LN_2_HI: f64 = 0.693_147_180_559_890_3;
/// The rest of ln 2.
pub(super) const LN_2_LO: f64 = 5.497_923_018_708_371e-14;

/// (sinh r ∕ r − 1) ∕ r² in r², to 2⁻⁵⁷.
const SINH: [f64; 5] = [
    0.16666666666666669,
    0.008333333333330037,
    0.00019841269863174067,
    2.7557268273567713e-06,
    2.510047389245446e-08,
];

/// (cosh r − 1) ∕ r² in r², to 2⁻⁵³.
const COSH: [f64; 5] = [
    0.5000000000000001,
    0.04166666666662381,
    0.0013888888917370848,
    2.4801521052860206e-05,
    2.762020367160025e-07,
];

/// An argument as k ln 2 + r + `rest`.
struct Reduced {
    /// k + `offset` in the low bits.
    bits: u64,
    /// k.
    k: f64,
    r: f64,
    /// What r lacks, below a unit in its last place.
    rest: f64,
}

/// Splits x + lo, for |x| < 2¹¹ and lo far smaller; `offset` is for [`nearest`].
#[inline(always)]
fn reduce(x: f64, lo: f64, offset: u64) -> Reduced {
    let (k, bits) = nearest(x * LOG2_E, offset);
    let high = x - k * LN_2_HI;
    let low = k * LN_2_LO - lo;
    let r = high - low;
    Reduced {
        bits,
        k,
        r,
        rest: (high - r) - low,
    }
}

impl Reduced {
    /// eʳ − 1 − r.
    #[inline(always)]
    fn exp_tail(&self) -> f64 {
        let square = self.r * self.r;
        square * (polynomial(square, &COSH) + self.r * polynomial(square, &SINH))
    }

    /// 2ᵏ eʳ for an offset of 2046.
    #[inline(always)]
    fn scaled(&self, fraction: f64) -> f64 {
        // 2ᵏ may be out of range while the result is not, so it is multiplied by in two halves.
        let half = self.bits >> 1;
        fraction * power_of_two(half) * power_of_two(self.bits.wrapping_sub(half))
    }
}

/// Below this eˣ is zero.
const VANISHES: f64 = -746.0;

/// x, or a limit beyond which eˣ overflows; any argument that is harmless where it vanishes, because arithmetic
/// that underflows takes a hundred times as long.
#[inline(always)]
fn clamped(x: f64) -> f64 {
    let x = at_most(x, 710.0);
    if x < VANISHES { -1.0 } else { x }
}

/// eˣ, given that of the clamped argument.
#[inline(always)]
fn unless_vanishing(x: f64, exp: f64) -> f64 {
    if x < VANISHES { 0.0 } else { exp }
}

/// eˣ, to 1.1 units in the last place; subnormal results are rounded twice.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    let reduced = reduce(clamped(x), 0.0, 2046);
    unless_vanishing(x, reduced.scaled(1.0 + (reduced.r + reduced.exp_tail())))
}

/// eˣ⁺ˡᵒ, where lo is at most about a unit in the last place of x, to 0.9 units in the last place.
#[inline(always)]
pub(super) fn exp_of_pair(x: f64, lo: f64) -> f64 {
    let reduced = reduce(clamped(x), lo, 2046);
    let fraction = 1.0 + (reduced.r + (reduced.exp_tail() + reduced.rest));
    unless_vanishing(x, reduced.scaled(fraction))
}

/// eˣ for 0 ≤ x < 700, to 1.1 units in the last place.
#[inline(always)]
pub(super) fn exp_in_range(x: f64) -> f64 {
    let reduced = reduce(x, 0.0, 1023);
    let fraction = 1.0 + (reduced.r + reduced.exp_tail());
    fraction * power_of_two(reduced.bits)
}

/// eˣ − 1, to 1.2 units in the last place.
#[inline(always)]
pub(crate) fn exp_m1(x: f64) -> f64 {
    let clamped = at_most(x, 710.0);
    let clamped = if clamped < -40.0 { -40.0 } else { clamped };
    let reduced = reduce(clamped, 0.0, 1022);
    // Half the result, because 2ᵏ may be out of range while the result is not.
    let scale = power_of_two(reduced.bits);
    let sum = Pair::of_ordered_sum(scale - 0.5, scale * reduced.r);
    let half = sum.hi + (sum.lo + scale * (reduced.exp_tail() + reduced.rest));
    if x.abs() < 1e-17 { x } else { 2.0 * half }
}

/// The parts of cosh and sinh that they share: with A, B = ½ (2ᵏ ∓ 2⁻ᵏ), cosh r = 1 + c and
/// sinh r = r + s, they are sinh x = A + B r + A c + B s and cosh x = B + A r + B c + A s.
struct Hyperbolic {
    /// A ∕ 4.
    odd: f64,
    /// B ∕ 4.
    even: f64,
    r: f64,
    cosh_tail: f64,
    sinh_tail: f64,
}

/// The parts for |x|.
#[inline(always)]
fn hyperbolic(x: f64) -> Hyperbolic {
    let reduced = reduce(at_most(x.abs(), 711.0), 0.0, 1020);
    let square = reduced.r * reduced.r;
    // From an exponent of 60 on, 2⁻ᵏ does not matter any more.
    let (_, small_bits) = nearest(-at_most(reduced.k, 60.0), 1020);
    let scale = power_of_two(reduced.bits);
    let inverse = power_of_two(small_bits);
    Hyperbolic {
        odd: scale - inverse,
        even: scale + inverse,
        r: reduced.r,
        cosh_tail: square * polynomial(square, &COSH),
        sinh_tail: reduced.r * square * polynomial(square, &SINH) + reduced.rest,
    }
}

/// sinh x, to 1.4 units in the last place.
#[inline(always)]
pub(crate) fn sinh(x: f64) -> f64 {
    let parts = hyperbolic(x);
    let sum = Pair::of_ordered_sum(parts.odd, parts.even * parts.r);
    let tail = parts.odd * parts.cosh_tail + parts.even * parts.sinh_tail;
    let result = (sum.hi + (sum.lo + tail)) * 4.0;
    if x.abs() < 1e-9 {
        x
    } else {
        result.copysign(x)
    }
}

/// cosh x, to 1.3 units in the last place.
#[inline(always)]
pub(crate) fn cosh(x: f64) -> f64 {
    let parts = hyperbolic(x);
    let sum = Pair::of_ordered_sum(parts.even, parts.odd * parts.r);
    let tail = parts.even * parts.cosh_tail + parts.odd * parts.sinh_tail;
    (sum.hi + (sum.lo + tail)) * 4.0
}
