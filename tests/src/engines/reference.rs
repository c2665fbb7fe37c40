//! What engines are compared with: the values of the interpreter; where it fails, what the program needs.
//!
//! Where the interpreter, which runs everything, fails, the demand-driven reference ([`run_by_need`]) says
//! whether a result needs that: then every engine must fail. Else an engine may fail as the interpreter may in
//! another order, or give the values that do not depend on what failed.

use super::{compare, scale};
use crate::generate::{Case, literal};
use cotangent_core::backend::RunError;
use cotangent_core::host::HostArray;
use cotangent_core::interp::{ByNeed, STAND_INS, Scatters, run_by_need};
use std::mem::discriminant;

/// What is right for a case.
#[derive(Clone, Debug)]
pub enum Reference {
    /// These values, on this scale.
    Values(Vec<HostArray>, f64),
    /// A failure of the kind of one of these.
    Failure(Vec<RunError>),
    /// Either of them.
    Either {
        /// The values.
        values: Vec<HostArray>,
        /// Their scale.
        scale: f64,
        /// The failures.
        errors: Vec<RunError>,
    },
    /// Anything: the program is too large for the interpreter.
    Unknown(RunError),
}

impl Reference {
    /// The reference of a case.
    pub fn of(case: &Case) -> Self {
        match scale(&case.program, &case.inputs) {
            Ok((values, scale)) => Self::Values(values, scale),
            Err(error @ (RunError::OutOfMemory { .. } | RunError::Bug(_))) => Self::Unknown(error),
            Err(error) => Self::by_need(case, error),
        }
    }

    fn by_need(case: &Case, strict: RunError) -> Self {
        let mut exposed = case.program.clone();
        let bound = case.program.body.lets.iter().flat_map(|l| &l.binds);
        exposed.body.results.extend(bound.map(|b| b.name));
        let run = |choice, scatters| run_by_need(&exposed, &case.inputs, choice, scatters);
        let runs = (0..STAND_INS).map(|choice| run(choice, Scatters::Fail));
        let (runs, past_scatters) = match runs.collect::<Result<Vec<_>, _>>() {
            Ok(runs) => (runs, run(0, Scatters::Keep)),
            Err(error) => return Self::Unknown(error),
        };
        let mut errors = vec![strict];
        let met = runs.iter().chain(&past_scatters).flat_map(|run| &run.met);
        errors.extend(met.cloned());
        match agreed(&runs, case.program.body.results.len()) {
            Some(values) => Self::Either {
                values,
                scale: runs.iter().map(scale_of).fold(1.0, f64::max),
                errors,
            },
            None => Self::Failure(errors),
        }
    }

    /// Whether the interpreter fails.
    pub fn fails(&self) -> bool {
        match self {
            Self::Values(..) => false,
            Self::Failure(_) | Self::Either { .. } | Self::Unknown(_) => true,
        }
    }

    /// Whether a failure is among those that may be met.
    pub fn allows(&self, error: &RunError) -> bool {
        match self {
            Self::Values(..) => false,
            Self::Failure(errors) | Self::Either { errors, .. } => errors
                .iter()
                .any(|known| discriminant(known) == discriminant(error)),
            Self::Unknown(_) => !matches!(error, RunError::Bug(_)),
        }
    }
}

impl std::fmt::Display for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let values = |f: &mut std::fmt::Formatter<'_>, values: &[HostArray]| {
            let values: Vec<_> = values.iter().map(literal).collect();
            write!(f, "{}", values.join("\n           "))
        };
        match self {
            Self::Values(found, _) => values(f, found),
            Self::Failure(errors) => write!(f, "fails, like {}", errors[0]),
            Self::Unknown(error) => write!(f, "unknown: {error}"),
            Self::Either {
                values: found,
                errors,
                ..
            } => {
                values(f, found)?;
                write!(f, "\n       or: fails, like {}", errors[0])
            }
        }
    }
}

/// The first results, if they are the same whatever stands in for what failed.
fn agreed(runs: &[ByNeed], count: usize) -> Option<Vec<HostArray>> {
    let results = |run: &ByNeed| -> Option<Vec<HostArray>> {
        let results = run.results[..count].iter();
        results
            .map(|result| result.as_ref().ok().cloned())
            .collect()
    };
    let first = results(runs.first()?)?;
    let same = |run| results(run).is_some_and(|found| compare(&first, &found, 0.0).is_none());
    runs.iter().all(same).then_some(first)
}

fn scale_of(run: &ByNeed) -> f64 {
    let arrays = run.results.iter().flatten();
    arrays.map(super::compare::largest).fold(1.0, f64::max)
}
