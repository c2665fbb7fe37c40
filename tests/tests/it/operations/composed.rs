//! Functions of floats that are made of others: how far off they are, at the ends of their range, and their derivatives.

use super::errors::{self, units, units_single};
use super::{agrees, maps, vector};
use cotangent::f16;
use cotangent::prelude::*;
use cotangent_tests::differences::all_agree;
use std::f64::consts::LN_2;

type Vector = Acc<Ix1, f64>;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// x, and the nearest numbers to 1 / (1 + e⁻ˣ) and ln(1 + eˣ), computed with 400 bits.
const LOGISTIC: [(f64, f64, f64); 24] = [
    (-745.0, 5e-324, 5e-324),
    (-700.5, 5.980196118639791e-305, 5.980196118639791e-305),
    (-100.25, 2.897198083210148e-44, 2.897198083210148e-44),
    (-37.5, 5.175555005801868e-17, 5.175555005801868e-17),
    (-20.0, 2.0611536181902037e-09, 2.061153620314381e-09),
    (-5.5, 0.004070137715896128, 0.0040784432705707205),
    (-2.0, 0.11920292202211756, 0.1269280110429725),
    (-1.0, 0.2689414213699951, 0.3132616875182228),
    (-0.75, 0.320821300824607, 0.38687100611489994),
    (-0.1, 0.47502081252106, 0.6443966600735709),
    (-1e-05, 0.49999750000000004, 0.6931421805724453),
    (-1e-20, 0.5, LN_2),
    (1e-20, 0.5, LN_2),
    (1e-05, 0.5000025, 0.6931521805724453),
    (0.1, 0.52497918747894, 0.7443966600735709),
    (0.3, 0.574442516811659, 0.8543552444685271),
    (1.0, 0.7310585786300049, 1.3132616875182228),
    (2.5, 0.9241418199787564, 2.5788897342925496),
    (5.0, 0.9933071490757152, 5.006715348489118),
    (17.0, 0.9999999586006245, 17.000000041399375),
    (36.0, 0.9999999999999998, 36.0),
    (37.5, 1.0, 37.5),
    (100.0, 1.0, 100.0),
    (710.0, 1.0, 710.0),
];

/// Numbers of all magnitudes, of both signs.
fn numbers(n: usize) -> Vec<f64> {
    let of = |i: usize| {
        let x = (i as f64 * 0.618_033_988_749_895).fract() * 2.0 - 1.0;
        x * 2f64.powi((i * 37 % 61) as i32 - 30)
    };
    (0..n).map(of).collect()
}

/// In units in the last place.
fn farthest(f: impl Fn(Vector) -> Vector, x: &[f64], expected: &[f64]) -> f64 {
    errors::farthest(f, (x, expected), units)
}

fn farthest_single(
    f: impl Fn(Acc<Ix1, f32>) -> Acc<Ix1, f32>,
    x: &[f32],
    of: impl Fn(f64) -> f64,
) -> f64 {
    let expected: Vec<f64> = x.iter().map(|&x| of(x.into())).collect();
    errors::farthest_single(f, (x, &expected), units_single)
}

#[test]
fn sigmoid() {
    let (x, expected): (Vec<_>, Vec<_>) = LOGISTIC.map(|(x, s, _)| (x, s)).into_iter().unzip();
    let most = farthest(|v| v.sigmoid(), &x, &expected);
    assert!(most <= 2.0, "{most} units");
    let regular = (-20_000..20_000).map(|i| i as f32 * 0.002_731);
    // Of which the quotient of rounded numbers is 2.3 units off, and its derivative 4.
    let singles: Vec<f32> = regular.chain([-3.462_477_7, -3.413_260_2]).collect();
    let most = farthest_single(|v| v.sigmoid(), &singles, |x| 1.0 / (1.0 + (-x).exp()));
    assert!(most <= 2.0, "{most} units");
    let slope = |x: f64| 1.0 / ((1.0 + x.exp()) * (1.0 + (-x).exp()));
    let slopes = |v: Acc<Ix1, f32>| gradient_a(|v: Acc<Ix1, f32>| v.sigmoid().sum(), v);
    let most = farthest_single(slopes, &singles, slope);
    assert!(most <= 3.0, "{most} units of a slope");
    maps(|x: Exp<f64>| x.sigmoid(), [INF, -INF, NAN], [1.0, 0.0, NAN]);
    all_agree(
        |v: Vector| v.sigmoid().sum(),
        vector([-3.0, -0.5, 0.25, 2.0]),
    );
    all_agree(
        |v: Vector| gradient_a(|v: Vector| v.sigmoid().sum(), v).sum(),
        vector([-3.0, 0.25]),
    );
}

