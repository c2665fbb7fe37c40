//! The passes between the surface graph and the schedule, in order; the checker runs after each.

use crate::dump::dump;
use crate::error::Error;
use cotangent_ad::differentiate;
use cotangent_core::check::check_after;
use cotangent_core::graph::{AccLambda, Graph};
use cotangent_core::label::label;
use cotangent_core::recover::recover;
use cotangent_core::schedule::{Checked, Schedule, check};
use cotangent_core::simplify::simplify;
use cotangent_core::term::{DeBruijn, Labelled, Program};
use cotangent_fusion::{Options, Report, schedule_with_report};

/// What compilation makes of a program.
pub struct Compiled {
    /// The program as the user wrote it, gradients included.
    pub source: Program<DeBruijn>,
    /// How it runs.
    pub schedule: Checked<Schedule>,
    /// What fusion did to make it.
    pub report: Report,
}

/// Runs all passes. Nested conditionals recurse: to be called on a deep stack.
pub fn run(graph: &Graph, lambda: &AccLambda) -> Result<Compiled, Error> {
    let source = recover(graph, lambda)?;
    check_after("sharing recovery", &source)?;
    dump("ast", &source);
    let derived = derive(label(&source))?;
    let (schedule, report) = schedule_with_report(&derived, &Options::default())?;
    dump("schedule", &schedule);
    let schedule = check::check(schedule)?;
    Ok(Compiled {
        source,
        schedule,
        report,
    })
}

/// Replaces gradients by the code that computes them, simplified.
fn derive(labelled: Program<Labelled>) -> Result<Program<Labelled>, Error> {
    check_after("label", &labelled)?;
    let (simplified, _) = simplify(labelled);
    check_after("simplify", &simplified)?;
    dump("simplified", &simplified);
    let differentiated = differentiate(simplified)?;
    check_after("ad", &differentiated)?;
    dump("ad", &differentiated);
    let (derived, _) = simplify(differentiated);
    check_after("simplify after ad", &derived)?;
    dump("derived", &derived);
    Ok(derived)
}
