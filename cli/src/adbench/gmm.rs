//! `cotangent adbench gmm`.

use super::TaskError;
use super::engine::{self, Engine};
use super::memory;
use super::options::{Common, Precision};
use super::output::{Results, numbers};
use super::progress::Progress;
use super::report::{Check, Choices, Report, Sizes};
use super::timing::{measure, once};
use cotangent_adbench::compare::Verdict;
use cotangent_adbench::gmm::GmmInput;
use cotangent_adbench::gmm::model::{Model, shapes};
use cotangent_adbench::gmm::reference::{self, GmmGradient};
use cotangent_adbench::host::HostFloat;

/// Gradient of a Gaussian mixture model's log posterior.
///
/// Without --file, makes an input by ADBench's recipe (α, q, l and x normal, means uniform).
#[derive(clap::Args)]
pub struct Options {
    /// Points (n) of the input made without --file.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000,
        conflicts_with = "file"
    )]
    points: usize,
    /// Dimensions (d) of the input made without --file.
    #[arg(long, value_name = "D", default_value_t = 20, conflicts_with = "file")]
    dimensions: usize,
    /// Components (K) of the input made without --file.
    #[arg(long, value_name = "K", default_value_t = 25, conflicts_with = "file")]
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
    let output = Results::open(options.common.output.as_deref(), "gmm")?;
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
    let common = &options.common;
    progress.stage("looking for the device");
    engine::dispatch(
        common,
        Job {
            input,
            common,
            progress,
            output,
        },
    )
}

/// The task, on its way to a backend.
struct Job<'a> {
    input: GmmInput,
    common: &'a Common,
    progress: Progress,
    output: Results,
}

impl engine::Job for Job<'_> {
    fn on<T: HostFloat, E: Engine>(self, engine: E) -> Result<Report, TaskError> {
        solve::<T, E>(&self, engine).and_then(|(report, gradient)| {
            let objective = report.objective;
            self.output.write(
                |out| numbers(out, [objective]),
                |out| numbers(out, gradient.elements()),
            )?;
            Ok(report)
        })
    }
}

fn solve<T: HostFloat, E: Engine>(
    job: &Job<'_>,
    engine: E,
) -> Result<(Report, GmmGradient), TaskError> {
    let Job {
        input,
        common,
        progress,
        output: _,
    } = job;
    progress.stage("compiling");
    let (model, compile_seconds) = once(|| Model::<T, E>::compile(engine.clone()));
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
    let verdict = check(input, objective, &gradient, common.precision)?;
    let report = Report {
        task: "gmm",
        file: common.file.clone(),
        backend: engine.name_asked_for(),
        device: engine.device(),
        choices: choices(&engine, &model, input)?,
        precision: common.precision.name(),
        threads: engine.threads(),
        sizes: Sizes(vec![("n", input.n), ("d", input.d), ("k", input.k)]),
        objective,
        derivative_norm: ("gradient norm", gradient.norm()),
        compile_seconds,
        primal_seconds,
        derivative_seconds,
        ratio: derivative_seconds / primal_seconds,
        passes: measures.passes,
        peak_memory_bytes: memory::peak_bytes(),
        check: Check::new("the closed form in plain Rust", verdict),
    };
    Ok((report, gradient))
}

/// What the engine chooses, if it does.
fn choices<T: HostFloat, E: Engine>(
    engine: &E,
    model: &Model<T, E>,
    input: &GmmInput,
) -> Result<Option<Choices>, TaskError> {
    let shapes = shapes(input.n, input.d, input.k);
    let primal = engine.choice(model.objective_program(), &shapes)?;
    let derivative = engine.choice(model.gradient_program(), &shapes)?;
    let both = primal.zip(derivative);
    Ok(both.map(|(primal, derivative)| Choices { primal, derivative }))
}

fn check(
    input: &GmmInput,
    objective: f64,
    gradient: &GmmGradient,
    precision: Precision,
) -> Result<Verdict, TaskError> {
    let (expected, exact) = reference::gradient(input)?;
    // The exponents −½‖y‖² are sums of d squares of sums of up to d terms.
    let tolerance = precision.tolerance((input.d * input.d) as f64);
    let mut verdict = Verdict::new(tolerance);
    verdict.number("the objective", objective, expected, tolerance);
    let parts = [
        ("the gradient by α", &gradient.alphas, &exact.alphas),
        ("the gradient by means", &gradient.means, &exact.means),
        (
            "the gradient by covariance factors",
            &gradient.icf,
            &exact.icf,
        ),
    ];
    for (what, found, exact) in parts {
        verdict.numbers(what, found, exact.iter().copied(), tolerance);
    }
    verdict.finite("the gradient's norm", gradient.norm());
    Ok(verdict)
}
