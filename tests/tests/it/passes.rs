//! The passes between barriers that programs make, which follow from the extents and not from the number of threads.

use cotangent::prelude::*;
use cotangent::{Cpu, Program, RunMeasures};
use cotangent_adbench::ba::{self, BaInput};
use cotangent_adbench::gmm::{self, GmmInput};

/// The most passes of the gradient of GMM.
const GMM_GRADIENT: u64 = 12;
/// The most passes of the Jacobian of BA.
const BA_JACOBIAN: u64 = 2;

fn on(threads: usize) -> Cpu {
    Cpu::builder().threads(threads).build().unwrap()
}

/// The passes of a program, the same on one thread, on three, and on memory that is there already.
fn passes<In: Arrays, Out: Arrays>(program: &Program<In, Out>, inputs: &In::Host) -> u64
where
    In::Host: Clone,
{
    let count = |cpu: &Cpu| {
        let (_, measures) = program.run_measured(cpu, inputs.clone()).unwrap();
        measures.passes
    };
    let (one, three) = (on(1), on(3));
    let counts = [&one, &three, &three].map(count);
    assert_eq!(counts, [counts[0]; 3]);
    counts[0]
}

fn vector(n: usize) -> Array<Ix1, f64> {
    Array::vector((0..n).map(|i| (i % 17) as f64 * 0.5).collect()).unwrap()
}

fn matrix(rows: usize, columns: usize) -> Array<Ix2, f64> {
    Array::from_vec([rows, columns], vector(rows * columns).to_vec()).unwrap()
}

#[test]
fn maps_are_one_pass_however_many() {
    let program = cotangent::compile(|x: Acc<Ix1, f64>| {
        let y = x.map(|x| x.exp()).map(|x| x + 1.0);
        (y, x.map(|x| x.sin()))
    })
    .unwrap();
    for n in [1, 1000, 1_000_000] {
        assert_eq!(passes(&program, &vector(n)), 1, "{n}");
    }
    assert_eq!(passes(&program, &vector(0)), 0);
}

/// The parts of a long fold are added up.
#[test]
fn folds_are_one_pass_or_two() {
    let sum = cotangent::compile(|x: Acc<Ix1, f64>| x.map(|x| x.sqrt()).sum()).unwrap();
    let counts = [0, 1, 1000, 1_000_000].map(|n| passes(&sum, &vector(n)));
    assert_eq!(counts, [1, 1, 1, 2]);
    let rows = cotangent::compile(|x: Acc<Ix2, f64>| x.sum()).unwrap();
    let shapes = [(1000, 3), (1000, 1000), (3, 100_000)];
    let counts = shapes.map(|(n, m)| passes(&rows, &matrix(n, m)));
    assert_eq!(counts, [1, 1, 2]);
    let columns = cotangent::compile(|x: Acc<Ix2, f64>| x.transpose().sum()).unwrap();
    let shapes = [(1000, 3), (100_000, 3), (1000, 3000)];
    let counts = shapes.map(|(n, m)| passes(&columns, &matrix(n, m)));
    assert_eq!(counts, [1, 2, 2]);
}

/// The chunks of a long scan receive what precedes them; many rows are a chunk each.
#[test]
fn scans_are_one_pass_or_two() {
    let scan = cotangent::compile(|x: Acc<Ix1, f64>| x.scanl(0.0, |a, b| a + b)).unwrap();
    let counts = [0, 1, 8192, 8193, 1_000_000].map(|n| passes(&scan, &vector(n)));
    assert_eq!(counts, [1, 1, 1, 2, 2]);
    let rows = cotangent::compile(|x: Acc<Ix2, f64>| x.scanr1(|a, b| a + b)).unwrap();
    assert_eq!(passes(&rows, &matrix(100, 10_000)), 1);
}

/// What is sent to an array arrives wave by wave.
#[test]
fn scatters_are_two_passes_a_wave() {
    let histogram = cotangent::compile(|x: Acc<Ix1, f64>| {
        let to = x.map(|x| x.to::<i32>());
        let counts = fill(ix![10], 0.0);
        x.map(|_| 1.0).scatter(Combine::Add, counts, to)
    })
    .unwrap();
    let counts = [0, 1000, 60_000, 100_000].map(|n| passes(&histogram, &vector(n)));
    assert_eq!(counts, [1, 3, 3, 5]);
}

