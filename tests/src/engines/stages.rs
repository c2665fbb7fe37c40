//! What the passes make of one program, each computed once.

use crate::generate::Case;
use cotangent_ad::differentiate;
use cotangent_core::check::{check_pass, scalar_types};
use cotangent_core::host::HostArray;
use cotangent_core::label::{label, unlabel};
use cotangent_core::schedule::chunks::{Nests, chunks};
use cotangent_core::schedule::{Checked, Schedule, check};
use cotangent_core::simplify::simplify;
use cotangent_core::term::{Labelled, Program};
use cotangent_core::types::ScalarTypes;
use cotangent_fusion::{Options, schedule};
use std::cell::OnceCell;

/// Why an engine has no outcome.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The engine lacks something that the program needs, and says so.
    Unsupported(String),
    /// A pass went wrong.
    Broken(String),
}

type Stage<T> = Result<T, Stop>;

/// A case on its way through the passes.
pub struct Stages {
    case: Case,
    simplified: OnceCell<Stage<Program<Labelled>>>,
    derived: OnceCell<Stage<Program<Labelled>>>,
    unfused: OnceCell<Stage<Checked<Schedule>>>,
    fused: OnceCell<Stage<Checked<Schedule>>>,
}

impl Stages {
    /// Nothing computed yet.
    pub fn new(case: &Case) -> Self {
        Self {
            case: case.clone(),
            simplified: OnceCell::new(),
            derived: OnceCell::new(),
            unfused: OnceCell::new(),
            fused: OnceCell::new(),
        }
    }

    /// The inputs of the case.
    pub fn inputs(&self) -> &[HostArray] {
        &self.case.inputs
    }

    /// By the de Bruijn form and back.
    pub fn relabelled(&self) -> Stage<Program<Labelled>> {
        let nameless = unlabel(&self.case.program);
        let program = self.checked("label", label(&nameless))?;
        // Of the host arrays, which are passed on as they are, NaN would not equal itself.
        let again = unlabel(&program);
        if again.params == nameless.params && again.body == nameless.body {
            return Ok(program);
        }
        Err(Stop::Broken("unlabel(label(p)) differs from p".to_owned()))
    }

    /// The types of the program as it came, to which passes may add none.
    fn types(&self) -> Stage<ScalarTypes> {
        scalar_types(&self.case.program).map_err(|e| Stop::Broken(e.to_string()))
    }

    fn checked(&self, pass: &'static str, program: Program<Labelled>) -> Stage<Program<Labelled>> {
        match check_pass(pass, &program, self.types()?) {
            Ok(()) => Ok(program),
            Err(error) => Err(Stop::Broken(error.to_string())),
        }
    }

    fn differentiate(&self, program: Program<Labelled>) -> Stage<Program<Labelled>> {
        match differentiate(program) {
            Ok(program) => self.checked("ad", program),
            Err(error) => Err(Stop::Broken(error.to_string())),
        }
    }

    /// Simplified.
    pub fn simplified(&self) -> Stage<Program<Labelled>> {
        let simplified = || self.checked("simplify", simplify(self.case.program.clone()).0);
        self.simplified.get_or_init(simplified).clone()
    }

    /// Differentiated as it came.
    pub fn differentiated(&self) -> Stage<Program<Labelled>> {
        self.differentiate(self.case.program.clone())
    }

    /// Simplified, then differentiated.
    pub fn simplified_differentiated(&self) -> Stage<Program<Labelled>> {
        self.differentiate(self.simplified()?)
    }

    /// Simplified, differentiated and simplified again: what schedules are made of.
    pub fn derived(&self) -> Stage<Program<Labelled>> {
        let derived = || {
            let differentiated = self.simplified_differentiated()?;
            self.checked("simplify after ad", simplify(differentiated).0)
        };
        self.derived.get_or_init(derived).clone()
    }

    /// The schedule with one kernel per operation.
    pub fn unfused(&self) -> Stage<Checked<Schedule>> {
        let unfused = || self.schedule(&Options::unfused());
        self.unfused.get_or_init(unfused).clone()
    }

    /// The schedule.
    pub fn fused(&self) -> Stage<Checked<Schedule>> {
        let fused = || self.schedule(&Options::default());
        self.fused.get_or_init(fused).clone()
    }

    /// The schedule with loops in chunks of two trips.
    pub fn in_chunks(&self, nests: Nests) -> Stage<Checked<Schedule>> {
        let fused = self.fused()?;
        match chunks(&fused, 2, nests) {
            None => Ok(fused),
            Some(chunked) => {
                let text = chunked.schedule.to_string();
                check::check(chunked.schedule).map_err(|e| Stop::Broken(format!("{e}\n{text}")))
            }
        }
    }

    fn schedule(&self, options: &Options) -> Stage<Checked<Schedule>> {
        let derived = self.derived()?;
        let schedule = schedule(&derived, options).map_err(|e| Stop::Broken(e.to_string()))?;
        let text = schedule.to_string();
        check::check_types(schedule, self.types()?)
            .map_err(|e| Stop::Broken(format!("{e}\n{text}")))
    }
}
