//! Arrays on a device.

use crate::memory::Memory;
use cotangent_core::schedule::inputs::Input;
use cotangent_core::types::{ArrayType, ScalarType};

/// An array in the memory of a device, which stays there until it is asked for. Clones share it.
#[derive(Clone, Debug)]
pub struct GpuArray {
    pub(crate) elem: ScalarType,
    pub(crate) shape: Vec<usize>,
    pub(crate) memory: Memory,
}

impl Input for GpuArray {
    fn array_type(&self) -> ArrayType {
        ArrayType::new(self.elem, self.shape.len())
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }
}
