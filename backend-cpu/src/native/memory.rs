//! Memory that holds code: written first, then executable and never writable again.
//!
//! Unsafe code: making a function of an address. What makes it sound stands at [`Functions::get`].

use memmap2::{Mmap, MmapMut};

/// A compiled group: the end of the lanes, where slots are read and written, the scalars, and the first of the lanes.
///
/// # Safety
/// Of the slots that the group names, those at `read` and `written` point to columns that have these lanes, of the
/// types that it was compiled for, single operands to one; `scalars` has 8 bytes a slot; nothing written overlaps
/// anything read or written otherwise; and the machine has the instruction set that the group was compiled for.
pub(crate) type Function = unsafe extern "sysv64" fn(
    end: usize,
    read: *const *const u8,
    written: *const *mut u8,
    scalars: *mut u8,
    start: usize,
);

/// Code of several functions.
#[derive(Debug)]
pub(crate) struct Functions {
    code: Mmap,
}

impl Functions {
    /// Makes code executable; `None` where the system does not allow that.
    pub fn new(code: &[u8]) -> Option<Self> {
        let mut memory = MmapMut::map_anon(code.len()).ok()?;
        memory.copy_from_slice(code);
        let code = memory.make_exec().ok()?;
        Some(Self { code })
    }

    /// The function that begins at an offset.
    ///
    /// # Safety
    /// At that offset begins a function that was encoded for this machine, with the convention of [`Function`]. It must not be
    /// called after this object is gone.
    pub unsafe fn get(&self, offset: u32) -> Function {
        let at = self.code.as_ptr().wrapping_add(offset as usize);
        // SAFETY: at such an offset begins a function of this type, which the contract asks for; the memory is executable, and
        // nobody can write to it any more.
        unsafe { std::mem::transmute::<*const u8, Function>(at) }
    }
}
