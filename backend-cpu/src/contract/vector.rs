//! Vectors of the instruction sets, as far as matrix products need them.
//!
//! `multiply_add` rounds once where there are instructions for it, and twice on the baseline: this is the one
//! place where the choice of instructions may change a result.
//!
//! Unsafe code: intrinsics. Every method may only be called where its instruction set is enabled.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256, __m256d, __m512, __m512d, _mm256_add_pd, _mm256_add_ps, _mm256_fmadd_pd,
    _mm256_fmadd_ps, _mm256_loadu_pd, _mm256_loadu_ps, _mm256_set1_pd, _mm256_set1_ps,
    _mm256_storeu_pd, _mm256_storeu_ps, _mm512_add_pd, _mm512_add_ps, _mm512_fmadd_pd,
    _mm512_fmadd_ps, _mm512_loadu_pd, _mm512_loadu_ps, _mm512_set1_pd, _mm512_set1_ps,
    _mm512_storeu_pd, _mm512_storeu_ps,
};

/// A number that matrices consist of.
pub(super) trait Element: Copy + Send + Sync + 'static {
    /// Zero.
    const ZERO: Self;
    /// The sum.
    fn plus(self, other: Self) -> Self;
}

impl Element for f32 {
    const ZERO: Self = 0.0;
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

impl Element for f64 {
    const ZERO: Self = 0.0;
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

/// Several numbers at once.
///
/// # Safety
/// All methods need the instruction set of the vector; addresses are valid for `LANES` elements (one, for
/// `broadcast`).
pub(super) trait Vector: Copy {
    /// The type of the lanes.
    type Elem: Element;
    /// The number of lanes.
    const LANES: usize;
    /// The same value in all lanes.
    unsafe fn splat(x: Self::Elem) -> Self;
    /// Reads neighbours.
    unsafe fn load(at: *const Self::Elem) -> Self;
    /// Writes neighbours.
    unsafe fn store(self, at: *mut Self::Elem);
    /// The sum.
    unsafe fn add(self, other: Self) -> Self;
    /// `self + x · y`.
    unsafe fn multiply_add(self, x: Self, y: Self) -> Self;
}

/// Vectors for machines of which nothing is known.
#[derive(Clone, Copy)]
pub(super) struct Plain<T, const N: usize>([T; N]);

macro_rules! plain {
    ($($elem:ty = $lanes:literal;)*) => {$(
        impl Vector for Plain<$elem, $lanes> {
            type Elem = $elem;
            const LANES: usize = $lanes;
            #[inline(always)]
            unsafe fn splat(x: $elem) -> Self {
                Self([x; $lanes])
            }
            #[inline(always)]
            unsafe fn load(at: *const $elem) -> Self {
                // SAFETY: the caller says so.
                Self(unsafe { at.cast::<[$elem; $lanes]>().read_unaligned() })
            }
            #[inline(always)]
            unsafe fn store(self, at: *mut $elem) {
                // SAFETY: the caller says so.
                unsafe { at.cast::<[$elem; $lanes]>().write_unaligned(self.0) }
            }
            #[inline(always)]
            unsafe fn add(mut self, other: Self) -> Self {
                for (x, y) in self.0.iter_mut().zip(other.0) {
                    *x += y;
                }
                self
            }
            #[inline(always)]
            unsafe fn multiply_add(mut self, x: Self, y: Self) -> Self {
                for (sum, (x, y)) in self.0.iter_mut().zip(x.0.iter().zip(y.0)) {
                    *sum += x * y;
                }
                self
            }
        }
    )*};
}

plain! {
    f32 = 4;
    f64 = 2;
}

#[cfg(target_arch = "x86_64")]
macro_rules! intrinsics {
    ($($vector:ty: $elem:ty, $lanes:literal,
        $splat:ident $load:ident $store:ident $add:ident $multiply_add:ident;)*) => {$(
        impl Vector for $vector {
            type Elem = $elem;
            const LANES: usize = $lanes;
            #[inline(always)]
            unsafe fn splat(x: $elem) -> Self {
                // SAFETY: the caller says that the instruction is there.
                unsafe { $splat(x) }
            }
            #[inline(always)]
            unsafe fn load(at: *const $elem) -> Self {
                // SAFETY: the caller says so.
                unsafe { $load(at) }
            }
            #[inline(always)]
            unsafe fn store(self, at: *mut $elem) {
                // SAFETY: the caller says so.
                unsafe { $store(at, self) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: the caller says that the instruction is there.
                unsafe { $add(self, other) }
            }
            #[inline(always)]
            unsafe fn multiply_add(self, x: Self, y: Self) -> Self {
                // SAFETY: the caller says that the instruction is there.
                unsafe { $multiply_add(x, y, self) }
            }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
intrinsics! {
    __m256: f32, 8, _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_fmadd_ps;
    __m256d: f64, 4, _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_fmadd_pd;
    __m512: f32, 16, _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_fmadd_ps;
    __m512d: f64, 8, _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_fmadd_pd;
}
