//! Machine code for runs of bytecode: neighbouring instructions become one function, whose values stay in registers.
//!
//! The bytecode of a body ([`Code`]) decides what is computed when, for how many lanes, and what fails; it is what the
//! engine has everywhere, and what native code is compared with, to the bit. Where a body has run for long enough, its
//! segments are compiled: groups of instructions that consist of vector operations (`group.rs`) are lowered to
//! instructions of AVX-512 on virtual registers (`lower.rs`), which get registers (`allocate.rs`) and are encoded by the
//! crate `iced-x86` (`encode.rs`). All else, loads and transcendental functions above all, runs as before, and so does
//! everything where the machine has no AVX-512 or the system no memory for code.
//!
//! So a loop over lanes reads each operand once and writes what others read, where bytecode goes through memory for every
//! instruction: `memory.rs` states what a caller has to see to.

#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod allocate;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod compile;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod encode;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod group;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod lower;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
#[allow(unsafe_code)]
mod memory;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod ops;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod pool;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod table;
#[cfg(test)]
mod tests;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod way;

#[cfg(not(all(feature = "native", target_arch = "x86_64")))]
#[allow(unsafe_code)]
mod elsewhere;

#[cfg(not(all(feature = "native", target_arch = "x86_64")))]
use elsewhere as memory;
#[cfg(not(all(feature = "native", target_arch = "x86_64")))]
use elsewhere as compile;

pub(crate) use memory::Functions;

use crate::code::{Code, Plan, Slot};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// So much work of a body, in instructions times lanes, takes longer than to compile it.
const WORTH_IT: u64 = 1 << 18;

/// The variable that turns machine code off, or asks for it at once.
const VARIABLE: &str = "COTANGENT_NATIVE";

/// Which parts of programs become machine code, where the machine has AVX-512 and the crate its feature `native`.
/// Results are the same, to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Native {
    /// None.
    Off,
    /// Those that run for long enough.
    WhenItPays,
    /// All, before they run for the first time: for tests.
    AtOnce,
}

impl From<bool> for Native {
    /// Those that run for long enough, or none.
    fn from(wanted: bool) -> Self {
        match wanted {
            true => Self::WhenItPays,
            false => Self::Off,
        }
    }
}

impl Default for Native {
    /// Those that run for long enough, unless the variable `COTANGENT_NATIVE` is `off`, or `at-once`.
    fn default() -> Self {
        match std::env::var(VARIABLE).as_deref() {
            Ok("off") => Self::Off,
            Ok("at-once") => Self::AtOnce,
            Ok(_) | Err(_) => Self::WhenItPays,
        }
    }
}

/// A function in place of instructions.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Where it begins.
    pub entry: u32,
    /// The number of instructions that it stands for.
    pub instrs: usize,
    /// The slots that it reads.
    pub reads: Vec<Slot>,
    /// Those that it writes.
    pub writes: Vec<Slot>,
}

/// The code of a body in machine code, once it has any.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    /// What the body has worked so far.
    work: AtomicU64,
    /// Its code; `None` where nothing of it can be compiled.
    plan: OnceLock<Option<(Plan, Functions)>>,
}

impl Compiled {
    /// The machine code of a body that has some by now.
    pub fn ready(&self) -> Option<&Plan> {
        let (plan, _) = self.plan.get()?.as_ref()?;
        Some(plan)
    }

    /// The machine code of a body that is about to do some work, if it has any.
    pub fn get(&self, code: &Code, work: u64) -> Option<&(Plan, Functions)> {
        let is_hot = match code.target.native {
            Native::Off => return None,
            Native::AtOnce => true,
            Native::WhenItPays => {
                self.work
                    .fetch_add(work, Ordering::Relaxed)
                    .saturating_add(work)
                    >= WORTH_IT
            }
        };
        let plan = match is_hot {
            true => self.plan.get_or_init(|| compile::compile(code)),
            false => self.plan.get()?,
        };
        plan.as_ref()
    }
}
