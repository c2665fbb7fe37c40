//! Products of matrices by other operations than sums and products, in whole programs: paths, bottlenecks,
//! sequences of states; and their gradients.

use cotangent::explain::Kind;
use cotangent::prelude::*;
use cotangent::{Cpu, Explanation, compile};
use cotangent_core::host::HostArray;
use cotangent_tests::engines::compare;

type Scalar = Acc<Ix0, f64>;
type Matrix<T> = Acc<Ix2, T>;

/// What `times` makes of row i of `x` and column j of `y`, for all i and j.
fn terms<T: Float>(x: Matrix<T>, y: Matrix<T>, times: fn(E<T>, E<T>) -> E<T>) -> Acc<Ix3, T> {
    let (ix![n, _], ix![_, m]) = (x.shape(), y.shape());
    let rows = x.replicate(ix![All, m, All]);
    rows.zip_with(y.transpose().replicate(ix![n, All, All]), times)
}

/// The least sums: lengths of paths of two legs.
fn min_plus<T: Float>(x: Matrix<T>, y: Matrix<T>) -> Matrix<T> {
    terms(x, y, |x, y| x + y).minimum()
}

fn max_plus<T: Float>(x: Matrix<T>, y: Matrix<T>) -> Matrix<T> {
    terms(x, y, |x, y| x + y).maximum()
}

/// The widest ways of two legs.
fn max_min<T: Float>(x: Matrix<T>, y: Matrix<T>) -> Matrix<T> {
    terms(x, y, |x, y| x.min(y)).maximum()
}

fn kinds(explanation: &Explanation) -> Vec<Kind> {
    explanation.kernels.iter().map(|k| k.kind).collect()
}

/// Some numbers without a pattern, at least 0 and below 1.
fn numbers(n: usize, seed: u32) -> Vec<f64> {
    let mix = |i: usize| (i as u32 + seed).wrapping_mul(2_654_435_761) >> 12;
    (0..n).map(|i| f64::from(mix(i) % 1024) / 1024.0).collect()
}

fn matrix(rows: usize, columns: usize, seed: u32) -> Array<Ix2, f64> {
    Array::from_vec([rows, columns], numbers(rows * columns, seed)).unwrap()
}

fn column<A: Arrays>(host: A::Host) -> Vec<HostArray> {
    let mut columns = vec![];
    A::from_host(host, &mut columns);
    columns
}

/// The edges of a graph of which most are missing, and no way from a node to itself is shorter than none.
fn graph(n: usize, missing: f64, own: f64) -> Vec<f64> {
    let edge = |(i, x): (usize, f64)| match (i / n == i % n, x < 0.12) {
        (true, _) => own,
        (false, true) => x,
        (false, false) => missing,
    };
    numbers(n * n, 5)
        .into_iter()
        .enumerate()
        .map(edge)
        .collect()
}

/// All pairs, one node after the other.
fn closed(
    n: usize,
    edges: &[f64],
    plus: fn(f64, f64) -> f64,
    times: fn(f64, f64) -> f64,
) -> Vec<f64> {
    let mut d = edges.to_vec();
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                d[i * n + j] = plus(d[i * n + j], times(d[i * n + k], d[k * n + j]));
            }
        }
    }
    d
}

/// Paths of up to 128 legs, by squares.
fn squared<T: Float>(d: Matrix<T>, square: fn(Matrix<T>, Matrix<T>) -> Matrix<T>) -> Matrix<T> {
    (0..7).fold(d, |d, _| square(d, d))
}

#[test]
fn shortest_paths_of_all_pairs() {
    let n = 70;
    let edges = graph(n, f64::INFINITY, 0.0);
    let program = compile(|d: Matrix<f64>| squared(d, min_plus)).unwrap();
    assert_eq!(kinds(&program.explain().unwrap()), [Kind::Contract; 7]);
    let input = Array::from_vec([n, n], edges.clone()).unwrap();
    let found = program.run(&Cpu::default(), input).unwrap().to_vec();
    let expected = closed(n, &edges, f64::min, |x, y| x + y);
    assert!(expected.iter().filter(|x| x.is_finite()).count() > n * n / 2);
    for (x, y) in found.into_iter().zip(expected) {
        assert!(x == y || (x - y).abs() < 1e-12, "{x} or {y}");
    }
}

