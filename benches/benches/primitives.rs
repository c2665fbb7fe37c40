//! Each family of operations on large arrays, against the same in plain Rust with rayon: on the same input, in the same run, on one
//! thread and on several, checked against each other; and, where a python that has it is named, against JAX on as many threads. Ratios are
//! cotangent ÷ plain Rust and cotangent ÷ JAX: below 1, cotangent is faster.
//!
//! Plain Rust is compiled as the benchmark is: for this machine with `RUSTFLAGS="-C target-cpu=native"`. Products of matrices are in
//! `--bench product`.

#![expect(
    clippy::print_stdout,
    reason = "a table on standard output is what this is for"
)]

use clap::Parser;
use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use cotangent_benches::Failure;
use cotangent_benches::jax::Jax;
use cotangent_benches::plain::{self, Border};
use cotangent_benches::ratios::numbers;
use cotangent_benches::timing::by_turns;
use rayon::ThreadPool;
use std::cell::RefCell;
use std::path::PathBuf;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;
type Positions = Acc<Ix1, i32>;

/// How far results may be apart, relative to the largest one.
const TOLERANCE: f64 = 1e-11;

/// Operations against plain Rust.
#[derive(Parser)]
struct Options {
    /// Cases whose name contains this; all if not given.
    name: Option<String>,
    /// Threads of the second measurement; all processors if not given.
    #[arg(long)]
    threads: Option<usize>,
    /// Seconds for each case; every side runs twice at least.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// A python that has what benches/jax/requirements.txt lists; without it, nothing is compared with JAX.
    #[arg(long, env = "COTANGENT_JAX_PYTHON")]
    python: Option<PathBuf>,
    /// Sizes that take a fraction of a second.
    #[arg(long)]
    quick: bool,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

/// What cases run on.
struct Bench {
    options: Options,
    /// One thread, and several.
    sides: Vec<(Cpu, ThreadPool)>,
    jax: Option<RefCell<Jax>>,
}

fn main() -> Result<(), Failure> {
    let bench = Bench::new(Options::parse())?;
    println!("times in ms; ratios are cotangent ÷ plain Rust, and ÷ JAX on as many threads\n");
    print!(
        "{:<36} | {:>9} {:>9} {:>6} | {:>9} {:>9} {:>6}",
        "", "plain", "1 thread", "ratio", "plain", "threads", "ratio"
    );
    match bench.jax {
        Some(_) => println!(" | {:>9} {:>6}", "JAX", "ratio"),
        None => println!(
            "\n(not against JAX: no python that has it is given by --python or COTANGENT_JAX_PYTHON)"
        ),
    }
    let n = bench.size(1_000_000, 10_000);
    elements(&bench, n)?;
    reductions(&bench, n)?;
    moves(&bench, n)?;
    selections(&bench, n)?;
    stencils(&bench)
}

impl Bench {
    fn new(options: Options) -> Result<Self, Failure> {
        let threads = match options.threads {
            Some(threads) => threads,
            None => std::thread::available_parallelism()?.get(),
        };
        let side = |threads| -> Result<_, Failure> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            Ok((Cpu::builder().threads(threads).build()?, pool.build()?))
        };
        let python = options.python.as_deref();
        let jax = python.map(|python| Jax::start(python, threads, options.seconds / 4.0));
        Ok(Self {
            sides: vec![side(1)?, side(threads)?],
            jax: jax.transpose()?.map(RefCell::new),
            options,
        })
    }

    /// The first number, or the second one with `--quick`.
    fn size(&self, whole: usize, quick: usize) -> usize {
        if self.options.quick { quick } else { whole }
    }

    /// Measures a function beside plain Rust, which fills a vector with its elements, and prints a line.
    fn case<X: Arrays, Sh: Shape, T: Elt + Default + Into<f64> + Send>(
        &self,
        name: &str,
        f: impl Fn(X) -> Acc<Sh, T>,
        input: &X::Host,
        plain: impl Fn(&mut Vec<T>) + Sync,
    ) -> Result<(), Failure>
    where
        X::Host: Clone,
    {
        if (self.options.name.as_ref()).is_some_and(|part| !name.contains(part)) {
            return Ok(());
        }
        let program = compile(f)?;
        let mut expected = vec![];
        plain(&mut expected);
        let expected: Vec<f64> = expected.into_iter().map(Into::into).collect();
        let found = program.run(&self.sides[1].0, input.clone())?.to_vec();
        agree(name, found, &expected)?;
        let filled = RefCell::new(vec![]);
        let mut works: Vec<Box<dyn FnMut() -> Result<(), Failure> + '_>> = vec![];
        for (cpu, pool) in &self.sides {
            works.push(Box::new(|| {
                let filled = &mut *filled.borrow_mut();
                pool.install(|| plain(filled));
                Ok(())
            }));
            works.push(Box::new(|| {
                Ok(program.run(cpu, input.clone()).map(drop)?)
            }));
        }
        let times = by_turns(self.options.seconds, &mut works)?;
        print!("{name:<36}");
        for pair in times.chunks(2) {
            let [plain, ours] = [pair[0], pair[1]].map(|seconds| seconds * 1e3);
            print!(" | {plain:>9.3} {ours:>9.3} {:>6.2}", ours / plain);
        }
        if let Some(jax) = &self.jax {
            let mut inputs = vec![];
            X::from_host(input.clone(), &mut inputs);
            let (seconds, found) = jax.borrow_mut().case(name, &inputs)?;
            agree(&format!("JAX, {name}"), found, &expected)?;
            print!(" | {:>9.3} {:>6.2}", seconds * 1e3, times[3] / seconds);
        }
        println!();
        Ok(())
    }
}

