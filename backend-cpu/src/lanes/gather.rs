//! Loops that read elements at offsets that are not known in advance.
//!
//! Unsafe code: raw pointers, as in the module above.

use super::{LaneFn, Lanes, by_width, column, destination, instance};
use crate::isa::Isa;
use cotangent_core::types::ScalarType;
use std::marker::PhantomData;

/// The loops for one type of elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GatherFns {
    /// `dst[i] = b[a[i]]`, of offsets of 32 bits; `b` is the array.
    pub narrow: LaneFn,
    /// The same, of offsets of 64 bits.
    pub wide: LaneFn,
    /// The same where `c[i]`, and 0 elsewhere.
    masked: LaneFn,
    /// The same of offsets of 32 bits that are tested on the way, where that is faster.
    pub tested: Option<TestedFn>,
}

/// `dst[i] = from[index[i]]` where `on[i]` (everywhere, if there is no `on`) and the index is below the extent, and 0
/// elsewhere. Whether all that are on are.
///
/// # Safety
/// There are `n` indices, truth values if any, and places to write; `from` has as many elements as the extent says; what is
/// written overlaps nothing else.
pub(crate) type TestedFn =
    unsafe fn(n: usize, dst: *mut u8, array: Bounded, index: *const i32, on: *const bool) -> bool;

/// An array of one dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounded {
    pub from: *const u8,
    pub extent: u32,
}

/// The loops for elements of type `ty`.
pub(crate) fn gather_fns(isa: Isa, ty: ScalarType) -> GatherFns {
    #[cfg(target_arch = "x86_64")]
    if isa == Isa::Avx512 && ty.bytes() == 8 {
        return GatherFns {
            narrow: x86::narrow,
            wide: x86::wide,
            masked: x86::masked,
            tested: Some(tested::of_64_bits),
        };
    }
    #[cfg(target_arch = "x86_64")]
    let tested = (isa == Isa::Avx512 && ty.bytes() == 4).then_some(tested::of_32_bits as TestedFn);
    #[cfg(not(target_arch = "x86_64"))]
    let tested = None;
    by_width!(ty, T => GatherFns {
        narrow: instance::<Gather<T, i32>>(isa),
        wide: instance::<Gather<T, i64>>(isa),
        masked: instance::<Masked<T>>(isa),
        tested,
    })
}

struct Gather<T, O>(PhantomData<(T, O)>);

impl<T: Copy, O: Copy + Into<i64>> Lanes for Gather<T, O> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, _: *const u8) {
        let from = b.cast::<T>();
        // SAFETY: the contract of `LaneFn`; the array has an element at every offset.
        unsafe {
            let (out, offsets) = (destination::<T>(dst, n), column::<O>(a, n));
            for (out, &offset) in out.iter_mut().zip(offsets) {
                let offset: i64 = offset.into();
                *out = *from.offset(offset as isize);
            }
        }
    }
}

struct Masked<T>(PhantomData<T>);

impl<T: Copy + Default> Lanes for Masked<T> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, c: *const u8) {
        let from = b.cast::<T>();
        // SAFETY: the contract of `LaneFn`; the array has an element at every offset that is on.
        unsafe {
            let (out, offsets, on) = (
                destination::<T>(dst, n),
                column::<i64>(a, n),
                column::<bool>(c, n),
            );
            for ((out, &offset), &on) in out.iter_mut().zip(offsets).zip(on) {
                *out = if on {
                    *from.offset(offset as isize)
                } else {
                    T::default()
                };
            }
        }
    }
}

/// `to[i] = on[i] ? from[at[i]] : 0` for each `i`.
///
/// # Safety
/// The elements that are on are valid for reading, all destinations for writing, and they do not overlap; they
/// have the type that the loops were made for.
pub(crate) unsafe fn masked_gather(
    fns: GatherFns,
    on: &[bool],
    from: *const u8,
    at: &[i64],
    to: *mut u8,
) {
    // SAFETY: the elements that are on can be read and all destinations be written; there are as many offsets and
    // truth values as lanes.
    unsafe { (fns.masked)(on.len(), to, at.as_ptr().cast(), from, on.as_ptr().cast()) }
}

#[cfg(target_arch = "x86_64")]
mod tested;

#[cfg(target_arch = "x86_64")]
mod x86 {
    //! Elements of 64 bits with the instructions that AVX-512 has for it. (The loop above would take half as long
    //! again: each of its reads waits for a write before it that might go to the same place.)

    use super::{Gather, Masked};
    use crate::lanes::Lanes;
    use std::arch::x86_64::*;

