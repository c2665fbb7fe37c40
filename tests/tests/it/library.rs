//! The operations that are programs of others, of vectors from none to many elements, against plain Rust: in the interpreter where there are few,
//! on the CPU with one, two and three threads, and on a GPU where there is one.

use cotangent::prelude::*;
use cotangent::{Cpu, Program, compile};
use cotangent_backend_gpu::Gpu;

type Ints = Acc<Ix1, i32>;
type Host = Array<Ix1, i32>;

/// From none to some blocks of a scan.
const SIZES: [usize; 7] = [0, 1, 2, 7, 64, 1000, 70_001];

/// How many elements the interpreter is given.
const FEW: usize = 1000;

/// Numbers from −50 to 49, or from 0 on.
fn numbers(n: usize, least: i32) -> Vec<i32> {
    let mut state = 12_345_u64 + n as u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) as i32 % 100
    };
    (0..n).map(|_| next() - 50).map(|x| x.max(least)).collect()
}

/// What all engines give; they have to agree.
fn run(program: &Program<Ints, Ints>, gpu: Option<&Gpu>, x: &[i32]) -> Vec<i32> {
    let input = || Host::vector(x.to_vec()).unwrap();
    let mut found = vec![];
    if x.len() <= FEW {
        found.push(program.interpret(input()).unwrap().to_vec());
    }
    for threads in 1..4 {
        let cpu = Cpu::builder().threads(threads).build().unwrap();
        found.push(program.run(&cpu, input()).unwrap().to_vec());
    }
    if let Some(gpu) = gpu {
        found.push(program.run(gpu, input()).unwrap().to_vec());
    }
    let first = found[0].clone();
    assert!(found.iter().all(|other| *other == first), "{found:?}");
    first
}

/// Checks a program against plain Rust at all sizes from `least` on.
#[track_caller]
fn check(least: usize, f: impl Fn(Ints) -> Ints, plain: impl Fn(&[i32]) -> Vec<i32>, lowest: i32) {
    let gpu = Gpu::open(None).ok();
    let program = compile(f).unwrap();
    for n in SIZES.into_iter().filter(|&n| n >= least) {
        let x = numbers(n, lowest);
        let found = run(&program, gpu.as_ref(), &x);
        assert!(found == plain(&x), "{n} elements");
    }
}

#[test]
fn elements_are_chosen() {
    check(
        0,
        |x| x.filter(|x| x.gt(10)),
        |x| x.iter().copied().filter(|&x| x > 10).collect(),
        -50,
    );
    check(
        0,
        |x| {
            let (odd, even) = x.partition(|x| (x & 1).eq_(1));
            even.append(odd)
        },
        |x| {
            let mut all = x.to_vec();
            all.sort_by_key(|x| x & 1);
            all
        },
        -50,
    );
}

#[test]
fn elements_are_repeated() {
    let plain = |x: &[i32]| {
        let of = |&x: &i32| (0..x % 4).map(move |k| 7 * x + k);
        x.iter().flat_map(of).collect()
    };
    check(0, |x| x.expand(|x| x % 4, |x, k| 7 * x + k), plain, 0);
}

#[test]
fn segments_are_folded() {
    // The lengths are the first half, as far as the other elements go.
    let segments = |x: Ints| {
        let half = x.size() / 2;
        let (lengths, values) = (x.take(half), x.drop(half));
        let lengths = lengths.map(|n| (n & 3) / 3 * 2);
        (lengths, values)
    };
    let plain = |x: &[i32], scan: bool| -> Vec<i32> {
        let (lengths, mut values) = x.split_at(x.len() / 2);
        let (mut folds, mut scans) = (vec![], vec![]);
        for length in lengths.iter().map(|n| (n & 3) / 3 * 2) {
            let (segment, rest) = values.split_at((length as usize).min(values.len()));
            values = rest;
            folds.push(segment.iter().fold(1, |a: i32, &b| a.wrapping_add(b)));
            let mut sum = 0_i32;
            scans.extend(segment.iter().map(|x| {
                sum = sum.wrapping_add(*x);
                sum
            }));
        }
        let mut sum = scans
            .last()
            .copied()
            .filter(|_| !lengths.is_empty())
            .unwrap_or(0);
        scans.extend(values.iter().map(|x| {
            sum = sum.wrapping_add(*x);
            sum
        }));
        if scan { scans } else { folds }
    };
    check(
        0,
        move |x| {
            let (lengths, values) = segments(x);
            values.fold_segments(1, |a, b| a + b, lengths)
        },
        move |x| plain(x, false),
        0,
    );
    check(
        0,
        move |x| {
            let (lengths, values) = segments(x);
            values.scanl1_segments(|a, b| a + b, lengths)
        },
        move |x| plain(x, true),
        0,
    );
}

