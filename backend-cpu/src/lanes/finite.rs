//! Whether numbers are finite.

use super::{LaneFn, Lanes, instance};
use crate::isa::Isa;
use cotangent_core::types::ScalarType;
use std::marker::PhantomData;

/// Whether all of `n` elements of type `ty` are finite; integers always are.
///
/// # Safety
/// `from` is valid for reading them, and the machine has the instruction set.
pub(crate) unsafe fn is_finite(isa: Isa, ty: ScalarType, n: usize, from: *const u8) -> bool {
    let f: LaneFn = match ty {
        ScalarType::F32 => instance::<Finite<u32, 0x7f80_0000>>(isa),
        ScalarType::F64 => instance::<Finite<u64, 0x7ff0_0000_0000_0000>>(isa),
        ScalarType::Bool | ScalarType::I32 | ScalarType::I64 => return true,
    };
    let mut all = false;
    // SAFETY: the caller says so; one truth value is written.
    unsafe { f(n, (&raw mut all).cast(), from, from, from) }
    all
}

/// `*dst` becomes whether no element has all bits of the exponent.
struct Finite<T, const EXPONENT: u64>(PhantomData<T>);

macro_rules! finite {
    ($($bits:ty)*) => {$(
        impl<const EXPONENT: u64> Lanes for Finite<$bits, EXPONENT> {
            #[inline(always)]
            unsafe fn run(n: usize, dst: *mut u8, a: *const u8, _: *const u8, _: *const u8) {
                let exponent = EXPONENT as $bits;
                // SAFETY: the contract of `LaneFn`, but for a single result.
                let elements = unsafe { std::slice::from_raw_parts(a.cast::<$bits>(), n) };
                let strange = |x: &$bits| <$bits>::from(x & exponent == exponent);
                let any = elements.iter().fold(0, |any, x| any | strange(x));
                // SAFETY: as above.
                unsafe { *dst.cast::<bool>() = any == 0 }
            }
        }
    )*};
}

finite! { u32 u64 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_strange_number_is_enough() {
        let is_finite = |isa, x: &[f64]| {
            // SAFETY: the slice has its length.
            unsafe { is_finite(isa, ScalarType::F64, x.len(), x.as_ptr().cast()) }
        };
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            let mut numbers = vec![f64::MAX; 77];
            assert!(is_finite(isa, &numbers));
            assert!(is_finite(isa, &[]));
            for (at, strange) in [(0, f64::NAN), (40, f64::INFINITY), (76, -f64::INFINITY)] {
                let old = std::mem::replace(&mut numbers[at], strange);
                assert!(!is_finite(isa, &numbers));
                numbers[at] = old;
            }
        }
    }

    #[test]
    fn integers_are_finite() {
        let ones = [-1i64; 3];
        // SAFETY: the array has three elements.
        assert!(unsafe { is_finite(Isa::Baseline, ScalarType::I64, 3, ones.as_ptr().cast()) });
    }
}
