//! A run: the steps of a schedule, the symbols and the memory of arrays between them.
//!
//! Steps run on the calling thread until a kernel is large enough to be shared out; from then on the run
//! stays on the threads of the pool, which it enters once.
//!
//! Unsafe code: references to the memory of arrays for the kernels, tested against its size.

use crate::Threads;
use crate::kernel::{KernelCode, Launch, bug, int, is_large};
use crate::machine::coords::{product, strides};
use crate::machine::{ArrayRef, failure::FailureCell};
use crate::memory::{OutRef, data, data_mut};
use crate::prepare::{Executable, StepKind};
use cotangent_core::backend::{RunError, Site};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::schedule::condition::len_of_shape;
use cotangent_core::schedule::inputs::extents_of_inputs;
use cotangent_core::schedule::scalar::{self, Surroundings};
use cotangent_core::schedule::{ArrayId, Layout, Load, SiteId, SymbolId};

/// Runs a program.
pub(crate) fn run(
    threads: &Threads,
    executable: &Executable,
    inputs: &[HostArray],
) -> Result<Vec<HostArray>, RunError> {
    executable.pool.begin_run();
    let mut run = Run::new(threads.count(), executable, inputs)?;
    let outcome = run.steps(threads.count() == 1);
    let outcome = match outcome {
        Ok(Progress::WantsThreads) => threads.enter(|| run.steps(true)),
        Ok(Progress::Done) | Err(_) => outcome,
    };
    outcome.and_then(|_| {
        let results = executable.results.iter();
        results.map(|&array| run.result(array)).collect()
    })
}

enum Progress {
    Done,
    WantsThreads,
}

/// A list being run.
struct Frame {
    list: usize,
    at: usize,
}

struct Run<'a> {
    executable: &'a Executable,
    threads: usize,
    symbols: Vec<Const>,
    /// The elements of arrays with memory of their own.
    memory: Vec<Option<Column>>,
    frames: Vec<Frame>,
}

impl<'a> Run<'a> {
    fn new(
        threads: usize,
        executable: &'a Executable,
        inputs: &[HostArray],
    ) -> Result<Self, RunError> {
        let Executable {
            arrays,
            params,
            uses,
            ..
        } = executable;
        let extents = extents_of_inputs(arrays, params, uses, inputs)?;
        let mut run = Self {
            executable,
            threads,
            symbols: executable
                .symbols
                .iter()
                .map(|&ty| Const::zero(ty))
                .collect(),
            memory: vec![None; executable.arrays.len()],
            frames: vec![Frame { list: 0, at: 0 }],
        };
        for (symbol, extent) in extents {
            run.symbols[symbol.index()] = Const::I32(extent);
        }
        let used = uses.iter().map(|(array, used)| (array, used));
        for (array, input) in params.iter().zip(inputs).chain(used) {
            run.memory[array.index()] = Some(input.column().clone());
        }
        Ok(run)
    }

    fn int(&self, symbol: SymbolId) -> i64 {
        int(&self.symbols, symbol)
    }

    fn ints(&self, symbols: &[SymbolId]) -> Vec<i64> {
        symbols.iter().map(|&s| self.int(s)).collect()
    }

    fn shape(&self, array: ArrayId) -> Vec<i64> {
        self.ints(&self.executable.arrays[array.index()].extents)
    }

    fn site(&self, site: SiteId) -> Site {
        self.executable.sites[site.index()]
    }

    /// Runs until all is done, or until threads are wanted and not `entered` yet.
    fn steps(&mut self, entered: bool) -> Result<Progress, RunError> {
        let executable = self.executable;
        while let Some(&Frame { list, at }) = self.frames.last() {
            let Some(step) = executable.lists[list].steps.get(at) else {
                self.end_list();
                continue;
            };
            match &step.kind {
                StepKind::Scalars { body, defines } => {
                    let values = scalar::eval(body, &Host(self))?;
                    for (symbol, value) in defines {
                        self.symbols[symbol.index()] = values[value.index()];
                    }
                }
                StepKind::Check(check, site) => check.verify(self.site(*site), &|s| self.int(s))?,
                StepKind::Kernel(kernel) => {
                    if !entered && self.wants_threads(kernel) {
                        return Ok(Progress::WantsThreads);
                    }
                    self.kernel(kernel)?;
                }
                StepKind::If {
                    cond, then_, else_, ..
                } => {
                    let holds = self.symbols[cond.index()] == Const::Bool(true);
                    let list = if holds { *then_ } else { *else_ };
                    self.frames.push(Frame { list, at: 0 });
                    continue;
                }
            }
            self.end_step();
        }
        Ok(Progress::Done)
    }

    /// Gives back what the current step used last, and goes on to the next.
    fn end_step(&mut self) {
        let Some(Frame { list, at }) = self.frames.last_mut() else {
            return;
        };
        let release = &self.executable.lists[*list].steps[*at].release;
        *at += 1;
        for &array in release {
            self.release(array);
        }
    }

    fn release(&mut self, array: ArrayId) {
        self.memory[array.index()] = None;
    }

