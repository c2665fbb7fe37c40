//! Arguments of all sizes, subnormal, infinite and NaN included.

use crate::device::Real;
use cotangent_core::prim::Prim;
use std::f64::consts::{FRAC_PI_2, PI};

/// How many arguments of each kind.
const COUNT: usize = 4096;

/// Arguments at the edges of something.
const EDGES: [f64; 62] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    2.5,
    -2.5,
    0.55,
    -0.55,
    1e-5,
    -1e-5,
    1e-8,
    -1e-8,
    1e-17,
    -1e-17,
    1e-35,
    -1e-35,
    1e17,
    -1e17,
    1e35,
    -1e35,
    1e10,
    -1e10,
    1e5,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MAX,
    f64::MIN,
    1.2e-38,
    -1.2e-38,
    3.4e38,
    -3.4e38,
    88.7,
    88.8,
    -87.3,
    -104.0,
    89.4,
    709.78,
    709.79,
    710.4,
    -708.0,
    -746.0,
    0.9999999,
    1.0000001,
    -0.9999999,
    0.999999999999999,
    8192.5,
    8191.5,
    16777215.0,
    -16777215.0,
    FRAC_PI_2,
    PI,
    1048576.0,
    1048577.0,
];

/// Parts of the least number that is not subnormal.
const SUBNORMAL: [f64; 4] = [0.75, -0.75, 0.001, -0.001];

/// Pseudo-random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn between(&mut self, (low, high): (f64, f64)) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

/// Where to look closely.
type Ranges = [(f64, f64); 2];

/// Where to look closely at some functions.
const RANGES: [(&[Prim], Ranges); 7] = [
    (
        &[Prim::Exp, Prim::Sinh, Prim::Cosh],
        [(-90.0, 90.0), (-750.0, 750.0)],
    ),
    (
        &[Prim::ExpM1, Prim::Tanh, Prim::Asinh],
        [(-3.0, 3.0), (-30.0, 30.0)],
    ),
    (&[Prim::Ln, Prim::Acosh], [(0.0, 3.0), (0.9, 1.1)]),
    (&[Prim::Ln1p], [(-1.0, 3.0), (-0.01, 0.01)]),
    (
        &[Prim::Sin, Prim::Cos, Prim::Tan],
        [(-100.0, 100.0), (-2e6, 2e6)],
    ),
    (
        &[Prim::Asin, Prim::Acos, Prim::Atanh],
        [(-1.0, 1.0), (0.9, 1.0)],
    ),
    (&[Prim::Pow], [(0.0, 10.0), (0.99, 1.01)]),
];

/// Where to look closely at the others.
const OTHER_RANGES: Ranges = [(-5.0, 5.0), (-1000.0, 1000.0)];

fn ranges(prim: Prim) -> Ranges {
    let found = RANGES.iter().find(|(prims, _)| prims.contains(&prim));
    found.map_or(OTHER_RANGES, |(_, ranges)| *ranges)
}

/// Both arguments of a function; one of one argument ignores the second.
pub(crate) fn arguments<T: Real>(prim: Prim) -> (Vec<T>, Vec<T>) {
    let mut random = Random(prim.name().len() as u64);
    let mut pairs = Vec::new();
    for x in EDGES {
        pairs.extend(EDGES.map(|y| (T::narrow(x), T::narrow(y))));
    }
    for range in ranges(prim) {
        for _ in 0..COUNT {
            let x = random.between(range);
            let y = random.between((-20.0, 20.0));
            pairs.push((T::narrow(x), T::narrow(y)));
            pairs.push((T::narrow(x), T::narrow(y * 1000.0)));
            pairs.push((T::narrow(x), T::narrow(y.round())));
        }
    }
    let mut any = || T::from_random(random.bits());
    pairs.extend((0..COUNT).map(|_| (any(), any())));
    pairs.extend(
        EDGES
            .iter()
            .flat_map(|x| [(T::narrow(*x), any()), (any(), T::narrow(*x))]),
    );
    for x in SUBNORMAL {
        for y in EDGES.into_iter().chain(SUBNORMAL) {
            let (x, y) = (T::LEAST * x, y);
            pairs.push((T::narrow(x), T::narrow(y)));
            pairs.push((T::narrow(y), T::narrow(x)));
        }
    }
    pairs.into_iter().unzip()
}
