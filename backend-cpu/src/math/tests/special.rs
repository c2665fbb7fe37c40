//! Special cases, as C99 has them.

use super::{BINARY, EDGES, UNARY, distance, double, single_distance};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

const INFINITY: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Asserts equality, with the signs of zeros and with numbers that are none.
fn check(what: &str, result: f64, expected: f64) {
    assert_eq!(
        distance(result, expected),
        0,
        "{what} = {result:e}, not {expected:e}"
    );
}

#[test]
fn edges_of_one_argument_are_those_of_the_reference() {
    for function in &UNARY {
        for x in EDGES {
            let (result, expected) = ((function.double)(x), (function.reference)(x));
            let exact = expected == 0.0 || expected.is_infinite();
            let limit = if exact { 0 } else { function.distance };
            let name = function.name;
            assert!(
                distance(result, expected) <= limit,
                "{name}({x:e}) = {result:e}, not {expected:e}"
            );
        }
    }
}

#[test]
fn edges_of_two_arguments_are_those_of_the_reference() {
    for function in &BINARY {
        for x in EDGES {
            for y in EDGES {
                let name = function.name;
                let (result, expected) = ((function.double)(x, y), (function.reference)(x, y));
                assert!(
                    distance(result, expected) <= 1,
                    "{name}({x:e}, {y:e}) = {result:e}, not {expected:e}"
                );
                let (x, y) = (x as f32, y as f32);
                let expected = (function.reference)(f64::from(x), f64::from(y)) as f32;
                let result = (function.single)(x, y);
                assert!(
                    single_distance(result, expected) <= 1,
                    "{name}({x:e}, {y:e}) = {result:e}"
                );
            }
        }
    }
}

#[test]
fn functions_keep_negative_zero() {
    for function in &UNARY {
        if (function.reference)(0.0) == 0.0 && function.name != "acos" {
            check(function.name, (function.double)(-0.0), -0.0);
            assert_eq!(
                (function.single)(-0.0).to_bits(),
                (-0.0_f32).to_bits(),
                "{}",
                function.name
            );
        }
    }
}

#[test]
fn powers_are_those_of_the_standard() {
    for (x, y, expected) in [
        (NAN, 0.0, 1.0),
        (1.0, NAN, 1.0),
        (-1.0, INFINITY, 1.0),
        (-1.0, -INFINITY, 1.0),
        (0.5, INFINITY, 0.0),
        (0.5, -INFINITY, INFINITY),
        (2.0, -INFINITY, 0.0),
        (-8.0, 1.0 / 3.0, NAN),
        (-2.0, 3.0, -8.0),
        (-2.0, 4.0, 16.0),
        (-0.0, 3.0, -0.0),
        (-0.0, -3.0, -INFINITY),
        (-0.0, -2.0, INFINITY),
        (-INFINITY, 3.0, -INFINITY),
        (-INFINITY, -3.0, -0.0),
        (-INFINITY, 0.5, INFINITY),
        (NAN, 2.0, NAN),
        (2.0, NAN, NAN),
        (2.0, 1024.0, INFINITY),
        (-2.0, 1025.0, -INFINITY),
        (2.0, -1074.0, 5e-324),
        (2.0, -1076.0, 0.0),
    ] {
        check(&format!("pow({x:e}, {y:e})"), double::pow(x, y), expected);
    }
}

#[test]
fn angles_know_the_signs_of_zeros() {
    for (y, x, expected) in [
        (0.0, 0.0, 0.0),
        (-0.0, 0.0, -0.0),
        (0.0, -0.0, PI),
        (-0.0, -0.0, -PI),
        (0.0, -1.0, PI),
        (-0.0, 1.0, -0.0),
        (1.0, -0.0, FRAC_PI_2),
        (-1.0, 0.0, -FRAC_PI_2),
        (INFINITY, INFINITY, FRAC_PI_4),
        (INFINITY, -INFINITY, 3.0 * FRAC_PI_4),
        (-INFINITY, 1e308, -FRAC_PI_2),
        (1e308, -INFINITY, PI),
        (1e308, INFINITY, 0.0),
        (NAN, 1.0, NAN),
        (1.0, NAN, NAN),
        (5e-324, 5e-324, FRAC_PI_4),
        (f64::MAX, f64::MAX, FRAC_PI_4),
    ] {
        check(
            &format!("atan2({y:e}, {x:e})"),
            double::atan2(y, x),
            expected,
        );
    }
}
