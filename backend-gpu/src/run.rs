//! Runs of whole programs: the host goes through the steps, as `core` does for every engine, and the device does the
//! kernels.
//!
//! At first a run only writes down what the device is to do ([`Recording`]), and waits for nothing but numbers that the
//! host has to know and, at the end, results. If then something went wrong, be it an index out of range, the program is run
//! again *synchronously*: the host waits for each kernel, and so learns which failed first and, going through the points
//! itself, where. Programs are deterministic, so the second run meets what the first one met.
//!
//! Loops in kernels count their trips. Where an invocation makes too many, the kernel ends them and says so, and the program runs
//! anew with its loops cut into chunks (`cotangent_core::schedule::chunks`). Where a point fails then, a point before it may fail in a
//! later chunk: the run goes on with those, and tells of the failure when the last part of the kernel is done.

mod arrays;
pub(crate) mod cut;
mod engine;
mod failures;
mod fast;
mod host;
mod kernels;
mod results;
mod scatters;
mod strips;
mod trips;

use crate::device::Gpu;
use crate::error::GpuError;
use crate::memory::Memory;
use crate::prepare::Executable;
use crate::recording::Recording;
use cotangent_core::backend::{Backend, KernelTime, RunError, RunMeasures, Timed};
use cotangent_core::host::{Column, HostArray};
use cotangent_core::schedule::drive::{Driver, Store};
use cotangent_core::schedule::{ArrayId, Checked, Schedule};
use failures::Failure;
use std::cell::RefCell;
use std::collections::HashMap;

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

    fn watches_loops(&self) -> bool {
        self.control.watches_loops()
    }

    fn prepare(&self, schedule: &Checked<Schedule>) -> Result<Executable, RunError> {
        self.executable(schedule)
    }

    fn run_measured(
        &self,
        executable: &Executable,
        inputs: &[HostArray],
    ) -> Result<(Vec<HostArray>, RunMeasures), RunError> {
        self.run_twice(executable, |executable, synchronous| {
            let mut driver = Run::begin(self, executable, synchronous);
            driver.bind(inputs)?;
            let mut run = Run::finish_steps(driver)?;
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
        self.run_twice(executable, |executable, synchronous| {
            let mut driver = Run::begin(self, executable, synchronous);
            let started = driver.engine.recording.borrow_mut().time();
            started.map_err(|e| self.unusable(e))?;
            driver.bind(inputs)?;
            let mut run = Run::finish_steps(driver)?;
            let results = run.results()?;
            let times = run.recording.borrow_mut().times();
            Ok((results, times.map_err(|e| self.unusable(e))?))
        })
    }
}

impl Gpu {
    /// Runs something, and synchronously if that fails. Where its loops make too many trips for one dispatch, it runs with
    /// its loops in chunks, then and from then on.
    pub(crate) fn run_twice<T>(
        &self,
        executable: &Executable,
        run: impl Fn(&Executable, bool) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let mut now = executable.shortest();
        loop {
            match self.run_as_is(|synchronous| run(now, synchronous)) {
                Err(RunError::LoopTooLong { .. }) => match self.shorter(now)? {
                    Some(shorter) => now = shorter,
                    // This tells which kernel it is.
                    None => return run(now, true),
                },
                result => return result,
            }
        }
    }

    fn run_as_is<T>(&self, run: impl Fn(bool) -> Result<T, RunError>) -> Result<T, RunError> {
        self.context.pool.begin_run();
        self.context.staging.begin_run();
        let first = match run(false) {
            Err(
                e @ (RunError::DeviceLost { .. }
                | RunError::Cancelled
                | RunError::LoopTooLong { .. }
                | RunError::TooManyTrips { .. }),
            ) => return Err(e),
            Err(e) => e,
            Ok(done) => return Ok(done),
        };
        let second = run(true);
        match (&second, &first) {
            // Memory may suffice where nothing waits for its turn, and the simple shaders may bind fewer arrays.
            (Ok(_), RunError::DeviceMemory { .. } | RunError::Unsupported { .. }) | (Err(_), _) => {
                second
            }
            (Ok(_), _) => Err(RunError::Bug(format!(
                "only where the host did not wait: {first}"
            ))),
        }
    }
}

/// A run under way.
pub(crate) struct Run<'a> {
    gpu: &'a Gpu,
    executable: &'a Executable,
    schedule: &'a Schedule,
    /// Whether the host waits for each kernel.
    synchronous: bool,
    recording: RefCell<Recording>,
    store: Store<Memory>,
    /// The values of symbols that the device computed and the host does not know.
    on_device: Vec<Option<Memory>>,
    /// Elements that the host knows, by the owner of their memory.
    fetched: RefCell<HashMap<ArrayId, Column>>,
    /// The position of the kernel at hand.
    position: usize,
    /// What has failed of the kernel that the one at hand is a part of, and is told when the last part of it is done.
    failure: Option<Failure>,
    /// The bytes of the arrays that the run made and that are there.
    held: u64,
    measures: RunMeasures,
}

impl<'a> Run<'a> {
    pub fn new(gpu: &'a Gpu, executable: &'a Executable, synchronous: bool) -> Self {
        let schedule = &executable.plan.schedule;
        Self {
            gpu,
            executable,
            schedule,
            synchronous,
            recording: RefCell::new(Recording::new(gpu)),
            store: Store::new(schedule),
            on_device: vec![None; schedule.symbols.len()],
            fetched: RefCell::default(),
            position: 0,
            failure: None,
            held: 0,
            measures: RunMeasures::default(),
        }
    }

    /// A run whose inputs are to be bound next.
    pub fn begin(gpu: &'a Gpu, executable: &'a Executable, synchronous: bool) -> Driver<'a, Self> {
        Driver::new(&executable.plan, Self::new(gpu, executable, synchronous))
    }

    /// Goes through the steps, the inputs being bound; large ones are on their way meanwhile.
    pub fn finish_steps(mut driver: Driver<'a, Self>) -> Result<Self, RunError> {
        let run = &mut driver.engine;
        let all = run.store.memory.iter().flatten();
        if all.map(Memory::bytes).sum::<u64>() >= EARLY_BYTES {
            run.gpu.context.begin();
            run.measures.submits += 1;
        }
        driver.run()?;
        Ok(driver.engine)
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
