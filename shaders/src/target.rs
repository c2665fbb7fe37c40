//! What a device can do, and what is said where it cannot.

use cotangent_core::integer_type;
use cotangent_core::loc::Loc;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::Kernel;
use cotangent_core::types::ScalarType;

/// What a device offers to shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Whether it computes with `f64`. Shaders use it where there is `i64`, too: there is no other way to the bits.
    pub has_f64: bool,
    /// Whether it computes with `i64` and `u64`.
    pub has_i64: bool,
    /// Whether it computes with `f16`, and has such elements in memory.
    pub has_f16: bool,
    /// The invocations of a workgroup, where each does a point by itself.
    pub workgroup: u32,
    /// The most invocations of a workgroup that does a point together; a power of two.
    pub group: u32,
    /// The most bytes of memory that a workgroup uses.
    pub workgroup_bytes: u32,
    /// Whether the invocations of a subgroup may combine values.
    pub has_subgroups: bool,
    /// Whether it has atomic functions of `i64`.
    pub has_i64_atomics: bool,
    /// Whether it adds `f32` atomically.
    pub has_f32_atomics: bool,
    /// Whether floats that meet in a scatter may be added in any order, so that results differ from run to run.
    pub adds_in_any_order: bool,
}

/// No workgroup uses more memory, so that a processor has room for several.
const MOST_WORKGROUP_BYTES: u32 = 16 << 10;
/// The invocations of a small workgroup that does a point together.
const SMALL: u32 = 32;

impl Target {
    /// The same with small workgroups for points that are done together.
    pub(crate) fn small(self) -> Self {
        Self {
            group: self.group.min(SMALL),
            ..self
        }
    }

    /// The bytes of memory that a workgroup is to use at most.
    pub(crate) fn shared_bytes(&self) -> u32 {
        self.workgroup_bytes.min(MOST_WORKGROUP_BYTES)
    }

    /// Whether it computes with a type.
    pub fn has(self, ty: ScalarType) -> bool {
        match ty {
            ScalarType::I64 | ScalarType::U64 => self.has_i64,
            ScalarType::Bool | integer_type!() | ScalarType::F32 => true,
            ScalarType::F16 => self.has_f16,
            ScalarType::F64 => self.has_f64 && self.has_i64,
        }
    }
}

/// What to do where a device lacks a type.
pub fn way_out(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::F16 => "use the CPU, or `f32` in place of `f16`, in inputs, too",
        ScalarType::F64 => "use the CPU, or `f32` in place of `f64`",
        ScalarType::I64 => "use the CPU, or `i32` in place of `i64`",
        ScalarType::U64 => "use the CPU, or `u32` in place of `u64`",
        ScalarType::Bool | integer_type!() | ScalarType::F32 => "use the CPU",
    }
}

/// Why there is no shader for a kernel. As text, what there is none for: the beginning of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// The device does not compute with a type.
    #[error("{ty} (with which `{kernel}` at {loc} computes)")]
    Type {
        /// The operation that gave the kernel its form.
        kernel: &'static str,
        /// Where it was written.
        loc: Loc,
        /// The type.
        ty: ScalarType,
    },
    /// A function that there is no text for.
    #[error("{prim} of {ty} (which `{kernel}` at {loc} uses)")]
    Function {
        /// The operation that gave the kernel its form.
        kernel: &'static str,
        /// Where it was written.
        loc: Loc,
        /// The function.
        prim: Prim,
        /// The type of its operands.
        ty: ScalarType,
    },
    /// A kernel that is not of the form asked for.
    #[error("the form of `{kernel}` at {loc}")]
    Form {
        /// The operation that gave the kernel its form.
        kernel: &'static str,
        /// Where it was written.
        loc: Loc,
    },
}

impl Unsupported {
    /// What to do about it.
    pub fn way_out(&self) -> &'static str {
        match self {
            Self::Type { ty, .. } => way_out(*ty),
            Self::Function { .. } | Self::Form { .. } => "use the CPU",
        }
    }

    /// Of a kernel that is of another form.
    pub(crate) fn form(kernel: &Kernel) -> Self {
        Self::Form {
            kernel: kernel.name,
            loc: kernel.loc,
        }
    }
}
