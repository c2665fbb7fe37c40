//! Segments and groups, reduced by an operator that does not commute, against plain Rust.

use super::{gives, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use cotangent_tests::differences::all_agree;

/// x ↦ a·x + b.
type Affine = (i32, i32);
type Maps = Acc<Ix1, Affine>;
type Ints = Acc<Ix1, i32>;
type MapE = (Exp<i32>, Exp<i32>);

const IDENTITY: Affine = (1, 0);

fn after((a, b): MapE, (c, d): MapE) -> MapE {
    (a * c, a * d + b)
}

fn known((a, b): Affine, (c, d): Affine) -> Affine {
    (a.wrapping_mul(c), a.wrapping_mul(d).wrapping_add(b))
}

fn maps(n: usize) -> Vec<Affine> {
    let n = i32::try_from(n).unwrap();
    (0..n).map(|i| (i % 5 - 2, i % 7)).collect()
}

/// Lengths, negative ones among them, whose sum is less than, equal to and greater than 50.
fn lengths() -> [Vec<i32>; 5] {
    [
        vec![],
        vec![0, 3, -2, 0, 1, 20, 0],
        vec![50],
        vec![1; 50],
        vec![30, 0, 40, 7],
    ]
}

/// The segments of `v`: what is left over belongs to the last one.
fn segments(v: &[Affine], lengths: &[i32]) -> Vec<Vec<Affine>> {
    let mut all = vec![];
    let mut rest = v;
    for &length in lengths.iter().filter(|length| **length > 0) {
        let (segment, others) = rest.split_at(rest.len().min(length as usize));
        all.push(segment.to_vec());
        rest = others;
    }
    match all.iter_mut().rev().find(|segment| !segment.is_empty()) {
        Some(last) => last.extend(rest),
        None => all.push(rest.to_vec()),
    }
    all
}

/// What a scan of each segment gives.
fn of_each(v: &[Affine], lengths: &[i32], scan: impl Fn(&[Affine]) -> Vec<Affine>) -> Vec<Affine> {
    let segments = segments(v, lengths);
    segments.iter().flat_map(|segment| scan(segment)).collect()
}

/// The elements before each one, reduced.
fn before(segment: &[Affine]) -> Vec<Affine> {
    let step = |state: &mut Affine, x: &Affine| {
        let before = *state;
        *state = known(before, *x);
        Some(before)
    };
    segment.iter().scan(IDENTITY, step).collect()
}

/// The elements behind each one, reduced.
fn behind(segment: &[Affine]) -> Vec<Affine> {
    let step = |state: &mut Affine, x: &Affine| {
        let behind = *state;
        *state = known(*x, behind);
        Some(behind)
    };
    let mut all: Vec<Affine> = segment.iter().rev().scan(IDENTITY, step).collect();
    all.reverse();
    all
}

#[test]
fn scanr1_segments() {
    let f = |v: Maps, lengths: Ints| v.scanr1_segments(after, lengths);
    let scan = |segment: &[Affine]| {
        let behind = behind(segment);
        segment
            .iter()
            .zip(behind)
            .map(|(x, y)| known(*x, y))
            .collect()
    };
    for lengths in lengths() {
        let expected = of_each(&maps(50), &lengths, scan);
        gives(f, (vector(maps(50)), vector(lengths)), vector(expected));
    }
    gives(f, (vector(vec![]), vector([0, 2])), vector(vec![]));
}

#[test]
fn prescanl_segments() {
    let f = |v: Maps, lengths: Ints| v.prescanl_segments(IDENTITY, after, lengths);
    for lengths in lengths() {
        let expected = of_each(&maps(50), &lengths, before);
        gives(f, (vector(maps(50)), vector(lengths)), vector(expected));
    }
    gives(f, (vector(vec![]), vector([0, 2])), vector(vec![]));
}

#[test]
fn prescanr_segments() {
    let f = |v: Maps, lengths: Ints| v.prescanr_segments(IDENTITY, after, lengths);
    for lengths in lengths() {
        let expected = of_each(&maps(50), &lengths, behind);
        gives(f, (vector(maps(50)), vector(lengths)), vector(expected));
    }
    gives(f, (vector(vec![]), vector([0, 2])), vector(vec![]));
}

/// Segments of `v` that are there, and have no more elements than lengths say.
fn exactly<'a>(mut v: &'a [Affine], lengths: &[i32]) -> Vec<&'a [Affine]> {
    let next = |length: &i32| {
        let (segment, rest) = v.split_at((*length).max(0) as usize);
        v = rest;
        segment
    };
    lengths.iter().map(next).collect()
}

