//! Loops: each example of `cotangent-examples` on sizes of use, against the same in plain scalar Rust (for the heat equation with
//! rows in parallel by rayon). Both sides run by turns, and have to agree. Ratios are plain Rust ÷ cotangent: above 1,
//! cotangent is faster.

#![expect(
    clippy::print_stdout,
    reason = "a table on standard output is what this is for"
)]

use clap::Parser;
use cotangent::Program;
use cotangent::prelude::{Acc, Array, Arrays, Exp, Ix1, Ix2, ascan, fill, ix};
use cotangent_benches::Failure;
use cotangent_benches::entries::{
    bubble_sorted, insertion_sorted, plain_bubble_sorted, plain_insertion_sorted,
};
use cotangent_benches::timing::by_turns;
use cotangent_examples::device::Device;
use cotangent_examples::error::Result;
use cotangent_examples::{cg, heat, kmeans, mandelbrot, nbody, newton, ode, pagerank};
use rayon::ThreadPool;
use std::time::Instant;

/// Loops against plain Rust.
#[derive(Parser)]
struct Options {
    /// Cases whose name contains this; all if not given.
    name: Option<String>,
    /// Threads of the second measurement; all processors if not given.
    #[arg(long)]
    threads: Option<usize>,
    /// Seconds for each case; every side runs twice at least.
    #[arg(long, default_value_t = 4.0)]
    seconds: f64,
    /// Sizes that take a fraction of a second.
    #[arg(long)]
    quick: bool,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

/// What cases run on, and how.
struct Bench {
    options: Options,
    /// One thread, and all.
    devices: [Device; 2],
    pools: [ThreadPool; 2],
}

/// Whether the peer in plain Rust uses several threads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Peer {
    Scalar,
    Rayon,
}

/// Both sides of a case.
struct Sides<C, R, P, D> {
    compile: C,
    run: R,
    plain: P,
    difference: D,
    tolerance: f64,
}

fn main() -> std::result::Result<(), Failure> {
    let bench = Bench::new(Options::parse())?;
    println!("times in ms; ratios are plain Rust ÷ cotangent\n");
    println!(
        "{:<38} {:>8} {:>8} | {:>9} {:>9} {:>6} | {:>9} {:>9} {:>6}",
        "", "compile", "code", "plain", "1 thread", "ratio", "plain", "threads", "ratio"
    );
    grids(&bench)?;
    motion(&bench)?;
    search(&bench)?;
    linear(&bench)?;
    rows(&bench)?;
    sorts(&bench)
}

impl Bench {
    fn new(options: Options) -> std::result::Result<Self, Failure> {
        let threads = match options.threads {
            Some(threads) => threads,
            None => std::thread::available_parallelism()?.get(),
        };
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        Ok(Self {
            devices: [Device::cpu(Some(1))?, Device::cpu(Some(threads))?],
            pools: [pool(1)?, pool(threads)?],
            options,
        })
    }

    /// The first number, or the second one with `--quick`.
    fn size<T>(&self, whole: T, quick: T) -> T {
        if self.options.quick { quick } else { whole }
    }

    /// Measures a case and prints its line.
    fn case<In: Arrays, Out: Arrays, T: Send>(
        &self,
        name: &str,
        peer: Peer,
        sides: Sides<
            impl Fn() -> std::result::Result<Program<In, Out>, cotangent::Error>,
            impl Fn(&Program<In, Out>, &Device) -> Result<T>,
            impl Fn() -> T + Sync,
            impl Fn(&T, &T) -> f64,
        >,
    ) -> std::result::Result<(), Failure> {
        if self
            .options
            .name
            .as_ref()
            .is_some_and(|part| !name.contains(part))
        {
            return Ok(());
        }
        let (program, compiled) = timed(|| (sides.compile)());
        let program = program?;
        let (prepared, code) = timed(|| self.devices[1].prepare(&program));
        prepared?;
        let found = (sides.run)(&program, &self.devices[1])?;
        let apart = (sides.difference)(&found, &(sides.plain)());
        if apart > sides.tolerance {
            return Err(format!("{name}: differs from plain Rust by {apart:e}").into());
        }
        let on = |device: &Device| Ok((sides.run)(&program, device).map(drop)?);
        let plain = |pool: &ThreadPool| {
            pool.install(|| drop((sides.plain)()));
            Ok(())
        };
        let mut works: Vec<Box<dyn FnMut() -> std::result::Result<(), Failure>>> = vec![
            Box::new(|| plain(&self.pools[0])),
            Box::new(|| on(&self.devices[0])),
            Box::new(|| on(&self.devices[1])),
        ];
        if peer == Peer::Rayon {
            works.push(Box::new(|| plain(&self.pools[1])));
        }
        let times = by_turns(self.options.seconds, &mut works)?;
        line(name, [compiled, code], &times);
        Ok(())
    }
}

