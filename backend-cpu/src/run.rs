//! A run: `core` goes through the steps, and kernels run here.
//!
//! Steps run on the calling thread until a kernel is large enough to be shared out; from then on the run
//! stays on the threads of the pool, which it enters once. `state` gives kernels access to memory, `spare` keeps small arrays for later trips of loops, and `strip`
//! runs kernels chunk by chunk.

mod associative;
mod clock;
mod spare;
mod state;
mod strip;

use crate::Threads;
use crate::kernel::{KernelCode, bug};
use crate::memory::bytes_of;
use crate::passes::is_large;
use crate::prepare::{Executable, StripCode};
use clock::Clock;
use cotangent_core::backend::{Control, KernelTime, RunError, RunMeasures};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::schedule::ArrayId;
use cotangent_core::schedule::drive::{Driver, Engine, Store, Work};
use state::State;
use std::sync::Arc;

/// Runs a program, and says what that took.
pub(crate) fn run(
    (threads, control): (&Threads, &Control),
    executable: &Executable,
    inputs: &[HostArray],
) -> Result<(Vec<HostArray>, RunMeasures), RunError> {
    let state = State::new(executable, threads.count(), control.clone());
    run_from(state, threads, inputs)
}

/// The same, with the time that threads were busy with each kernel.
pub(crate) fn run_timed(
    (threads, control): (&Threads, &Control),
    executable: &Executable,
    inputs: &[HostArray],
) -> Result<(Vec<HostArray>, Vec<KernelTime>), RunError> {
    let clock = Arc::new(Clock::new(executable.kernels));
    let mut state = State::new(executable, threads.count(), control.clone());
    state.clock = Some(Arc::clone(&clock));
    let (results, _) = run_from(state, threads, inputs)?;
    Ok((results, clock.times()))
}

fn run_from(
    state: State,
    threads: &Threads,
    inputs: &[HostArray],
) -> Result<(Vec<HostArray>, RunMeasures), RunError> {
    let executable = state.executable;
    executable.pool.begin_run();
    let mut driver = Driver::new(&executable.plan, state);
    driver.bind(inputs)?;
    let is_done = driver.run_until(|state, work| match work {
        _ if state.threads == 1 => false,
        Work::Kernel(kernel) => is_large(kernel.size(&state.store.symbols)),
        Work::Strip(strip) => strip.wants_threads(&state.store.symbols),
    })?;
    if !is_done {
        threads.enter(|| driver.run())?;
    }
    let state = &driver.engine;
    let results = state.store.schedule.results.iter();
    let results = results.map(|&array| state.result(array));
    Ok((results.collect::<Result<_, _>>()?, state.measures()))
}

impl Engine for State<'_> {
    type Memory = Column;
    type Scalars = ();
    type Kernel = Box<KernelCode>;
    type Strip = Box<StripCode>;

    fn store(&self) -> &Store<Column> {
        &self.store
    }

    fn store_mut(&mut self) -> &mut Store<Column> {
        &mut self.store
    }

    fn place(&mut self, _: ArrayId, input: &HostArray) -> Result<Column, RunError> {
        Ok(input.column().clone())
    }

    fn element(&self, array: ArrayId, position: usize) -> Result<Const, RunError> {
        let element = self.element_at(array, position)?;
        element.ok_or_else(|| bug("an element is read that is not there"))
    }

    fn host_array(&mut self, array: ArrayId) -> Result<HostArray, RunError> {
        self.result(array)
    }

    fn control(&self) -> &Control {
        &self.control
    }

    fn kernel(&mut self, kernel: &Box<KernelCode>) -> Result<(), RunError> {
        self.run_kernel(kernel, None)
    }

    fn strip(&mut self, strip: &Box<StripCode>) -> Result<(), RunError> {
        strip::run(strip, self)
    }

    fn put(&mut self, defined: ArrayId, memory: Option<Column>) {
        let bytes = memory.as_ref().map_or(0, bytes_of);
        self.held.take_over(bytes);
        let before = std::mem::replace(&mut self.store.memory[defined.index()], memory);
        if let Some(column) = before {
            self.spare.give(column);
        }
    }

    fn release(&mut self, array: ArrayId) {
        if let Some(column) = self.store.memory[array.index()].take() {
            self.held.give(bytes_of(&column));
            self.spare.give(column);
        }
    }
}
