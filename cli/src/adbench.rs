//! `cotangent adbench`: runs one ADBench task and reports on it.
//!
//! Exit status: 0 if the check passed, 1 if it did not, 2 if the task could not be run.

mod ba;
mod engine;
mod gmm;
mod memory;
mod options;
mod output;
mod progress;
mod report;
mod timing;

use clap::Subcommand;
pub use options::Precision;
use options::{Common, EXAMPLES};
use report::Report;
pub use report::{to_stderr, to_stdout};
use std::process::ExitCode;

/// The tasks.
#[derive(Subcommand)]
pub enum Task {
    #[command(after_help = EXAMPLES)]
    Gmm(gmm::Options),
    #[command(after_help = EXAMPLES)]
    Ba(ba::Options),
}

/// Why a task could not be run.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// The input could not be read or made.
    #[error("{0}")]
    Input(#[from] cotangent_adbench::input::InputError),
    /// Options contradict each other.
    #[error("{0}")]
    Options(#[from] options::OptionError),
    /// The program could not be compiled or run.
    #[error("{0}")]
    Program(#[from] cotangent::Error),
    /// The GPU lacks something that the program needs.
    #[cfg(feature = "gpu")]
    #[error("{source} ({options})")]
    OnGpu {
        /// What the library says.
        source: Box<cotangent::Error>,
        /// The options that help.
        options: &'static str,
    },
    /// The backend is not in this binary.
    #[cfg(not(feature = "gpu"))]
    #[error(
        "this binary was built without GPUs: build it with `cargo build --release -p cotangent-cli --features gpu`, or choose --backend cpu"
    )]
    WithoutGpu,
    /// The backend could not be started.
    #[error("{0}")]
    Backend(#[from] cotangent::BuildError),
    /// The results could not be written.
    #[error("{}: {source}", path.display())]
    Output {
        /// The file or folder.
        path: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Runs the task and prints its report.
pub fn run(task: Task) -> ExitCode {
    let (report, common) = match task {
        Task::Gmm(options) => (gmm::run(&options), options.common),
        Task::Ba(options) => (ba::run(&options), options.common),
    };
    match report.and_then(|report| finish(&report, &common)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            report::to_stderr(&format!("error: {error}"));
            ExitCode::from(2)
        }
    }
}

/// Prints the report; gives whether the check passed.
fn finish(report: &Report, common: &Common) -> Result<bool, TaskError> {
    let text = if common.json {
        report.json()
    } else {
        report.text()
    };
    report::to_stdout(&text)?;
    Ok(report.check.passed)
}