/// A result, and the seconds it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

/// Prints a case: times of plain Rust, of one thread, of all, and of plain Rust on all if it uses them.
fn line(name: &str, [compiled, code]: [f64; 2], times: &[f64]) {
    let [plain, one, all, ..] = times[..] else {
        return;
    };
    let parallel = times.get(3).copied().unwrap_or(plain);
    println!(
        "{name:<38} {:>8.2} {:>8.2} | {:>9.2} {:>9.2} {:>6.2} | {:>9.2} {:>9.2} {:>6.2}",
        compiled * 1e3,
        code * 1e3,
        plain * 1e3,
        one * 1e3,
        plain / one,
        parallel * 1e3,
        all * 1e3,
        parallel / all
    );
}

fn grids(bench: &Bench) -> std::result::Result<(), Failure> {
    let (width, height, trips) = bench.size((800, 600, 1000), (200, 150, 200));
    let picture = mandelbrot::Picture {
        width,
        height,
        trips,
    };
    let name = format!("mandelbrot {width} x {height}, {trips} trips");
    let sides = Sides {
        compile: mandelbrot::program,
        run: |program: &_, device: &_| mandelbrot::run(program, device, picture),
        plain: || mandelbrot::reference(picture),
        difference: |f: &Vec<_>, e: &Vec<_>| mandelbrot::difference(f, e),
        tolerance: mandelbrot::TOLERANCE,
    };
    bench.case(&name, Peer::Scalar, sides)?;
    let (side, steps) = bench.size((1024, 1000), (1024, 20));
    let plate = heat::start(side, side);
    let name = format!("heat {side} x {side}, {steps} steps");
    let sides = Sides {
        compile: heat::program,
        run: |program: &_, device: &_| heat::run(program, device, &plate, steps),
        plain: || heat::reference(&plate, steps),
        difference: heat::difference,
        tolerance: heat::TOLERANCE,
    };
    bench.case(&name, Peer::Rayon, sides)
}

fn motion(bench: &Bench) -> std::result::Result<(), Failure> {
    for (count, steps) in bench.size([(1, 1_000_000), (1000, 1000)], [(1, 10_000), (1000, 10)]) {
        let systems = nbody::systems(count);
        let run = nbody::Run { steps, time: 0.01 };
        let sides = Sides {
            compile: nbody::program,
            run: |program: &_, device: &_| nbody::run(program, device, &systems, run),
            plain: || nbody::reference(&systems, run),
            difference: |f: &Vec<_>, e: &Vec<_>| nbody::difference(f, e),
            // Roundings of a million steps.
            tolerance: 1e3 * nbody::TOLERANCE,
        };
        bench.case(
            &format!("nbody {count} systems, {steps} steps"),
            Peer::Scalar,
            sides,
        )?;
    }
    for (count, steps) in bench.size([(1, 1_000_000), (10_000, 1000)], [(1, 10_000), (1000, 100)]) {
        let starts = ode::starts(count);
        let run = ode::Run { steps, time: 0.01 };
        let sides = Sides {
            compile: ode::program,
            run: |program: &_, device: &_| ode::run(program, device, &starts, run),
            plain: || ode::reference(&starts, run),
            difference: |f: &Vec<_>, e: &Vec<_>| ode::difference(f, e),
            tolerance: 1e3 * ode::TOLERANCE,
        };
        bench.case(
            &format!("ode {count} starts, {steps} steps"),
            Peer::Scalar,
            sides,
        )?;
    }
    Ok(())
}

