//! Products of matrices, spelled with combinators, against the `gemm` crate: on the same input, in the same
//! run, on the same number of threads, checked against each other. Ratios are gemm ÷ cotangent: above 1,
//! cotangent is faster. Both use fused multiply-add and whatever vectors the machine has.
//!
//! Products for shortest paths (the least sums) are measured against loops in Rust, compiled for this very machine.

#![expect(
    clippy::print_stdout,
    reason = "a table on standard output is what this is for"
)]

use clap::Parser;
use cotangent::prelude::*;
use cotangent::{Cpu, Dims};
use cotangent_adbench::compare::max_difference;
use cotangent_adbench::host::HostFloat;
use cotangent_benches::Failure;
use cotangent_benches::matrices::{numbers, product};
use cotangent_benches::peer::Peer as Scalar;
use cotangent_benches::timing::{alternating, shortest};
use gemm::Parallelism;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::any::type_name;
use std::convert::Infallible;

/// Cases: matrices in the batch, and the extent of all three dimensions of each product.
const CASES: &[Case] = &[Case { batch: 1, n: 512 }, Case { batch: 64, n: 64 }];

/// Products of matrices against the `gemm` crate.
#[derive(Parser)]
struct Options {
    /// Only cases whose name contains this, such as `512` or `f32`.
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

#[derive(Clone, Copy)]
struct Case {
    batch: usize,
    n: usize,
}

impl Case {
    /// Elements of one matrix.
    fn size(self) -> usize {
        self.n * self.n
    }

    fn operations(self) -> f64 {
        (2 * self.batch * self.size() * self.n) as f64
    }

    fn name(self, scalar: &str) -> String {
        let n = self.n;
        match self.batch {
            1 => format!("{n}x{n}x{n} {scalar}"),
            batch => format!("{batch} x ({n}x{n}x{n}) {scalar}"),
        }
    }
}

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let all = std::thread::available_parallelism()?.get();
    println!("times in ms; the ratio is gemm / cotangent\n");
    println!(
        "{:<22} {:>3}  {:>9} {:>8}  {:>9} {:>8}  {:>6}  {:>9}",
        "case", "thr", "cotangent", "GFLOP/s", "gemm", "GFLOP/s", "ratio", "max diff"
    );
    for threads in threads_of(&options, all) {
        for &case in CASES {
            compare::<f32>(&options, threads, case, f64::from(f32::EPSILON))?;
            compare::<f64>(&options, threads, case, f64::EPSILON)?;
        }
    }
    println!(
        "\n{:<22} {:>3}  {:>9} {:>8}  {:>9} {:>8}  {:>6}",
        "least sums", "thr", "cotangent", "GFLOP/s", "loops", "GFLOP/s", "ratio"
    );
    let scalar = Scalar::compile()?;
    for &threads in &threads_of(&options, all) {
        paths::<f32>(&options, threads, &scalar, 32)?;
        paths::<f64>(&options, threads, &scalar, 64)?;
    }
    Ok(())
}

fn threads_of(options: &Options, all: usize) -> Vec<usize> {
    options.threads.map_or_else(|| vec![1, all], |t| vec![t])
}

/// The extent of all three dimensions of products for shortest paths.
const NODES: usize = 512;

/// Measures paths of two legs and prints the line. Any difference is a failure.
fn paths<T: HostFloat + Send + Sync>(
    options: &Options,
    threads: usize,
    scalar: &Scalar,
    bits: u32,
) -> Result<(), Failure> {
    let case = Case { batch: 1, n: NODES };
    let name = format!("{} paths", case.name(type_name::<T>()));
    if options.filter.as_ref().is_some_and(|f| !name.contains(f)) {
        return Ok(());
    }
    let cpu = Cpu::builder().threads(threads).build()?;
    let program = cotangent::compile(shortest_paths::<T>)?;
    let matrices = [1, 2].map(|seed| numbers::<T>(case.size(), seed));
    let [a, b] = matrices.each_ref().map(|x| T::to_host(x.clone()));
    let (a, b) = (a?, b?);
    let array = |values: &[T]| Array::<Ix2, T>::from_vec([NODES, NODES], values.to_vec());
    let (x, y) = (array(&matrices[0])?, array(&matrices[1])?);
    let run = || program.run(&cpu, (x.clone(), y.clone()));
    let time = shortest(options.seconds, || run().map(drop))?;
    let peer = scalar.paths(bits, (NODES, [&a, &b]), threads, options.seconds)?;
    let rate = |seconds: f64| case.operations() / seconds * 1e-9;
    println!(
        "{name:<22} {threads:>3}  {:>9.3} {:>8.1}  {:>9.3} {:>8.1}  {:>6.2}",
        time * 1e3,
        rate(time),
        peer.primal * 1e3,
        rate(peer.primal),
        peer.primal / time,
    );
    match T::elements(run()?)? == peer.values {
        true => Ok(()),
        false => Err(format!("{name}: the paths disagree").into()),
    }
}

fn shortest_paths<T: Float>(a: Acc<Ix2, T>, b: Acc<Ix2, T>) -> Acc<Ix2, T> {
    let (ix![m, k], ix![_, n]) = (a.shape(), b.shape());
    let columns = b.backpermute(ix![n, k], |ix![j, l]| ix![l, j]);
    a.replicate(ix![All, n, All])
        .zip_with(columns.replicate(ix![m, All, All]), |a, b| a + b)
        .minimum()
}

