//! The arrays of a run: where their elements are, and when their memory comes and goes.

use super::Run;
use crate::error::GpuError;
use crate::memory::Memory;
use cotangent_core::backend::RunError;
use cotangent_core::schedule::condition::len_of_shape;
use cotangent_core::schedule::{ArrayId, Layout, Output, SymbolId};
use cotangent_shaders::bytes_of;

impl Run<'_> {
    pub(super) fn extent(&self, symbol: SymbolId) -> i64 {
        self.symbols[symbol.index()].bits() as i32 as i64
    }

    pub(super) fn extents(&self, symbols: &[SymbolId]) -> Vec<i64> {
        symbols.iter().map(|&s| self.extent(s)).collect()
    }

    pub(super) fn shape(&self, array: ArrayId) -> Vec<i64> {
        self.extents(&self.schedule.arrays[array.index()].extents)
    }

    pub(super) fn owner(&self, array: ArrayId) -> ArrayId {
        self.schedule.owner(array)
    }

    /// Where a view begins in its owner's memory, and the distance of its elements.
    pub(super) fn span(&self, array: ArrayId) -> (i64, i64) {
        match self.schedule.arrays[array.index()].layout {
            Layout::Own => (0, 1),
            Layout::View {
                of: _,
                offset,
                stride,
            } => {
                let base = offset
                    .symbol
                    .map_or(0, |s| self.symbols[s.index()].bits() as i64);
                (base + i64::from(offset.constant), stride.into())
            }
        }
    }

    pub(super) fn memory(&self, array: ArrayId) -> Result<&Memory, RunError> {
        let memory = self.memory[array.index()].as_ref();
        memory.ok_or_else(|| RunError::Bug(format!("{array} has no memory")))
    }

    /// Makes the memory that outputs are written to, where there is none of that size.
    pub(super) fn allocate(&mut self, outputs: &[Output]) -> Result<(), RunError> {
        for Output { value: _, array } in outputs {
            self.allocate_array(self.owner(*array))?;
        }
        Ok(())
    }

    /// The bytes of an array with memory of its own.
    pub(super) fn bytes(&self, owner: ArrayId) -> Result<u64, RunError> {
        let decl = &self.schedule.arrays[owner.index()];
        let site = self.schedule.sites[decl.site.index()];
        let len = len_of_shape(&self.shape(owner), site)?;
        self.bytes_of_elements(owner, len as u64)
    }

    /// The bytes of so many elements of an array; an error where shaders do not count to them.
    pub fn bytes_of_elements(&self, owner: ArrayId, len: u64) -> Result<u64, RunError> {
        let decl = &self.schedule.arrays[owner.index()];
        if u32::try_from(len).is_err() {
            let site = self.schedule.sites[decl.site.index()];
            return Err(RunError::Unsupported {
                what: format!("an array of {len} elements ({site})"),
                engine: self.gpu.info().name.clone(),
                way_out: "use the CPU: GPUs count to 2^32".to_owned(),
            });
        }
        Ok(len.saturating_mul(bytes_of(decl.elem)))
    }

    pub(super) fn allocate_array(&mut self, owner: ArrayId) -> Result<(), RunError> {
        let bytes = self.bytes(owner)?;
        self.fetched.borrow_mut().remove(&owner);
        let before = self.memory[owner.index()].as_ref().map(Memory::bytes);
        if before == Some(bytes) {
            return Ok(());
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
        self.memory[owner.index()] = Some(memory);
    }

    /// Gives memory back, unless another array has it, too.
    pub(super) fn release(&mut self, array: ArrayId) {
        let Some(memory) = self.memory[array.index()].take() else {
            return;
        };
        self.fetched.borrow_mut().remove(&array);
        if memory.is_unshared() {
            self.held = self.held.saturating_sub(memory.bytes());
        }
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
        let decl = &self.schedule.arrays[array.index()];
        match error {
            GpuError::OutOfMemory {
                device,
                bytes,
                reason,
            } => RunError::DeviceMemory {
                site: Some(self.schedule.sites[decl.site.index()]),
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
