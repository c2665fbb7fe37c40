//! The loops over lanes: each instruction of the bytecode is one of them.
//!
//! A loop is written once, as an implementation of [`Lanes`] that is always inlined, and instantiated
//! inside one wrapper per instruction set, where the compiler vectorises it. Operands are columns of `n`
//! elements, or single elements that stand for a whole column.
//!
//! Unsafe code: the loops work on raw pointers, because operands may be registers, arrays of the program
//! or single scalars. The contract is at [`LaneFn`].

mod associative;
mod chain;
mod finite;
mod flagged;
mod flow;
mod flush;
mod fold;
mod fused;
mod gather;
mod index;
mod number;
mod pair;
mod product;
mod rows;
mod running;
mod runs;
mod segments;
mod squares;
mod table;
mod targets;
mod twin;

pub(crate) use associative::Narrow;
pub(crate) use chain::{ChainFn, chain_fn};
pub(crate) use finite::{Infinities, infinities};
pub(crate) use flagged::{FlaggedFns, ProgressMemory, flagged_fns};
use flow::by_width;
pub(crate) use flow::{copies, copy, fill, masked_copy, strided_load, strided_store};
pub(crate) use flush::{flush_fn, flushed_product_fn};
pub(crate) use fold::{FOLD_LANES, FoldFns, fold_fns};
pub(crate) use gather::{Bounded, GatherFns, gather_fns, masked_gather};
pub(crate) use index::{IndexFns, all, any, index_fns, stretch};
pub(crate) use pair::{Pair, RingOp, pair_fn};
pub(crate) use product::{Moving, ProductFns, product_fns};
pub(crate) use rows::{MAX_ROW, RowsFn, max_row, rows_fn};
pub(crate) use runs::load_runs;
pub(crate) use squares::{SIDE, transpose};
pub(crate) use table::lane_fn;
pub(crate) use targets::{Sent, TargetDim, TargetFns, target_fns};
pub(crate) use twin::twin_fn;

use crate::isa::Isa;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice;

/// A loop over `n` lanes: destination and up to three operands.
///
/// # Safety
/// `dst` must be valid for writing, and each operand that the loop reads for reading, `n` elements (one
/// element where the instance takes a single one) of the types it was made for; the destination overlaps
/// no operand; and the machine has the instruction set that the instance was made for.
pub(crate) type LaneFn =
    unsafe fn(n: usize, dst: *mut u8, a: *const u8, b: *const u8, c: *const u8);

/// The text of a loop.
trait Lanes {
    /// Runs it.
    ///
    /// # Safety
    /// As for [`LaneFn`].
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, c: *const u8);
}

/// The loop compiled for the given instruction set.
fn instance<K: Lanes>(isa: Isa) -> LaneFn {
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

/// # Safety
/// As for [`LaneFn`].
unsafe fn baseline<K: Lanes>(n: usize, dst: *mut u8, a: *const u8, b: *const u8, c: *const u8) {
    // SAFETY: `LaneFn` asks of its caller what `Lanes::run` does; this loop needs no instruction set.
    unsafe { K::run(n, dst, a, b, c) }
}

/// # Safety
/// As for [`LaneFn`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2<K: Lanes>(n: usize, dst: *mut u8, a: *const u8, b: *const u8, c: *const u8) {
    // SAFETY: `LaneFn` asks of its caller what `Lanes::run` does, and AVX2 besides.
    unsafe { K::run(n, dst, a, b, c) }
}

/// # Safety
/// As for [`LaneFn`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
unsafe fn avx512<K: Lanes>(n: usize, dst: *mut u8, a: *const u8, b: *const u8, c: *const u8) {
    // SAFETY: `LaneFn` asks of its caller what `Lanes::run` does, and AVX-512 besides.
    unsafe { K::run(n, dst, a, b, c) }
}

/// A function of one lane.
trait Unary {
    /// The operand.
    type X: Copy;
    /// The result.
    type R: Copy;
    /// Its value.
    fn apply(x: Self::X) -> Self::R;

    /// Its values.
    #[inline(always)]
    fn apply_all(out: &mut [Self::R], x: &[Self::X]) {
        for (out, &x) in out.iter_mut().zip(x) {
            *out = Self::apply(x);
        }
    }
}

/// A function of two lanes of one type.
trait Binary {
    /// The operands.
    type X: Copy;
    /// The result.
    type R: Copy;
    /// Its value.
    fn apply(x: Self::X, y: Self::X) -> Self::R;
}