fn search(bench: &Bench) -> std::result::Result<(), Failure> {
    let (anomalies, eccentricities) = bench.size((1000, 1000), (200, 200));
    let grid = newton::Grid {
        anomalies,
        eccentricities,
    };
    let sides = Sides {
        compile: newton::program,
        run: |program: &_, device: &_| newton::run(program, device, grid),
        plain: || newton::reference(grid),
        difference: |f: &Vec<_>, e: &Vec<_>| newton::difference(grid, f, e),
        tolerance: newton::TOLERANCE,
    };
    bench.case(
        &format!("newton {anomalies} x {eccentricities}"),
        Peer::Scalar,
        sides,
    )?;
    let (points, centres) = bench.size((100_000, 16), (2000, 8));
    let task = kmeans::task(points, centres, 1);
    let trips = kmeans::reference(&task).trips;
    let sides = Sides {
        compile: kmeans::program,
        run: |program: &_, device: &_| kmeans::run(program, device, &task),
        plain: || kmeans::reference(&task),
        difference: kmeans::difference,
        tolerance: kmeans::TOLERANCE,
    };
    let name = format!("kmeans {points} points, {centres}, {trips} trips");
    bench.case(&name, Peer::Scalar, sides)
}

fn linear(bench: &Bench) -> std::result::Result<(), Failure> {
    let pages = bench.size(200_000, 5000);
    let task = pagerank::task(pages, 20, 1)?;
    let trips = pagerank::reference(&task).trips;
    let sides = Sides {
        compile: pagerank::program,
        run: |program: &_, device: &_| pagerank::run(program, device, &task),
        plain: || pagerank::reference(&task),
        difference: pagerank::difference,
        tolerance: pagerank::TOLERANCE,
    };
    let name = format!("pagerank {pages} pages, {trips} trips");
    bench.case(&name, Peer::Scalar, sides)?;
    let rows = bench.size(2000, 200);
    let task = cg::dense_task(rows);
    let trips = cg::reference(&task).trips;
    let sides = Sides {
        compile: cg::dense,
        run: |program: &_, device: &_| cg::run_dense(program, device, &task),
        plain: || cg::reference(&task),
        difference: |f: &_, _: &_| cg::residual(&task, f),
        tolerance: cg::TOLERANCE,
    };
    bench.case(
        &format!("cg dense {rows} rows, {trips} trips"),
        Peer::Scalar,
        sides,
    )?;
    let side = bench.size(300, 50);
    let task = cg::laplace_task(side)?;
    let trips = cg::reference(&task).trips;
    let sides = Sides {
        compile: cg::sparse,
        run: |program: &_, device: &_| cg::run_sparse(program, device, &task),
        plain: || cg::reference(&task),
        difference: |f: &_, _: &_| cg::residual(&task, f),
        tolerance: cg::TOLERANCE,
    };
    bench.case(
        &format!("cg sparse {side} x {side}, {trips} trips"),
        Peer::Scalar,
        sides,
    )
}

/// A program from rows to rows.
type OfRows = Program<Acc<Ix2, f64>, Acc<Ix2, f64>>;
/// A program on vectors.
type OfElements = Program<Acc<Ix1, f64>, Acc<Ix1, f64>>;

