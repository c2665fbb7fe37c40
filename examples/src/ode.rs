//! Hares and foxes by the equations of Lotka and Volterra, x′ = αx − βxy and y′ = δxy − γy, by the classic method of Runge
//! and Kutta.
//!
//! One `iterate` for each start; starts are computed in parallel.
//!
//! Agreement: all numbers of animals, relative, within [`TOLERANCE`].

use crate::device::Device;
use crate::error::Result;
use cotangent::prelude::*;
use cotangent::{Error, Program};

/// The largest relative difference.
pub const TOLERANCE: f64 = 1e-9;

/// How hares multiply and are eaten, how foxes multiply by eating and die.
const RATES: [f64; 4] = [1.1, 0.4, 0.1, 0.4];

/// Hares and foxes.
pub type State = (f64, f64);
/// From starts, a number of steps and the time of one to the states after these steps.
pub type Steps = Program<(Acc<Ix1, State>, Acc<Ix0, i32>, Acc<Ix0, f64>), Acc<Ix1, State>>;

/// How long to simulate.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The number of steps; a negative one is none.
    pub steps: i32,
    /// The time of one step.
    pub time: f64,
}

/// Compiles the program.
///
/// # Errors
/// None that inputs can cause.
pub fn program() -> std::result::Result<Steps, Error> {
    let run = |starts: Acc<Ix1, State>, steps: Acc<Ix0, i32>, time: Acc<Ix0, f64>| {
        starts.map(|start| iterate(steps.the(), |_, now| step(time.the(), now), start))
    };
    cotangent::compile(run)
}

type Pair = (Exp<f64>, Exp<f64>);

/// One step of the classic method.
fn step(time: Exp<f64>, now: Pair) -> Pair {
    let first = slope(now);
    let second = slope(along(now, 0.5 * time, first));
    let third = slope(along(now, 0.5 * time, second));
    let fourth = slope(along(now, time, third));
    let mean = |a, b, c, d| (a + 2.0 * b + 2.0 * c + d) / 6.0;
    let slope = (
        mean(first.0, second.0, third.0, fourth.0),
        mean(first.1, second.1, third.1, fourth.1),
    );
    along(now, time, slope)
}

fn slope((x, y): Pair) -> Pair {
    let [birth, hunt, growth, death] = RATES;
    (birth * x - hunt * x * y, growth * x * y - death * y)
}

fn along((x, y): Pair, time: Exp<f64>, by: Pair) -> Pair {
    (x + time * by.0, y + time * by.1)
}

/// Runs the program.
///
/// # Errors
/// Where the device fails.
pub fn run(program: &Steps, device: &Device, starts: &[State], run: Run) -> Result<Vec<State>> {
    let starts = Array::vector(starts.to_vec()).map_err(Error::from)?;
    let inputs = (starts, Array::scalar(run.steps), Array::scalar(run.time));
    Ok(device.run(program, inputs)?.into_vec())
}

/// The same in plain Rust.
pub fn reference(starts: &[State], run: Run) -> Vec<State> {
    let end = |&start: &State| (0..run.steps).fold(start, |now, _| reference_step(run.time, now));
    starts.iter().map(end).collect()
}

fn reference_step(time: f64, (x, y): State) -> State {
    let [birth, hunt, growth, death] = RATES;
    let slope = |x: f64, y: f64| [birth * x - hunt * x * y, growth * x * y - death * y];
    let a = slope(x, y);
    let b = slope(x + 0.5 * time * a[0], y + 0.5 * time * a[1]);
    let c = slope(x + 0.5 * time * b[0], y + 0.5 * time * b[1]);
    let d = slope(x + time * c[0], y + time * c[1]);
    let change = |k: usize| time / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]);
    (x + change(0), y + change(1))
}

/// The largest relative difference; infinite where a result is no number.
pub fn difference(found: &[State], expected: &[State]) -> f64 {
    let apart = |f: f64, e: f64| ((f - e) / e).abs();
    let pairs = found.iter().zip(expected);
    let all = pairs.flat_map(|(f, e)| [apart(f.0, e.0), apart(f.1, e.1)]);
    all.fold(0.0, |most, d| {
        if d.is_nan() {
            f64::INFINITY
        } else {
            most.max(d)
        }
    })
}

/// Starts with 10 hares and ever more foxes.
pub fn starts(count: usize) -> Vec<State> {
    let foxes = |n: usize| 1.0 + 9.0 * n as f64 / count as f64;
    (0..count).map(|n| (10.0, foxes(n))).collect()
}

/// The states of one start after each of `places` runs, each from where the last one ended, with the start itself.
///
/// # Errors
/// Where the program cannot be compiled, or the device fails.
pub fn curve(device: &Device, start: State, each: Run, places: i32) -> Result<Vec<State>> {
    let (program, mut curve) = (program()?, vec![start]);
    for _ in 0..places {
        let last = curve.last().copied();
        curve.extend(run(&program, device, last.as_slice(), each)?);
    }
    Ok(curve)
}
