//! Conversions between floats and the integers in their bit patterns, and polynomials, for both widths.
//!
//! No instruction set below AVX-512 converts between vectors of `f64` and `i64`. Here an integer travels
//! in the low bits of a float near 1.5 · 2⁵² instead.

/// 1.5 · 2⁵²: adding it to a small float rounds that to an integer, which stands in the low bits.
const MAGIC: f64 = 6_755_399_441_055_744.0;

/// The bits of √½.
const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
/// The bits below the exponent.
const FRACTION: u64 = (1 << 52) - 1;
/// 2⁵².
const TWO_52: f64 = 4_503_599_627_370_496.0;

/// The nearest integer k to x, ties to even, and k + `offset` modulo 2⁵¹ in the low bits, where |x| and
/// the offset are below 2⁵⁰.
#[inline(always)]
pub(super) fn nearest(x: f64, offset: u64) -> (f64, u64) {
    let magic = f64::from_bits(MAGIC.to_bits() + offset);
    let shifted = x + magic;
    (shifted - magic, shifted.to_bits())
}

/// 2ᵏ for −1022 ≤ k ≤ 1023, where the low bits of `bits` hold k + 1023.
#[inline(always)]
pub(super) fn power_of_two(bits: u64) -> f64 {
    f64::from_bits(bits << 52)
}

/// The float of an integer below 2⁵².
#[inline(always)]
pub(super) fn small_to_float(n: u64) -> f64 {
    f64::from_bits(n | TWO_52.to_bits()) - TWO_52
}

/// A positive number as 2ᵏ m with √½ ≤ m < √2.
pub(super) struct Scaled {
    pub(super) k: f64,
    /// k + 1023 in the low bits.
    pub(super) bits: u64,
    pub(super) m: f64,
}

/// Splits a positive, normal number.
#[inline(always)]
pub(super) fn scaled(x: f64) -> Scaled {
    let shifted = x.to_bits().wrapping_add(1.0_f64.to_bits() - SQRT_HALF);
    let bits = (shifted >> 52) & 0x7ff;
    Scaled {
        k: small_to_float(bits) - 1023.0,
        bits,
        m: f64::from_bits((shifted & FRACTION) + SQRT_HALF),
    }
}

/// `x` where `mask` has all bits set, `y` where it has none.
#[inline(always)]
pub(super) fn pick(mask: u64, x: f64, y: f64) -> f64 {
    f64::from_bits((x.to_bits() & mask) | (y.to_bits() & !mask))
}

/// All bits set where bit 0 of `bits` is.
#[inline(always)]
pub(super) fn spread_bit(bits: u64) -> u64 {
    (bits & 1).wrapping_neg()
}

/// The smaller; x where that is not a number.
#[inline(always)]
pub(super) fn at_most(x: f64, limit: f64) -> f64 {
    if x > limit { limit } else { x }
}

/// Whether x ≥ 0 is an integer.
#[inline(always)]
pub(super) fn is_integer(x: f64) -> bool {
    let rounded = (x + TWO_52) - TWO_52;
    (rounded == x) | (x >= TWO_52)
}

/// The polynomial whose coefficients, from the constant one up, are given.
#[inline(always)]
pub(super) fn polynomial<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let mut sum = coefficients[N - 1];
    let mut n = N - 1;
    while n > 0 {
        n -= 1;
        sum = sum * x + coefficients[n];
    }
    sum
}
