//! Kernels that run chunk by chunk: which do, and that they compute the same, cut or not, on any number of
//! threads.

use cotangent::prelude::*;
use cotangent::{Cpu, Program};

type Matrix = Array<Ix2, f64>;

/// The kernels, those marked with `*` that run chunk by chunk.
macro_rules! outline {
    ($program:expr) => {
        $program
            .explain()
            .unwrap()
            .kernels
            .iter()
            .map(|k| {
                format!(
                    "{}{}",
                    k.name,
                    if k.chunked_over.is_some() { "*" } else { "" }
                )
            })
            .collect::<Vec<_>>()
            .join(" ")
    };
}

fn matrix(rows: usize, columns: usize) -> Matrix {
    let value = |i: usize| ((i * 7919) % 1009) as f64 * 0.002 - 1.0;
    Array::from_vec([rows, columns], (0..rows * columns).map(value).collect()).unwrap()
}

/// The results on 1, 2 and 3 threads, which are the same bit for bit, close to the interpreter's on an input
/// that is small enough for it.
fn run<Out>(
    program: &Program<Acc<Ix2, f64>, Out>,
    values: impl Fn(Out::Host) -> Vec<f64>,
    large: &Matrix,
    small: &Matrix,
) -> Vec<f64>
where
    Out: Arrays,
{
    let on = |threads: usize, input: &Matrix| {
        let cpu = Cpu::builder().threads(threads).build().unwrap();
        values(program.run(&cpu, input.clone()).unwrap())
    };
    let expected = values(program.interpret(small.clone()).unwrap());
    for (found, expected) in on(2, small).iter().zip(&expected) {
        assert!(
            (found - expected).abs() <= 1e-12 * (1.0 + expected.abs()),
            "{found} {expected}"
        );
    }
    let alone = on(1, large);
    for threads in [2, 3] {
        assert!(
            alone
                .iter()
                .zip(on(threads, large))
                .all(|(x, y)| x.to_bits() == y.to_bits())
        );
    }
    alone
}

fn broadcast(row: Acc<Ix1, f64>, like: Acc<Ix2, f64>) -> Acc<Ix2, f64> {
    row.replicate(ix![All, like.inner()])
}

fn softmax(x: Acc<Ix2, f64>) -> Acc<Ix2, f64> {
    let shifted = x.zip_with(broadcast(x.maximum(), x), |x, m| x - m);
    let powers = shifted.map(|x| x.exp());
    powers.zip_with(broadcast(powers.sum(), powers), |p, s| p / s)
}

#[test]
fn the_rows_of_a_softmax_are_results_part_by_part() {
    let program = cotangent::compile(softmax).unwrap();
    assert_eq!(outline!(program), "fold1* map* fold* zip_with*");
    let found = run(&program, |a| a.to_vec(), &matrix(20_000, 30), &matrix(7, 5));
    let sums = found.chunks(30).map(|row| row.iter().sum::<f64>());
    assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-12));
}

#[test]
fn sums_over_the_rows_are_totals() {
    let program = cotangent::compile(|x| softmax(x).transpose().sum()).unwrap();
    assert!(outline!(program).contains("fold*"), "{}", outline!(program));
    let found = run(&program, |a| a.to_vec(), &matrix(20_000, 30), &matrix(7, 5));
    assert!((found.iter().sum::<f64>() - 20_000.0).abs() < 1e-6);
}

#[test]
fn no_rows_are_no_chunks() {
    let program = cotangent::compile(|x| softmax(x).transpose().sum()).unwrap();
    let cpu = Cpu::default();
    assert_eq!(program.run(&cpu, matrix(0, 3)).unwrap().to_vec(), [0.0; 3]);
    assert_eq!(program.run(&cpu, matrix(0, 0)).unwrap().to_vec(), [0.0; 0]);
}

#[test]
fn failures_inside_are_those_of_the_first_chunk() {
    let program = cotangent::compile(|x: Acc<Ix2, f64>| {
        let position = |x: Exp<f64>| x.to::<i32>();
        let looked_up = x.map(move |v| x.at(ix![position(v), 0]).exp());
        looked_up.zip_with(broadcast(looked_up.sum(), looked_up), |v, s| v / s)
    })
    .unwrap();
    let mut values = vec![0.0; 50_000];
    (values[40_001], values[9_001]) = (70_000.0, 60_000.0);
    let input = Array::<Ix2, f64>::from_vec([50_000, 1], values).unwrap();
    for threads in 1..4 {
        let cpu = Cpu::builder().threads(threads).build().unwrap();
        let error = program.run(&cpu, input.clone()).unwrap_err().to_string();
        assert!(error.contains("60000"), "{error}");
    }
}

