//! How far off functions of floats are. A NaN where a number is expected, or the other way round, is infinitely far off.

use super::vector;
use cotangent::prelude::*;
use cotangent::{Cpu, compile};

type Vector = Acc<Ix1, f64>;

/// The greatest error of what the interpreter and the CPU give for `x`, in the measure of `error`.
pub(super) fn farthest(
    f: impl Fn(Vector) -> Vector,
    (x, expected): (&[f64], &[f64]),
    error: impl Fn(f64, f64) -> f64,
) -> f64 {
    let program = compile(f).unwrap();
    let by_reference = program.interpret(vector(x)).unwrap().to_vec();
    let by_cpu = program.run(&Cpu::default(), vector(x)).unwrap().to_vec();
    let found = [by_reference, by_cpu].concat();
    assert_eq!(found.len(), 2 * expected.len());
    greatest(found, expected.iter().cycle(), error)
}

/// The greatest error of what the CPU gives for singles.
pub(super) fn farthest_single(
    f: impl Fn(Acc<Ix1, f32>) -> Acc<Ix1, f32>,
    (x, expected): (&[f32], &[f64]),
    error: impl Fn(f32, f64) -> f64,
) -> f64 {
    let found = compile(f).unwrap().run(&Cpu::default(), vector(x));
    greatest(found.unwrap().to_vec(), expected.iter(), error)
}

fn greatest<'a, T: Copy + Into<f64>>(
    found: Vec<T>,
    expected: impl Iterator<Item = &'a f64>,
    error: impl Fn(T, f64) -> f64,
) -> f64 {
    let pairs = found.into_iter().zip(expected);
    let errors = pairs.map(|(y, &e)| match (y.into().is_nan(), e.is_nan()) {
        (false, false) => error(y, e),
        (true, true) => 0.0,
        (true, false) | (false, true) => f64::INFINITY,
    });
    errors.fold(0.0, f64::max)
}

/// In units in the last place.
pub(super) fn units(found: f64, expected: f64) -> f64 {
    match found == expected {
        true => 0.0,
        false => (found - expected).abs() / (expected.abs().next_up() - expected.abs()),
    }
}

/// In units in the last place of the nearest single, whatever they are where that is subnormal.
pub(super) fn units_single(found: f32, expected: f64) -> f64 {
    let nearest = expected as f32;
    match found == nearest {
        true => 0.0,
        false => {
            let unit = nearest.abs().next_up() - nearest.abs();
            (f64::from(found) - expected).abs() / f64::from(unit)
        }
    }
}

/// Relative where the number is greater than 1.
pub(super) fn relative(found: f64, expected: f64) -> f64 {
    match found == expected {
        true => 0.0,
        false => (found - expected).abs() / expected.abs().max(1.0),
    }
}
