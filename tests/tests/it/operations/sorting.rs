//! Sorting of numbers of all types along rows, and its derivatives. Long vectors are sorted in `library.rs`.

use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use cotangent_tests::differences::all_agree;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

#[test]
fn rows() {
    let m = || matrix([[3.0, 1.0, 2.0], [-1.0, f64::INFINITY, -1.0]]);
    let sorted = matrix([[1.0, 2.0, 3.0], [-1.0, -1.0, f64::INFINITY]]);
    gives(|m: Matrix| m.sort(), m(), sorted);
    gives(|m: Matrix| m.argsort(), m(), matrix([[1, 2, 0], [0, 2, 1]]));
    let greatest = (matrix([[3.0], [f64::INFINITY]]), matrix([[0], [1]]));
    gives(|m: Matrix| m.top_k(1), m(), greatest);
    gives(
        |m: Matrix| m.sort(),
        matrix::<f64, 0, 2>([]),
        matrix::<f64, 0, 2>([]),
    );
    gives(|m: Matrix| m.sort(), matrix([[], []]), matrix([[], []]));
    let cube = |values: Vec<i32>| Array::<Ix3, _>::from_vec([2, 1, 3], values).unwrap();
    let f = |m: Acc<Ix3, i32>| m.sort();
    gives(
        f,
        cube(vec![3, 2, 1, 9, 9, -4]),
        cube(vec![1, 2, 3, -4, 9, 9]),
    );
}

/// Extents are those of what is sorted, so that each row of a loop may be.
#[test]
fn rows_of_a_loop() {
    let m = || matrix([[3.0, 1.0, 2.0], [-1.0, 4.0, -1.0]]);
    let sorted = || matrix([[1.0, 2.0, 3.0], [-1.0, -1.0, 4.0]]);
    gives(|m: Matrix| vmap(|r: Vector| r.sort(), m), m(), sorted());
    gives(
        |m: Matrix| vmap(|r: Vector| r.sort_by_key(|x| x * x), m),
        m(),
        matrix([[1.0, 2.0, 3.0], [-1.0, -1.0, 4.0]]),
    );
    gives(
        |m: Matrix| vmap(|r: Vector| (r.argsort(), r.top_k(2).0), m),
        m(),
        (
            matrix([[1, 2, 0], [0, 2, 1]]),
            matrix([[3.0, 2.0], [4.0, -1.0]]),
        ),
    );
    let weighted = |m: Matrix| vmap(|r: Vector| r.sort() * r, m).sum_all();
    // Without ties, where the order is about to change.
    all_agree(weighted, matrix([[3.0, 1.0, 2.0], [-1.0, 4.0, -2.0]]));
}

#[test]
fn numbers_of_all_types() {
    gives(
        |v: Acc<Ix1, u32>| v.sort(),
        vector([u32::MAX, 0, 7]),
        vector([0, 7, u32::MAX]),
    );
    gives(
        |v: Acc<Ix1, i64>| v.sort(),
        vector([i64::MAX, 0, i64::MIN]),
        vector([i64::MIN, 0, i64::MAX]),
    );
    gives(
        |v: Acc<Ix1, i32>| v.top_k(2).0,
        vector([i32::MIN, -1, -2]),
        vector([-1, -2]),
    );
    gives(
        |v: Acc<Ix1, f32>| v.sort(),
        vector([0.5f32, -0.5, f32::MIN]),
        vector([f32::MIN, -0.5, 0.5]),
    );
    let half = cotangent::f16::from_f32;
    let halves = [half(2.0), half(-1.0), half(0.25)];
    let sorted = vector([half(-1.0), half(0.25), half(2.0)]);
    gives(
        |v: Acc<Ix1, cotangent::f16>| v.sort(),
        vector(halves),
        sorted,
    );
}

/// NaN is greater than all numbers, and zeros of either sign are equal.
#[test]
fn nan_and_zeros() {
    let nan = f64::NAN;
    let v = || vector([nan, 1.0, f64::INFINITY, nan, -2.0]);
    gives(|v: Vector| v.argsort(), v(), vector([4, 1, 2, 0, 3]));
    gives(|v: Vector| v.top_k(3).1, v(), vector([0, 3, 2]));
    gives(
        |v: Vector| v.argsort(),
        vector([0.0, -0.0, 0.0]),
        vector([0, 1, 2]),
    );
}

