//! Loops over sums of products, rounded after the product and after the sum: what matrices need.
//!
//! Each gives the same bits as the product and then the sum by themselves, which is a state
//! ([`associative`](super::associative)); they save passes over columns.
//!
//! Unsafe code: raw pointers, as in the module above.

use super::associative::{Associative, Plain, WideSum};
use super::fold::{FOLD_LANES, Half, Single};
use super::number::{f16, f32, f64, i8, i16, i32, i64};
use super::segments::Products;
use super::{Binary, LaneFn, Lanes, Operand, column, destination, instance};
use crate::isa::Isa;
use cotangent_core::types::ScalarType;
use std::marker::PhantomData;

/// The lanes whose sums stay in vector registers through all steps.
const TILE: usize = 32;

/// A column or scalar that moves through memory from step to step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving {
    /// Where it is at the first step.
    pub at: *const u8,
    /// The distance, in bytes, to the next step.
    pub step: isize,
}

impl Moving {
    /// The same at the next step.
    pub fn next(self) -> Self {
        Self {
            at: self.at.wrapping_offset(self.step),
            step: self.step,
        }
    }
}

/// `acc[i] += Σ a[i] · b[i]` over steps, in their order, at each of which the factors are somewhere else. The arguments: lanes, `acc`,
/// the state that all sums begin with instead of what is in `acc`, or null, steps, and the factors.
///
/// # Safety
/// As for [`LaneFn`], at every step.
pub(crate) type ContractFn = unsafe fn(usize, *mut u8, *const u8, usize, [Moving; 2]);

/// The loops for one type, and one form of the second factor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProductFns {
    /// Whether the second factor is a single element.
    pub scalar: bool,
    /// `dst[i] = a[i] · b[i]`, made a state.
    pub multiply: LaneFn,
    /// `dst[i] += a[i] · b[i]`.
    pub accumulate: LaneFn,
    /// `dst[i % 16] += a[i] · b[i]`; `dst` has [`FOLD_LANES`] elements.
    pub fold: LaneFn,
    /// `dst[s]` = the sum of the products of segment `s`; `c` points to the length of segments, a `usize`.
    pub segments: LaneFn,
    /// Many steps of `accumulate`.
    pub contract: ContractFn,
}

struct Multiply<S, P, const B: bool>(PhantomData<(S, P)>);

impl<S, P, const B: bool> Lanes for Multiply<S, P, B>
where
    S: Associative,
    P: Binary<X = S::X, R = S::X>,
{
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn` gives `n` lanes of the operands' types behind each pointer.
        let (out, x, y) = unsafe {
            (
                destination::<S::S>(dst, n),
                column::<S::X>(a, n),
                Operand::<S::X, B>::new(b),
            )
        };
        for (i, (out, &x)) in out.iter_mut().zip(x).enumerate() {
            // SAFETY: `i` is below `n`, the length of `out`, and a factor that is a column has `n` lanes.
            *out = S::state(P::apply(x, unsafe { y.get(i) }));
        }
    }
}

struct Accumulate<S, P, const B: bool>(PhantomData<(S, P)>);

impl<S, P, const B: bool> Lanes for Accumulate<S, P, B>
where
    S: Associative,
    P: Binary<X = S::X, R = S::X>,
{
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn`; what is combined was written before.
        let (acc, x, y) = unsafe {
            (
                destination::<S::S>(dst, n),
                column::<S::X>(a, n),
                Operand::<S::X, B>::new(b),
            )
        };
        for (i, (acc, &x)) in acc.iter_mut().zip(x).enumerate() {
            // SAFETY: `i` is below `n`, the length of `acc`, and a factor that is a column has `n` lanes.
            *acc = S::join(*acc, S::state(P::apply(x, unsafe { y.get(i) })));
        }
    }
}

struct Fold<S, P, const B: bool>(PhantomData<(S, P)>);

impl<S, P, const B: bool> Lanes for Fold<S, P, B>
where
    S: Associative,
    P: Binary<X = S::X, R = S::X>,
{
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, _: *const u8) {
        // SAFETY: the contract of `LaneFn`, with the destination's length that `ProductFns` states.
        let (acc, x, y) = unsafe {
            let acc = &mut *dst.cast::<[S::S; FOLD_LANES]>();
            (acc, column::<S::X>(a, n), Operand::<S::X, B>::new(b))
        };
        let mut sums = *acc;
        let whole = n / FOLD_LANES * FOLD_LANES;
        let (groups, rest) = x.split_at(whole);
        for (g, group) in groups.chunks_exact(FOLD_LANES).enumerate() {
            for (l, (sum, &x)) in sums.iter_mut().zip(group).enumerate() {
                // SAFETY: `g · 16 + l` is a position in `groups`, and so below `n`, the lanes of a factor that is a
                // column.
                let y = unsafe { y.get(g * FOLD_LANES + l) };
                *sum = S::join(*sum, S::state(P::apply(x, y)));
            }
        }
        for (l, (sum, &x)) in sums.iter_mut().zip(rest).enumerate() {
            // SAFETY: `whole + l` is a position behind `groups` in `x`, and so below `n`, the lanes of a factor
            // that is a column.
            *sum = S::join(*sum, S::state(P::apply(x, unsafe { y.get(whole + l) })));
        }
        *acc = sums;
    }
}

