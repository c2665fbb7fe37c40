//! Runs of whole programs: the host goes through the steps, the device does the kernels.

pub(crate) mod cut;
mod kernels;
mod scatters;
mod strips;

use crate::device::Gpu;
use crate::dispatch::Memory;
use crate::elements::{bytes_of, from_bytes, to_bytes};
use crate::error::GpuError;
use crate::prepare::{Executable, StepCode};
use cotangent_core::backend::{Backend, RunError, RunMeasures};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::schedule::condition::len_of_shape;
use cotangent_core::schedule::inputs::extents_of_inputs;
use cotangent_core::schedule::scalar::{self, Surroundings};
use cotangent_core::schedule::{ArrayId, Checked, Layout, Load, Output, Schedule, Step, SymbolId};
use std::cell::RefCell;
use std::collections::HashMap;

impl Backend for Gpu {
    type Executable = Executable;

    fn name(&self) -> String {
        // Programs keep what they made ready by this name: devices differ in what their shaders may use.
        format!("gpu ({})", self.info().name)
    }

    fn prepare(&self, schedule: &Checked<Schedule>) -> Result<Executable, RunError> {
        self.executable(schedule)
    }

    fn run_measured(
        &self,
        executable: &Executable,
        inputs: &[HostArray],
    ) -> Result<(Vec<HostArray>, RunMeasures), RunError> {
        let schedule = &executable.schedule;
        let mut run = Run {
            gpu: self,
            schedule,
            symbols: schedule.symbols.iter().map(|&ty| Const::zero(ty)).collect(),
            memory: vec![None; schedule.arrays.len()],
            fetched: RefCell::default(),
            held: 0,
            measures: RunMeasures::default(),
            is_simple: self.is_simple,
            has_failed: false,
        };
        run.bind_inputs(inputs)?;
        run.steps(&schedule.steps, &executable.steps)?;
        let results: Result<Vec<_>, _> = schedule.results.iter().map(|&r| run.result(r)).collect();
        Ok((results?, run.measures))
    }
}

/// A run under way.
struct Run<'a> {
    gpu: &'a Gpu,
    schedule: &'a Schedule,
    symbols: Vec<Const>,
    /// The memory of arrays that have their own.
    memory: Vec<Option<Memory>>,
    /// Elements that the host asked for, by the owner of their memory.
    fetched: RefCell<HashMap<ArrayId, Column>>,
    /// The bytes of the arrays that the run made and that are there.
    held: u64,
    measures: RunMeasures,
    /// Whether kernels run the simple way only.
    is_simple: bool,
    /// Whether something failed on the fast way of a kernel.
    has_failed: bool,
}

