//! A backend that chooses between CPU and GPU, run by run.
//!
//! What a run takes is known from the schedule's formulas (`cotangent-explain`), evaluated for the extents of its inputs;
//! how long that takes on either device is estimated (`auto/estimate.rs`); the choice is a pure function of both
//! (`auto/choice.rs`).

mod choice;
mod estimate;
#[cfg(test)]
mod tests;

pub use choice::{Choice, Chosen, Reason};

use crate::error::Error;
use crate::program::Program;
use choice::{Device, choose, refusal};
use cotangent_backend_cpu::Cpu;
use cotangent_backend_gpu::{DeviceInfo, Gpu, GpuError, devices};
use cotangent_core::backend::{Backend, Control, RunError, RunMeasures};
use cotangent_core::host::HostArray;
use cotangent_core::schedule::{Checked, Schedule};
use cotangent_core::surface::Arrays;
use cotangent_explain::Formulas;
use estimate::Rates;

/// The CPU and, if there is one, a GPU: each run goes to the one that is estimated to be faster.
///
/// Small work stays on the CPU, since a GPU is slow to start and what it works on must be copied to it. So does what the GPU
/// cannot do (a type that it lacks, an array that is too large), work whose size depends on data, and everything where
/// there is no GPU but a driver that computes on the CPU. Estimates are made from what a program is known to compute and
/// to move, at rates that are typical of a kind of device; nothing is measured. [`choice_for`](Self::choice_for) tells
/// the choice and its reason. Results of the two backends may differ in rounding.
///
/// ```
/// use cotangent::prelude::*;
/// use cotangent::{Auto, Chosen, compile};
///
/// let auto = Auto::new();
/// let norm = compile(|x: Acc<Ix1, f32>| x.map(|x| x * x).sum())?;
/// let x = Array::vector(vec![1.0, 2.0, 3.0])?;
/// assert_eq!(norm.run(&auto, x)?.to_vec(), [14.0]);
/// let choice = auto.choice_for(&norm, &[&[3]])?;
/// assert_eq!(choice.on, Chosen::Cpu); // Three numbers are not worth the way.
/// println!("{choice}");
/// # Ok::<(), cotangent::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Auto {
    cpu: Cpu,
    gpu: Result<Accelerator, Reason>,
}

/// An open GPU that may be chosen.
#[derive(Clone, Debug)]
struct Accelerator {
    gpu: Gpu,
    device: Device,
}

/// Settings for an [`Auto`].
#[derive(Clone, Debug, Default)]
pub struct AutoBuilder {
    cpu: Option<Cpu>,
    gpu: Option<Gpu>,
}

impl AutoBuilder {
    /// Uses this CPU, instead of all threads.
    pub fn cpu(mut self, cpu: Cpu) -> Self {
        self.cpu = Some(cpu);
        self
    }

    /// Uses this GPU, instead of the first that there is.
    pub fn gpu(mut self, gpu: Gpu) -> Self {
        self.gpu = Some(gpu);
        self
    }

    /// The backend.
    pub fn build(self) -> Auto {
        Auto {
            cpu: self.cpu.unwrap_or_default(),
            gpu: match self.gpu {
                Some(gpu) => Accelerator::new(gpu),
                None => Accelerator::first(),
            },
        }
    }
}

impl Default for Auto {
    fn default() -> Self {
        Self::new()
    }
}

impl Auto {
    /// All threads of the CPU, and the first GPU, if there is one that can be opened.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Settings for a backend.
    pub fn builder() -> AutoBuilder {
        AutoBuilder::default()
    }

    /// The same choice of backends, whose runs obey a control.
    pub fn with_control(&self, control: &Control) -> Self {
        Self {
            cpu: self.cpu.with_control(control),
            gpu: self
                .gpu
                .clone()
                .map(|Accelerator { gpu, device }| Accelerator {
                    gpu: gpu.with_control(control),
                    device,
                }),
        }
    }

    /// The CPU.
    pub fn cpu(&self) -> &Cpu {
        &self.cpu
    }

    /// The GPU, if there is one that may be chosen.
    pub fn gpu(&self) -> Option<&Gpu> {
        self.gpu.as_ref().ok().map(|accelerator| &accelerator.gpu)
    }