/// What it is in front, or behind, which is not the identity.
const FROM: Affine = (3, -2);

/// Lengths of which there are enough elements.
fn short_enough() -> impl Iterator<Item = Vec<i32>> {
    let sum = |lengths: &Vec<i32>| lengths.iter().map(|length| length.max(&0)).sum::<i32>();
    lengths()
        .into_iter()
        .filter(move |lengths| sum(lengths) <= 50)
}

#[test]
fn scanl_segments() {
    let f = |v: Maps, lengths: Ints| v.scanl_segments(FROM, after, lengths);
    for lengths in short_enough() {
        let all = maps(50);
        let expected = exactly(&all, &lengths).into_iter().flat_map(|segment| {
            let mut total = FROM;
            let rest = segment.iter().map(move |x| {
                total = known(total, *x);
                total
            });
            [FROM].into_iter().chain(rest)
        });
        let expected: Vec<_> = expected.collect();
        gives(f, (vector(maps(50)), vector(lengths)), vector(expected));
    }
    gives(f, (vector(vec![]), vector([0, -2])), vector([FROM; 2]));
    let program = compile(f).unwrap();
    let too_long = (vector(maps(3)), vector([2, 2]));
    assert!(program.run(&Cpu::default(), too_long).is_err());
}

#[test]
fn scanr_segments() {
    let f = |v: Maps, lengths: Ints| v.scanr_segments(FROM, after, lengths);
    for lengths in short_enough() {
        let all = maps(50);
        let expected = exactly(&all, &lengths).into_iter().flat_map(|segment| {
            let mut results = vec![FROM];
            for x in segment.iter().rev() {
                results.push(known(*x, *results.last().unwrap()));
            }
            results.reverse();
            results
        });
        let expected: Vec<_> = expected.collect();
        gives(f, (vector(maps(50)), vector(lengths)), vector(expected));
    }
    gives(f, (vector(vec![]), vector([0, -2])), vector([FROM; 2]));
    let program = compile(f).unwrap();
    let too_long = (vector(maps(3)), vector([2, 2]));
    assert!(program.run(&Cpu::default(), too_long).is_err());
}

#[test]
fn postscanl_segments() {
    let f = |v: Maps, lengths: Ints| v.postscanl_segments(FROM, after, lengths);
    let scan = |segment: &[Affine]| {
        let pairs = segment.iter().zip(before(segment));
        let all = pairs.map(|(x, before)| known(FROM, known(before, *x)));
        all.collect()
    };
    for lengths in lengths() {
        let expected = of_each(&maps(50), &lengths, scan);
        gives(f, (vector(maps(50)), vector(lengths)), vector(expected));
    }
}

#[test]
fn postscanr_segments() {
    let f = |v: Maps, lengths: Ints| v.postscanr_segments(FROM, after, lengths);
    let scan = |segment: &[Affine]| {
        let pairs = segment.iter().zip(behind(segment));
        let all = pairs.map(|(x, behind)| known(known(*x, behind), FROM));
        all.collect()
    };
    for lengths in lengths() {
        let expected = of_each(&maps(50), &lengths, scan);
        gives(f, (vector(maps(50)), vector(lengths)), vector(expected));
    }
}

