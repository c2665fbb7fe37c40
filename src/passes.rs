//! The passes between the surface graph and the schedule, in order; the checker runs after each, and fusion runs it after each
//! of its own. None brings in a scalar type that the source does not have, as devices lack some.

use crate::dump::dump;
use crate::error::Error;
use cotangent_ad::differentiate;
use cotangent_core::analysis::equal_extents::equal_extents;
use cotangent_core::check::{check_pass, scalar_types};
use cotangent_core::graph::{AccLambda, Graph};
use cotangent_core::label::label;
use cotangent_core::recover::recover;
use cotangent_core::schedule::{Checked, Schedule, check};
use cotangent_core::simplify::{ArrayLoops, simplify_with};
use cotangent_core::term::{DeBruijn, Labelled, ParamAxis, Program};
use cotangent_core::typed::{Env, TypedProgram};
use cotangent_core::types::{ArrayType, ScalarTypes};
use cotangent_fusion::{Options, Report, schedule_observed};
use std::collections::BTreeMap;
use std::fmt;

/// What compilation makes of a program.
pub struct Compiled {
    /// Extents of inputs that are to be equal for it to run this way, those that the source says to be among them.
    pub assumed: BTreeMap<ParamAxis, ParamAxis>,
    /// How it runs.
    pub schedule: Checked<Schedule>,
    /// What fusion did to make it.
    pub report: Report,
}

/// The program as the user wrote it, gradients included: what sharing recovery makes, with the types that its closure has in Rust.
/// Nested conditionals recurse: to be called on a deep stack.
pub fn recovered<A, X>(graph: &Graph, lambda: &AccLambda) -> Result<TypedProgram<A, X>, Error>
where
    A: Env<ArrayType>,
    X: Env<ArrayType>,
{
    let source = recover(graph, lambda)?;
    Ok(TypedProgram::try_from_pass("sharing recovery", source)?)
}

/// Runs the passes after sharing recovery, on a program that was checked, for inputs whose extents are equal where they meet.
/// To be called on a deep stack.
pub fn compile(source: &Program<DeBruijn>) -> Result<Compiled, Error> {
    dump("ast", source);
    let assumed = equal_extents(&label(source));
    compile_for(source, assumed)
}

/// The same for inputs with these equal extents alone, which are those that the source says, or more.
pub fn compile_for(
    source: &Program<DeBruijn>,
    assumed: BTreeMap<ParamAxis, ParamAxis>,
) -> Result<Compiled, Error> {
    let (schedule, report) = scheduled(source, &assumed, ArrayLoops::ByElement)?;
    dump("wgsl", &Shaders(&schedule));
    Ok(Compiled {
        assumed,
        schedule,
        report,
    })
}

impl Compiled {
    /// Runs the passes on the same source again, for runs that have to do with single trips of array loops.
    pub fn watched(&self, source: &Program<DeBruijn>) -> Result<Checked<Schedule>, Error> {
        let (schedule, _) = scheduled(source, &self.assumed, ArrayLoops::Stay)?;
        Ok(schedule)
    }
}

fn scheduled(
    source: &Program<DeBruijn>,
    assumed: &BTreeMap<ParamAxis, ParamAxis>,
    loops: ArrayLoops,
) -> Result<(Checked<Schedule>, Report), Error> {
    let types = scalar_types(source)?;
    let mut labelled = label(source);
    labelled.alike.extents.clone_from(assumed);
    let derived = derive(labelled, types, loops)?;
    let (schedule, report) =
        schedule_observed(&derived, &Options::default(), &mut |pass, s| dump(pass, s))?;
    dump("schedule", &schedule);
    Ok((check::check_types(schedule, types)?, report))
}

/// Replaces gradients by the code that computes them, simplified.
fn derive(
    labelled: Program<Labelled>,
    types: ScalarTypes,
    loops: ArrayLoops,
) -> Result<Program<Labelled>, Error> {
    check_pass("label", &labelled, types)?;
    let (simplified, _) = simplify_with(labelled, loops);
    check_pass("simplify", &simplified, types)?;
    dump("simplified", &simplified);
    let differentiated = differentiate(simplified)?;
    check_pass("ad", &differentiated, types)?;
    dump("ad", &differentiated);
    let (derived, _) = simplify_with(differentiated, loops);
    check_pass("simplify after ad", &derived, types)?;
    dump("derived", &derived);
    Ok(derived)
}

/// The text of a schedule's shaders, for a device that offers everything: made where it is printed, by no device.
struct Shaders<'a>(&'a Schedule);

impl fmt::Display for Shaders<'_> {
    #[cfg(feature = "gpu")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&cotangent_shaders::listing(
            self.0,
            &cotangent_shaders::Target::COMPLETE,
        ))
    }

    #[cfg(not(feature = "gpu"))]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kernels = self.0.kernels().len();
        write!(
            f,
            "// no shaders for {kernels} kernels: this build lacks the feature `gpu`"
        )
    }
}
