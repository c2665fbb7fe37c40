//! The error function, the logarithm of the gamma function, and what belongs to them, against numbers computed with 60 digits.

use super::errors::{self, relative, units, units_single};
use super::{maps, vector};
use crate::loop_gradients::agree;
use cotangent::prelude::*;
use cotangent::{Cpu, compile, f16};
use cotangent_tests::differences::all_agree;
use std::f64::consts::LN_2;

type Vector = Acc<Ix1, f64>;
type X = Exp<f64>;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// x, and the nearest numbers to erf x and erfc x.
const ERROR: [(f64, f64, f64); 48] = [
    (0.5582034502558599, 0.5701327810987058, 0.4298672189012942),
    (0.968004170261338, 0.8289896673686988, 0.17101033263130117),
    (1.563005614305439, 0.9729242321409418, 0.027075767859058193),
    (1.5642163694064948, 0.973042730945614, 0.026957269054386043),
    (0.0, 0.0, 1.0),
    (1e-300, 1.1283791670955126e-300, 1.0),
    (5e-11, 5.641895835477563e-11, 0.999999999943581),
    (0.001, 0.0011283787909692365, 0.9988716212090307),
    (0.1, 0.1124629160182849, 0.887537083981715),
    (0.25, 0.27632639016823696, 0.7236736098317631),
    (0.4375, 0.463898135749933, 0.536101864250067),
    (0.4999, 0.5204119951613866, 0.4795880048386134),
    (0.5, 0.5204998778130465, 0.4795001221869535),
    (0.50001, 0.5205086655948966, 0.47949133440510344),
    (0.6125, 0.6136226905402455, 0.3863773094597545),
    (0.75, 0.7111556336535151, 0.28884436634648486),
    (0.84375, 0.7672256612323416, 0.23277433876765838),
    (0.9990234375, 0.8422950185281028, 0.1577049814718971),
    (1.0, 0.8427007929497149, 0.15729920705028513),
    (1.03, 0.8547842114541484, 0.1452157885458516),
    (1.25, 0.9229001282564583, 0.07709987174354177),
    (1.46875, 0.9622100841994912, 0.03778991580050882),
    (1.7, 0.9837904585907745, 0.01620954140922544),
    (2.0, 0.9953222650189527, 0.004677734981047266),
    (2.33, 0.9990161950065498, 0.0009838049934501967),
    (
        2.857142857142857,
        0.9999466876886117,
        5.3312311388322795e-05,
    ),
    (3.0, 0.9999779095030014, 2.209049699858544e-05),
    (3.6, 0.999999644137007, 3.5586299300768504e-07),
    (4.4, 0.999999999510829, 4.891710270605872e-10),
    (5.0, 0.9999999999984626, 1.537459794428035e-12),
    (5.7, 0.9999999999999992, 7.566211621862486e-16),
    (5.9, 0.9999999999999999, 7.190409783550478e-17),
    (6.5, 1.0, 3.8421483271206475e-20),
    (8.125, 1.0, 1.47282375446827e-30),
    (9.9, 1.0, 1.5431200214053075e-44),
    (13.37, 1.0, 9.793817364122468e-80),
    (17.01, 1.0, 7.263812918944796e-128),
    (20.6, 1.0, 1.3798799241981682e-186),
    (24.999, 1.0, 8.726071279897678e-274),
    (26.4, 1.0, 4.4017768588035426e-305),
    (-0.3, -0.3286267594591274, 1.3286267594591274),
    (-0.7, -0.6778011938374184, 1.6778011938374184),
    (-1.0, -0.8427007929497149, 1.8427007929497148),
    (-1.9, -0.9927904292352575, 1.9927904292352574),
    (-3.3, -0.9999969422902035, 1.9999969422902035),
    (-5.5, -0.9999999999999927, 1.9999999999999927),
    (-7.0, -1.0, 2.0),
    (-30.0, -1.0, 2.0),
];