/// A scatter by a function, element by element.
fn scattered(v: &[Affine], to: &[i32], places: usize) -> Vec<Affine> {
    let mut all = vec![(3, 1); places];
    for (x, to) in v.iter().zip(to).filter(|(_, to)| **to >= 0) {
        let place = &mut all[*to as usize];
        *place = known(*place, *x);
    }
    all
}

#[test]
fn permute_with() {
    for (n, places) in [(0, 3), (1, 1), (50, 4), (50, 400), (70_000, 300)] {
        let to: Vec<i32> = (0..n as i32)
            .map(|i| (i * 37 + i / 3) % (places + 1) - 1)
            .collect();
        let expected = scattered(&maps(n), &to, places as usize);
        let f = move |v: Maps, to: Ints| {
            v.permute_with(after, fill(ix![places], (3, 1)), |ix![i]: Ix1| {
                (to.at(ix![i]).ge(0), ix![to.at(ix![i])])
            })
        };
        gives(f, (vector(maps(n)), vector(to)), vector(expected));
    }
}

/// From and to other ranks, and to none.
#[test]
fn permute_with_of_any_rank() {
    let greater = |a: Exp<i32>, b: Exp<i32>| a.max(b);
    let f = |m: Acc<Ix2, i32>| {
        let by_rests = m.permute_with(greater, fill(ix![2, 3], -1), |i| {
            (true, ix![m.at(i) % 2, m.at(i) % 3])
        });
        let all = m.permute_with(greater, unit(7), |i| (m.at(i).lt(9), Z));
        (by_rests, all)
    };
    let m = Array::from_vec([2, 3], vec![8, 3, 12, 9, 10, 5]).unwrap();
    let rests = Array::from_vec([2, 3], vec![12, 10, 8, 9, -1, 5]).unwrap();
    gives(f, m, (rests, Array::scalar(8)));
    let beyond = |v: Ints| v.permute_with(greater, fill(ix![2], 0), |ix![i]: Ix1| (true, ix![i]));
    let found = compile(beyond)
        .unwrap()
        .run(&Cpu::default(), vector([1, 2, 3]));
    assert!(found.unwrap_err().to_string().contains("out of range"));
}

#[test]
fn derivatives_of_segments_and_groups() {
    type V = Acc<Ix1, f64>;
    let x = || vector([0.5, -1.0, 0.25, 1.5, 0.75]);
    let times = |a: Exp<f64>, b: Exp<f64>| a * b;
    let lengths = [2, 0, 3];
    let scans = move |v: V| {
        let lengths = use_(&vector(lengths));
        let weights = v.map(|x| x.cos());
        let right = v.scanr1_segments(times, lengths) * weights;
        let before = v.prescanl_segments(2.0, times, lengths) * weights;
        let behind = v.prescanr_segments(2.0, times, lengths) * weights;
        let all = v.scanl_segments(2.0, times, lengths);
        let from_right = v.scanr_segments(0.5, times, lengths);
        let after = v.postscanl_segments(3.0, times, lengths) * weights;
        (right + before * before + behind + after).sum()
            + (all * all.map(|x| x.sin()) - from_right).sum()
    };
    all_agree(scans, x());
    let groups = move |v: V| {
        let defaults = v.take(3).map(|x| x.exp());
        let found = v.permute_with(times, defaults, |ix![i]: Ix1| (i.ne_(3), ix![i % 2]));
        (found * found).sum()
    };
    all_agree(groups, x());
}

#[test]
fn sum_segments() {
    let f = |v: Ints, lengths: Ints| v.sum_segments(lengths);
    let inputs = (vector([1, 2, 3, 4, 5]), vector([2, 0, -1, 2]));
    gives(f, inputs, vector([3, 0, 0, 7]));
    let error = compile(f)
        .unwrap()
        .run(&Cpu::default(), (vector([1]), vector([2])));
    assert!(error.is_err());
}