    /// Leaves a list; the conditional it belongs to takes over what it made.
    fn end_list(&mut self) {
        let (ended, around) = (self.frames.pop(), self.frames.last());
        let (Some(ended), Some(around)) = (ended, around) else {
            return;
        };
        let lists = &self.executable.lists;
        if let StepKind::If {
            cond: _,
            then_,
            else_: _,
            symbols,
            arrays,
        } = &lists[around.list].steps[around.at].kind
        {
            let holds = ended.list == *then_;
            for &(merged, then_, else_) in symbols {
                let from = if holds { then_ } else { else_ };
                self.symbols[merged.index()] = self.symbols[from.index()];
            }
            for &(merged, then_, else_) in arrays {
                let from = if holds { then_ } else { else_ };
                self.memory[merged.index()] = self.memory[from.index()].clone();
            }
        }
        for &local in &lists[ended.list].locals {
            self.release(local);
        }
        self.end_step();
    }

    /// Makes the memory of an array that is about to be written, if there is none.
    fn allocate(&mut self, array: ArrayId) -> Result<(), RunError> {
        let owner = self.executable.owner(array);
        if self.memory[owner.index()].is_some() {
            return Ok(());
        }
        let decl = &self.executable.arrays[owner.index()];
        let site = self.site(decl.site);
        let len = len_of_shape(&self.shape(owner), site)?;
        let column = self.executable.pool.take(decl.elem, len);
        self.memory[owner.index()] = Some(column.ok_or_else(|| RunError::OutOfMemory {
            site,
            bytes: (len as u64).saturating_mul(decl.elem.bytes() as u64),
        })?);
        Ok(())
    }

    /// The offset and the distance of an array's elements in the memory of its owner of `len` elements, and
    /// their number; tested to be inside.
    fn span(&self, array: ArrayId, len: usize) -> Result<(i64, i64, i64), RunError> {
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

    fn column(&self, array: ArrayId) -> Result<&Column, RunError> {
        let owner = self.executable.owner(array);
        let column = self.memory[owner.index()].as_ref();
        column.ok_or_else(|| bug("an array is read before it is written"))
    }

    fn read(&self, array: ArrayId) -> Result<ArrayRef, RunError> {
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

    fn write(&mut self, array: ArrayId) -> Result<OutRef, RunError> {
        let owner = self.executable.owner(array);
        let len = self.column(array)?.len();
        let (offset, stride, count) = self.span(array, len)?;
        let decl = &self.executable.arrays[owner.index()];
        let (ty, site) = (decl.elem, self.site(decl.site));
        let column = self.memory[owner.index()].as_mut();
        let data = column
            .and_then(data_mut)
            .ok_or_else(|| RunError::OutOfMemory {
                site,
                bytes: len as u64 * ty.bytes() as u64,
            })?;
        let first = data.wrapping_offset(offset as isize * ty.bytes() as isize);
        // SAFETY: the span is inside the column, which lives on, alone, until the kernel has ended.
        Ok(unsafe { OutRef::new(first, ty, stride, count) })
    }

    fn wants_threads(&self, kernel: &KernelCode) -> bool {
        is_large(kernel.size(&self.symbols))
    }

    fn kernel(&mut self, code: &KernelCode) -> Result<(), RunError> {
        let outputs = code.kernel.outputs();
        if !code.is_scatter() {
            outputs.iter().try_for_each(|o| self.allocate(o.array))?;
        }
        let outs = outputs.iter().map(|o| self.write(o.array));
        let outs = outs.collect::<Result<Vec<_>, _>>()?;
        let results = code.results(&self.symbols)?;
        if !code.is_scatter() && outs.iter().any(|out| out.len() < results) {
            return Err(bug("an output is smaller than its kernel's space"));
        }
        let target = outputs.first().map(|o| self.shape(o.array));
        let failure = FailureCell::default();
        code.run(&Launch {
            symbols: &self.symbols,
            read: &|array| self.read(array),
            outputs: &outs,
            target_extents: &target.unwrap_or_default(),
            threads: self.threads,
            failure: &failure,
        })?;
        match failure.into_inner() {
            Some(failure) => Err(failure.into_error(&self.executable.sites)),
            None => Ok(()),
        }
    }

    fn result(&self, array: ArrayId) -> Result<HostArray, RunError> {
        let column = self.column(array)?;
        let (offset, stride, count) = self.span(array, column.len())?;
        let column = if (offset, stride, count) == (0, 1, column.len() as i64) {
            column.clone()
        } else {
            self.copied(array, count)?
        };
        let shape = self
            .shape(array)
            .iter()
            .map(|&e| e.max(0) as usize)
            .collect();
        HostArray::new(shape, column).map_err(|e| bug(&e.to_string()))
    }

    /// The elements of a view, in memory of their own.
    fn copied(&self, array: ArrayId, count: i64) -> Result<Column, RunError> {
        let from = self.read(array)?;
        let decl = &self.executable.arrays[array.index()];
        let mut column = self.executable.pool.take(from.ty, count as usize);
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
struct Host<'a, 'b>(&'a Run<'b>);

impl Surroundings for Host<'_, '_> {
    fn symbol(&self, symbol: SymbolId) -> Const {
        self.0.symbols[symbol.index()]
    }

    fn coord(&self, _axis: u32) -> i32 {
        0
    }

    fn arg(&self, _position: u32) -> Const {
        Const::I32(0)
    }

    fn load(&self, load: &Load, index: &[i32]) -> Result<Const, RunError> {
        let array = self.0.read(load.array)?;
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
            return Err(failure.into_error(&self.0.executable.sites));
        }
        // SAFETY: the index is inside the array.
        Ok(unsafe { array.get(&index) })
    }
}
