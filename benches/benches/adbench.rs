//! GMM and BA on ADBench's sizes, against hand-written scalar Rust compiled for this machine, on the same
//! input and the same number of threads. Ratios are peer ÷ cotangent: above 1, cotangent is faster.

#![expect(
    clippy::print_stdout,
    reason = "a table on standard output is what this is for"
)]

use clap::Parser;
use cotangent::Cpu;
use cotangent_adbench::ba::{self, BaInput};
use cotangent_adbench::compare::max_difference;
use cotangent_adbench::gmm::{self, GmmInput};
use cotangent_benches::peer::{Measured, Peer};
use cotangent_benches::timing::shortest;
use std::error::Error;

/// GMM sizes: points, dimensions, components.
const GMM: &[[usize; 3]] = &[
    [1000, 10, 25],
    [1000, 32, 25],
    [1000, 64, 25],
    [10_000, 10, 25],
    [10_000, 32, 50],
    [10_000, 64, 50],
];
/// BA sizes: cameras, points, observations (ba1, ba5).
const BA: &[[usize; 3]] = &[[49, 7776, 31_843], [257, 65_132, 225_911]];

/// Benchmarks of the ADBench tasks against hand-written scalar Rust.
#[derive(Parser)]
struct Options {
    /// Only cases whose name contains this, such as `gmm` or `1000 d64`.
    filter: Option<String>,
    /// Threads for both sides; cases are run on one and on all processors if not given.
    #[arg(long)]
    threads: Option<usize>,
    /// Seconds for each measurement.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let all = std::thread::available_parallelism()?.get();
    let threads = options.threads.map_or_else(|| vec![1, all], |t| vec![t]);
    let peer = Peer::compile()?;
    println!("times in ms; ratios are scalar Rust / cotangent; J/F is derivative / objective\n");
    println!(
        "{:<26} {:>3}  {:>19}  {:>13}  {:>19}  {:>13}  {:>9}",
        "case",
        "thr",
        "cotangent F      J",
        "J/F",
        "scalar Rust F     J",
        "ratio F     J",
        "max diff"
    );
    for &threads in &threads {
        let bench = Bench {
            peer: &peer,
            options: &options,
            threads,
        };
        GMM.iter().try_for_each(|&sizes| bench.gmm(sizes))?;
        BA.iter().try_for_each(|&sizes| bench.ba(sizes))?;
    }
    Ok(())
}

struct Bench<'a> {
    peer: &'a Peer,
    options: &'a Options,
    threads: usize,
}

impl Bench<'_> {
    fn wanted(&self, name: &str) -> bool {
        self.options
            .filter
            .as_ref()
            .is_none_or(|filter| name.contains(filter.as_str()))
    }

    fn cpu(&self) -> Result<Cpu, Box<dyn Error>> {
        Ok(Cpu::builder().threads(self.threads).build()?)
    }

    fn gmm(&self, [n, d, k]: [usize; 3]) -> Result<(), Box<dyn Error>> {
        let name = format!("gmm n{n} d{d} K{k}");
        if !self.wanted(&name) {
            return Ok(());
        }
        let input = GmmInput::generate(n, d, k, 1)?;
        let model = gmm::model::Model::<f64>::compile(self.cpu()?)?;
        let data = model.data(&input)?;
        let primal = shortest(self.options.seconds, || model.objective(&data).map(drop))?;
        let derivative = shortest(self.options.seconds, || model.run_gradient(&data))?;
        let values = model.gradient(&data)?.flatten();
        let peer = self.peer.gmm(&input, self.threads, self.options.seconds)?;
        self.print(
            &name,
            &Measured {
                primal,
                derivative,
                values,
                remarks: String::new(),
            },
            &peer,
        );
        Ok(())
    }

    fn ba(&self, [n, m, p]: [usize; 3]) -> Result<(), Box<dyn Error>> {
        let name = format!("ba n{n} m{m} p{p}");
        if !self.wanted(&name) {
            return Ok(());
        }
        let input = BaInput::generate(n, m, p, 1)?;
        let model = ba::model::Model::<f64>::compile(self.cpu()?)?;
        let data = model.data(&input)?;
        let primal = shortest(self.options.seconds, || model.run_residuals(&data))?;
        let derivative = shortest(self.options.seconds, || model.run_jacobian(&data))?;
        let values = model.jacobian(&data)?.values;
        let peer = self.peer.ba(&input, self.threads, self.options.seconds)?;
        self.print(
            &name,
            &Measured {
                primal,
                derivative,
                values,
                remarks: String::new(),
            },
            &peer,
        );
        Ok(())
    }

    fn print(&self, name: &str, ours: &Measured, peer: &Measured) {
        let difference = max_difference(ours.values.iter().copied(), peer.values.iter().copied());
        println!(
            "{name:<26} {:>3}  {:>9.3} {:>9.3}  {:>13.2}  {:>9.3} {:>9.3}  {:>6.2} {:>6.2}  {difference:>9.1e}",
            self.threads,
            ours.primal * 1e3,
            ours.derivative * 1e3,
            ours.derivative / ours.primal,
            peer.primal * 1e3,
            peer.derivative * 1e3,
            peer.primal / ours.primal,
            peer.derivative / ours.derivative,
        );
    }
}
