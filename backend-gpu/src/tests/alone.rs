//! Single shaders: memory, a run, what came of it.

use crate::Gpu;
use crate::elements::to_bytes;
use crate::error::GpuError;
use crate::memory::Memory;
use crate::recording::{Read, Recording, Words};
use cotangent_core::types::ScalarType;
use cotangent_shaders::{Parameter, Shader};
use std::ops::Range;

impl Gpu {
    pub(crate) fn upload(&self, bytes: &[u8]) -> Result<Memory, GpuError> {
        Recording::new(self).upload(bytes)
    }

    /// Memory of so many bytes, all zero.
    pub(crate) fn zeroed(&self, bytes: u64) -> Result<Memory, GpuError> {
        self.upload(&vec![0; bytes as usize])
    }

    pub(crate) fn download(&self, memory: &Memory) -> Result<Vec<u8>, GpuError> {
        let read = Read::all(memory, ScalarType::I32);
        let outcome = Recording::new(self).wait(&[read])?;
        Ok(to_bytes(&outcome.columns[0]).to_vec())
    }

    /// Runs a shader over `points` points, and returns the first point at which an index was out of range.
    pub(crate) fn run_shader(
        &self,
        shader: &Shader,
        points: u32,
        words: &dyn Fn(Parameter) -> Vec<u32>,
        memory: &[Memory],
    ) -> Result<Option<u32>, GpuError> {
        let words = |points: Range<u32>| {
            let words = shader.parameters.iter().map(|parameter| match parameter {
                Parameter::First => vec![points.start],
                Parameter::End => vec![points.end],
                Parameter::Symbol(_)
                | Parameter::Offset(_)
                | Parameter::Rows
                | Parameter::Inner
                | Parameter::Parts
                | Parameter::PartLength
                | Parameter::Digit => words(*parameter),
            });
            words.map(Words::Known).collect()
        };
        let mut recording = Recording::new(self);
        recording.dispatch(shader, (points, 0.0), &words, memory)?;
        Ok(recording.wait(&[])?.failed)
    }
}