/// x, and the nearest numbers to ln |Γ(x)| and its derivative.
const GAMMA: [(f64, f64, f64); 47] = [
    (1e-300, 690.7755278982137, -9.999999999999999e+299),
    (1e-10, 23.025850929882736, -10000000000.577215),
    (0.001, 6.907178885383853, -1000.5755719318103),
    (0.25, 1.2880225246980774, -4.2274535333762655),
    (0.4999, 0.5725613186041184, -1.9640035904016993),
    (0.5, 0.5723649429247001, -1.9635100260214235),
    (0.75, 0.20328095143129538, -1.0858608797864722),
    (0.9990234375, 0.0005644719118551234, -0.5788231932059208),
    (1.0, 0.0, -0.5772156649015329),
    (1.03, -0.016586853877569772, -0.5289210872854304),
    (1.25, -0.09827183642181316, -0.22745353337626542),
    (
        1.4616321449683622,
        -0.12148629053584961,
        -9.241265521729427e-17,
    ),
    (1.5, -0.12078223763524522, 0.03648997397857652),
    (1.75, -0.08440112102048555, 0.24747245354686118),
    (1.999, -0.0004224618006921073, 0.4221391988923556),
    (2.0, 0.0, 0.42278433509846713),
    (2.01, 0.004260022907098346, 0.4292135520323155),
    (2.5, 0.2846828704729192, 0.7031566406452432),
    (3.0, LN_2, 0.9227843350984671),
    (4.5, 2.4537365708424423, 1.388870926359529),
    (6.6, 5.8426800552746325, 1.8094033480858933),
    (8.0, 8.525161361065415, 2.01564147795561),
    (9.99, 12.779315214350193, 2.250700372831201),
    (10.0, 12.801827480081469, 2.251752589066721),
    (10.5, 13.940625219403763, 2.3030010342976865),
    (12.25, 18.115669505710894, 2.464154655185369),
    (33.3, 82.60372358165495, 3.490467238520243),
    (100.5, 361.4355404677776, 4.605174352581845),
    (1234.5, 7550.550901077895, 7.118016231827998),
    (1000000.0, 12815504.569147611, 13.815510057964191),
    (
        1000000000000000.0,
        3.3538776394910668e+16,
        34.538776394910684,
    ),
    (1e+100, 2.2925850929940456e+102, 230.25850929940458),
    (1e+300, 6.897755278982137e+302, 690.7755278982137),
    (-1e-10, 23.025850929998178, 9999999999.422785),
    (-0.25, 1.589575312551186, 2.9141391202135276),
    (-0.5, 1.2655121234846454, 0.03648997397857652),
    (-0.75, 1.5757045971498584, -2.894120200042932),
    (-1.25, 1.3664317612369763, 3.714139120213528),
    (-1.5, 0.860047015376481, 0.7031566406452432),
    (-1.9, 1.7162192812196366, -8.786328039826273),
    (-2.5, -0.056243716497674054, 1.103156640645243),
    (-3.1, 0.4003116967039849, 10.952935080495616),
    (-4.75, -2.8754125604929137, -1.4818622825218566),
    (-10.3, -14.457515440024208, 4.662403493582087),
    (-20.5, -42.70719597482576, 3.044616882512525),
    (-101.3, -368.3842925939309, 6.9055147931723795),
    (-1234.25, -7554.398337646806, 10.260216480339961),
];

fn farthest(
    f: impl Fn(Vector) -> Vector,
    table: impl Iterator<Item = (f64, f64)>,
    error: impl Fn(f64, f64) -> f64,
) -> f64 {
    let (x, expected): (Vec<f64>, Vec<f64>) = table.unzip();
    errors::farthest(f, (&x, &expected), error)
}

/// The greatest error of what the CPU gives for singles, against doubles.
fn farthest_single(
    single: impl Fn(Acc<Ix1, f32>) -> Acc<Ix1, f32>,
    double: impl Fn(Vector) -> Vector,
    (x, error): (&[f32], impl Fn(f32, f64) -> f64),
) -> f64 {
    let wide: Vec<f64> = x.iter().map(|&x| x.into()).collect();
    let expected = compile(double).unwrap().run(&Cpu::default(), vector(wide));
    errors::farthest_single(single, (x, &expected.unwrap().to_vec()), error)
}

/// Of singles that are not subnormal.
fn units_normal(found: f32, expected: f64) -> f64 {
    match expected.abs() < f64::from(f32::MIN_POSITIVE) {
        true => 0.0,
        false => units_single(found, expected),
    }
}

fn relative_single(found: f32, expected: f64) -> f64 {
    relative(f64::from(found), expected)
}

#[test]
fn erf() {
    let most = farthest(|v| v.erf(), ERROR.iter().map(|t| (t.0, t.1)), units);
    assert!(most <= 2.0, "{most} units");
    let x: Vec<f32> = (-4000..4000).map(|i| i as f32 * 0.00107).collect();
    let most = farthest_single(|v| v.erf(), |v| v.erf(), (&x, units_normal));
    assert!(most <= 2.0, "{most} units");
    maps(
        |x: X| x.erf(),
        [INF, -INF, NAN, -0.0],
        [1.0, -1.0, NAN, -0.0],
    );
}

#[test]
fn erfc() {
    let most = farthest(|v| v.erfc(), ERROR.iter().map(|t| (t.0, t.2)), units);
    assert!(most <= 2.0, "{most} units");
    let x: Vec<f32> = (-4000..4000).map(|i| i as f32 * 0.00223).collect();
    let most = farthest_single(|v| v.erfc(), |v| v.erfc(), (&x, units_normal));
    assert!(most <= 2.0, "{most} units");
    maps(
        |x: X| x.erfc(),
        [INF, -INF, NAN, 28.5],
        [0.0, 2.0, NAN, 0.0],
    );
}