#[test]
fn more_than_there_are() {
    let f = |v: Acc<Ix1, i32>, k: Acc<Z, i32>| v.top_k(k.the());
    let all = (vector([3, 1]), vector([1, 0]));
    gives(f, (vector([1, 3]), Array::scalar(9)), all);
    gives(
        f,
        (vector([1, 3]), Array::scalar(-1)),
        (vector([]), vector([])),
    );
}

/// Whole elements go with their keys.
#[test]
fn structures_by_keys() {
    let f = |v: Acc<Ix1, (bool, [f64; 2])>| v.sort_by_key(|(_, [x, y])| x * y);
    let (a, b, c) = ((true, [1.0, 3.0]), (false, [2.0, 1.0]), (true, [2.0, 1.0]));
    gives(f, vector([a, b, c]), vector([b, c, a]));
}

/// A median, and a mean of the greatest: derivatives go to where the elements came from.
#[test]
fn derivatives() {
    let x = || vector([0.5, 3.0, -1.0, 2.0, 1.5]);
    let median = |x: Vector| x.sort().slice(ix![2]);
    let gradient = compile(move |x: Vector| gradient_a(median, x)).unwrap();
    let found = gradient.run(&Cpu::default(), x()).unwrap();
    assert_eq!(found.to_vec(), [0.0, 0.0, 0.0, 0.0, 1.0]);
    let greatest = |x: Vector| {
        let (values, _) = (x * x).top_k(3);
        (values * values).sum()
    };
    all_agree(greatest, x());
    let weighted =
        |m: Matrix| (m.sort() * iota(3).map(|i| i.to::<f64>()).broadcast(m.shape())).sum_all();
    all_agree(weighted, matrix([[0.5, 3.0, -1.0], [4.0, 1.0, 2.0]]));
}

/// Positions by keys, as the standard library has them, which sorts stably.
fn expected<T: Copy>(keys: &[T], is_less: impl Fn(T, T) -> bool) -> Vec<i32> {
    let mut positions: Vec<i32> = (0..keys.len() as i32).collect();
    positions.sort_by(|&i, &j| {
        let (x, y) = (keys[i as usize], keys[j as usize]);
        is_less(y, x).cmp(&is_less(x, y))
    });
    positions
}

fn is_less(x: f64, y: f64) -> bool {
    x < y || (y.is_nan() && !x.is_nan())
}

/// Numbers without much order.
fn scattered(n: u64) -> impl Iterator<Item = u64> {
    (0..n).map(|i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7)
}

/// Rows that one thread sorts, and rows that several do; of keys that differ in their first digits, in the last ones alone, or in none.
#[test]
fn long_rows() {
    let kinds: [fn(u64) -> f64; 5] = [
        |k| (k as f64).sin(),
        |k| f64::from_bits(1.5f64.to_bits() + k % 1000),
        |k| [0.0, -0.0, 1.0, f64::NAN, f64::NEG_INFINITY][(k % 5) as usize],
        |k| -f64::from_bits(((k % 7) << 40) | (k % 3)),
        |_| 2.5,
    ];
    let both = |v: Vector| (v.argsort(), v.top_k(v.size()).1);
    let both = compile(both).unwrap();
    for n in [300, 40_000] {
        for (which, kind) in kinds.iter().enumerate() {
            let keys: Vec<f64> = scattered(n).map(kind).collect();
            let up = expected(&keys, is_less);
            let down = expected(&keys, |x, y| is_less(y, x));
            for threads in [1, 3] {
                let cpu = Cpu::builder().threads(threads).build().unwrap();
                let (rising, falling) = both.run(&cpu, vector(keys.clone())).unwrap();
                assert_eq!(rising.to_vec(), up, "{n} keys of kind {which}");
                assert_eq!(falling.to_vec(), down, "{n} keys of kind {which}");
            }
        }
    }
}

#[test]
fn long_rows_of_integers() {
    let keys: Vec<i64> = scattered(40_000).map(|k| (k % 50) as i64 - 25).collect();
    let sort = compile(|v: Acc<Ix1, i64>| v.argsort()).unwrap();
    let found = sort.run(&Cpu::default(), vector(keys.clone())).unwrap();
    assert_eq!(found.to_vec(), expected(&keys, |x, y| x < y));
    let keys: Vec<i32> = scattered(40_000).map(|k| k as i32).collect();
    let sort = compile(|v: Acc<Ix1, i32>| v.argsort()).unwrap();
    let found = sort.run(&Cpu::default(), vector(keys.clone())).unwrap();
    assert_eq!(found.to_vec(), expected(&keys, |x, y| x < y));
}