#[test]
fn softplus() {
    let (x, expected): (Vec<_>, Vec<_>) = LOGISTIC.map(|(x, _, p)| (x, p)).into_iter().unzip();
    let most = farthest(|v| v.softplus(), &x, &expected);
    assert!(most <= 2.0, "{most} units");
    let singles: Vec<f32> = (-20_000..20_000).map(|i| i as f32 * 0.002_731).collect();
    let most = farthest_single(|v| v.softplus(), &singles, |x| x.exp().ln_1p());
    assert!(most <= 2.0, "{most} units");
    maps(
        |x: Exp<f64>| x.softplus(),
        [INF, -INF, NAN],
        [INF, 0.0, NAN],
    );
    all_agree(
        |v: Vector| v.softplus().sum(),
        vector([-3.0, -0.5, 0.0, 2.0]),
    );
    let (x, slopes): (Vec<_>, Vec<_>) = LOGISTIC.map(|(x, s, _)| (x, s)).into_iter().unzip();
    let most = farthest(
        |v| gradient_a(|v: Vector| v.softplus().sum(), v),
        &x,
        &slopes,
    );
    assert!(most <= 2.0, "{most} units");
}

#[test]
fn hypot() {
    let (x, mut y) = (numbers(4000), numbers(4001));
    y.remove(0);
    let expected: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x.hypot(*y)).collect();
    let other = vector(y);
    let most = farthest(|v| v.hypot(use_(&other)), &x, &expected);
    assert!(most <= 3.0, "{most} units from what is within one");
    let pairs = [
        (3e200, 4e200),
        (3e-200, -4e-200),
        (0.0, -0.0),
        (-INF, NAN),
        (NAN, INF),
        (NAN, 0.0),
        (0.0, 2.0),
    ];
    let expected = [5e200, 5e-200, 0.0, INF, INF, NAN, 2.0];
    maps(|(x, y): (Exp<f64>, Exp<f64>)| x.hypot(y), pairs, expected);
    let of = |(v, w): (Vector, Vector)| v.hypot(w).sum();
    let inputs = (vector([3.0, -1.0, 0.25]), vector([4.0, 2.0, -0.5]));
    all_agree(of, inputs);
    // As precise where squares would overflow.
    maps(
        |p: (Exp<f64>, Exp<f64>)| gradient_e(|(x, y): (Exp<f64>, Exp<f64>)| x.hypot(y), p),
        [(3e200, 4e200), (0.0, 0.0)],
        [(0.6, 0.8), (0.0, 0.0)],
    );
}

#[test]
fn log2() {
    let x: Vec<f64> = numbers(4000).into_iter().map(f64::abs).collect();
    let expected: Vec<f64> = x.iter().map(|x| x.log2()).collect();
    let most = farthest(|v| v.log2(), &x, &expected);
    assert!(most <= 3.0, "{most} units from what is within one");
    maps(
        |x: Exp<f64>| x.log2(),
        [0.0, -1.0, INF, 1.0],
        [-INF, NAN, INF, 0.0],
    );
    all_agree(|v: Vector| v.log2().sum(), vector([0.5, 3.0]));
}

#[test]
fn log10() {
    let x: Vec<f64> = numbers(4000).into_iter().map(f64::abs).collect();
    let expected: Vec<f64> = x.iter().map(|x| x.log10()).collect();
    let most = farthest(|v| v.log10(), &x, &expected);
    assert!(most <= 3.0, "{most} units from what is within one");
    all_agree(|v: Vector| v.log10().sum(), vector([0.5, 3.0]));
}

#[test]
fn exp2() {
    let x: Vec<f64> = (-8000..8000).map(|i| f64::from(i) * 0.1273).collect();
    let expected: Vec<f64> = x.iter().map(|x| x.exp2()).collect();
    let most = farthest(|v| v.exp2(), &x, &expected);
    assert!(most <= 2.5, "{most} units from what is within half of one");
    let integers: Vec<f64> = (-1074..1024).map(f64::from).collect();
    let expected: Vec<f64> = integers.iter().map(|x| x.exp2()).collect();
    assert_eq!(farthest(|v| v.exp2(), &integers, &expected), 0.0);
    maps(|x: Exp<f64>| x.exp2(), [INF, -INF, NAN], [INF, 0.0, NAN]);
    all_agree(|v: Vector| v.exp2().sum(), vector([-0.5, 3.0]));
}

