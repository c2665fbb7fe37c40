//! Stencils of many rows. The CPU computes the first and the last lanes of rows across rows, where there are enough of both: everything
//! here has to be as the interpreter has it, to the bit.

use cotangent::prelude::*;
use cotangent::{Cpu, Error, Native, Program, compile};
use cotangent_core::backend::RunError;

type Matrix = Acc<Ix2, f64>;
type Cube = Acc<Ix3, f64>;

/// The numbers of rows and columns: too few of either, as many as it takes, more, and several blocks of both.
const SHAPES: [[usize; 2]; 6] = [
    [63, 64],
    [64, 63],
    [64, 64],
    [65, 130],
    [66, 1027],
    [1030, 66],
];

/// By bytecode, and by machine code; on one thread, and on several.
fn cpus() -> [Cpu; 3] {
    let ways = [(Native::Off, 3), (Native::AtOnce, 1), (Native::AtOnce, 3)];
    ways.map(|(native, threads)| {
        let cpu = Cpu::builder().native(native).threads(threads);
        cpu.build().unwrap()
    })
}

fn runs<X: Arrays, Sh: Shape>(program: &Program<X, Acc<Sh, f64>>, input: &X::Host)
where
    X::Host: Clone,
{
    let expected = program.interpret(input.clone()).unwrap();
    for cpu in cpus() {
        let found = program.run(&cpu, input.clone()).unwrap();
        assert!(found.to_vec() == expected.to_vec(), "{cpu:?}");
    }
}

/// Eighths, sums of which are exact.
fn numbers(n: usize) -> Vec<f64> {
    let number = |k: usize| (k.wrapping_mul(0x9e37_79b9) % 1000) as f64 / 8.0;
    (0..n).map(number).collect()
}

fn boundary<Sh: Shape>(kind: usize) -> Boundary<Sh, f64> {
    match kind {
        0 => Boundary::Clamp,
        1 => Boundary::Mirror,
        2 => Boundary::Wrap,
        _last => Boundary::constant(0.5),
    }
}

/// Neighbours at up to `reach` rows and columns, each with a weight of its own.
fn weighted(m: Matrix, kind: usize, reach: i32) -> Matrix {
    m.stencil(boundary(kind), |s| {
        let sides = -reach..=reach;
        let places = sides
            .clone()
            .flat_map(|i| sides.clone().map(move |j| (i, j)));
        let terms = places.map(|(i, j)| f64::from(3 * i + j + 1) * s.at([i, j]));
        terms.reduce(|x, y| x + y).unwrap_or_else(|| s.at([0, 0]))
    })
}

#[test]
fn with_all_boundaries() {
    for (kind, reach) in [(0, 1), (1, 1), (2, 1), (3, 1), (3, 2), (3, 5)] {
        let program = compile(move |m: Matrix| weighted(m, kind, reach)).unwrap();
        for shape @ [h, w] in SHAPES {
            let m = Array::<Ix2, _>::from_vec(shape, numbers(h * w)).unwrap();
            runs(&program, &m);
        }
    }
}

#[test]
fn sent_back() {
    for (kind, reach) in [(0, 1), (1, 1), (2, 1), (3, 1)] {
        let back =
            move |m: Matrix| gradient_a(|x: Matrix| (weighted(x, kind, reach) * m).sum_all(), m);
        let program = compile(back).unwrap();
        for shape @ [h, w] in [[64, 64], [65, 130]] {
            let m = Array::<Ix2, _>::from_vec(shape, numbers(h * w)).unwrap();
            runs(&program, &m);
        }
    }
}

/// Where rows have two coordinates, those that are neighbours have the first one in common.
#[test]
fn in_three_dimensions() {
    for kind in 0..4 {
        let f = move |m: Cube| {
            m.stencil(boundary(kind), |s| {
                s.at([-1, 0, 1]) - 2.0 * s.at([0, 1, -1]) + s.at([1, -1, 0])
            })
        };
        let program = compile(f).unwrap();
        for shape @ [d, h, w] in [[3, 65, 66], [70, 3, 66], [2, 64, 1025]] {
            let m = Array::<Ix3, _>::from_vec(shape, numbers(d * h * w)).unwrap();
            runs(&program, &m);
        }
    }
}

/// Of all points that fail, the first one is reported, whichever is computed first.
#[test]
fn failures_are_those_of_the_first_point() {
    let f = |m: Matrix, by: Acc<Ix0, i32>| {
        let by = by.the();
        generate(m.shape(), move |ix![i, j]| {
            let before = m.at(ix![i, j - 1]);
            cond(j.gt(0), before, m.at(ix![i + by, 0]))
        })
    };
    let program = compile(f).unwrap();
    let m = Array::<Ix2, _>::from_vec([100, 80], numbers(8000)).unwrap();
    for by in [-100, -1, 0, 1, 37, 100] {
        let input = (m.clone(), Array::scalar(by));
        let expected = program.interpret(input.clone());
        for cpu in cpus() {
            let found = program.run(&cpu, input.clone());
            match (&expected, found) {
                (Ok(expected), Ok(found)) => assert_eq!(expected.to_vec(), found.to_vec()),
                (
                    Err(Error::Run(RunError::IndexOutOfRange { index, .. })),
                    Err(Error::Run(RunError::IndexOutOfRange { index: found, .. })),
                ) => assert_eq!(index, &found, "{by} on {cpu:?}"),
                (expected, found) => panic!("{by} on {cpu:?}: {expected:?} or {found:?}"),
            }
        }
    }
}