/// Averages of rows that forget, by loops over the rows and along them.
fn rows(bench: &Bench) -> std::result::Result<(), Failure> {
    for (h, w) in bench.size([(10_000, 1000), (100_000, 10)], [(100, 100), (1000, 2)]) {
        let table = Array::from_vec([h, w], (0..h * w).map(|i| (i % 17) as f64).collect())?;
        let values = table.to_vec();
        let down = |rows: Acc<Ix2, f64>| {
            let step = |_, mean: Acc<Ix1, f64>, row: Acc<Ix1, f64>| {
                let mean = mean.zip_with(row, |m, x| 0.9 * m + x);
                (mean, mean)
            };
            ascan(rows, step, fill(ix![rows.inner()], 0.0)).1
        };
        let sides = Sides {
            compile: || cotangent::compile(down),
            run: |program: &OfRows, device: &Device| {
                Ok(device.run(program, table.clone())?.to_vec())
            },
            plain: || reference_down(&values, w),
            difference: |a: &Vec<_>, b: &Vec<_>| largest_difference(a, b),
            tolerance: 1e-9,
        };
        bench.case(&format!("ascan {h} rows of {w}"), Peer::Scalar, sides)?;
        let along = |rows: Acc<Ix2, f64>| {
            let step = |_, mean: Exp<f64>, x: Exp<f64>| (0.9 * mean + x, mean);
            rows.scan_seq(0.0, step).1
        };
        let sides = Sides {
            compile: || cotangent::compile(along),
            run: |program: &OfRows, device: &Device| {
                Ok(device.run(program, table.clone())?.to_vec())
            },
            plain: || reference_along(&values, w),
            difference: |a: &Vec<_>, b: &Vec<_>| largest_difference(a, b),
            tolerance: 1e-9,
        };
        bench.case(&format!("scan_seq {h} rows of {w}"), Peer::Scalar, sides)?;
    }
    Ok(())
}

/// Sorts of the entries of arrays `[f64; N]`, one for each element: loops in loops.
fn sorts(bench: &Bench) -> std::result::Result<(), Failure> {
    type Sort = fn(Exp<f64>) -> Exp<f64>;
    type PlainSort = fn(f64) -> f64;
    let cases: [(&str, Sort, PlainSort); 4] = [
        (
            "insertion sort of 16",
            insertion_sorted::<16>,
            plain_insertion_sorted::<16>,
        ),
        (
            "insertion sort of 64",
            insertion_sorted::<64>,
            plain_insertion_sorted::<64>,
        ),
        (
            "bubble sort of 16",
            bubble_sorted::<16>,
            plain_bubble_sorted::<16>,
        ),
        (
            "bubble sort of 64",
            bubble_sorted::<64>,
            plain_bubble_sorted::<64>,
        ),
    ];
    let elements = bench.size(50_000, 500);
    let values: Vec<f64> = (0..elements).map(|i| 0.3 + f64::from(i) * 0.01).collect();
    let x = Array::vector(values.clone())?;
    for (name, sorted, plain) in cases {
        let sides = Sides {
            compile: || cotangent::compile(move |x: Acc<Ix1, f64>| x.map(sorted)),
            run: |program: &OfElements, device: &Device| {
                Ok(device.run(program, x.clone())?.to_vec())
            },
            plain: || values.iter().map(|&x| plain(x)).collect::<Vec<_>>(),
            difference: |a: &Vec<_>, b: &Vec<_>| largest_difference(a, b),
            tolerance: 1e-9,
        };
        bench.case(&format!("{name} for {elements}"), Peer::Scalar, sides)?;
    }
    Ok(())
}

fn reference_down(values: &[f64], w: usize) -> Vec<f64> {
    let mut mean = vec![0.0; w];
    let mut all = Vec::with_capacity(values.len());
    for row in values.chunks(w) {
        for (mean, x) in mean.iter_mut().zip(row) {
            *mean = 0.9 * *mean + x;
            all.push(*mean);
        }
    }
    all
}

fn reference_along(values: &[f64], w: usize) -> Vec<f64> {
    let mut all = Vec::with_capacity(values.len());
    for row in values.chunks(w) {
        let mut mean = 0.0;
        for x in row {
            all.push(mean);
            mean = 0.9 * mean + x;
        }
    }
    all
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    let apart = a.iter().zip(b).map(|(x, y)| (x - y).abs());
    apart.fold(0.0, f64::max)
}
