//! Everything that can run a program, behind one interface, and how their results are compared.
//!
//! The reference is the interpreter on the program as generated. An [`Engine`] takes the program through
//! some passes ([`Stages`]) and runs what comes out. [`disagreement`] compares all engines with the
//! reference:
//!
//! * where the reference has values, each engine has the same ones ([`compare`]);
//! * where the reference fails, an engine may fail, with an error of the same kind, or have any values;
//! * no engine panics, reports a bug of its own, or makes a program that the checker turns down;
//! * a program that AD says it has no rule for counts for the engines before AD only.
//!
//! To add an engine, add a line to [`all`].

mod agree;
mod compare;
mod stages;

pub use agree::{Disagreement, Fault, Summary, disagreement, shrunk};
pub use compare::{compare, scale};
pub use stages::{Stages, Stop};

use cotangent_core::backend::RunError;
use cotangent_core::host::HostArray;
use cotangent_core::interp;
use cotangent_core::term::{Labelled, Program};

/// What an engine gives for a case.
pub type Outcome = Result<Result<Vec<HostArray>, RunError>, Stop>;

/// A way to run programs.
pub struct Engine {
    /// Its name in reports.
    pub name: String,
    run: Box<dyn Fn(&Stages) -> Outcome + Send + Sync>,
}

impl Engine {
    /// Runs the case.
    pub fn run(&self, stages: &Stages) -> Outcome {
        (self.run)(stages)
    }
}

/// Every engine but the reference.
pub fn all() -> Vec<Engine> {
    vec![
        interpreter("label", Stages::relabelled),
        interpreter("simplify", Stages::simplified),
    ]
}

/// The interpreter on what a pass makes.
fn interpreter(name: &str, stage: fn(&Stages) -> Result<Program<Labelled>, Stop>) -> Engine {
    Engine {
        name: format!("interpreter after {name}"),
        run: Box::new(move |stages| Ok(interp::run(&stage(stages)?, stages.inputs()))),
    }
}
