//! `cotangent explain`: what the compiler made of an ADBench program, or of a program in a file.
//!
//! Nothing is run unless times are asked for, so any sizes will do. Exit status: 0, or 2 if the program could not be explained.

mod file;

use crate::adbench::{Precision, TaskError, to_stderr, to_stdout};
use clap::{Args, Subcommand};
use cotangent::Program;
use cotangent::explain::Explanation;
use cotangent::prelude::Arrays;
use cotangent_adbench::ba::{self, BaInput};
use cotangent_adbench::gmm::{self, GmmInput};
use cotangent_adbench::host::HostFloat;
use std::process::ExitCode;

/// What to explain.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = file::EXAMPLES)]
pub struct Options {
    #[command(subcommand)]
    task: Option<Task>,
    #[command(flatten)]
    file: file::FileOptions,
}

/// The programs that are built in.
#[derive(Subcommand)]
pub enum Task {
    /// The Gaussian mixture model: by default the gradient of its log posterior.
    #[command(after_help = EXAMPLES)]
    Gmm(Gmm),
    /// Bundle adjustment: by default the sparse Jacobian of its residuals.
    #[command(after_help = EXAMPLES)]
    Ba(Ba),
}

/// What `--help` ends with.
const EXAMPLES: &str = "\
What the figures are:
  flops   floating-point operations: 1 for each arithmetic one, 20 for exp, ln, sin and cos, 30 for what is
          made of those, 0 for integers, conversions and selects
  bytes   each distinct element of an array once a kernel
  tested  loads whose index the compiler could not prove to be in range
  peak    inputs, and every array from its first writer to its last reader

Examples:
  cotangent explain gmm --points 1000 --dimensions 10 --components 5
  cotangent explain gmm --objective --formulas
  cotangent explain ba --dot | dot -Tsvg > ba.svg
  cotangent explain gmm --json
  cotangent explain gmm --text > gmm.txt    # the program itself, which `cotangent explain gmm.txt` reads
  cotangent explain gmm --points 1000 --timed --precision f32";

/// What both programs take.
#[derive(Args)]
struct Common {
    /// Explain the objective.
    #[arg(long, conflicts_with = "gradient")]
    objective: bool,
    /// Explain the derivative: the gradient or the Jacobian. This is the default.
    #[arg(long, visible_alias = "jacobian")]
    gradient: bool,
    /// Give figures as formulas over the extents of the inputs: x1.0 is the outermost extent of input 1.
    #[arg(long)]
    formulas: bool,
    /// Print the program itself, with its gradients: text that `cotangent explain FILE` reads.
    #[arg(long, conflicts_with_all = ["formulas", "json", "dot", "timed"])]
    text: bool,
    #[command(flatten)]
    format: Format,
    /// Run the program on a GPU, on made input, and say how long each kernel takes there.
    #[arg(long, conflicts_with = "formulas")]
    timed: bool,
    /// The GPU for that: the first whose name contains this. `cotangent devices` lists them.
    #[arg(long, value_name = "NAME", requires = "timed")]
    gpu: Option<String>,
    /// The floating-point type to compute in.
    #[arg(long, value_enum, default_value_t = Precision::F64)]
    precision: Precision,
}

/// How explanations are printed.
#[derive(Args)]
struct Format {
    /// Print one JSON object instead of text.
    #[arg(long, conflicts_with = "dot")]
    json: bool,
    /// Print a graph in Graphviz's language instead of text.
    #[arg(long)]
    dot: bool,
}

impl Format {
    fn of(&self, explanation: &Explanation) -> String {
        match (self.json, self.dot) {
            (true, _) => explanation.to_json(),
            (false, true) => explanation.to_dot(),
            (false, false) => explanation.to_string(),
        }
    }
}

/// `cotangent explain gmm`.
#[derive(Args)]
pub struct Gmm {
    /// Points (n).
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = size())]
    points: u32,
    /// Dimensions (d).
    #[arg(long, value_name = "D", default_value_t = 20, value_parser = size())]
    dimensions: u32,
    /// Components (K).
    #[arg(long, value_name = "K", default_value_t = 25, value_parser = size())]
    components: u32,
    #[command(flatten)]
    common: Common,
}

