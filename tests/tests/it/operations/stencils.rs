//! Stencils against plain Rust, with every boundary and offsets beyond the whole array.

use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, check_grad, compile};

type Ints = Acc<Ix1, i32>;
type Grid = Acc<Ix2, i32>;
type Vector = Acc<Ix1, f64>;

/// The position of what is `by` further along n elements; none where a value takes its place.
type Place = fn(i64, i64) -> Option<i64>;

fn clamped(at: i64, n: i64) -> Option<i64> {
    Some(at.clamp(0, n - 1))
}

fn mirrored(at: i64, n: i64) -> Option<i64> {
    let at = at.abs();
    Some(if at < n {
        at
    } else {
        (2 * n - 2 - at).clamp(0, n - 1)
    })
}

fn wrapped(at: i64, n: i64) -> Option<i64> {
    Some(at.rem_euclid(n))
}

fn inside(at: i64, n: i64) -> Option<i64> {
    Some(at).filter(|at| (0..n).contains(at))
}

/// The kinds of boundaries; beyond the border is 7 or ten times the index.
const PLACES: [Place; 5] = [clamped, mirrored, wrapped, inside, inside];

fn boundary(kind: usize) -> Boundary<Ix1, i32> {
    match kind {
        0 => Boundary::Clamp,
        1 => Boundary::Mirror,
        2 => Boundary::Wrap,
        3 => Boundary::constant(7),
        _last => Boundary::function(|ix![i]| 10 * i),
    }
}

fn instead(kind: usize, at: i64) -> i32 {
    if kind == 3 { 7 } else { 10 * at as i32 }
}

#[test]
fn stencil() {
    for (kind, place) in PLACES.iter().enumerate() {
        for n in [0, 1, 2, 3, 6] {
            let x: Vec<i32> = (0..n).map(|i| i * i + 1).collect();
            let at = |i: i64, by: i64| match place(i + by, i64::from(n)) {
                Some(at) => x[at as usize],
                None => instead(kind, i + by),
            };
            let expected: Vec<i32> = (0..i64::from(n))
                .map(|i| at(i, -1) + 100 * at(i, 2) + 10_000 * at(i, 0) + 7 * at(i, -3))
                .collect();
            let f = move |x: Ints| {
                let sum = |s: Stencil<Ix1, i32>| {
                    s.at([-1]) + 100 * s.at([2]) + 10_000 * s.at([0]) + 7 * s.at([-3])
                };
                x.stencil(boundary(kind), sum)
            };
            gives(f, vector(x.clone()), vector(expected));
        }
    }
}

#[test]
fn stencils_of_matrices() {
    let m = || matrix([[1, 2, 3], [4, 5, 6]]);
    let corners = |s: Stencil<Ix2, i32>| 10 * s.at([-1, 1]) + s.at([1, 0]);
    gives(
        move |m: Grid| m.stencil(Boundary::Clamp, corners),
        m(),
        matrix([[24, 35, 36], [24, 35, 36]]),
    );
    gives(
        move |m: Grid| m.stencil(Boundary::Mirror, corners),
        m(),
        matrix([[54, 65, 56], [21, 32, 23]]),
    );
    gives(
        move |m: Grid| m.stencil(Boundary::Wrap, corners),
        m(),
        matrix([[54, 65, 46], [21, 32, 13]]),
    );
    gives(
        move |m: Grid| m.stencil(Boundary::constant(0), corners),
        m(),
        matrix([[4, 5, 6], [20, 30, 0]]),
    );
}

#[test]
fn stencil2() {
    let f = |x: Vector, k: Vector| {
        x.stencil2(Boundary::Wrap, k, Boundary::constant(0.5), |x, k| {
            x.at([1]) * k.at([-1])
        })
    };
    let inputs = (vector([1.0, 2.0, 4.0]), vector([3.0, 5.0, 7.0]));
    gives(f, inputs, vector([1.0, 12.0, 5.0]));
    let shorter = (vector([1.0, 2.0]), vector([3.0]));
    let error = compile(f).unwrap().run(&Cpu::default(), shorter);
    assert!(error.unwrap_err().to_string().contains("[1]"));
}

