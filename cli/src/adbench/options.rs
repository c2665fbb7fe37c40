//! Options that all tasks share.

use clap::{Args, ValueEnum};
use cotangent::{BuildError, Cpu};
use std::path::PathBuf;

/// What every task takes.
#[derive(Args)]
pub struct Common {
    /// Read the input from this file (ADBench's format) instead of making one.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Seed of the input made without --file; the same seed makes the same input everywhere.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The floating-point type to compute in.
    #[arg(long, value_enum, default_value_t = Precision::F64)]
    pub precision: Precision,
    /// The backend to run on.
    #[arg(long, value_enum, default_value_t = BackendName::Cpu)]
    pub backend: BackendName,
    /// Threads to run on; all processors if not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Write objective and derivative to DIR as TASK_F.txt and TASK_J.txt, laid out as ADBench's.
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print one JSON object on standard output and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Stop sampling each of the two times after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    pub time_limit: f64,
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
}

impl BackendName {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
        }
    }
}

impl Common {
    /// The number of threads to run on.
    pub fn thread_count(&self) -> usize {
        self.threads.map_or_else(available_threads, usize::from)
    }

    /// The backend chosen.
    ///
    /// # Errors
    /// Where its threads cannot be started.
    pub fn cpu(&self) -> Result<Cpu, BuildError> {
        Cpu::builder().threads(self.thread_count()).build()
    }
}

fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
