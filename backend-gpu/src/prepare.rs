//! Schedules made ready to run: the shaders of every kernel.

use crate::device::Gpu;
use cotangent_core::backend::RunError;
use cotangent_core::schedule::{Kernel, KernelKind, Schedule, Step, Strip};
use cotangent_shaders::{
    Contraction, Reduction, Scanning, Sending, Shader, Unsupported, combine, contract, map, reduce,
    scan, scatter,
};

/// A schedule made ready to run on a device, for any extents.
#[derive(Debug)]
pub struct Executable {
    pub(crate) schedule: Schedule,
    pub(crate) steps: Vec<StepCode>,
}

/// The shaders of a step; nothing for those that the host does.
#[derive(Debug)]
pub(crate) enum StepCode {
    Host,
    Kernel(Box<KernelCode>),
    If {
        then_: Vec<StepCode>,
        else_: Vec<StepCode>,
    },
    Strip(StripCode),
}

/// The shaders of a kernel.
#[derive(Debug)]
pub(crate) enum KernelCode {
    Map(Shader),
    Reduce(Reduction),
    Contract(Contraction),
    Scan(Scanning),
    Scatter(Sending),
}

/// The shaders of a strip: of its kernels, and of what combines with each total.
#[derive(Debug)]
pub(crate) struct StripCode {
    pub kernels: Vec<KernelCode>,
    pub totals: Vec<Option<Shader>>,
}

impl Gpu {
    pub(crate) fn executable(&self, schedule: &Schedule) -> Result<Executable, RunError> {
        let maker = Maker {
            gpu: self,
            schedule,
        };
        Ok(Executable {
            steps: maker.steps(&schedule.steps)?,
            schedule: schedule.clone(),
        })
    }
}

struct Maker<'a> {
    gpu: &'a Gpu,
    schedule: &'a Schedule,
}

impl Maker<'_> {
    fn steps(&self, steps: &[Step]) -> Result<Vec<StepCode>, RunError> {
        steps.iter().map(|step| self.step(step)).collect()
    }

    fn step(&self, step: &Step) -> Result<StepCode, RunError> {
        Ok(match step {
            Step::Scalars { .. } | Step::Check(..) => StepCode::Host,
            Step::Kernel(kernel) => StepCode::Kernel(Box::new(self.kernel(kernel)?)),
            Step::If { then_, else_, .. } => StepCode::If {
                then_: self.steps(then_)?,
                else_: self.steps(else_)?,
            },
            Step::Strip(strip) => StepCode::Strip(self.strip(strip)?),
        })
    }

    fn strip(&self, strip: &Strip) -> Result<StripCode, RunError> {
        let kernels = strip.kernels.iter().map(|kernel| self.kernel(kernel));
        let total = |total| {
            let shader = combine(self.schedule, (strip, total), &self.gpu.target());
            shader.map_err(|e| self.unsupported(e))
        };
        Ok(StripCode {
            kernels: kernels.collect::<Result<_, _>>()?,
            totals: strip.totals.iter().map(total).collect::<Result<_, _>>()?,
        })
    }

    fn kernel(&self, kernel: &Kernel) -> Result<KernelCode, RunError> {
        let (schedule, target) = (self.schedule, self.gpu.target());
        let code = match &kernel.kind {
            KernelKind::Map { .. } => map(schedule, kernel, &target).map(KernelCode::Map),
            KernelKind::Scatter { .. } => {
                scatter(schedule, kernel, &target).map(KernelCode::Scatter)
            }
            KernelKind::Reduce { .. } => reduce(schedule, kernel, &target).map(KernelCode::Reduce),
            KernelKind::Contract { .. } => {
                contract(schedule, kernel, &target).map(KernelCode::Contract)
            }
            KernelKind::Scan { .. } => scan(schedule, kernel, &target).map(KernelCode::Scan),
        };
        code.map_err(|e| self.unsupported(e))
    }

    fn unsupported(&self, reason: Unsupported) -> RunError {
        RunError::Unsupported {
            what: reason.to_string(),
            engine: self.gpu.info().name.clone(),
            way_out: "use the CPU, or `f32` in place of `f64`".to_owned(),
        }
    }
}
