//! Operators that are not associative are errors with the line and values, on all instruction sets and numbers of threads;
//! what is associative but for rounding is none.

use cotangent::prelude::*;
use cotangent::{Cpu, Error, Isa, Program, RunError, compile, f16};
use cotangent_core::backend::Site;
use std::cell::Cell;

/// CPUs that try operators, with each instruction set and numbers of threads.
fn checking() -> Vec<Cpu> {
    let ways = Isa::ALL
        .into_iter()
        .flat_map(|isa| [1, 3].map(|n| (isa, n)));
    let builder = |(isa, n)| Cpu::builder().isa(isa).threads(n).check_associativity(true);
    ways.map(|way| builder(way).build().unwrap()).collect()
}

fn unchecking() -> Cpu {
    let builder = Cpu::builder().check_associativity(false);
    builder.threads(2).build().unwrap()
}

/// Runs on all CPUs that check associativity, which agree, and gives the error, if there is one; those that do not find none.
fn refusal<In: Arrays, Out: Arrays>(
    program: &Program<In, Out>,
    input: impl Fn() -> In::Host,
) -> Option<RunError> {
    program.run(&unchecking(), input()).map(drop).unwrap();
    let outcomes = checking()
        .into_iter()
        .map(|cpu| match program.run(&cpu, input()).map(drop) {
            Ok(()) => None,
            Err(Error::Run(error)) => Some(error),
            Err(error) => panic!("{error}"),
        });
    let outcomes: Vec<_> = outcomes.collect();
    assert!(
        outcomes.windows(2).all(|pair| pair[0] == pair[1]),
        "{outcomes:?}"
    );
    outcomes.into_iter().next().unwrap()
}

/// The program that `violation` was found in is refused.
fn violation_of<In: Arrays, Out: Arrays>(
    program: &Program<In, Out>,
    input: impl Fn() -> In::Host,
) -> Site {
    match refusal(program, input) {
        Some(RunError::NotAssociative { site, violation }) => {
            assert_ne!(violation.left, violation.right);
            site
        }
        other => panic!("{other:?}"),
    }
}

fn line_of(site: Site) -> u32 {
    site.loc.location().unwrap().line()
}

/// How many lines before the test of a program the construct may be.
const NEAR: u32 = 8;

/// Requires that a program is refused for the construct, which is in the lines before this is called.
#[track_caller]
fn refused<In: Arrays, Out: Arrays>(
    program: &Program<In, Out>,
    construct: &str,
    input: impl Fn() -> In::Host,
) {
    let here = std::panic::Location::caller();
    let site = violation_of(program, input);
    let text = site.to_string();
    assert!(
        text.starts_with(&format!("`{construct}` at {}:", file!())),
        "{text}"
    );
    let line = line_of(site);
    assert!(
        (here.line() - NEAR..=here.line()).contains(&line),
        "{text}, {here}"
    );
}

#[track_caller]
fn accepted<In: Arrays, Out: Arrays>(program: &Program<In, Out>, input: impl Fn() -> In::Host) {
    let found = refusal(program, input);
    assert!(found.is_none(), "{}", found.unwrap());
}

/// The recurrence sᵢ = 2·sᵢ₋₁ + xᵢ by each construct on each type.
macro_rules! refused_in {
    ($($ty:ty: $two:expr, [$($x:expr),*];)*) => {$({
        let input = || Array::vector(vec![$($x),*]).unwrap();
        let p = compile(|x: Acc<Ix1, $ty>| x.scanl1(|s, x| s * $two + x)).unwrap();
        refused(&p, "scanl1", input);
        let p = compile(|x: Acc<Ix1, $ty>| x.scanr1(|x, s| s * $two + x)).unwrap();
        refused(&p, "scanr1", input);
        let p = compile(|x: Acc<Ix1, $ty>| x.scanl($two, |s, x| s * $two + x)).unwrap();
        refused(&p, "scanl", input);
        let p = compile(|x: Acc<Ix1, $ty>| x.scanr($two, |x, s| s * $two + x)).unwrap();
        refused(&p, "scanr", input);
        let p = compile(|x: Acc<Ix1, $ty>| x.fold($two, |s, x| s * $two + x)).unwrap();
        refused(&p, "fold", input);
        let p = compile(|x: Acc<Ix1, $ty>| x.fold1(|s, x| s * $two + x)).unwrap();
        refused(&p, "fold1", input);
    })*};
}

#[test]
fn recurrences_are_refused_in_every_type() {
    refused_in! {
        f64: 0.5, [1.0, 3.0, 3.0, 2.0];
        f32: 0.5f32, [1.0, 3.0, 3.0, 2.0];
        i32: 31, [1, 3, 3, 2];
        i64: 31i64, [1, 3, 3, 2];
        u32: 16_777_619u32, [97, 98, 0xffff_fff0, 100];
    }
    let input = || Array::vector([1.0, 3.0, 3.0, 2.0].map(f16::from_f32).to_vec()).unwrap();
    let p = compile(|x: Acc<Ix1, f16>| x.scanl1(|s, x| s * f16::from_f32(0.5) + x)).unwrap();
    refused(&p, "scanl1", input);
    let p = compile(|x: Acc<Ix1, bool>| x.scanl1(|s, x| s.not().or(x))).unwrap();
    refused(&p, "scanl1", || Array::vector(vec![false; 4]).unwrap());
}