/// Fails where two results differ.
fn agree<T: Into<f64>>(name: &str, found: Vec<T>, expected: &[f64]) -> Result<(), Failure> {
    if found.len() != expected.len() {
        return Err(format!("{name}: {} elements, not {}", found.len(), expected.len()).into());
    }
    let pairs = found.into_iter().zip(expected);
    let pairs: Vec<(f64, f64)> = pairs.map(|(f, &e)| (f.into(), e)).collect();
    let largest = pairs.iter().fold(0.0f64, |most, (_, e)| most.max(e.abs()));
    let is_near = |(f, e): &(f64, f64)| (f - e).abs() <= TOLERANCE * largest;
    match pairs.iter().find(|pair| !is_near(pair)) {
        Some((found, expected)) => Err(format!("{name}: {found}, not {expected}").into()),
        None => Ok(()),
    }
}

/// Positions below `n` in no order, each once.
fn shuffled(n: usize) -> Vec<i32> {
    let mut all: Vec<i32> = (0..n as i32).collect();
    let mut state = 1u64;
    for last in (1..n).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        all.swap(last, (state >> 33) as usize % (last + 1));
    }
    all
}

fn elements(bench: &Bench, n: usize) -> Result<(), Failure> {
    let data = numbers(n);
    let x = Array::vector(data.clone())?;
    let line = |x: f64| 2.0 * x + 1.0;
    bench.case(
        "map, 2x + 1",
        |x: Vector| 2.0 * x + 1.0,
        &x,
        |out| {
            plain::map(&data, line, out);
        },
    )?;
    bench.case(
        "map, exp",
        |x: Vector| x.exp(),
        &x,
        |out| {
            plain::map(&data, f64::exp, out);
        },
    )?;
    bench.case(
        "map, tanh",
        |x: Vector| x.tanh(),
        &x,
        |out| {
            plain::map(&data, f64::tanh, out);
        },
    )
}

fn reductions(bench: &Bench, n: usize) -> Result<(), Failure> {
    let data = numbers(n);
    let x = Array::vector(data.clone())?;
    let integers: Vec<i32> = (0..n as i32).map(|i| i % 7).collect();
    let k = Array::vector(integers.clone())?;
    let width = bench.size(1000, 100);
    let m = Array::<Ix2, f64>::from_vec([n / width, width], data.clone())?;
    bench.case(
        "fold, all",
        |x: Vector| x.sum(),
        &x,
        |out| {
            plain::sum(&data, out);
        },
    )?;
    bench.case(
        "fold, inner axis",
        |m: Matrix| m.sum(),
        &m,
        |out| {
            plain::row_sums(&data, width, out);
        },
    )?;
    let columns = |m: Matrix| m.move_axis(0, 1).sum();
    bench.case("fold, outer axis", columns, &m, |out| {
        plain::column_sums(&data, width, out);
    })?;
    bench.case(
        "scan, f64",
        |x: Vector| x.cumsum(),
        &x,
        |out| {
            plain::scan(&data, |x, y| x + y, out);
        },
    )?;
    bench.case(
        "scan, i32",
        |k: Positions| k.cumsum(),
        &k,
        |out| {
            plain::scan(&integers, |x, y| x + y, out);
        },
    )?;
    bench.case(
        "scan, inner axis",
        |m: Matrix| m.cumsum(),
        &m,
        |out| {
            plain::row_scans(&data, width, out);
        },
    )
}

fn moves(bench: &Bench, n: usize) -> Result<(), Failure> {
    let data = numbers(n);
    let at = shuffled(n);
    let inputs = (Array::vector(data.clone())?, Array::vector(at.clone())?);
    let gather = |x: Vector, at: Positions| x.gather(at);
    bench.case(
        "gather",
        |(x, at)| gather(x, at),
        &inputs,
        |out| {
            plain::gather(&data, &at, out);
        },
    )?;
    let permute = |(x, to): (Vector, Positions)| x.scatter(Combine::Add, fill(x.shape(), 0.0), to);
    bench.case("permute, each once", permute, &inputs, |out| {
        plain::scatter(&data, &at, n, out);
    })?;
    for bins in [256, 65_536] {
        let keys: Vec<i32> = at.iter().map(|at| at % bins).collect();
        let input = Array::vector(keys.clone())?;
        let name = format!("histogram, {bins} bins");
        let count = |keys: Positions| keys.histogram(bins);
        bench.case(&name, count, &input, |out| {
            plain::histogram(&keys, bins as usize, out);
        })?;
    }
    Ok(())
}