#[test]
fn derivatives_of_stencils() {
    let of = |kind: usize| match kind {
        0 => Boundary::Clamp,
        1 => Boundary::Mirror,
        2 => Boundary::Wrap,
        3 => Boundary::constant(0.5),
        _last => Boundary::function(|ix![i]| i.to_f64() * 0.25),
    };
    for kind in 0..PLACES.len() {
        for n in [1, 2, 3, 7] {
            let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin() + 0.2).collect();
            let f = move |x: Vector| {
                x.stencil(of(kind), |s| {
                    s.at([-1]) * s.at([1]) + (s.at([0]) - s.at([2])).sin()
                })
            };
            let check = check_grad(f, vector(x)).unwrap();
            assert!(check.agrees(), "{kind}, {n}: {check}");
        }
    }
    for kind in 0..4 {
        let of = move || match kind {
            0 => Boundary::Clamp,
            1 => Boundary::Mirror,
            2 => Boundary::Wrap,
            _last => Boundary::constant(0.5),
        };
        let laplace = move |m: Acc<Ix2, f64>| {
            m.stencil(of(), |s| {
                let around = s.at([-1, 0]) + s.at([1, 0]) + s.at([0, -1]) + s.at([0, 1]);
                s.at([0, 0]).cos() * (around - 4.0 * s.at([0, 0]))
            })
        };
        let m = matrix([[0.5, -1.0, 2.0], [0.25, 1.5, -0.75]]);
        let check = check_grad(laplace, m).unwrap();
        assert!(check.agrees(), "{kind}: {check}");
    }
}

/// Beyond a corner the function is given both coordinates.
#[test]
fn function() {
    let corners = |m: Grid| {
        let beyond = Boundary::function(|ix![i, j]| 10 * i + j);
        m.stencil(beyond, |s| s.at([1, -1]))
    };
    gives(
        corners,
        matrix([[1, 2], [3, 4]]),
        matrix([[9, 3], [19, 20]]),
    );
}

#[test]
fn windows() {
    for kind in 0..PLACES.len() {
        gives(
            move |v: Ints| {
                v.windows(boundary(kind), |[a, b, c, d]| {
                    a + 10 * b + 100 * c + 1000 * d
                })
            },
            vector([1, 2, 5]),
            stencil_of_four(kind, &[1, 2, 5]),
        );
    }
    let corners = |[[a, _, b], [_, x, _], [c, _, d]]: [[Exp<i32>; 3]; 3]| {
        a + 10 * b + 100 * c + 1000 * d + 10_000 * x
    };
    let by_offsets = |m: Grid| {
        m.stencil(Boundary::Wrap, |s| {
            s.at([-1, -1]) + 10 * s.at([-1, 1]) + 100 * s.at([1, -1]) + 1000 * s.at([1, 1])
        })
    };
    gives(
        move |m: Grid| m.windows(Boundary::Wrap, corners) - 10_000 * m - by_offsets(m),
        matrix([[1, 2, 3], [4, 5, 6]]),
        matrix([[0; 3]; 2]),
    );
    let row = |m: Grid| m.windows(Boundary::constant(0), |[[left, _, right]]| left - right);
    gives(row, matrix([[1, 2], [3, 4]]), matrix([[-2, 1], [-4, 3]]));
}

/// The sums of two elements before, one before, at and after each position, with weights 1, 10, 100 and 1000.
fn stencil_of_four(kind: usize, v: &[i32]) -> Array<Ix1, i32> {
    let n = v.len() as i64;
    let there = |at: i64| match PLACES[kind](at, n) {
        Some(at) => v[at as usize],
        None => instead(kind, at),
    };
    let sum = |i: i64| {
        let terms = [(-2, 1), (-1, 10), (0, 100), (1, 1000)];
        terms
            .map(|(by, weight)| weight * there(i + by))
            .iter()
            .sum()
    };
    vector((0..n).map(sum).collect::<Vec<i32>>())
}
