//! A run: the steps of a schedule, the symbols and the memory of arrays between them.
//!
//! Steps run on the calling thread until a kernel is large enough to be shared out; from then on the run
//! stays on the threads of the pool, which it enters once. `state` gives kernels access to memory, and `strip`
//! runs kernels chunk by chunk.

mod associative;
mod state;
mod strip;

use crate::Threads;
use crate::kernel::KernelCode;
use crate::memory::bytes_of;
use crate::passes::is_large;
use crate::prepare::{Executable, StepKind};
use cotangent_core::backend::{RunError, RunMeasures};
use cotangent_core::constant::Const;
use cotangent_core::host::HostArray;
use cotangent_core::schedule::ArrayId;
use cotangent_core::schedule::inputs::extents_of_inputs;
use cotangent_core::schedule::scalar;
use state::{Host, State};
use std::sync::Arc;

/// Runs a program, and says what that took.
pub(crate) fn run(
    threads: &Threads,
    executable: &Executable,
    inputs: &[HostArray],
) -> Result<(Vec<HostArray>, RunMeasures), RunError> {
    executable.pool.begin_run();
    let mut run = Run::new(threads.count(), executable, inputs)?;
    match run.steps(threads.count() == 1)? {
        Progress::WantsThreads => threads.enter(|| run.steps(true))?,
        Progress::Done => Progress::Done,
    };
    let results = executable.results.iter();
    let results = results.map(|&array| run.state.result(array));
    let results = results.collect::<Result<_, _>>()?;
    Ok((results, run.state.measures()))
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
    state: State<'a>,
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
        let symbols = executable.symbols.iter();
        let mut run = Self {
            executable,
            threads,
            state: State {
                executable,
                symbols: symbols.map(|&ty| Const::zero(ty)).collect(),
                memory: vec![None; executable.arrays.len()],
                placed: vec![],
                held: Arc::default(),
                passes: Arc::default(),
            },
            frames: vec![Frame { list: 0, at: 0 }],
        };
        for (symbol, extent) in extents {
            run.state.symbols[symbol.index()] = Const::I32(extent);
        }
        let used = uses.iter().map(|(array, used)| (array, used));
        for (array, input) in params.iter().zip(inputs).chain(used) {
            run.state.memory[array.index()] = Some(input.column().clone());
        }
        Ok(run)
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
                    let values = scalar::eval(body, &Host::of_scalars(&self.state))?;
                    for (symbol, value) in defines {
                        self.state.symbols[symbol.index()] = values[value.index()];
                    }
                }
                StepKind::Check(check, site) => {
                    let state = &self.state;
                    check.verify(state.site(*site), &|s| state.int(s))?;
                }
                StepKind::Kernel(kernel) => {
                    if !entered && self.wants_threads(kernel) {
                        return Ok(Progress::WantsThreads);
                    }
                    self.state.kernel(kernel, self.threads, None)?;
                }
                StepKind::Strip(strip) => {
                    if !entered && strip.wants_threads(&self.state.symbols) {
                        return Ok(Progress::WantsThreads);
                    }
                    strip::run(strip, &mut self.state, self.threads)?;
                }
                StepKind::If {
                    cond, then_, else_, ..
                } => {
                    let holds = self.state.symbols[cond.index()] == Const::Bool(true);
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
        if let Some(column) = self.state.memory[array.index()].take() {
            self.state.held.give(bytes_of(&column));
        }
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
                self.state.symbols[merged.index()] = self.state.symbols[from.index()];
            }
            for &(merged, then_, else_) in arrays {
                let from = if holds { then_ } else { else_ };
                let taken = self.state.memory[from.index()].clone();
                self.state
                    .held
                    .take_over(taken.as_ref().map_or(0, bytes_of));
                self.state.memory[merged.index()] = taken;
            }
        }
        for &local in &lists[ended.list].locals {
            self.release(local);
        }
        self.end_step();
    }

    fn wants_threads(&self, kernel: &KernelCode) -> bool {
        is_large(kernel.size(&self.state.symbols))
    }
}
