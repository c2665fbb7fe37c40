//! Operations along the inner dimension, and on the outermost one.

use super::{Whole, extents, number, of_numbers, of_two, some};
use cotangent::prelude::*;

pub fn folded<Sh: Shape + HasInner, T: Num>(a: Acc<Sh, T>, b: Acc<Sh, T>) -> impl Arrays {
    (
        (
            a.sum(),
            a.clamp(number(1), number(2)).product(),
            b.fold(number(7), |_, y| y),
        ),
        (a.fold_seq(number(1), |_, _, x| x), b.gt(a).count()),
    )
}

fn fold<Sh: Shape + HasInner, T: Num>() {
    of_two::<T, _, _>(folded::<Sh, T>, extents(Sh::RANK), |a, b| {
        let flags = b.zip_with(a, |y, x| i64::from(y > x));
        vec![
            a.fold(|row| row.iter().sum()),
            a.fold(|row| row.iter().map(|x| x.clamp(&1, &2)).product()),
            b.fold(|row| row.last().copied().unwrap_or(7)),
            a.fold(|row| row.last().copied().unwrap_or(1)),
            flags.fold(|row| row.iter().sum()),
        ]
    });
}

#[test]
fn folds() {
    of_numbers!(fold: Ix1, Ix2, Ix3, Ix4);
}

pub fn segmented<Sh: Shape + HasInner, T: Num>(a: Acc<Sh, T>, b: Acc<Sh, T>) -> impl Arrays {
    let half = a.inner() / 2;
    let lengths = generate(ix![4], |ix![segment]: Ix1| {
        let long = cond::<i32>(segment.eq_(1), half, a.inner() - half);
        cond::<i32>((segment % 2).eq_(0), 0 - segment, long)
    });
    (
        a.sum_segments(lengths),
        b.fold_segments(number(2), |x, y| x.max(y), lengths),
        b.fold_segments(number(7), |_, y| y, lengths),
    )
}

fn segment<Sh: Shape + HasInner, T: Num>() {
    of_two::<T, _, _>(segmented::<Sh, T>, extents(Sh::RANK), |a, b| {
        let each = |whole: &Whole, f: &dyn Fn(&[i64]) -> i64| {
            whole.each_row(|row| {
                let (first, second) = row.split_at(row.len() / 2);
                [&[], first, &[], second].map(f).to_vec()
            })
        };
        vec![
            each(a, &|part| part.iter().sum()),
            each(b, &|part| part.iter().copied().fold(2, i64::max)),
            each(b, &|part| part.last().copied().unwrap_or(7)),
        ]
    });
}

#[test]
fn segments() {
    of_numbers!(segment: Ix1, Ix2, Ix3, Ix4);
}

pub fn chosen<Sh: Shape + HasInner, T: Num>(a: Acc<Sh, T>, b: Acc<Sh, T>) -> impl Arrays {
    (
        (a.maximum(), a.minimum(), a.argmax(), a.argmin()),
        (a.fold1(|x, _| x), a.first(), b.last()),
        (a.maximum_all(), b.minimum_all(), a.fold1_all(|x, y| x + y)),
    )
}

fn choose<Sh: Shape + HasInner, T: Num>() {
    of_two::<T, _, _>(chosen::<Sh, T>, &some(Sh::RANK), |a, b| {
        let first = |row: &[i64], best: i64| row.iter().position(|&x| x == best).unwrap() as i64;
        let (most, least) = (
            |row: &[i64]| *row.iter().max().unwrap(),
            |row: &[i64]| *row.iter().min().unwrap(),
        );
        vec![
            a.fold(most),
            a.fold(least),
            a.fold(|row| first(row, most(row))),
            a.fold(|row| first(row, least(row))),
            a.fold(|row| row[0]),
            a.fold(|row| row[0]),
            b.fold(|row| row[row.len() - 1]),
            Whole::number(most(&a.elements)),
            Whole::number(least(&b.elements)),
            Whole::number(a.elements.iter().sum()),
        ]
    });
}

#[test]
fn choices() {
    of_numbers!(choose: Ix1, Ix2, Ix3, Ix4);
}

pub fn scanned<Sh: Shape + HasInner, T: Num>(a: Acc<Sh, T>, b: Acc<Sh, T>) -> impl Arrays {
    let add = |x: E<T>, y: E<T>| -> E<T> { number(0) + x + y };
    (
        (
            a.scanl(number(2), add),
            a.scanr(number(2), add),
            a.scanl1(add),
            a.scanr1(add),
            a.cumsum(),
            a.clamp(number(1), number(2)).cumprod(),
        ),
        (
            b.prescanl(number(1), add),
            b.prescanr(number(1), add),
            b.postscanl(number(1), add),
            b.postscanr(number(1), add),
        ),
        (
            b.scanl_and_last(number(3), add),
            b.scanr_and_first(number(3), add),
        ),
    )
}

