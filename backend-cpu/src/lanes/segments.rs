//! Loops that fold a column segment by segment: many short folds at once. Those of [`Ranges`] are of different lengths.
//!
//! Each segment gives the bits that `fold` and the tree over its 16 partial results give by themselves
//! (`kernel/combine.rs`), without a call for each of these steps.
//!
//! Unsafe code: raw pointers, as in the module above.

use super::associative::Associative;
use super::fold::FOLD_LANES;
use super::{Binary, Lanes, Operand, column, destination};
use std::marker::PhantomData;

/// Folds `len` ≥ 1 values to a state.
///
/// `at` is called with indices below `len` only.
#[inline(always)]
fn fold<O: Associative>(len: usize, at: impl Fn(usize) -> O::X) -> O::S {
    if len < FOLD_LANES {
        return short::<O>(len, at);
    }
    let mut sums: [O::S; FOLD_LANES] = std::array::from_fn(|l| O::state(at(l)));
    let whole = len / FOLD_LANES * FOLD_LANES;
    for group in (FOLD_LANES..whole).step_by(FOLD_LANES) {
        for (l, sum) in sums.iter_mut().enumerate() {
            *sum = O::join(*sum, O::state(at(group + l)));
        }
    }
    for (l, sum) in sums.iter_mut().enumerate().take(len - whole) {
        *sum = O::join(*sum, O::state(at(whole + l)));
    }
    halve::<O, 8>(&mut sums);
    halve::<O, 4>(&mut sums);
    halve::<O, 2>(&mut sums);
    halve::<O, 1>(&mut sums);
    sums[0]
}

#[inline(always)]
fn halve<O: Associative, const HALF: usize>(sums: &mut [O::S; FOLD_LANES]) {
    for l in 0..HALF {
        sums[l] = O::join(sums[l], sums[HALF + l]);
    }
}

/// The same for less than 16 values.
#[inline(always)]
fn short<O: Associative>(len: usize, at: impl Fn(usize) -> O::X) -> O::S {
    let mut sums = [O::state(at(0)); FOLD_LANES];
    for (l, sum) in sums.iter_mut().enumerate().take(len).skip(1) {
        *sum = O::state(at(l));
    }
    let mut width = len;
    while width > 1 {
        let half = width.next_power_of_two() / 2;
        for l in 0..width - half {
            sums[l] = O::join(sums[l], sums[half + l]);
        }
        width = half;
    }
    sums[0]
}

/// The length of segments, which the last argument points to.
///
/// # Safety
/// It does.
#[inline(always)]
unsafe fn length(at: *const u8) -> usize {
    // SAFETY: the last argument points to a `usize`; where does not matter for an unaligned read.
    unsafe { at.cast::<usize>().read_unaligned() }
}

/// `dst[s] = f(a[s · len], …)`, the last argument pointing to `len`, of which `n` is a multiple.
pub(super) struct Segments<O>(PhantomData<O>);

impl<O: Associative> Lanes for Segments<O> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, _: *const u8, c: *const u8) {
        // SAFETY: the contract of `LaneFn`, with a destination of `n / len` elements.
        let (len, x) = unsafe { (length(c), column::<O::X>(a, n)) };
        // SAFETY: the destination has an element for each of the `n / len` segments, and nothing else refers to
        // them.
        let out = unsafe { destination::<O::S>(dst, n / len) };
        for (out, x) in out.iter_mut().zip(x.chunks_exact(len)) {
            // SAFETY: the index is below `len`. A test would keep the loops from using vectors.
            *out = fold::<O>(len, |i| unsafe { *x.get_unchecked(i) });
        }
    }
}

/// The length of a segment from which on its values are folded side by side.
const LONG: usize = 32;

/// For each of `n` segments, `dst[s] = f(dst[s], …)` of those values of the column `a` that are in it: it goes from `b[s]` to `b[s + 1]`,
/// `i32`, and the column from the first of two `i64` at `c` on, which say where it begins and how many lanes it has. Only the first segment
/// may begin before the column, and only the last one end after it.
pub(super) struct Ranges<O>(PhantomData<O>);

impl<O: Associative> Lanes for Ranges<O> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, c: *const u8) {
        // SAFETY: the contract of `LaneFn`, but for what the operands are: as said above.
        let (totals, bounds, &[first, lanes]) = unsafe {
            let block = &*c.cast::<[i64; 2]>();
            (destination::<O::S>(dst, n), column::<i32>(b, n + 1), block)
        };
        // SAFETY: the column has as many lanes.
        let x = unsafe { column::<O::X>(a, lanes as usize) };
        let (Some((last, totals)), &[begin, ref bounds @ .., end]) =
            (totals.split_last_mut(), bounds)
        else {
            return;
        };
        let mut start = (i64::from(begin) - first).max(0) as usize;
        for (total, &end) in totals.iter_mut().zip(bounds) {
            let end = (i64::from(end) - first) as usize;
            // SAFETY: bounds rise, and all but the first and the last are in the column.
            *total = onto::<O>(*total, unsafe { x.get_unchecked(start..end) });
            start = end;
        }
        let end = (i64::from(end) - first).min(lanes) as usize;
        // SAFETY: the last segment begins in the column.
        *last = onto::<O>(*last, unsafe { x.get_unchecked(start..end) });
    }
}

/// Folds values onto a state.
#[inline(always)]
fn onto<O: Associative>(total: O::S, x: &[O::X]) -> O::S {
    if x.len() < LONG {
        let join = |total: O::S, x: O::X| O::join(total, O::state(x));
        // Several a trip, as a trip takes a cycle at least. Sums of other segments are under way meanwhile.
        let (groups, rest) = x.as_chunks::<8>();
        let total = groups.iter().fold(total, |total, group| {
            group.iter().fold(total, |total, &x| join(total, x))
        });
        let (pairs, rest) = rest.as_chunks::<2>();
        let total = pairs
            .iter()
            .fold(total, |total, &[x, y]| join(join(total, x), y));
        return rest.iter().fold(total, |total, &x| join(total, x));
    }
    // SAFETY: the index is below the length.
    let all = fold::<O>(x.len(), |i| unsafe { *x.get_unchecked(i) });
    O::join(total, all)
}

/// `dst[s]` of [`Segments`] for products with `b`, a column or a single element.
pub(super) struct Products<S, P, const B: bool>(PhantomData<(S, P)>);

impl<S, P, const B: bool> Lanes for Products<S, P, B>
where
    S: Associative,
    P: Binary<X = S::X, R = S::X>,
{
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, c: *const u8) {
        // SAFETY: the contract of `LaneFn`, with a destination of `n / len` elements.
        let (len, x, y) = unsafe {
            let y = Operand::<S::X, B>::new(b);
            (length(c), column::<S::X>(a, n), y)
        };
        // SAFETY: the destination has an element for each of the `n / len` segments, which the factors do not
        // overlap.
        let out = unsafe { destination::<S::S>(dst, n / len) };
        for (s, (out, x)) in out.iter_mut().zip(x.chunks_exact(len)).enumerate() {
            // SAFETY: `fold` asks for indices below `len` only, the length of the segment `x`; and `s · len + i` is
            // below `n`, the lanes of a second factor that is a column.
            let product = |i: usize| unsafe { P::apply(*x.get_unchecked(i), y.get(s * len + i)) };
            *out = fold::<S>(len, product);
        }
    }
}