/// Measures one case and prints its line. An error of more than n roundings is a failure.
fn compare<T: HostFloat + Send + Sync>(
    options: &Options,
    threads: usize,
    case: Case,
    epsilon: f64,
) -> Result<(), Failure> {
    let name = case.name(type_name::<T>());
    if options.filter.as_ref().is_some_and(|f| !name.contains(f)) {
        return Ok(());
    }
    let mut peer = Peer::<T>::new(case, threads)?;
    let Measured {
        time,
        peer_time,
        values,
    } = if case.batch == 1 {
        measure(options, &mut peer, [case.n, case.n], product::<T>)?
    } else {
        let extents = [case.batch, case.n, case.n];
        measure(options, &mut peer, extents, products::<T>)?
    };
    let expected = T::to_host(peer.product)?;
    let difference = max_difference(values.into_iter(), expected.into_iter());
    let rate = |seconds: f64| case.operations() / seconds * 1e-9;
    println!(
        "{name:<22} {threads:>3}  {:>9.3} {:>8.1}  {:>9.3} {:>8.1}  {:>6.2}  {difference:>9.1e}",
        time * 1e3,
        rate(time),
        peer_time * 1e3,
        rate(peer_time),
        peer_time / time,
    );
    if difference <= case.n as f64 * epsilon {
        return Ok(());
    }
    Err(format!("{name}: the products disagree").into())
}

/// Matrices as products take them: \[batch, rows, columns]. A single product is written as one: of matrices, not of batches.
type Matrices<T> = Acc<Ix3, T>;

fn products<T: Float>(a: Matrices<T>, b: Matrices<T>) -> Matrices<T> {
    let (ix![batch, m, k], ix![_, _, n]) = (a.shape(), b.shape());
    let columns = b.backpermute(ix![batch, n, k], |ix![c, j, l]| ix![c, l, j]);
    a.replicate(ix![All, All, n, All])
        .zip_with(columns.replicate(ix![All, m, All, All]), |a, b| a * b)
        .sum()
}

/// What is measured of both sides, and what cotangent computed.
struct Measured {
    time: f64,
    peer_time: f64,
    values: Vec<f64>,
}

/// A product of two arrays.
type Product<Sh, T> = fn(Acc<Sh, T>, Acc<Sh, T>) -> Acc<Sh, T>;

/// Compiles and times `product` of two arrays of the given extents.
fn measure<Sh: Shape, T: HostFloat + Send + Sync, const N: usize>(
    options: &Options,
    peer: &mut Peer<T>,
    extents: [usize; N],
    product: Product<Sh, T>,
) -> Result<Measured, Failure>
where
    [usize; N]: Dims<Sh>,
{
    let cpu = Cpu::builder()
        .threads(peer.pool.current_num_threads())
        .build()?;
    let program = cotangent::compile(product)?;
    let array = |values: &[T]| Array::<Sh, T>::from_vec(extents, values.to_vec());
    let (a, b) = (array(&peer.a)?, array(&peer.b)?);
    let run = || program.run(&cpu, (a.clone(), b.clone()));
    let (time, peer_time) = alternating(options.seconds, || run().map(drop), || peer.run())?;
    let values = T::elements(run()?)?;
    Ok(Measured {
        time,
        peer_time,
        values,
    })
}

/// The product by `gemm`, into memory that is there already.
struct Peer<T> {
    case: Case,
    pool: ThreadPool,
    a: Vec<T>,
    b: Vec<T>,
    product: Vec<T>,
}

impl<T: HostFloat + Send + Sync> Peer<T> {
    fn new(case: Case, threads: usize) -> Result<Self, Failure> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()?;
        let len = case.batch * case.size();
        Ok(Self {
            case,
            pool,
            a: numbers(len, 1),
            b: numbers(len, 2),
            product: vec![T::from_f64(0.0); len],
        })
    }

    /// One matrix: gemm's own threads. Many: one product each, the batch shared out among threads.
    fn run(&mut self) -> Result<(), Infallible> {
        let Self {
            case,
            pool,
            a,
            b,
            product,
        } = self;
        let (n, size, threads) = (case.n, case.size(), pool.current_num_threads());
        let each = |((a, b), product): ((&[T], &[T]), &mut [T])| {
            multiply(n, [a, b], product, Parallelism::None);
        };
        if threads == 1 {
            let matrices = a.chunks_exact(size).zip(b.chunks_exact(size));
            matrices.zip(product.chunks_exact_mut(size)).for_each(each);
        } else if case.batch == 1 {
            pool.install(|| multiply(n, [a, b], product, Parallelism::Rayon(threads)));
        } else {
            let matrices = a.par_chunks_exact(size).zip(b.par_chunks_exact(size));
            let results = product.par_chunks_exact_mut(size);
            pool.install(|| matrices.zip(results).for_each(each));
        }
        Ok(())
    }
}

/// `product` = a · b, all of them n × n and row-major.
fn multiply<T: HostFloat>(n: usize, [a, b]: [&[T]; 2], product: &mut [T], threads: Parallelism) {
    assert!(a.len() == n * n && b.len() == n * n && product.len() == n * n);
    let (one, zero, row) = (T::from_f64(1.0), T::from_f64(0.0), n as isize);
    // SAFETY: each pointer is that of a slice of n × n elements (asserted), which strides of 1 and n cover; `product`
    // is borrowed exclusively; gemm writes it without reading it, since `read_dst` is false.
    unsafe {
        gemm::gemm(
            n,
            n,
            n,
            product.as_mut_ptr(),
            1,
            row,
            false,
            a.as_ptr(),
            1,
            row,
            b.as_ptr(),
            1,
            row,
            zero,
            one,
            false,
            false,
            false,
            threads,
        );
    }
}
