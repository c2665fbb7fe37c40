//! Which vector instructions the lane loops are compiled for.
//!
//! Every loop exists once per instruction set, from one source text, and uses no instruction that rounds
//! differently, so that the choice never changes a result. The one exception are matrix products, which use
//! fused multiply-add except on the baseline, where there is none.

use crate::native::Native;

/// What code is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The instruction set of loops.
    pub isa: Isa,
    /// Whether bodies become machine code.
    pub native: Native,
}

#[cfg(test)]
impl Target {
    /// Bytecode alone.
    pub fn bytecode(isa: Isa) -> Self {
        let native = Native::Off;
        Self { isa, native }
    }
}

/// An instruction set that the loops are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isa {
    /// What every machine of the target architecture has.
    Baseline,
    /// AVX2 and FMA, on x86-64: four `f64` at once.
    Avx2,
    /// AVX-512 (F, BW, CD, DQ, VL), on x86-64: eight `f64` at once.
    Avx512,
}

impl Isa {
    /// Every instruction set, narrowest first.
    pub const ALL: [Isa; 3] = [Self::Baseline, Self::Avx2, Self::Avx512];

    /// The widest instruction set of this machine.
    pub fn detect() -> Self {
        let widest = Self::ALL.into_iter().rev().find(|isa| isa.is_available());
        widest.unwrap_or(Self::Baseline)
    }

    /// Whether this machine has it.
    #[cfg(target_arch = "x86_64")]
    pub fn is_available(self) -> bool {
        match self {
            Self::Baseline => true,
            Self::Avx2 => {
                std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma")
            }
            Self::Avx512 => {
                std::is_x86_feature_detected!("avx512f")
                    && std::is_x86_feature_detected!("avx512bw")
                    && std::is_x86_feature_detected!("avx512cd")
                    && std::is_x86_feature_detected!("avx512dq")
                    && std::is_x86_feature_detected!("avx512vl")
            }
        }
    }

    /// Whether this machine has it.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn is_available(self) -> bool {
        self == Self::Baseline
    }

    /// This instruction set, or the widest narrower one that this machine has.
    pub(crate) fn or_narrower(self) -> Self {
        self.min(Self::detect())
    }
}
