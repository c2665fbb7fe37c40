//! Folds of segments, long and short, of rows and of vectors: an operation of its own where each component has a primitive for
//! operator, and else a scan.

use super::{agrees, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, Error, Native, compile};
use cotangent_core::backend::RunError;
use cotangent_tests::differences::all_agree;

type V<T> = Acc<Ix1, T>;

/// By bytecode, and by machine code; on one thread, and on several.
fn cpus() -> [Cpu; 3] {
    let ways = [(Native::Off, 3), (Native::AtOnce, 1), (Native::AtOnce, 3)];
    ways.map(|(native, threads)| {
        let cpu = Cpu::builder().native(native).threads(threads);
        cpu.build().unwrap()
    })
}

/// The CPU takes in elements by chunks of 16384, and by blocks of 8192 or fewer: segments of one, that end where these end, and that go on
/// for several.
fn lengths() -> Vec<Vec<i32>> {
    let mixed = (0..3000).map(|i| if i % 500 == 7 { 9000 } else { i % 9 - 2 });
    vec![
        vec![],
        vec![0; 5],
        vec![-3, 0, 1, 0, -1, 2, 0],
        vec![0, 8192, 0, 8192, 16384, 0, 1, 0],
        vec![1, 16383, 16385, 31, 32, 33, 64, 0],
        vec![100_000],
        vec![5, 70_000, 0, 20_000, 3],
        vec![3; 30_000],
        mixed.collect(),
    ]
}

fn total(lengths: &[i32]) -> usize {
    lengths.iter().map(|&length| length.max(0) as usize).sum()
}

/// What a fold of each segment of a row gives.
fn of_each<T: Clone, R>(row: &[T], lengths: &[i32], fold: impl Fn(&[T]) -> R) -> Vec<R> {
    let mut rest = row;
    let mut each = |length: &i32| {
        let (segment, others) = rest.split_at((*length).max(0) as usize);
        rest = others;
        fold(segment)
    };
    lengths.iter().map(&mut each).collect()
}

/// Eighths, sums of which are exact.
fn eighths(n: usize) -> Vec<f64> {
    let number = |k: usize| (k.wrapping_mul(0x9e37_79b9) % 1000) as f64 / 8.0;
    (0..n).map(number).collect()
}

#[test]
fn sums_of_what_is_there_and_of_what_is_computed() {
    let plain = compile(|v: V<f64>, lengths: V<i32>| v.sum_segments(lengths)).unwrap();
    let computed = compile(|v: V<f64>, lengths: V<i32>| {
        (v * v + 1.0).fold_segments(0.5, |x, y| x + y, lengths * 2)
    });
    let computed = computed.unwrap();
    for lengths in lengths() {
        let v = eighths(2 * total(&lengths) + 10);
        let of_all = of_each(&v, &lengths, |x| x.iter().sum::<f64>());
        let twice: Vec<_> = lengths.iter().map(|length| 2 * length).collect();
        let of_squares = of_each(&v, &twice, |x| {
            0.5 + x.iter().map(|x| x * x + 1.0).sum::<f64>()
        });
        for cpu in cpus() {
            let input = || (vector::<f64>(v.clone()), vector::<i32>(lengths.clone()));
            let found = plain.run(&cpu, input()).unwrap();
            assert!(found.to_vec() == of_all, "{cpu:?}");
            let found = computed.run(&cpu, input()).unwrap();
            assert!(found.to_vec() == of_squares, "{cpu:?}");
        }
    }
}

/// Several components, of types whose sums are wider, and such as have other operators.
#[test]
fn components_of_all_kinds() {
    type Tuple = (f32, i8, bool, f64);
    let program = compile(|v: V<Tuple>, lengths: V<i32>| {
        v.fold_segments(
            (0.0, 1, false, f64::NEG_INFINITY),
            |(a, b, c, d), (w, x, y, z)| (a + w, b * x, c.or(y), d.max(z)),
            lengths,
        )
    });
    let program = program.unwrap();
    for lengths in lengths() {
        let number = |i: usize| {
            let small = (i * 7 % 11) as f64 - 4.0;
            (0.1 * small as f32, small as i8 | 1, i % 50 == 3, small)
        };
        let v: Vec<Tuple> = (0..total(&lengths)).map(number).collect();
        let expected = of_each(&v, &lengths, |x| {
            let sum: f64 = x.iter().map(|x| f64::from(x.0)).sum();
            let product = x.iter().fold(1i8, |p, x| p.wrapping_mul(x.1));
            let most = x.iter().map(|x| x.3).fold(f64::NEG_INFINITY, f64::max);
            (sum as f32, product, x.iter().any(|x| x.2), most)
        });
        for cpu in cpus() {
            let input = (vector::<Tuple>(v.clone()), vector::<i32>(lengths.clone()));
            let found = program.run(&cpu, input).unwrap().to_vec();
            let same = |(x, y): (&Tuple, &Tuple)| {
                (x.0 - y.0).abs() <= 1e-7 * y.0.abs() && (x.1, x.2, x.3) == (y.1, y.2, y.3)
            };
            let are_same = found.iter().zip(&expected).all(same);
            assert!(found.len() == expected.len() && are_same, "{cpu:?}");
        }
    }
}

