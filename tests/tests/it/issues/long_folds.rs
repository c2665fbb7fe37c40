//! A fold over steps was cut into parts, the last of which could be empty: what its memory happened to hold was
//! added to the result. Found by GMM with 10,000 points.

use cotangent::prelude::*;
use cotangent::{Cpu, compile};

#[test]
fn sums_of_long_columns() {
    let sums = compile(|a: Acc<Ix2, f64>| a.transpose().sum()).unwrap();
    for (n, k) in [(5000, 25), (7001, 64), (8193, 25), (10_000, 3), (65_537, 1)] {
        let values: Vec<f64> = (0..n * k).map(|i| ((i * 7919) % 1000) as f64).collect();
        let column = |j: usize| values.iter().skip(j).step_by(k).sum::<f64>();
        let expected: Vec<f64> = (0..k).map(column).collect();
        let matrix = Array::from_vec([n, k], values.clone()).unwrap();
        for threads in [1, 2] {
            let cpu = Cpu::builder().threads(threads).build().unwrap();
            let found = sums.run(&cpu, matrix.clone()).unwrap().to_vec();
            assert_eq!(found, expected, "{n} rows, {k} columns, {threads} threads");
        }
    }
}

/// Products of complex numbers near the unit circle, by folds and scans both ways, are the same to the bit whatever the number of threads,
/// and near what one after the other gives.
#[test]
fn pairs_by_any_number_of_threads() {
    type X = Exp<f64>;
    let times = |(a, b): (X, X), (c, d): (X, X)| (a * c - b * d, a * d + b * c);
    let program = compile(move |m: Acc<Ix2, f64>| {
        let pairs = m.map(|x| (x.cos(), x.sin()));
        let alone = pairs.slice(ix![0, All]);
        let of_one = (
            alone.scanl1(times),
            alone.scanr((0.6, 0.8), times),
            alone.fold1(times),
        );
        (of_one, pairs.scanl((1.0, 0.0), times), pairs.fold1(times))
    });
    let program = program.unwrap();
    for (rows, n) in [(1, 4096), (1, 4097), (2, 9000), (1, 50_001), (20, 5000)] {
        let angle = |i: usize| ((i * 7919) % 1000) as f64 * 1e-3;
        let angles: Vec<f64> = (0..rows * n).map(angle).collect();
        let input = Array::from_vec([rows, n], angles.clone()).unwrap();
        let run = |threads: usize| {
            let cpu = Cpu::builder().threads(threads).build().unwrap();
            program.run(&cpu, input.clone()).unwrap()
        };
        let ((left, right, all), ..) = run(1);
        let (lefts, rights) = (left.to_vec(), right.to_vec());
        let (mut sum, mut back) = (0.0, 0.0);
        for i in 0..n {
            sum += angles[i];
            let (re, im) = lefts[i];
            assert!(
                (re - sum.cos()).abs() + (im - sum.sin()).abs() < 1e-9,
                "{n}: {i}"
            );
            if i % 997 == 0 {
                back = angles[i..n].iter().sum::<f64>() + 0.8f64.atan2(0.6);
                let (re, im) = rights[i];
                assert!(
                    (re - back.cos()).abs() + (im - back.sin()).abs() < 1e-9,
                    "{n}: {i}"
                );
            }
        }
        assert!(back != 0.0 && (all.item().0 - sum.cos()).abs() < 1e-9);
        for threads in [2, 3, 7] {
            assert_eq!(run(threads), run(1), "{rows} × {n}, {threads} threads");
        }
    }
}

/// Other kernels over enough elements to be shared out among threads, in sizes that are no multiple of anything.
#[test]
fn long_maps_scans_and_scatters() {
    let n = 300_007;
    let program = compile(|a: Acc<Ix1, i64>| {
        let ix![n] = a.shape();
        let zeros = fill(ix![97], constant(0i64));
        let counts = a.permute_into_residues(zeros);
        (
            a.map(|x| x * 3 - 1),
            a.scanl(0i64, |x, y| x + y),
            counts,
            a.reshape(ix![n]).maximum(),
        )
    })
    .unwrap();
    let values: Vec<i64> = (0..n as i64).map(|i| (i * 7919) % 1001).collect();
    let cpu = Cpu::builder().threads(2).build().unwrap();
    let input = Array::vector(values.clone()).unwrap();
    let (tripled, scanned, counts, maximum) = program.run(&cpu, input).unwrap();
    assert_eq!(
        tripled.to_vec(),
        values.iter().map(|x| x * 3 - 1).collect::<Vec<_>>()
    );
    let mut total = 0;
    let sums = values.iter().map(|x| {
        total += x;
        total
    });
    assert_eq!(
        scanned.to_vec(),
        std::iter::once(0).chain(sums).collect::<Vec<_>>()
    );
    let mut residues = vec![0; 97];
    values
        .iter()
        .enumerate()
        .for_each(|(i, x)| residues[i % 97] += x);
    assert_eq!(counts.to_vec(), residues);
    assert_eq!(maximum.to_vec(), [1000]);
}

/// Adds each element to the target of its position modulo 97.
trait Residues {
    fn permute_into_residues(self, targets: Self) -> Self;
}

impl Residues for Acc<Ix1, i64> {
    fn permute_into_residues(self, targets: Self) -> Self {
        self.permute(Combine::Add, targets, |ix![i]| {
            (constant(true), ix![i % 97])
        })
    }
}
