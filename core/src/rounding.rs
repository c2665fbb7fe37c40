//! Half-precision numbers and their roundings.
//!
//! `f16` is a format to keep numbers in: what is computed with them is computed in `f32` or `f64` and rounded
//! to the nearest number, of two that are as near the even one. The conversions here have no branches, so that
//! loops over them become vector code. (`half` has conversions, too; but its `from_f64` goes through `f32` on
//! some machines and leaves 32 bits out on others, and so rounds numbers near the middle of two the wrong way.)

pub use half::f16;

/// The number as `f32`, which has all of them.
#[inline(always)]
pub fn f32_of_f16(x: f16) -> f32 {
    let bits = u32::from(x.to_bits());
    let magnitude = (bits & 0x7fff) << 13;
    // The exponent is 112 too low; multiplying mends that, of subnormal numbers, too.
    let finite = (f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23)).to_bits();
    let special = magnitude | 0xff << 23;
    let found = if magnitude < 0x7c00 << 13 {
        finite
    } else {
        special
    };
    f32::from_bits(found | (bits & 0x8000) << 16)
}

/// The nearest number; ∞ beyond the greatest, 65504, by half a unit or more.
#[inline(always)]
pub fn f16_of_f32(x: f32) -> f16 {
    let sign = x.to_bits() >> 16 & 0x8000;
    let bits = x.to_bits() & 0x7fff_ffff;
    // In the last place kept, a half goes to the even number. Numbers that round beyond 65504 become ∞ so.
    let odd = bits >> 13 & 1;
    let normal = (bits.wrapping_add(0xfff + odd) >> 13).wrapping_sub(112 << 10);
    // Below the normal numbers, all are multiples of 2⁻²⁴, the unit of numbers next to ½.
    let half = 0.5f32;
    let subnormal = (f32::from_bits(bits) + half)
        .to_bits()
        .wrapping_sub(half.to_bits());
    let nan = 0x7e00 | bits >> 13 & 0x1ff;
    let number = if bits < 113 << 23 { subnormal } else { normal };
    let finite = if bits < 143 << 23 { number } else { 0x7c00 };
    let found = if bits > 0xff << 23 { nan } else { finite };
    f16::from_bits((found | sign) as u16)
}

/// The nearest number, rounded once.
#[inline(always)]
pub fn f16_of_f64(x: f64) -> f16 {
    f16_of_f32(odd_f32_of_f64(x))
}

/// The number as `f32` if that has it, else the one of its two neighbours whose last bit is 1. As that is not in the
/// middle between two numbers of fewer digits, they are found as if the number itself was rounded.
#[inline(always)]
fn odd_f32_of_f64(x: f64) -> f32 {
    let near = x as f32;
    let bits = near.to_bits();
    let is_kept = f64::from(near) == x || bits & 1 == 1;
    let beyond = f64::from(near.abs()) > x.abs();
    let other = if beyond {
        bits.wrapping_sub(1)
    } else {
        bits.wrapping_add(1)
    };
    let found = if is_kept || x.is_nan() { bits } else { other };
    f32::from_bits(found)
}

/// The `f32` of fewest digits that is rounded to a finite `x`.
pub fn shortest(x: f16) -> f32 {
    let exact = f32_of_f16(x);
    let rounded = (0..5).filter_map(|digits| format!("{exact:.digits$e}").parse().ok());
    let mut same = rounded.filter(|&short: &f32| f16_of_f32(short) == x);
    same.next().unwrap_or(exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = f16> {
        (0..=u16::MAX).map(f16::from_bits)
    }

    #[test]
    fn every_number_goes_there_and_back() {
        for x in all() {
            let wide = f32_of_f16(x);
            let expected = x.to_f32_const();
            assert!(wide.to_bits() == expected.to_bits() || (wide.is_nan() && expected.is_nan()));
            let back = [f16_of_f32(wide), f16_of_f64(wide.into())];
            // A signaling NaN becomes a quiet one.
            let bits = if x.is_nan() {
                x.to_bits() | 0x200
            } else {
                x.to_bits()
            };
            assert_eq!(back.map(f16::to_bits), [bits; 2], "{x:?}");
        }
    }

    /// In the middle between two neighbours the even one is nearest, and each of them beyond that.
    #[test]
    fn middles_go_to_even_and_others_to_the_nearest() {
        for bits in 0..0x7c00 {
            let [low, high] = [bits, bits + 1].map(f16::from_bits);
            let even = if bits % 2 == 0 { low } else { high };
            // Beyond the greatest number, the next one would be 65536.
            let above = if high.is_infinite() {
                65536.0
            } else {
                high.to_f64()
            };
            let middle = (low.to_f64() + above) / 2.0;
            for sign in [1.0, -1.0] {
                let expected = |x: f16| if sign < 0.0 { -x } else { x };
                let cases = [
                    (middle.next_down(), low),
                    (middle, even),
                    (middle.next_up(), high),
                ];
                for (x, nearest) in cases {
                    assert_eq!(f16_of_f64(sign * x), expected(nearest), "{x}");
                }
                let middle = middle as f32;
                let cases = [
                    (middle.next_down(), low),
                    (middle, even),
                    (middle.next_up(), high),
                ];
                for (x, nearest) in cases {
                    assert_eq!(f16_of_f32(sign as f32 * x), expected(nearest), "{x}");
                }
            }
        }
    }

    #[test]
    fn far_numbers_saturate() {
        for x in [65520.0, 1e5, 1e30, f64::MAX, f64::INFINITY] {
            assert_eq!([x, -x].map(f16_of_f64), [f16::INFINITY, f16::NEG_INFINITY]);
        }
        for x in [1e-8, 1e-30, f64::MIN_POSITIVE, 5e-324, 0.0] {
            assert_eq!([x, -x].map(|x| f16_of_f64(x).to_bits()), [0, 0x8000]);
        }
        assert!(f16_of_f64(f64::NAN).is_nan());
    }

    #[test]
    fn few_digits_are_shown() {
        let texts = [0.1, 65504.0, -0.0, 1.0, 5.96e-8, 0.3333]
            .map(|x| format!("{:?}", shortest(f16_of_f64(x))));
        assert_eq!(texts, ["0.1", "65500.0", "-0.0", "1.0", "6e-8", "0.3333"]);
        for x in all().filter(|x| x.is_finite()) {
            assert_eq!(f16_of_f32(shortest(x)), x);
        }
    }
}