#[test]
fn cbrt() {
    let mut x = numbers(4000);
    x.extend([1e300, -1e300, 1e-300, 5e-324, -3e-310, 27.0, f64::MAX]);
    let expected: Vec<f64> = x.iter().map(|x| x.cbrt()).collect();
    let most = farthest(|v| v.cbrt(), &x, &expected);
    assert!(most <= 2.5, "{most} units from what is within half of one");
    let singles: Vec<f32> = (-800..800).map(|i| i as f32 * 7.31).collect();
    let most = farthest_single(|v| v.cbrt(), &singles, f64::cbrt);
    assert!(most <= 2.0, "{most} units");
    maps(
        |x: Exp<f64>| x.cbrt(),
        [INF, -INF, NAN, 0.0, -0.0],
        [INF, -INF, NAN, 0.0, -0.0],
    );
    let of = |v: Vector| v.cbrt().sum();
    all_agree(of, vector([-3.0, 0.25, 2.0]));
    let slopes = |v: Vector| gradient_a(of, v).sum();
    all_agree(slopes, vector([-3.0, 0.25, 2.0]));
    // What does not depend on the root has no part in its pole.
    let product = |x: Exp<f64>| gradient_e(|x| x.cbrt() * 0.0, x);
    maps(product, [0.0, 1.0], [0.0, 0.0]);
}

#[test]
fn to_degrees() {
    let angles = [0.0, -1.5, 90.0, INF];
    let expected = angles.map(f64::to_degrees);
    maps(|x: Exp<f64>| x.to_degrees(), angles, expected);
    all_agree(|v: Vector| v.to_degrees().sum(), vector([1.0]));
}

#[test]
fn to_radians() {
    let angles = [0.0, -1.5, 90.0, INF];
    let expected = angles.map(f64::to_radians);
    maps(|x: Exp<f64>| x.to_radians(), angles, expected);
    all_agree(|v: Vector| v.to_radians().sum(), vector([1.0]));
}

#[test]
fn fract() {
    maps(
        |x: Exp<f64>| x.fract(),
        [1.75, -1.75, 3.0, NAN],
        [0.75, -0.75, 0.0, NAN],
    );
    maps(|x: Exp<f32>| x.fract(), [0.5f32, -2.25], [0.5, -0.25]);
    all_agree(|v: Vector| (v * v.fract()).sum(), vector([0.5, -3.25]));
}

#[test]
fn copysign() {
    let pairs = [
        (1.0, -2.0),
        (-1.0, 0.0),
        (0.0, -0.0),
        (INF, -1.0),
        (-3.0, 5.0),
        (2.0, -0.0),
    ];
    let of = |(x, y): (Exp<f64>, Exp<f64>)| x.copysign(y);
    let expected = pairs.map(|(x, y): (f64, f64)| x.copysign(y));
    maps(of, pairs, expected);
    // Zeros are equal, whatever their sign: their reciprocals are not.
    maps(
        |p: (Exp<f64>, Exp<f64>)| of(p).recip(),
        pairs,
        expected.map(f64::recip),
    );
    all_agree(
        |(v, w): (Vector, Vector)| v.copysign(w).sum(),
        (vector([2.0, -1.0]), vector([-1.0, -3.0])),
    );
}

#[test]
fn round_ties_even() {
    let mut values: Vec<f64> = (-40..40).map(|i| f64::from(i) / 4.0).collect();
    values.extend([
        1e300,
        4503599627370495.5,
        -0.0,
        0.49999999999999994,
        INF,
        -INF,
    ]);
    let expected: Vec<f64> = values.iter().map(|x| x.round_ties_even()).collect();
    assert_eq!(farthest(|v| v.round_ties_even(), &values, &expected), 0.0);
    maps(|x: Exp<f64>| x.round_ties_even().recip(), [-0.25], [-INF]);
    maps(
        |x: Exp<f32>| x.round_ties_even(),
        [2.5f32, -3.5],
        [2.0, -4.0],
    );
    let halves = [0.5, 1.5, -2.5].map(f16::from_f64);
    maps(
        |x: Exp<f16>| x.round_ties_even().to::<f64>(),
        halves,
        [0.0, 2.0, -2.0],
    );
    all_agree(
        |v: Vector| (v * v.round_ties_even()).sum(),
        vector([0.75, -3.25]),
    );
}

#[test]
fn sin_cos() {
    let pairs = |v: Vector| v.map(|x| x.sin_cos());
    let separate = |v: Vector| v.map(|x| (x.sin(), x.cos()));
    let values = vector(numbers(100));
    let of = |f: fn(Vector) -> Acc<Ix1, (f64, f64)>| interpret(f, values.clone()).unwrap().to_vec();
    assert_eq!(of(pairs), of(separate));
}

