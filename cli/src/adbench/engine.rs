//! The backend that a task runs on, chosen by options.

use super::TaskError;
use super::options::{BackendName, Common, Precision};
use super::report::Report;
#[cfg(feature = "gpu")]
use cotangent::RunError;
use cotangent::prelude::Arrays;
use cotangent::{Backend, Cpu, Error, Program};
use cotangent_adbench::host::HostFloat;

/// A backend, with what reports say of it.
pub trait Engine: Backend + Clone {
    /// The name that options give it.
    fn name_asked_for(&self) -> &'static str;

    /// Threads of the CPU that it may use.
    fn threads(&self) -> Option<usize> {
        None
    }

    /// The GPU that it may use.
    fn device(&self) -> Option<String> {
        None
    }

    /// If it is one that chooses: what would run a program, and why.
    ///
    /// # Errors
    /// Where the program cannot be prepared.
    fn choice<In: Arrays, Out: Arrays>(
        &self,
        _program: &Program<In, Out>,
        _shapes: &[Vec<usize>],
    ) -> Result<Option<String>, Error> {
        Ok(None)
    }
}

impl Engine for Cpu {
    fn name_asked_for(&self) -> &'static str {
        BackendName::Cpu.name()
    }

    fn threads(&self) -> Option<usize> {
        Some(Cpu::threads(self))
    }
}

/// What is to be done on some backend, in some precision.
pub trait Job {
    /// Does it.
    ///
    /// # Errors
    /// Where it cannot be done.
    fn on<T: HostFloat, E: Engine>(self, engine: E) -> Result<Report, TaskError>;
}

/// Does a job as the options say.
///
/// # Errors
/// Where the options contradict each other, there is no such device, or the job cannot be done.
pub fn dispatch(common: &Common, job: impl Job) -> Result<Report, TaskError> {
    match common.backend_name()? {
        BackendName::Cpu => in_precision(common, job, cpu(common)?),
        BackendName::Gpu => on_gpu(common, job),
        BackendName::Auto => on_either(common, job),
    }
}

fn in_precision<E: Engine>(common: &Common, job: impl Job, engine: E) -> Result<Report, TaskError> {
    match common.precision {
        Precision::F32 => job.on::<f32, E>(engine),
        Precision::F64 => job.on::<f64, E>(engine),
    }
}

fn cpu(common: &Common) -> Result<Cpu, TaskError> {
    Ok(Cpu::builder().threads(common.thread_count()).build()?)
}

#[cfg(feature = "gpu")]
use gpu::{on_either, on_gpu};

/// What there is with GPUs.
#[cfg(feature = "gpu")]
mod gpu {
    use super::*;
    use cotangent::{Auto, Gpu};

    impl Engine for Gpu {
        fn name_asked_for(&self) -> &'static str {
            BackendName::Gpu.name()
        }

        fn device(&self) -> Option<String> {
            Some(self.info().name.clone())
        }
    }

    impl Engine for Auto {
        fn name_asked_for(&self) -> &'static str {
            BackendName::Auto.name()
        }

        fn threads(&self) -> Option<usize> {
            Some(self.cpu().threads())
        }

        fn device(&self) -> Option<String> {
            self.gpu().and_then(Engine::device)
        }

        fn choice<In: Arrays, Out: Arrays>(
            &self,
            program: &Program<In, Out>,
            shapes: &[Vec<usize>],
        ) -> Result<Option<String>, Error> {
            let shapes: Vec<_> = shapes.iter().map(Vec::as_slice).collect();
            let choice = self.choice_for(program, &shapes)?;
            Ok(Some(choice.to_string()))
        }
    }

    fn open(common: &Common) -> Result<Gpu, TaskError> {
        Ok(Gpu::open(common.gpu.as_deref()).map_err(Error::from)?)
    }

    pub fn on_gpu(common: &Common, job: impl Job) -> Result<Report, TaskError> {
        let report = in_precision(common, job, open(common)?);
        report.map_err(|error| with_way_out(error, common.precision))
    }

    pub fn on_either(common: &Common, job: impl Job) -> Result<Report, TaskError> {
        let auto = Auto::builder().cpu(cpu(common)?);
        let auto = match common.gpu {
            Some(_) => auto.gpu(open(common)?),
            None => auto,
        };
        in_precision(common, job, auto.build())
    }
}

#[cfg(not(feature = "gpu"))]
fn on_gpu(_common: &Common, _job: impl Job) -> Result<Report, TaskError> {
    Err(TaskError::WithoutGpu)
}

#[cfg(not(feature = "gpu"))]
fn on_either(_common: &Common, _job: impl Job) -> Result<Report, TaskError> {
    Err(TaskError::WithoutGpu)
}

/// Adds the options that help where the GPU lacks something.
#[cfg(feature = "gpu")]
fn with_way_out(error: TaskError, precision: Precision) -> TaskError {
    let options = match precision {
        Precision::F64 => "`--precision f32`, or `--backend cpu`",
        Precision::F32 => "`--backend cpu`",
    };
    match error {
        TaskError::Program(source @ Error::Run(RunError::Unsupported { .. })) => {
            let source = Box::new(source);
            TaskError::OnGpu { source, options }
        }
        error => error,
    }
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;

    fn said(error: RunError, precision: Precision) -> String {
        with_way_out(Error::from(error).into(), precision).to_string()
    }

    #[test]
    fn a_missing_type_names_the_options_that_help() {
        let missing = RunError::Unsupported {
            what: "f64".to_owned(),
            engine: "Some GPU".to_owned(),
            way_out: "use the CPU, or `f32` in place of `f64`".to_owned(),
        };
        assert_eq!(
            said(missing.clone(), Precision::F64),
            "f64 is not supported by Some GPU: use the CPU, or `f32` in place of `f64` (`--precision f32`, or \
             `--backend cpu`)"
        );
        let with_f32 = said(missing, Precision::F32);
        assert!(with_f32.ends_with("(`--backend cpu`)"), "{with_f32}");
        let other = RunError::Bug("x".to_owned());
        assert_eq!(said(other.clone(), Precision::F64), other.to_string());
    }
}
