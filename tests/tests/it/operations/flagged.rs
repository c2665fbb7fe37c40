//! Scans that start again where a flag says so, of all lengths and in both directions, against plain Rust, on one thread and on several.

use super::vector;
use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use std::fmt::Debug;

/// Where flags are, by the position.
const FLAGS: [fn(usize) -> bool; 5] = [
    |_| false,
    |_| true,
    |i| i % 7 == 3,
    |i| i == 5000,
    |i| (i * i / 3) % 211 < 2,
];

const SIZES: [usize; 10] = [0, 1, 2, 63, 64, 65, 1000, 8192, 8193, 30_000];

fn flags(n: usize, of: fn(usize) -> bool) -> Vec<bool> {
    (0..n).map(of).collect()
}

/// All that comes up to each element, from the left, since the last flag; after `init`, where there is one.
fn scanned<T: Copy>(flags: &[bool], x: &[T], f: impl Fn(T, T) -> T, init: Option<T>) -> Vec<T> {
    let mut state = init;
    let each = flags.iter().zip(x).map(|(&flag, &x)| {
        let next = state.filter(|_| !flag).map_or(x, |state| f(state, x));
        state = Some(next);
        next
    });
    each.collect()
}

fn reversed<T: Copy>(x: &[T]) -> Vec<T> {
    x.iter().rev().copied().collect()
}

fn engines() -> [Cpu; 2] {
    [1, 3].map(|threads| Cpu::builder().threads(threads).build().unwrap())
}

/// One primitive on one type of elements, in both directions.
fn check<T: Num + PartialEq + Debug>(
    of: fn(usize) -> T,
    op: fn(Exp<T>, Exp<T>) -> Exp<T>,
    plain: fn(T, T) -> T,
) {
    let left = compile(move |flags: Acc<Ix1, bool>, x: Acc<Ix1, T>| {
        let pairs: Acc<Ix1, (bool, T)> = flags.zip(x);
        let all = pairs.scanl1(move |(f, x), (g, y)| (f.or(g), cond::<T>(g, y, op(x, y))));
        let after = pairs.scanl((false, x.at(ix![0])), move |(f, x), (g, y)| {
            (f.or(g), cond::<T>(g, y, op(x, y)))
        });
        (all.unzip().1, after.unzip().1)
    })
    .unwrap();
    let right = compile(move |flags: Acc<Ix1, bool>, x: Acc<Ix1, T>| {
        let pairs: Acc<Ix1, (bool, T)> = flags.zip(x);
        let all = pairs.scanr1(move |(f, x), (g, y)| (f.or(g), cond::<T>(f, x, op(x, y))));
        all.unzip().1
    })
    .unwrap();
    for (n, flag) in SIZES.into_iter().flat_map(|n| FLAGS.map(|flag| (n, flag))) {
        let x: Vec<T> = (0..n).map(of).collect();
        let flags = flags(n, flag);
        let inputs = (vector(flags.clone()), vector(x.clone()));
        let from_left = scanned(&flags, &x, plain, None);
        let from_right = scanned(&reversed(&flags), &reversed(&x), |x, y| plain(y, x), None);
        for engine in engines() {
            let found = right.run(&engine, inputs.clone()).unwrap().to_vec();
            assert_eq!(found, reversed(&from_right), "{n} from the right");
            if n > 0 {
                let (all, after) = left.run(&engine, inputs.clone()).unwrap();
                assert_eq!(all.to_vec(), from_left, "{n} from the left");
                let expected = scanned(&flags, &x, plain, Some(x[0]));
                assert_eq!(after.to_vec()[1..], expected, "{n} after the first");
            }
        }
    }
}

macro_rules! types {
    ($($ty:ident)*) => {$(
        check::<$ty>(|i| (i % 13) as $ty, |x, y| x + y, |x, y| x + y);
        check::<$ty>(|i| (i * 5 % 17) as $ty, |x, y| x.max(y), |x, y| if x >= y { x } else { y });
        check::<$ty>(|i| (i * 5 % 17) as $ty, |x, y| x.min(y), |x, y| if x <= y { x } else { y });
        check::<$ty>(|i| [1, 1, 2, 1, 0, 1][i % 6] as $ty, |x, y| x * y, |x, y| x * y);
    )*};
}

#[test]
fn scans_by_primitives() {
    types!(f64 f32 i32 i64 u32);
}

/// Several values, and flags that are read, which no loops are for; and an operator that looks at the other flag.
#[test]
fn scans_of_several_values() {
    type Three = (bool, f64, i32);
    let n = 20_000;
    let program = compile(|flags: Acc<Ix1, bool>, x: Acc<Ix1, f64>| {
        let all: Acc<Ix1, Three> = flags.zip_with(x, |f, x| (f, x, x.to::<i32>()));
        let both = all.scanl1(|(f, x, a), (g, y, b)| {
            (
                f.or(g),
                cond::<f64>(g, y, x + y),
                cond::<i32>(g, b, a.max(b)),
            )
        });
        let (seen, sums, most) = both.unzip3();
        let pairs: Acc<Ix1, (bool, f64)> = flags.zip(x);
        let late = pairs.scanr1(|(f, x), (g, y)| (f.or(g), cond::<f64>(g, y, x + y)));
        (seen, sums, most, late.unzip().1)
    })
    .unwrap();
    let x: Vec<f64> = (0..n).map(|i| (i % 11) as f64).collect();
    let flags = flags(n, FLAGS[4]);
    let sums = scanned(&flags, &x, |x, y| x + y, None);
    let most = scanned(&flags, &x, f64::max, None);
    let inputs = (vector(flags.clone()), vector(x));
    let by_reference = program.interpret(inputs.clone()).unwrap();
    for engine in engines() {
        let found = program.run(&engine, inputs.clone()).unwrap();
        assert_eq!(found.0.to_vec(), by_reference.0.to_vec());
        assert_eq!(found.1.to_vec(), sums);
        assert_eq!(
            found.2.to_vec(),
            most.iter().map(|x| *x as i32).collect::<Vec<_>>()
        );
        assert_eq!(found.3.to_vec(), by_reference.3.to_vec());
    }
}

/// Sums of many rows, each a chunk of its own, and the same bits whatever the number of threads.
#[test]
fn rows_and_threads() {
    let program = compile(|flags: Acc<Ix2, bool>, x: Acc<Ix2, f64>| {
        let pairs: Acc<Ix2, (bool, f64)> = flags.zip(x);
        let all = pairs.scanl1(|(f, x), (g, y)| (f.or(g), cond::<f64>(g, y, x + y)));
        all.unzip().1
    })
    .unwrap();
    for [rows, n] in [[40, 100], [3, 20_000], [17, 9000], [5, 0]] {
        let x: Vec<f64> = (0..rows * n).map(|i| (i as f64).sin()).collect();
        let flag = flags(rows * n, FLAGS[4]);
        let inputs = (
            Array::<Ix2, bool>::from_vec([rows, n], flag).unwrap(),
            Array::<Ix2, f64>::from_vec([rows, n], x).unwrap(),
        );
        let expected = program.interpret(inputs.clone()).unwrap().to_vec();
        let [one, several] = engines().map(|e| program.run(&e, inputs.clone()).unwrap().to_vec());
        assert_eq!(one, several);
        for (found, expected) in one.iter().zip(&expected) {
            assert!((found - expected).abs() <= 1e-11, "{found} {expected}");
        }
    }
}
