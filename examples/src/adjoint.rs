//! What grows on a ring of cells and spreads, x′ = x + r·x(1 − x) + d·(left − 2x + right), and how much the end of it depends on each
//! cell at the beginning: a gradient through many steps, with as many states kept as one wants to.
//!
//! One `aiterate` of [`Checkpoints`], and its gradient. The table that the program prints is the trade of time for space that
//! paper 001 (§4) draws for reversible programs, here of states that are made again.
//!
//! Agreement: the gradient, relative to its largest element, within [`TOLERANCE`].

use crate::device::Device;
use crate::error::Result;
use cotangent::prelude::*;
use cotangent::{Error, Program, RunMeasures};
use std::time::{Duration, Instant};

/// The largest difference, relative to the largest element.
pub const TOLERANCE: f64 = 1e-9;

/// How fast it spreads.
const SPREAD: f64 = 0.2;

/// From the cells, the rate of growth and the number of steps to the gradient of half the sum of squares after these: by the
/// cells, and by the rate.
pub type Gradient =
    Program<(Acc<Ix1, f64>, Acc<Ix0, f64>, Acc<Ix0, i32>), (Acc<Ix1, f64>, Acc<Ix0, f64>)>;

/// The cells, the rate of growth and the number of steps.
type Inputs = (Array<Ix1, f64>, Array<Ix0, f64>, Array<Ix0, i32>);

/// A gradient on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// By the cells.
    pub by_cells: Vec<f64>,
    /// By the rate of growth.
    pub by_rate: f64,
}

/// What is simulated.
#[derive(Clone, Debug)]
pub struct Task {
    /// What is in each cell.
    pub cells: Vec<f64>,
    /// The rate of growth.
    pub rate: f64,
    /// The number of steps; a negative one is none.
    pub steps: i32,
}

/// A task with so many cells: few in most, more in some.
pub fn task(cells: usize, steps: i32) -> Task {
    let cell = |i: usize| 0.1 + 0.05 * (1.7 * i as f64).sin();
    Task {
        cells: (0..cells).map(cell).collect(),
        rate: 0.003,
        steps,
    }
}

/// Compiles the gradient.
///
/// # Errors
/// None that inputs can cause.
pub fn program(checkpoints: Checkpoints) -> std::result::Result<Gradient, Error> {
    cotangent::compile(
        move |cells: Acc<Ix1, f64>, rate: Acc<Ix0, f64>, steps: Acc<Ix0, i32>| {
            let end = |(cells, rate): (Acc<Ix1, f64>, Acc<Ix0, f64>)| {
                let last = checkpoints.aiterate(steps.the(), |_, x| step(x, rate), cells);
                last.map(|x| 0.5 * x * x).sum()
            };
            gradient_a(end, (cells, rate))
        },
    )
}

fn step(x: Acc<Ix1, f64>, rate: Acc<Ix0, f64>) -> Acc<Ix1, f64> {
    let (left, right) = (x.roll(ix![1]), x.roll(ix![-1]));
    let beside = left.zip_with(right, |left, right| left + right);
    x.zip_with(beside, |x, beside| {
        x + rate.the() * x * (1.0 - x) + SPREAD * (beside - 2.0 * x)
    })
}

/// Runs the program.
///
/// # Errors
/// Where the device fails.
pub fn run(program: &Gradient, device: &Device, task: &Task) -> Result<Found> {
    let (by_cells, by_rate) = device.run(program, inputs(task)?)?;
    Ok(Found {
        by_cells: by_cells.into_vec(),
        by_rate: by_rate.item(),
    })
}

fn inputs(task: &Task) -> std::result::Result<Inputs, Error> {
    let cells = Array::vector(task.cells.clone())?;
    Ok((cells, Array::scalar(task.rate), Array::scalar(task.steps)))
}

/// The time and the memory of a run.
///
/// # Errors
/// Where the device fails.
pub fn measured(
    program: &Gradient,
    device: &Device,
    task: &Task,
) -> Result<(Duration, RunMeasures)> {
    let start = Instant::now();
    let (_, measures) = match device {
        Device::Cpu(cpu) => program.run_measured(cpu, inputs(task)?),
        Device::Gpu(gpu) => program.run_measured(gpu.as_ref(), inputs(task)?),
    }?;
    Ok((start.elapsed(), measures))
}

/// The same in plain Rust: the adjoint equations, by hand, with all states kept.
pub fn reference(task: &Task) -> Found {
    let n = task.cells.len();
    let [left, right] = [n.saturating_sub(1), 1].map(|by| move |i: usize| (i + by) % n.max(1));
    let next = |x: &[f64]| -> Vec<f64> {
        let cell = |i: usize| {
            let beside = x[left(i)] + x[right(i)];
            x[i] + task.rate * x[i] * (1.0 - x[i]) + SPREAD * (beside - 2.0 * x[i])
        };
        (0..n).map(cell).collect()
    };
    let mut states = vec![task.cells.clone()];
    for step in 0..task.steps.max(0) as usize {
        states.push(next(&states[step]));
    }
    let mut by_cells = states.pop().unwrap_or_default();
    let mut by_rate = 0.0;
    for x in states.iter().rev() {
        by_rate += (0..n)
            .map(|i| by_cells[i] * x[i] * (1.0 - x[i]))
            .sum::<f64>();
        let cell = |i: usize| {
            let own = 1.0 + task.rate * (1.0 - 2.0 * x[i]) - 2.0 * SPREAD;
            by_cells[i] * own + SPREAD * (by_cells[left(i)] + by_cells[right(i)])
        };
        by_cells = (0..n).map(cell).collect();
    }
    Found { by_cells, by_rate }
}

/// The largest difference, relative to the largest element of its kind; infinite where a result is no number.
pub fn difference(found: &Found, expected: &Found) -> f64 {
    let largest = expected
        .by_cells
        .iter()
        .fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
    let pairs = found.by_cells.iter().zip(&expected.by_cells);
    let cells = pairs.map(|(f, e)| (f - e).abs() / largest);
    let rate =
        (found.by_rate - expected.by_rate).abs() / expected.by_rate.abs().max(f64::MIN_POSITIVE);
    cells.chain([rate]).fold(0.0, |most, d| {
        if d.is_nan() {
            f64::INFINITY
        } else {
            most.max(d)
        }
    })
}
