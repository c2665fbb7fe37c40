//! Powers.
//!
//! xʸ = e^(y ln x), where the product may be 745 and so needs ten bits more than a float has: logarithm
//! and product are sums of two floats. The special cases are those of IEEE 754 and C99.

use super::exp::{LN_2_HI, LN_2_LO, exp_of_pair};
use super::ln::scaled_subnormal;
use super::pair::Pair;
use crate::math::bits::{is_integer, polynomial};

/// ⅔, the first coefficient of the series of 2 artanh s.
const TWO_THIRDS: Pair = Pair {
    hi: 0.6666666666666666,
    lo: 3.700743415417188e-17,
};

/// The others: ((2 artanh s ∕ s − 2) ∕ s² − ⅔) ∕ s² in s², to 2⁻⁵¹.
const SERIES: [f64; 7] = [
    0.4000000000000003,
    0.28571428571337104,
    0.2222222227168678,
    0.18181808158771623,
    0.15385580877426505,
    0.13285765805968022,
    0.1291587834639015,
];

/// Beyond this exponent, eˣ overflows or underflows anyhow.
const EXPONENT_LIMIT: f64 = 800.0;

/// ln x for a positive finite x, to 2⁻⁶⁵.
#[inline(always)]
fn ln(x: f64) -> Pair {
    let (k, m) = scaled_subnormal(x);
    let numerator = Pair {
        hi: m - 1.0,
        lo: 0.0,
    };
    let s = numerator.over(Pair::of_ordered_sum(1.0, m));
    let square = s.times(s).split();
    let tail = square.sum() * polynomial(square.sum(), &SERIES);
    let factor = Pair::of_ordered_sum(TWO_THIRDS.hi, tail);
    let factor = Pair {
        lo: factor.lo + TWO_THIRDS.lo,
        ..factor
    }
    .split();
    let cubic = s.times(square.times(factor).split());
    let start = Pair::of_ordered_sum(k * LN_2_HI, s.hi + s.hi);
    let sum = Pair::of_ordered_sum(start.hi, cubic.hi);
    let rest = (s.lo + s.lo) + cubic.lo + k * LN_2_LO;
    Pair {
        hi: sum.hi,
        lo: (start.lo + sum.lo) + rest,
    }
}

/// |x|ʸ for a number x and a number y, except that a limit of 1^∞ is not a number.
#[inline(always)]
fn power_of_size(size: f64, y: f64) -> f64 {
    let log = ln(size).split();
    let product = Pair { hi: y, lo: 0.0 }.split().times(log);
    let exponent = Pair::of_ordered_sum(product.hi, product.lo);
    // Beyond any logarithm, so that powers of 0 and ∞ overflow or underflow as they should.
    let edge = if size == 0.0 { -y } else { y };
    let regular = (size > 0.0) & (size <= f64::MAX);
    let high = if regular {
        y * log.sum()
    } else {
        edge * f64::INFINITY
    };
    let inside = regular & (high.abs() < EXPONENT_LIMIT);
    exp_of_pair(
        if inside { exponent.hi } else { high },
        if inside { exponent.lo } else { 0.0 },
    )
}

/// xʸ, where `value` is |x|ʸ, except that a limit of 1^∞ is not a number.
#[inline(always)]
pub(in crate::math) fn with_special_cases(x: f64, y: f64, value: f64) -> f64 {
    let (size, exponent) = (x.abs(), y.abs());
    let integer = is_integer(exponent);
    let odd = integer & !is_integer(0.5 * exponent);
    let negative = x.is_sign_negative();
    let value = if negative & odd { -value } else { value };
    let root = negative & !integer & (size > 0.0) & (size <= f64::MAX);
    let value = if root { f64::NAN } else { value };
    // A sum of the two would be either of them, depending on the order of operands.
    let value = if y.is_nan() { y } else { value };
    let value = if x.is_nan() { x } else { value };
    let unit = (x == 1.0) | (y == 0.0) | ((size == 1.0) & (exponent == f64::INFINITY));
    if unit { 1.0 } else { value }
}

/// xʸ, to 1.3 units in the last place.
#[inline(always)]
pub(crate) fn pow(x: f64, y: f64) -> f64 {
    with_special_cases(x, y, power_of_size(x.abs(), y))
}