/// The text of a [`ContractFn`].
trait Contract {
    /// Runs it.
    ///
    /// # Safety
    /// As for [`ContractFn`].
    unsafe fn run(n: usize, acc: *mut u8, start: *const u8, steps: usize, factors: [Moving; 2]);
}

struct Tiles<S, P, const B: bool>(PhantomData<(S, P)>);

impl<S, P, const B: bool> Contract for Tiles<S, P, B>
where
    S: Associative,
    P: Binary<X = S::X, R = S::X>,
{
    #[inline(always)]
    unsafe fn run(n: usize, acc: *mut u8, start: *const u8, steps: usize, factors: [Moving; 2]) {
        let (lane, state) = (size_of::<S::X>(), size_of::<S::S>());
        let whole = n / TILE * TILE;
        for tile in (0..whole).step_by(TILE) {
            // SAFETY: the contract of `ContractFn`: all lanes of the tile are there, at every step.
            unsafe {
                let to = acc.add(tile * state).cast::<[S::S; TILE]>();
                let mut sums = match start.is_null() {
                    true => *to,
                    false => [*start.cast::<S::S>(); TILE],
                };
                let [mut a, mut b] = factors;
                a.at = a.at.add(tile * lane);
                b.at = b.at.add(if B { tile * lane } else { 0 });
                for _ in 0..steps {
                    let x = &*a.at.cast::<[S::X; TILE]>();
                    if B {
                        let y = &*b.at.cast::<[S::X; TILE]>();
                        for (l, sum) in sums.iter_mut().enumerate() {
                            *sum = S::join(*sum, S::state(P::apply(x[l], y[l])));
                        }
                    } else {
                        let y = *b.at.cast::<S::X>();
                        for (l, sum) in sums.iter_mut().enumerate() {
                            *sum = S::join(*sum, S::state(P::apply(x[l], y)));
                        }
                    }
                    (a, b) = (a.next(), b.next());
                }
                *to = sums;
            }
        }
        let (rest, [mut a, mut b]) = (n - whole, factors);
        let (acc, skip) = (acc.wrapping_add(whole * state), whole * lane);
        // SAFETY: the lanes from `whole` on are what is left of `n`, in the sums and, at each of the steps, in the factors.
        unsafe {
            if !start.is_null() {
                destination::<S::S>(acc, rest).fill(*start.cast());
            }
            for _ in 0..steps {
                let (x, y) = (a.at.add(skip), b.at.add(if B { skip } else { 0 }));
                Accumulate::<S, P, B>::run(rest, acc, x, y, y);
                (a, b) = (a.next(), b.next());
            }
        }
    }
}

macro_rules! contract_wrapper {
    ($(#[$attribute:meta])* $name:ident) => {
        /// # Safety
        /// As for [`ContractFn`].
        $(#[$attribute])*
        unsafe fn $name<K: Contract>(
            n: usize,
            acc: *mut u8,
            start: *const u8,
            steps: usize,
            factors: [Moving; 2],
        ) {
            // SAFETY: `ContractFn` asks of its caller what `Contract::run` does, and the features of this wrapper
            // besides.
            unsafe { K::run(n, acc, start, steps, factors) }
        }
    };
}

contract_wrapper!(baseline);
contract_wrapper!(
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    avx2
);
contract_wrapper!(
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
    avx512
);

fn contract<K: Contract>(isa: Isa) -> ContractFn {
    #[cfg(target_arch = "x86_64")]
    match isa {
        Isa::Baseline => baseline::<K>,
        Isa::Avx2 => avx2::<K>,
        Isa::Avx512 => avx512::<K>,
    }
    #[cfg(not(target_arch = "x86_64"))]
    match isa {
        Isa::Baseline | Isa::Avx2 | Isa::Avx512 => baseline::<K>,
    }
}

fn fns<S, P, const B: bool>(isa: Isa) -> ProductFns
where
    S: Associative,
    P: Binary<X = S::X, R = S::X>,
{
    ProductFns {
        scalar: !B,
        multiply: instance::<Multiply<S, P, B>>(isa),
        accumulate: instance::<Accumulate<S, P, B>>(isa),
        fold: instance::<Fold<S, P, B>>(isa),
        segments: instance::<Products<S, P, B>>(isa),
        contract: contract::<Tiles<S, P, B>>(isa),
    }
}

/// The loops for sums of products of a type, if it has any.
pub(crate) fn product_fns(isa: Isa, ty: ScalarType, scalar: bool) -> Option<ProductFns> {
    macro_rules! number {
        ($m:ident, $add:ty) => {
            match scalar {
                true => Some(fns::<$add, $m::Mul, false>(isa)),
                false => Some(fns::<$add, $m::Mul, true>(isa)),
            }
        };
        ($m:ident) => {
            number!($m, Plain<$m::Add>)
        };
    }
    match ty {
        ScalarType::F64 => number!(f64),
        ScalarType::F16 => number!(f16, WideSum<Half>),
        ScalarType::F32 => number!(f32, WideSum<Single>),
        // Sums and products that wrap are the same with and without signs.
        ScalarType::I8 | ScalarType::U8 => number!(i8),
        ScalarType::I16 | ScalarType::U16 => number!(i16),
        ScalarType::I32 | ScalarType::U32 => number!(i32),
        ScalarType::I64 | ScalarType::U64 => number!(i64),
        ScalarType::Bool => None,
    }
}