impl Run<'_> {
    fn bind_inputs(&mut self, inputs: &[HostArray]) -> Result<(), RunError> {
        let Schedule {
            arrays,
            params,
            uses,
            ..
        } = self.schedule;
        for (symbol, extent) in extents_of_inputs(arrays, params, uses, inputs)? {
            self.symbols[symbol.index()] = Const::I32(extent);
        }
        let used = uses.iter().map(|(array, used)| (array, used));
        for (array, input) in params.iter().zip(inputs).chain(used) {
            let bytes = to_bytes(input.column());
            let memory = self.gpu.upload(&bytes);
            self.memory[array.index()] = Some(memory.map_err(|e| self.failed(*array, e))?);
        }
        Ok(())
    }

    fn steps(&mut self, steps: &[Step], codes: &[StepCode]) -> Result<(), RunError> {
        let mut steps = steps.iter().zip(codes);
        steps.try_for_each(|(step, code)| self.step(step, code))
    }

    fn step(&mut self, step: &Step, code: &StepCode) -> Result<(), RunError> {
        match (step, code) {
            (Step::Scalars { body, defines }, StepCode::Host) => {
                let values = scalar::eval(body, &Point::of(self, &[], &[]))?;
                for (symbol, value) in defines {
                    self.symbols[symbol.index()] = values[value.index()];
                }
                Ok(())
            }
            (Step::Check(check, site), StepCode::Host) => {
                check.verify(self.schedule.sites[site.index()], &|s| self.extent(s))
            }
            (Step::Kernel(kernel), StepCode::Kernel(code)) => self.kernel(kernel, code),
            (
                Step::If {
                    cond,
                    then_,
                    else_,
                    symbols,
                    arrays,
                },
                StepCode::If {
                    then_: then_code,
                    else_: else_code,
                },
            ) => {
                let holds = self.symbols[cond.index()].bits() != 0;
                match holds {
                    true => self.steps(then_, then_code)?,
                    false => self.steps(else_, else_code)?,
                }
                for &(merged, then_, else_) in symbols {
                    let from = if holds { then_ } else { else_ };
                    self.symbols[merged.index()] = self.symbols[from.index()];
                }
                for &(merged, then_, else_) in arrays {
                    let from = if holds { then_ } else { else_ };
                    self.memory[merged.index()] = self.memory[from.index()].clone();
                }
                Ok(())
            }
            (Step::Strip(strip), StepCode::Strip(code)) => self.strip(strip, code),
            (_, _) => Err(RunError::Bug("shaders of another step".to_owned())),
        }
    }

    fn extent(&self, symbol: SymbolId) -> i64 {
        self.symbols[symbol.index()].bits() as i32 as i64
    }

    fn extents(&self, symbols: &[SymbolId]) -> Vec<i64> {
        symbols.iter().map(|&s| self.extent(s)).collect()
    }

    fn shape(&self, array: ArrayId) -> Vec<i64> {
        self.extents(&self.schedule.arrays[array.index()].extents)
    }

    fn owner(&self, array: ArrayId) -> ArrayId {
        self.schedule.arrays[array.index()].layout.owner(array)
    }

    /// Where a view begins in its owner's memory, and the distance of its elements.
    fn span(&self, array: ArrayId) -> (i64, i64) {
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

    /// Makes the memory that outputs are written to, where there is none of that size.
    fn allocate(&mut self, outputs: &[Output]) -> Result<(), RunError> {
        for Output { value: _, array } in outputs {
            self.allocate_array(self.owner(*array))?;
        }
        Ok(())
    }

    fn allocate_array(&mut self, owner: ArrayId) -> Result<(), RunError> {
        let decl = &self.schedule.arrays[owner.index()];
        let site = self.schedule.sites[decl.site.index()];
        let bytes = len_of_shape(&self.shape(owner), site)? as u64;
        let bytes = bytes.saturating_mul(bytes_of(decl.elem));
        self.fetched.borrow_mut().remove(&owner);
        let before = self.memory[owner.index()].as_ref().map(|m| m.bytes);
        if before == Some(bytes) {
            return Ok(());
        }
        // Chunks of other lengths: what was there goes first.
        self.memory[owner.index()] = None;
        let memory = self.gpu.zeroed(bytes).map_err(|e| self.failed(owner, e))?;
        self.held = self.held - before.unwrap_or(0) + bytes;
        self.measures.peak_bytes = self.measures.peak_bytes.max(self.held);
        self.memory[owner.index()] = Some(memory);
        Ok(())
    }

    fn memory(&self, array: ArrayId) -> Result<&Memory, RunError> {
        let memory = self.memory[array.index()].as_ref();
        memory.ok_or_else(|| RunError::Bug(format!("{array} has no memory")))
    }

    /// An error of the device that concerns an array.
    fn failed(&self, array: ArrayId, error: GpuError) -> RunError {
        let decl = &self.schedule.arrays[array.index()];
        match error {
            GpuError::OutOfMemory { bytes, reason: _ } => RunError::OutOfMemory {
                site: self.schedule.sites[decl.site.index()],
                bytes,
            },
            GpuError::NoDevice { .. }
            | GpuError::Open { .. }
            | GpuError::Shader { .. }
            | GpuError::TooManyArrays { .. }
            | GpuError::Lost { .. } => self.device_error(&error),
        }
    }

    fn device_error(&self, error: &GpuError) -> RunError {
        RunError::Unsupported {
            what: error.to_string(),
            engine: self.gpu.info().name.clone(),
            way_out: "use the CPU".to_owned(),
        }
    }

    /// An element, on the host.
    fn fetch(&self, array: ArrayId, position: i64) -> Result<Const, RunError> {
        let owner = self.owner(array);
        let (offset, stride) = self.span(array);
        if !self.fetched.borrow().contains_key(&owner) {
            let bytes = self.gpu.download(self.memory(owner)?);
            let bytes = bytes.map_err(|e| self.failed(owner, e))?;
            let elem = self.schedule.arrays[owner.index()].elem;
            let column = from_bytes(elem, &bytes);
            self.fetched.borrow_mut().insert(owner, column);
        }
        let fetched = self.fetched.borrow();
        let element = fetched.get(&owner).and_then(|column| {
            let place = usize::try_from(offset + stride * position).ok()?;
            column.get(place)
        });
        element.ok_or_else(|| RunError::Bug(format!("{array} has no element {position}")))
    }

    fn result(&self, array: ArrayId) -> Result<HostArray, RunError> {
        let decl = &self.schedule.arrays[array.index()];
        let site = self.schedule.sites[decl.site.index()];
        let shape = self.shape(array);
        let len = len_of_shape(&shape, site)?;
        let column = match decl.layout {
            Layout::Own => {
                let bytes = self.gpu.download(self.memory(array)?);
                from_bytes(decl.elem, &bytes.map_err(|e| self.failed(array, e))?)
            }
            Layout::View { .. } => {
                let elements: Result<Vec<_>, _> =
                    (0..len).map(|p| self.fetch(array, p as i64)).collect();
                let column = Column::from_consts(decl.elem, elements?);
                column.ok_or_else(|| RunError::Bug("a result of mixed types".to_owned()))?
            }
        };
        let shape = shape.iter().map(|&e| e as usize).collect();
        HostArray::new(shape, column).map_err(|e| RunError::Bug(e.to_string()))
    }
}

/// The surroundings of code that runs on the host, at one point.
struct Point<'a> {
    run: &'a Run<'a>,
    coords: &'a [i32],
    args: &'a [Const],
}

impl<'a> Point<'a> {
    fn of(run: &'a Run<'a>, coords: &'a [i32], args: &'a [Const]) -> Self {
        Self { run, coords, args }
    }
}

impl Surroundings for Point<'_> {
    fn symbol(&self, symbol: SymbolId) -> Const {
        self.run.symbols[symbol.index()]
    }

    fn coord(&self, axis: u32) -> i32 {
        self.coords[axis as usize]
    }

    fn arg(&self, position: u32) -> Const {
        self.args[position as usize]
    }

    fn load(&self, load: &Load, index: &[i32]) -> Result<Const, RunError> {
        let shape = self.run.shape(load.array);
        let mut dimensions = index.iter().zip(&shape);
        let position = dimensions.try_fold(0i64, |p, (&i, &extent)| {
            let i = i64::from(i);
            (0..extent).contains(&i).then_some(p * extent + i)
        });
        match (position, load.site) {
            (Some(position), _) => self.run.fetch(load.array, position),
            (None, None) => Err(RunError::Bug("an index was proved wrongly".to_owned())),
            (None, Some(site)) => Err(RunError::IndexOutOfRange {
                site: self.run.schedule.sites[site.index()],
                index: index.iter().map(|&i| i64::from(i)).collect(),
                extents: shape.iter().map(|&e| e as usize).collect(),
            }),
        }
    }
}
