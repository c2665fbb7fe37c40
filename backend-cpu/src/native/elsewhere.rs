//! Where there is no machine code: nothing is compiled.

use crate::code::{Code, Plan};

/// A compiled group; there are none.
pub(crate) type Function = unsafe extern "C" fn(
    lanes: usize,
    read: *const *const u8,
    written: *const *mut u8,
    scalars: *mut u8,
);

/// Code of no functions.
#[derive(Debug)]
pub(crate) enum Functions {}

impl Functions {
    /// The function that begins at an offset: there are none.
    pub fn get(&self, _entry: u32) -> Function {
        match *self {}
    }
}

/// Nothing can be compiled.
pub(super) fn compile(_code: &Code) -> Option<(Plan, Functions)> {
    None
}
