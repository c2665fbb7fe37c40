//! Runs of whole programs: the host goes through the steps, the device does the kernels.
//!
//! At first a run only writes down what the device is to do ([`Recording`]), and waits for nothing but numbers that the
//! host has to know and, at the end, results. If then something went wrong, be it an index out of range, the program is run
//! again *with care*: the host waits for each kernel, and so learns which failed first and, going through the points
//! itself, where. Programs are deterministic, so the second run meets what the first one met.

mod arrays;
pub(crate) mod cut;
mod fast;
mod host;
mod kernels;
mod results;
mod scatters;
mod strips;

use crate::device::Gpu;
use crate::elements::to_bytes;
use crate::error::GpuError;
use crate::memory::Memory;
use crate::prepare::{Executable, Ready, ReadyStep};
use crate::recording::Recording;
use cotangent_core::backend::{Backend, KernelTime, RunError, RunMeasures, Timed};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::schedule::inputs::{Input, extents_of_inputs};
use cotangent_core::schedule::{ArrayId, Checked, Schedule, SymbolId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::PoisonError;

/// With so many bytes of inputs their way to the device begins before the rest is prepared.
const EARLY_BYTES: u64 = 1 << 20;

impl Backend for Gpu {
    type Executable = Executable;

    fn name(&self) -> String {
        // Programs keep what they made ready by this name: devices differ in what their shaders may use.
        let adding = match self.target().adds_in_any_order {
            true => ", fast atomics",
            false => "",
        };
        format!("gpu ({}{}{adding})", self.info().name, self.reduction)
    }

    fn prepare(&self, schedule: &Checked<Schedule>) -> Result<Executable, RunError> {
        self.executable(schedule)
    }

    fn run_measured(
        &self,
        executable: &Executable,
        inputs: &[HostArray],
    ) -> Result<(Vec<HostArray>, RunMeasures), RunError> {
        self.run_twice(|care| {
            let mut run = Run::new(self, executable, care);
            run.bind_inputs(inputs, |run, input| run.upload_input(input))?;
            run.steps()?;
            let results = run.results()?;
            Ok((results, run.measures()))
        })
    }
}

impl Timed for Gpu {
    fn run_timed(
        &self,
        executable: &Executable,
        inputs: &[HostArray],
    ) -> Result<(Vec<HostArray>, Vec<KernelTime>), RunError> {
        if !self.has_clock() {
            return Err(RunError::Unsupported {
                what: "a clock for kernels".to_owned(),
                engine: self.info().name.clone(),
                way_out: "run the program without times".to_owned(),
            });
        }
        self.run_twice(|care| {
            let mut run = Run::new(self, executable, care);
            let started = run.recording.borrow_mut().time();
            started.map_err(|e| self.unusable(e))?;
            run.bind_inputs(inputs, |run, input| run.upload_input(input))?;
            run.steps()?;
            let results = run.results()?;
            let times = run.recording.borrow_mut().times();
            Ok((results, times.map_err(|e| self.unusable(e))?))
        })
    }
}

impl Gpu {
    /// Runs something, and with care if that fails.
    pub(crate) fn run_twice<T>(
        &self,
        run: impl Fn(bool) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        self.context.pool.begin_run();
        self.context.staging.begin_run();
        let first = match run(false) {
            Err(e @ RunError::DeviceLost { .. }) => return Err(e),
            Err(e) => e,
            Ok(done) => return Ok(done),
        };
        let second = run(true);
        match (&second, &first) {
            // Memory may suffice where nothing waits for its turn, and the simple shaders may bind fewer arrays.
            (Ok(_), RunError::DeviceMemory { .. } | RunError::Unsupported { .. }) | (Err(_), _) => {
                second
            }
            (Ok(_), _) => Err(RunError::Bug(format!("only without care: {first}"))),
        }
    }
}

/// A run under way.
pub(crate) struct Run<'a> {
    gpu: &'a Gpu,
    executable: &'a Executable,
    schedule: &'a Schedule,
    /// Whether the host waits for each kernel.
    care: bool,
    recording: RefCell<Recording>,
    symbols: Vec<Const>,
    /// The values of symbols that the device computed and the host does not know.
    on_device: Vec<Option<Memory>>,
    /// The memory of arrays that have their own.
    memory: Vec<Option<Memory>>,
    /// Elements that the host knows, by the owner of their memory.
    fetched: RefCell<HashMap<ArrayId, Column>>,
    /// The bytes of the arrays that the run made and that are there.
    held: u64,
    measures: RunMeasures,
    frames: Vec<Frame>,
}

/// A list of steps being gone through.
struct Frame {
    list: usize,
    at: usize,
}

impl<'a> Run<'a> {
    pub fn new(gpu: &'a Gpu, executable: &'a Executable, care: bool) -> Self {
        let schedule = &executable.schedule;
        Self {
            gpu,
            executable,
            schedule,
            care,
            recording: RefCell::new(Recording::new(gpu)),
            symbols: schedule.symbols.iter().map(|&ty| Const::zero(ty)).collect(),
            on_device: vec![None; schedule.symbols.len()],
            memory: vec![None; schedule.arrays.len()],
            fetched: RefCell::default(),
            held: 0,
            measures: RunMeasures::default(),
            frames: vec![Frame { list: 0, at: 0 }],
        }
    }

