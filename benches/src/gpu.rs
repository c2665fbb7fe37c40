//! The benchmark of the GPU backend: sections of cases, each measured on GPU and CPU and compared.
//!
//! A case is measured three times: on arrays that stay on the device ("resident"), from and to arrays of the host
//! ("copied"), and on the CPU. Times are the shortest of many runs, after a first one in which shaders are compiled; the
//! host waits for each run, on resident arrays by asking for a number, which is part of the time. Ratios are GPU ÷ CPU: below 1, the GPU is faster. Rates (GB/s, GFLOP/s) are of the time beyond
//! that of the same program on few elements, which submitting takes.
//!
//! A case that fails, or whose results disagree with the CPU's, is reported and does not keep the others from being
//! measured; but the benchmark ends with an error.

mod bandwidth;
mod models;
mod overhead;
mod peers;
mod products;
mod report;
mod sides;
mod sizes;
#[cfg(test)]
mod tests;
mod values;

use crate::Failure;
use clap::Parser;
use cotangent::{Cpu, Gpu, GpuError};
use report::{Csv, Name, line, progress};
use sizes::Sizes;
use std::cell::{Cell, RefCell};
use std::path::PathBuf;

/// What is printed where there is no device.
const SECTIONS: &str = "\
It would measure, on the device and on the CPU:
  overhead   what a submit, a further dispatch, and copies between host and device cost
  bandwidth  maps, transposes, folds, scans, scatters, gathers: GB/s, and the share of what a copy reaches
  products   products of matrices: GFLOP/s, and the share of what multiply-adds in registers reach
  models     ADBench's GMM (objective and gradient) and BA (Jacobian); with --python against JAX and PyTorch";

/// The GPU backend: overheads, bandwidth, arithmetic, ADBench's tasks.
#[derive(Clone, Debug, Default, Parser)]
pub struct Options {
    /// Only cases whose name contains this, such as `bandwidth`, `scan f32` or `gmm n1000`.
    filter: Option<String>,
    /// The first device whose name contains this.
    #[arg(long)]
    gpu: Option<String>,
    /// Threads of the CPU backend; all processors if not given.
    #[arg(long)]
    threads: Option<usize>,
    /// Seconds for each measurement.
    #[arg(long, default_value_t = 0.5)]
    seconds: f64,
    /// Larger arrays and products.
    #[arg(long)]
    large: bool,
    /// A python that has what benches/jax/requirements.txt or benches/torch/requirements.txt list.
    #[arg(long, env = "COTANGENT_JAX_PYTHON")]
    python: Option<PathBuf>,
    /// A file for all numbers, one a line.
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Also prints how long each kernel takes on the device, where that has a clock.
    #[arg(long)]
    kernels: bool,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

/// Both sides, and where results go.
struct Bench {
    gpu: Gpu,
    cpu: Cpu,
    threads: usize,
    sizes: Sizes,
    options: Options,
    csv: RefCell<Csv>,
    /// What is printed before the next case.
    heading: Cell<Option<String>>,
    /// Cases that failed.
    failed: Cell<usize>,
    /// Shares of bandwidth or arithmetic that are below their goals.
    missed: RefCell<Vec<String>>,
}

/// Measures all that is wanted. Without any device it says what it would measure.
///
/// # Errors
/// Where the device cannot be used, a case fails, or results disagree.
pub fn run(options: Options) -> Result<(), Failure> {
    let gpu = match Gpu::open(options.gpu.as_deref()) {
        Ok(gpu) => gpu,
        Err(error) => return without(error),
    };
    let sizes = Sizes::of(gpu.info(), options.large);
    Bench::new(gpu, sizes, options)?.all()
}

/// `cargo bench` runs all benchmarks: that there is no device must not make it fail. But one that was named has to be
/// there.
fn without(error: GpuError) -> Result<(), Failure> {
    match &error {
        GpuError::NoDevice { wanted: _, found } if found.is_empty() => {
            line(&format!("gpu: skipped, since {error}\n\n{SECTIONS}"));
            Ok(())
        }
        _ => Err(error.into()),
    }
}

impl Bench {
    fn new(gpu: Gpu, sizes: Sizes, options: Options) -> Result<Self, Failure> {
        let all = std::thread::available_parallelism()?.get();
        let threads = options.threads.unwrap_or(all);
        Ok(Self {
            cpu: Cpu::builder().threads(threads).build()?,
            threads,
            sizes,
            csv: RefCell::new(Csv::create(options.csv.as_deref(), gpu.info())?),
            heading: Cell::new(None),
            failed: Cell::new(0),
            missed: RefCell::default(),
            gpu,
            options,
        })
    }

