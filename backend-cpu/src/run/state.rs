//! The symbols and the memory of arrays between steps, and how kernels get at them.
//!
//! Unsafe code: references to the memory of arrays for the kernels, tested against its size.

use super::clock::Clock;
use super::spare::Spare;
use crate::kernel::{KernelCode, Launch, bug};
use crate::machine::coords::{product, strides};
use crate::machine::{ArrayRef, failure::FailureCell};
use crate::memory::{Held, OutRef, Placement, bytes_of, data, data_mut};
use crate::passes::{Passes, Team};
use crate::prepare::Executable;
use cotangent_core::backend::{Control, RunError, RunMeasures};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::schedule::drive::Store;
use cotangent_core::schedule::{ArrayId, Layout};
use std::sync::Arc;
use std::time::Instant;

/// What is known between two steps.
#[derive(Clone)]
pub(super) struct State<'a> {
    pub executable: &'a Executable,
    pub store: Store<Column>,
    /// Arrays whose elements are in the memory of others for now, such as rows of them.
    pub placed: Vec<(ArrayId, OutRef)>,
    /// What is in memory at the moment.
    pub held: Arc<Held>,
    /// Arrays that are used no more.
    pub spare: Spare,
    /// The passes made so far; those of a strip's chunks are counted apart.
    pub passes: Arc<Passes>,
    /// The threads that share the work of a kernel.
    pub threads: usize,
    /// What times kernels, if anything does.
    pub clock: Option<Arc<Clock>>,
    /// What the run obeys.
    pub control: Control,
}

impl<'a> State<'a> {
    pub fn new(executable: &'a Executable, threads: usize, control: Control) -> Self {
        Self {
            executable,
            store: Store::new(&executable.plan.schedule),
            placed: vec![],
            held: Arc::default(),
            spare: Spare::default(),
            passes: Arc::default(),
            threads,
            clock: None,
            control,
        }
    }

    /// Makes the memory of an array that is about to be written, if there is none.
    pub fn allocate(&mut self, array: ArrayId) -> Result<(), RunError> {
        let owner = self.store.schedule.owner(array);
        if self.store.memory[owner.index()].is_some() || self.placed(array).is_some() {
            return Ok(());
        }
        let (len, elem) = (self.store.len(owner)?, self.store.decl(owner).elem);
        let placement = match self.executable.holds_results(owner) {
            true => Placement::Whole,
            false => Placement::for_kernels(elem, len),
        };
        let pool = &self.executable.pool;
        let spare = self.spare.take(elem, len, placement);
        let column = spare.or_else(|| pool.take(elem, len, placement));
        let column = column.ok_or_else(|| RunError::OutOfMemory {
            site: self.store.site_of(owner),
            bytes: (len as u64).saturating_mul(elem.bytes() as u64),
        })?;
        self.held.take(bytes_of(&column));
        self.store.memory[owner.index()] = Some(column);
        Ok(())
    }

    /// The offset and the distance of an array's elements in the memory of its owner of `len` elements, and
    /// their number; tested to be inside.
    pub fn span(&self, array: ArrayId, len: usize) -> Result<(i64, i64, i64), RunError> {
        let (offset, stride) = self.store.span(array);
        let count = product(&self.store.shape(array));
        let count = count.ok_or_else(|| bug("a view has too many elements"))?;
        let last = i128::from(offset) + i128::from(stride) * i128::from(count - 1);
        if count > 0 && (offset < 0 || last >= len as i128) {
            return Err(bug("a view does not fit into its array"));
        }
        let offset = if count > 0 { offset } else { 0 };
        Ok((offset, stride, count))
    }

    pub fn column(&self, array: ArrayId) -> Result<&Column, RunError> {
        let column = self.store.memory_of(array);
        column.ok_or_else(|| bug("an array is read before it is written"))
    }

    /// Where an array is that is placed in the memory of another.
    fn placed(&self, array: ArrayId) -> Option<OutRef> {
        let found = self.placed.iter().find(|(placed, _)| *placed == array);
        found.map(|(_, out)| *out)
    }

    /// An element, by its row-major position; none where that is not in memory.
    pub fn element_at(&self, array: ArrayId, position: usize) -> Result<Option<Const>, RunError> {
        let position = position as i64;
        if let Some(out) = self.placed(array) {
            let is_inside = (0..out.len()).contains(&position);
            // SAFETY: the position is inside, and nobody writes what the host reads meanwhile.
            return Ok(is_inside.then(|| unsafe { out.get(position) }));
        }
        let column = self.column(array)?;
        let (offset, stride, _) = self.span(array, column.len())?;
        let place = usize::try_from(offset + stride * position).ok();
        Ok(place.and_then(|place| column.get(place)))
    }

    pub fn read(&self, array: ArrayId) -> Result<ArrayRef, RunError> {
        if let Some(out) = self.placed(array) {
            let extents = self.store.shape(array);
            let scaled = strides(&extents).iter().map(|s| s * out.stride()).collect();
            return Ok(ArrayRef {
                data: out.element::<u8>(0).cast_const(),
                ty: out.ty(),
                strides: scaled,
                extents,
            });
        }
        let column = self.column(array)?;
        let (offset, stride, _) = self.span(array, column.len())?;
        let extents = self.store.shape(array);
        let ty = column.scalar_type();
        let scaled = strides(&extents).iter().map(|s| s * stride).collect();
        Ok(ArrayRef {
            data: data(column).wrapping_offset(offset as isize * ty.bytes() as isize),
            ty,
            strides: scaled,
            extents,
        })
    }

