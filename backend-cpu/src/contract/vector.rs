//! Vectors of the instruction sets, as far as matrix products need them.
//!
//! `multiply_add` rounds once where there are instructions for it, and twice on the baseline: this is the one
//! place where the choice of instructions may change a result.
//!
//! Unsafe code: intrinsics. Every method may only be called where its instruction set is enabled.

use super::algebra::Nans;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256, __m256d, __m512, __m512d, _CMP_ORD_Q, _CMP_UNORD_Q, _mm256_add_pd, _mm256_add_ps,
    _mm256_cmp_pd, _mm256_cmp_ps, _mm256_fmadd_pd, _mm256_fmadd_ps, _mm256_loadu_pd,
    _mm256_loadu_ps, _mm256_max_pd, _mm256_max_ps, _mm256_min_pd, _mm256_min_ps, _mm256_mul_pd,
    _mm256_mul_ps, _mm256_or_pd, _mm256_or_ps, _mm256_set1_pd, _mm256_set1_ps, _mm256_storeu_pd,
    _mm256_storeu_ps, _mm512_add_pd, _mm512_add_ps, _mm512_cmp_pd_mask, _mm512_cmp_ps_mask,
    _mm512_fmadd_pd, _mm512_fmadd_ps, _mm512_loadu_pd, _mm512_loadu_ps, _mm512_mask_max_pd,
    _mm512_mask_max_ps, _mm512_mask_min_pd, _mm512_mask_min_ps, _mm512_max_pd, _mm512_max_ps,
    _mm512_min_pd, _mm512_min_ps, _mm512_mul_pd, _mm512_mul_ps, _mm512_set1_pd, _mm512_set1_ps,
    _mm512_storeu_pd, _mm512_storeu_ps,
};

/// A number that matrices consist of.
pub(super) trait Element: Copy + Send + Sync + 'static {
    /// Zero.
    const ZERO: Self;
    /// No number is below it.
    const LOWEST: Self;
    /// No number is above it.
    const HIGHEST: Self;
    /// The sum.
    fn add(self, other: Self) -> Self;
    /// The product.
    fn mul(self, other: Self) -> Self;
    /// The minimum, as `Prim::Min` has it.
    fn least(self, other: Self) -> Self;
    /// The maximum, as `Prim::Max` has it.
    fn greatest(self, other: Self) -> Self;
}

macro_rules! elements {
    ($($elem:ident)*) => {$(
        impl Element for $elem {
            const ZERO: Self = 0.0;
            const LOWEST: Self = $elem::NEG_INFINITY;
            const HIGHEST: Self = $elem::INFINITY;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn least(self, other: Self) -> Self {
                if self <= other || self.is_nan() { self } else { other }
            }
            #[inline(always)]
            fn greatest(self, other: Self) -> Self {
                if self >= other || self.is_nan() { self } else { other }
            }
        }
    )*};
}

elements! { f32 f64 }

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
    /// The product.
    unsafe fn mul(self, other: Self) -> Self;
    /// The minimum, as `Prim::Min` has it.
    unsafe fn least<C: Nans>(self, other: Self) -> Self;
    /// The maximum, as `Prim::Max` has it.
    unsafe fn greatest<C: Nans>(self, other: Self) -> Self;
    /// `self + x · y`.
    unsafe fn multiply_add(self, x: Self, y: Self) -> Self;
}

/// Vectors for machines of which nothing is known.
#[derive(Clone, Copy)]
pub(super) struct Plain<T, const N: usize>([T; N]);

impl<T: Element, const N: usize> Plain<T, N> {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(T, T) -> T) -> Self {
        Self(std::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
    }
}

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
                // SAFETY: a load asks for `LANES` elements at the address; they may lie at any.
                Self(unsafe { at.cast::<[$elem; $lanes]>().read_unaligned() })
            }
            #[inline(always)]
            unsafe fn store(self, at: *mut $elem) {
                // SAFETY: a store asks for room for `LANES` elements at the address; they may lie at any.
                unsafe { at.cast::<[$elem; $lanes]>().write_unaligned(self.0) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                self.zip(other, |x, y| x + y)
            }
            #[inline(always)]
            unsafe fn mul(self, other: Self) -> Self {
                self.zip(other, |x, y| x * y)
            }
            #[inline(always)]
            unsafe fn least<C: Nans>(self, other: Self) -> Self {
                self.zip(other, |x, y| if y < x || (C::POSSIBLE && y.is_nan() && !x.is_nan()) { y } else { x })
            }
            #[inline(always)]
            unsafe fn greatest<C: Nans>(self, other: Self) -> Self {
                self.zip(other, |x, y| if y > x || (C::POSSIBLE && y.is_nan() && !x.is_nan()) { y } else { x })
            }
            #[inline(always)]
            unsafe fn multiply_add(self, x: Self, y: Self) -> Self {
                // SAFETY: there is nothing to be had for it.
                unsafe { self.add(x.mul(y)) }
            }
        }
    )*};
}

