//! Loops that move values: selects, fills, copies, strided and indexed access.
//!
//! Moving does not depend on what the bits mean, only on their width.
//!
//! Unsafe code: raw pointers, as in the module above; each function states what must hold.

use super::{Columns, LaneFn, Lanes, Operand, destination, instance};
use crate::isa::Isa;
use cotangent_core::types::ScalarType;
use std::marker::PhantomData;

/// Runs `$body` with `$T` standing for an unsigned integer of the width of `$ty`.
macro_rules! by_width {
    ($ty:expr, $T:ident => $body:expr) => {
        match $ty {
            ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => {
                type $T = u8;
                $body
            }
            ScalarType::I16 | ScalarType::U16 | ScalarType::F16 => {
                type $T = u16;
                $body
            }
            ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => {
                type $T = u32;
                $body
            }
            ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => {
                type $T = u64;
                $body
            }
        }
    };
}

/// The instance of loops over three operands for those that are columns.
macro_rules! ternary {
    ($isa:expr, $columns:expr, $loops:ident<$T:ty>) => {
        match $columns {
            [true, true, false] => instance::<$loops<$T, true, true, false>>($isa),
            [true, false, true] => instance::<$loops<$T, true, false, true>>($isa),
            [true, false, false] => instance::<$loops<$T, true, false, false>>($isa),
            [false, true, true] => instance::<$loops<$T, false, true, true>>($isa),
            [false, true, false] => instance::<$loops<$T, false, true, false>>($isa),
            [false, false, true] => instance::<$loops<$T, false, false, true>>($isa),
            [true, true, true] | [false, false, false] => {
                instance::<$loops<$T, true, true, true>>($isa)
            }
        }
    };
}

pub(super) use {by_width, ternary};

/// `dst = a ? b : c`.
struct Select<T, const A: bool, const B: bool, const C: bool>(PhantomData<T>);

impl<T: Copy, const A: bool, const B: bool, const C: bool> Lanes for Select<T, A, B, C> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, b: *const u8, c: *const u8) {
        // SAFETY: `LaneFn` asks for `n` elements at each operand that is a column, and for a destination of `n`.
        let (out, cond, x, y) = unsafe {
            (
                destination::<T>(dst, n),
                Operand::<bool, A>::new(a),
                Operand::<T, B>::new(b),
                Operand::<T, C>::new(c),
            )
        };
        for (i, out) in out.iter_mut().enumerate() {
            // SAFETY: `i` is below `n`, the length of `out`, and operands that are columns have `n` lanes.
            let (holds, x, y) = unsafe { (cond.get(i), x.get(i), y.get(i)) };
            *out = if holds { x } else { y };
        }
    }
}

/// The loop of `Prim::Select` on branches of type `ty`.
pub(super) fn select(isa: Isa, ty: ScalarType, columns: Columns) -> LaneFn {
    by_width!(ty, T => ternary!(isa, columns, Select<T>))
}

/// `dst = a`.
struct Copies<T>(PhantomData<T>);

impl<T: Copy> Lanes for Copies<T> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, _: *const u8, _: *const u8) {
        // SAFETY: `LaneFn` asks for `n` elements at each operand that is a column, and for a destination of `n`.
        unsafe { std::ptr::copy_nonoverlapping(a.cast::<T>(), dst.cast::<T>(), n) }
    }
}

/// The loop that copies a column of type `ty`.
pub(crate) fn copies(isa: Isa, ty: ScalarType) -> LaneFn {
    by_width!(ty, T => instance::<Copies<T>>(isa))
}

/// `dst = a`, a single element for all lanes.
struct Fill<T>(PhantomData<T>);

impl<T: Copy> Lanes for Fill<T> {
    #[inline(always)]
    unsafe fn run(n: usize, dst: *mut u8, a: *const u8, _: *const u8, _: *const u8) {
        // SAFETY: `LaneFn` asks for `n` elements at each operand that is a column, and for a destination of `n`.
        let (out, x) = unsafe { (destination::<T>(dst, n), *a.cast::<T>()) };
        out.fill(x);
    }
}

/// The loop that broadcasts a single element of type `ty`.
pub(crate) fn fill(isa: Isa, ty: ScalarType) -> LaneFn {
    by_width!(ty, T => instance::<Fill<T>>(isa))
}

/// Copies `n` elements of type `ty`.
///
/// # Safety
/// `from` is valid for reading and `to` for writing them, and they do not overlap.
pub(crate) unsafe fn copy(ty: ScalarType, n: usize, from: *const u8, to: *mut u8) {
    // SAFETY: `n` elements of `ty.bytes()` bytes can be read at `from` and written at `to`, and they do not
    // overlap.
    unsafe { std::ptr::copy_nonoverlapping(from, to, n * ty.bytes()) }
}

/// `to[i] = from[i · stride]` for `i < n`.
///
/// # Safety
/// Those elements of type `ty` are valid for reading and writing, and do not overlap.
pub(crate) unsafe fn strided_load(
    ty: ScalarType,
    n: usize,
    from: *const u8,
    stride: isize,
    to: *mut u8,
) {
    by_width!(ty, T => {
        let (from, to) = (from.cast::<T>(), to.cast::<T>());
        for i in 0..n {
            // SAFETY: `i` is below `n`, and those elements can be read at a stride and written side by side.
            unsafe { *to.add(i) = *from.offset(i as isize * stride) }
        }
    })
}

/// `to[i · stride] = from[i]` for `i < n`.
///
/// # Safety
/// Those elements of type `ty` are valid for reading and writing, and do not overlap.
pub(crate) unsafe fn strided_store(
    ty: ScalarType,
    n: usize,
    from: *const u8,
    to: *mut u8,
    stride: isize,
) {
    by_width!(ty, T => {
        let (from, to) = (from.cast::<T>(), to.cast::<T>());
        for i in 0..n {
            // SAFETY: `i` is below `n`, and those elements can be read side by side and written at a stride.
            unsafe { *to.offset(i as isize * stride) = *from.add(i) }
        }
    })
}

/// `to[i] = on[i] ? from[i · stride] : 0` for `i < n`.
///
/// # Safety
/// Those elements of type `ty` are valid for reading, whether on or off, and for writing, and do not
/// overlap.
pub(crate) unsafe fn masked_copy(
    ty: ScalarType,
    on: &[bool],
    from: *const u8,
    stride: isize,
    to: *mut u8,
) {
    by_width!(ty, T => {
        let (from, to) = (from.cast::<T>(), to.cast::<T>());
        for (i, &on) in on.iter().enumerate() {
            // SAFETY: `i` is below the number of truth values, and its element can be read, whether on or off, and
            // written.
            unsafe {
                let x = *from.offset(i as isize * stride);
                *to.add(i) = if on { x } else { 0 };
            }
        }
    })
}
