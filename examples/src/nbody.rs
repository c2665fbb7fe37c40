//! The sun and the giant planets under their gravity, by the leapfrog method: half a step of the positions, a whole step of
//! the velocities, half a step of the positions.
//!
//! One `iterate` for each system: its state are all positions and velocities, 30 numbers. A single system is a single
//! scalar loop; many systems at once are as many elements of one array.
//!
//! The masses and starts are those of the *n-body* task of the Computer Language Benchmarks Game, in units of the distance
//! from earth to sun, years, and 4π² for the mass of the sun.
//!
//! Agreement: the energies of all systems after the last step, relative, within [`TOLERANCE`]; for step numbers up to some thousands, as
//! roundings add up.

use crate::device::Device;
use crate::error::Result;
use cotangent::prelude::*;
use cotangent::{Error, Program};

/// The largest relative difference of energies.
pub const TOLERANCE: f64 = 1e-9;
/// The number of bodies.
pub const BODIES: usize = 5;

const DAYS: f64 = 365.24;
const SUN: f64 = 4.0 * std::f64::consts::PI * std::f64::consts::PI;

/// The masses of sun, Jupiter, Saturn, Uranus and Neptune.
const MASSES: [f64; BODIES] = [
    SUN,
    9.547_919_384_243_266e-4 * SUN,
    2.858_859_806_661_308e-4 * SUN,
    4.366_244_043_351_563e-5 * SUN,
    5.151_389_020_466_114_5e-5 * SUN,
];

/// Three numbers for each body.
pub type Vectors = [[f64; 3]; BODIES];
/// Positions and velocities.
pub type System = (Vectors, Vectors);
/// From systems, a number of steps and the time of one to the systems after these steps.
pub type Steps = Program<(Acc<Ix1, System>, Acc<Ix0, i32>, Acc<Ix0, f64>), Acc<Ix1, System>>;

type V = [[Exp<f64>; 3]; BODIES];

/// How long to simulate.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The number of steps; a negative one is none.
    pub steps: i32,
    /// The time of one step, in years.
    pub time: f64,
}

/// Compiles the program.
///
/// # Errors
/// None that inputs can cause.
pub fn program() -> std::result::Result<Steps, Error> {
    let run = |systems: Acc<Ix1, System>, steps: Acc<Ix0, i32>, time: Acc<Ix0, f64>| {
        systems.map(|start| iterate(steps.the(), |_, now| leap(time.the(), now), start))
    };
    cotangent::compile(run)
}

/// One step.
fn leap(time: Exp<f64>, (positions, velocities): (V, V)) -> (V, V) {
    let middle = moved(positions, 0.5 * time, velocities);
    let velocities = moved(velocities, time, accelerations(middle));
    (moved(middle, 0.5 * time, velocities), velocities)
}

fn moved(from: V, time: Exp<f64>, by: V) -> V {
    std::array::from_fn(|i| std::array::from_fn(|k| from[i][k] + time * by[i][k]))
}

/// What all bodies do to each, pair by pair.
fn accelerations(positions: V) -> V {
    let mut sums: [[Option<Exp<f64>>; 3]; BODIES] = [[None; 3]; BODIES];
    for (i, j) in pairs() {
        let apart: [Exp<f64>; 3] = std::array::from_fn(|k| positions[i][k] - positions[j][k]);
        let square = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
        let pull = 1.0 / (square * square.sqrt());
        for k in 0..3 {
            sums[i][k] = Some(plus(sums[i][k], apart[k] * pull * -MASSES[j]));
            sums[j][k] = Some(plus(sums[j][k], apart[k] * pull * MASSES[i]));
        }
    }
    sums.map(|sum| sum.map(|sum| sum.unwrap_or_else(|| constant(0.0))))
}

fn plus(sum: Option<Exp<f64>>, term: Exp<f64>) -> Exp<f64> {
    sum.map_or(term, |sum| sum + term)
}

/// All pairs of bodies.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..BODIES).flat_map(|i| (i + 1..BODIES).map(move |j| (i, j)))
}

/// Runs the program.
///
/// # Errors
/// Where the device fails.
pub fn run(program: &Steps, device: &Device, systems: &[System], run: Run) -> Result<Vec<System>> {
    let systems = Array::vector(systems.to_vec()).map_err(Error::from)?;
    let inputs = (systems, Array::scalar(run.steps), Array::scalar(run.time));
    Ok(device.run(program, inputs)?.into_vec())
}

/// The same in plain Rust.
pub fn reference(systems: &[System], run: Run) -> Vec<System> {
    let mut systems = systems.to_vec();
    for system in &mut systems {
        (0..run.steps).for_each(|_| reference_leap(system, run.time));
    }
    systems
}