    pub fn write(&mut self, array: ArrayId) -> Result<OutRef, RunError> {
        if let Some(out) = self.placed(array) {
            return Ok(out);
        }
        let owner = self.store.schedule.owner(array);
        let len = self.column(array)?.len();
        let (offset, stride, count) = self.span(array, len)?;
        let (ty, site) = (self.store.decl(owner).elem, self.store.site_of(owner));
        let column = self.store.memory[owner.index()].as_mut();
        let column = column.ok_or_else(|| bug("an array is written that has no memory"))?;
        let before = data(column);
        let data = data_mut(column).ok_or_else(|| RunError::OutOfMemory {
            site,
            bytes: len as u64 * ty.bytes() as u64,
        })?;
        if data.cast_const() != before {
            // Others use the array too: it was copied.
            self.passes.alone();
        }
        let first = data.wrapping_offset(offset as isize * ty.bytes() as isize);
        // SAFETY: the span is inside the column, which lives on, alone, until the kernel has ended.
        Ok(unsafe { OutRef::new(first, ty, stride, count) })
    }

    /// Runs a kernel, from other initial values than its own if they are given.
    pub fn run_kernel(
        &mut self,
        code: &KernelCode,
        init: Option<&[Const]>,
    ) -> Result<(), RunError> {
        let outputs = code.kernel.outputs();
        if !code.is_scatter() {
            outputs.iter().try_for_each(|o| self.allocate(o.array))?;
        }
        let mut outs = Vec::with_capacity(outputs.len());
        for output in outputs {
            outs.push(self.write(output.array)?);
        }
        self.launch(code, &outs, self.threads, |launch| code.run(launch, init))?;
        match self.executable.tries_operators {
            true => self.try_operator(code, init),
            false => Ok(()),
        }
    }

    /// Adds what a kernel sums up to what is there, if it can do that.
    pub fn add_onto(&self, code: &KernelCode, outs: &[OutRef]) -> Result<bool, RunError> {
        let mut added = false;
        self.launch(code, outs, 1, |launch| {
            added = code.run_onto(launch)?;
            Ok(())
        })?;
        Ok(added)
    }

    fn launch<'s>(
        &'s self,
        code: &KernelCode,
        outs: &'s [OutRef],
        threads: usize,
        work: impl FnOnce(&Launch) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let results = code.results(&self.store.symbols)?;
        if !code.is_scatter() && outs.iter().any(|out| out.len() < results) {
            return Err(bug("an output is smaller than its kernel's space"));
        }
        let target = code
            .kernel
            .outputs()
            .first()
            .map(|o| self.store.shape(o.array));
        let failure = FailureCell::new(&self.control);
        let clock = self.clock.as_ref().map(|clock| (clock, Instant::now()));
        work(&Launch {
            symbols: &self.store.symbols,
            read: &|array| self.read(array),
            outputs: outs,
            target_extents: &target.unwrap_or_default(),
            team: Team {
                threads,
                passes: &self.passes,
            },
            failure: &failure,
        })?;
        if let Some((clock, begun)) = clock {
            clock.add(code.number, begun);
        }
        self.control.go_on()?;
        match failure.into_inner() {
            Some(failure) => Err(failure.into_error(&self.store.schedule.sites, code.site())),
            None => Ok(()),
        }
    }

    /// What the run took so far.
    pub fn measures(&self) -> RunMeasures {
        let mut measures = RunMeasures::default();
        measures.passes = self.passes.all();
        measures.peak_bytes = self.held.peak();
        measures
    }

    pub fn result(&self, array: ArrayId) -> Result<HostArray, RunError> {
        let column = self.column(array)?;
        let (offset, stride, count) = self.span(array, column.len())?;
        let column = if (offset, stride, count) == (0, 1, column.len() as i64) {
            column.clone()
        } else {
            let copy = self.copied(array, count)?;
            self.held.take(bytes_of(&copy));
            copy
        };
        let shape = self.store.shape(array);
        let shape = shape.iter().map(|&e| e.max(0) as usize).collect();
        HostArray::new(shape, column).map_err(|e| bug(&e.to_string()))
    }

    /// The elements of a view, in memory of their own.
    pub fn copied(&self, array: ArrayId, count: i64) -> Result<Column, RunError> {
        self.passes.alone();
        let from = self.read(array)?;
        let decl = self.store.decl(array);
        let pool = &self.executable.pool;
        let mut column = pool.take(from.ty, count as usize, Placement::Whole);
        let to = column.as_mut().and_then(data_mut);
        let (Some(to), Layout::View { stride, .. }) = (to, decl.layout) else {
            return Err(RunError::OutOfMemory {
                site: self.store.site(decl.site),
                bytes: count as u64 * from.ty.bytes() as u64,
            });
        };
        // SAFETY: the view's span was tested; the new column has `count` elements.
        unsafe {
            crate::lanes::strided_load(from.ty, count as usize, from.data, stride as isize, to);
        }
        column.ok_or_else(|| bug("a new column vanished"))
    }
}