/// Of numbers that take all their digits; and of rows.
fn sorts(bench: &Bench, n: usize) -> Result<(), Failure> {
    let numbers = |n| -> Vec<f64> {
        let all = shuffled(n).into_iter();
        all.map(|k| f64::from(k).sin()).collect()
    };
    for n in [n, 10 * n] {
        let data = numbers(n);
        let x = Array::vector(data.clone())?;
        let sort = |x: Vector| x.sort();
        bench.case(&format!("sort, {n} numbers"), sort, &x, |out| {
            plain::sort(&data, out);
        })?;
    }
    let keys = shuffled(n);
    let sort = |x: Positions| x.sort();
    bench.case(
        "sort, integers",
        sort,
        &Array::vector(keys.clone())?,
        |out| {
            plain::sort_integers(&keys, out);
        },
    )?;
    let rows = numbers(n);
    let matrix = Array::<Ix2, _>::from_vec([n / 100, 100], rows.clone())?;
    let sort = |x: Matrix| x.sort();
    bench.case("sort, rows of 100", sort, &matrix, |out| {
        plain::sort_rows(&rows, 100, out);
    })
}

fn selections(bench: &Bench, n: usize) -> Result<(), Failure> {
    let data: Vec<f64> = shuffled(n).into_iter().map(f64::from).collect();
    let x = Array::vector(data.clone())?;
    let middle = n as f64 / 2.0;
    let filter = |x: Vector| x.filter(|x| x.lt(middle));
    bench.case("filter, half of all", filter, &x, |out| {
        plain::filter(&data, |x| x < middle, out);
    })?;
    sorts(bench, n)?;
    for len in [10, 1000] {
        let lengths = vec![len; n / len as usize];
        let inputs = (x.clone(), Array::vector(lengths.clone())?);
        let sums = |(x, lengths): (Vector, Positions)| x.fold_segments(0.0, |x, y| x + y, lengths);
        let name = format!("segmented sum, segments of {len}");
        bench.case(&name, sums, &inputs, |out| {
            plain::segment_sums(&data, &lengths, out);
        })?;
    }
    let taps = numbers(9);
    let inputs = (x, Array::vector(taps.clone())?);
    let convolution = |(x, taps): (Vector, Vector)| {
        let (n, k) = (x.size(), taps.size());
        let terms = generate(ix![n - k + 1, k], |ix![i, k]| {
            x.at(ix![i + k]) * taps.at(ix![k])
        });
        terms.sum()
    };
    bench.case("convolution, 9 taps", convolution, &inputs, |out| {
        plain::convolve(&data, &taps, out);
    })
}

/// Weights of five neighbours, and of nine.
const CROSS: [[f64; 3]; 3] = [[0.0, 0.2, 0.0], [0.25, 0.1, 0.15], [0.0, 0.3, 0.0]];
const SQUARE: [[f64; 3]; 3] = [[0.1, 0.2, 0.05], [0.25, 0.1, 0.15], [0.02, 0.3, 0.07]];

fn stencils(bench: &Bench) -> Result<(), Failure> {
    let side = bench.size(1024, 128);
    let data = numbers(side * side);
    let m = Array::<Ix2, f64>::from_vec([side, side], data.clone())?;
    for border in [Border::Clamp, Border::Mirror, Border::Wrap, Border::Zero] {
        for (points, weights) in [(5, CROSS), (9, SQUARE)] {
            let matrix = plain::Matrix {
                elements: &data,
                width: side,
                border,
            };
            let f = |m: Matrix| weighted(m, border, weights);
            let name = format!("stencil, {points} points, {border:?}");
            bench.case(&name, f, &m, |out| matrix.stencil(&weights, out))?;
            let adjoint = |m: Matrix| gradient_a(|x: Matrix| (f(x) * m).sum_all(), m);
            let name = format!("… its adjoint, {points}, {border:?}");
            bench.case(&name, adjoint, &m, |out| matrix.adjoint(&weights, out))?;
        }
    }
    Ok(())
}

fn weighted(m: Matrix, border: Border, weights: [[f64; 3]; 3]) -> Matrix {
    let boundary = match border {
        Border::Clamp => Boundary::Clamp,
        Border::Mirror => Boundary::Mirror,
        Border::Wrap => Boundary::Wrap,
        Border::Zero => Boundary::constant(0.0),
    };
    m.stencil(boundary, |s| {
        let places = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
        let places = places.filter(|&(i, j)| weights[i][j] != 0.0);
        let terms = places.map(|(i, j)| weights[i][j] * s.at([i as i32 - 1, j as i32 - 1]));
        terms.reduce(|x, y| x + y).unwrap_or_else(|| s.at([0, 0]))
    })
}