#[test]
fn widest_paths_of_all_pairs() {
    let n = 70;
    let edges = graph(n, f64::NEG_INFINITY, f64::INFINITY);
    let program = compile(|d: Matrix<f32>| squared(d, max_min)).unwrap();
    assert_eq!(kinds(&program.explain().unwrap()), [Kind::Contract; 7]);
    let single = edges.iter().map(|&x| x as f32).collect();
    let input = Array::from_vec([n, n], single).unwrap();
    let found = program.run(&Cpu::default(), input).unwrap().to_vec();
    let expected = closed(n, &edges, f64::max, f64::min);
    for (x, y) in found.into_iter().zip(expected) {
        assert_eq!(x, y as f32);
    }
}

/// One step for many sequences at once: the likeliest way into each state, and what is seen there.
fn viterbi_step(seen: Matrix<f64>, before: Matrix<f64>, moves: Matrix<f64>) -> Matrix<f64> {
    max_plus(before, moves).zip_with(seen, |best, seen| best + seen)
}

#[test]
fn the_likeliest_states_of_many_sequences() {
    let (sequences, states) = (60, 33);
    let program = compile(viterbi_step).unwrap();
    let explanation = program.explain().unwrap();
    assert_eq!(kinds(&explanation), [Kind::Contract, Kind::Map]);
    let inputs = || {
        let per_sequence = |seed| matrix(sequences, states, seed);
        (per_sequence(1), per_sequence(2), matrix(states, states, 3))
    };
    let expected = program.interpret(inputs()).unwrap();
    let found = program.run(&Cpu::default(), inputs()).unwrap();
    assert_eq!(expected.to_vec(), found.to_vec());
}

/// The dimension that is reduced is the one that chunks are cut from.
#[test]
fn a_dimension_reduced_chunk_by_chunk() {
    let f = |x: Matrix<f64>| {
        let x = x.map(|x| x.exp());
        (max_plus(x.transpose(), x), x.sum().sum())
    };
    let program = compile(f).unwrap();
    let explanation = program.explain().unwrap();
    let is_cut = |kernel: &cotangent::explain::KernelNote| {
        kernel.kind == Kind::Contract && kernel.chunked_over.is_some()
    };
    assert!(explanation.kernels.iter().any(is_cut), "{explanation}");
    let (expected, _) = program.interpret(matrix(3000, 9, 1)).unwrap();
    let found = program.run(&Cpu::default(), matrix(3000, 9, 1));
    let (found, _) = found.unwrap();
    assert_eq!(expected.to_vec().len(), 81);
    for (x, y) in expected.to_vec().into_iter().zip(found.to_vec()) {
        assert!((x - y).abs() < 1e-12, "{x} or {y}");
    }
}

/// Each result is one term; its factors have the partial derivative.
#[test]
fn gradients_go_to_the_terms_that_won() {
    let loss =
        |x: Matrix<f64>, y: Matrix<f64>, w: Matrix<f64>| -> (Scalar, (Matrix<f64>, Matrix<f64>)) {
            let weighted = |(x, y): (Matrix<f64>, Matrix<f64>)| {
                max_plus(x, y).zip_with(w, |z, w| z * w).sum_all()
            };
            value_and_gradient_a(weighted, (x, y))
        };
    let program = compile(loss).unwrap();
    let inputs = || (matrix(12, 20, 1), matrix(20, 17, 2), matrix(12, 17, 3));
    let (x, y, w) = (
        numbers(12 * 20, 1),
        numbers(20 * 17, 2),
        numbers(12 * 17, 3),
    );
    let (_, (of_x, of_y)) = program.run(&Cpu::default(), inputs()).unwrap();
    let (mut left, mut right) = (vec![0.0; x.len()], vec![0.0; y.len()]);
    for (i, j) in (0..12).flat_map(|i| (0..17).map(move |j| (i, j))) {
        let term = |k: usize| x[i * 20 + k] + y[k * 17 + j];
        let best = (1..20).fold(0, |best, k| if term(k) > term(best) { k } else { best });
        left[i * 20 + best] += w[i * 17 + j];
        right[best * 17 + j] += w[i * 17 + j];
    }
    let near = |found: Vec<f64>, expected: Vec<f64>| {
        let mut pairs = found.iter().zip(&expected);
        pairs.all(|(x, y)| (x - y).abs() < 1e-9)
    };
    assert!(near(of_x.to_vec(), left) && near(of_y.to_vec(), right));
    type Results = (Scalar, (Matrix<f64>, Matrix<f64>));
    let expected = column::<Results>(program.interpret(inputs()).unwrap());
    let found = column::<Results>(program.run(&Cpu::default(), inputs()).unwrap());
    assert_eq!(compare(&expected, &found, 1.0), None);
}
