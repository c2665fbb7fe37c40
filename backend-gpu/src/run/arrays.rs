//! The arrays of a run: where their elements are, and when their memory comes and goes.

use super::Run;
use crate::error::GpuError;
use crate::memory::Memory;
use cotangent_core::backend::RunError;
use cotangent_core::schedule::drive::Engine;
use cotangent_core::schedule::{ArrayId, Output};
use cotangent_shaders::bytes_of;

impl Run<'_> {
    pub(super) fn memory(&self, array: ArrayId) -> Result<&Memory, RunError> {
        let memory = self.store.memory[array.index()].as_ref();
        memory.ok_or_else(|| RunError::Bug(format!("{array} has no memory")))
    }

    /// Makes the memory that outputs are written to, where there is none of that size.
    pub(super) fn allocate(&mut self, outputs: &[Output]) -> Result<(), RunError> {
        for Output { value: _, array } in outputs {
            self.allocate_array(self.schedule.owner(*array))?;
        }
        Ok(())
    }

    /// The bytes of an array with memory of its own.
    pub fn bytes(&self, owner: ArrayId) -> Result<u64, RunError> {
        self.bytes_of_elements(owner, self.store.len(owner)? as u64)
    }

    /// The bytes of so many elements of an array; an error where shaders do not count to them.
    pub fn bytes_of_elements(&self, owner: ArrayId, len: u64) -> Result<u64, RunError> {
        if u32::try_from(len).is_err() {
            let site = self.store.site_of(owner);
            return Err(RunError::Unsupported {
                what: format!("an array of {len} elements ({site})"),
                engine: self.gpu.info().name.clone(),
                way_out: "use the CPU: GPUs count to 2^32".to_owned(),
            });
        }
        Ok(len.saturating_mul(bytes_of(self.store.decl(owner).elem)))
    }

    pub(super) fn allocate_array(&mut self, owner: ArrayId) -> Result<(), RunError> {
        let bytes = self.bytes(owner)?;
        self.fetched.borrow_mut().remove(&owner);
        let before = self.store.memory[owner.index()].as_ref().map(Memory::bytes);
        if before == Some(bytes) {
            return self.unshare(owner);
        }
        // Chunks of other lengths: what was there goes first.
        self.release(owner);
        let memory = self.recording.borrow().memory(bytes);
        let memory = memory.map_err(|e| self.failed(owner, e))?;
        self.hold(owner, memory);
        Ok(())
    }

    /// Makes memory that of an array, and counts it.
    pub(super) fn hold(&mut self, owner: ArrayId, memory: Memory) {
        self.held += memory.bytes();
        self.measures.peak_bytes = self.measures.peak_bytes.max(self.held);
        self.store.memory[owner.index()] = Some(memory);
    }

    /// Makes an array's memory its own, if others share it: something is going to be written over its elements.
    pub(super) fn unshare(&mut self, owner: ArrayId) -> Result<(), RunError> {
        self.fetched.borrow_mut().remove(&owner);
        if self.memory(owner)?.is_unshared() {
            return Ok(());
        }
        let shared = self.memory(owner)?.clone();
        let own = self.copied(&shared).map_err(|e| self.failed(owner, e))?;
        self.measures.passes += 1;
        self.hold(owner, own);
        Ok(())
    }

    fn copied(&self, memory: &Memory) -> Result<Memory, GpuError> {
        let mut recording = self.recording.borrow_mut();
        let copy = recording.memory(memory.bytes())?;
        recording.copy(memory, &copy, memory.bytes())?;
        Ok(copy)
    }

    /// An error of the device that concerns an array.
    pub(super) fn failed(&self, array: ArrayId, error: GpuError) -> RunError {
        match error {
            GpuError::OutOfMemory {
                device,
                bytes,
                reason,
            } => RunError::DeviceMemory {
                site: Some(self.store.site_of(array)),
                bytes,
                device,
                reason,
            },
            GpuError::NoDevice { .. }
            | GpuError::Open { .. }
            | GpuError::Shader { .. }
            | GpuError::TooManyBindings { .. }
            | GpuError::Lost { .. } => self.device_error(error),
        }
    }
}
