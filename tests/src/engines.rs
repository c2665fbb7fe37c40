//! Everything that can run a program, behind one interface, and how their results are compared.
//!
//! The reference is the interpreter on the program as generated. An [`Engine`] takes the program through
//! some passes ([`Stages`]) and runs what comes out. [`disagreement`] compares all engines with the
//! reference:
//!
//! * where the reference has values, each engine has the same ones ([`compare`]);
//! * where the reference fails and a result needs what failed, each engine fails: perhaps in another place, but
//!   for a reason of a kind that the reference meets;
//! * where the reference fails and no result needs that, an engine has the values that there are without, or
//!   fails as above ([`Reference`]);
//! * no engine panics, reports a bug of its own, or makes a program that the checker turns down;
//! * a program that AD says it has no rule for counts for the engines before AD only.
//!
//! To add an engine, add a line to [`all`].

mod agree;
mod compare;
mod reference;
mod stages;

pub use agree::{Disagreement, Fault, Summary, disagreement, shrunk};
pub(crate) use agree::{guarded, shrunk_by};
pub use compare::{compare, scale};
pub use reference::Reference;
pub use stages::{Stages, Stop};

use cotangent_backend_cpu::{Cpu, Isa, Native};
use cotangent_backend_gpu::Gpu;
use cotangent_core::backend::{Backend, RunError};
use cotangent_core::host::HostArray;
use cotangent_core::interp;
use cotangent_core::schedule::chunks::Nests;
use cotangent_core::schedule::{self, Checked, Schedule};
use cotangent_core::term::{Labelled, Program};

/// What an engine gives for a case.
pub type Outcome = Result<Result<Vec<HostArray>, RunError>, Stop>;

/// A way to run programs.
pub struct Engine {
    /// Its name in reports.
    pub name: String,
    run: Box<dyn Fn(&Stages) -> Outcome + Send + Sync>,
}

impl Engine {
    /// Runs the case.
    pub fn run(&self, stages: &Stages) -> Outcome {
        (self.run)(stages)
    }
}

/// Every engine but the reference.
pub fn all() -> Vec<Engine> {
    let native = (Isa::detect(), Native::AtOnce);
    let mut engines = vec![
        interpreter("label", Stages::relabelled),
        interpreter("simplify", Stages::simplified),
        interpreter("ad", Stages::differentiated),
        interpreter("simplify and ad", Stages::simplified_differentiated),
        interpreter("simplify, ad and simplify", Stages::derived),
        reference_runner("the unfused schedule", Stages::unfused),
        reference_runner("the fused schedule", Stages::fused),
        cpu("loops in chunks", native, 3, |stages| {
            stages.in_chunks(Nests::InChunks)
        }),
        cpu("loops around others trip by trip", native, 2, |stages| {
            stages.in_chunks(Nests::TripByTrip)
        }),
        cpu("the unfused schedule", native, 1, Stages::unfused),
        cpu("the fused schedule", native, 3, Stages::fused),
    ];
    let isas = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    let bytecode = isas.map(|isa| (isa, Native::Off));
    engines.extend(bytecode.map(|code| cpu("the fused schedule", code, 1, Stages::fused)));
    engines
}

/// The GPU backend on the fused schedule.
pub fn gpu(gpu: Gpu) -> Engine {
    Engine {
        name: gpu.name(),
        run: Box::new(move |stages| {
            let executable = match gpu.prepare(&stages.fused()?) {
                Ok(executable) => executable,
                Err(e @ RunError::Unsupported { .. }) => {
                    return Err(Stop::Unsupported(e.to_string()));
                }
                Err(e) => return Err(Stop::Broken(e.to_string())),
            };
            Ok(gpu.run(&executable, stages.inputs()))
        }),
    }
}

/// The GPU backend with arrays bound in pieces: in pieces so small that no kernel has more of them than the device takes.
pub fn gpu_in_windows(gpu: Gpu) -> Engine {
    Engine {
        name: format!("gpu in windows ({})", gpu.info().name),
        run: Box::new(move |stages| {
            let pieces = (6..16).step_by(3).map(|bits| 1 << bits);
            let engines = pieces.map(|bytes| self::gpu(gpu.clone().with_binding_bytes(bytes)));
            let is_cut_too_small = |outcome: &Outcome| matches!(outcome, Ok(Err(RunError::Unsupported { what, .. })) if what.contains(" bindings of "));
            let mut outcomes = engines.map(|engine| engine.run(stages));
            let found = outcomes.find(|outcome| !is_cut_too_small(outcome));
            found.unwrap_or_else(|| gpu_refuses(&gpu))
        }),
    }
}

fn gpu_refuses(gpu: &Gpu) -> Outcome {
    let refusal = format!("{} refuses pieces of every size", gpu.info().name);
    Err(Stop::Broken(refusal))
}

/// The interpreter on what a pass makes.
fn interpreter(name: &str, stage: fn(&Stages) -> Result<Program<Labelled>, Stop>) -> Engine {
    Engine {
        name: format!("interpreter after {name}"),
        run: Box::new(move |stages| Ok(interp::run(&stage(stages)?, stages.inputs()))),
    }
}

/// The reference runner on a schedule.
fn reference_runner(name: &str, stage: fn(&Stages) -> Result<Checked<Schedule>, Stop>) -> Engine {
    Engine {
        name: format!("reference runner on {name}"),
        run: Box::new(move |stages| Ok(schedule::run::run(&stage(stages)?, stages.inputs()))),
    }
}

/// The CPU backend on a schedule.
fn cpu(
    name: &str,
    (isa, native): (Isa, Native),
    threads: usize,
    stage: fn(&Stages) -> Result<Checked<Schedule>, Stop>,
) -> Engine {
    let cpu = Cpu::builder()
        .isa(isa)
        .native(native)
        .threads(threads)
        .build();
    Engine {
        name: format!("cpu ({isa:?}, {native:?}, {threads} threads) on {name}"),
        run: Box::new(move |stages| {
            let cpu = cpu.as_ref().map_err(|e| Stop::Broken(e.to_string()))?;
            let schedule = stage(stages)?;
            let executable = cpu
                .prepare(&schedule)
                .map_err(|e| Stop::Broken(e.to_string()))?;
            Ok(cpu.run(&executable, stages.inputs()))
        }),
    }
}