fn numbers(n: usize) -> Vec<f64> {
    let number = |i: usize| ((i * 7919) % 1009) as f64 * 0.004 - 2.0;
    (0..n).map(number).collect()
}

fn vector(n: usize) -> Array<Ix1, f64> {
    Array::vector(numbers(n)).unwrap()
}

#[test]
fn common_mistakes_are_refused() {
    let input = || vector(500);
    let p = compile(|x: Acc<Ix1, f64>| x.fold(0.0, |s, x| s + x * x)).unwrap();
    refused(&p, "fold", input);
    let p = compile(|x: Acc<Ix1, f64>| x.fold1(|s, x| s - x)).unwrap();
    refused(&p, "fold1", input);
    let p = compile(|x: Acc<Ix1, f64>| x.fold1(|s, x| (s + x) / 2.0)).unwrap();
    refused(&p, "fold1", input);
    let p = compile(|x: Acc<Ix1, f64>| x.scanl(0.0, |s, x| (s + x).clamp(-3.0, 3.0))).unwrap();
    refused(&p, "scanl", input);
    let p = compile(|x: Acc<Ix1, f64>| x.fold(0.0, |s, x| s + x.gt(0.0).to::<f64>())).unwrap();
    refused(&p, "fold", input);
}

/// The wrong one of two folds that share a kernel is the one that is named; and a wrong column of several is.
#[test]
fn the_wrong_fold_of_several_is_named() {
    let line = Cell::new(0);
    let p = compile(|x: Acc<Ix1, f64>| {
        let sum = x.fold(0.0, |s, x| s + x);
        line.set(line!() + 1);
        let wrong = x.fold(0.0, |s, x| s - x);
        (sum, wrong)
    })
    .unwrap();
    let site = violation_of(&p, || vector(100));
    assert_eq!(line_of(site), line.get());
    let p = compile(|x: Acc<Ix1, f64>| {
        let pairs = x.map(|x| (x, x));
        pairs.fold((0.0, 0.0), |(s, d), (x, y)| (s + x, d - y))
    })
    .unwrap();
    refused(&p, "fold", || vector(100));
}

/// Kernels inside of strips are tried, too: rows that are summed up wrongly in the second pass over them.
#[test]
fn totals_of_strips_are_tried() {
    let p = compile(|x: Acc<Ix2, f64>| {
        let powers = x.map(|x| x.exp());
        let shares = powers.zip_with(powers.sum().replicate(ix![All, x.inner()]), |p, s| p / s);
        shares.transpose().fold(1.0, |s, p| 0.5 * s + p)
    })
    .unwrap();
    let matrix = || Array::<Ix2, f64>::from_vec([300, 4], numbers(1200)).unwrap();
    refused(&p, "fold", matrix);
}

/// Initial values are combined with elements, too; and what is wrong in one row alone is found there.
#[test]
fn initial_values_and_all_rows_are_tried() {
    let p = compile(|x: Acc<Ix1, f64>| x.fold(1.0, |s, x| 0.5 * s + x)).unwrap();
    refused(&p, "fold", || vector(2));
    let p = compile(|x: Acc<Ix1, f64>| x.scanr(1.0, |x, s| 0.5 * s + x)).unwrap();
    refused(&p, "scanr", || vector(2));
    let p = compile(|x: Acc<Ix2, f64>| x.fold1(|s, x| cond(s.lt(0.0), s, s - x))).unwrap();
    let rows = || {
        let mut values = vec![-1.0; 30 * 4];
        values[29 * 4..].fill(3.0);
        Array::<Ix2, f64>::from_vec([30, 4], values).unwrap()
    };
    refused(&p, "fold1", rows);
}

#[test]
fn rows_that_are_too_short_to_differ_are_accepted() {
    let p = compile(|x: Acc<Ix1, f64>| x.scanl1(|s, x| 0.5 * s + x)).unwrap();
    (0..3).for_each(|n| accepted(&p, || vector(n)));
    let p = compile(|x: Acc<Ix2, f64>| x.fold(1.0, |s, x| 0.5 * s + x)).unwrap();
    for shape in [[0, 5], [5, 0], [5, 1]] {
        let empty = || Array::<Ix2, f64>::from_vec(shape, numbers(shape[0] * shape[1])).unwrap();
        accepted(&p, empty);
    }
}

/// ln Σ eˣ, in pairs of a maximum and a sum relative to it.
fn log_sum(x: Acc<Ix1, f64>) -> Acc<Z, f64> {
    let pairs: Acc<Ix1, (f64, f64)> = x.map(|x| (x, 1.0));
    let sum = pairs.fold1(|(m, s), (n, t)| {
        let max = m.max(n);
        (max, s * (m - max).exp() + t * (n - max).exp())
    });
    sum.map(|(m, s)| m + s.ln())
}

