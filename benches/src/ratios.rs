//! What derivatives cost: their time over the time of the value, in a table with limits; the memory that they take; and, where
//! there is a peer in plain Rust, how much longer than cotangent that takes for the derivative.

use crate::Failure;
use crate::timing::by_turns;
use clap::Parser;
use cotangent::prelude::*;
use cotangent::{Cpu, Program, compile};
use std::hint::black_box;

/// The time of derivatives over the time of the value.
#[derive(Parser)]
pub struct Options {
    /// Cases whose name contains this; all if not given.
    name: Option<String>,
    /// Threads; one if not given.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Seconds for each case; every side runs twice at least.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Sizes that take a fraction of a second.
    #[arg(long)]
    quick: bool,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

/// The value and the derivative in plain Rust: some number of each.
pub type Plain<'a> = [&'a dyn Fn() -> f64; 2];

/// A table of such ratios.
pub struct Ratios {
    options: Options,
    cpu: Cpu,
}

impl Ratios {
    /// Reads the command line, and prints the head of the table.
    ///
    /// # Errors
    /// Where there cannot be as many threads as were asked for.
    pub fn parse() -> Result<Self, Failure> {
        let options = Options::parse();
        let cpu = Cpu::builder().threads(options.threads).build()?;
        println!(
            "times in ms; the ratio is to be at most the limit; MB are what the derivative takes"
        );
        println!("plain: value and derivative in plain Rust, and that derivative ÷ cotangent's\n");
        println!(
            "{:<44} {:>10} {:>10} {:>7} {:>6}   {:>8} | {:>10} {:>10} {:>6}",
            "", "value", "derivative", "ratio", "limit", "MB", "plain", "derivative", "÷"
        );
        Ok(Self { options, cpu })
    }

    /// The first number, or the second one with `--quick`.
    pub fn size(&self, whole: usize, quick: usize) -> usize {
        if self.options.quick { quick } else { whole }
    }

    /// Measures the gradient of a function with its value, and prints a line.
    ///
    /// # Errors
    /// Where a program cannot be compiled or run.
    pub fn case<X: Arrays>(
        &self,
        what: (&str, f64),
        f: impl Fn(X) -> Acc<Z, f64> + Copy,
        input: X::Host,
    ) -> Result<(), Failure>
    where
        X::Host: Clone,
        (Acc<Z, f64>, X): Arrays,
    {
        if !self.wants(what.0) {
            return Ok(());
        }
        let both = compile(|x: X| value_and_gradient_a(f, x))?;
        self.measure(what, (&compile(f)?, &both), input, None)
    }

    /// Measures any derivative of a function, and prints a line.
    ///
    /// # Errors
    /// Where a program cannot be compiled or run.
    pub fn pair<X: Arrays, Y: Arrays, D: Arrays>(
        &self,
        what: (&str, f64),
        of: (impl Fn(X) -> Y, impl Fn(X) -> D),
        input: X::Host,
    ) -> Result<(), Failure>
    where
        X::Host: Clone,
    {
        self.beside(what, of, input, None)
    }

    /// The same beside plain Rust.
    ///
    /// # Errors
    /// Where a program cannot be compiled or run.
    pub fn beside<X: Arrays, Y: Arrays, D: Arrays>(
        &self,
        what: (&str, f64),
        (value, derivative): (impl Fn(X) -> Y, impl Fn(X) -> D),
        input: X::Host,
        plain: Option<Plain<'_>>,
    ) -> Result<(), Failure>
    where
        X::Host: Clone,
    {
        if !self.wants(what.0) {
            return Ok(());
        }
        let programs = (&compile(value)?, &compile(derivative)?);
        self.measure(what, programs, input, plain)
    }

    fn wants(&self, name: &str) -> bool {
        let part = self.options.name.as_ref();
        part.is_none_or(|part| name.contains(part))
    }

    fn measure<X: Arrays, Y: Arrays, D: Arrays>(
        &self,
        (name, limit): (&str, f64),
        (value, derivative): (&Program<X, Y>, &Program<X, D>),
        input: X::Host,
        plain: Option<Plain<'_>>,
    ) -> Result<(), Failure>
    where
        X::Host: Clone,
    {
        let run_value = || Ok(value.run(&self.cpu, input.clone()).map(drop)?);
        let run_derivative = || Ok(derivative.run(&self.cpu, input.clone()).map(drop)?);
        let mut works: Vec<Box<dyn FnMut() -> Result<(), Failure> + '_>> =
            vec![Box::new(run_value), Box::new(run_derivative)];
        for run in plain.into_iter().flatten() {
            works.push(Box::new(|| {
                black_box(run());
                Ok(())
            }));
        }
        let times = by_turns(self.options.seconds, &mut works)?;
        let ms: Vec<f64> = times.iter().map(|time| time * 1e3).collect();
        let (_, measures) = derivative.run_measured(&self.cpu, input.clone())?;
        let (ratio, megabytes) = (ms[1] / ms[0], measures.peak_bytes as f64 * 1e-6);
        let mark = if ratio > limit { "*" } else { "" };
        print!("{name:<44} {:>10.3} {:>10.3} {ratio:>7.2} ", ms[0], ms[1]);
        print!("{limit:>6} {mark:<1} {megabytes:>8.2}");
        if let [_, of_derivative, value, derivative] = ms[..] {
            let times = derivative / of_derivative;
            print!(" | {value:>10.3} {derivative:>10.3} {times:>6.2}");
        }
        println!();
        Ok(())
    }
}

/// Numbers between 0.5 and 1.5.
pub fn numbers(n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| ((i * 7919) % 1000) as f64 / 1000.0 + 0.5)
        .collect()
}

/// Numbers whose product is one: each beside its reciprocal.
///
/// # Errors
/// Where an extent exceeds the index type.
pub fn balanced(n: usize) -> Result<Array<Ix1, f64>, Failure> {
    let pairs = numbers(n / 2).into_iter().flat_map(|x| [x, 1.0 / x]);
    Ok(Array::vector(pairs.collect())?)
}

/// A vector of them.
///
/// # Errors
/// Where an extent exceeds the index type.
pub fn vector(n: usize) -> Result<Array<Ix1, f64>, Failure> {
    Ok(Array::vector(numbers(n))?)
}

/// A matrix of them.
///
/// # Errors
/// Where an extent exceeds the index type.
pub fn matrix(rows: usize, columns: usize) -> Result<Array<Ix2, f64>, Failure> {
    Ok(Array::from_vec([rows, columns], numbers(rows * columns))?)
}
