//! `cotangent adbench gmm`.

use super::TaskError;
use super::memory;
use super::options::{Common, Precision};
use super::output::{numbers, write_files};
use super::progress::Progress;
use super::report::{Check, Report, Sizes};
use super::timing::{measure, once};
use cotangent_adbench::compare::{difference, max_difference};
use cotangent_adbench::gmm::GmmInput;
use cotangent_adbench::gmm::model::Model;
use cotangent_adbench::gmm::reference::{self, GmmGradient};
use cotangent_adbench::host::HostFloat;

/// Gradient of a Gaussian mixture model's log posterior.
///
/// Without --file, makes an input by ADBench's recipe (α, q, l and x normal, means uniform).
#[derive(clap::Args)]
pub struct Options {
    /// Points (n) of the input made without --file.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    points: usize,
    /// Dimensions (d) of the input made without --file.
    #[arg(long, value_name = "D", default_value_t = 20)]
    dimensions: usize,
    /// Components (K) of the input made without --file.
    #[arg(long, value_name = "K", default_value_t = 25)]
    components: usize,
    /// The file holds one point that stands for all n, as ADBench's files of 2.5 million points do.
    #[arg(long, requires = "file")]
    replicate_point: bool,
    #[command(flatten)]
    pub common: Common,
}

/// Runs the task.
///
/// # Errors
/// Where the input cannot be had, the program fails, or the output cannot be written.
pub fn run(options: &Options) -> Result<Report, TaskError> {
    let progress = Progress::new(options.common.json);
    progress.stage("reading the input");
    let input = match &options.common.file {
        Some(file) => GmmInput::load(file, options.replicate_point)?,
        None => GmmInput::generate(
            options.points,
            options.dimensions,
            options.components,
            options.common.seed,
        )?,
    };
    match options.common.precision {
        Precision::F32 => solve::<f32>(&input, &options.common, &progress),
        Precision::F64 => solve::<f64>(&input, &options.common, &progress),
    }
}

fn solve<T: HostFloat>(
    input: &GmmInput,
    common: &Common,
    progress: &Progress,
) -> Result<Report, TaskError> {
    progress.stage("compiling");
    let cpu = common.cpu()?;
    let (model, compile_seconds) = once(|| Model::<T>::compile(cpu));
    let model = model?;
    let data = model.data(input)?;
    progress.stage("timing the objective");
    let objective = model.objective(&data)?;
    let primal_seconds = measure(common.time_limit, progress, || {
        model.objective(&data).map(drop)
    })?;
    progress.stage("timing the gradient");
    let (gradient, measures) = model.measured_gradient(&data)?;
    let derivative_seconds = measure(common.time_limit, progress, || model.run_gradient(&data))?;
    progress.stage("checking against plain Rust");
    let check = check(input, objective, &gradient, common.precision);
    write(common, objective, &gradient)?;
    Ok(Report {
        task: "gmm",
        file: common.file.clone(),
        backend: common.backend.name(),
        precision: common.precision.name(),
        threads: common.thread_count(),
        sizes: Sizes(vec![("n", input.n), ("d", input.d), ("k", input.k)]),
        objective,
        derivative_norm: ("gradient norm", gradient.norm()),
        compile_seconds,
        primal_seconds,
        derivative_seconds,
        ratio: derivative_seconds / primal_seconds,
        passes: measures.passes,
        peak_memory_bytes: memory::peak_bytes(),
        check,
    })
}

fn check(input: &GmmInput, objective: f64, gradient: &GmmGradient, precision: Precision) -> Check {
    let (expected, exact) = reference::gradient(input);
    let elements = max_difference(gradient.flatten().into_iter(), exact.flatten().into_iter());
    let error = elements.max(difference(objective, expected));
    // The exponents −½‖y‖² are sums of d squares of sums of up to d terms.
    let tolerance = precision.tolerance((input.d * input.d) as f64);
    Check::new("the closed form in plain Rust", error, tolerance)
}

fn write(common: &Common, objective: f64, gradient: &GmmGradient) -> Result<(), TaskError> {
    let Some(folder) = &common.output else {
        return Ok(());
    };
    write_files(
        folder,
        "gmm",
        |out| numbers(out, [objective]),
        |out| numbers(out, gradient.flatten()),
    )
}
