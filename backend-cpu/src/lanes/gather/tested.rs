//! Elements at indices that are tested in the same loop that reads them, with the masks of AVX-512.
//!
//! Unsafe code: raw pointers, as in the module above.

use super::Bounded;
use std::arch::x86_64::*;

/// The lanes of a round.
const LANES: usize = 16;

/// The indices of 16 lanes from `i` on; which of these lanes are there, on, and read.
///
/// # Safety
/// As for [`TestedFn`](super::TestedFn), and `i` is below `n`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
unsafe fn lanes(
    (i, n): (usize, usize),
    extent: __m512i,
    index: *const i32,
    on: *const bool,
) -> (__m512i, [__mmask16; 3]) {
    let left = n - i;
    let there = if left >= LANES { !0 } else { (1 << left) - 1 };
    // SAFETY: of the 16 lanes those are read that are below `n`.
    unsafe {
        let index = _mm512_maskz_loadu_epi32(there, index.add(i));
        let on = match on.is_null() {
            true => there,
            false => {
                let on = _mm_maskz_loadu_epi8(there, on.add(i).cast());
                _mm_test_epi8_mask(on, on)
            }
        };
        let read = _mm512_mask_cmplt_epu32_mask(on, index, extent);
        (index, [there, on, read])
    }
}

/// # Safety
/// As for [`TestedFn`](super::TestedFn).
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn of_32_bits(
    n: usize,
    dst: *mut u8,
    Bounded { from, extent }: Bounded,
    index: *const i32,
    on: *const bool,
) -> bool {
    let extent = _mm512_set1_epi32(extent as i32);
    let mut fails = 0;
    for i in (0..n).step_by(LANES) {
        // SAFETY: the caller's; elements are read where the index is below the extent only, and lanes below `n` written.
        unsafe {
            let (index, [there, on, read]) = lanes((i, n), extent, index, on);
            fails |= on & !read;
            let zero = _mm512_setzero_si512();
            let found = _mm512_mask_i32gather_epi32::<4>(zero, read, index, from.cast());
            _mm512_mask_storeu_epi32(dst.cast::<i32>().add(i), there, found);
        }
    }
    fails == 0
}

/// # Safety
/// As for [`TestedFn`](super::TestedFn).
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn of_64_bits(
    n: usize,
    dst: *mut u8,
    Bounded { from, extent }: Bounded,
    index: *const i32,
    on: *const bool,
) -> bool {
    let extent = _mm512_set1_epi32(extent as i32);
    let mut fails = 0;
    for i in (0..n).step_by(LANES) {
        // SAFETY: the caller's; elements are read where the index is below the extent only, and lanes below `n` written.
        unsafe {
            let (index, [there, on, read]) = lanes((i, n), extent, index, on);
            fails |= on & !read;
            let halves = [
                _mm512_castsi512_si256(index),
                _mm512_extracti64x4_epi64::<1>(index),
            ];
            for (half, index) in halves.into_iter().enumerate() {
                let part = |mask: __mmask16| (mask >> (8 * half)) as __mmask8;
                let zero = _mm512_setzero_si512();
                let found = _mm512_mask_i32gather_epi64::<8>(zero, part(read), index, from.cast());
                let to = dst.cast::<i64>().wrapping_add(i + 8 * half);
                _mm512_mask_storeu_epi64(to, part(there), found);
            }
        }
    }
    fails == 0
}

#[cfg(test)]
mod tests {
    use crate::isa::Isa;
    use crate::lanes::gather::{Bounded, gather_fns};
    use cotangent_core::types::ScalarType;

    /// What is found of the numbers from 0 to 999, of type `ty`, at some indices, with 7s behind, and whether all were inside.
    fn found<T>(ty: ScalarType, index: &[i32], on: Option<&[bool]>) -> (Vec<f64>, bool)
    where
        T: Copy + From<i16> + Into<f64>,
    {
        let array: Vec<T> = (0..1000).map(T::from).collect();
        let tested = gather_fns(Isa::Avx512, ty).tested.unwrap();
        let mut to = vec![T::from(7); index.len() + 2];
        let on = on.map_or(std::ptr::null(), <[bool]>::as_ptr);
        let (from, extent) = (array.as_ptr().cast(), 1000);
        let (dst, at) = (to.as_mut_ptr().cast(), index.as_ptr());
        // SAFETY: there are as many indices as places and truth values, and the array has 1000 elements.
        let all = unsafe { tested(index.len(), dst, Bounded { from, extent }, at, on) };
        (to.into_iter().map(T::into).collect(), all)
    }

    #[test]
    fn lanes_that_are_on_and_inside_are_read_and_others_are_zero() {
        if !Isa::Avx512.is_available() {
            return;
        }
        for n in [0, 1, 7, 8, 9, 15, 16, 17, 33, 100] {
            let index: Vec<i32> = (0..n).map(|i| (i * 389 + 7) % 1003 - 2).collect();
            let some: Vec<bool> = (0..n).map(|i| i % 3 != 1).collect();
            let inside: Vec<bool> = index.iter().map(|i| (0..1000).contains(i)).collect();
            for on in [None, Some(&some), Some(&inside)] {
                let is_on = |lane: usize| on.is_none_or(|on| on[lane]);
                let lanes = 0..n as usize;
                let value = |lane: usize| {
                    let is_read = is_on(lane) && inside[lane];
                    if is_read { f64::from(index[lane]) } else { 0.0 }
                };
                let mut expected: Vec<f64> = lanes.clone().map(value).collect();
                expected.extend([7.0, 7.0]);
                let all = lanes.clone().all(|lane| !is_on(lane) || inside[lane]);
                let on = on.map(Vec::as_slice);
                let wide = found::<f64>(ScalarType::F64, &index, on);
                assert_eq!(wide, (expected.clone(), all), "{n} {on:?}");
                let narrow = found::<f32>(ScalarType::F32, &index, on);
                assert_eq!(narrow, (expected, all), "{n} {on:?}");
            }
        }
    }
}