/// The sums before each element, and all of them.
fn sums(from: i64, row: &[i64]) -> Vec<i64> {
    let mut total = from;
    let next = row.iter().map(|x| {
        total += x;
        total
    });
    std::iter::once(from)
        .chain(next.collect::<Vec<_>>())
        .collect()
}

fn backwards(row: &[i64]) -> Vec<i64> {
    row.iter().rev().copied().collect()
}

fn scan<Sh: Shape + HasInner, T: Num>() {
    of_two::<T, _, _>(scanned::<Sh, T>, extents(Sh::RANK), |a, b| {
        let all = |from| move |row: &[i64]| sums(from, row);
        let all_back = |from| move |row: &[i64]| backwards(&sums(from, &backwards(row)));
        let before = |from| move |row: &[i64]| sums(from, row)[..row.len()].to_vec();
        let after = |from| move |row: &[i64]| all_back(from)(row)[1..].to_vec();
        let so_far = |from| move |row: &[i64]| sums(from, row)[1..].to_vec();
        let from_here = |from| move |row: &[i64]| all_back(from)(row)[..row.len()].to_vec();
        let products = |row: &[i64]| {
            let factors = row.iter().map(|x| x.clamp(&1, &2));
            factors
                .scan(1, |so_far, x| {
                    *so_far *= x;
                    Some(*so_far)
                })
                .collect()
        };
        vec![
            a.each_row(all(2)),
            a.each_row(all_back(2)),
            a.each_row(so_far(0)),
            a.each_row(from_here(0)),
            a.each_row(so_far(0)),
            a.each_row(products),
            b.each_row(before(1)),
            b.each_row(after(1)),
            b.each_row(so_far(1)),
            b.each_row(from_here(1)),
            b.each_row(before(3)),
            b.fold(|row| 3 + row.iter().sum::<i64>()),
            b.each_row(after(3)),
            b.fold(|row| 3 + row.iter().sum::<i64>()),
        ]
    });
}

#[test]
fn scans() {
    of_numbers!(scan: Ix1, Ix2, Ix3, Ix4);
}

pub fn moved<Sh: Shape + HasInner, T: Num>(a: Acc<Sh, T>, b: Acc<Sh, T>) -> impl Arrays {
    (
        (
            a.reverse(),
            a.take(2),
            a.drop(2),
            a.init(),
            a.tail(),
            a.slit(1, 2),
        ),
        (a.append(b), concat(&[b, a, b]), a.sort(), a.argsort()),
        a.top_k(2),
    )
}

/// The places of the elements in ascending order, equal ones as they come.
fn order(row: &[i64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..row.len()).collect();
    places.sort_by_key(|&at| row[at]);
    places
}

/// The places of the two greatest, equal ones as they come.
fn best(row: &[i64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..row.len()).collect();
    places.sort_by_key(|&at| -row[at]);
    places.truncate(2);
    places
}

/// Arrays one after the other along the outermost dimension.
fn joined(arrays: &[&Whole]) -> Whole {
    let outer = arrays.iter().map(|array| array.extents[0]).sum();
    let elements = arrays.iter().flat_map(|array| array.elements.clone());
    Whole::new(
        &[&[outer], &arrays[0].extents[1..]].concat(),
        elements.collect(),
    )
}

fn move_<Sh: Shape + HasInner, T: Num>() {
    of_two::<T, _, _>(moved::<Sh, T>, extents(Sh::RANK), |a, b| {
        let part = |from: usize, to: usize| {
            move |row: &[i64]| {
                row[from.min(row.len())..to.clamp(from.min(row.len()), row.len())].to_vec()
            }
        };
        let places = |at: Vec<usize>| at.into_iter().map(|at| at as i64).collect::<Vec<_>>();
        let picked = |row: &[i64], at: Vec<usize>| at.into_iter().map(|at| row[at]).collect();
        vec![
            a.each_row(backwards),
            a.each_row(part(0, 2)),
            a.each_row(part(2, 99)),
            a.each_row(|row| part(0, row.len().saturating_sub(1))(row)),
            a.each_row(part(1, 99)),
            a.each_row(part(1, 3)),
            joined(&[a, b]),
            joined(&[b, a, b]),
            a.each_row(|row| picked(row, order(row))),
            a.each_row(|row| places(order(row))),
            a.each_row(|row| picked(row, best(row))),
            a.each_row(|row| places(best(row))),
        ]
    });
}

#[test]
fn moves() {
    of_numbers!(move_: Ix1, Ix2, Ix3, Ix4);
}
