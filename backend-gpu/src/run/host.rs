//! What the host computes, and how it comes to know elements.

use super::Run;
use crate::memory::Memory;
use crate::recording::Read;
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::host::Column;
use cotangent_core::schedule::drive::evaluate;
use cotangent_core::schedule::{ArrayId, Body, SymbolId, ValueId};
use cotangent_shaders::{Memory as Bound, Scalars, bytes_of};

/// Arrays up to that size are brought to the host whole where it needs an element.
const SMALL: u64 = 1 << 12;

impl Run<'_> {
    /// Whether scalar code asks for nothing that only the device knows.
    pub(super) fn host_knows(&self, body: &Body) -> bool {
        let fetched = self.fetched.borrow();
        let is_fetched = |array| fetched.contains_key(&self.schedule.owner(array));
        let is_here = |symbol: SymbolId| self.on_device[symbol.index()].is_none();
        body.reads().all(is_fetched) && body.symbols().all(is_here)
    }

    pub(super) fn scalars_here(
        &mut self,
        body: &Body,
        defines: &[(SymbolId, ValueId)],
    ) -> Result<(), RunError> {
        self.know(body)?;
        for (symbol, _) in defines {
            self.on_device[symbol.index()] = None;
        }
        evaluate(self, body, defines)
    }

    pub(super) fn scalars_there(
        &mut self,
        defines: &[(SymbolId, ValueId)],
        code: &Scalars,
    ) -> Result<(), RunError> {
        let memory = |bytes| {
            let memory = self.recording.borrow().memory(bytes);
            memory.map_err(|e| self.device_error(e))
        };
        let values = code.types.iter().map(|&ty| memory(bytes_of(ty)));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let bound = code.shader.bindings.iter().map(|b| match b.memory {
            Bound::Array(array) => self.memory(array).cloned(),
            Bound::To(component) => Ok(values[component].clone()),
            Bound::From(_) => Err(RunError::Bug("scalar code after nothing".to_owned())),
        });
        let bound = bound.collect::<Result<Vec<_>, _>>()?;
        self.record(
            &code.shader,
            (1, 0.0),
            &|parameter| self.no_cut(parameter),
            &bound,
        )?;
        for (&(symbol, _), memory) in defines.iter().zip(values) {
            self.on_device[symbol.index()] = Some(memory);
        }
        Ok(())
    }

    /// An element of the memory of an array, on the host; none beyond its end.
    pub(super) fn fetch(&self, owner: ArrayId, place: usize) -> Result<Option<Const>, RunError> {
        if let Some(column) = self.fetched.borrow().get(&owner) {
            return Ok(column.get(place));
        }
        let (memory, elem) = (
            self.memory(owner)?,
            self.schedule.arrays[owner.index()].elem,
        );
        // In a synchronous run, a kernel is gone through on the host, and may ask for any element.
        if self.synchronous || memory.bytes() <= SMALL {
            let column = self.wait_for(&Read::all(memory, elem))?;
            let element = column.get(place);
            self.fetched.borrow_mut().insert(owner, column);
            return Ok(element);
        }
        let bytes = bytes_of(elem);
        let at = place as u64 * bytes;
        if at >= memory.bytes() {
            return Ok(None);
        }
        let memory = memory.clone();
        // The whole word, where an element is less.
        let word = at & !3;
        let read = Read {
            bytes: bytes.max(4).min(memory.bytes() - word),
            memory,
            elem,
            at: word,
        };
        Ok(self.wait_for(&read)?.get(((at - word) / bytes) as usize))
    }

    /// Waits for some elements, and for whether all went well so far.
    pub(super) fn wait_for(&self, read: &Read) -> Result<Column, RunError> {
        let column = self.wait(std::slice::from_ref(read))?.pop();
        column.ok_or_else(|| RunError::Bug("nothing was read".to_owned()))
    }

    /// As [`wait_for`](Self::wait_for), for several.
    pub(super) fn wait(&self, reads: &[Read]) -> Result<Vec<Column>, RunError> {
        let outcome = self.recording.borrow_mut().wait(reads);
        let outcome = outcome.map_err(|e| self.device_error(e))?;
        if outcome.is_unfinished {
            return Err(self.too_long(None));
        }
        match outcome.failed {
            None => Ok(outcome.columns),
            // A synchronous run looks for failures after each kernel; in another one nobody sees this.
            Some(point) => Err(RunError::Bug(format!("point {point} failed"))),
        }
    }

    /// The value of a symbol that the device computed.
    fn symbol_there(&self, symbol: SymbolId, memory: &Memory) -> Result<Const, RunError> {
        let read = Read::all(memory, self.schedule.symbols[symbol.index()]);
        let value = self.wait_for(&read)?.get(0);
        value.ok_or_else(|| RunError::Bug(format!("{symbol} has no value")))
    }

    /// Makes the host know the symbols of scalar code that it is going to run.
    fn know(&mut self, body: &Body) -> Result<(), RunError> {
        for symbol in body.symbols() {
            if let Some(memory) = self.on_device[symbol.index()].take() {
                self.store.symbols[symbol.index()] = self.symbol_there(symbol, &memory)?;
            }
        }
        Ok(())
    }
}