fn reference_leap((positions, velocities): &mut System, time: f64) {
    advance(positions, velocities, 0.5 * time);
    for (i, j) in pairs() {
        let apart: [f64; 3] = std::array::from_fn(|k| positions[i][k] - positions[j][k]);
        let square: f64 = apart.iter().map(|x| x * x).sum();
        let pull = time / (square * square.sqrt());
        for k in 0..3 {
            velocities[i][k] -= apart[k] * MASSES[j] * pull;
            velocities[j][k] += apart[k] * MASSES[i] * pull;
        }
    }
    advance(positions, velocities, 0.5 * time);
}

fn advance(positions: &mut Vectors, velocities: &Vectors, time: f64) {
    let velocities = velocities.as_flattened();
    let numbers = positions.as_flattened_mut().iter_mut().zip(velocities);
    numbers.for_each(|(x, v)| *x += time * v);
}

/// The energy of a system: of its motion and of its gravity.
pub fn energy((positions, velocities): &System) -> f64 {
    let square = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>();
    let bodies = MASSES.iter().zip(velocities);
    let motion: f64 = bodies.map(|(mass, v)| 0.5 * mass * square(v)).sum();
    let gravity: f64 = pairs()
        .map(|(i, j)| {
            let apart = std::array::from_fn(|k| positions[i][k] - positions[j][k]);
            MASSES[i] * MASSES[j] / square(&apart).sqrt()
        })
        .sum();
    motion - gravity
}

/// The largest relative difference of energies; infinite where one is no number.
pub fn difference(found: &[System], expected: &[System]) -> f64 {
    let energies = found.iter().map(energy).zip(expected.iter().map(energy));
    let apart = energies.map(|(f, e)| ((f - e) / e).abs());
    apart.fold(0.0, |most, d| {
        if d.is_nan() {
            f64::INFINITY
        } else {
            most.max(d)
        }
    })
}

/// The solar system, with its centre of mass at rest.
pub fn solar_system() -> System {
    let positions = PLANETS.map(|planet| planet[0]);
    let mut velocities = PLANETS.map(|planet| planet[1].map(|v| v * DAYS));
    let momentum =
        |k: usize| -> f64 { MASSES.iter().zip(&velocities).map(|(m, v)| m * v[k]).sum() };
    velocities[0] = std::array::from_fn(|k| -momentum(k) / SUN);
    (positions, velocities)
}

/// Systems that begin with Jupiter a little further away, each further than the one before.
pub fn systems(count: usize) -> Vec<System> {
    let start = |n: usize| {
        let mut system = solar_system();
        system.0[1][0] *= 1.0 + 1e-5 * n as f64;
        system
    };
    (0..count).map(start).collect()
}

/// The first two coordinates of each body at the start, and after each of `places` runs, each from where the last one ended.
///
/// # Errors
/// Where the program cannot be compiled, or the device fails.
pub fn orbits(device: &Device, each: Run, places: i32) -> Result<[Vec<(f64, f64)>; BODIES]> {
    let (program, mut systems) = (program()?, systems(1));
    let mut orbits = [const { vec![] }; BODIES];
    for place in 0..=places {
        if place > 0 {
            systems = run(&program, device, &systems, each)?;
        }
        for (positions, _) in &systems {
            let bodies = orbits.iter_mut().zip(positions);
            bodies.for_each(|(orbit, [x, y, _])| orbit.push((*x, *y)));
        }
    }
    Ok(orbits)
}

/// Positions, and velocities by the day.
const PLANETS: [[[f64; 3]; 2]; BODIES] = [
    [[0.0; 3], [0.0; 3]],
    [
        [
            4.841_431_442_464_721,
            -1.160_320_044_027_428_4,
            -1.036_220_444_711_231_1e-1,
        ],
        [
            1.660_076_642_744_037e-3,
            7.699_011_184_197_404e-3,
            -6.904_600_169_720_63e-5,
        ],
    ],
    [
        [
            8.343_366_718_244_58,
            4.124_798_564_124_305,
            -4.035_234_171_143_214e-1,
        ],
        [
            -2.767_425_107_268_624e-3,
            4.998_528_012_349_172e-3,
            2.304_172_975_737_639_3e-5,
        ],
    ],
    [
        [
            1.289_436_956_213_913_1e1,
            -1.511_115_140_169_863_1e1,
            -2.233_075_788_926_557_3e-1,
        ],
        [
            2.964_601_375_647_616e-3,
            2.378_471_739_594_809_5e-3,
            -2.965_895_685_402_375_6e-5,
        ],
    ],
    [
        [
            1.537_969_711_485_091_7e1,
            -2.591_931_460_998_796_4e1,
            1.792_587_729_503_711_8e-1,
        ],
        [
            2.680_677_724_903_893_2e-3,
            1.628_241_700_382_423e-3,
            -9.515_922_545_197_159e-5,
        ],
    ],
];
