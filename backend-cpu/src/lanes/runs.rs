//! Loads of boxes: lanes that are affine in several coordinates are read run by run, without a list of
//! offsets.
//!
//! Unsafe code: raw pointers; the function states what must hold.

use crate::machine::coords::for_runs;
use cotangent_core::types::ScalarType;

/// Reads `n` lanes from number `start` on. Lanes count through a box of the given extents; an element is as
/// many elements from `from` as the coordinates times the steps.
///
/// # Safety
/// Those elements of type `ty` are valid for reading, `to` for writing `n`, and they do not overlap.
pub(crate) unsafe fn load_runs(
    ty: ScalarType,
    (extents, steps): (&[i64], &[i64]),
    (start, n): (i64, usize),
    from: *const u8,
    to: *mut u8,
) {
    let run: unsafe fn(usize, *const u8, isize, *mut u8) = match ty {
        ScalarType::Bool => load_run::<u8>,
        ScalarType::I32 | ScalarType::F32 => load_run::<u32>,
        ScalarType::I64 | ScalarType::F64 => load_run::<u64>,
    };
    let last = steps.last().copied().unwrap_or(0) as isize;
    for_runs(extents, start, n, |at, before, len| {
        let offset: i64 = at.iter().zip(steps).map(|(x, step)| x * step).sum();
        let from = from.wrapping_offset(offset as isize * ty.bytes() as isize);
        // SAFETY: the caller says so.
        unsafe { run(len, from, last, to.add(before * ty.bytes())) }
    });
}

/// # Safety
/// As for `load_runs`.
unsafe fn load_run<T: Copy>(n: usize, from: *const u8, step: isize, to: *mut u8) {
    let (from, to) = (from.cast::<T>(), to.cast::<T>());
    // SAFETY: the caller says so.
    unsafe {
        match step {
            0 => std::slice::from_raw_parts_mut(to, n).fill(*from),
            1 => std::ptr::copy_nonoverlapping(from, to, n),
            _ => (0..n).for_each(|i| *to.add(i) = *from.offset(i as isize * step)),
        }
    }
}
