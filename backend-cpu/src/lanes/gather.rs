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
}

/// The loops for elements of type `ty`.
pub(crate) fn gather_fns(isa: Isa, ty: ScalarType) -> GatherFns {
    by_width!(ty, T => GatherFns {
        narrow: instance::<Gather<T, i32>>(isa),
        wide: instance::<Gather<T, i64>>(isa),
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

/// `to[i] = on[i] ? from[at[i]] : 0` for each `i`.
///
/// # Safety
/// The elements of type `ty` that are on are valid for reading, all destinations for writing, and they do
/// not overlap.
pub(crate) unsafe fn masked_gather(
    ty: ScalarType,
    on: &[bool],
    from: *const u8,
    at: &[i64],
    to: *mut u8,
) {
    by_width!(ty, T => {
        let (from, to) = (from.cast::<T>(), to.cast::<T>());
        for (i, (&at, &on)) in at.iter().zip(on).enumerate() {
            // SAFETY: the caller says so.
            unsafe { *to.add(i) = if on { *from.offset(at as isize) } else { 0 } }
        }
    })
}