    fn all(&self) -> Result<(), Failure> {
        self.introduce();
        overhead::measure(self);
        bandwidth::measure::<f32>(self);
        self.has_f64().then(|| bandwidth::measure::<f64>(self));
        products::measure::<f32>(self);
        self.has_f64().then(|| products::measure::<f64>(self));
        let mut gradients = models::measure::<f32>(self);
        if self.has_f64() {
            gradients.extend(models::measure::<f64>(self));
        }
        peers::measure(self, &gradients);
        self.conclude()
    }

    fn introduce(&self) {
        let target = self.gpu.target();
        line(&format!(
            "{}\nworkgroups of {}; atomic functions of i64: {}, atomic sums of f32: {}; the CPU backend on {} threads",
            self.gpu.info(),
            target.workgroup,
            target.has_i64_atomics,
            target.has_f32_atomics,
            self.threads,
        ));
        line(
            "times in ms; resident: arrays stay on the device, copied: from and to the host; ratios are GPU / CPU",
        );
    }

    fn has_f64(&self) -> bool {
        let info = self.gpu.info();
        info.has_f64 && info.has_i64
    }

    fn wants(&self, name: &Name) -> bool {
        let filter = self.options.filter.as_ref();
        filter.is_none_or(|filter| name.to_string().contains(filter))
    }

    /// Begins a section; its heading is printed if one of its cases is wanted.
    fn begin(&self, heading: String) {
        self.heading.set(Some(heading));
    }

    /// Measures a case if it is wanted. If that fails, it is said and counted.
    fn case<R>(&self, name: &Name, measure: impl FnOnce() -> Result<R, Failure>) -> Option<R> {
        if !self.wants(name) {
            return None;
        }
        if let Some(heading) = self.heading.take() {
            line(&heading);
        }
        progress(&format!("measuring {name}"));
        let measured = measure();
        measured.map_err(|error| self.fails(name, &*error)).ok()
    }

    fn fails(&self, name: &Name, why: impl std::fmt::Display) {
        self.failed.set(self.failed.get() + 1);
        line(&format!("{name}: failed: {why}"));
    }

    /// Says it where results are further apart than they may be.
    fn check(&self, name: &Name, difference: f64, tolerance: f64) {
        if difference.is_nan() || difference > tolerance {
            let why = format!("results disagree by {difference:.1e}, tolerance {tolerance:.0e}");
            self.fails(name, why);
        }
    }

    /// Notes that a share is below its goal, which are set for GPUs.
    fn judge(&self, name: &Name, share: f64, goal: f64) {
        if share < goal && !self.gpu.info().is_software() {
            let missed = format!("{name}: {:.0} % of {:.0} %", share * 100.0, goal * 100.0);
            self.missed.borrow_mut().push(missed);
        }
    }

    fn conclude(&self) -> Result<(), Failure> {
        self.csv.borrow_mut().finish()?;
        let missed = self.missed.borrow();
        if !missed.is_empty() {
            line(&format!("\ngoals missed:\n  {}", missed.join("\n  ")));
        }
        match self.failed.get() {
            0 => Ok(()),
            failed => Err(format!("{failed} cases failed or disagree").into()),
        }
    }
}