/// The sum of squares of differences from the mean, by Welford's combination of counts and means.
fn deviations(x: Acc<Ix1, f64>) -> Acc<Z, f64> {
    let triples: Acc<Ix1, (f64, f64, f64)> = x.map(|x| (1.0, x, 0.0));
    let all = triples.fold1(|(n, mean, dev), (m, other, more)| {
        let delta = other - mean;
        let count = n + m;
        (
            count,
            mean + delta * m / count,
            dev + more + delta * delta * n * m / count,
        )
    });
    all.map(|(_, _, dev)| dev)
}

/// The composition of s ↦ a·s + b.
fn recurrence(x: Acc<Ix1, f64>) -> Acc<Ix1, f64> {
    let functions = x.map(|x| (x.sin(), x));
    functions
        .scanl1(|(a, b), (c, d)| (a * c, b * c + d))
        .map(|(_, b)| b)
}

#[test]
fn what_is_associative_but_for_rounding_is_accepted() {
    for n in [1, 2, 3, 40, 5000] {
        let input = || vector(n);
        accepted(&compile(log_sum).unwrap(), input);
        accepted(&compile(deviations).unwrap(), input);
        accepted(&compile(recurrence).unwrap(), input);
        let p = compile(|x: Acc<Ix1, f64>| x.fold(0.0, |x, y| x + y + x * y)).unwrap();
        accepted(&p, input);
        let p = compile(|x: Acc<Ix1, f64>| {
            x.map(|x| x.tanh())
                .scanr(0.0, |x, y| (x + y) / (x * y + 1.0))
        });
        accepted(&p.unwrap(), input);
        let p = compile(|x: Acc<Ix1, f64>| x.scanl(0.0, |x, y| (x * x + y * y).sqrt()));
        accepted(&p.unwrap(), input);
    }
}

/// The greatest element with its position, the first of equals.
#[test]
fn ties_are_accepted() {
    let p = compile(|x: Acc<Ix1, f64>| {
        let few = x.map(|x| x.round());
        let placed = few.zip_with(generate(few.shape(), |ix![i]| i), |x, i| (x, i));
        placed.fold1(|(x, i), (y, j)| {
            let first = x.ge(y);
            (cond(first, x, y), cond(first, i, j))
        })
    });
    accepted(&p.unwrap(), || vector(1000));
}

/// What the operator captures is what it has when the program runs.
#[test]
fn captured_values_are_those_of_the_run() {
    let p = compile(|x: Acc<Ix1, f64>, k: Acc<Z, f64>| {
        x.fold(0.0, move |s, x| s + x + k.the() * s * x)
    })
    .unwrap();
    let input = |k: f64| move || (vector(100), Array::from_vec([], vec![k]).unwrap());
    accepted(&p, input(0.25));
    let p =
        compile(|x: Acc<Ix1, f64>, k: Acc<Z, f64>| x.scanl1(move |s, x| k.the() * s + x)).unwrap();
    accepted(&p, input(1.0));
    refused(&p, "scanl1", input(0.5));
}

/// Infinities, NaN, overflow, zeros of either sign, and numbers below the normal ones.
#[test]
fn special_values_are_accepted() {
    let values = [
        f64::NEG_INFINITY,
        0.0,
        -0.0,
        1e308,
        1e308,
        -1e308,
        f64::NAN,
        5e-324,
        1e-200,
        -1e-200,
        f64::INFINITY,
        1.0,
        3.0,
    ];
    let input = || Array::vector(values.repeat(7)).unwrap();
    accepted(&compile(log_sum).unwrap(), input);
    accepted(&compile(deviations).unwrap(), input);
    accepted(&compile(recurrence).unwrap(), input);
    let p = compile(|x: Acc<Ix1, f64>| {
        x.scanl(f64::NEG_INFINITY, |x, y| {
            let max = x.max(y);
            max + ((x - max).exp() + (y - max).exp()).ln()
        })
    });
    accepted(&p.unwrap(), input);
    let p = compile(|x: Acc<Ix1, f64>| x.scanl(0.0, |x, y| (x * x + y * y).sqrt()));
    accepted(&p.unwrap(), input);
}

/// The scans and folds that derivatives are made of.
#[test]
fn derivatives_are_accepted() {
    let p = compile(|x: Acc<Ix1, f64>| {
        gradient_a(
            |x| x.scanl(0.5, |x, y| x + y + x * y).map(|x| x.sin()).sum(),
            x,
        )
    });
    accepted(&p.unwrap(), || vector(700));
    let p = compile(|x: Acc<Ix1, f64>| {
        gradient_a(|x: Acc<Ix1, f64>| x.fold1(|x, y| (x * x + y * y).sqrt()), x)
    });
    accepted(&p.unwrap(), || vector(700));
    let p = compile(|x: Acc<Ix1, f64>| {
        gradient_a(|x: Acc<Ix1, f64>| x.scanr1(|x, y| x * y).maximum(), x)
    });
    accepted(&p.unwrap(), || vector(700));
}