#[test]
fn many_rows() {
    let keys: Vec<f64> = scattered(500 * 37).map(|k| (k % 100) as f64).collect();
    let rows = keys.chunks(37).flat_map(|row| expected(row, is_less));
    let rows: Vec<_> = rows.collect();
    let input = Array::<Ix2, f64>::from_vec([500, 37], keys.clone()).unwrap();
    for threads in [1, 3] {
        let cpu = Cpu::builder().threads(threads).build().unwrap();
        let sort = compile(|m: Matrix| m.argsort()).unwrap();
        assert_eq!(sort.run(&cpu, input.clone()).unwrap().to_vec(), rows);
    }
}

/// Keys are computed where they are sorted, and positions written where they are read from: side by side with others.
#[test]
fn keys_and_positions_take_no_memory_of_their_own() {
    let f = |v: Vector| {
        let by_square = v.map(|x| x * x).argsort();
        v.argsort().append(by_square)
    };
    let program = compile(f).unwrap();
    let kernels = program.explain().unwrap().kernels;
    assert_eq!(kernels.len(), 2, "{kernels:?}");
    gives(f, vector([1.0, -3.0, 2.0]), vector([1, 0, 2, 0, 2, 1]));
}

/// A key out of range is told, on every engine, with its line; and not where nothing is sorted.
#[test]
fn keys_that_fail() {
    let f = |(v, at): (Vector, Acc<Ix1, i32>)| at.sort_by_key(|i| v.at(ix![i]));
    gives(
        f,
        (vector([3.0, 1.0, 2.0]), vector([0, 1, 2])),
        vector([1, 2, 0]),
    );
    let inputs = || (vector([3.0, 1.0, 2.0]), vector([0, 3, 2]));
    let error = compile(f)
        .unwrap()
        .run(&Cpu::default(), inputs())
        .unwrap_err();
    let text = error.to_string();
    assert!(text.contains("sorting.rs"), "{text}");
    let empty = Array::vector(Vec::<i32>::new()).unwrap();
    gives(f, (vector([3.0, 1.0, 2.0]), empty.clone()), empty);
}

/// Long enough for all threads to sort it together: with keys that are alike in their first digits, or altogether, across the parts that
/// threads take.
#[test]
fn long_rows_by_several_threads() {
    type Key = fn(u64) -> f64;
    let keys: [Key; 4] = [
        |k| (k as f64).sin(),
        |k| (k % 7) as f64,
        |_| 2.0,
        |k| f64::from_bits(1.5f64.to_bits() + k % 1000),
    ];
    let up = compile(|v: Vector| (v.sort(), v.argsort())).unwrap();
    let singles = compile(|v: Acc<Ix1, f32>| v.argsort()).unwrap();
    for (key, n) in keys.into_iter().zip([40_000, 100_000, 50_000, 70_000]) {
        let mixed = |k: u64| k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let x: Vec<f64> = (0..n as u64).map(|k| key(mixed(k))).collect();
        let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
        let mut positions: Vec<i32> = (0..n).collect();
        positions.sort_by(|&i, &j| x[i as usize].total_cmp(&x[j as usize]));
        let sorted: Vec<f64> = positions.iter().map(|&i| x[i as usize]).collect();
        let mut of_narrow: Vec<i32> = (0..n).collect();
        of_narrow.sort_by(|&i, &j| narrow[i as usize].total_cmp(&narrow[j as usize]));
        for threads in [1, 2, 3] {
            let cpu = Cpu::builder().threads(threads).build().unwrap();
            let (found, order) = up.run(&cpu, vector(x.clone())).unwrap();
            assert!(found.to_vec() == sorted, "{n} on {threads} threads");
            assert!(
                order.to_vec() == positions,
                "positions of {n} on {threads} threads"
            );
            let order = singles.run(&cpu, vector(narrow.clone())).unwrap();
            assert!(order.to_vec() == of_narrow, "{n} singles");
        }
    }
}
