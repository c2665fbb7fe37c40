//! Where there is no machine code: nothing is compiled.

use crate::code::{Code, Plan};

/// A compiled group; there are none.
///
/// # Safety
/// As where there are some.
pub(crate) type Function = unsafe fn(usize, *const *const u8, *const *mut u8, *mut u8, usize);

/// Code of no functions.
#[derive(Debug)]
pub(crate) enum Functions {}

impl Functions {
    /// The function that begins at an offset: there are none.
    ///
    /// # Safety
    /// As where there are some.
    pub unsafe fn get(&self, _entry: u32) -> Function {
        match *self {}
    }
}

/// Nothing can be compiled.
pub(super) fn compile(_code: &Code) -> Option<(Plan, Functions)> {
    None
}
