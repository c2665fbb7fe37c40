//! `cotangent adbench ba`.

use super::TaskError;
use super::engine::{self, Engine};
use super::memory;
use super::options::Common;
use super::output::{Results, numbers, sparse};
use super::progress::Progress;
use super::report::{Check, Choices, Report, Sizes};
use super::timing::{measure, once};
use cotangent_adbench::ba::model::{Model, Residuals};
use cotangent_adbench::ba::{BaInput, Csr, check};
use cotangent_adbench::host::HostFloat;
use std::io::Write;

/// Sparse Jacobian of bundle adjustment's reprojection residuals.
///
/// The objective reported is the sum of the squares of all residuals and weight errors. Files are
/// ADBench's (`n m p`, then one camera, point, weight and feature for all) or full (`n m p full`, then n
/// lines of 11 numbers, m of 3, p of 1, p of 2, and p pairs of indices).
#[derive(clap::Args)]
pub struct Options {
    /// Cameras (n) of the input made without --file.
    #[arg(long, value_name = "N", default_value_t = 49, conflicts_with = "file")]
    cameras: usize,
    /// Points (m) of the input made without --file.
    #[arg(
        long,
        value_name = "M",
        default_value_t = 7776,
        conflicts_with = "file"
    )]
    points: usize,
    /// Observations (p) of the input made without --file.
    #[arg(
        long,
        value_name = "P",
        default_value_t = 31843,
        conflicts_with = "file"
    )]
    observations: usize,
    #[command(flatten)]
    pub common: Common,
}

/// Runs the task.
///
/// # Errors
/// Where the input cannot be had, the program fails, or the output cannot be written.
pub fn run(options: &Options) -> Result<Report, TaskError> {
    let progress = Progress::new(options.common.json);
    let output = Results::open(options.common.output.as_deref(), "ba")?;
    progress.stage("reading the input");
    let input = match &options.common.file {
        Some(file) => BaInput::load(file)?,
        None => BaInput::generate(
            options.cameras,
            options.points,
            options.observations,
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
    input: BaInput,
    common: &'a Common,
    progress: Progress,
    output: Results,
}

impl engine::Job for Job<'_> {
    fn on<T: HostFloat, E: Engine>(self, engine: E) -> Result<Report, TaskError> {
        solve::<T, E>(&self, engine).and_then(|(report, residuals, jacobian)| {
            write(self.output, &residuals, &jacobian)?;
            Ok(report)
        })
    }
}

fn solve<T: HostFloat, E: Engine>(
    job: &Job<'_>,
    engine: E,
) -> Result<(Report, Residuals, Csr), TaskError> {
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
    progress.stage("timing the residuals");
    let residuals = model.residuals(&data)?;
    let primal_seconds = measure(common.time_limit, progress, || model.run_residuals(&data))?;
    progress.stage("timing the Jacobian");
    let (jacobian, measures) = model.measured_jacobian(&data)?;
    let derivative_seconds = measure(common.time_limit, progress, || model.run_jacobian(&data))?;
    progress.stage("checking against plain Rust");
    let verdict = check::check::<T>(input, &residuals, &jacobian);
    let (n, m, p) = input.sizes();
    let report = Report {
        task: "ba",
        file: common.file.clone(),
        backend: engine.name_asked_for(),
        device: engine.device(),
        choices: choices(&engine, &model, input)?,
        precision: common.precision.name(),
        threads: engine.threads(),
        sizes: Sizes(vec![("n", n), ("m", m), ("p", p)]),
        objective: residuals.sum_of_squares(),
        derivative_norm: ("Jacobian norm", jacobian.norm()),
        compile_seconds,
        primal_seconds,
        derivative_seconds,
        ratio: derivative_seconds / primal_seconds,
        passes: measures.passes,
        peak_memory_bytes: memory::peak_bytes(),
        check: Check::new("dual numbers in plain Rust", verdict),
    };
    Ok((report, residuals, jacobian))
}

/// What the engine chooses, if it does.
fn choices<T: HostFloat, E: Engine>(
    engine: &E,
    model: &Model<T, E>,
    input: &BaInput,
) -> Result<Option<Choices>, TaskError> {
    let (n, m, p) = input.sizes();
    let shapes = [n, m, p].map(|size| vec![size]);
    let primal = engine.choice(model.residuals_program(), &shapes)?;
    let derivative = engine.choice(model.jacobian_program(), &shapes)?;
    let both = primal.zip(derivative);
    Ok(both.map(|(primal, derivative)| Choices { primal, derivative }))
}

fn write(output: Results, residuals: &Residuals, jacobian: &Csr) -> Result<(), TaskError> {
    let objective = |out: &mut dyn Write| {
        writeln!(out, "Reprojection error:")?;
        numbers(out, residuals.errors.iter().copied())?;
        writeln!(out, "Zach weight error:")?;
        numbers(out, residuals.weight_errors.iter().copied())
    };
    output.write(objective, |out| sparse(out, jacobian))
}
