//! What `core` asks of a device, as it goes through the steps of a schedule. Nothing here waits for the device but
//! elements that the host has to know.

use super::Run;
use crate::elements::to_bytes;
use crate::memory::Memory;
use crate::prepare::{ReadyKernel, ReadyScalars, ReadyStrip};
use crate::recording::Read;
use cotangent_core::backend::{Control, RunError};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::schedule::drive::{Engine, Store};
use cotangent_core::schedule::{ArrayId, Body, SymbolId, ValueId};
use std::sync::PoisonError;

impl Engine for Run<'_> {
    type Memory = Memory;
    type Scalars = ReadyScalars;
    type Kernel = ReadyKernel;
    type Strip = ReadyStrip;

    fn store(&self) -> &Store<Memory> {
        &self.store
    }

    fn store_mut(&mut self) -> &mut Store<Memory> {
        &mut self.store
    }

    fn place(&mut self, array: ArrayId, input: &HostArray) -> Result<Memory, RunError> {
        self.bytes(array)?;
        self.upload(array, input)
    }

    /// Host arrays that the program uses go to the device once.
    fn place_used(&mut self, array: ArrayId, input: &HostArray) -> Result<Memory, RunError> {
        let there = self.executable.used.lock();
        let mut there = there.unwrap_or_else(PoisonError::into_inner);
        // Another device of the same name may have run the program before.
        let pool = &self.gpu.context.pool;
        let known = there.get(&array).filter(|memory| memory.is_of(pool));
        let memory = match known {
            Some(memory) => memory.clone(),
            None => self.upload(array, input)?,
        };
        there.insert(array, memory.clone());
        let mut fetched = self.fetched.borrow_mut();
        fetched.insert(array, input.column().clone());
        Ok(memory)
    }

    fn element(&self, array: ArrayId, position: usize) -> Result<Const, RunError> {
        let (first, stride) = self.store.span(array);
        let place = usize::try_from(first + stride * position as i64).ok();
        let owner = self.schedule.owner(array);
        let element = place.and_then(|place| self.fetch(owner, place).transpose());
        element.unwrap_or_else(|| {
            let what = format!("{array} has no element {position}");
            Err(RunError::Bug(what))
        })
    }

    /// Where the code asks for what only the device knows, the device runs it, if the host can do without.
    fn scalars(
        &mut self,
        body: &Body,
        defines: &[(SymbolId, ValueId)],
        on_device: &ReadyScalars,
    ) -> Result<(), RunError> {
        match on_device {
            Some(code) if !self.synchronous && !self.host_knows(body) => {
                self.scalars_there(defines, code)
            }
            Some(_) | None => self.scalars_here(body, defines),
        }
    }

    fn host_array(&mut self, array: ArrayId) -> Result<HostArray, RunError> {
        let column = self.host_column(array)?;
        let extents = self.store.shape(array);
        let shape = extents.iter().map(|&e| e.max(0) as usize).collect();
        HostArray::new(shape, column).map_err(|e| RunError::Bug(e.to_string()))
    }

    fn all_trips(&mut self, made: SymbolId) -> Result<Option<i32>, RunError> {
        self.trips_at_once(made)
    }

    fn control(&self) -> &Control {
        &self.gpu.control
    }

    fn kernel(&mut self, kernel: &ReadyKernel) -> Result<(), RunError> {
        let (kernel, code) = &**kernel;
        self.run_kernel(kernel, code)
    }

    fn strip(&mut self, strip: &ReadyStrip) -> Result<(), RunError> {
        let (strip, code) = &**strip;
        self.run_strip(strip, code)
    }

    fn take_symbol(&mut self, defined: SymbolId, from: SymbolId) {
        self.store.symbols[defined.index()] = self.store.symbol(from);
        self.on_device[defined.index()] = self.on_device[from.index()].clone();
    }

    fn put(&mut self, defined: ArrayId, memory: Option<Memory>) {
        self.store.memory[defined.index()] = memory;
        self.fetched.borrow_mut().remove(&defined);
    }

    /// Gives memory back, unless another array has it, too.
    fn release(&mut self, array: ArrayId) {
        let Some(memory) = self.store.memory[array.index()].take() else {
            return;
        };
        self.fetched.borrow_mut().remove(&array);
        if memory.is_unshared() {
            self.held = self.held.saturating_sub(memory.bytes());
        }
    }
}

impl Run<'_> {
    /// The elements of an array, brought to the host.
    pub(super) fn host_column(&self, array: ArrayId) -> Result<Column, RunError> {
        let elem = self.schedule.arrays[array.index()].elem;
        self.wait_for(&Read::all(self.memory(array)?, elem))
    }

    pub(super) fn upload(&self, array: ArrayId, input: &HostArray) -> Result<Memory, RunError> {
        let bytes = to_bytes(input.column());
        let memory = self.recording.borrow_mut().upload(&bytes);
        memory.map_err(|e| self.failed(array, e))
    }
}
