//! Several reductions of one array in one program, which go through it once, against one program for each: the
//! sum, the sum of squares and the maximum of rows. Ratios are apart ÷ together: above 1, one pass is faster.

#![expect(
    clippy::print_stdout,
    reason = "a table on standard output is what this is for"
)]

use clap::Parser;
use cotangent::Cpu;
use cotangent::prelude::*;
use cotangent_benches::Failure;
use cotangent_benches::timing::alternating;

/// Cases: rows and their length.
const CASES: &[[usize; 2]] = &[
    [1, 1_000_000],
    [1, 30_000_000],
    [1000, 1000],
    [100_000, 10],
    [1, 10_000],
];

/// Reductions of one array, together and apart.
#[derive(Parser)]
struct Options {
    /// Threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Seconds for each measurement.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

type Matrix = Acc<Ix2, f64>;
type Vector = Acc<Ix1, f64>;

fn total(x: Matrix) -> Vector {
    x.sum()
}

fn squares(x: Matrix) -> Vector {
    x.map(|x| x * x).sum()
}

fn largest(x: Matrix) -> Vector {
    x.fold(f64::NEG_INFINITY, |a: Exp<f64>, b| a.max(b))
}

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let cpu = Cpu::builder().threads(options.threads).build()?;
    let together = cotangent::compile(|x: Matrix| (total(x), squares(x), largest(x)))?;
    let apart = [
        cotangent::compile(total)?,
        cotangent::compile(squares)?,
        cotangent::compile(largest)?,
    ];
    println!("times in ms\n");
    println!(
        "{:<16} {:>9} {:>9} {:>6}",
        "rows", "together", "apart", "ratio"
    );
    for &[rows, length] in CASES {
        let values = (0..rows * length).map(|i| (i % 1009) as f64 * 0.001);
        let x = Array::<Ix2, f64>::from_vec([rows, length], values.collect())?;
        let alone = || {
            let run = |program: &cotangent::Program<_, Vector>| program.run(&cpu, x.clone());
            apart.iter().try_for_each(|program| run(program).map(drop))
        };
        let (one, three) = alternating(
            options.seconds,
            || together.run(&cpu, x.clone()).map(drop),
            alone,
        )?;
        println!(
            "{:<16} {:>9.3} {:>9.3} {:>6.2}",
            format!("{rows} x {length}"),
            one * 1e3,
            three * 1e3,
            three / one
        );
    }
    Ok(())
}
