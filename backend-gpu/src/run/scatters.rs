//! Scatters: the device computes what is sent where, the host lets it arrive, in the order of the points.
//!
//! That is simple, deterministic and right for every type, but everything goes to the host and back.

use super::Run;
use crate::elements::to_bytes;
use crate::memory::Memory;
use crate::recording::Read;
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::host::Column;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::scalar::as_i32;
use cotangent_core::schedule::{ArrayId, Kernel, KernelKind};
use cotangent_core::term::Combine;
use cotangent_core::types::ScalarType;
use cotangent_shaders::Sending;

impl Run<'_> {
    /// Combines what was sent with what is there.
    pub(super) fn receive(
        &mut self,
        kernel: &Kernel,
        sending: &Sending,
        sent: &[Memory],
    ) -> Result<(), RunError> {
        let KernelKind::Scatter {
            combine, outputs, ..
        } = &kernel.kind
        else {
            return Err(RunError::Bug(
                "what is sent is received by no scatter".to_owned(),
            ));
        };
        let sent = sent.iter().zip(&sending.types);
        let reads: Vec<_> = sent.map(|(memory, &ty)| Read::all(memory, ty)).collect();
        let columns = self.wait(&reads)?;
        let (places, values) = columns.split_at(1);
        for (output, values) in outputs.iter().zip(values) {
            self.arrive(output.array, &places[0], values, *combine)?;
        }
        self.measures.passes += 1;
        Ok(())
    }

    fn arrive(
        &mut self,
        array: ArrayId,
        places: &Column,
        values: &Column,
        combine: Combine,
    ) -> Result<(), RunError> {
        let owner = self.owner(array);
        let (offset, stride) = self.span(array);
        let ty = self.schedule.arrays[owner.index()].elem;
        let mut elements = self.elements(owner, ty)?;
        for point in 0..places.len() {
            let (Some(Const::I32(place)), Some(value)) = (places.get(point), values.get(point))
            else {
                continue;
            };
            // What goes nowhere is beyond the end of every array.
            let position = offset + stride * i64::from(place as u32);
            let element = usize::try_from(position).ok();
            let Some(element) = element.and_then(|at| elements.get_mut(at)) else {
                continue;
            };
            *element = match combine {
                Combine::Overwrite => value,
                Combine::Add => Prim::Add.eval(&[*element, value]).unwrap_or(value),
            };
        }
        let column = Column::from_consts(ty, elements);
        let column = column.ok_or_else(|| RunError::Bug("mixed types".to_owned()))?;
        // Memory of its own: other arrays may share what was there.
        let memory = self.recording.borrow_mut().upload(&to_bytes(&column));
        let memory = memory.map_err(|e| self.failed(array, e))?;
        self.release(owner);
        self.hold(owner, memory);
        Ok(())
    }

    fn elements(&self, owner: ArrayId, ty: ScalarType) -> Result<Vec<Const>, RunError> {
        let column = self.wait_for(&Read::all(self.memory(owner)?, ty))?;
        Ok((0..column.len()).filter_map(|i| column.get(i)).collect())
    }

    /// The error of a point that sends something out of range, given the values of its body.
    pub(super) fn sent_outside(&self, kernel: &Kernel, values: &[Const]) -> Option<RunError> {
        let KernelKind::Scatter {
            guard,
            target,
            site,
            outputs,
            ..
        } = &kernel.kind
        else {
            return None;
        };
        let shape = self.shape(outputs.first()?.array);
        let index = target.iter().map(|v| i64::from(as_i32(values[v.index()])));
        let index: Vec<_> = index.collect();
        let mut dimensions = index.iter().zip(&shape);
        let is_inside = dimensions.all(|(i, &extent)| (0..extent).contains(i));
        let is_sent = values[guard.index()] == Const::Bool(true);
        (is_sent && !is_inside).then(|| RunError::IndexOutOfRange {
            site: self.schedule.sites[site.index()],
            index,
            extents: shape.iter().map(|&e| e as usize).collect(),
        })
    }
}