    pub fn bind_inputs<I: Input>(
        &mut self,
        inputs: &[I],
        place: impl Fn(&mut Self, &I) -> Result<Memory, GpuError>,
    ) -> Result<(), RunError> {
        let Schedule {
            arrays,
            params,
            uses,
            ..
        } = self.schedule;
        for (symbol, extent) in extents_of_inputs(arrays, params, uses, inputs)? {
            self.symbols[symbol.index()] = Const::I32(extent);
        }
        for (array, input) in params.iter().zip(inputs) {
            self.bytes(*array)?;
            let memory = place(self, input).map_err(|e| self.failed(*array, e))?;
            self.memory[array.index()] = Some(memory);
        }
        self.bind_used()?;
        let all = self.memory.iter().flatten();
        if all.map(Memory::bytes).sum::<u64>() >= EARLY_BYTES {
            self.gpu.context.begin();
            self.measures.submits += 1;
        }
        Ok(())
    }

    fn upload_input(&mut self, input: &HostArray) -> Result<Memory, GpuError> {
        let bytes = to_bytes(input.column());
        self.recording.borrow_mut().upload(&bytes)
    }

    /// Host arrays that the program uses go to the device once.
    fn bind_used(&mut self) -> Result<(), RunError> {
        let used = self.executable.used.lock();
        let mut used = used.unwrap_or_else(PoisonError::into_inner);
        let uses = &self.schedule.uses;
        // Another device of the same name may have run the program before.
        let pool = &self.gpu.context.pool;
        let is_here = |all: &Vec<Memory>| all.iter().all(|memory| memory.is_of(pool));
        if !used.as_ref().is_some_and(is_here) {
            let upload = |(array, input): &(ArrayId, HostArray)| {
                let memory = self.upload_input(input);
                memory.map_err(|e| self.failed(*array, e))
            };
            *used = Some(uses.iter().map(upload).collect::<Result<_, _>>()?);
        }
        for ((array, input), memory) in uses.iter().zip(used.iter().flatten()) {
            self.memory[array.index()] = Some(memory.clone());
            let mut fetched = self.fetched.borrow_mut();
            fetched.insert(*array, input.column().clone());
        }
        Ok(())
    }

    pub fn steps(&mut self) -> Result<(), RunError> {
        let executable = self.executable;
        while let Some(&Frame { list, at }) = self.frames.last() {
            match executable.lists[list].steps.get(at) {
                Some(ready) => self.step(ready)?,
                None => self.end_list(),
            }
        }
        Ok(())
    }

    fn step(&mut self, ready: &'a Ready) -> Result<(), RunError> {
        match &ready.step {
            ReadyStep::Scalars {
                body,
                defines,
                on_device,
            } => self.scalars(body, defines, on_device.as_deref())?,
            ReadyStep::Check(check, site) => {
                check.verify(self.schedule.sites[site.index()], &|s| self.extent(s))?;
            }
            ReadyStep::Kernel(kernel, code) => self.kernel(kernel, code)?,
            ReadyStep::Strip(strip, code) => self.strip(strip, code)?,
            ReadyStep::If {
                cond, then_, else_, ..
            } => {
                let list = if self.holds(*cond) { *then_ } else { *else_ };
                self.frames.push(Frame { list, at: 0 });
                return Ok(());
            }
        }
        self.end_step();
        Ok(())
    }

    fn holds(&self, cond: SymbolId) -> bool {
        self.symbols[cond.index()].bits() != 0
    }

    /// Gives back what the current step used last, and goes on to the next.
    fn end_step(&mut self) {
        let Some(Frame { list, at }) = self.frames.last_mut() else {
            return;
        };
        let release = &self.executable.lists[*list].steps[*at].release;
        *at += 1;
        release.iter().for_each(|&array| self.release(array));
    }

    /// Leaves a list; the conditional that it belongs to takes over what it made.
    fn end_list(&mut self) {
        let (ended, around) = (self.frames.pop(), self.frames.last());
        let (Some(ended), Some(around)) = (ended, around) else {
            return;
        };
        let lists = &self.executable.lists;
        if let ReadyStep::If {
            cond: _,
            then_,
            else_: _,
            symbols,
            arrays,
        } = &lists[around.list].steps[around.at].step
        {
            self.take_over(symbols, arrays, ended.list == *then_);
        }
        let locals = &lists[ended.list].locals;
        locals.iter().for_each(|&local| self.release(local));
        self.end_step();
    }

    fn take_over(
        &mut self,
        symbols: &[(SymbolId, SymbolId, SymbolId)],
        arrays: &[(ArrayId, ArrayId, ArrayId)],
        holds: bool,
    ) {
        for &(merged, then_, else_) in symbols {
            let from = if holds { then_ } else { else_ };
            self.symbols[merged.index()] = self.symbols[from.index()];
            self.on_device[merged.index()] = self.on_device[from.index()].clone();
        }
        for &(merged, then_, else_) in arrays {
            let from = if holds { then_ } else { else_ };
            self.memory[merged.index()] = self.memory[from.index()].clone();
            self.fetched.borrow_mut().remove(&merged);
        }
    }

    pub fn measures(&self) -> RunMeasures {
        let mut measures = self.measures;
        measures.submits += self.recording.borrow().submits;
        measures
    }

    fn device_error(&self, error: GpuError) -> RunError {
        self.gpu.unusable(error)
    }
}