/// An input that a scatter writes into is copied: it belongs to the caller.
#[test]
fn copies_are_passes() {
    let program = cotangent::compile(|x: Acc<Ix1, f64>| {
        let to = x.map(|x| x.to::<i32>());
        x.scatter(Combine::Overwrite, x, to)
    })
    .unwrap();
    assert_eq!(passes(&program, &vector(1000)), 3);
}

#[test]
fn products_are_one_pass_or_two() {
    let product = cotangent::compile(|x: Acc<Ix2, f64>, y: Acc<Ix2, f64>| {
        let ix![n, _] = x.shape();
        let ix![_, m] = y.shape();
        let rows = x.replicate(ix![All, m, All]);
        let columns = y.transpose().replicate(ix![n, All, All]);
        rows.zip_with(columns, |a, b| a * b).sum()
    })
    .unwrap();
    assert_eq!(passes(&product, &(matrix(200, 200), matrix(200, 200))), 1);
    assert_eq!(
        passes(&product, &(matrix(8, 100_000), matrix(100_000, 8))),
        2
    );
}

fn softmax(x: Acc<Ix2, f64>) -> Acc<Ix2, f64> {
    let spread = |row: Acc<Ix1, f64>| row.replicate(ix![All, x.inner()]);
    let powers = x.zip_with(spread(x.maximum()), |x, m| (x - m).exp());
    powers.zip_with(spread(powers.sum()), |p, sum| p / sum)
}

/// Whatever its kernels and the number of its chunks, but for totals that are handed on.
#[test]
fn a_strip_is_one_pass() {
    let rows = cotangent::compile(softmax).unwrap();
    assert!(
        rows.explain()
            .unwrap()
            .rewrites
            .contains_key("strip-mining")
    );
    let counts =
        [(0, 3), (1, 3), (100, 3), (20_000, 30)].map(|(n, m)| passes(&rows, &matrix(n, m)));
    assert_eq!(counts, [0, 1, 1, 1]);
    let sums = cotangent::compile(|x| softmax(x).transpose().sum()).unwrap();
    assert_eq!(passes(&sums, &matrix(20_000, 30)), 1);
}

/// One long row after the other is not worth a thread each: all threads work on each.
#[test]
fn a_strip_of_few_long_rows_has_barriers_inside() {
    let rows = cotangent::compile(softmax).unwrap();
    assert!(passes(&rows, &matrix(2, 200_000)) > 1);
}

#[test]
fn the_peak_is_measured_too() {
    let program = cotangent::compile(|x: Acc<Ix1, f64>| x.map(|x| x.exp())).unwrap();
    let (result, measures) = program.run_measured(&on(1), vector(100)).unwrap();
    let RunMeasures {
        passes,
        peak_bytes,
        submits,
        ..
    } = measures;
    assert_eq!((result.shape(), passes, peak_bytes), (&[100][..], 1, 800));
    assert_eq!(submits, 0);
}

#[test]
fn the_gradient_of_gmm_makes_few_passes() {
    for (n, d, k) in [(1, 2, 3), (1000, 10, 5), (3000, 32, 25)] {
        let input = GmmInput::generate(n, d, k, 1).unwrap();
        for threads in [1, 3] {
            let model = gmm::model::Model::<f64>::compile(on(threads)).unwrap();
            let (_, measures) = model
                .measured_gradient(&model.data(&input).unwrap())
                .unwrap();
            let passes = measures.passes;
            assert!(
                passes <= GMM_GRADIENT,
                "{n} {d} {k}: {passes} on {threads} threads"
            );
        }
    }
}

#[test]
fn the_jacobian_of_ba_makes_few_passes() {
    for (n, m, p) in [(1, 1, 1), (7, 31, 301), (49, 700, 5000)] {
        let input = BaInput::generate(n, m, p, 1).unwrap();
        for threads in [1, 3] {
            let model = ba::model::Model::<f64>::compile(on(threads)).unwrap();
            let (_, measures) = model
                .measured_jacobian(&model.data(&input).unwrap())
                .unwrap();
            let passes = measures.passes;
            assert!(
                passes <= BA_JACOBIAN,
                "{n} {m} {p}: {passes} on {threads} threads"
            );
        }
    }
}
