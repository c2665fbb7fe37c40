//! What a run results in: on the host, or left where it is.

use super::Run;
use crate::array::GpuArray;
use crate::elements::to_bytes;
use crate::recording::Read;
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray, reserved};
use cotangent_core::schedule::{ArrayId, Layout};
use std::collections::HashMap;

impl Run<'_> {
    /// Waits for the results, all at once.
    pub(super) fn results(&mut self) -> Result<Vec<HostArray>, RunError> {
        let known = self.bring_results()?;
        let results = self.schedule.results.iter();
        results.map(|&array| self.result(array, &known)).collect()
    }

    /// The elements of all arrays that own results.
    fn bring_results(&self) -> Result<HashMap<ArrayId, Column>, RunError> {
        let owners = self
            .schedule
            .results
            .iter()
            .map(|&r| self.schedule.owner(r));
        let mut owners: Vec<_> = owners.collect();
        owners.sort();
        owners.dedup();
        let (known, there): (Vec<_>, Vec<_>) = {
            let fetched = self.fetched.borrow();
            owners
                .into_iter()
                .partition(|owner| fetched.contains_key(owner))
        };
        let read = |&owner: &ArrayId| {
            let elem = self.schedule.arrays[owner.index()].elem;
            Ok(Read::all(self.memory(owner)?, elem))
        };
        let reads = there
            .iter()
            .map(read)
            .collect::<Result<Vec<_>, RunError>>()?;
        let columns = self.wait(&reads)?;
        let fetched = self.fetched.borrow();
        let known = known
            .iter()
            .filter_map(|&owner| Some((owner, fetched.get(&owner)?.clone())));
        Ok(known.chain(there.into_iter().zip(columns)).collect())
    }

    fn result(
        &self,
        array: ArrayId,
        known: &HashMap<ArrayId, Column>,
    ) -> Result<HostArray, RunError> {
        let column = known.get(&self.schedule.owner(array));
        let column = column.ok_or_else(|| RunError::Bug(format!("{array} was not read")))?;
        let column = match self.schedule.arrays[array.index()].layout {
            Layout::Own => column.clone(),
            Layout::View { .. } => self.viewed(array, column)?,
        };
        let shape = self
            .store
            .shape(array)
            .iter()
            .map(|&e| e as usize)
            .collect();
        HostArray::new(shape, column).map_err(|e| RunError::Bug(e.to_string()))
    }

    /// The elements of a view, out of those of its owner.
    fn viewed(&self, array: ArrayId, column: &Column) -> Result<Column, RunError> {
        let decl = self.store.decl(array);
        let len = self.store.len(array)? as i64;
        let (offset, stride) = self.store.span(array);
        let no_view = || RunError::Bug(format!("{array} is no view of its owner"));
        let no_memory = |_| RunError::OutOfHostMemory {
            what: "a result",
            bytes: (len as u64).saturating_mul(size_of::<Const>() as u64),
        };
        let mut elements = reserved(len as usize).map_err(no_memory)?;
        for p in 0..len {
            let place = usize::try_from(offset + stride * p).ok();
            let element = place.and_then(|place| column.get(place));
            elements.push(element.ok_or_else(no_view)?);
        }
        // All elements are of the type, so that only memory can be missing.
        Column::try_from_consts(decl.elem, elements).map_err(no_memory)
    }

    /// The results, on the device. Waits for nothing but whether all went well, and for elements of results that lie
    /// between others.
    pub fn results_there(&mut self) -> Result<Vec<GpuArray>, RunError> {
        let results = self.schedule.results.iter();
        let results = results.map(|&array| self.result_there(array));
        let results = results.collect::<Result<Vec<_>, _>>()?;
        self.finish()?;
        Ok(results)
    }

    fn result_there(&self, array: ArrayId) -> Result<GpuArray, RunError> {
        let decl = &self.schedule.arrays[array.index()];
        let shape = self
            .store
            .shape(array)
            .iter()
            .map(|&e| e as usize)
            .collect();
        let memory = match decl.layout {
            Layout::Own => self.memory(array)?.clone(),
            Layout::View { .. } => {
                let owner = Read::all(self.memory(self.schedule.owner(array))?, decl.elem);
                let elements = self.viewed(array, &self.wait_for(&owner)?)?;
                let memory = self.recording.borrow_mut().upload(&to_bytes(&elements));
                memory.map_err(|e| self.failed(array, e))?
            }
        };
        Ok(GpuArray {
            elem: decl.elem,
            shape,
            memory,
        })
    }

    fn finish(&self) -> Result<(), RunError> {
        let mut recording = self.recording.borrow_mut();
        if !recording.may_have_failed() {
            return recording.begin().map_err(|e| self.device_error(e));
        }
        drop(recording);
        self.wait(&[]).map(drop)
    }
}
