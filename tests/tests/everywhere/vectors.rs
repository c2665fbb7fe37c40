//! Operations that only vectors have, or that have vectors on one side.

use super::engines::check;
use super::{Whole, is_signed, number, of_numbers, operands};
use cotangent::prelude::*;

type Vector<T> = Acc<Ix1, T>;

/// The vectors that are tried, each with places in it and lengths of its segments.
fn cases<T: Num>(
    expected: impl Fn(&[i64], &[i64], &[i64]) -> Vec<Whole>,
) -> Vec<(Vec<Whole>, Vec<Whole>)> {
    let of = |n: usize| {
        let [a, _] = operands(is_signed::<T>(), &[n]);
        let places = Whole::generate(&[5 * n.min(1)], |at| {
            ((at[0] * at[0] + 1) % n.max(1)) as i64
        });
        let lengths = Whole::vector(vec![0, (n / 2) as i64, (n - n / 2) as i64]);
        let expected = expected(&a.elements, &places.elements, &lengths.elements);
        (vec![a, places, lengths], expected)
    };
    [6, 1, 13, 0].map(of).to_vec()
}

pub fn selected<T: Num>(a: Vector<T>, places: Vector<i32>, _: Vector<i32>) -> impl Arrays {
    let is_large = move |x: E<T>| x.gt(number(1));
    (
        (
            a.filter(is_large),
            a.partition(is_large),
            a.compact(a.lt(number(2))),
            a.gt(number(1)).positions(),
        ),
        (
            a.gather(places),
            a.expand(|x| x.to::<i32>(), |x, k| x + k.to::<T>()),
            a.sort().search_sorted(a),
            a.unique(),
        ),
        (
            a.gather(places)
                .scatter(Combine::Add, fill(ix![a.inner()], number(0)), places),
            places.histogram(a.inner()),
            iota(a.inner()),
        ),
    )
}

fn select<T: Num>() {
    let expected = |a: &[i64], places: &[i64], _: &[i64]| {
        let all = |f: &dyn Fn(&i64) -> bool| a.iter().copied().filter(f).collect::<Vec<_>>();
        let (large, others) = (all(&|x| *x > 1), all(&|x| *x <= 1));
        let mut sorted = a.to_vec();
        sorted.sort_unstable();
        let insertion = |x: &i64| sorted.iter().filter(|y| *y < x).count() as i64;
        let insertions = a.iter().map(insertion).collect();
        let expanded = a.iter().flat_map(|&x| (0..x.max(0)).map(move |k| x + k));
        let mut unique = sorted.clone();
        unique.dedup();
        let mut sums = vec![0; a.len()];
        let mut counts = vec![0; a.len()];
        for &place in places {
            sums[place as usize] += a[place as usize];
            counts[place as usize] += 1;
        }
        let at = (0..a.len() as i64).filter(|&at| a[at as usize] > 1);
        let results = [
            large.clone(),
            large,
            others,
            all(&|x| *x < 2),
            at.collect(),
            places.iter().map(|&at| a[at as usize]).collect(),
            expanded.collect(),
            insertions,
            unique,
            sums,
            counts,
            (0..a.len() as i64).collect(),
        ];
        results.map(Whole::vector).to_vec()
    };
    check(selected::<T>, &cases::<T>(expected));
}

pub fn segmented<T: Num>(a: Vector<T>, _: Vector<i32>, lengths: Vector<i32>) -> impl Arrays {
    let add = |x: E<T>, y: E<T>| -> E<T> { x + y };
    (
        (
            a.sum_segments(lengths),
            a.fold_segments(number(1), add, lengths),
            a.scanl1_segments(add, lengths),
            a.scanr1_segments(add, lengths),
            a.scanl_segments(number(2), add, lengths),
            a.scanr_segments(number(2), add, lengths),
        ),
        (
            a.prescanl_segments(number(2), add, lengths),
            a.prescanr_segments(number(2), add, lengths),
            a.postscanl_segments(number(2), add, lengths),
            a.postscanr_segments(number(2), add, lengths),
            a.dot(fill(ix![a.inner()], number(2))),
            a.outer(a.take(2)),
        ),
    )
}

fn segment<T: Num>() {
    let expected = |a: &[i64], _: &[i64], lengths: &[i64]| {
        let mut rest = a;
        let mut segments = vec![];
        for &length in lengths {
            let (segment, others) = rest.split_at(length as usize);
            segments.push(segment);
            rest = others;
        }
        let each = |f: &dyn Fn(&[i64], usize) -> i64| {
            let all = segments
                .iter()
                .flat_map(|s| (0..s.len()).map(|at| f(s, at)));
            Whole::vector(all.collect())
        };
        let totals = |from: i64| {
            let totals = segments.iter().map(|s| from + s.iter().sum::<i64>());
            Whole::vector(totals.collect())
        };
        let longer = |f: &dyn Fn(&[i64], usize) -> i64| {
            let all = segments
                .iter()
                .flat_map(|s| (0..=s.len()).map(|at| f(s, at)));
            Whole::vector(all.collect())
        };
        let head = &a[..a.len().min(2)];
        vec![
            totals(0),
            totals(1),
            each(&|s, at| s[..=at].iter().sum()),
            each(&|s, at| s[at..].iter().sum()),
            longer(&|s, at| 2 + s[..at].iter().sum::<i64>()),
            longer(&|s, at| 2 + s[at..].iter().sum::<i64>()),
            each(&|s, at| 2 + s[..at].iter().sum::<i64>()),
            each(&|s, at| 2 + s[at + 1..].iter().sum::<i64>()),
            each(&|s, at| 2 + s[..=at].iter().sum::<i64>()),
            each(&|s, at| 2 + s[at..].iter().sum::<i64>()),
            Whole::number(2 * a.iter().sum::<i64>()),
            Whole::generate(&[a.len(), head.len()], |at| a[at[0]] * head[at[1]]),
        ]
    };
    check(segmented::<T>, &cases::<T>(expected));
}

#[test]
fn selections() {
    of_numbers!(select);
}

#[test]
fn of_segments() {
    of_numbers!(segment);
}
