//! What a task prints.

use super::TaskError;
use cotangent_adbench::compare::Verdict;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// The outcome of a task. Its serialisation is the output of `--json`.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The task's name.
    pub task: &'static str,
    /// The input file, if there was one.
    pub file: Option<PathBuf>,
    /// The backend asked for: `cpu`, `gpu` or `auto`.
    pub backend: &'static str,
    /// The name of the GPU that the backend may use; `null` where there is none.
    pub device: Option<String>,
    /// With `auto`, what was chosen and why; else `null`.
    pub choices: Option<Choices>,
    /// The floating-point type.
    pub precision: &'static str,
    /// Threads of the CPU that the backend may use; `null` for a GPU.
    pub threads: Option<usize>,
    /// Sizes of the input by name.
    pub sizes: Sizes,
    /// The value of the objective; `null` in JSON if it is no number, and then the check has failed.
    pub objective: f64,
    /// The norm of the derivative; in the text only.
    #[serde(skip)]
    pub derivative_norm: (&'static str, f64),
    /// From closures to programs that can run.
    pub compile_seconds: f64,
    /// The time the objective takes.
    pub primal_seconds: f64,
    /// The time the derivative takes.
    pub derivative_seconds: f64,
    /// The quotient of the two.
    pub ratio: f64,
    /// The passes between barriers that the derivative makes over its arrays.
    pub passes: u64,
    /// The most memory that the process had at a time, the check included; `null` where the system does not say.
    pub peak_memory_bytes: Option<u64>,
    /// The comparison with the reference.
    pub check: Check,
}

/// What runs the two programs.
#[derive(Debug, Serialize)]
pub struct Choices {
    /// The objective.
    pub primal: String,
    /// The derivative.
    pub derivative: String,
}

/// Sizes by name, in order.
#[derive(Debug)]
pub struct Sizes(pub Vec<(&'static str, usize)>);

impl Serialize for Sizes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, size) in &self.0 {
            map.serialize_entry(name, size)?;
        }
        map.end()
    }
}

/// How the results compare with the reference.
#[derive(Debug, Serialize)]
pub struct Check {
    /// What they are compared with.
    pub against: &'static str,
    /// The difference, by ADBench's rule, that uses most of its tolerance; `null` in JSON if infinite.
    pub max_error: f64,
    /// The largest difference allowed there.
    pub tolerance: f64,
    /// Whether all numbers are within their tolerances.
    pub passed: bool,
    /// Why not.
    pub reason: Option<String>,
}

impl Check {
    /// What a comparison came to.
    pub fn new(against: &'static str, verdict: Verdict) -> Self {
        Self {
            against,
            max_error: verdict.max_error,
            tolerance: verdict.tolerance,
            passed: verdict.passed(),
            reason: verdict.reason,
        }
    }

    /// The line for people.
    fn text(&self) -> String {
        let Self {
            against,
            max_error,
            tolerance,
            ..
        } = self;
        let numbers =
            format!("differs from {against} by {max_error:.2e}, tolerance {tolerance:.0e}");
        match &self.reason {
            None => format!("passed: {numbers}"),
            Some(reason) => format!("FAILED: {reason}; {numbers}"),
        }
    }
}

impl Report {
    /// One JSON object.
    pub fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"))
    }

    /// Lines for people.
    pub fn text(&self) -> String {
        let sizes: Vec<_> = self
            .sizes
            .0
            .iter()
            .map(|(name, size)| format!("{name} = {size}"))
            .collect();
        let (norm_name, norm) = self.derivative_norm;
        let source = self
            .file
            .as_ref()
            .map_or("made by the published recipe".into(), |f| {
                f.display().to_string()
            });
        let mut rows = vec![
            ("task", format!("{} ({source})", self.task)),
            ("sizes", sizes.join(", ")),
            ("backend", self.engine()),
        ];
        if let Some(Choices { primal, derivative }) = &self.choices {
            rows.push(("objective on", primal.clone()));
            rows.push(("derivative on", derivative.clone()));
        }
        rows.extend([
            ("objective", format!("{:.12e}", self.objective)),
            (norm_name, format!("{norm:.12e}")),
            ("compile time", seconds(self.compile_seconds)),
            ("primal time", seconds(self.primal_seconds)),
            ("derivative time", seconds(self.derivative_seconds)),
            ("ratio", format!("{:.2}", self.ratio)),
            ("passes", self.passes.to_string()),
            (
                "peak memory",
                self.peak_memory_bytes
                    .map_or_else(|| "unknown".to_owned(), megabytes),
            ),
            ("check", self.check.text()),
        ]);
        let lines: Vec<_> = rows
            .iter()
            .map(|(name, value)| format!("{name:16} {value}"))
            .collect();
        lines.join("\n")
    }
}

impl Report {
    /// The backend, the precision, and what it may use.
    fn engine(&self) -> String {
        let threads = self.threads.map(|threads| format!("{threads} threads"));
        let parts = [threads, self.device.clone()].into_iter().flatten();
        let parts: Vec<_> = parts.collect();
        format!("{}, {}, {}", self.backend, self.precision, parts.join(", "))
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.0} MB", bytes as f64 / 1e6)
}

fn seconds(s: f64) -> String {
    if s < 1.0 {
        format!("{:.3} ms", s * 1e3)
    } else {
        format!("{s:.3} s")
    }
}

/// Writes a line to standard output. A reader that has gone away is no error.
///
/// # Errors
/// Where standard output cannot be written for another reason.
pub fn to_stdout(text: &str) -> Result<(), TaskError> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(TaskError::Output {
            path: "standard output".into(),
            source: error,
        }),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes a line to standard error, if anybody reads it.
pub fn to_stderr(text: &str) {
    let _nobody_listens = writeln!(std::io::stderr(), "{text}");
}