#[test]
fn kernels_that_read_across_chunks_stay_apart() {
    let program = cotangent::compile(|x: Acc<Ix2, f64>| {
        let sums = x.map(|x| x.exp()).sum();
        let turned = sums.backpermute(sums.shape(), move |ix![i]| ix![sums.size() - 1 - i]);
        sums.zip_with(turned, |a, b| a * b)
    })
    .unwrap();
    assert!(!outline!(program).contains('*'), "{}", outline!(program));
}

/// How often sums were reordered.
fn reordered<Out: Arrays>(program: &Program<Acc<Ix2, f64>, Out>) -> usize {
    let rewrites = program.explain().unwrap().rewrites;
    rewrites.get("reassociation").copied().unwrap_or(0)
}

/// Σᵢ qᵢⱼ · sin qₙᵢ over \[n, j], for square matrices q.
fn products(q: Acc<Ix2, f64>) -> Acc<Ix2, f64> {
    let ix![n, d] = q.shape();
    let columns = q.transpose().replicate(ix![n, All, All]);
    let sines = q.map(|q| q.sin()).replicate(ix![All, d, All]);
    columns.zip_with(sines, |q, y| q * y).sum()
}

#[test]
fn sums_of_sums_are_reordered() {
    let program = cotangent::compile(|q| products(q).transpose().sum()).unwrap();
    assert_eq!(reordered(&program), 1);
    run(&program, |a| a.to_vec(), &matrix(90, 90), &matrix(6, 6));
}

#[test]
fn sums_that_others_read_too_stay() {
    let program = cotangent::compile(|q| {
        let products = products(q);
        products
            .transpose()
            .sum()
            .zip_with(products.sum(), |x, y| x - y)
    })
    .unwrap();
    assert_eq!(reordered(&program), 0);
    run(&program, |a| a.to_vec(), &matrix(90, 90), &matrix(6, 6));
}

#[test]
fn sums_of_squared_sums_stay() {
    let program = cotangent::compile(|q| products(q).map(|p| p * p).transpose().sum()).unwrap();
    assert_eq!(reordered(&program), 0);
    run(&program, |a| a.to_vec(), &matrix(90, 90), &matrix(6, 6));
}

/// The totals of a strip in several groups, by an operator that does not commute, from another value than a neutral one:
/// as loops of the host have them.
#[test]
fn totals_of_functions_are_combined_in_order_from_the_initial_value_on() {
    let program = cotangent::compile(|x: Acc<Ix2, f64>| {
        let shares = softmax(x).map(|p| p * 8.0);
        let functions = shares.map(|p| (1.0 - p * 0.125, p));
        functions
            .transpose()
            .fold((0.5, 3.0), |(a, b), (c, d)| (a * c, b * c + d))
            .map(|(a, b)| a * 1e-300 + b)
    })
    .unwrap();
    assert!(outline!(program).contains("fold*"), "{}", outline!(program));
    let large = matrix(40_000, 30);
    let found = run(&program, |a| a.to_vec(), &large, &matrix(7, 5));
    let rows = large.to_vec();
    let mut expected = [3.0; 30];
    for row in rows.chunks(30) {
        let max = row.iter().copied().fold(f64::MIN, f64::max);
        let sum: f64 = row.iter().map(|x| (x - max).exp()).sum();
        for (total, x) in expected.iter_mut().zip(row) {
            let p = (x - max).exp() / sum * 8.0;
            *total = *total * (1.0 - p * 0.125) + p;
        }
    }
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-9, "{found} {expected}");
    }
}

/// The strip decides how long an array is, so no part of it is written before, though one is there from the beginning.
#[test]
fn parts_of_arrays_whose_extent_a_strip_decides_come_after_it() {
    let program = cotangent::compile(|x: Acc<Ix2, f64>| {
        let powers = x.map(|x| x.exp());
        let sums = powers.sum();
        let shares = powers.zip_with(broadcast(sums, powers), |p, s| p / s);
        let first = x.slice(ix![0, All]);
        let either = acond(sums.at(ix![0]).gt(6.0), sums, first);
        (shares, first.append(either))
    })
    .unwrap();
    let names = outline!(program);
    assert!(names.contains("map* fold* zip_with*"), "{names}");
    run(
        &program,
        |(shares, all)| [shares.to_vec(), all.to_vec()].concat(),
        &matrix(20_000, 30),
        &matrix(7, 5),
    );
}
