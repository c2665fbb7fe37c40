//! Squares of elements, transposed.
//!
//! Unsafe code: raw pointers; [`transpose`] states what must hold.

use super::flow::by_width;
use super::rows::{MAX_ROW, max_row, rows_fn, square_fn};
use crate::isa::Isa;
use cotangent_core::types::ScalarType;

/// The side of the squares.
pub(crate) const SIDE: usize = 16;

/// `to[k · to_stride + i] = from[i · from_stride + k]` for `i, k < n`, where n is [`SIDE`].
///
/// # Safety
/// Those elements of type `ty` are valid for reading and writing, and do not overlap; and the machine has the instruction set.
pub(crate) unsafe fn transpose(
    (isa, ty): (Isa, ScalarType),
    (from, from_stride): (*const u8, usize),
    (to, to_stride): (*mut u8, usize),
) {
    if let Some(square) = square_fn(isa, ty) {
        // SAFETY: the caller answers for the elements, and for the instruction set.
        return unsafe { square(from, from_stride, to, to_stride) };
    }
    let Some(rows) = rows_fn(isa, ty) else {
        // SAFETY: the caller answers for the elements, whose type is as wide as `T`.
        return by_width!(ty, T => unsafe {
            plain::<T>((from.cast(), from_stride), (to.cast(), to_stride));
        });
    };
    let width = max_row(ty);
    for first in (0..SIDE).step_by(width) {
        let row = |i: usize| from.wrapping_add((first + i) * from_stride * ty.bytes());
        let columns: [*const u8; MAX_ROW] = std::array::from_fn(row);
        // SAFETY: from `first` on, there are `width` rows of so many elements to read, and as many columns to write.
        unsafe {
            let to = to.add(first * ty.bytes());
            rows(SIDE, &columns, width, to, to_stride as isize);
        }
    }
}

/// # Safety
/// As for [`transpose`].
unsafe fn plain<T: Copy>((from, from_stride): (*const T, usize), (to, to_stride): (*mut T, usize)) {
    for k in 0..SIDE {
        // SAFETY: all elements of the square can be read, and so many be written from there on.
        unsafe {
            let column = std::array::from_fn(|i| *from.add(i * from_stride + k));
            *to.add(k * to_stride).cast::<[T; SIDE]>() = column;
        }
    }
}