#[test]
fn positions_of_extrema() {
    check(
        1,
        |x| stack(&[x.argmax(), x.argmin()]),
        |x| {
            let at = |best: Option<&i32>| x.iter().position(|x| Some(x) == best).unwrap() as i32;
            vec![at(x.iter().max()), at(x.iter().min())]
        },
        -50,
    );
}

#[test]
fn counts() {
    check(
        0,
        |x| x.histogram(30),
        |x| {
            (0..30)
                .map(|key| x.iter().filter(|&&x| x == key).count() as i32)
                .collect()
        },
        -50,
    );
    check(
        0,
        |x| x.map(|x| x.gt(3)).positions(),
        |x| {
            let positions = x.iter().enumerate().filter(|(_, x)| **x > 3);
            positions.map(|(i, _)| i as i32).collect()
        },
        -50,
    );
}

#[test]
fn parts_and_margins() {
    check(
        3,
        |x| {
            concat(&[
                x.slice(ix![1..3]),
                x.pad(ix![-1], ix![2], 9),
                x.tile(ix![2]).tail(),
            ])
        },
        |x| {
            let (tail, margin) = (&x[1..], [9, 9]);
            [&x[1..3], tail, &margin, tail, x].concat()
        },
        -50,
    );
}

#[test]
fn what_is_sorted() {
    let ascending = |x: &[i32]| {
        let mut all = x.to_vec();
        all.sort();
        all
    };
    check(0, |x| x.sort(), ascending, -50);
    // Equal keys leave elements as they stand.
    check(
        0,
        |x| x.sort_by_key(|x| x / 7),
        |x| {
            let mut all = x.to_vec();
            all.sort_by_key(|x| x / 7);
            all
        },
        -50,
    );
    check(
        0,
        |x| x.argsort(),
        |x| {
            let mut all: Vec<i32> = (0..x.len() as i32).collect();
            all.sort_by_key(|&at| x[at as usize]);
            all
        },
        -50,
    );
    check(
        0,
        |x| {
            let (values, positions) = x.top_k(9);
            values.append(positions)
        },
        |x| {
            let mut all: Vec<i32> = (0..x.len() as i32).collect();
            all.sort_by_key(|&at| -x[at as usize]);
            all.truncate(9);
            let values = all.iter().map(|&at| x[at as usize]);
            values.chain(all.iter().copied()).collect()
        },
        -50,
    );
    check(
        0,
        |x| x.unique(),
        |x| {
            let mut all = ascending(x);
            all.dedup();
            all
        },
        -50,
    );
}

#[test]
fn places_in_what_is_sorted() {
    check(
        0,
        |x| x.sort().search_sorted(iota(100).map(|i| i - 50)),
        |x| {
            let below = |value: i32| x.iter().filter(|&&x| x < value).count() as i32;
            (-50..50).map(below).collect()
        },
        -50,
    );
}

/// As many words on each engine, by one key for each number.
#[test]
fn random_words() {
    let f = |x: Ints| {
        let words = random_bits(fold_in(random_key(3u32), 4u32), ix![x.inner()]);
        words.map(|word| word.to::<i32>())
    };
    let whole = compile(|| random_bits(fold_in(random_key(3u32), 4u32), ix![70_001]));
    let whole = whole.unwrap().run(&Cpu::default(), ()).unwrap().to_vec();
    let first = |x: &[i32]| whole[..x.len()].iter().map(|&word| word as i32).collect();
    check(0, f, first, -50);
}