/// `cotangent explain ba`.
#[derive(Args)]
pub struct Ba {
    /// Cameras (n).
    #[arg(long, value_name = "N", default_value_t = 49, value_parser = size())]
    cameras: u32,
    /// Points (m).
    #[arg(long, value_name = "M", default_value_t = 7776, value_parser = size())]
    points: u32,
    /// Observations (p).
    #[arg(long, value_name = "P", default_value_t = 31843, value_parser = size())]
    observations: u32,
    #[command(flatten)]
    common: Common,
}

/// The extents that arrays may have.
fn size() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(i32::MAX))
}

/// Prints the explanation.
pub fn run(options: &Options) -> ExitCode {
    let Options { task, file } = options;
    let text = match task {
        Some(Task::Gmm(options)) => explain_gmm(options).map_err(said),
        Some(Task::Ba(options)) => explain_ba(options).map_err(said),
        None => file::explain(file),
    };
    match text.and_then(|text| to_stdout(text.trim_end()).map_err(said)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            to_stderr(&message);
            ExitCode::from(2)
        }
    }
}

/// What is said of an error.
fn said(error: TaskError) -> String {
    format!("error: {error}")
}

fn explain_gmm(options: &Gmm) -> Result<String, TaskError> {
    match options.common.precision {
        Precision::F32 => of_gmm::<f32>(options),
        Precision::F64 => of_gmm::<f64>(options),
    }
}

fn of_gmm<T: HostFloat>(options: &Gmm) -> Result<String, TaskError> {
    let Gmm {
        points,
        dimensions,
        components,
        common,
    } = options;
    let [n, d, k] = [points, dimensions, components].map(|&size| size as usize);
    let shapes = gmm::model::shapes(n, d, k);
    let input = || {
        let data = gmm::model::data::<T>(&GmmInput::generate(n, d, k, SEED)?)?;
        Ok(data.arrays().clone())
    };
    match common.objective {
        true => explained(
            &gmm::model::objective_program::<T>()?,
            common,
            &shapes,
            input,
        ),
        false => explained(
            &gmm::model::gradient_program::<T>()?,
            common,
            &shapes,
            input,
        ),
    }
}

fn explain_ba(options: &Ba) -> Result<String, TaskError> {
    match options.common.precision {
        Precision::F32 => of_ba::<f32>(options),
        Precision::F64 => of_ba::<f64>(options),
    }
}

fn of_ba<T: HostFloat>(options: &Ba) -> Result<String, TaskError> {
    let Ba {
        cameras,
        points,
        observations,
        common,
    } = options;
    let sizes = [cameras, points, observations].map(|&size| size as usize);
    let shapes = sizes.map(|size| vec![size]);
    let input = || {
        let [n, m, p] = sizes;
        let data = ba::model::data::<T>(&BaInput::generate(n, m, p, SEED)?)?;
        Ok(data.arrays().clone())
    };
    match common.objective {
        true => explained(
            &ba::model::residuals_program::<T>()?,
            common,
            &shapes,
            input,
        ),
        false => explained(&ba::model::jacobian_program::<T>()?, common, &shapes, input),
    }
}

/// The seed of the input that programs are timed on.
const SEED: u64 = 1;

fn explained<In: Arrays, Out: Arrays>(
    program: &Program<In, Out>,
    common: &Common,
    shapes: &[Vec<usize>],
    input: impl FnOnce() -> Result<In::Host, TaskError>,
) -> Result<String, TaskError> {
    let shapes: Vec<_> = shapes.iter().map(Vec::as_slice).collect();
    let explanation = match (common.timed, common.formulas) {
        _ if common.text => return Ok(program.to_string()),
        (true, _) => timed(program, common, input()?)?,
        (false, true) => program.explain()?,
        (false, false) => program.explain_for(&shapes)?,
    };
    Ok(common.format.of(&explanation))
}

#[cfg(feature = "gpu")]
fn timed<In: Arrays, Out: Arrays>(
    program: &Program<In, Out>,
    common: &Common,
    input: In::Host,
) -> Result<Explanation, TaskError> {
    let gpu = cotangent::Gpu::open(common.gpu.as_deref()).map_err(cotangent::Error::from)?;
    Ok(program.explain_timed(&gpu, input)?)
}

#[cfg(not(feature = "gpu"))]
fn timed<In: Arrays, Out: Arrays>(
    _program: &Program<In, Out>,
    _common: &Common,
    _input: In::Host,
) -> Result<Explanation, TaskError> {
    Err(TaskError::WithoutGpu)
}