plain! {
    f32 = 4;
    f64 = 2;
}

/// The second operand where it is NaN, else the better one; the instructions give the second of equals, and of
/// numbers of which one is NaN. All bits set are a NaN.
#[cfg(target_arch = "x86_64")]
macro_rules! better_256 {
    ($nans:ident, $x:ident $y:ident, $better:ident $compare:ident $or:ident) => {
        match $nans::POSSIBLE {
            true => $or($better($y, $x), $compare::<_CMP_UNORD_Q>($y, $y)),
            false => $better($y, $x),
        }
    };
}

/// The same by a mask: lanes whose second operand is NaN keep that.
#[cfg(target_arch = "x86_64")]
macro_rules! better_512 {
    ($nans:ident, $x:ident $y:ident, $better:ident $compare:ident $masked:ident) => {
        match $nans::POSSIBLE {
            true => $masked($y, $compare::<_CMP_ORD_Q>($y, $y), $y, $x),
            false => $better($y, $x),
        }
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! intrinsics {
    ($($vector:ty: $elem:ty, $lanes:literal, $splat:ident $load:ident $store:ident $add:ident $mul:ident
        $multiply_add:ident, $better:ident: $compare:ident ($min:ident $with_min:ident) ($max:ident $with_max:ident);)*)
    => {$(
        impl Vector for $vector {
            type Elem = $elem;
            const LANES: usize = $lanes;
            #[inline(always)]
            unsafe fn splat(x: $elem) -> Self {
                // SAFETY: vectors are made where the instruction set was tested for, and this instruction is part
                // of it.
                unsafe { $splat(x) }
            }
            #[inline(always)]
            unsafe fn load(at: *const $elem) -> Self {
                // SAFETY: a load asks for `LANES` elements at the address, and for the instruction set, which was
                // tested for.
                unsafe { $load(at) }
            }
            #[inline(always)]
            unsafe fn store(self, at: *mut $elem) {
                // SAFETY: a store asks for room for `LANES` elements, and for the instruction set, which was tested
                // for.
                unsafe { $store(at, self) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: there is a vector, so the instruction set was tested for that adding vectors is part of.
                unsafe { $add(self, other) }
            }
            #[inline(always)]
            unsafe fn mul(self, other: Self) -> Self {
                // SAFETY: there is a vector, so the instruction set was tested for that multiplying vectors is part
                // of.
                unsafe { $mul(self, other) }
            }
            #[inline(always)]
            unsafe fn least<C: Nans>(self, other: Self) -> Self {
                // SAFETY: there is a vector, so the instruction set was tested for that minima and comparisons are
                // part of.
                unsafe { $better!(C, self other, $min $compare $with_min) }
            }
            #[inline(always)]
            unsafe fn greatest<C: Nans>(self, other: Self) -> Self {
                // SAFETY: there is a vector, so the instruction set was tested for that maxima and comparisons are
                // part of.
                unsafe { $better!(C, self other, $max $compare $with_max) }
            }
            #[inline(always)]
            unsafe fn multiply_add(self, x: Self, y: Self) -> Self {
                // SAFETY: there is a vector, and types with fused multiply-add are chosen where the machine has
                // that, too.
                unsafe { $multiply_add(x, y, self) }
            }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
intrinsics! {
    __m256: f32, 8, _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_mul_ps _mm256_fmadd_ps,
        better_256: _mm256_cmp_ps (_mm256_min_ps _mm256_or_ps) (_mm256_max_ps _mm256_or_ps);
    __m256d: f64, 4, _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_mul_pd _mm256_fmadd_pd,
        better_256: _mm256_cmp_pd (_mm256_min_pd _mm256_or_pd) (_mm256_max_pd _mm256_or_pd);
    __m512: f32, 16, _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_mul_ps _mm512_fmadd_ps,
        better_512: _mm512_cmp_ps_mask (_mm512_min_ps _mm512_mask_min_ps) (_mm512_max_ps _mm512_mask_max_ps);
    __m512d: f64, 8, _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_mul_pd _mm512_fmadd_pd,
        better_512: _mm512_cmp_pd_mask (_mm512_min_pd _mm512_mask_min_pd) (_mm512_max_pd _mm512_mask_max_pd);
}
