//! What quotients of floats leave, against Rust's own, and its derivatives.

use super::{agrees, maps, vector};
use cotangent::f16;
use cotangent::prelude::*;
use cotangent_tests::differences::all_agree;

type Vector = Acc<Ix1, f64>;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Numbers of all magnitudes and signs, zeros, infinities and NaN; and powers of two, which leave nothing of each other.
fn numbers() -> Vec<f64> {
    let any = (1..40).map(|i| f64::from(i).sqrt() * 2f64.powi(i * 53 % 80 - 40));
    let powers = [-1060, -300, -3, 0, 1, 52, 700].map(|n| 2f64.powi(n));
    let exact = [0.1, 0.25, 3.0, 7.5, 1e16, f64::MAX, 5e-324];
    let sizes = any.chain(powers).chain(exact).chain([0.0, INF]);
    sizes.flat_map(|x| [x, -x]).chain([NAN]).collect()
}

/// All pairs.
fn pairs() -> Vec<(f64, f64)> {
    let all = numbers();
    let pairs = all.iter().flat_map(|&x| all.iter().map(move |&y| (x, y)));
    pairs.collect()
}

/// One bit pattern for all NaNs.
fn bits(x: f64) -> u64 {
    if x.is_nan() {
        NAN.to_bits()
    } else {
        x.to_bits()
    }
}

/// Exact, to the sign of a zero.
fn is_exact(f: impl Fn((Exp<f64>, Exp<f64>)) -> Exp<f64>, expected: fn(f64, f64) -> f64) {
    let inputs = vector(pairs());
    let program = cotangent::compile(|v: Acc<Ix1, (f64, f64)>| v.map(&f)).unwrap();
    let by_cpu = program.run(&cotangent::Cpu::default(), inputs.clone());
    for found in [program.interpret(inputs.clone()), by_cpu] {
        for (found, (x, y)) in found.unwrap().to_vec().into_iter().zip(pairs()) {
            let expected = expected(x, y);
            assert_eq!(
                bits(found),
                bits(expected),
                "{x:e} and {y:e}: {found:e}, {expected:e}"
            );
        }
    }
}

#[test]
fn remainders_are_exact() {
    is_exact(|(x, y)| x % y, |x, y| x % y);
    let narrow = |(x, y): (f64, f64)| (x as f32, y as f32);
    let singles: Vec<(f32, f32)> = pairs().into_iter().map(narrow).collect();
    let expected: Vec<f32> = singles.iter().map(|(x, y)| x % y).collect();
    maps(|(x, y): (Exp<f32>, Exp<f32>)| x % y, singles, expected);
    let halves = [
        (5.5, 2.0),
        (-60000.0, 0.0999755859375),
        (2.0, INF),
        (1.0, 0.0),
    ];
    let expected = halves.map(|(x, y): (f64, f64)| x % y);
    let halves = halves.map(|(x, y)| (f16::from_f64(x), f16::from_f64(y)));
    maps(
        |(x, y): (Exp<f16>, Exp<f16>)| (x % y).to::<f64>(),
        halves,
        expected,
    );
}

#[test]
fn remainders_that_are_not_negative() {
    is_exact(|(x, y)| x.rem_euclid(y), f64::rem_euclid);
    is_exact(|(x, y)| x.div_euclid(y), f64::div_euclid);
}

#[test]
fn literals_and_arrays() {
    maps(|x: Exp<f64>| 7.5 % x, [2.0, -2.0, 0.25], [1.5, 1.5, 0.0]);
    maps(|x: Exp<f64>| (7 % x) + x % 2, [4.0], [3.0]);
    maps(
        |x: Exp<f64>| x % 1.0,
        [5.75, -5.75, 3.0],
        [0.75, -0.75, 0.0],
    );
    maps(|x: Exp<f64>| x % 0, [1.0, 0.0], [NAN, NAN]);
    maps(|x: Exp<f64>| x % x, [1.5, 0.0, INF], [0.0, NAN, NAN]);
    let of = |v: Vector, w: Vector| {
        let mut rest = v % w;
        rest %= 1.0;
        (rest, 10.0 % v, v.rem_euclid(w), v.div_euclid(2.0))
    };
    let inputs = (vector([5.75, -5.75]), vector([2.0, 4.0]));
    let found = interpret(of, inputs).unwrap();
    assert_eq!(found.0.to_vec(), [0.75, -0.75]);
    assert_eq!(found.1.to_vec(), [4.25, 4.25]);
    assert_eq!(found.2.to_vec(), [1.75, 2.25]);
    assert_eq!(found.3.to_vec(), [2.0, -3.0]);
}

/// By three roads, once and twice, on both sides of zero.
#[test]
fn derivatives_of_remainders() {
    let inputs = (
        vector([5.75, -5.75, 0.5, 9.0]),
        vector([2.0, 1.6, -3.0, -2.5]),
    );
    let plain = |(v, w): (Vector, Vector)| (v % w * w).sum();
    let euclid = |(v, w): (Vector, Vector)| (v.rem_euclid(w) * v + v.div_euclid(w) * w).sum();
    all_agree(plain, inputs.clone());
    all_agree(euclid, inputs.clone());
    let slopes = move |p: (Vector, Vector)| {
        let (dv, dw) = gradient_a(plain, p);
        (dv * dw).sum()
    };
    all_agree(slopes, inputs);
    let slopes = |p: (Exp<f64>, Exp<f64>)| gradient_e(|(x, y): (Exp<f64>, Exp<f64>)| x % y, p);
    // The quotient 1 / 0.1 is rounded up to 10.
    maps(
        slopes,
        [(7.0, 2.0), (-7.0, 2.0), (1.0, 0.1)],
        [(1.0, -3.0), (1.0, 3.0), (1.0, -9.0)],
    );
}

#[test]
fn remainders_in_every_engine() {
    let of = |v: Acc<Ix1, f32>, w: Acc<Ix1, f32>| (v % w, v.rem_euclid(w), v.div_euclid(w));
    let of_wide = |v: Vector, w: Vector| (v % w, v.rem_euclid(w), v.div_euclid(w));
    let is_usual = |x: &f64| x.is_finite() && (*x == 0.0 || (1e-30..1e30).contains(&x.abs()));
    let usual = pairs()
        .into_iter()
        .filter(|(x, y)| is_usual(x) && is_usual(y));
    let (x, y): (Vec<f64>, Vec<f64>) = usual.unzip();
    let single = |v: &[f64]| v.iter().map(|&x| x as f32).collect::<Vec<_>>();
    agrees(of, vec![single(&x).into(), single(&y).into()]);
    agrees(of_wide, vec![x.into(), y.into()]);
}