    /// Which backend runs a program on inputs of given shapes, one for each array in `In`, and why. Nothing is run. A GPU
    /// that is chosen, but runs out of memory, is lost, or cannot go on with a loop, leaves the run to the CPU all the same.
    ///
    /// # Errors
    /// Where the shapes do not fit the program, or it cannot be prepared.
    pub fn choice_for<In: Arrays, Out: Arrays>(
        &self,
        program: &Program<In, Out>,
        shapes: &[&[usize]],
    ) -> Result<Choice, Error> {
        // What is wrong with shapes is said in terms of the arrays that users pass.
        program.explain_for(shapes)?;
        let mut columns = vec![];
        In::column_counts(&mut columns);
        let of_columns = shapes.iter().zip(columns);
        let of_columns = of_columns.flat_map(|(&shape, n)| std::iter::repeat_n(shape, n));
        let of_columns: Vec<_> = of_columns.collect();
        let executable = program.executable_for(self, of_columns.iter().copied())?;
        Ok(self.choice(&executable, &of_columns))
    }

    /// The choice for inputs of given shapes, one for each column. Where they do not fit, it is the CPU that says so.
    fn choice(&self, executable: &AutoExecutable, shapes: &[&[usize]]) -> Choice {
        let device = match (&self.gpu, &executable.gpu) {
            (Err(reason), _) | (Ok(_), Err(reason)) => Err(reason),
            (Ok(accelerator), Ok(_)) => Ok(&accelerator.device),
        };
        // Without a device the number of chunks does not matter.
        let chunk_bytes = self.gpu.as_ref().map_or(u64::MAX, |a| a.gpu.chunk_bytes());
        let work = executable.formulas.work(shapes, chunk_bytes);
        let work = work.unwrap_or(None);
        let rates = Rates::of_cpu(self.cpu.threads());
        choose(work.as_ref(), &rates, device)
    }
}

impl Accelerator {
    /// The first of all devices. Where that is no GPU it is not opened, as it will not be used.
    fn first() -> Result<Self, Reason> {
        if let Some(first) = devices().first() {
            eligible(first)?;
        }
        Gpu::open(None).map_or_else(|error| Err(no_gpu(&error)), Self::new)
    }

    fn new(gpu: Gpu) -> Result<Self, Reason> {
        let device = eligible(gpu.info())?;
        Ok(Self { gpu, device })
    }
}

/// What matters of a device, unless it is none that may be chosen.
fn eligible(info: &DeviceInfo) -> Result<Device, Reason> {
    match info.is_software() {
        true => Err(Reason::Software(info.name.clone())),
        false => Ok(Device {
            rates: Rates::of_gpu(info.kind),
            max_array_bytes: info.max_array_bytes,
        }),
    }
}

fn no_gpu(error: &GpuError) -> Reason {
    Reason::NoGpu(error.to_string())
}

/// A schedule made ready for both.
#[derive(Debug)]
pub struct AutoExecutable {
    cpu: cotangent_backend_cpu::Executable,
    gpu: Result<cotangent_backend_gpu::Executable, Reason>,
    formulas: Formulas,
}

impl Backend for Auto {
    type Executable = AutoExecutable;

    fn name(&self) -> String {
        let gpu = self.gpu().map_or("no gpu".to_owned(), Gpu::name);
        format!("auto ({}, {gpu})", self.cpu.name())
    }

    fn watches_loops(&self) -> bool {
        self.cpu.watches_loops()
    }

    fn prepare(&self, schedule: &Checked<Schedule>) -> Result<AutoExecutable, RunError> {
        let gpu = match &self.gpu {
            Ok(accelerator) => match accelerator.gpu.prepare(schedule) {
                Ok(executable) => Ok(executable),
                Err(error) => Err(refusal(error)?),
            },
            Err(reason) => Err(reason.clone()),
        };
        Ok(AutoExecutable {
            cpu: self.cpu.prepare(schedule)?,
            gpu,
            formulas: Formulas::new(schedule),
        })
    }

    fn run_measured(
        &self,
        executable: &AutoExecutable,
        inputs: &[HostArray],
    ) -> Result<(Vec<HostArray>, RunMeasures), RunError> {
        let on_cpu = || self.cpu.run_measured(&executable.cpu, inputs);
        let shapes: Vec<_> = inputs.iter().map(HostArray::shape).collect();
        match (
            self.choice(executable, &shapes).on,
            &self.gpu,
            &executable.gpu,
        ) {
            (Chosen::Gpu, Ok(accelerator), Ok(prepared)) => {
                let done = accelerator.gpu.run_measured(prepared, inputs);
                done.or_else(|error| refusal(error).and_then(|_| on_cpu()))
            }
            (Chosen::Cpu | Chosen::Gpu, _, _) => on_cpu(),
        }
    }
}