    /// # Safety
    /// As for [`LaneFn`](super::LaneFn).
    #[target_feature(enable = "avx512f,avx512vl")]
    pub(super) unsafe fn narrow(
        n: usize,
        dst: *mut u8,
        a: *const u8,
        b: *const u8,
        unused: *const u8,
    ) {
        let whole = n / 8 * 8;
        for i in (0..whole).step_by(8) {
            // SAFETY: lanes `i .. i + 8` are below `n`: there are as many indices, their elements can be read, and
            // their destinations be written.
            unsafe {
                let index = _mm256_loadu_si256(a.cast::<i32>().add(i).cast());
                let found = _mm512_i32gather_epi64::<8>(index, b.cast());
                _mm512_storeu_si512(dst.cast::<i64>().add(i).cast(), found);
            }
        }
        // SAFETY: the lanes from `whole` on are what is left of `n`, in the indices and in the destination.
        unsafe {
            let (to, index) = (dst.add(whole * 8), a.add(whole * 4));
            Gather::<u64, i32>::run(n - whole, to, index, b, unused);
        }
    }

    /// # Safety
    /// As for [`LaneFn`](super::LaneFn).
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn wide(
        n: usize,
        dst: *mut u8,
        a: *const u8,
        b: *const u8,
        unused: *const u8,
    ) {
        let whole = n / 8 * 8;
        for i in (0..whole).step_by(8) {
            // SAFETY: lanes `i .. i + 8` are below `n`: there are as many offsets, their elements can be read, and
            // their destinations be written.
            unsafe {
                let index = _mm512_loadu_si512(a.cast::<i64>().add(i).cast());
                let found = _mm512_i64gather_epi64::<8>(index, b.cast());
                _mm512_storeu_si512(dst.cast::<i64>().add(i).cast(), found);
            }
        }
        // SAFETY: the lanes from `whole` on are what is left of `n`, in the offsets and in the destination.
        unsafe {
            let (to, index) = (dst.add(whole * 8), a.add(whole * 8));
            Gather::<u64, i64>::run(n - whole, to, index, b, unused);
        }
    }

    /// # Safety
    /// As for [`LaneFn`](super::LaneFn).
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub(super) unsafe fn masked(n: usize, dst: *mut u8, a: *const u8, b: *const u8, c: *const u8) {
        let whole = n / 8 * 8;
        for i in (0..whole).step_by(8) {
            // SAFETY: lanes `i .. i + 8` are below `n`: there are as many truth values and offsets; elements are
            // read where they are on only.
            unsafe {
                let on = _mm_loadl_epi64(c.add(i).cast());
                let on = _mm_test_epi8_mask(on, on) as u8;
                let index = _mm512_loadu_si512(a.cast::<i64>().add(i).cast());
                let zero = _mm512_setzero_si512();
                let found = _mm512_mask_i64gather_epi64::<8>(zero, on, index, b.cast());
                _mm512_storeu_si512(dst.cast::<i64>().add(i).cast(), found);
            }
        }
        // SAFETY: the lanes from `whole` on are what is left of `n`, in truth values, offsets and the destination.
        unsafe {
            let (to, index) = (dst.add(whole * 8), a.add(whole * 8));
            Masked::<u64>::run(n - whole, to, index, b, c.add(whole));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_reads_at_its_offset() {
        let array: Vec<f64> = (0..1000).map(f64::from).collect();
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            let fns = gather_fns(isa, ScalarType::F64);
            let GatherFns { narrow, wide, .. } = fns;
            for n in [0, 1, 7, 8, 9, 100] {
                let index: Vec<i32> = (0..n).map(|i| i * 389 % 1000).collect();
                let offsets: Vec<i64> = index.iter().map(|&i| i64::from(i)).collect();
                let expected: Vec<f64> = index.iter().map(|&i| f64::from(i)).collect();
                let mut found = [vec![0.0; n as usize], vec![0.0; n as usize]];
                let (from, unused) = (array.as_ptr().cast(), std::ptr::null());
                let to = found.each_mut().map(|f| f.as_mut_ptr().cast());
                // SAFETY: there are `n` offsets, all of them inside the array.
                unsafe {
                    narrow(n as usize, to[0], index.as_ptr().cast(), from, unused);
                    wide(n as usize, to[1], offsets.as_ptr().cast(), from, unused);
                }
                assert_eq!(found, [expected.clone(), expected.clone()], "{isa:?} {n}");
                let on: Vec<bool> = (0..n).map(|i| i % 3 != 1).collect();
                let offsets = offsets.iter().zip(&on);
                let offsets: Vec<i64> = offsets
                    .map(|(&o, on)| if *on { o } else { -9999 })
                    .collect();
                // SAFETY: the offsets that are on are inside the array.
                unsafe { masked_gather(fns, &on, from, &offsets, to[0]) }
                let masked = expected
                    .iter()
                    .zip(&on)
                    .map(|(x, on)| if *on { *x } else { 0.0 });
                assert_eq!(found[0], masked.collect::<Vec<_>>(), "{isa:?} {n}");
            }
        }
    }
}
