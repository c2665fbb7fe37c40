//! Rows that a block will write, brought to the cache while it computes them.
//!
//! A block writes interleaved rows at its end, all at once, and would then wait for memory. So while its
//! instructions run, the lines that it will write are asked for, a few after each instruction.
//!
//! Unsafe code: a hint to the processor, which may refer to any address.

/// The size of what is brought at once.
pub(crate) const LINE: usize = 64;

/// Memory that is about to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    at: *const u8,
    lines: usize,
    /// How many lines are asked for after each instruction.
    per_instr: usize,
}

impl Ahead {
    /// Nothing.
    pub fn nothing() -> Self {
        Self {
            at: std::ptr::null(),
            lines: 0,
            per_instr: 0,
        }
    }

    /// So many bytes from an address on, to be there after some instructions.
    pub fn new(at: *const u8, bytes: usize, instrs: usize) -> Self {
        let lines = bytes.div_ceil(LINE);
        Self {
            at,
            lines,
            per_instr: lines.div_ceil(instrs.max(1)),
        }
    }

    /// Asks for some lines.
    #[inline]
    pub fn ask(&mut self) {
        for _ in 0..self.per_instr.min(self.lines) {
            hint(self.at);
            self.at = self.at.wrapping_add(LINE);
            self.lines -= 1;
        }
    }
}

/// Asks for the line of an address, to write it: other processors' copies are given up, which the first write would wait for.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn hint(at: *const u8) {
    // SAFETY: a hint that changes nothing, for any address; machines of the architecture that do not have it do nothing.
    unsafe {
        std::arch::asm!("prefetchw [{at}]", at = in(reg) at, options(nostack, preserves_flags, readonly));
    }
}

/// Asks for the line of an address.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn hint(_at: *const u8) {}