/// All rows have the same segments.
#[test]
fn rows() {
    let program = compile(|m: Acc<Ix3, f64>, lengths: V<i32>| m.sum_segments(lengths)).unwrap();
    for lengths in lengths().into_iter().chain([vec![2, 1]]) {
        let n = total(&lengths) + 1;
        for [planes, rows] in [[0, 3], [1, 1], [2, 3]] {
            let m = eighths(planes * rows * n);
            let of_row = |row| of_each(row, &lengths, |x| x.iter().sum::<f64>());
            let expected: Vec<_> = m.chunks(n).flat_map(of_row).collect();
            let m = Array::<Ix3, _>::from_vec([planes, rows, n], m).unwrap();
            for cpu in cpus() {
                let input = (m.clone(), vector::<i32>(lengths.clone()));
                let found = program.run(&cpu, input).unwrap();
                assert_eq!(found.shape(), [planes, rows, lengths.len()]);
                assert!(found.to_vec() == expected, "{cpu:?}");
            }
        }
    }
}

/// The operator of maps does not commute, and has no loops.
#[test]
fn other_operators_in_every_engine() {
    let lengths = [3, 0, 40, -2, 7, 100];
    let v: Vec<i32> = (0..151).map(|i| i * 37 % 19 - 9).collect();
    let f = |v: V<i32>, lengths: V<i32>| {
        let pairs: V<(i32, i32)> = v.map(|x| (x, x + 1));
        let after = |(a, b), (c, d)| (a * c, a * d + b);
        let maps = pairs.fold_segments((1, 0), after, lengths);
        (maps, v.fold_segments(i32::MIN, |x, y| x.max(y), lengths))
    };
    agrees(f, vec![v.into(), lengths.to_vec().into()]);
}

#[test]
fn sums_in_every_engine() {
    for lengths in [vec![], vec![0, 0], vec![4; 30], vec![90, 0, -1, 30]] {
        let v: Vec<f32> = (0..total(&lengths)).map(|i| (i % 17) as f32).collect();
        let f = |v: V<f32>, lengths: V<i32>| v.map(|x| x + 1.0).sum_segments(lengths);
        agrees(f, vec![v.into(), lengths.into()]);
    }
}

/// A segment that is too long is told of with its line, and its last position; so is one whose end is beyond all numbers.
#[test]
fn too_long() {
    let program = compile(|v: V<f64>, lengths: V<i32>| v.sum_segments(lengths)).unwrap();
    let cases = [
        (vec![2, 0, 9, 1], 10),
        (vec![i32::MAX, i32::MAX, 5], i64::from(i32::MAX) - 1),
        (vec![4, i32::MAX], i64::from(i32::MIN) + 2),
    ];
    for (lengths, last) in cases {
        let input = || (vector::<f64>([0.5; 10]), vector::<i32>(lengths.clone()));
        let found = cpus().map(|cpu| program.run(&cpu, input()).unwrap_err());
        for error in found
            .into_iter()
            .chain([program.interpret(input()).unwrap_err()])
        {
            let Error::Run(RunError::IndexOutOfRange {
                site,
                index,
                extents,
                ..
            }) = error
            else {
                panic!("{error}");
            };
            assert_eq!((index, extents), (vec![last], vec![10]));
            assert_eq!(site.construct, "fold_segments");
            assert!(site.loc.to_string().contains("ranges.rs"), "{site}");
        }
    }
}

#[test]
fn derivatives() {
    let lengths = [2, 0, 3, -1, 1];
    let x = || vector([0.5, -1.0, 0.25, 1.5, 0.75, 2.0]);
    let sums = move |v: V<f64>| {
        let sums = v.map(|x| x * x).sum_segments(use_(&vector(lengths)));
        (sums * sums).sum()
    };
    all_agree(sums, x());
    let products = move |v: V<f64>| {
        let first = v.at(ix![0]) + 2.0;
        let products = v.fold_segments(first, |a, b| a * b, use_(&vector(lengths)));
        products.map(|x| x.sin()).sum()
    };
    all_agree(products, x());
    let rows = move |v: V<f64>| {
        let m: Acc<Ix2, f64> = v.append(v * 2.0).reshape(ix![2, 6]);
        let most = m.fold_segments(-9.0, |a, b| a.max(b), use_(&vector(lengths)));
        (most * most).sum_all()
    };
    all_agree(rows, x());
    let twice = move |v: V<f64>| {
        let sums = |v: V<f64>| {
            let sums = v.map(|x| x.exp()).sum_segments(use_(&vector(lengths)));
            (sums * sums).sum()
        };
        gradient_a(sums, v).map(|x| x * x).sum()
    };
    all_agree(twice, x());
}

/// One kernel adds up, with what it adds up computed inside, and one says where segments start; other operators take more.
#[test]
fn kernels() {
    let sums = compile(|v: V<f64>, lengths: V<i32>| (v * 2.0).sum_segments(lengths)).unwrap();
    let text = sums.explain().unwrap().to_string();
    assert!(text.contains("segments"), "{text}");
    assert_eq!(sums.explain().unwrap().kernels.len(), 2, "{text}");
    let last = compile(|v: V<f64>, lengths: V<i32>| v.fold_segments(0.0, |_, y| y, lengths));
    assert!(last.unwrap().explain().unwrap().kernels.len() > 2);
}
