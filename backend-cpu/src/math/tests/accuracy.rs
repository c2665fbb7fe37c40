//! How far the functions are from the standard library's, and that the two forms of each agree.

use super::{BINARY, Random, UNARY, arguments, distance, single_arguments, single_distance};

/// How many arguments of each kind.
const N: usize = 60_000;

#[test]
fn double_is_near_the_reference() {
    for function in &UNARY {
        for x in arguments(function.range, N) {
            let (result, expected) = ((function.double)(x), (function.reference)(x));
            let off = distance(result, expected);
            let name = function.name;
            assert!(
                off <= function.distance,
                "{name}({x:e}) = {result:e}, not {expected:e}: {off}"
            );
        }
    }
}

#[test]
fn single_is_the_rounded_reference_or_its_neighbour() {
    for function in &UNARY {
        for x in single_arguments(function.range, N) {
            let (result, expected) = (
                (function.single)(x),
                (function.reference)(f64::from(x)) as f32,
            );
            let off = single_distance(result, expected);
            let name = function.name;
            assert!(
                off <= 1,
                "{name}({x:e}) = {result:e}, not {expected:e}: {off}"
            );
        }
    }
}

/// Pairs of arguments: of like size, with powers all over the range, and of any size.
fn pairs() -> Vec<(f64, f64)> {
    let mut random = Random(7);
    let mut all = Vec::new();
    for _ in 0..N {
        all.push((random.between((-4.0, 4.0)), random.between((-4.0, 4.0))));
        let base = random.between((-30.0, 30.0)).exp();
        all.push((base, random.between((-745.0, 710.0)) / base.ln()));
        all.push((f64::from_bits(random.bits()), f64::from_bits(random.bits())));
    }
    all
}

#[test]
fn double_of_two_is_near_the_reference() {
    for function in &BINARY {
        for (x, y) in pairs() {
            let (result, expected) = ((function.double)(x, y), (function.reference)(x, y));
            let off = distance(result, expected);
            let name = function.name;
            assert!(
                off <= 2,
                "{name}({x:e}, {y:e}) = {result:e}, not {expected:e}: {off}"
            );
        }
    }
}

#[test]
fn single_of_two_is_the_rounded_reference_or_its_neighbour() {
    for function in &BINARY {
        for (x, y) in pairs() {
            let (x, y) = (x as f32, y as f32);
            let result = (function.single)(x, y);
            let expected = (function.reference)(f64::from(x), f64::from(y)) as f32;
            let off = single_distance(result, expected);
            let name = function.name;
            assert!(
                off <= 1,
                "{name}({x:e}, {y:e}) = {result:e}, not {expected:e}: {off}"
            );
        }
    }
}

#[test]
fn sines_are_right_beside_multiples_of_half_pi() {
    for k in 0..200_000_u32 {
        let x = f64::from(k) * std::f64::consts::FRAC_PI_2;
        for function in UNARY
            .iter()
            .filter(|function| ["sin", "cos", "tan"].contains(&function.name))
        {
            let (result, expected) = ((function.double)(x), (function.reference)(x));
            assert!(
                distance(result, expected) <= 2,
                "{}({x:e}) = {result:e}",
                function.name
            );
        }
    }
}

#[test]
fn exponentials_underflow_gradually() {
    let mut random = Random(1);
    for _ in 0..N {
        let x = random.between((-746.0, -708.0));
        assert!(distance(super::double::exp(x), x.exp()) <= 1, "exp({x:e})");
    }
}

#[test]
fn lanes_have_the_bits_of_single_lanes() {
    for function in &UNARY {
        let x = arguments(function.range, 1000);
        let mut out = vec![0.0; x.len()];
        (function.double_lanes)(&mut out, &x);
        for (out, x) in out.iter().zip(&x) {
            assert_eq!(
                out.to_bits(),
                (function.double)(*x).to_bits(),
                "{}({x:e})",
                function.name
            );
        }
        let x = single_arguments(function.range, 1000);
        let mut out = vec![0.0; x.len()];
        (function.single_lanes)(&mut out, &x);
        for (out, x) in out.iter().zip(&x) {
            assert_eq!(
                out.to_bits(),
                (function.single)(*x).to_bits(),
                "{}({x:e})",
                function.name
            );
        }
    }
}

#[test]
fn lanes_of_two_have_the_bits_of_single_lanes() {
    let (x, y): (Vec<f64>, Vec<f64>) = pairs().into_iter().take(3000).unzip();
    let narrow = |column: &[f64]| column.iter().map(|x| *x as f32).collect::<Vec<_>>();
    let (narrow_x, narrow_y) = (narrow(&x), narrow(&y));
    for function in &BINARY {
        let mut out = vec![0.0; x.len()];
        (function.double_lanes)(&mut out, &x, &y);
        let mut narrow_out = vec![0.0; x.len()];
        (function.single_lanes)(&mut narrow_out, &narrow_x, &narrow_y);
        for i in 0..x.len() {
            let one = (function.double)(x[i], y[i]);
            assert_eq!(
                out[i].to_bits(),
                one.to_bits(),
                "{}({:e}, {:e})",
                function.name,
                x[i],
                y[i]
            );
            let one = (function.single)(narrow_x[i], narrow_y[i]);
            assert_eq!(narrow_out[i].to_bits(), one.to_bits(), "{}", function.name);
        }
    }
}