/// Defines lane functions: `Name: operand type => result type = |x, y| value;`, with a function on slices
/// after `all` where there is a better one than the loop over lanes.
macro_rules! lane_ops {
    ($($name:ident: $x:ty => $r:ty = |$($v:ident),*| $e:expr $(, all $all:path)?;)*) => {$(
        pub(in crate::lanes) struct $name;
        lane_ops!(@impl $name, $x, $r, ($($v),*), $e $(, $all)?);
    )*};
    (@impl $name:ident, $x:ty, $r:ty, ($v:ident), $e:expr $(, $all:path)?) => {
        impl crate::lanes::Unary for $name {
            type X = $x;
            type R = $r;
            #[inline(always)]
            fn apply($v: $x) -> $r {
                $e
            }
            $(
                #[inline(always)]
                fn apply_all(out: &mut [$r], x: &[$x]) {
                    $all(out, x)
                }
            )?
        }
    };
    (@impl $name:ident, $x:ty, $r:ty, ($v:ident, $w:ident), $e:expr) => {
        impl crate::lanes::Binary for $name {
            type X = $x;
            type R = $r;
            #[inline(always)]
            fn apply($v: $x, $w: $x) -> $r {
                $e
            }
        }
    };
}
use lane_ops;

/// An operand that is a column.
///
/// # Safety
/// `at` is valid for reading `n` elements of `T`.
#[inline(always)]
unsafe fn column<'a, T>(at: *const u8, n: usize) -> &'a [T] {
    // SAFETY: `n` elements of `T` can be read at `at`; registers and arrays are aligned for their elements.
    unsafe { slice::from_raw_parts(at.cast::<T>(), n) }
}

/// An operand that is a column if `COLUMN`, else a single element for all lanes. (Slices of one or `n` elements
/// would be simpler; but with tests of their bounds a loop keeps a whole round of itself for its scalar end.)
struct Operand<T, const COLUMN: bool> {
    column: *const T,
    single: MaybeUninit<T>,
}

impl<T: Copy, const COLUMN: bool> Operand<T, COLUMN> {
    /// # Safety
    /// `at` is valid for reading as many elements of `T` as there are lanes if `COLUMN`, else one.
    #[inline(always)]
    unsafe fn new(at: *const u8) -> Self {
        let column = at.cast::<T>();
        Self {
            column,
            single: match COLUMN {
                true => MaybeUninit::uninit(),
                // SAFETY: a single element can be read at `at` where the operand is no column.
                false => MaybeUninit::new(unsafe { *column }),
            },
        }
    }

    /// The element for a lane.
    ///
    /// # Safety
    /// There is such a lane.
    #[inline(always)]
    unsafe fn get(&self, lane: usize) -> T {
        // SAFETY: the lane is below the number of lanes, all of which a column has; and where it is none, `new`
        // wrote the single element.
        unsafe {
            match COLUMN {
                true => *self.column.add(lane),
                false => self.single.assume_init(),
            }
        }
    }
}

/// A destination column.
///
/// # Safety
/// `at` is valid for writing `n` elements of `T`, and nothing else refers to them.
#[inline(always)]
unsafe fn destination<'a, T>(at: *mut u8, n: usize) -> &'a mut [T] {
    // SAFETY: `n` elements of `T` can be written at `at`, nobody else refers to them, and registers and arrays are
    // aligned for their elements.
    unsafe { slice::from_raw_parts_mut(at.cast::<T>(), n) }
}

/// `dst = f(a)`.
struct Map1<O>(PhantomData<O>);

impl<O: Unary> Lanes for Map1<O> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, _: *const u8, _: *const u8) {
        // SAFETY: `LaneFn` asks for `n` elements at each operand that is a column, and for a destination of `n`.
        let (out, x) = unsafe { (destination::<O::R>(dst, n), column::<O::X>(a, n)) };
        O::apply_all(out, x);
    }
}

/// `dst = f(a, b)`, with `A` and `B` saying which operands are columns.
struct Map2<O, const A: bool, const B: bool>(PhantomData<O>);

impl<O: Binary, const A: bool, const B: bool> Lanes for Map2<O, A, B> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, _: *const u8) {
        // SAFETY: `LaneFn` asks for `n` elements at each operand that is a column, and for a destination of `n`.
        let (out, x, y) = unsafe {
            (
                destination::<O::R>(dst, n),
                Operand::<O::X, A>::new(a),
                Operand::<O::X, B>::new(b),
            )
        };
        for (i, out) in out.iter_mut().enumerate() {
            // SAFETY: `i` is below `n`, the length of `out`, and operands that are columns have `n` lanes.
            *out = unsafe { O::apply(x.get(i), y.get(i)) };
        }
    }
}

/// Which operands of an instruction are columns.
pub(crate) type Columns = [bool; 3];

fn unary<O: Unary>(isa: Isa) -> LaneFn {
    instance::<Map1<O>>(isa)
}

fn binary<O: Binary>(isa: Isa, columns: Columns) -> LaneFn {
    match (columns[0], columns[1]) {
        (true, false) => instance::<Map2<O, true, false>>(isa),
        (false, true) => instance::<Map2<O, false, true>>(isa),
        // Two single elements only ever meet in code that runs for one lane.
        (true, true) | (false, false) => instance::<Map2<O, true, true>>(isa),
    }
}
