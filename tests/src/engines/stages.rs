//! What the passes make of one program, each computed once.

use crate::generate::Case;
use cotangent_core::check::check_after;
use cotangent_core::host::HostArray;
use cotangent_core::label::{label, unlabel};
use cotangent_core::simplify::simplify;
use cotangent_core::term::{Labelled, Program};
use std::cell::OnceCell;

/// Why an engine has no outcome.
#[derive(Clone, Debug)]
pub enum Stop {
    /// AD has no rule for the program, and says so.
    OutsideAd(String),
    /// A pass went wrong.
    Broken(String),
}

type Stage<T> = Result<T, Stop>;

/// A case on its way through the passes.
pub struct Stages {
    case: Case,
    simplified: OnceCell<Stage<Program<Labelled>>>,
}

fn checked(pass: &'static str, program: Program<Labelled>) -> Stage<Program<Labelled>> {
    match check_after(pass, &program) {
        Ok(()) => Ok(program),
        Err(error) => Err(Stop::Broken(error.to_string())),
    }
}

impl Stages {
    /// Nothing computed yet.
    pub fn new(case: &Case) -> Self {
        Self {
            case: case.clone(),
            simplified: OnceCell::new(),
        }
    }

    /// The inputs of the case.
    pub fn inputs(&self) -> &[HostArray] {
        &self.case.inputs
    }

    /// By the de Bruijn form and back.
    pub fn relabelled(&self) -> Stage<Program<Labelled>> {
        let nameless = unlabel(&self.case.program);
        let program = checked("label", label(&nameless))?;
        // Of the host arrays, which are passed on as they are, NaN would not equal itself.
        let again = unlabel(&program);
        if again.params == nameless.params && again.body == nameless.body {
            return Ok(program);
        }
        Err(Stop::Broken("unlabel(label(p)) differs from p".to_owned()))
    }

    /// Simplified.
    pub fn simplified(&self) -> Stage<Program<Labelled>> {
        let simplified = || checked("simplify", simplify(self.case.program.clone()).0);
        self.simplified.get_or_init(simplified).clone()
    }
}