#[test]
fn logaddexp() {
    let pairs = [
        (0.0, 0.0),
        (700.0, 710.0),
        (-1e4, 1e4),
        (INF, INF),
        (-INF, -INF),
        (INF, -INF),
        (NAN, 1.0),
    ];
    let expected = [
        LN_2,
        710.0 + (-10f64).exp().ln_1p(),
        1e4,
        INF,
        -INF,
        INF,
        NAN,
    ];
    let of = |(x, y): (Exp<f64>, Exp<f64>)| x.logaddexp(y);
    maps(of, pairs, expected);
    let slopes = |p: (Exp<f64>, Exp<f64>)| gradient_e(of, p);
    maps(slopes, [(INF, INF), (-INF, 0.0)], [(0.5, 0.5), (0.0, 1.0)]);
    let sums = |(v, w): (Vector, Vector)| v.logaddexp(w).sum();
    let inputs = (vector([0.5, -3.0, 2.0]), vector([-1.0, 4.0, 2.0]));
    all_agree(sums, inputs.clone());
    let twice = move |p: (Vector, Vector)| {
        let (dv, dw) = gradient_a(sums, p);
        (dv * dv + dw).sum()
    };
    all_agree(twice, inputs);
}

/// Of floats of each type, by what Rust says of those of the greatest.
#[test]
fn is_normal() {
    let values = [1.0, -1e-310, f64::MIN_POSITIVE, 5e-324, 0.0, INF, NAN];
    maps(
        |x: Exp<f64>| x.is_normal(),
        values,
        values.map(f64::is_normal),
    );
    let singles = [1.0, -1e-40, f32::MIN_POSITIVE, 0.0];
    maps(
        |x: Exp<f32>| x.is_normal(),
        singles,
        singles.map(f32::is_normal),
    );
    let halves = [1.0, 6.2e-5, 6e-5, 0.0].map(f16::from_f64);
    maps(
        |x: Exp<f16>| x.is_normal(),
        halves,
        [true, true, false, false],
    );
}

#[test]
fn is_subnormal() {
    let values = [1.0, -1e-310, f64::MIN_POSITIVE, 5e-324, 0.0, INF, NAN];
    maps(
        |x: Exp<f64>| x.is_subnormal(),
        values,
        values.map(f64::is_subnormal),
    );
    let singles = [1.0, -1e-40, f32::MIN_POSITIVE, 0.0];
    maps(
        |x: Exp<f32>| x.is_subnormal(),
        singles,
        singles.map(f32::is_subnormal),
    );
    let halves = [1.0, 6.2e-5, 6e-5, 0.0].map(f16::from_f64);
    maps(
        |x: Exp<f16>| x.is_subnormal(),
        halves,
        [false, false, true, false],
    );
}

#[test]
fn is_sign_positive() {
    let values = [1.0, -1.0, 0.0, -0.0, INF, -INF, 5e-324, -5e-324];
    let expected = values.map(f64::is_sign_positive);
    maps(|x: Exp<f64>| x.is_sign_positive(), values, expected);
    maps(|x: Exp<f64>| x.is_sign_positive(), [NAN], [false]);
}

#[test]
fn is_sign_negative() {
    let values = [1.0, -1.0, 0.0, -0.0, INF, -INF, 5e-324, -5e-324];
    let expected = values.map(f64::is_sign_negative);
    maps(|x: Exp<f64>| x.is_sign_negative(), values, expected);
    maps(
        |x: Exp<f32>| x.is_sign_negative(),
        [-0.0f32, 0.0, -2.0],
        [true, false, true],
    );
    let halves = [-0.0, 0.0, -2.0].map(f16::from_f64);
    maps(
        |x: Exp<f16>| x.is_sign_negative(),
        halves,
        [true, false, true],
    );
}

#[test]
fn is_finite() {
    maps(
        |x: Exp<f64>| x.is_finite(),
        [1.0, NAN, INF, -INF],
        [true, false, false, false],
    );
}

#[test]
fn in_every_engine() {
    let of = |v: Acc<Ix1, f32>, w: Acc<Ix1, f32>| {
        let signs = v.copysign(w) + v.fract() * w.is_sign_negative().to::<f32>();
        (
            v.sigmoid() + w.softplus(),
            v.hypot(w),
            v.abs().log2() - w.abs().log10(),
            signs,
            (v.is_finite(), v.is_normal(), w.is_sign_positive()),
            v.logaddexp(w),
            w.round_ties_even(),
        )
    };
    let values = |n: usize| -> Vec<f32> {
        (0..300)
            .map(|i| ((i * n % 41) as f32 - 20.5) * 0.3)
            .collect()
    };
    agrees(of, vec![values(7).into(), values(11).into()]);
}
