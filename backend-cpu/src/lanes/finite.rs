//! Whether numbers are finite.

use super::{LaneFn, Lanes, instance};
use crate::isa::Isa;
use cotangent_core::integer_type;
use cotangent_core::types::ScalarType;
use std::marker::PhantomData;

/// Which infinities some numbers contain; a NaN counts as both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Infinities {
    /// Whether one is −∞ or NaN.
    pub negative: bool,
    /// Whether one is ∞ or NaN.
    pub positive: bool,
}

impl Infinities {
    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        !self.negative && !self.positive
    }
}

impl std::ops::BitOrAssign for Infinities {
    fn bitor_assign(&mut self, other: Self) {
        self.negative |= other.negative;
        self.positive |= other.positive;
    }
}

/// The infinities among `n` elements of type `ty`; integers are finite.
///
/// # Safety
/// `from` is valid for reading them, and the machine has the instruction set.
pub(crate) unsafe fn infinities(isa: Isa, ty: ScalarType, n: usize, from: *const u8) -> Infinities {
    let f: LaneFn = match ty {
        ScalarType::F32 => instance::<Search<f32>>(isa),
        ScalarType::F64 => instance::<Search<f64>>(isa),
        ScalarType::Bool | integer_type!() | ScalarType::F16 => {
            return Infinities::default();
        }
    };
    let mut found = Infinities::default();
    // SAFETY: `n` elements of type `ty` can be read at `from`; the search writes one `Infinities`, which `found`
    // has room for.
    unsafe { f(n, (&raw mut found).cast(), from, from, from) }
    found
}

/// `*dst` becomes the [`Infinities`].
struct Search<T>(PhantomData<T>);

macro_rules! search {
    ($($float:ident: $bits:ty;)*) => {$(
        impl Lanes for Search<$float> {
            #[inline(always)]
            unsafe fn run(n: usize, dst: *mut u8, a: *const u8, _: *const u8, _: *const u8) {
                // SAFETY: the contract of `LaneFn`, but for a single result.
                let elements = unsafe { std::slice::from_raw_parts(a.cast::<$float>(), n) };
                const SIGN: $bits = 1 << (<$bits>::BITS - 1);
                // An exponent of ones only, which is that of infinities and NaNs, overflows into the sign.
                const ONE: $bits = 1 << ($float::MANTISSA_DIGITS - 1);
                let carry = |x: &$float| (x.to_bits() & !SIGN) + ONE;
                let carries = elements.iter().fold(0, |all, x| all | carry(x));
                let found = match carries & SIGN == 0 {
                    true => Infinities::default(),
                    false => Infinities {
                        negative: elements.iter().any(|x| x.is_nan() || *x == $float::NEG_INFINITY),
                        positive: elements.iter().any(|x| x.is_nan() || *x == $float::INFINITY),
                    },
                };
                // SAFETY: the destination is one `Infinities`, which `infinities` passes.
                unsafe { *dst.cast::<Infinities>() = found }
            }
        }
    )*};
}

search! {
    f32: u32;
    f64: u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<T>(isa: Isa, ty: ScalarType, x: &[T]) -> [bool; 2] {
        // SAFETY: the slice has its length.
        let found = unsafe { infinities(isa, ty, x.len(), x.as_ptr().cast()) };
        assert_eq!(found.is_empty(), !found.negative && !found.positive);
        [found.negative, found.positive]
    }

    #[test]
    fn one_strange_number_is_enough() {
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            let single = [f32::MIN, f32::INFINITY, 0.0];
            assert_eq!(found(isa, ScalarType::F32, &single), [false, true]);
            let mut numbers = vec![f64::MAX; 77];
            assert_eq!(found(isa, ScalarType::F64, &numbers), [false; 2]);
            assert_eq!(found::<f64>(isa, ScalarType::F64, &[]), [false; 2]);
            for (at, strange, expected) in [
                (0, f64::NAN, [true, true]),
                (40, f64::INFINITY, [false, true]),
                (76, -f64::INFINITY, [true, false]),
            ] {
                let old = std::mem::replace(&mut numbers[at], strange);
                assert_eq!(found(isa, ScalarType::F64, &numbers), expected);
                numbers[at] = old;
            }
        }
    }

    #[test]
    fn integers_are_finite() {
        assert_eq!(
            found(Isa::Baseline, ScalarType::I64, &[-1i64; 3]),
            [false; 2]
        );
    }
}
