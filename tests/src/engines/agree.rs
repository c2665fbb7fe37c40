//! Comparing all engines on a case, and making the case small on which one disagrees.

use super::{Engine, Reference, Stages, Stop, all, compare};
use crate::generate::Case;
use cotangent_core::backend::RunError;
use cotangent_core::check::check;
use quickcheck::Arbitrary;
use std::fmt;
use std::mem::discriminant;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How many smaller cases are tried at most.
const MAX_TRIALS: usize = 3000;

/// What an engine did wrong.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It panicked.
    Panic(String),
    /// A pass, or the engine, is wrong by its own account.
    Broken(String),
    /// It fails where the reference does not, or in another way.
    Failure(String),
    /// It has other values.
    Values(String),
    /// It has values where a result needs what fails.
    Success(String),
}

/// A case on which an engine disagrees with the reference.
#[derive(Clone)]
pub struct Disagreement {
    /// The engine.
    pub engine: String,
    /// What it did.
    pub fault: Fault,
    /// The program and its inputs.
    pub case: Case,
    /// What the reference gives.
    pub expected: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, text) = match &self.fault {
            Fault::Panic(text) => ("panics", text),
            Fault::Broken(text) => ("is broken", text),
            Fault::Failure(text) => ("fails", text),
            Fault::Values(text) => ("has other values", text),
            Fault::Success(text) => ("does not fail", text),
        };
        writeln!(f, "{} {kind}: {text}", self.engine)?;
        writeln!(f, "{:?}", self.case)?;
        writeln!(f, "reference: {}", self.expected)
    }
}

impl fmt::Debug for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What became of a case on which all engines agree.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// Whether the reference fails.
    pub fails: bool,
    /// Whether a result needs what fails.
    pub must_fail: bool,
    /// How many engines said that they lack something that it needs.
    pub unsupported: usize,
}

/// How an engine agrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Agreement {
    /// By what it gives.
    Outcome,
    /// By saying that it lacks something.
    Unsupported,
}

/// Compares all engines with the reference.
///
/// # Errors
/// The first engine that disagrees.
pub fn disagreement(case: &Case, engines: &[Engine]) -> Result<Summary, Box<Disagreement>> {
    let reference = reference(case, "reference")?;
    let stages = Stages::new(case);
    let mut summary = Summary {
        fails: reference.fails(),
        must_fail: matches!(reference, Reference::Failure(_)),
        unsupported: 0,
    };
    for engine in engines {
        let judged = judge(engine, &stages, &reference);
        match judged.map_err(|fault| report(case, engine, fault, &reference))? {
            Agreement::Outcome => {}
            Agreement::Unsupported => summary.unsupported += 1,
        }
    }
    Ok(summary)
}

fn reference(case: &Case, engine: &str) -> Result<Reference, Box<Disagreement>> {
    let broken = |fault| {
        Box::new(Disagreement {
            engine: engine.to_owned(),
            fault,
            case: case.clone(),
            expected: String::new(),
        })
    };
    check(&case.program).map_err(|e| broken(Fault::Broken(e.to_string())))?;
    match guarded(|| Reference::of(case)).map_err(broken)? {
        Reference::Unknown(RunError::Bug(bug)) => Err(broken(Fault::Broken(bug))),
        reference => Ok(reference),
    }
}

fn report(case: &Case, engine: &Engine, fault: Fault, reference: &Reference) -> Box<Disagreement> {
    Box::new(Disagreement {
        engine: engine.name.clone(),
        fault,
        case: case.clone(),
        expected: reference.to_string(),
    })
}

/// Runs something that must not panic.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
        Fault::Panic(text.unwrap_or_default())
    })
}

/// How the engine agrees; or what it did wrong.
fn judge(engine: &Engine, stages: &Stages, reference: &Reference) -> Result<Agreement, Fault> {
    let found = match guarded(|| engine.run(stages))? {
        Err(Stop::Unsupported(_)) => return Ok(Agreement::Unsupported),
        Err(Stop::Broken(text)) => return Err(Fault::Broken(text)),
        Ok(found) => found,
    };
    let found = match found {
        Err(RunError::Bug(bug)) => return Err(Fault::Broken(bug)),
        Err(error) if reference.allows(&error) => return Ok(Agreement::Outcome),
        Err(error) => return Err(Fault::Failure(error.to_string())),
        Ok(found) => found,
    };
    match reference {
        Reference::Values(values, scale) | Reference::Either { values, scale, .. } => {
            let problem = compare(values, &found, *scale);
            problem.map_or(Ok(Agreement::Outcome), |problem| {
                Err(Fault::Values(problem))
            })
        }
        Reference::Failure(_) => {
            let shapes: Vec<_> = found.iter().map(|array| array.shape().to_vec()).collect();
            Err(Fault::Success(format!(
                "it gives arrays of shapes {shapes:?}"
            )))
        }
        Reference::Unknown(_) => Ok(Agreement::Outcome),
    }
}

/// A smaller case on which the same engine disagrees in the same way.
pub fn shrunk(found: Box<Disagreement>) -> Box<Disagreement> {
    let engines: Vec<_> = all()
        .into_iter()
        .filter(|e| e.name == found.engine)
        .collect();
    shrunk_by(found, |case| disagreement(case, &engines).err())
}

/// A smaller case on which `retry` finds the same fault of the same engine.
pub(crate) fn shrunk_by(
    found: Box<Disagreement>,
    retry: impl Fn(&Case) -> Option<Box<Disagreement>>,
) -> Box<Disagreement> {
    let mut best = found;
    let mut trials = 0;
    while let Some(smaller) = smaller(&best, &retry, &mut trials) {
        best = smaller;
    }
    best
}

fn smaller(
    found: &Disagreement,
    retry: &impl Fn(&Case) -> Option<Box<Disagreement>>,
    trials: &mut usize,
) -> Option<Box<Disagreement>> {
    for case in found.case.shrink() {
        *trials += 1;
        if *trials > MAX_TRIALS {
            return None;
        }
        if let Some(other) = retry(&case) {
            let same = discriminant(&other.fault) == discriminant(&found.fault);
            if same && other.engine == found.engine {
                return Some(other);
            }
        }
    }
    None
}