#[test]
fn lgamma() {
    let most = farthest(|v| v.lgamma(), GAMMA.iter().map(|t| (t.0, t.1)), relative);
    assert!(most <= 1e-14, "{most}");
    let x: Vec<f32> = (-900..9000).map(|i| i as f32 * 0.0107).collect();
    let most = farthest_single(|v| v.lgamma(), |v| v.lgamma(), (&x, relative_single));
    assert!(most <= 4e-6, "{most}");
    maps(
        |x: X| x.lgamma(),
        [INF, -INF, NAN, 0.0, -0.0, -3.0],
        [INF, INF, NAN, INF, INF, INF],
    );
}

#[test]
fn digamma() {
    let most = farthest(|v| v.digamma(), GAMMA.iter().map(|t| (t.0, t.2)), relative);
    assert!(most <= 1e-14, "{most}");
    let x: Vec<f32> = (1..9000).map(|i| i as f32 * 0.0107).collect();
    let most = farthest_single(|v| v.digamma(), |v| v.digamma(), (&x, relative_single));
    assert!(most <= 2e-6, "{most}");
    maps(
        |x: X| x.digamma(),
        [INF, NAN, 0.0, -3.0],
        [INF, NAN, NAN, NAN],
    );
}

/// To the third order, on every engine.
#[test]
fn derivatives() {
    fn is_right(f: impl Fn(Vector) -> Vector + Copy, x: &[f64]) {
        let sum = move |v: Vector| f(v).sum();
        let first = move |v: Vector| gradient_a(sum, v);
        let second = move |v: Vector| gradient_a(move |v: Vector| first(v).sum(), v);
        all_agree(sum, vector(x));
        all_agree(move |v: Vector| first(v).sum(), vector(x));
        all_agree(move |v: Vector| second(v).sum(), vector(x));
        agree(
            move |v: Vector| (f(v), first(v), second(v)),
            vector(x.to_vec()),
            10.0,
        );
    }
    is_right(|v| v.erf(), &[-2.3, -0.6, 0.0, 0.3, 1.2, 4.0]);
    is_right(|v| v.erfc(), &[-2.3, -0.6, 0.0, 0.3, 1.2, 3.0]);
    is_right(|v| v.lgamma(), &[-2.3, -0.6, 0.2, 1.3, 4.6, 12.0]);
    is_right(|v| v.digamma(), &[-2.3, -0.6, 0.2, 1.3, 4.6, 12.0]);
    let slopes = farthest(
        |v| gradient_a(|v: Vector| v.lgamma().sum(), v),
        GAMMA.iter().map(|t| (t.0, t.2)),
        relative,
    );
    assert!(slopes <= 1e-14, "{slopes}");
    maps(
        |x: X| gradient_e(|x| x.erf(), x),
        [INF, -30.0, NAN],
        [0.0, 0.0, NAN],
    );
}

#[test]
fn singles_on_every_engine() {
    let all = |v: Acc<Ix1, f32>| (v.erf(), v.erfc(), v.lgamma(), v.digamma());
    let x = (1..600).map(|i| i as f32 * 0.013 - 3.9);
    agree(all, vector(x.collect::<Vec<_>>()), 10.0);
    let slopes = |v: Acc<Ix1, f32>| {
        gradient_a(
            |v: Acc<Ix1, f32>| (v.erf() * v.erfc() + v.lgamma()).sum(),
            v,
        )
    };
    agree(slopes, vector(vec![-1.3_f32, 0.2, 1.0, 2.5, 7.0]), 10.0);
}

/// Half numbers go by singles: they are the nearest, but for rounding twice.
#[test]
fn halves() {
    let x: Vec<f16> = (-40..80)
        .map(|i| f16::from_f32(i as f32 * 0.0625 + 0.03))
        .collect();
    let program = compile(|v: Acc<Ix1, f16>| (v.erf(), v.lgamma())).unwrap();
    let (erf, lgamma) = program.run(&Cpu::default(), vector(x.clone())).unwrap();
    let wide = compile(|v: Acc<Ix1, f32>| (v.erf(), v.lgamma())).unwrap();
    let x: Vec<f32> = x.into_iter().map(f16::to_f32).collect();
    let (wide_erf, wide_lgamma) = wide.run(&Cpu::default(), vector(x)).unwrap();
    let narrow =
        |x: Array<Ix1, f32>| -> Vec<f16> { x.to_vec().into_iter().map(f16::from_f32).collect() };
    assert_eq!(erf.to_vec(), narrow(wide_erf));
    assert_eq!(lgamma.to_vec(), narrow(wide_lgamma));
}
