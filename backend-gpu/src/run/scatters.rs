//! Scatters: on the device, or the slow way, in which the device computes the updates and the host combines them with the
//! target, in the order of the points. That is simple, and right for every type, but everything goes to the host and back.

mod sorted;
mod tabled;

use super::Run;
use super::cut::Cut;
use crate::elements::to_bytes;
use crate::memory::Memory;
use crate::recording::Read;
use cotangent_core::backend::RunError;
use cotangent_core::constant::Const;
use cotangent_core::host::Column;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::condition::size;
use cotangent_core::schedule::drive::{Engine, out_of_range, position};
use cotangent_core::schedule::scalar::as_i32;
use cotangent_core::schedule::{ArrayId, Kernel, KernelKind};
use cotangent_core::term::Combine;
use cotangent_core::types::ScalarType;
use cotangent_shaders::{Combining, Last, Ordered, Scattering, Updates};

/// So many points one invocation goes through, in their order.
const ONE_PART: u32 = 256;
/// Parts of the points have totals of their own for targets of so many elements. A part has at least as many points, each a
/// trip of a loop, and there must be parts enough for every processor of a device.
const MOST_TOTALS: u32 = 1024;

impl Run<'_> {
    /// A scatter of so many points, at least one; a synchronous run goes the slow way.
    pub(super) fn scattering(
        &mut self,
        kernel: &Kernel,
        code: &Scattering,
        points: u32,
    ) -> Result<(), RunError> {
        if self.synchronous || self.gpu.scatters_on_host {
            let updates = self.updates(kernel, &code.updates, points)?;
            return self.combine_on_host(kernel, &code.updates, &updates);
        }
        for output in kernel.outputs() {
            self.unshare(self.schedule.owner(output.array))?;
        }
        match &code.combining {
            Combining::Atomic(shader) => {
                self.launch(kernel, shader, Cut::of_points(points), &[], &[])
            }
            Combining::Last(last) => self.last(kernel, last, (&code.updates, points)),
            Combining::Ordered(ordered) => {
                let updates = self.updates(kernel, &code.updates, points)?;
                self.add_in_order(kernel, ordered, (&updates, points))
            }
        }
    }

    /// Computes all updates: their indices, and their values by output.
    fn updates(
        &mut self,
        kernel: &Kernel,
        code: &Updates,
        points: u32,
    ) -> Result<Vec<Memory>, RunError> {
        let cut = Cut::of_points(points);
        let updates = self.scratch(kernel, &code.types, cut)?;
        self.launch(kernel, &code.shader, cut, &[], &updates)?;
        Ok(updates)
    }

    /// The last point wins.
    fn last(
        &mut self,
        kernel: &Kernel,
        last: &Last,
        (code, points): (&Updates, u32),
    ) -> Result<(), RunError> {
        let cut = Cut::of_points(points);
        let claims = Cut::of_points(self.elements_of_target(kernel));
        let mut updates = self.scratch(kernel, &code.types, cut)?;
        let claims = self.scratch(kernel, &[ScalarType::I32], claims)?;
        updates.extend_from_slice(&claims);
        self.launch(kernel, &last.updates, cut, &[], &updates)?;
        self.launch(kernel, &last.claim, cut, &updates, &claims)?;
        updates.rotate_right(1);
        // Indices, claims, values.
        updates.swap(0, 1);
        let mut write = last.write.iter();
        write.try_for_each(|shader| self.launch(kernel, shader, cut, &updates, &[]))
    }

    /// Adds updates to the target. The order depends on the extents and the indices alone.
    fn add_in_order(
        &mut self,
        kernel: &Kernel,
        ordered: &Ordered,
        (updates, points): (&[Memory], u32),
    ) -> Result<(), RunError> {
        let elements = self.elements_of_target(kernel);
        let Some((indices, values)) = updates.split_first() else {
            return Ok(());
        };
        let in_order = match points > ONE_PART && elements > MOST_TOTALS {
            true => Some(self.sort(kernel, &ordered.sorting, (indices, points), elements)?),
            false => None,
        };
        for (adding, values) in ordered.adding.iter().zip(values) {
            let updates = [indices.clone(), values.clone()];
            match &in_order {
                Some(in_order) => self.add_points(kernel, adding, (in_order, values, points))?,
                None if elements == 0 => {}
                None if points <= ONE_PART => {
                    self.add_totals(kernel, adding, (&updates, points))?
                }
                None => self.add_by_table(kernel, adding, (&updates, points), elements)?,
            }
        }
        Ok(())
    }

    /// The number of elements of the target.
    fn elements_of_target(&self, kernel: &Kernel) -> u32 {
        let shape = self.store.shape(kernel.outputs()[0].array);
        // Arrays have no more elements.
        size(&shape).map_or(0, |n| u32::try_from(n).unwrap_or(u32::MAX))
    }

    /// Combines updates with the target.
    fn combine_on_host(
        &mut self,
        kernel: &Kernel,
        code: &Updates,
        updates: &[Memory],
    ) -> Result<(), RunError> {
        let KernelKind::Scatter {
            combine, outputs, ..
        } = &kernel.kind
        else {
            return Err(RunError::Bug("updates without a scatter".to_owned()));
        };
        let updates = updates.iter().zip(&code.types);
        let reads: Vec<_> = updates.map(|(memory, &ty)| Read::all(memory, ty)).collect();
        let columns = self.wait(&reads)?;
        let (indices, values) = columns.split_at(1);
        for (output, values) in outputs.iter().zip(values) {
            self.combine(output.array, &indices[0], values, *combine)?;
        }
        self.measures.passes += 1;
        Ok(())
    }

    /// Combines the updates of one output, in their order.
    fn combine(
        &mut self,
        array: ArrayId,
        indices: &Column,
        values: &Column,
        combine: Combine,
    ) -> Result<(), RunError> {
        let owner = self.schedule.owner(array);
        let (offset, stride) = self.store.span(array);
        let ty = self.schedule.arrays[owner.index()].elem;
        let mut elements = self.elements(owner, ty)?;
        // A sum of narrow floats is that in `f64`, rounded once.
        let sum = match combine == Combine::Add && ty.is_float() {
            true => ScalarType::F64,
            false => ty,
        };
        convert(&mut elements, sum);
        for point in 0..indices.len() {
            let (Some(Const::I32(index)), Some(value)) = (indices.get(point), values.get(point))
            else {
                continue;
            };
            // No index is one beyond the end of every array.
            let position = offset + stride * i64::from(index as u32);
            let element = usize::try_from(position).ok();
            let Some(element) = element.and_then(|at| elements.get_mut(at)) else {
                continue;
            };
            *element = match combine {
                Combine::Overwrite => value,
                Combine::Add => {
                    let mut value = [value];
                    convert(&mut value, sum);
                    Prim::Add.eval(&[*element, value[0]]).unwrap_or(value[0])
                }
            };
        }
        convert(&mut elements, ty);
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

    /// The error of a point whose index is out of range, given the values of its body.
    pub(super) fn index_out_of_target(
        &self,
        kernel: &Kernel,
        values: &[Const],
    ) -> Option<RunError> {
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
        let shape = self.store.shape(outputs.first()?.array);
        let index = target.iter().map(|v| as_i32(values[v.index()]));
        let index: Vec<_> = index.collect();
        let is_inside = position(&index, &shape).is_some();
        let has_update = values[guard.index()] == Const::Bool(true);
        (has_update && !is_inside).then(|| out_of_range(self.store.site(*site), &index, &shape))
    }
}

/// Makes numbers numbers of another type.
fn convert(values: &mut [Const], ty: ScalarType) {
    for value in values.iter_mut().filter(|value| value.scalar_type() != ty) {
        *value = Prim::Convert(ty).eval(&[*value]).unwrap_or(*value);
    }
}
