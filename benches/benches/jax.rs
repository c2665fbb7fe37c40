//! The gradient of GMM against JAX, which computes it by matrix products: on the same input, in the
//! same run, on the same number of threads, checked against each other. `benches/jax/gmm.py` is the peer;
//! ratios are cotangent ÷ JAX: below 1, cotangent is faster.

#![expect(
    clippy::print_stdout,
    reason = "a table on standard output is what this is for"
)]

use clap::Parser;
use cotangent::Cpu;
use cotangent_adbench::compare::max_difference;
use cotangent_adbench::gmm::GmmInput;
use cotangent_adbench::gmm::model::Model;
use cotangent_benches::Failure;
use cotangent_benches::peer::{Folder, Measured, gmm_numbers, measure};
use cotangent_benches::python;
use cotangent_benches::timing::shortest;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Sizes: points, dimensions, components.
const SIZES: &[[usize; 3]] = &[[1000, 64, 25], [10_000, 32, 50], [10_000, 64, 50]];

/// How far gradients may be apart by ADBench's rule.
const TOLERANCE: f64 = 1e-8;

/// The gradient of GMM against JAX.
#[derive(Parser)]
struct Options {
    /// Only cases whose name contains this, such as `d64`.
    filter: Option<String>,
    /// A python that has what benches/jax/requirements.txt lists.
    #[arg(long, env = "COTANGENT_JAX_PYTHON")]
    python: Option<PathBuf>,
    /// The library of jemalloc, for JAX; looked for in the usual places if not given.
    #[arg(long, env = "COTANGENT_JEMALLOC")]
    jemalloc: Option<PathBuf>,
    /// Threads for both sides.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Seconds for each measurement.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let Some(python) = &options.python else {
        // `cargo bench` runs all benchmarks: what is not installed must not make it fail.
        println!(
            "jax: skipped, since no python with JAX is given: make one by `pip install -r benches/jax/requirements.txt` \
             and name it by --python or COTANGENT_JAX_PYTHON"
        );
        return Ok(());
    };
    python::has(python, "jax")?;
    println!("times in ms; ratios are cotangent / JAX\n");
    println!(
        "{:<20} {:>3}  {:>19}  {:>19}  {:>13}  {:>9}",
        "case", "thr", "cotangent F      J", "JAX F      J", "ratio F     J", "max diff"
    );
    let mut remarks = vec![];
    for &sizes in SIZES {
        remarks.extend(compare(&options, python, sizes)?);
    }
    println!("\nJAX ran with:");
    remarks.iter().for_each(|said| println!("{}", said.trim()));
    Ok(())
}

/// Measures one case and prints its line; gives what the peer remarked.
fn compare(
    options: &Options,
    python: &Path,
    [n, d, k]: [usize; 3],
) -> Result<Option<String>, Failure> {
    let name = format!("gmm n{n} d{d} K{k}");
    if options.filter.as_ref().is_some_and(|f| !name.contains(f)) {
        return Ok(None);
    }
    let input = GmmInput::generate(n, d, k, 1)?;
    // Before and after the peer, so that a time in which the machine is busy otherwise matters less.
    let before = cotangent(options, &input)?;
    let peer = jax(options, python, &input)?;
    let after = cotangent(options, &input)?;
    let ours = Measured {
        primal: before.primal.min(after.primal),
        derivative: before.derivative.min(after.derivative),
        ..after
    };
    let difference = max_difference(ours.values.iter().copied(), peer.values.iter().copied());
    println!(
        "{name:<20} {:>3}  {:>9.3} {:>9.3}  {:>9.3} {:>9.3}  {:>6.2} {:>6.2}  {difference:>9.1e}",
        options.threads,
        ours.primal * 1e3,
        ours.derivative * 1e3,
        peer.primal * 1e3,
        peer.derivative * 1e3,
        ours.primal / peer.primal,
        ours.derivative / peer.derivative,
    );
    if difference <= TOLERANCE {
        return Ok(Some(peer.remarks));
    }
    Err(format!("{name}: the gradients disagree").into())
}

fn cotangent(options: &Options, input: &GmmInput) -> Result<Measured, Failure> {
    let model = Model::<f64>::compile(Cpu::builder().threads(options.threads).build()?)?;
    let data = model.data(input)?;
    let seconds = options.seconds / 2.0;
    Ok(Measured {
        primal: shortest(seconds, || model.objective(&data).map(drop))?,
        derivative: shortest(seconds, || model.run_gradient(&data))?,
        values: model.gradient(&data)?.flatten(),
        remarks: String::new(),
    })
}

fn jax(options: &Options, python: &Path, input: &GmmInput) -> Result<Measured, Failure> {
    let mut command = Command::new(python);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/jax/gmm.py"));
    python::keep_memory(&mut command, options.jemalloc.clone());
    let (numbers, seconds) = (gmm_numbers(input), options.seconds);
    let folder = Folder::create()?;
    Ok(measure(
        command,
        &folder,
        numbers,
        options.threads,
        seconds,
    )?)
}
