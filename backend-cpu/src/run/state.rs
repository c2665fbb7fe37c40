//! The symbols and the memory of arrays between steps, and how kernels get at them.
//!
//! Unsafe code: references to the memory of arrays for the kernels, tested against its size.

use crate::kernel::{KernelCode, Launch, bug, int};
use crate::machine::coords::{product, strides};
use crate::machine::{ArrayRef, failure::FailureCell};
use crate::memory::{Held, OutRef, Placement, bytes_of, data, data_mut};
use crate::passes::{Passes, Team};
use crate::prepare::Executable;
use cotangent_core::backend::{RunError, RunMeasures, Site};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::schedule::condition::len_of_shape;
use cotangent_core::schedule::scalar::Surroundings;
use cotangent_core::schedule::{ArrayId, Layout, Load, SiteId, SymbolId};
use std::sync::Arc;

/// What is known between two steps.
#[derive(Clone)]
pub(super) struct State<'a> {
    pub executable: &'a Executable,
    pub symbols: Vec<Const>,
    /// The elements of arrays with memory of their own.
    pub memory: Vec<Option<Column>>,
    /// Arrays whose elements are in the memory of others for now, such as rows of them.
    pub placed: Vec<(ArrayId, OutRef)>,
    /// What is in memory at the moment.
    pub held: Arc<Held>,
    /// The passes made so far; those of a strip's chunks are counted apart.
    pub passes: Arc<Passes>,
}

