//! Memory for registers, kept by each thread for the next machine.
//!
//! Unsafe code: none but the view as bytes.

use std::cell::RefCell;

/// A cache line, so that registers are aligned to vectors.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

thread_local! {
    static KEPT: RefCell<Vec<Vec<Line>>> = const { RefCell::new(vec![]) };
}

/// A piece of memory, aligned to 64 bytes, with unspecified (but initialised) contents.
pub(crate) struct Scratch(Vec<Line>);

impl Scratch {
    /// Memory of at least that many bytes.
    pub fn take(bytes: usize) -> Self {
        let mut lines = KEPT
            .with(|kept| kept.try_borrow_mut().ok().and_then(|mut kept| kept.pop()))
            .unwrap_or_default();
        let needed = bytes.div_ceil(64);
        if lines.len() < needed {
            lines.resize(needed, Line([0; 64]));
        }
        Self(lines)
    }

    /// The first byte.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let lines = std::mem::take(&mut self.0);
        // Where the thread is ending, the memory is simply freed.
        let _ = KEPT.try_with(|kept| {
            if let Ok(mut kept) = kept.try_borrow_mut() {
                kept.push(lines);
            }
        });
    }
}
