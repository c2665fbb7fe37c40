//! How long compiling takes, from the closures to code for the CPU: the ADBench programs, and generated ones of
//! 1,000 and 10,000 nodes, so that time in proportion to the program's size shows as the same time a node.

#![expect(
    clippy::print_stdout,
    reason = "a table on standard output is what this is for"
)]

use clap::Parser;
use cotangent::prelude::*;
use cotangent::{Cpu, Error, Program, compile};
use cotangent_adbench::ba;
use cotangent_adbench::gmm::model::{Constants, objective};
use cotangent_benches::Failure;
use std::time::Instant;

/// Sizes of the generated programs, in array operations.
const NODES: &[usize] = &[1000, 10_000];

/// How compiling is measured.
#[derive(Parser)]
struct Options {
    /// Only programs whose name contains this, such as `gmm` or `shared`.
    filter: Option<String>,
    /// Seconds for each program; each is compiled at least twice.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

/// What one compilation took, in seconds.
#[derive(Clone, Copy)]
struct Sample {
    /// From the closures to code.
    both: f64,
    /// From the closures to a checked schedule, where that is known by itself.
    schedule: Option<f64>,
}

/// Compiles a program once.
fn sample<In: Arrays, Out: Arrays>(
    cpu: &Cpu,
    program: impl FnOnce() -> Result<Program<In, Out>, Error>,
) -> Result<Sample, Error> {
    let start = Instant::now();
    let program = program()?;
    let schedule = start.elapsed().as_secs_f64();
    program.prepare(cpu)?;
    let both = start.elapsed().as_secs_f64();
    Ok(Sample {
        both,
        schedule: Some(schedule),
    })
}

fn main() -> Result<(), Failure> {
    let table = Table {
        options: Options::parse(),
        cpu: Cpu::default(),
    };
    println!("compiling, in ms: to a schedule, to code, both\n");
    println!(
        "{:<30} {:>6}  {:>9} {:>9} {:>9}  {:>8}  {:>9}",
        "program", "nodes", "schedule", "code", "both", "ns/node", "target"
    );
    table.adbench()?;
    for &nodes in NODES {
        let target = (nodes == 10_000).then_some(1000.0);
        for (name, program) in GENERATED {
            let program = || sample(&table.cpu, || compile(|x: Vector| program(x, nodes)));
            table.row(name, Some(nodes), target, program)?;
        }
        // The nodes counted are those of the function; its derivative is compiled as well.
        let gradient = |x: Vector| gradient_a(|x| shared(x, nodes), x);
        let gradient = || sample(&table.cpu, || compile(gradient));
        table.row("gradient of shared operations", Some(nodes), None, gradient)?;
    }
    Ok(())
}

struct Table {
    options: Options,
    cpu: Cpu,
}

impl Table {
    fn adbench(&self) -> Result<(), Failure> {
        let cpu = &self.cpu;
        let value = |a: Vector, m: Matrix, i: Matrix, x: Matrix, c| objective((a, m, i), x, c);
        self.row("gmm objective", None, None, || {
            sample(cpu, || compile(value))
        })?;
        let gradient = |a: Vector, m: Matrix, i: Matrix, x: Matrix, c: Constants<f64>| {
            gradient_a(|parameters| objective(parameters, x, c), (a, m, i))
        };
        self.row("gmm gradient", None, Some(50.0), || {
            sample(cpu, || compile(gradient))
        })?;
        self.row("ba residuals and Jacobian", None, None, || {
            let start = Instant::now();
            ba::model::Model::<f64>::compile(cpu.clone())?;
            Ok(Sample {
                both: start.elapsed().as_secs_f64(),
                schedule: None,
            })
        })
    }

    /// Compiles a program as often as time allows; prints the best.
    fn row(
        &self,
        name: &str,
        nodes: Option<usize>,
        target: Option<f64>,
        mut program: impl FnMut() -> Result<Sample, Error>,
    ) -> Result<(), Failure> {
        if self
            .options
            .filter
            .as_ref()
            .is_some_and(|f| !name.contains(f))
        {
            return Ok(());
        }
        let start = Instant::now();
        let (mut best, mut count) = (program()?, 1);
        while count < 2 || start.elapsed().as_secs_f64() < self.options.seconds {
            let sample = program()?;
            if sample.both < best.both {
                best = sample;
            }
            count += 1;
        }
        print(name, nodes, target, best);
        Ok(())
    }
}

fn print(name: &str, nodes: Option<usize>, target: Option<f64>, best: Sample) {
    let blank = |text: Option<String>| text.unwrap_or_default();
    let milliseconds = |seconds: f64| format!("{:.2}", seconds * 1e3);
    println!(
        "{name:<30} {:>6}  {:>9} {:>9} {:>9}  {:>8}  {:>9}",
        blank(nodes.map(|n| n.to_string())),
        blank(best.schedule.map(milliseconds)),
        blank(best.schedule.map(|s| milliseconds(best.both - s))),
        milliseconds(best.both),
        blank(nodes.map(|n| format!("{:.0}", best.both * 1e9 / n as f64))),
        blank(target.map(|t| format!("< {t} ms"))),
    );
}

/// A program of about so many array operations.
type Generated = fn(Vector, usize) -> Acc<Ix0, f64>;

const GENERATED: &[(&str, Generated)] = &[
    ("chain of maps", maps),
    ("chain of folds", folds),
    ("shared operations", shared),
];

/// Maps of maps, all of which become one kernel.
fn maps(x: Vector, nodes: usize) -> Acc<Ix0, f64> {
    let each = |x: Vector, i| x.map(|x| (x + f64::from(i as u32)).sin());
    (0..nodes - 1).fold(x, each).sum()
}

/// Sums, each of which the next needs: as many kernels.
fn folds(x: Vector, nodes: usize) -> Acc<Ix0, f64> {
    (0..nodes / 3).fold(x, |x, _| centre(x, x)).sum()
}

/// `x` less the sum of `y`: three operations.
fn centre(x: Vector, y: Vector) -> Vector {
    let sums = y.sum().replicate(x.shape());
    x.zip_with(sums, |x, sum| x - sum)
}

/// Maps, zips and folds at random of what was computed before, most often of what is recent; nothing is left
/// unused.
fn shared(x: Vector, nodes: usize) -> Acc<Ix0, f64> {
    let (mut random, mut known, mut used) = (Random(1), vec![x], vec![true]);
    let mut count = 0;
    while count < nodes {
        let [i, j] = [(); 2].map(|()| random.operand(known.len()));
        let (x, y) = (known[i], known[j]);
        let choice = random.below(5);
        let (new, operations) = match choice {
            0 | 1 => (x.map(|x| x.cos() + f64::from(i as u32)), 1),
            2 | 3 => (x.zip_with(y, |x, y| x * y + f64::from(i as u32)), 1),
            _ => (centre(x, y), 3),
        };
        used[i] = true;
        used[j] |= choice > 1;
        known.push(new);
        used.push(false);
        count += operations;
    }
    let unused = known.into_iter().zip(used).filter(|(_, used)| !used);
    let sum = |sum: Vector, (x, _)| sum.zip_with(x, |x, y| x + y);
    unused.fold(x, sum).sum()
}

/// A generator of numbers, the same on each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// One of `known` arrays: of the last few in three of four cases.
    fn operand(&mut self, known: usize) -> usize {
        let recent = if self.below(4) == 0 {
            known
        } else {
            known.min(8)
        };
        known - 1 - self.below(recent)
    }
}