impl State<'_> {
    pub fn int(&self, symbol: SymbolId) -> i64 {
        int(&self.symbols, symbol)
    }

    pub fn ints(&self, symbols: &[SymbolId]) -> Vec<i64> {
        symbols.iter().map(|&s| self.int(s)).collect()
    }

    pub fn shape(&self, array: ArrayId) -> Vec<i64> {
        self.ints(&self.executable.arrays[array.index()].extents)
    }

    pub fn site(&self, site: SiteId) -> Site {
        self.executable.sites[site.index()]
    }

    /// Makes the memory of an array that is about to be written, if there is none.
    pub fn allocate(&mut self, array: ArrayId) -> Result<(), RunError> {
        let owner = self.executable.owner(array);
        if self.memory[owner.index()].is_some() || self.placed(array).is_some() {
            return Ok(());
        }
        let decl = &self.executable.arrays[owner.index()];
        let site = self.site(decl.site);
        let len = len_of_shape(&self.shape(owner), site)?;
        let placement = match self.executable.holds_results(owner) {
            true => Placement::Whole,
            false => Placement::for_kernels(decl.elem, len),
        };
        let column = self.executable.pool.take(decl.elem, len, placement);
        let column = column.ok_or_else(|| RunError::OutOfMemory {
            site,
            bytes: (len as u64).saturating_mul(decl.elem.bytes() as u64),
        })?;
        self.held.take(bytes_of(&column));
        self.memory[owner.index()] = Some(column);
        Ok(())
    }

    /// The offset and the distance of an array's elements in the memory of its owner of `len` elements, and
    /// their number; tested to be inside.
    pub fn span(&self, array: ArrayId, len: usize) -> Result<(i64, i64, i64), RunError> {
        let (offset, stride) = match self.executable.arrays[array.index()].layout {
            Layout::Own => (0, 1),
            Layout::View {
                of: _,
                offset,
                stride,
            } => {
                let base = offset.symbol.map_or(0, |s| self.int(s));
                let first = base.saturating_add(i64::from(offset.constant));
                (first, i64::from(stride))
            }
        };
        let count =
            product(&self.shape(array)).ok_or_else(|| bug("a view has too many elements"))?;
        let last = i128::from(offset) + i128::from(stride) * i128::from(count - 1);
        if count > 0 && (offset < 0 || last >= len as i128) {
            return Err(bug("a view does not fit into its array"));
        }
        let offset = if count > 0 { offset } else { 0 };
        Ok((offset, stride, count))
    }

    pub fn column(&self, array: ArrayId) -> Result<&Column, RunError> {
        let owner = self.executable.owner(array);
        let column = self.memory[owner.index()].as_ref();
        column.ok_or_else(|| bug("an array is read before it is written"))
    }

    /// Where an array is that is placed in the memory of another.
    fn placed(&self, array: ArrayId) -> Option<OutRef> {
        let found = self.placed.iter().find(|(placed, _)| *placed == array);
        found.map(|(_, out)| *out)
    }

    pub fn read(&self, array: ArrayId) -> Result<ArrayRef, RunError> {
        if let Some(out) = self.placed(array) {
            let extents = self.shape(array);
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
        let extents = self.shape(array);
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
        let owner = self.executable.owner(array);
        let len = self.column(array)?.len();
        let (offset, stride, count) = self.span(array, len)?;
        let decl = &self.executable.arrays[owner.index()];
        let (ty, site) = (decl.elem, self.site(decl.site));
        let column = self.memory[owner.index()].as_mut();
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

    /// Runs a kernel on so many threads, from other initial values than its own if they are given.
    pub fn kernel(
        &mut self,
        code: &KernelCode,
        threads: usize,
        init: Option<&[Const]>,
    ) -> Result<(), RunError> {
        let outputs = code.kernel.outputs();
        if !code.is_scatter() {
            outputs.iter().try_for_each(|o| self.allocate(o.array))?;
        }
        let outs = outputs.iter().map(|o| self.write(o.array));
        let outs = outs.collect::<Result<Vec<_>, _>>()?;
        self.launch(code, &outs, threads, |launch| code.run(launch, init))?;
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
        let results = code.results(&self.symbols)?;
        if !code.is_scatter() && outs.iter().any(|out| out.len() < results) {
            return Err(bug("an output is smaller than its kernel's space"));
        }
        let target = code.kernel.outputs().first().map(|o| self.shape(o.array));
        let failure = FailureCell::default();
        work(&Launch {
            symbols: &self.symbols,
            read: &|array| self.read(array),
            outputs: outs,
            target_extents: &target.unwrap_or_default(),
            team: Team {
                threads,
                passes: &self.passes,
            },
            failure: &failure,
        })?;
        match failure.into_inner() {
            Some(failure) => Err(failure.into_error(&self.executable.sites)),
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
        let shape = self
            .shape(array)
            .iter()
            .map(|&e| e.max(0) as usize)
            .collect();
        HostArray::new(shape, column).map_err(|e| bug(&e.to_string()))
    }

    /// The elements of a view, in memory of their own.
    pub fn copied(&self, array: ArrayId, count: i64) -> Result<Column, RunError> {
        self.passes.alone();
        let from = self.read(array)?;
        let decl = &self.executable.arrays[array.index()];
        let pool = &self.executable.pool;
        let mut column = pool.take(from.ty, count as usize, Placement::Whole);
        let to = column.as_mut().and_then(data_mut);
        let (Some(to), Layout::View { stride, .. }) = (to, decl.layout) else {
            return Err(RunError::OutOfMemory {
                site: self.site(decl.site),
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

/// The surroundings of code that runs on the host.
#[derive(Clone, Copy)]
pub(super) struct Host<'a, 'b> {
    /// Symbols and arrays.
    pub state: &'a State<'b>,
    /// A point of a space, where the code is a kernel's.
    pub coords: &'a [i64],
    /// The values that are combined, where the code is an operator.
    pub args: &'a [Const],
}

impl<'a, 'b> Host<'a, 'b> {
    /// Those of code about symbols and single elements alone.
    pub fn of_scalars(state: &'a State<'b>) -> Self {
        Self {
            state,
            coords: &[],
            args: &[],
        }
    }
}

impl Surroundings for Host<'_, '_> {
    fn symbol(&self, symbol: SymbolId) -> Const {
        self.state.symbols[symbol.index()]
    }

    fn coord(&self, axis: u32) -> i32 {
        self.coords.get(axis as usize).map_or(0, |&c| c as i32)
    }

    fn arg(&self, position: u32) -> Const {
        let arg = self.args.get(position as usize);
        arg.copied().unwrap_or(Const::I32(0))
    }

    fn load(&self, load: &Load, index: &[i32]) -> Result<Const, RunError> {
        let array = self.state.read(load.array)?;
        let index: Vec<i64> = index.iter().map(|&i| i64::from(i)).collect();
        let inside = index
            .iter()
            .zip(&array.extents)
            .all(|(i, e)| (0..*e).contains(i));
        if !inside {
            let failure = crate::machine::failure::Failure {
                point: 0,
                order: 0,
                site: load.site,
                index,
                extents: array.extents,
            };
            return Err(failure.into_error(&self.state.executable.sites));
        }
        // SAFETY: the index is inside the array.
        Ok(unsafe { array.get(&index) })
    }
}
