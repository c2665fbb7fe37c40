//! Options that all tasks share.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What every task takes.
#[derive(Args)]
pub struct Common {
    /// Read the input from this file (ADBench's format) instead of making one; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Seed of the input made without --file; the same seed makes the same input everywhere.
    #[arg(long, default_value_t = 1, conflicts_with = "file")]
    pub seed: u64,
    /// The floating-point type to compute in. Many GPUs have no f64: ask for f32 there, nothing is narrowed unasked.
    #[arg(long, value_enum, default_value_t = Precision::F64)]
    pub precision: Precision,
    /// The backend to run on: cpu if neither this nor --gpu is given.
    #[arg(long, value_enum, value_name = "BACKEND")]
    pub backend: Option<BackendName>,
    /// The GPU to run on: the first whose name contains NAME, in capitals or not (see `cotangent devices`).
    /// Means --backend gpu, unless that is auto.
    #[arg(long, value_name = "NAME")]
    pub gpu: Option<String>,
    /// Threads of the CPU to run on; all processors if not given. Not with --backend gpu.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_THREADS))]
    pub threads: Option<u16>,
    /// Write objective and derivative to DIR as TASK_F.txt and TASK_J.txt, laid out as ADBench's. Files that are there
    /// are replaced when the new ones are complete.
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print one JSON object on standard output and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Stop sampling each of the two times after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    pub time_limit: f64,
}

/// The most threads that can be asked for.
const MAX_THREADS: i64 = cotangent::Cpu::MAX_THREADS as i64;

/// A span of time, which may be infinite.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if seconds >= 0.0 => Ok(seconds),
        Ok(_) | Err(_) => Err("a number of seconds is wanted, 0 or more".to_owned()),
    }
}

/// A floating-point type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

impl Precision {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// How far a derivative may be from the reference by ADBench's rule: in f64 its own 1e-8. In f32, whose unit
    /// roundoff is 6e-8, at least 1e-3; more where an exponential amplifies the rounding of a large exponent,
    /// which has the given `magnitude`.
    pub fn tolerance(self, magnitude: f64) -> f64 {
        match self {
            Self::F32 => (1e-6 * magnitude).max(1e-3),
            Self::F64 => 1e-8,
        }
    }
}

/// A backend by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BackendName {
    /// Vector code on all cores.
    Cpu,
    /// The first GPU, or the one that --gpu names.
    Gpu,
    /// For each program the one of both that is estimated to be faster.
    Auto,
}

impl BackendName {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
            Self::Auto => "auto",
        }
    }
}

/// What the help of every task ends with.
pub const EXAMPLES: &str = "\
Examples:
  cotangent adbench gmm --points 1000 --dimensions 10 --components 5
  cotangent adbench gmm --backend gpu --precision f32
  cotangent adbench ba --gpu llvmpipe --precision f32 --json
  cotangent adbench gmm --backend auto --points 100000 --time-limit 2

On a GPU:
  `cotangent devices` lists what there is. Options that are of the CPU (--threads) are an error with
  --backend gpu. With --backend auto the report says what was chosen and why, for each of both programs.

Exit status: 0 if the check passed, 1 if it did not, 2 if the task could not be run.";

impl Common {
    /// The number of threads to run on.
    pub fn thread_count(&self) -> usize {
        self.threads.map_or_else(available_threads, usize::from)
    }

    /// The backend asked for, if the options agree on one.
    ///
    /// # Errors
    /// Where they contradict each other.
    pub fn backend_name(&self) -> Result<BackendName, OptionError> {
        let (gpu, threads) = (self.gpu.is_some(), self.threads.is_some());
        match (self.backend, gpu) {
            (None | Some(BackendName::Cpu), false) => Ok(BackendName::Cpu),
            (Some(BackendName::Cpu), true) => Err(OptionError::GpuOnCpu),
            (Some(BackendName::Auto), _) => Ok(BackendName::Auto),
            (Some(BackendName::Gpu), _) | (None, true) if threads => Err(OptionError::Threads),
            (Some(BackendName::Gpu), _) | (None, true) => Ok(BackendName::Gpu),
        }
    }
}

/// Options that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// Threads for a GPU.
    #[error("--threads is for the CPU; leave it out to run on the GPU, or choose --backend auto")]
    Threads,
    /// A GPU for the CPU.
    #[error("--gpu names a GPU, and --backend cpu runs on none; leave one of both out")]
    GpuOnCpu,
}

fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        common: Common,
    }

    #[test]
    fn times_are_numbers_from_zero_on() {
        for (text, expected) in [
            ("0", 0.0),
            ("-0", 0.0),
            ("2.5", 2.5),
            ("inf", f64::INFINITY),
        ] {
            assert_eq!(seconds(text), Ok(expected));
        }
        for text in ["NaN", "-nan", "-1", "-1e-300", "-inf", "", "1s"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    fn asked(line: &str) -> Result<BackendName, OptionError> {
        let words = std::iter::once("test").chain(line.split_whitespace());
        Line::try_parse_from(words).unwrap().common.backend_name()
    }

    #[test]
    fn a_name_means_the_gpu_unless_another_backend_is_given() {
        assert_eq!(asked(""), Ok(BackendName::Cpu));
        assert_eq!(asked("--backend cpu --threads 2"), Ok(BackendName::Cpu));
        assert_eq!(asked("--backend gpu"), Ok(BackendName::Gpu));
        assert_eq!(asked("--gpu x"), Ok(BackendName::Gpu));
        assert_eq!(asked("--gpu x --backend gpu"), Ok(BackendName::Gpu));
        let auto = asked("--gpu x --backend auto --threads 2");
        assert_eq!(auto, Ok(BackendName::Auto));
    }

    #[test]
    fn contradictions_are_errors() {
        assert_eq!(asked("--gpu x --backend cpu"), Err(OptionError::GpuOnCpu));
        assert_eq!(asked("--gpu x --threads 1"), Err(OptionError::Threads));
        let both = asked("--backend gpu --threads 1");
        assert_eq!(both, Err(OptionError::Threads));
    }
}
